"""Each program of experiments/capture/programs leaves a heap of what it says, as large as asked for,
and the same one at each run of the same interpreter."""
# not with a sanitizer: runs nothing of the build

import collections
import os
import re
import unittest

from capture_support import CAPTURE, Workshop, heap_file, interpreters

PROGRAMS = os.path.join(CAPTURE, "programs")


class Programs(unittest.TestCase):
    def captured(self, name, *arguments):
        """For each interpreter: the numbers that the program printed, its types' counts, its heap."""
        for python in interpreters():
            with Workshop() as workshop:
                program = os.path.join(PROGRAMS, name)
                printed, heap = workshop.capture(python, program, *arguments)
                again, other = workshop.capture(python, program, *arguments)
                self.assertEqual(printed, again)
                types = self.types(heap)
                self.assertEqual(types, self.types(other), python)
                self.assertEqual(heap.starts[-1], other.starts[-1], "references, " + python)
                self.assertEqual(heap.metadata["assumed_external"], 0, python)
                yield list(map(int, re.findall(r"\d+", printed))), types, heap

    @staticmethod
    def types(heap):
        """How many objects of each type there are; short names, since modules differ by version."""
        return collections.Counter(heap.type(obj).split(".")[-1] for obj in range(len(heap))
                                   if heap.kind(obj) != "leaf")

    def test_xml_dom(self):
        found = collections.defaultdict(list)
        for size in (20, 40):
            for (orders, nodes), types, heap in self.captured("xml_dom.py", "--orders", str(size)):
                self.assertEqual(orders, size)
                self.assertEqual(nodes, sum(types[name] for name in (
                    "Document", "Element", "Text", "Attr", "Comment")))
                self.assertGreater(heap.metadata["tracked_objects"], nodes)
                found[heap.metadata["python"]["version"]].append(nodes)
        for small, large in found.values():
            self.assertGreater(large, 1.5 * small)

    def test_another_seed_is_another_heap(self):
        seen = set()
        for seed in ("1", "2"):
            for (_, nodes), _, heap in self.captured("xml_dom.py", "--orders", "20", "--seed", seed):
                seen.add((heap.metadata["python"]["version"], nodes))
        self.assertEqual(len(seen), 2 * len({version for version, _ in seen}))

    def test_imports(self):
        for (modules, skipped), types, heap in self.captured("imports.py", "--modules", "60"):
            self.assertEqual(modules + skipped, 60)
            self.assertGreaterEqual(types["module"], modules)
            self.assertGreater(types["function"], 1000)

    def test_asyncio_tasks(self):
        for (tasks, waiting, failed), types, heap in self.captured(
                "asyncio_tasks.py", "--tasks", "300"):
            self.assertEqual((tasks, types["Task"], types["Job"]), (300, 300, 300))
            self.assertGreater(waiting, 50)
            self.assertGreater(failed, 50)
            self.assertGreaterEqual(types["coroutine"], 3 * waiting)
            self.assertEqual((types["JobError"], types["ZeroDivisionError"]), (failed, failed))
            self.assertGreaterEqual(types["traceback"], 5 * failed)
            self.assertGreaterEqual(types["frame"], 4 * failed)
            self.assertEqual(types["Future"], waiting)

    def test_the_loop_ends_in_silence(self):
        for python in interpreters():
            with Workshop() as workshop:
                done = workshop.run(python, os.path.join(PROGRAMS, "asyncio_tasks.py"), "--tasks",
                                    "100")
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_simulation(self):
        for (people, born, contracts), types, heap in self.captured(
                "simulation.py", "--people", "500"):
            self.assertEqual((people, born), (500, 625))
            self.assertEqual(types["Contract"], contracts)
            self.assertGreaterEqual(types["Person"], people)
            self.assertLessEqual(types["Person"], born)
            self.assertGreaterEqual(types["deque"], types["Person"])
            self.assertGreaterEqual(types["KeyedRef"], types["Person"])
            self.assertGreaterEqual(types["set"], 2 * types["Person"])
            self.assertGreaterEqual(types["Thing"], people)
            sets = [obj for obj in range(len(heap))
                    if heap_file.KINDS[heap.sections["kinds"][obj]] == "set"]
            self.assertGreater(sum(len(heap.references(obj)) for obj in sets), contracts)


if __name__ == "__main__":
    unittest.main()
