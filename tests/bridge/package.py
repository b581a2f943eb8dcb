"""The package `ouroboros` as it was built, in processes of its own."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PYTHON = "/usr/bin/python3"
SOURCE = Path(os.environ.get("OURO_SOURCE") or Path(__file__).resolve().parents[2])
BUILD = os.environ.get("OURO_BUILD")
PACKAGE = Path(BUILD or SOURCE / "build") / "python"

# Rings of four objects: `ring()` is garbage at once, and found by full collections when it has become old.
RINGS = """
import gc
class Node: pass
def ring(size=4):
    nodes = [Node() for _ in range(size)]
    for at in range(size):
        nodes[at].next = nodes[at - 1]
    return nodes[0]
"""
# And many of them, of which some die old.
LOAD = RINGS + """
import random
gc.set_threshold(700, 4, 4)  # a full collection after 17,500 allocations at the earliest
chance = random.Random(1)
live = [ring() for _ in range(12000)]
for _ in range(30000):
    live[chance.randrange(len(live))] = ring()
"""
# And on until this has been found by cycles that have ended, however little of the time the machine gives to them.
AND_ON = """
import ouroboros
while ouroboros.stats()["cycles"] == 0 or ouroboros.stats()["found"] <= 10000:
    for _ in range(100):
        live[chance.randrange(len(live))] = ring()
"""


def needs_package(test):
    """Skips where there is none, or none that this interpreter could load."""
    test = unittest.skipIf(os.environ.get("OURO_SANITIZE"), "an interpreter without the sanitizer cannot load it")(test)
    return unittest.skipUnless(list(PACKAGE.glob("ouroboros/_bridge*.so")), f"there is none in {PACKAGE}")(test)


def python(*words, status=0, stdout=subprocess.PIPE, **options):
    """A CompletedProcess of the interpreter, with what it wrote. Its status must be that."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([PYTHON, *map(str, words)], stdout=stdout, stderr=subprocess.PIPE, text=True, check=False,
                          timeout=300, env=environment, **options)
    if done.returncode != status:
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def output_of(code):
    """The lines that a piece of a program prints."""
    return python("-c", code).stdout.splitlines()


class InADirectory(unittest.TestCase):
    """With `self.directory`, an empty one."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def write(self, name, text):
        path = self.directory / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path
