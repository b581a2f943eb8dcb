import json
import math
import subprocess
import unittest

import support
import schema_check
from engines import engines
from test_peers_in_other_languages_do_the_same_work import places_checksum

SCRIPT = support.ROOT / "experiments" / "peers" / "cpython" / "slices.py"
RESULT = schema_check.load("result.schema.json")
LIVE, SLICES, WARMUP, SLICE, SEED = 4003, 300, 100, 50, 9
SIZE = ("--live", LIVE, "--slices", SLICES, "--warmup", WARMUP, "--slice", SLICE, "--seed", SEED)


@unittest.skipUnless(support.os.access(support.OURO, support.os.X_OK), "the ouro command is not built")
class Slices(unittest.TestCase):
    def start(self, command, arguments):
        return subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, check=False,
                              env=support.environment(), timeout=120)

    def row(self, command, *arguments):
        done = self.start(command, arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        row = json.loads(done.stdout)
        self.assertEqual(schema_check.problems(row, RESULT), [])
        return row

    def ours(self, engine):
        return [support.OURO, "bench", "slices", "--json", "-", "--engine", engine]

    def everybody(self):
        yield "cpython", [support.PYTHON, "-I", "-S", SCRIPT]
        for engine in engines("concurrent-sync", "snapshot-sync"):
            yield engine, self.ours(engine)

    def test_everybody_does_the_same_and_times_each_slice(self):
        for name, command in self.everybody():
            for more in ((), ("--shuffled",)):
                with self.subTest(name=name, more=more):
                    row = self.row(command, *SIZE, *more)
                    self.assertEqual(row["places_checksum"], places_checksum(LIVE // 4, SEED, bool(more)))
                    self.assertEqual((row["live_objects"], row["mutator_ops"], row["slices"]["operations"]),
                                     (LIVE // 4 * 4, (SLICES - WARMUP) * SLICE, SLICE))
                    samples, wall = row["slice_samples_ns"], row["slices"]["wall"]
                    self.assertEqual((len(samples), row["slices"]["warmup"]), (SLICES, WARMUP))
                    timed = sorted(samples[WARMUP:])
                    self.assertEqual((wall["p50_ns"], wall["p99_ns"], wall["max_ns"]),
                                     (timed[math.ceil(len(timed) * 0.5) - 1], timed[math.ceil(len(timed) * 0.99) - 1],
                                      timed[-1]))
                    self.assertTrue(0 < sum(timed) == row["run_ns"] < row["wall_ns"])
                    self.assertIsNone(row["heap_limit_bytes"])
                    own, collections = row["own_pauses"], row["collections"]
                    self.assertEqual(own["count"] > 0, name != "off")
                    self.assertLessEqual(own["total_ns"], row["run_ns"])
                    self.assertEqual(sum(each["count"] for each in collections.values()) > 0, name != "off")

    def test_young_collections_are_as_many(self):
        counts = [self.row(command, *SIZE)["collections"]["young"]["count"]
                  for name, command in self.everybody() if name in ("cpython", "stw")]
        self.assertAlmostEqual(*counts, delta=2)

    def test_without_a_collector_all_that_was_replaced_waits(self):
        row = self.row(self.ours("off"), *SIZE)
        self.assertEqual(row["backlog_max"], SLICES * SLICE * 4)
        self.assertLess(self.row(self.ours("stw"), *SIZE)["backlog_max"], row["backlog_max"] / 2)

    def test_nothing_but_the_slices_after_the_warm_up_counts(self):
        for _, command in (("cpython", [support.PYTHON, "-I", "-S", SCRIPT]), ("stw", self.ours("stw"))):
            few = self.row(command, *SIZE[:4], "--warmup", SLICES - 1, *SIZE[6:])
            self.assertEqual(few["mutator_ops"], SLICE)
            self.assertEqual(set(few["slices"]["wall"].values()), {few["slice_samples_ns"][-1]})
            self.assertLessEqual(few["own_pauses"]["count"], 1)
            self.assertEqual(few["run_ns"], few["slice_samples_ns"][-1])

    def test_a_table_can_be_read(self):
        done = self.start([support.OURO, "bench", "slices"], SIZE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for part in ("slices {", "a slice", "p99.9", "collections, full"):
            self.assertIn(part, done.stdout)

    def test_bad_arguments_end_with_status_2(self):
        for name, command in (("cpython", [support.PYTHON, "-I", "-S", SCRIPT]), ("ours", self.ours("stw"))):
            for arguments, flag in (((*SIZE, "--warmup", SLICES), "--warmup"), ((*SIZE, "--live", 3), "--live"),
                                    ((*SIZE, "--slice", 0), "--slice"), ((*SIZE, "--live", "x"), "--live"),
                                    ((*SIZE, "--what", 1), "--what")):
                done = self.start(command, arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""), (name, arguments, done.stderr))
                self.assertIn(flag, done.stderr)


if __name__ == "__main__":
    unittest.main()
