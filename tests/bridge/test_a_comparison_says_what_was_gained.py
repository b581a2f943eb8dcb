"""python -m ouroboros --compare runs a program under both collectors and tells the difference."""
# not with a sanitizer: runs nothing of the build
import json
import sys
import unittest

from package import LOAD, SOURCE, InADirectory, needs_package, python

sys.path.insert(0, str(SOURCE / "core/bridge/python"))
from ouroboros import observe  # noqa: E402


@needs_package
class AComparison(InADirectory):
    def test_both_are_run_in_turn_and_put_in_a_table(self):
        script = self.write("load.py", LOAD + "import sys\nprint('nobody sees this')\nassert sys.argv[1:] == ['--x']\n")
        path = self.directory / "compared.json"
        done = python("-m", "ouroboros", "--compare", "--runs", "2", "--json", path, script, "--x")
        self.assertNotIn("nobody", done.stdout)
        for head in ("longest pause, ms", "p99.9 pause, ms", "MMU(10 ms)", "wall, s", "CPU, s", "peak memory, MiB"):
            self.assertIn(head, done.stdout)
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        self.assertEqual([run["mode"] for run in found["runs"]], ["stock", "bridge", "bridge", "stock"])
        self.assertEqual(found["command"][-1], "--x")
        for run in found["runs"]:
            self.assertGreater(run["peak_bytes"], 2**20)
            self.assertGreater(run["pauses"], 10)
            self.assertGreater(run["wall_s"], 0)
        bridge = [run for run in found["runs"] if run["mode"] == "bridge"][0]
        # Two clocks of the same pauses.
        self.assertAlmostEqual(bridge["stats"]["pauses"]["all"]["total_s"] / bridge["stopped_s"], 1, delta=0.2)

    def test_a_program_that_fails_is_not_compared(self):
        done = python("-m", "ouroboros", "--compare", "-c", "raise SystemExit(3)", status=1)
        self.assertIn("under stock the program ended with status 3", done.stderr)
        done = python("-m", "ouroboros", "--compare", "-c", "import os; os._exit(0)", status=1)
        self.assertIn("atexit", done.stderr)

    def test_where_nothing_can_be_gained_it_says_so(self):
        self.assertIn("little to gain", python("-m", "ouroboros", "--compare", "--runs", "1", "-c", "pass").stdout)

    def test_what_cannot_be_written_is_said_in_a_line(self):
        short = ("-m", "ouroboros", "--compare", "--runs", "1", "--json", "/dev/full", "-c", "pass")
        done = python(*short, status=1)
        self.assertIn("little to gain", done.stdout)
        self.assertEqual(done.stderr.splitlines()[2:], ["ouroboros: --json /dev/full: No space left on device"])
        with open("/dev/full", "w", encoding="ascii") as full:
            done = python(*short, status=1, stdout=full)
        self.assertEqual(done.stderr.splitlines()[2:], ["ouroboros: No space left on device"])

    def test_a_program_that_clears_callbacks_is_noticed(self):
        done = python("-m", "ouroboros", "--compare", "--runs", "1", "-c", "import gc; gc.callbacks.clear()")
        self.assertIn("not all pauses were seen", done.stdout)


class Utilization(unittest.TestCase):
    def test_the_worst_window_is_found(self):
        for pauses, expected in (
                ([], 1.0),
                ([(0, 2)], 0.8),
                ([(0, 2), (8, 11)], 0.6),      # the window from 1 to 11
                ([(0, 30)], 0.0),
                ([(0, 2), (20, 21)], 0.8)):
            starts, ends = [start for start, _ in pauses], [end for _, end in pauses]
            self.assertAlmostEqual(observe.utilization(starts, ends, 10), expected, msg=pauses)


if __name__ == "__main__":
    unittest.main()
