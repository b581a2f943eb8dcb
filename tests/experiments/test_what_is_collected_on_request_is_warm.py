"""Workloads that collect on request keep the first collection of each kind apart, and raw samples of their
pauses, here and in CPython: the gate finds their warm-up declared, and their percentiles those of the samples."""
import json
import subprocess
import unittest

import support
from plots.claims import conditions
from plots.stats import distribution
import schema_check

PEERS = support.ROOT / "experiments" / "peers" / "cpython"
YOUNG = ("--old", "4000", "--young", "400", "--collections", "3")
RINGS = ("--cycles", "20", "--links", "9", "--collections", "3")
LISTS = ("--levels", "50", "--collections", "3")
OURS = {"graph": ("--objects", "3000", "--collections", "3"), "young": YOUNG, "gc-collect": RINGS,
        "cycles": ("--objects", "3000", "--live", "1000", "--collections", "3"), "gc-traversal": LISTS}
THEIRS = {"young": YOUNG, "gc_collect": RINGS, "gc_traversal": LISTS}
FIRST = {"graph": {"live"}, "young": {"live", "garbage"}, "cycles": {"garbage"}, "gc-collect": {"garbage"},
         "gc-traversal": {"live"}}
SCHEMA = schema_check.load("result.schema.json")


def printed(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True,
                          env=support.environment())
    return json.loads(done.stdout)


class Warm(unittest.TestCase):
    @staticmethod
    def asked(check, result, kind):
        """What a condition says of it."""
        row = {"workload": result["workload"], "params": result["params"], "objects": 0, "shuffled": False,
               "subject": kind, "kind": kind, "invocation": 0, "repeat": 0, "result": result}
        return check(conditions.Shown(type("Results", (), {"rows": [row]}), [row]))

    def judge(self, result, kind):
        self.assertEqual(schema_check.problems(result, SCHEMA), [])
        for check in (conditions.warm_up, conditions.triple):
            said = self.asked(check, result, kind)
            self.assertEqual(said[0], conditions.HOLDS, (result["workload"], said))
        samples = result.get("pause_samples_ns")
        if samples is not None:
            self.assertEqual(len(samples), result["pauses"]["count"])
            self.assertEqual(len(result["pause_cpu_samples_ns"]), len(samples))
            self.assertEqual(sum(samples), result["pauses"]["total_ns"])
            self.assertEqual(distribution.quantile(sorted(samples), 0.5), result["pauses"]["wall"]["p50_ns"])
        found = {each for each in conditions.WARMED if result.get(f"{each}_first_collect_ns") is not None}
        self.assertEqual(found, FIRST[result["workload"]])
        for each in found:
            self.assertEqual(len(result[f"{each}_collect_samples_ns"]), 3)

    def test_here_with_every_kind_of_engine(self):
        for engine in ("stw", "incremental", "concurrent", "snapshot"):
            for workload, arguments in OURS.items():
                with self.subTest(workload=workload, engine=engine):
                    result = printed(support.OURO, "bench", workload, "--engine", engine, *arguments,
                                     "--json", "-")
                    self.assertIn("pause_samples_ns", result)
                    self.judge(result, "ouro")

    def test_what_was_not_kept_is_noticed(self):
        result = printed(support.OURO, "bench", "young", *YOUNG, "--json", "-")
        for check, change, words in (
                (conditions.warm_up, {"live_first_collect_ns": None, "garbage_first_collect_ns": None},
                 "declares no warm-up"),
                (conditions.warm_up, {"garbage_collect_samples_ns": []}, "kept no curve"),
                (conditions.triple, {"pause_samples_ns": [1] * result["pauses"]["count"]},
                 "that of its raw samples 1"),
                (conditions.triple, {"pause_samples_ns": None, "live_collect_samples_ns": []},
                 "no raw samples")):
            state, why = self.asked(check, {**result, **change}, "ouro")
            self.assertEqual(state, conditions.FAILS, change)
            self.assertIn(words, why)

    def test_in_cpython(self):
        for script, arguments in THEIRS.items():
            with self.subTest(script=script):
                self.judge(printed(support.PYTHON, "-I", "-S", PEERS / f"{script}.py", *arguments), "cpython")


if __name__ == "__main__":
    unittest.main()
