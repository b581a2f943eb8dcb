"""heap_file.py reads what it wrote, and refuses a file cut anywhere or with any bit changed."""
# not with a sanitizer: runs nothing of the build

import io
import os
import random
import sys
import tempfile
import types
import unittest
from contextlib import redirect_stdout

from capture_support import HEAPGRAPH, Workshop, heap_file, interpreters


class Point:
    __slots__ = ("x",)


def small_graph():
    """A graph as heapgraph.Graph makes it: a list [dict, text, Point], a dict {text: list}."""
    text, pair, items, point = "text", {}, [], Point()
    pair[text] = items
    items += [pair, text, point]
    return types.SimpleNamespace(
        objects=[items, pair, point, text, Point], tracked=3, starts=[0, 3, 5, 6, 6, 6],
        refs=[1, 3, 2, 3, 0, 4], external=[2, 0, 0, 0, 1], immortal=bytes(5),
        deferred=bytes([0, 0, 0, 0, 1]))


METADATA = {
    "python": {"version": "3.11.2", "implementation": "CPython", "free_threaded": False},
    "program": {"path": None, "module": "m", "args": []}, "platform": {"system": "here"},
    "collect": {"first_ns": 2, "samples_ns": [1], "median_ns": 1}, "tracked_objects": 3,
    "assumed_external": 0,
}


class ADamagedHeapFileIsNotDescribed(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = os.path.join(directory.name, "x.heap")
        self.graph = small_graph()
        heap_file.write_heap(self.path, self.graph, METADATA)
        self.assertEqual(os.listdir(directory.name), ["x.heap"])
        with open(self.path, "rb") as file:
            self.bytes = file.read()

    def test_what_is_written_is_read(self):
        heap = heap_file.read_heap(self.path)
        self.assertEqual(heap["metadata"], dict(METADATA, not_recorded={
            "weak_references": 0, "finalizers": 0}))
        objects = self.graph.objects
        order = sorted(range(5), key=lambda old: id(objects[old]))
        at, read = 0, {}
        for new, old in enumerate(order):
            end = at + heap["degrees"][new]
            read[old] = [order[ref] for ref in heap["references"][at:end]]
            at = end
            self.assertEqual(heap["types"][heap["type_of"][new]].split(".")[-1],
                             type(objects[old]).__name__)
            self.assertEqual(heap["sizes"][new], sys.getsizeof(objects[old]))
            self.assertEqual(heap["external"][new], self.graph.external[old])
            self.assertEqual(heap["flags"][new], (old < 3) + 4 * (old == 4))
            self.assertEqual(heap_file.KINDS[heap["kinds"][new]],
                             ("list", "dict", "instance", "leaf", "instance")[old])
        self.assertEqual(read, {0: [1, 3, 2], 1: [3, 0], 2: [4], 3: [], 4: []})
        with redirect_stdout(io.StringIO()) as text:
            heap_file.describe(heap, False)
        self.assertIn("program  -m m", text.getvalue())
        self.assertIn("5, of them 3 tracked; 6 references", text.getvalue())

    def refused(self, data):
        with open(self.path, "wb") as file:
            file.write(data)
        with self.assertRaisesRegex(heap_file.HeapFileError, "x.heap: offset [0-9]+: found .*"):
            heap_file.read_heap(self.path)

    def test_a_file_cut_anywhere(self):
        for length in range(len(self.bytes)):
            self.refused(self.bytes[:length])
        self.refused(self.bytes + b"\0")

    def test_every_single_bit(self):
        for bit in range(8 * len(self.bytes)):
            changed = bytearray(self.bytes)
            changed[bit // 8] ^= 1 << bit % 8
            self.refused(changed)

    def test_many_bytes_at_random(self):
        chance = random.Random(5)
        for _ in range(500):
            start = chance.randrange(len(self.bytes))
            size = chance.randrange(1, 64)
            changed = bytearray(self.bytes)
            changed[start:start + size] = bytes(chance.randrange(256) for _ in range(size))
            if changed != self.bytes:
                self.refused(changed)

    def test_contents_that_do_not_fit(self):
        for change in ({"starts": [0, 4, 5, 6, 6, 6]},  # a dict with one reference
                       {"starts": [0, 3, 5, 5, 6, 6]},  # a leaf with one
                       {"tracked": 2}, {"tracked": 4}):
            with self.subTest(change=change):
                graph = small_graph()
                vars(graph).update(change)
                heap_file.write_heap(self.path, graph, METADATA)
                with self.assertRaisesRegex(heap_file.HeapFileError, "found .*expected"):
                    heap_file.read_heap(self.path)

    def test_the_command_says_so(self):
        with Workshop() as workshop:
            with open(os.path.join(workshop.path, "x.heap"), "wb") as file:
                file.write(self.bytes[:-3])
            done = workshop.run(interpreters()[0], HEAPGRAPH, "--describe", "x.heap")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, "^heapgraph: error: x.heap: offset [0-9]+: found .*\n$")


if __name__ == "__main__":
    unittest.main()
