import json
import subprocess
import unittest

from command import HEAPGRAPH, PYTHON, CommandTest, ouro

PROGRAM = '''
class Node:
    __slots__ = ("next", "payload")

class Plain:
    pass

ring = [Node() for _ in range(300)]
for i, node in enumerate(ring):
    node.next = ring[(i + 1) % len(ring)]
    node.payload = {"number": i, "text": "t" * i, i: (i, [i])}
plain = Plain()
plain.itself = plain
plain.set = {frozenset([(1, 2)]), "x"}
deep = ()
for i in range(50):
    deep = (deep, [deep])
'''


class Captured(CommandTest):
    def setUp(self):
        super().setUp()
        program = self.directory / "program.py"
        program.write_text(PROGRAM)
        self.heap = self.directory / "program.heap"
        subprocess.run([PYTHON, str(HEAPGRAPH), "-o", str(self.heap), "--collections", "2",
                        str(program)], check=True, timeout=120)
        told = subprocess.run([PYTHON, str(HEAPGRAPH), "--describe", str(self.heap), "--json"],
                              check=True, capture_output=True, text=True, timeout=120)
        self.description = json.loads(told.stdout)

    def test_everything_tracked_is_alive_and_one_root_besides(self):
        for more in ((), ("--refcount", "atomic"), ("--verify", "on"), ("--shuffled",),
                     ("--shuffled", "--seed", 7)):
            with self.subTest(more=more):
                row = self.bench("--file", self.heap, "--collections", 2, *more)
                tracked = row["capture"]["tracked_objects"]
                self.assertGreater(tracked, 1200)
                self.assertEqual(row["live_objects"], tracked + 1)
                # The ring holds itself when the root is gone, and nothing is collected twice.
                self.assertGreaterEqual(row["collected"], 300)
                self.assertLessEqual(row["collected"], tracked)
                self.assertEqual(row["params"]["file"], str(self.heap))
                self.assertEqual(row["params"]["shuffled"], "--shuffled" in more)
                self.assertEqual(row["kinds"], self.description["kinds"])
                self.assertEqual(row["containers"], self.description["containers"])
                self.assertEqual(row["references"], self.description["references"])
                self.assertEqual(row["captured_container_bytes"],
                                 self.description["container_bytes"])
                # A header, and at least what the references need.
                self.assertGreater(row["container_bytes"],
                                   16 * row["containers"] + 8 * row["references"])
                self.assertLess(row["container_bytes"], 2 * row["heap_bytes"])
                self.assertEqual(len(row["live_collect_samples_ns"]), 2)

    def test_all_of_it_dies_beside_which_a_mutator_ran(self):
        told = ouro("bench", "touch", "--file", self.heap, "--seconds", 1, "--json", "-")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertGreater(json.loads(told.stdout.splitlines()[-1])["live_objects"], 1200)

    def test_its_order_is_random_only_if_asked_for(self):
        for more in ("--objects", "--degree"):
            self.refused("bench", "graph", "--file", self.heap, more, 3, names=(more, "--file"))

    def test_it_carries_the_captures_own_times(self):
        collect = self.bench("--file", self.heap)["capture"]["collect"]
        self.assertEqual(len(collect["samples_ns"]), 2)
        self.assertIn(str(collect["median_ns"]), json.dumps(self.description))

    def test_a_file_cut_or_changed_anywhere_is_refused_with_the_offset(self):
        whole = self.heap.read_bytes()
        damaged = self.directory / "damaged.heap"
        for position in range(0, len(whole), max(1, len(whole) // 40)):
            for content in (whole[:position],
                            whole[:position] + bytes([whole[position] ^ 0x10]) +
                            whole[position + 1:]):
                damaged.write_bytes(content)
                done = ouro("bench", "graph", "--file", damaged, "--json", "-")
                self.assertEqual((done.returncode, done.stdout), (2, ""), position)
                self.assertRegex(done.stderr,
                                 r"^ouro: .*damaged\.heap: offset [0-9]+: found .*, expected ")


if __name__ == "__main__":
    unittest.main()
