# not with a sanitizer: runs what other tests do
import json
import shutil
import signal
import time
import unittest

import support
from support import ExperimentTest


class Interrupted(ExperimentTest):
    def setUp(self):
        super().setUp()
        # The 300-object graphs hang as long as there is a file `slow`, the others answer.
        self.slow = self.directory / "slow"
        self.slow.touch()
        self.ouro = self.directory / "ouro"
        self.ouro.write_text(support.STAND_IN.replace(
            '"BEHAVIOUR"', f'"hangs" if objects == 300 and os.path.exists("{self.slow}") else "ok"'))
        self.ouro.chmod(0o755)
        self.experiment = self.config(f'''
seed = 3
invocations = 3
[[workload]]
name = "graph"
objects = [100, 200, 300]
[[subject]]
name = "one"
ouro = "{self.ouro}"
''')

    def planned(self):
        """(invocation, objects, repeat) of each run, as an experiment that nothing stops makes them."""
        slow = self.slow.exists()
        self.slow.unlink(missing_ok=True)
        self.results, kept = self.directory / "undisturbed", self.results
        self.assertEqual(self.ouro_run(self.experiment).returncode, 0)
        order = [self.key(row) for row in self.rows()]
        shutil.rmtree(self.results)
        self.results = kept
        if slow:
            self.slow.touch()
        return order

    @staticmethod
    def key(row):
        return row["invocation"], row["objects"], row["repeat"]

    def interrupt(self, number):
        """Begins, and sends a signal while the first slow run hangs. The rows that there are."""
        runner = self.start_run(self.experiment)
        pids = self.directory / "ouro.pids"
        limit = time.monotonic() + 60
        while time.monotonic() < limit and not (pids.exists() and pids.read_text().count("\n")):
            time.sleep(0.05)
        runner.send_signal(number)
        printed, _ = runner.communicate(timeout=60)
        for pid in pids.read_text().split()[:1 if number == signal.SIGKILL else 2]:
            limit = time.monotonic() + 10
            while support.is_running(pid) and time.monotonic() < limit:
                time.sleep(0.05)
            self.assertFalse(support.is_running(pid), "what it started goes with it")
        return runner.returncode, printed

    def test_a_signal_loses_nothing_that_finished(self):
        order = self.planned()
        first_slow = [objects for _, objects, _ in order].index(300)
        for number in (signal.SIGINT, signal.SIGTERM):
            status, printed = self.interrupt(number)
            self.assertEqual(status, 130, printed)
            self.assertIn("--resume goes on", printed)
            rows = self.rows()
            self.assertEqual([self.key(row) for row in rows], order[:first_slow + 1])
            self.assertEqual([row["status"] for row in rows], ["ok"] * first_slow + ["interrupted"])
            self.assertFalse(self.meta()["complete"])
            shutil.rmtree(self.results)
            (self.directory / "ouro.pids").unlink()

    def test_it_goes_on_exactly_where_it_stopped(self):
        order = self.planned()
        for number in (signal.SIGINT, signal.SIGKILL):
            with self.subTest(number):
                self.interrupt(number)
                before = self.rows()
                self.slow.unlink()
                done = self.ouro_run(self.experiment, "--resume")
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                rows = self.rows()
                self.assertEqual(rows[:len(before)], before)
                finished = [row for row in rows if row["status"] == "ok"]
                self.assertEqual([self.key(row) for row in finished], order)
                self.assertEqual([row["run"] for row in finished], list(range(len(order))))
                self.assertEqual([row["row"] for row in rows], list(range(len(rows))))
                meta = self.meta()
                self.assertTrue(meta["complete"])
                self.assertEqual(len(meta["sessions"]), 2)
                # Nothing is left, and nothing happens.
                done = self.ouro_run(self.experiment, "--resume")
                self.assertEqual(done.returncode, 0)
                self.assertEqual(self.rows(), rows)
            shutil.rmtree(self.results)
            (self.directory / "ouro.pids").unlink()
            self.slow.touch()

    def test_half_a_row_is_cut_off_and_made_again(self):
        order = self.planned()
        self.slow.unlink()
        self.assertEqual(self.ouro_run(self.experiment).returncode, 0)
        path = self.results / "runs.jsonl"
        text = path.read_text()
        lines = text.splitlines(keepends=True)
        for keep, rest in ((5, lines[5][:40]), (5, lines[5][:-1]), (5, ""), (0, "{"), (0, "")):
            with self.subTest(keep=keep, rest=rest[:5]):
                path.write_text("".join(lines[:keep]) + rest)
                done = self.ouro_run(self.experiment, "--resume")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual("was not whole" in done.stdout, bool(rest))
                self.assertEqual([self.key(row) for row in self.rows()], order)
        # A row in the middle that is none is no end of a file.
        path.write_text("".join(lines[:3]) + "{half\n" + "".join(lines[4:]))
        done = self.ouro_run(self.experiment, "--resume")
        self.assertEqual(done.returncode, 2)
        self.assertIn("runs.jsonl:4: is not a row", done.stderr)

    def test_what_failed_is_made_again_only_if_asked(self):
        # A crash for as long as there is a file `slow`.
        self.ouro.write_text(support.STAND_IN.replace(
            '"BEHAVIOUR"',
            f'"status" if objects == 300 and os.path.exists("{self.slow}") else "ok"'))
        self.assertEqual(self.ouro_run(self.experiment).returncode, 1)
        rows = self.rows()
        self.assertEqual(sum(row["status"] == "failed" for row in rows), 6)
        self.slow.unlink()
        done = self.ouro_run(self.experiment, "--resume")
        self.assertEqual(done.returncode, 1, "they still have no result")
        self.assertEqual(self.rows(), rows)
        done = self.ouro_run(self.experiment, "--resume", "--retry")
        self.assertEqual(done.returncode, 0, done.stderr)
        again = self.rows()[len(rows):]
        self.assertEqual([row["run"] for row in again],
                         [row["run"] for row in rows if row["status"] == "failed"])
        self.assertEqual({row["status"] for row in again}, {"ok"})

    def test_another_experiment_is_not_mixed_in(self):
        self.slow.unlink()
        self.assertEqual(self.ouro_run(self.experiment).returncode, 0)
        lines = self.results.joinpath("runs.jsonl").read_text()
        other = self.config(self.experiment.read_text() + "# changed\n", "other.toml")
        self.assertIn("configuration file", self.refused(other))
        self.assertIn("seed was 3, now it is 4", self.refused(self.experiment, "--set", "seed=4"))
        self.assertIn("--set", self.refused(self.experiment, "--set", "invocations=2"))
        self.assertIn("subjects", self.refused(self.experiment, "--python", support.PYTHON))
        meta = json.loads((self.results / "meta.json").read_text())
        meta["machine"]["kernel"] = "0.1"
        (self.results / "meta.json").write_text(json.dumps(meta))
        self.assertIn("another machine (kernel", self.refused(self.experiment))
        self.ouro.write_text(self.ouro.read_text() + "# rebuilt\n")
        self.assertIn("rebuilt", self.refused(self.experiment))
        self.assertEqual(self.results.joinpath("runs.jsonl").read_text(), lines)

    def refused(self, *arguments):
        done = self.ouro_run(*arguments, "--resume")
        self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
        self.assertIn("cannot be resumed", done.stderr)
        return done.stderr

    def test_results_are_never_mixed_by_accident(self):
        self.slow.unlink()
        self.assertEqual(self.ouro_run(self.experiment).returncode, 0)
        done = self.ouro_run(self.experiment)
        self.assertEqual(done.returncode, 2)
        self.assertIn("already holds results", done.stderr)
        self.results = self.directory / "empty"
        done = self.ouro_run(self.experiment, "--resume")
        self.assertEqual(done.returncode, 2)
        self.assertIn("holds no results to go on with", done.stderr)
        self.assertFalse(self.results.exists())

    def test_two_cannot_write_in_one_place(self):
        runner = self.start_run(self.experiment)
        limit = time.monotonic() + 60
        while time.monotonic() < limit and not (self.directory / "ouro.pids").exists():
            time.sleep(0.05)
        done = self.ouro_run(self.experiment, "--resume")
        runner.send_signal(signal.SIGINT)
        runner.communicate(timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("another ouro run is writing there", done.stderr)


if __name__ == "__main__":
    unittest.main()
