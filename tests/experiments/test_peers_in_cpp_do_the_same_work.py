"""The peers that are C++ are built and run as those in other languages are."""
import subprocess
import tempfile
import tomllib
import unittest
from pathlib import Path

import support
import test_peers_in_other_languages_do_the_same_work as others


class Bdwgc(others.Limited, unittest.TestCase):
    name = "bdwgc"

    def phases(self, *mode):
        """{word: value} of what the program itself says, beside what row.py reads."""
        said = {}
        command = [self.out / "slices", *mode, "5000", "3000", "500", "250", "1", "1"]
        with subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              env={"HEAP_BYTES": "1080000"}) as program:
            for line in program.stdout:
                word, _, value = line.strip().partition(" ")
                if word == "mark":
                    program.stdin.write("\n")
                    program.stdin.flush()
                said.setdefault(word, []).append(value)
        self.assertEqual(program.returncode, 0)
        return said

    def test_it_collects_by_the_mode(self):
        stw, parallel, incremental = (self.phases(mode, "200") for mode in ("stw", "parallel", "incremental"))
        for said in (stw, parallel, incremental):
            self.assertGreater(int(said["collections"][0]), 10)
        self.assertIn("stop-the-world marking, 1 thread", stw["version"][0])
        self.assertNotIn(", 1 thread", parallel["version"][0])
        self.assertIn("incremental marking", incremental["version"][0])
        self.assertEqual(len(stw["pause"]), int(stw["collections"][0]))
        self.assertGreater(len(incremental["pause"]), 2 * len(stw["pause"]))


class Cppgc(others.Limited, unittest.TestCase):
    name = "cppgc"
    phases = Bdwgc.phases

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.out = Path(scratch.name)
        # What `experiments/peers/build --install` unpacked serves this build, too.
        unpacked = Path(support.OURO).resolve().parent.parent / "peers" / "cppgc" / "prefix"
        if unpacked.exists():
            (cls.out / "prefix").symlink_to(unpacked)
        cls.peer = tomllib.loads((others.PEERS / cls.name / "peer.toml").read_text())
        built = subprocess.run([others.PEERS / cls.name / "build", cls.out], capture_output=True, text=True,
                               check=False)
        if built.returncode == others.MISSING:
            raise unittest.SkipTest(built.stderr.strip())
        if built.returncode != 0:
            raise RuntimeError(built.stdout + built.stderr)
        cls.version = built.stdout.splitlines()[-1]

    def check_collections(self, row, log):
        # A collection begins at the limit, or ends there; it is asked for where memory is taken by the page.
        self.assertLess(row["heap_bytes"], 1.25 * row["heap_limit_bytes"])
        super().check_collections({**row, "heap_bytes": min(row["heap_bytes"], row["heap_limit_bytes"])}, log)

    def test_it_collects_by_the_mode(self):
        for mode, incremental, elsewhere in (("atomic", False, False), ("incremental", True, False),
                                             ("concurrent", True, True)):
            with self.subTest(mode=mode):
                said = dict(line.split() for line in self.phases(mode)["phase"])
                self.assertGreater(int(said["CppGC.AtomicMark"]), 10)
                self.assertEqual("CppGC.IncrementalMark" in said, incremental)
                self.assertEqual("CppGC.IncrementalSweep" in said, incremental)
                self.assertEqual(int(said["elsewhere"]) > 0, elsewhere)


class APackageThatIsMissing(unittest.TestCase):
    def test_it_is_named_and_nothing_is_built(self):
        for name in ("bdwgc", "cppgc"):
            with tempfile.TemporaryDirectory() as scratch:
                out = Path(scratch) / "out"
                built = subprocess.run(["/bin/bash", others.PEERS / name / "build", out], env={"PATH": "/nonexistent"},
                                       capture_output=True, text=True, check=False)
                self.assertEqual((built.returncode, built.stdout), (others.MISSING, ""), built.stderr)
                self.assertEqual(built.stderr, f"{name}: no g++: install g++\n")
                self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main()
