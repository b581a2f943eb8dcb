import json
import os
import subprocess
import unittest

import support
import schema_check

PEERS = support.ROOT / "experiments" / "peers" / "cpython"


@unittest.skipUnless(os.access(support.OURO, os.X_OK), "the ouro command is not built")
class Shapes(unittest.TestCase):
    def both(self, workload, *arguments):
        """(ours, the peer's) rows of a workload, checked."""
        script = PEERS / (workload.replace("-", "_") + ".py")
        rows = []
        for command in ([support.OURO, "bench", workload, *arguments, "--json", "-"],
                        [support.PYTHON, "-I", "-S", script, *arguments]):
            done = subprocess.run(command, capture_output=True, text=True, check=False,
                                  env=support.environment())
            self.assertEqual((done.returncode, done.stderr), (0, ""), command)
            rows.append(json.loads(done.stdout))
            self.assertEqual(schema_check.problems(
                rows[-1], schema_check.load("result.schema.json")), [])
        ours, theirs = rows
        for key in ("workload", "params", "live_objects", "mutator_ops"):
            self.assertEqual(ours[key], theirs[key], key)
        return ours, theirs

    def test_cycles_are_collected_whole(self):
        for cycles, links, collections in ((1, 1, 1), (100, 20, 7), (3, 1000, 2)):
            ours, theirs = self.both("gc-collect", "--cycles", str(cycles), "--links", str(links),
                                     "--collections", str(collections))
            objects = cycles * (links + 1)
            self.assertEqual((ours["live_objects"], ours["collected"]), (objects, objects))
            self.assertGreaterEqual(theirs["collected"], objects)
            for row in (ours, theirs):
                self.assertEqual(len(row["garbage_collect_samples_ns"]), collections)
                # One before each of those that are measured and of the first.
                self.assertEqual(row["pauses"]["count"], 2 * (collections + 1))

    def test_nested_lists_are_alive(self):
        for levels, collections in ((1, 1), (2, 2), (300, 5)):
            ours, theirs = self.both("gc-traversal", "--levels", str(levels),
                                     "--collections", str(collections))
            self.assertEqual(ours["references"], sum(range(levels)))
            self.assertEqual(theirs["references"], ours["references"])
            for row in (ours, theirs):
                self.assertEqual((row["live_objects"], row["collected"]), (levels, 0))
                self.assertEqual(len(row["live_collect_samples_ns"]), collections)
                self.assertEqual(row["pauses"]["count"], collections + 1)

    def test_the_heap_has_the_objects_that_the_row_says(self):
        # The collector's own account of what it saw.
        for arguments, objects in ((("gc-traversal", "--levels", "50"), 50),
                                   (("gc-collect", "--cycles", "5", "--links", "9"), 50)):
            done = subprocess.run([support.OURO, "bench", *arguments, "--collections", "1", "--log",
                                   "gc", "--json", "/dev/null"], capture_output=True, text=True,
                                  check=True, env=support.environment())
            last = done.stderr.splitlines()[-1]
            self.assertIn(f" {objects} objects, ", last)

    def test_bad_arguments_end_with_status_2(self):
        for script, arguments in (("gc_collect.py", ("--cycles", "0", "--links", "1")),
                                  ("gc_collect.py", ("--cycles", "5")),
                                  ("gc_traversal.py", ("--levels", "x")),
                                  ("gc_traversal.py", ("--level", "5"))):
            done = subprocess.run([support.PYTHON, "-I", "-S", PEERS / script, *arguments],
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn(script, done.stderr)


if __name__ == "__main__":
    unittest.main()
