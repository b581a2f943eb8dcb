"""Interpreters, the bridge compiled for each of them, and programs run with it, for the tests of this room."""

import fcntl
import functools
import glob
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.realpath(os.environ.get("OURO_SOURCE") or os.path.join(HERE, "..", ".."))
SCALE = float(os.environ.get("OURO_TEST_SCALE", 1))
QUESTION = ("import sys, sysconfig; print(sys.implementation.name, '%d.%d' % sys.version_info[:2], "
            "sysconfig.get_path('include'), sysconfig.get_config_var('EXT_SUFFIX'), "
            "sysconfig.get_config_var('Py_GIL_DISABLED'), hasattr(sys, 'gettotalrefcount'), sep='\\n')")
VERSIONS = ("3.11", "3.12", "3.13", "3.14", "3.15")


def scaled(number):
    return max(int(number * SCALE), 1)


class Interpreter:
    def __init__(self, path, version, headers, suffix):
        self.path = path
        self.version = version
        self.headers = headers
        self.suffix = suffix

    @functools.lru_cache(maxsize=None)
    def module(self, faults=False):
        """The directory of a package `ouroboros` with the bridge for it: with `faults`, one whose allocations can be
        made to fail. That of the build where there is one; else compiled, once for these sources."""
        built = os.path.join(os.environ.get("OURO_BUILD", "/nonexistent"), "python")
        if not faults and os.path.exists(os.path.join(built, "ouroboros", "_bridge" + self.suffix)):
            return built
        return compiled(self, ["-DOURO_BRIDGE_FAULTS"] if faults else [])


def sources():
    names = sorted(glob.glob(os.path.join(ROOT, "core", "bridge", "*.cpp")))
    return names + [os.path.join(ROOT, "core", *name.split("/"))
                    for name in ("collector/components.cpp", "event/memory.cpp")]


def compiled(python, flags):
    """The directory of a package for that interpreter, in the directory for temporary files."""
    compiler = os.environ.get("OURO_BRIDGE_CXX") or "g++"
    flags = ["-std=c++20", "-O1", "-g1", "-fno-strict-aliasing", "-fPIC", "-shared", "-fvisibility=hidden",
             *shlex.split(os.environ.get("OURO_BRIDGE_CXXFLAGS", "")), *flags]
    content = hashlib.sha256(" ".join([compiler, *flags, python.headers, python.suffix]).encode())
    headers = [name for room in ("bridge", "collector", "event", "heap")
               for name in sorted(glob.glob(os.path.join(ROOT, "core", room, "*.hpp")))]
    for name in sources() + headers:
        with open(name, "rb") as file:
            content.update(file.read())
    directory = os.path.join(tempfile.gettempdir(),
                             f"ouroboros-bridge-{os.getuid()}-{content.hexdigest()[:16]}")
    module = os.path.join(directory, "ouroboros", "_bridge" + python.suffix)
    os.makedirs(os.path.dirname(module), mode=0o700, exist_ok=True)
    with open(os.path.join(directory, "lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(module):
            open(os.path.join(os.path.dirname(module), "__init__.py"), "w", encoding="utf-8").close()
            subprocess.run([compiler, *flags, "-isystem", python.headers, "-I", ROOT, *sources(),
                            "-o", module + ".new"], check=True)
            os.rename(module + ".new", module)
    return directory


def question(path):
    done = subprocess.run([path, "-c", QUESTION], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          universal_newlines=True, check=False)
    return done.stdout.split("\n") if done.returncode == 0 else [""]


@functools.lru_cache(maxsize=None)
def interpreter(path):
    """That CPython 3.11 to 3.15 with a lock and with headers; None if it is none."""
    answer = question(path)
    if len(answer) < 6 or answer[0] != "cpython" or answer[4] == "1" or answer[5] == "True":
        return None
    if answer[1] not in VERSIONS or not os.path.exists(os.path.join(answer[2], "Python.h")):
        return None
    return Interpreter(path, answer[1], answer[2], answer[3])


@functools.lru_cache(maxsize=None)
def interpreters():
    """CPython 3.11 to 3.15 with a lock and with headers, one of each version: Debian's, those of OURO_BRIDGE_PYTHONS
    (separated by colons), the PATH's, pyenv's. Of a smaller suite than usual the first alone."""
    candidates = ["/usr/bin/python3", *os.environ.get("OURO_BRIDGE_PYTHONS", "").split(os.pathsep)]
    if "OURO_BRIDGE_PYTHONS" not in os.environ:
        candidates += [shutil.which("python" + version) for version in VERSIONS]
        candidates += sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.1[1-5].*/bin/python")))
    found = {}
    for each in filter(None, map(interpreter, filter(None, candidates))):
        found.setdefault(each.version, each)
    found = [found[version] for version in VERSIONS if version in found]
    return found[:1] if SCALE < 1 else found


class Failed(AssertionError):
    pass


def run(python, program, *arguments, faults=False, status=0, timeout=300, environment=None, options=()):
    """What a program, a text, prints as its last line, a JSON value or None. It can import `driving`, and `_bridge` of
    `ouroboros`. Its exit status must be `status`, and there may be no unraisable exception."""
    module = python.module(faults)
    variables = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    variables.update(PYTHONPATH=os.pathsep.join([module, HERE]), PYTHONDONTWRITEBYTECODE="1",
                     OURO_TEST_SCALE=str(SCALE), **(environment or {}))
    wrapper = shlex.split(os.environ.get("OURO_BRIDGE_WRAPPER", ""))
    done = subprocess.run([*wrapper, python.path, "-X", "faulthandler", *options, "-c", program,
                           *map(str, arguments)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                          env=variables, timeout=timeout, check=False)
    if done.returncode != status:
        raise Failed(f"{python.path}: exit status {done.returncode}\n{program[-1500:]}\n"
                     f"{done.stdout[-1500:]}\n{done.stderr[-6000:]}")
    if os.environ.get("OURO_BRIDGE_SHOW"):
        sys.stderr.write(done.stderr)
    lines = done.stdout.strip().split("\n")
    try:
        value = json.loads(lines[-1])
    except ValueError:
        value = None
    return value


class BridgeTest(unittest.TestCase):
    """Tests that run programs with each interpreter."""

    @classmethod
    def setUpClass(cls):
        if os.environ.get("OURO_SANITIZE"):
            raise unittest.SkipTest("the interpreters are not built with the sanitizer")
        if not interpreters():
            raise unittest.SkipTest("no CPython 3.11 to 3.15 with headers")

    def each(self, program, *arguments, faults=False, long=False, **others):
        """[(version, what the program printed)] of all; of a long one at the default size with the first alone."""
        values = []
        for python in interpreters()[:1] if long and SCALE <= 1 else interpreters():
            with self.subTest(python=python.version):
                values.append((python.version, run(python, program, *arguments, faults=faults, **others)))
        return values
