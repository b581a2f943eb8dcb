"""heapgraph.py --serve keeps a program's heap alive, and answers each request with one JSON line."""
# not with a sanitizer: runs nothing of the build

import json
import os
import unittest

from capture_support import HEAPGRAPH, Heap, Workshop, interpreters

# 2000 objects in cycles of two, and 500 lists that no cycle holds.
PROGRAM = """
import sys
class Node:
    __slots__ = ("other",)
kept = []
for _ in range(1000):
    a, b = Node(), Node()
    a.other, b.other = b, a
    kept.append(a)
lists = [[] for _ in range(500)]
del a, b
def holds_its_globals(): pass
print("printed", repr(sys.stdin.read()))
"""


class AServedHeapIsCollectedOnRequest(unittest.TestCase):
    def test_collected_captured_dropped(self):
        for python in interpreters():
            with self.subTest(python=python), Workshop() as workshop:
                program = workshop.write("p.py", PROGRAM)
                answers, printed = workshop.serve(
                    python, program, "collect", "collect 3", "capture a b.heap", "collect 2",
                    "capture c.heap", "drop", "collect", "capture d.heap", "describe", "quit")
                self.assertEqual(printed, "printed ''\n")
                self.assertEqual([each["answer"] for each in answers], [
                    "ready", "collect", "collect", "capture", "collect", "capture", "drop",
                    "collect", "capture", "describe", "quit"])
                ready, once, thrice, first, twice, second, dropped, after, third, about, _ = answers
                for times, count in ((once, 1), (thrice, 3), (twice, 2), (after, 1)):
                    self.assertEqual(len(times["wall_ns"]), count)
                    self.assertEqual(len(times["cpu_ns"]), count)
                    self.assertGreater(min(times["wall_ns"]), 0)
                    self.assertEqual(times["collected"], [0] * count)
                self.assertEqual(ready["program"]["path"], program)
                self.assertEqual(ready["program"]["exit_status"], 0)
                self.assertGreater(ready["program_ns"], 0)

                heap, again = (Heap(os.path.join(workshop.path, name))
                               for name in ("a b.heap", "c.heap"))
                self.assertEqual(first["file_bytes"],
                                 os.stat(os.path.join(workshop.path, "a b.heap")).st_size)
                self.assertEqual(len(heap.of_type("__main__.Node")), 2000)
                self.assertEqual(
                    (first["objects"], first["tracked_objects"], first["references"]),
                    (len(heap), heap.metadata["tracked_objects"], heap.starts[-1]))
                self.assertEqual(heap.metadata["collect"]["first_ns"], ready["first_ns"])
                self.assertEqual(heap.metadata["collect"]["samples_ns"], first["samples_ns"])
                self.assertEqual(len(first["samples_ns"]), 5)
                self.assertLessEqual(abs(len(heap) - len(again)), 3)
                self.assertLessEqual(abs(heap.metadata["tracked_objects"] -
                                         ready["tracked_objects"]), 3)

                before, between, left = (dropped["tracked_objects" + suffix]
                                         for suffix in ("_before", "_between", ""))
                self.assertLessEqual(abs(before - ready["tracked_objects"]), 3)
                self.assertGreaterEqual(before - between, 500)
                self.assertLess(before - between, 520)
                self.assertGreaterEqual(dropped["collected"], 2000)
                self.assertGreaterEqual(between - left, 2000)
                self.assertLess(between - left, 2020)
                gone = Heap(os.path.join(workshop.path, "d.heap"))
                self.assertEqual(gone.of_type("__main__.Node"), [])
                self.assertLessEqual(abs(third["tracked_objects"] - left), 3)
                self.assertTrue(about["dropped"])
                self.assertLessEqual(abs(about["tracked_objects"] - left), 3)
                self.assertGreater(about["rss_peak_bytes"], about["rss_bytes"] / 2)

    def test_modules_of_the_program_are_dropped(self):
        for python in interpreters():
            with self.subTest(python=python), Workshop() as workshop:
                workshop.write("other.py", "class Thing: pass\n"
                                           "things = [Thing() for _ in range(300)]\n")
                program = workshop.write("p.py", "import other\n")
                (_, dropped, _), _ = workshop.serve(python, program, "drop", "capture o.heap")
                heap = Heap(os.path.join(workshop.path, "o.heap"))
                self.assertEqual(heap.of_type("other.Thing"), [])
                self.assertGreaterEqual(
                    dropped["tracked_objects_before"] - dropped["tracked_objects"], 300)

    def test_what_cannot_be_done_changes_nothing(self):
        with Workshop() as workshop:
            program = workshop.write("p.py", "import os\nos.mkdir('d')\nos.chdir('d')\nx = [[]]\n")
            bad = (("colect", "found 'colect'; requests: collect [N], capture PATH, drop,"),
                   ("", "found ''"), ("collect 0", "a number from 1 to 100000"),
                   ("collect -1", "a number from"), ("collect 100001", "a number from"),
                   ("collect \u0662", "a number from"), ("collect 1 2", "a number from"),
                   ("capture", "the path of the file"), ("describe all", "takes nothing"),
                   ("capture no/such.heap", "no/such.heap: cannot be written: No such file"),
                   ("capture .", "was not written: "),
                   ('caf\u00e9 "\U0001F40D\\', "found 'caf\u00e9 \"\U0001F40D"),
                   ("x" * 70000, "a line of more than 65536 bytes"))
            requests = [request for each, _ in bad for request in (each, "collect")]
            answers, _ = workshop.serve(interpreters()[0], program, *requests, "capture o.heap",
                                        "drop", "drop")
            self.assertEqual(len(answers), len(requests) + 4)
            for number, (request, message) in enumerate(bad):
                error, collect = answers[1 + 2 * number:3 + 2 * number]
                self.assertEqual(error["answer"], "error")
                self.assertEqual(error["request"], None if len(request) > 65536 else request)
                self.assertIn(message, error["error"])
                self.assertEqual(collect["answer"], "collect")
            self.assertEqual([each["answer"] for each in answers[-3:]], ["capture", "drop", "error"])
            self.assertEqual(sorted(os.listdir(workshop.path)), ["d", "o.heap", "p.py"])
            self.assertEqual(os.listdir(os.path.join(workshop.path, "d")), [])

    def test_how_the_program_ends(self):
        for python in interpreters():
            with self.subTest(python=python), Workshop() as workshop:
                for leave, status in (("sys.exit()", 0), ("sys.exit(7)", 7), ("sys.exit('why')", 1)):
                    program = workshop.write("p.py", "import sys\nx = object()\n%s\n" % leave)
                    (ready, collect), _ = workshop.serve(python, program, "collect")
                    self.assertEqual(ready["program"]["exit_status"], status)
                    self.assertEqual(collect["collected"], [0])
                for text, error in (("1 / 0\n", "ZeroDivisionError: division by zero"),
                                    ("(\n", "SyntaxError: "),
                                    ("raise KeyboardInterrupt\n", "KeyboardInterrupt")):
                    program = workshop.write("p.py", text)
                    done = workshop.run(python, HEAPGRAPH, "--serve", program, text="collect\n")
                    self.assertNotEqual(done.returncode, 0)
                    answer = json.loads(done.stdout)
                    self.assertEqual((answer["answer"], answer["request"]), ("error", None))
                    self.assertIn("the program failed: " + error, answer["error"])
                    self.assertIn("p.py", done.stderr)

    def test_the_end_of_the_input_ends_it(self):
        with Workshop() as workshop:
            program = workshop.write("p.py", "import atexit\natexit.register(print, 'at the end')\n")
            for text, answers in (("", 1), ("collect", 2), ("collect\n", 2), ("quit\ncollect\n", 2)):
                done = workshop.run(interpreters()[0], HEAPGRAPH, "--serve", program, text=text)
                self.assertEqual((done.returncode, done.stderr), (0, "at the end\n"))
                self.assertEqual(len(done.stdout.splitlines()), answers)

    def test_a_forked_child_answers_nothing(self):
        with Workshop() as workshop:
            program = workshop.write("p.py", "import os, signal\npid = os.fork()\n"
                                     "if pid == 0: 1 / 0\n"
                                     "os.waitpid(pid, 0)\n"
                                     "if os.fork(): os.wait()\n"
                                     "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n")
            answers, _ = workshop.serve(interpreters()[0], program, "capture o.heap")
            self.assertEqual([each["answer"] for each in answers], ["ready", "capture"])

    def test_nothing_is_collected_unasked(self):
        for python in interpreters():
            with self.subTest(python=python), Workshop() as workshop:
                program = workshop.write("p.py", "import gc\ngc.set_threshold(1, 1, 1)\n"
                                         "def note(phase, _):\n"
                                         "    if phase == 'start': print('collecting')\n"
                                         "gc.callbacks.append(note)\n")
                _, printed = workshop.serve(python, program, "collect 4", *["describe"] * 100)
                collections = printed.count("collecting")
                self.assertGreaterEqual(collections, 5)  # the first, and four that were asked for
                self.assertLess(collections, 30)  # and some before the program ended

    def test_a_collector_that_the_program_set_up(self):
        for python in interpreters():
            with self.subTest(python=python), Workshop() as workshop:
                program = workshop.write("p.py", "import gc\nfrozen = [[] for _ in range(400)]\n"
                                         "gc.freeze()\nlater = [[] for _ in range(300)]\n"
                                         "gc.disable()\ngc.set_threshold(5, 6, 7)\n")
                (ready, about, _), _ = workshop.serve(python, program, "describe", "capture o.heap")
                self.assertEqual(about["gc"]["threshold"][0], 5)
                self.assertFalse(about["gc"]["enabled"])
                self.assertGreater(about["gc"]["frozen"], 400)
                self.assertGreaterEqual(ready["tracked_objects"], 300)
                self.assertLess(ready["tracked_objects"], 400)  # the interpreter's are frozen too
                heap = Heap(os.path.join(workshop.path, "o.heap"))
                self.assertEqual(heap.metadata["gc"]["frozen"], about["gc"]["frozen"])
                self.assertFalse(heap.metadata["gc"]["enabled"])


if __name__ == "__main__":
    unittest.main()
