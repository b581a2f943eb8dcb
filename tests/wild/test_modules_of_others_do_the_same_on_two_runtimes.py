"""Modules that others wrote print the same lines on CPython 3.11 and here, under any engine, with every collection
verified; and several threads at once, where there is a global lock.

# not with a sanitizer: the modules are not compiled with one
"""

import os
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = os.environ.get("OURO_WILD", "")
PAIRS = ("engine=stw,refcount=gil", "engine=incremental,refcount=atomic", "engine=local,refcount=gil",
         "engine=concurrent,refcount=biased", "engine=snapshot,refcount=biased")
# With fewer packages the sources were not fetched.
LEAST = 20
sys.path.insert(0, str(HERE))

import wild  # noqa: E402


class Wild(unittest.TestCase):
    def test_the_lines_of_each_package(self):
        names = {package["name"] for package in wild.packages()}
        for file in (HERE / "lines").iterdir():
            self.assertIn(file.stem, names, "lines of no package")

    def test_the_driver_itself(self):
        with tempfile.TemporaryDirectory() as place:
            theirs, ours = (wild.Runtime(name, place) for name in ("cpython", "ouroboros"))
            lines = HERE / "builtins.lines"
            expected = theirs.run({"name": "none"}, lines)
            self.assertEqual(expected.returncode, 0, expected.stderr)
            self.assertEqual(expected.stdout.count("raises"), 7)
            for threads in (1, 4):
                found = ours.run({"name": "none"}, lines, "refcount=biased,verify=on", threads)
                self.assertEqual(found.returncode, 0, found.stderr)
                if threads == 1:
                    self.assertEqual(found.stdout, expected.stdout)

    @unittest.skipUnless(SOURCES, "OURO_WILD does not say where wild.py has put the sources")
    def test_every_package(self):
        rows = [package for package in wild.packages()
                if wild.lines_of(package).is_file() and wild.source_of(package, SOURCES).is_dir()]
        self.assertGreaterEqual(len(rows), LEAST)
        with tempfile.TemporaryDirectory() as place:
            theirs, ours = runtimes = [wild.Runtime(name, place) for name in ("cpython", "ouroboros")]
            self.assertEqual(wild.compile_all(rows, SOURCES, runtimes), {})
            for package in rows:
                expected = self.output(theirs, package, "", 1)
                for pair in PAIRS:
                    with self.subTest(package=package["name"], settings=pair):
                        self.assertEqual(self.output(ours, package, pair + ",verify=on", 1), expected)
                with self.subTest(package=package["name"], threads=4):
                    self.output(ours, package, "engine=concurrent,refcount=gil,verify=on", 4)

    def output(self, runtime, package, settings, threads):
        run = runtime.run(package, wild.lines_of(package), settings, threads)
        self.assertEqual(run.returncode, 0, f"{runtime.name} {package['name']} {settings}\n{run.stderr}")
        return run.stdout.splitlines()


if __name__ == "__main__":
    unittest.main()
