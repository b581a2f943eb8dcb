"""What the tests of this room share: the command, run; and the graph that `ouro edges` writes."""
import array
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("OURO_SOURCE") or Path(__file__).resolve().parents[2])
BINARY = os.environ.get("OURO_BINARY") or str(ROOT / "build" / "bin" / "ouro")
PYTHON = "/usr/bin/python3"
HEAPGRAPH = ROOT / "experiments" / "capture" / "heapgraph.py"

sys.path.insert(0, str(ROOT / "tests" / "support"))
import schema_check  # noqa: E402

RESULT = schema_check.load("result.schema.json")


def ouro(*arguments, settings=None, text=True):
    """The command's end: returncode, stdout and stderr. `settings`: the environment variable OURO."""
    environment = {key: value for key, value in os.environ.items() if key != "OURO"}
    if settings is not None:
        environment["OURO"] = settings
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=text,
                          env=environment, stdin=subprocess.DEVNULL, timeout=300, check=False)


class CommandTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)

    def output_of(self, *arguments, settings=None):
        """What a command that must succeed in silence writes on standard output."""
        done = ouro(*arguments, settings=settings)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def refused(self, *arguments, names, settings=None):
        """Status 2, nothing on standard output, one line on standard error with all of `names`."""
        done = ouro(*arguments, settings=settings)
        self.assertEqual((done.returncode, done.stdout), (2, ""), (arguments, done.stderr))
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for name in names:
            self.assertIn(name, done.stderr, arguments)

    def bench(self, *arguments, settings=None):
        """The row that `ouro bench graph ... --json -` prints, checked against the schema."""
        text = self.output_of("bench", "graph", *arguments, "--json", "-", settings=settings)
        row = json.loads(text)
        self.assertEqual(schema_check.problems(row, RESULT), [], arguments)
        self.assertEqual(text.count("\n"), 1, "one object, one line")
        return row

    def edges(self, objects, degree, *arguments):
        """(targets, order) as `ouro edges` writes them."""
        done = ouro("edges", "--objects", objects, "--degree", degree, *arguments, text=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        words = array.array("I")
        self.assertEqual(words.itemsize, 4)
        words.frombytes(done.stdout)
        if sys.byteorder == "big":
            words.byteswap()
        self.assertEqual(len(words), objects * degree + objects)
        return list(words[:objects * degree]), list(words[objects * degree:])


def left_by_counting(objects, degree, targets):
    """How many nodes counting alone leaves when the root list is dropped: the collector's."""
    counts = [0] * objects
    for target in targets:
        counts[target] += 1
    dying = [node for node in range(objects) if counts[node] == 0]
    died = 0
    while dying:
        node = dying.pop()
        died += 1
        for target in targets[node * degree:(node + 1) * degree]:
            counts[target] -= 1
            if counts[target] == 0:
                dying.append(target)
    return objects - died
