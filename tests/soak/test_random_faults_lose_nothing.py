"""Random programs under random engines meet faults from a plan, and nothing is lost or left; a program that fails is
told, with how to run it again."""
# not with a sanitizer: its allocator ends a process that is refused memory
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("OURO_BUILD") or HERE.parents[1] / "build")


def soak(build, output, *options):
    return subprocess.run([HERE / "soak.py", "--build", build, "-o", output, "--programs", *map(str, options)],
                          capture_output=True, text=True, check=False, timeout=500)


class RandomFaults(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)

    def rows(self):
        return list(map(json.loads, (self.directory / "out/rows.jsonl").read_text().splitlines()))

    def test_lose_nothing(self):
        done = soak(BUILD, self.directory / "out", "--rounds", 6, "--round-seconds", 1)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        rows = self.rows()
        self.assertEqual([row["round"] for row in rows], list(range(1, 7)))
        self.assertGreater(sum(row["result"]["made"] for row in rows), 10_000)
        self.assertGreater(len({fault for row in rows for fault in row["injected"]}), 5)
        self.assertIn("| objects lost | 0 |\n| objects leaked | 0 |", done.stdout)

    def test_a_program_that_fails_is_told_and_the_next_run_goes_on(self):
        build = self.directory / "build"
        (build / "tests/soak").mkdir(parents=True)
        (build / "bin").mkdir()
        (build / "bin/ouro").symlink_to(BUILD / "bin/ouro")
        program = build / "tests/soak/program"
        program.write_text("#!/bin/sh\ntrap '' PIPE\necho it says why >&2\necho '{\"made\": 5, \"left\": 1, \"lost\": 0}'\nexit 1\n")
        program.chmod(0o755)
        for first in (1, 3):
            done = soak(build, self.directory / "out", "--rounds", 2, "--seed", 3)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stdout, f"round {first}: engine=.*: status 1; .*--seed 3 --first {first} --rounds 1")
            self.assertIn("| objects leaked | 2 |", done.stdout)
        self.assertEqual([row["round"] for row in self.rows()], [1, 2, 3, 4])
        kept = [path.read_text() for path in (self.directory / "out").glob("*.log")]
        self.assertIn("it says why\n", kept)


if __name__ == "__main__":
    unittest.main()
