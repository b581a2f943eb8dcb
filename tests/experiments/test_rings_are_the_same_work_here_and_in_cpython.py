"""Threads that make nothing but garbage make the same of it in CPython, of a type in C and interpreted; what waits is
counted, and a run ends at the limit."""
import json
import os
import subprocess
import unittest

import support
import schema_check

SCRIPT = support.ROOT / "experiments" / "peers" / "cpython" / "rings.py"
RESULT = schema_check.load("result.schema.json")
RINGS, MADE = 3_001, 3_000 * 4 + 2
HEADERS = subprocess.run([support.PYTHON, "-c", "import sysconfig; print(sysconfig.get_path('include'))"],
                         capture_output=True, text=True, check=False).stdout.strip()
COMPILES = os.path.exists(f"{HEADERS}/Python.h") and os.access("/usr/bin/cc", os.X_OK)


class Rings(unittest.TestCase):
    def start(self, *arguments):
        return subprocess.run([support.PYTHON, "-I", "-S", SCRIPT, *map(str, arguments)], capture_output=True,
                              text=True, check=False, timeout=120)

    def row(self, *arguments):
        done = self.start(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        row = json.loads(done.stdout)
        self.assertEqual(schema_check.problems(row, RESULT), [])
        return row

    def kinds(self):
        return [["--interpreted"]] + [[]] * COMPILES

    def test_every_ring_is_made_and_becomes_garbage(self):
        for kind in self.kinds():
            for threads in (1, 3):
                with self.subTest(kind=kind, threads=threads):
                    row = self.row(*kind, "--threads", threads, "--rings", RINGS)
                    self.assertEqual((row["threads"], row["mutator_ops"], row["made_unreachable"]),
                                     (threads, threads * RINGS, threads * MADE))
                    self.assertEqual((row["live_objects"], row["stopped_at_limit"]), (threads * 6, False))
                    self.assertGreaterEqual(row["backlog_max"], row["collected"])
                    self.assertLessEqual(row["backlog_max"], threads * MADE)
                    self.assertAlmostEqual(row["operations_per_s"] * row["run_ns"] / 1e9, row["mutator_ops"], delta=1)

    def test_one_thread_waits_for_no_more_than_the_threshold(self):
        for kind in self.kinds():
            row = self.row(*kind, "--rings", RINGS, "--threshold", 1000)
            self.assertTrue(900 < row["backlog_max"] < 1500, row["backlog_max"])

    def test_all_threads_stop_at_the_limit(self):
        for kind in self.kinds():
            row = self.row(*kind, "--threads", 3, "--rings", 1_000_000, "--dead-limit", 1_000)
            self.assertTrue(row["stopped_at_limit"])
            self.assertGreaterEqual(row["backlog_max"], 1_000)
            self.assertLess(row["mutator_ops"], 3_000_000)

    @unittest.skipUnless(COMPILES, "no compiler, or no headers of this interpreter")
    @unittest.skipUnless(os.access(support.OURO, os.X_OK), "the ouro command is not built")
    def test_ours_makes_as_many(self):
        done = subprocess.run([support.OURO, "bench", "rings", "--threads", "2", "--rings", str(RINGS), "--json", "-"],
                              capture_output=True, text=True, check=True, env=support.environment())
        ours, theirs = json.loads(done.stdout), self.row("--threads", 2, "--rings", RINGS)
        for key in ("made_unreachable", "mutator_ops", "live_objects", "threads"):
            self.assertEqual(ours[key], theirs[key], key)
        self.assertEqual(ours["params"], {key: theirs["params"][key] for key in ours["params"]})

    def test_what_cannot_be_is_refused(self):
        for arguments, message in ((("--threads", 0), "at least 1"), (("--rings", "x"), "a whole number"),
                                   (("--what",), "unknown argument")):
            done = self.start(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
