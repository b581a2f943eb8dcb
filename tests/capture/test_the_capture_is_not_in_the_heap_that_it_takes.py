"""A captured heap has the objects that the interpreter has when it runs the program by itself."""
# not with a sanitizer: runs nothing of the build

import collections
import json
import os
import unittest

from capture_support import Heap, Workshop, heap_file, interpreters

# Compiling makes the node types of _ast, and the capture compiles the program in its process: here
# the program does so too.
PROGRAM = """
import gc, json, sys

def census():
    counts = {}
    for obj in gc.get_objects():
        cls = type(obj)
        name = cls.__qualname__
        if cls.__module__ != "builtins":
            name = cls.__module__ + "." + name
        counts[name] = counts.get(name, 0) + 1
    return counts

compile("1", "one", "exec")
gc.disable()
gc.collect()
print(json.dumps(census()))
"""


class TheCaptureIsNotInTheHeapThatItTakes(unittest.TestCase):
    def test_types_of_tracked_objects(self):
        for python in interpreters():
            with self.subTest(python=python), Workshop() as workshop:
                program = workshop.write("p.py", PROGRAM)
                alone = collections.Counter(json.loads(workshop.run(python, program).stdout))
                _, heap = workshop.capture(python, program)
                taken = collections.Counter(heap.type(obj) for obj in range(len(heap))
                                            if heap.tracked(obj))
                differences = {name: taken[name] - alone[name] for name in taken | alone
                               if taken[name] != alone[name]}
                # Alone, the census sees its own frame, dictionary and constants, and the function
                # and the compiler's list of the code that runs.
                self.assertLessEqual(sum(map(abs, differences.values())), 8, differences)

    def test_nothing_of_the_capture_is_named_or_held(self):
        for python in interpreters():
            with self.subTest(python=python), Workshop() as workshop:
                _, heap = workshop.capture(python, workshop.write("p.py", "kept = [[]]\n"))
                own = [name for name in heap.sections["types"]
                       if "heap" in name or "Graph" in name or "UsageError" in name]
                self.assertEqual(own, [])
                self.assertEqual(heap.of_type("frame"), [])
                self.assertEqual(heap.metadata["assumed_external"], 0)

    def test_the_server_is_not_either(self):
        for python in interpreters():
            with self.subTest(python=python), Workshop() as workshop:
                program = workshop.write("p.py", "import gc\nkept = [[]]\n")
                requests = ("capture 1.heap", "collect 3", "no \u20ac \U0001F40D request",
                            "describe", "capture no/where", "capture 2.heap")
                answers, _ = workshop.serve(python, program, *requests)
                self.assertEqual(len(answers), 1 + len(requests))
                self.assertLess(answers[0]["own_objects"], 300)

                def census(heap):
                    return collections.Counter(heap.type(obj) for obj in range(len(heap))
                                               if heap.tracked(obj))
                _, captured = workshop.capture(python, program)
                alone = census(captured)
                for name in ("1.heap", "2.heap"):
                    heap = Heap(os.path.join(workshop.path, name))
                    served = census(heap)
                    self.assertEqual({name: served[name] - alone[name] for name in served | alone
                                      if abs(served[name] - alone[name]) > 2}, {})
                    self.assertEqual([name for name in heap.sections["types"]
                                      if name.startswith("ouroboros")], [])
                    self.assertEqual(heap.metadata["assumed_external"], 0)

    def test_objects_are_numbered_once_and_flags_are_consistent(self):
        with Workshop() as workshop:
            _, heap = workshop.capture(interpreters()[0], workshop.write("p.py", "x = {}\n"))
            for obj in range(len(heap)):
                if heap.tracked(obj):
                    self.assertNotEqual(heap.kind(obj), "leaf")
                if heap.kind(obj) == "leaf":
                    self.assertEqual(heap.references(obj), [])
                if heap.has(obj, heap_file.IMMORTAL):
                    self.assertEqual(heap.external[obj], 0)


if __name__ == "__main__":
    unittest.main()
