import array
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import support
import schema_check

GRAPH = support.ROOT / "experiments" / "peers" / "cpython" / "graph.py"
OURO = support.OURO


def peer(words, *arguments, stdin=True):
    command = [support.PYTHON, "-I", "-S", GRAPH, *arguments]
    data = array.array("I", words).tobytes() if words is not None else b""
    if stdin:
        return subprocess.run([*command, "--edges", "-"], input=data, capture_output=True)
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "edges"
        path.write_bytes(data)
        return subprocess.run([*command, "--edges", path], capture_output=True)


class Peer(unittest.TestCase):
    SIZE = ("--objects", "1000", "--degree", "2", "--seed", "3", "--collections", "4")
    RING = [(i + 1 + j) % 1000 for i in range(1000) for j in range(2)]

    def row(self, done):
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return json.loads(done.stdout)

    def test_a_ring_is_collected_whole(self):
        for from_pipe in (True, False):
            row = self.row(peer(self.RING + list(range(1000)), *self.SIZE, stdin=from_pipe))
            self.assertEqual(schema_check.problems(
                row, schema_check.load("result.schema.json")), [])
            self.assertEqual((row["live_objects"], row["collected"]), (1000, 1000))
            self.assertEqual((row["collected_alive"], row["freed_by_counting"]), (0, 0))
            self.assertEqual(len(row["live_collect_samples_ns"]), 4)
            self.assertEqual(row["pauses"]["count"], 6)
            # The nodes, the root list, and the class with what belongs to it: no edges.
            self.assertLess(row["tracked_objects"] - 1000, 30)

    def test_what_hangs_on_the_root_alone_dies_by_counting(self):
        # All refer to node 0, and node 0 to itself: one object is a cycle, the others are not.
        row = self.row(peer([0] * 2000 + list(reversed(range(1000))), *self.SIZE, "--shuffled"))
        self.assertEqual((row["collected"], row["freed_by_counting"]), (1, 999))
        self.assertTrue(row["params"]["shuffled"])

    def test_edges_that_end_early_or_go_on_are_refused(self):
        for words, message in ((self.RING[:-1], b"the edges end after 7996 bytes"),
                               (self.RING, b"the edges end after 0 bytes"),
                               (self.RING + list(range(1001)), b"the edges go on")):
            done = peer(words, *self.SIZE)
            self.assertEqual((done.returncode, done.stdout), (1, b""))
            self.assertIn(message, done.stderr)

    def test_bad_arguments_end_with_status_2(self):
        for arguments in (("--objects", "x"), ("--objects",), ("--what", "1"),
                          ("--objects", "5", "--degree", "1"),
                          ("--objects", "0", "--degree", "1", "--seed", "1")):
            done = peer(None, *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, b""), arguments)

    @unittest.skipUnless(os.access(OURO, os.X_OK), "the ouro command is not built")
    def test_ours_collects_as_many_of_the_same_graph(self):
        for more in ((), ("--shuffled",), ("--mutate", "40", "--collections", "3"),
                     ("--shuffled", "--mutate", "40", "--collections", "3")):
            graph = ["--objects", "5000", "--degree", "3", "--seed", "11", *more]
            edges = subprocess.run([OURO, "edges", *graph], capture_output=True, check=True)
            theirs = subprocess.run([support.PYTHON, "-I", "-S", GRAPH, *graph, "--edges", "-"],
                                    input=edges.stdout, capture_output=True, check=True)
            ours = subprocess.run([OURO, "bench", "graph", *graph, "--json", "-"],
                                  capture_output=True, check=True)
            ours, theirs = json.loads(ours.stdout), json.loads(theirs.stdout)
            self.assertEqual(schema_check.problems(
                ours, schema_check.load("result.schema.json")), [])
            self.assertEqual(ours["collected"], theirs["collected"])


if __name__ == "__main__":
    unittest.main()
