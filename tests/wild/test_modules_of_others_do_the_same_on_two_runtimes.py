"""Modules that others wrote print the same lines on CPython 3.11 and here, under any engine, with every collection
verified.

# not with a sanitizer: the modules are not compiled with one
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = pathlib.Path(os.environ.get("OURO_BUILD", ROOT / "build"))
SOURCES = os.environ.get("OURO_WILD", "")
PAIRS = ("engine=stw,refcount=gil", "engine=incremental,refcount=atomic", "engine=local,refcount=gil",
         "engine=concurrent,refcount=biased", "engine=snapshot,refcount=biased")
DRIVES = ("_speedups", "_cbor", "_crcfunext", "base85", "bdiff", "xx")
sys.path.insert(0, str(HERE))

import wild  # noqa: E402


def flags(*options):
    return subprocess.run(["pkg-config", *options, "python-3.11-embed"], capture_output=True, text=True,
                          check=True).stdout.split()


def compile_c(*arguments):
    run = subprocess.run(["cc", "-w", "-O1", *map(str, arguments)], capture_output=True, text=True, check=False)
    if run.returncode:
        raise AssertionError(run.stderr)


class Wild(unittest.TestCase):
    @unittest.skipUnless(SOURCES, "OURO_WILD does not say where wild.py has put the sources")
    def test_every_module(self):
        with tempfile.TemporaryDirectory() as directory:
            ours = [f"-I{ROOT / 'core' / 'include'}", f"-I{BUILD / 'generated' / 'public'}", f"-I{ROOT}"]
            library = [f"-L{BUILD / 'lib'}", "-louroboros", f"-Wl,-rpath,{BUILD / 'lib'}"]
            theirs = flags("--cflags")
            for runtime, include, suffix in (("cpython", theirs, ".so"), ("ouroboros", ours, ".ouro.so")):
                place = pathlib.Path(directory) / runtime
                place.mkdir()
                for package in wild.packages():
                    source = wild.source_of(package, SOURCES)
                    folders = [f"-I{source / folder}" for folder in package.get("include", ())]
                    for name, files in package["modules"].items():
                        compile_c("-shared", "-fPIC", *include, *folders, *(source / file for file in files),
                                  "-o", place / f"{name}{suffix}")
                compile_c(*include, HERE / "drive.c", "-o", place / "drive",
                          *(library if runtime == "ouroboros" else flags("--libs")))
            for drive in DRIVES:
                expected = self.lines(directory, "cpython", drive, "")
                self.assertTrue(expected, drive)
                for pair in PAIRS:
                    with self.subTest(drive=drive, settings=pair):
                        self.assertEqual(self.lines(directory, "ouroboros", drive, pair + ",verify=on"), expected)

    def lines(self, directory, runtime, drive, settings):
        place = pathlib.Path(directory) / runtime
        environment = dict(os.environ, WILD_PATH=str(place), OURO=settings, PYTHONHASHSEED="0")
        run = subprocess.run([place / "drive", drive], capture_output=True, text=True, env=environment, check=False,
                             timeout=120)
        self.assertEqual(run.returncode, 0, f"{runtime} {drive} {settings}\n{run.stderr}")
        return run.stdout.splitlines()


if __name__ == "__main__":
    unittest.main()
