"""The target bundle packs what measures on a machine that has the C library and nothing else of ours."""

import glob
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

BUILD = os.environ.get("OURO_BUILD")
# What belongs to the C library, which each system has.
OF_THE_SYSTEM = re.compile(r"(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread))\.so(\.\d+)?")
EXPERIMENT = """
invocations = 1
noise-floor = false
[[workload]]
name = "graph"
objects = 1000
[[subject]]
engine = "stw"
"""


@unittest.skipUnless(BUILD, "OURO_BUILD does not name a build directory")
@unittest.skipIf(os.environ.get("OURO_SANITIZE"), "what measures has no sanitizer")
@unittest.skipUnless(shutil.which("patchelf"), "patchelf is not installed")
class ABundleRunsWhereNothingIsInstalled(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.scratch = directory.name
        built = subprocess.run(["cmake", "--build", BUILD, "--target", "bundle"],
                               capture_output=True, text=True, check=False)
        if built.returncode != 0:
            raise AssertionError(built.stdout + built.stderr)
        [archive] = glob.glob(os.path.join(BUILD, "ouroboros-*.tar.gz"))
        with tarfile.open(archive) as packed:
            packed.extractall(cls.scratch)
        [cls.root] = glob.glob(os.path.join(cls.scratch, "ouroboros-*"))

    def run_there(self, *command):
        # No variable is set, not even PATH.
        done = subprocess.run(command, cwd=self.scratch, env={}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_it_takes_no_library_of_the_system_but_the_c_librarys(self):
        files = glob.glob(os.path.join(self.root, "bin", "*")) + [
            path for path in glob.glob(os.path.join(self.root, "lib", "*.so*")) if not os.path.islink(path)]
        self.assertGreater(len(files), 5)
        for path in files:
            for line in self.run_there("/usr/bin/ldd", path).splitlines():
                name, _, where = line.strip().partition(" => ")
                name = os.path.basename(name.split(" ")[0])
                if not OF_THE_SYSTEM.fullmatch(name):
                    found = os.path.realpath(where.split(" ")[0])
                    self.assertTrue(found.startswith(self.root), f"{path}: {line}")

    def test_it_measures(self):
        with open(os.path.join(self.scratch, "small.toml"), "w", encoding="utf-8") as file:
            file.write(EXPERIMENT)
        self.run_there(os.path.join(self.root, "bin", "ouro"), "run", "small.toml", "-o", "results")
        with open(os.path.join(self.scratch, "results", "runs.jsonl"), encoding="utf-8") as file:
            [row] = map(json.loads, file)
        self.assertEqual(row["status"], "ok")

    def test_it_has_the_experiments(self):
        configs = os.path.join(self.root, "share", "ouroboros", "configs")
        self.run_there(os.path.join(self.root, "bin", "ouro"), "run", "--dry-run",
                       os.path.join(configs, "cores.toml"))

    def test_microbenchmarks_find_their_module(self):
        said = self.run_there(os.path.join(self.root, "bin", "ouro_micro"),
                              "--benchmark_filter=pair/owner/1/module", "--benchmark_min_time=0.001")
        self.assertNotIn("cannot be loaded", said)
        self.assertIn("pair_s=", said)


if __name__ == "__main__":
    unittest.main()
