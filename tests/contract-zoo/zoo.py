"""What the tests of this room share: modules, compiled as an author would, and checked."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("OURO_SOURCE") or Path(__file__).resolve().parents[2])
BINARY = os.environ.get("OURO_BINARY") or str(ROOT / "build" / "bin" / "ouro")
ZOO = ROOT / "tests" / "contract-zoo"

sys.path.insert(0, str(ROOT / "tests" / "support"))


def ouro(*arguments, sequences=100):
    """The command; a check makes fewer random calls than it would by itself."""
    if arguments[0] == "check":
        arguments = ("check", "--sequences", sequences, *arguments[1:])
    environment = {key: value for key, value in os.environ.items() if key != "OURO"}
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, env=environment,
                          stdin=subprocess.DEVNULL, timeout=300, check=False)


class ZooTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.directory = Path(scratch.name)
        cls.flags = ouro("config", "--cflags").stdout.split()

    def compiled(self, source, name="zoo", *flags):
        """The module; those of one name lie in directories of their own."""
        folder = Path(tempfile.mkdtemp(dir=self.directory))
        target = folder / f"{name}.so"
        compiler = os.environ.get("OURO_CC") or "cc"
        done = subprocess.run([compiler, "-g", "-O1", "-shared", "-fPIC", *self.flags, *flags, source, "-o", target],
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return target

    def findings(self, module, *arguments):
        """The exit status, and what was found as (rule, certain)."""
        done = ouro("check", module, "--json", "-", *arguments)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        document = json.loads(done.stdout)
        return done.returncode, document["findings"]
