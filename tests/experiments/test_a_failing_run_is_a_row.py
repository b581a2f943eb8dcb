import contextlib
import io
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
import unittest.mock
from pathlib import Path

import support
import compare
import processes
import schema_check
from plan import Run, Subject, make_plan
from progress import Progress

BEHAVIOURS = {"status": ("failed", "ended with status 1"), "killed": ("failed", "SIGKILL"),
              "hangs": ("timeout", "not done after"), "rubbish": ("failed", "not JSON"),
              "lacks": ("failed", "lacks live_collect_ns"), "ok": ("ok", "")}


class Rows(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)

    def measure(self, programs, run=processes.run):
        """The rows of one run of each program, in this order."""
        subjects = [Subject(f"ouro-{name}", "ouro", str(path), "stw") for name, path in programs]
        done = []
        for subject in subjects:
            each = compare.Comparison("smoke", 1, [subject], subject.program, self.directory)
            each.plan = [Run(0, "graph", subject.name, 100, False, 3, 1, 0, 0.1)]
            with contextlib.redirect_stdout(io.StringIO()), \
                    unittest.mock.patch.object(processes, "run", run):
                self.assertTrue(each.measure(Progress(each.plan, each.kind)))
            done.append(each)
        return [json.loads(line)
                for line in (self.directory / "runs.jsonl").read_text().splitlines()]

    def test_whatever_a_run_does_it_is_a_row_and_the_rest_goes_on(self):
        def impatient(commands, timeout):
            return real(commands, min(timeout, 2.0 if "hangs" in commands[0][0] else 20.0))
        real = processes.run
        rows = self.measure([(name, support.stand_in(self.directory, name))
                             for name in BEHAVIOURS], impatient)
        schema = schema_check.load("run.schema.json")
        self.assertEqual(len(rows), len(BEHAVIOURS))
        for row, (name, (status, reason)) in zip(rows, BEHAVIOURS.items()):
            with self.subTest(name):
                self.assertEqual(schema_check.problems(row, schema), [])
                self.assertEqual(row["status"], status)
                self.assertIn(reason, row["reason"])
        self.assertEqual(rows[0]["stderr"].strip(), "no such thing")
        self.assertEqual(rows[-1]["result"]["live_objects"], 100)

    def test_a_program_that_is_not_there_is_a_row(self):
        row, = self.measure([("gone", self.directory / "nothing-here")])
        self.assertEqual(row["status"], "failed")
        self.assertIn("No such file", row["reason"])

    def test_a_heap_that_was_not_captured_is_skipped(self):
        ours = Subject("ouro-stw", "ouro", str(support.stand_in(self.directory)), "stw")
        each = compare.Comparison("smoke", 1, [ours], ours.program, self.directory)
        row = each.execute(Run(0, compare.HEAP, "ouro-stw", 0, False, 5, 1, 0, 0.1))
        self.assertEqual((row["status"], row["result"]), ("skipped", None))

    def test_the_environment_of_a_run_has_no_settings_of_ours(self):
        with unittest.mock.patch.dict(os.environ, {"OURO": "engine=off"}):
            outcome = processes.run([["/usr/bin/env"]], 20)
        self.assertNotIn("OURO=", outcome["stdout"])

    def test_ctrl_c_keeps_what_is_finished_and_draws_it(self):
        results = self.directory / "results"
        slow = self.directory / "ouro"
        # The 30,000-object graphs hang, the others answer: so something is finished and drawn.
        slow.write_text(support.STAND_IN.replace(
            '"BEHAVIOUR"', '"hangs" if objects == 30000 else "ok"'))
        slow.chmod(0o755)
        subjects = [Subject("ouro-stw", "ouro", str(slow), "stw"),
                    Subject("cpython", "cpython", support.PYTHON)]
        seed = next(seed for seed in range(100)
                    if self.something_ends_first(make_plan("smoke", subjects, seed)))
        driver = subprocess.Popen(
            [support.PYTHON, compare.__file__, "--ouro", slow, "--smoke", "-o", results,
             "--seed", str(seed)], env={**os.environ, "PATH": "/usr/bin"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        limit = time.monotonic() + 60
        while (driver.poll() is None and time.monotonic() < limit
               and not self.has_hung(results)):
            time.sleep(0.2)
        time.sleep(0.5)
        driver.send_signal(signal.SIGINT)
        printed, _ = driver.communicate(timeout=60)
        self.assertEqual(driver.returncode, 130, printed)
        rows = [json.loads(line) for line in (results / "runs.jsonl").read_text().splitlines()]
        self.assertEqual(rows[-1]["status"], "interrupted")
        self.assertTrue((results / "pause_vs_heap.png").is_file(), printed)
        self.assertFalse(json.loads((results / "meta.json").read_text())["complete"])
        self.assertIn("interrupted", (results / "tables.md").read_text())

    def something_ends_first(self, plan):
        """Whether a run of ours that gets drawn comes before the first that hangs."""
        ours = [run for run in plan if run.subject == "ouro-stw" and run.objects]
        first = [run.objects for run in ours].index(30000)
        return any(run.repeat == 0 for run in ours[:first])

    def has_hung(self, results):
        """Whether a run of ours has given a result and the driver now waits."""
        try:
            lines = (results / "runs.jsonl").read_text().splitlines()
        except OSError:
            return False
        if not any('"kind": "ouro"' in line and '"status": "ok"' in line for line in lines):
            return False
        age = time.time() - (results / "runs.jsonl").stat().st_mtime
        return age > 3


if __name__ == "__main__":
    unittest.main()
