"""python -m ouroboros runs a program as the interpreter would, and refuses what it cannot."""
# not with a sanitizer: runs nothing of the build
import unittest
import zipfile

from package import InADirectory, needs_package, python

ASKS = """
import atexit, pickle, sys
class Own: pass
atexit.register(lambda: print('at exit', type(pickle.loads(pickle.dumps(Own()))) is Own, Own.__module__))
spec = sys.modules['__main__'].__spec__
print(__name__, __package__, spec and spec.name, sys.argv[0], repr(sys.path[0]), __file__, sep='\\n')
import ouroboros
print(sys.argv[1:], file=sys.stderr)
"""


@needs_package
class AProgramRunsAsItWouldWithout(InADirectory):
    def both(self, *words, **options):
        """What it prints without the bridge and under it must be the same."""
        plain = python(*words, **options)
        under = python("-m", "ouroboros", *words, **options)
        self.assertEqual((under.stdout, under.stderr), (plain.stdout, plain.stderr))
        return under.stdout

    def test_a_script(self):
        path = self.write("some/script.py", ASKS)
        out = self.both(path, "-m", "--stats", "x", cwd=self.directory)
        self.assertIn("at exit True __main__", out)
        self.both("some/script.py", cwd=self.directory)

    def test_a_module_and_a_package(self):
        self.write("module.py", ASKS)
        self.write("package/__init__.py", "")
        self.write("package/__main__.py", ASKS)
        for words in (["-m", "module", "-c"], ["-mpackage"]):
            self.both(*words, cwd=self.directory)

    def test_code(self):
        self.assertIn("x", self.both("-c", "import sys; print(sys.argv, repr(sys.path[0]), __name__)", "x"))

    def test_a_directory_and_an_archive(self):
        self.write("folder/__main__.py", ASKS)
        with zipfile.ZipFile(self.directory / "archive.zip", "w") as archive:
            archive.writestr("__main__.py", ASKS)
        for name in ("folder", "archive.zip"):
            self.assertIn("at exit True", self.both(self.directory / name))

    def test_its_status_is_its_own(self):
        python("-m", "ouroboros", "-c", "raise SystemExit(7)", status=7)
        done = python("-m", "ouroboros", "-c", "1 / 0", status=1)
        self.assertIn("ZeroDivisionError", done.stderr)

    def test_the_bridge_is_enabled_with_the_budget(self):
        for text, seconds in {"500us": 5e-4, "1ms": 1e-3, "0.5e-3": 5e-4, "1 ms": 1e-3, "0.002s": 2e-3}.items():
            code = "import ouroboros; print(ouroboros.is_enabled(), ouroboros.stats()['pause_budget_s'])"
            done = python("-m", "ouroboros", "--pause-budget", text, "-c", code)
            enabled, budget = done.stdout.split()
            self.assertEqual(enabled, "True")
            self.assertAlmostEqual(float(budget), seconds)

    def test_what_cannot_be_is_refused(self):
        for words, message in {
                ("--pause-budget", "5s", "-c", "pass"): "from 0.1 ms to 100 ms",
                ("--pause-budget=fast", "-c", "pass"): "500us, 1ms or 0.5e-3",
                (): "a program is missing",
                ("-m",): "a program is missing",
                ("no.py",): "can't open file 'no.py'",
                ("-m", "no_such_module"): "no module named no_such_module",
                ("--runs", "2", "-c", "pass"): "--runs is for --compare",
                ("--compare", "--idle", "-c", "pass"): "--idle is not for --compare",
                ("--compare", "--runs", "0", "-c", "pass"): "1 or more",
                ("--unknown", "-c", "pass"): "--unknown",
        }.items():
            self.assertIn(message, python("-m", "ouroboros", *words, status=2, cwd=self.directory).stderr)
        done = python("-m", "ouroboros", "--events", "no/file", "-c", "pass", status=1, cwd=self.directory)
        self.assertIn("--events", done.stderr)


if __name__ == "__main__":
    unittest.main()
