"""What a program can see of its surroundings is the same under capture; its end decides whether a
file is written; wrong arguments are refused before it runs."""
# not with a sanitizer: runs nothing of the build

import json
import os
import unittest

from capture_support import HEAPGRAPH, Workshop, interpreters

SURROUNDINGS = """
import json, sys
import __main__ as main
print(json.dumps({
    "argv": sys.argv, "name": __name__, "file": __file__, "package": __package__,
    "path": sys.path, "main": main.__dict__ is globals(), "globals": sorted(globals()),
    "spec": __spec__ and __spec__.name, "cached": bool(__cached__),
    "loader": type(__loader__).__name__, "gc": "gc" in sys.modules, "doc": __doc__,
    "collects": __import__("gc").isenabled(),
}))
"""


class AProgramRunsUnderCaptureAsItWouldAlone(unittest.TestCase):
    maxDiff = None

    def compare(self, workshop, python, *words):
        alone = workshop.run(python, *words)
        self.assertEqual(alone.returncode, 0, alone.stderr)
        output, heap = workshop.capture(python, *words)
        self.assertEqual(json.loads(output), json.loads(alone.stdout))
        return heap.metadata

    def test_a_script(self):
        for python in interpreters():
            with self.subTest(python=python), Workshop() as workshop:
                workshop.write("deep/p.py", '"About."' + SURROUNDINGS)
                metadata = self.compare(workshop, python, "deep/p.py", "-o", "--help", "\xe9")
                self.assertEqual(metadata["program"], {
                    "path": "deep/p.py", "module": None, "args": ["-o", "--help", "\xe9"],
                    "exit_status": 0})

    def test_a_module_and_a_package(self):
        for python in interpreters():
            with self.subTest(python=python), Workshop() as workshop:
                workshop.write("one.py", SURROUNDINGS)
                workshop.write("pkg/__init__.py", "")
                workshop.write("pkg/__main__.py", SURROUNDINGS)
                metadata = self.compare(workshop, python, "-m", "one", "a")
                self.assertEqual(metadata["program"]["module"], "one")
                self.compare(workshop, python, "-m", "pkg", "--collections", "3")

    def test_what_the_metadata_say(self):
        with Workshop() as workshop:
            python = interpreters()[0]
            program = workshop.write("p.py", "import gc; gc.set_threshold(701, 11, 12)\nx = [[]]\n")
            done = workshop.run(python, HEAPGRAPH, "-o", "o.heap", "--collections", "3", program)
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            described = workshop.run(python, HEAPGRAPH, "--describe", "o.heap", "--json")
            about = json.loads(described.stdout)
            self.assertEqual(about["gc"], {"threshold": [701, 11, 12], "enabled": True, "frozen": 0})
            collect = about["collect"]
            self.assertEqual(len(collect["samples_ns"]), 3)
            self.assertEqual(collect["median_ns"], sorted(collect["samples_ns"])[1])
            self.assertEqual(len(collect["samples_cpu_ns"]), 3)
            self.assertGreater(collect["first_ns"], 0)
            version = workshop.run(python, "-c",
                                   "import platform; print(platform.python_version())")
            self.assertEqual(about["python"]["version"], version.stdout.strip())
            self.assertEqual(about["python"]["gc_head_bytes"], 16)
            self.assertEqual(sum(about["kinds"].values()), about["objects"])
            self.assertGreater(about["tracked_objects"], 1000)
            text = workshop.run(python, HEAPGRAPH, "--describe", "o.heap")
            self.assertIn("median", text.stdout)

    def test_system_exit_is_an_end(self):
        for python in interpreters():
            for leave, status in (("sys.exit()", 0), ("sys.exit(7)", 7), ("sys.exit('why')", 1)):
                with self.subTest(python=python, leave=leave), Workshop() as workshop:
                    program = workshop.write("p.py", "import sys\nx = object()\n%s\n" % leave)
                    _, heap = workshop.capture(python, program)
                    self.assertEqual(heap.metadata["program"]["exit_status"], status)

    def test_a_program_that_fails_leaves_no_file(self):
        for text in ("1 / 0\n", "(\n", "import heapgraph_is_not_here\n"):
            with self.subTest(text=text), Workshop() as workshop:
                program = workshop.write("p.py", text)
                done = workshop.run(interpreters()[0], HEAPGRAPH, "-o", "o.heap", program)
                self.assertEqual(done.returncode, 1)
                self.assertIn("p.py", done.stderr)
                self.assertEqual(os.listdir(workshop.path), ["p.py"])

    def test_a_failing_program_leaves_an_older_file_alone(self):
        with Workshop() as workshop:
            workshop.write("o.heap", "as it was")
            program = workshop.write("p.py", "raise ValueError\n")
            workshop.run(interpreters()[0], HEAPGRAPH, "-o", "o.heap", program)
            with open(os.path.join(workshop.path, "o.heap"), encoding="utf-8") as file:
                self.assertEqual(file.read(), "as it was")

    def test_a_forked_child_writes_nothing(self):
        with Workshop() as workshop:
            program = workshop.write("p.py", "import os\npid = os.fork()\n"
                                     "if pid: print(os.waitpid(pid, 0)[1])\n")
            output, heap = workshop.capture(interpreters()[0], program)
            self.assertEqual(output, "0\n")
            self.assertGreater(len(heap), 0)

    def test_the_program_may_change_directory_and_break_its_surroundings(self):
        with Workshop() as workshop:
            program = workshop.write("p.py", "import os, sys, gc\nos.chdir('/')\nsys.argv.clear()\n"
                                     "del sys.modules['__main__']\ngc.disable()\n"
                                     "class Odd(type):\n"
                                     "    def __getattribute__(cls, name): raise RuntimeError\n"
                                     "    __hash__ = None\n"
                                     "class Thing(metaclass=Odd):\n"
                                     "    __class__ = property(lambda self: 1 / 0)\n"
                                     "    def __sizeof__(self): raise OSError\n"
                                     "    def __eq__(self, other): raise OSError\n"
                                     "sys.kept = [Thing()]\n")
            _, heap = workshop.capture(interpreters()[0], program)
            self.assertEqual(len(heap.of_type("__main__.Thing")), 1)

    def test_wrong_arguments_are_refused_before_anything_runs(self):
        with Workshop() as workshop:
            workshop.write("p.py", "open('ran', 'w')\n")
            for words, message in (
                    ((), "-o OUT.heap or --serve is missing"),
                    (("p.py",), "-o OUT.heap or --serve is missing"),
                    (("-o", "o.heap"), "the program to run is missing"),
                    (("--serve",), "the program to run is missing"),
                    (("--serve", "-o", "o.heap", "p.py"), "-o or --serve"),
                    (("--serve", "nothing.py"), "nothing.py: is not a file"),
                    (("-o",), "-o: needs a value"),
                    (("--out", "o.heap", "p.py"), "--out: is no option"),
                    (("-o", "o.heap", "--collections", "0", "p.py"), "a number from 1 to 1000"),
                    (("-o", "o.heap", "--collections", "many", "p.py"), "--collections many"),
                    (("-o", "o.heap", "nothing.py"), "nothing.py: is not a file"),
                    (("-o", "o.heap", "-m", "nothing"), "-m nothing"),
                    (("-o", "o.heap", "-m", "nothing.at.all"), "-m nothing.at.all"),
                    (("-o", "no/such/o.heap", "p.py"), "cannot be written"),
                    (("--describe", "nothing.heap"), "cannot be read"),
                    (("--describe", "p.py", "--yaml"), "--yaml")):
                with self.subTest(words=words):
                    done = workshop.run(interpreters()[0], HEAPGRAPH, *words)
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertIn(message, done.stderr)
                    self.assertEqual(done.stderr.count("\n"), 1)
                    self.assertEqual(os.listdir(workshop.path), ["p.py"])


if __name__ == "__main__":
    unittest.main()
