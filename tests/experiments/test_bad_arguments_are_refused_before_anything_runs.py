import subprocess
import tempfile
import unittest
from pathlib import Path

import support
import machine

COMPARE = support.ROOT / "experiments" / "runner" / "compare.py"


class Arguments(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)
        self.ouro = support.stand_in(self.directory)

    def compare(self, *arguments):
        return subprocess.run([support.PYTHON, COMPARE, *arguments], capture_output=True, text=True)

    def test_each_is_told_with_status_2(self):
        used = self.directory / "used"
        used.mkdir()
        (used / "runs.jsonl").touch()
        for arguments, message in ((("--ouro", "nothing-here"), "is not a program"),
                                   ((), "--ouro"),
                                   (("--ouro", self.ouro, "--seed", "-1"), "--seed takes"),
                                   (("--ouro", self.ouro, "--smoke", "--full"), "not allowed"),
                                   (("--ouro", self.ouro, "-o", used), "already holds results")):
            done = self.compare(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(message, done.stderr)

    def test_a_dry_run_shows_the_commands_and_writes_nothing(self):
        results = self.directory / "results"
        done = self.compare("--ouro", self.ouro, "--quick", "--dry-run", "-o", results)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"{self.ouro} bench graph --objects 1000000 --degree 3", done.stdout)
        self.assertIn("--edges -", done.stdout)
        self.assertFalse(results.exists())

    def test_an_interpreter_that_cannot_be_used_is_left_out_with_a_warning(self):
        told = []
        found = machine.find_interpreters(["/nothing/here", "/bin/true", support.PYTHON],
                                          told.append)
        names = [name for name, _, _ in found]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(found[0][1], support.PYTHON)
        self.assertIn("/nothing/here is left out: not found", told)
        self.assertTrue(any(each.startswith("/bin/true is left out") for each in told))


if __name__ == "__main__":
    unittest.main()
