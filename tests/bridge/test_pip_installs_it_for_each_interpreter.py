"""pip builds and installs the package from a copy of the tree, without a network, for each interpreter there is."""
# not with a sanitizer: runs nothing of the build
import glob
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from package import AND_ON, LOAD, SOURCE

VERSIONS = os.path.join(os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv"), "versions")


def interpreter(minor):
    """A path, or None."""
    found = sorted(glob.glob(f"{VERSIONS}/3.{minor}.*/bin/python3"))
    return found[-1] if found else shutil.which(f"python3.{minor}")


def run(*command):
    environment = {key: text for key, text in os.environ.items() if not key.startswith(("PYTHON", "PIP_"))}
    # -O0: it is the building that is tried here.
    environment |= {"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "CXXFLAGS": "-O0"}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment,
                          check=False, timeout=500)
    if done.returncode != 0:
        raise AssertionError(f"{command}: status {done.returncode}\n{done.stdout}")
    return done.stdout


@unittest.skipUnless(shutil.which("g++"), "g++ is not installed")
class PipInstallsIt(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.scratch = Path(directory.name)
        cls.tree = cls.scratch / "a tree"
        for room in ("core", "concurrency"):
            shutil.copytree(SOURCE / room, cls.tree / room,
                            ignore=shutil.ignore_patterns("build*", "__pycache__", "*.so"))
        shutil.copy(SOURCE / "core/bridge/build_backend.py", cls.tree / "core/bridge")
        for name in ("CMakeLists.txt", "LICENSE"):
            shutil.copy(SOURCE / name, cls.tree)

    def check(self, python, *options):
        if python is None or not os.path.exists(python):
            self.skipTest("this interpreter is not installed")
        if python != "/usr/bin/python3" and float(os.environ.get("OURO_TEST_SCALE", 1)) < 1:
            self.skipTest("in a smaller suite the system's alone")
        venv = self.scratch / f"venv{len(list(self.scratch.iterdir()))}"
        run(python, "-m", "venv", "--without-pip", str(venv))
        mine = str(venv / "bin/python")
        pip = (python, "-m", "pip", "--python", mine)
        before = sorted(self.tree.rglob("*"))
        run(*pip, "install", *options, str(self.tree / "core/bridge"))
        made = [path for path in self.tree.rglob("*") if path not in before and "__pycache__" not in path.parts]
        self.assertEqual(made, [], "building leaves nothing in the tree")
        self.assertIn("Version: 0.1.0", run(*pip, "show", "ouroboros"))
        out = run(mine, "-m", "ouroboros", "--stats", "-c", LOAD + AND_ON)
        self.assertRegex(out, r"[1-9]\d* cycles ended")
        run(*pip, "uninstall", "-y", "ouroboros")

    def test_the_system_s(self):
        self.check("/usr/bin/python3")

    # These have no setuptools of their own.
    def test_3_12_without_isolation(self):
        self.check(interpreter(12), "--no-build-isolation")

    def test_3_13(self):
        self.check(interpreter(13))


if __name__ == "__main__":
    unittest.main()
