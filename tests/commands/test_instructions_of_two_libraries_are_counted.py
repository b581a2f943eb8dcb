import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from command import BINARY, ROOT

BUILD = Path(BINARY).parent.parent
SCRIPT = ROOT / "experiments" / "micro" / "instructions"
SANITIZED = re.search(r"^OURO_SANITIZE:\w+=(.+)$", (BUILD / "CMakeCache.txt").read_text(), re.M)


def instructions(*arguments):
    return subprocess.run(["/usr/bin/python3", *map(str, (SCRIPT, "--build", BUILD, *arguments))],
                          capture_output=True, text=True, check=False)


class Instructions(unittest.TestCase):
    @unittest.skipIf(SANITIZED, "valgrind and a sanitizer exclude each other")
    @unittest.skipUnless(shutil.which("valgrind"), "there is no valgrind")
    def test_a_library_takes_as_many_as_itself(self):
        with tempfile.TemporaryDirectory() as directory:
            made = Path(directory) / "made.json"
            done = instructions("--without", BUILD / "lib", "--runs", 1, "--count", 2000, "--operation",
                                "list append", "--operation", "tuple creation", "--json", made)
            self.assertEqual(done.returncode, 0, done.stderr)
            (run,) = json.loads(made.read_text())["runs"]
        for operation, least in (("list append", 10), ("tuple creation", 40)):
            ours = run["ouroboros"][operation]
            self.assertGreater(ours, least)
            self.assertAlmostEqual(run["untraversed"][operation] / ours, 1, delta=0.002)

    def test_what_it_does_not_know_is_refused(self):
        done = instructions("--operation", "list apend")
        self.assertEqual(done.returncode, 2)
        self.assertIn("found list apend; allowed: method call, ", done.stderr)


if __name__ == "__main__":
    unittest.main()
