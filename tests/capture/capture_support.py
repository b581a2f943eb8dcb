"""Captures small programs for the tests of this room, with every interpreter to be tested."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.environ.get("OURO_SOURCE") or os.path.join(os.path.dirname(__file__), "..", "..")
CAPTURE = os.path.join(os.path.realpath(ROOT), "experiments", "capture")
HEAPGRAPH = os.path.join(CAPTURE, "heapgraph.py")


def load(name):
    """A module of experiments/capture by its file's name."""
    spec = importlib.util.spec_from_file_location(name, os.path.join(CAPTURE, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


heap_file = load("heap_file")


def interpreters():
    """Executables of CPython 3.8+: this one, the PATH's, those in OURO_CAPTURE_PYTHONS (a:b:c)."""
    candidates = [sys.executable, shutil.which("python3")]
    candidates += os.environ.get("OURO_CAPTURE_PYTHONS", "").split(os.pathsep)
    question = ("import sys; print(sys.executable, sys.implementation.name, "
                "'old' if sys.version_info < (3, 8) else 'ok', sep='\\n')")
    found = []
    for candidate in filter(None, candidates):
        answer = subprocess.run([candidate, "-c", question], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, universal_newlines=True, check=False)
        path, *fit = answer.stdout.split("\n")[:3] if answer.returncode == 0 else ["", ""]
        if fit == ["cpython", "ok"] and os.path.realpath(path) not in map(os.path.realpath, found):
            found.append(path)
    return found


class Workshop:
    """A directory with programs, where they are captured; a context manager."""

    def __init__(self):
        self._directory = tempfile.TemporaryDirectory()
        self.path = os.path.realpath(self._directory.name)
        self.output = os.path.join(self.path, "out.heap")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._directory.cleanup()

    def write(self, name, text):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run(self, python, *words, text=None):
        """The finished process of `python words...` in this directory, `text` its input."""
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith("PYTHON")}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        return subprocess.run([python, *words], cwd=self.path, env=environment, timeout=300,
                              input=text or "", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True, check=False)

    def capture(self, python, *words):
        """`words`, a program with its arguments, captured; -> its output and the Heap."""
        done = self.run(python, HEAPGRAPH, "-o", self.output, *words)
        if done.returncode != 0:
            raise AssertionError("%s %s:\n%s%s" % (python, words, done.stdout, done.stderr))
        return done.stdout, Heap(self.output)

    def serve(self, python, program, *requests):
        """`program` served; -> the answers to the requests, `ready` before them, and what the
        program printed."""
        done = self.run(python, HEAPGRAPH, "--serve", program, text="\n".join(requests))
        if done.returncode != 0:
            raise AssertionError("%s %s:\n%s%s" % (python, program, done.stdout, done.stderr))
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


class Heap:
    """A heap file to walk in: objects are numbers."""

    def __init__(self, path):
        self.sections = heap_file.read_heap(path)
        self.metadata = self.sections["metadata"]
        self.external = self.sections["external"]
        self.sizes = self.sections["sizes"]
        self.starts = [0]
        for degree in self.sections["degrees"]:
            self.starts.append(self.starts[-1] + degree)

    def __len__(self):
        return len(self.sections["kinds"])

    def references(self, obj):
        return list(self.sections["references"][self.starts[obj]:self.starts[obj + 1]])

    def kind(self, obj):
        return heap_file.KINDS[self.sections["kinds"][obj]]

    def type(self, obj):
        return self.sections["types"][self.sections["type_of"][obj]]

    def has(self, obj, flag):
        return bool(self.sections["flags"][obj] & flag)

    def tracked(self, obj):
        return self.has(obj, heap_file.TRACKED)

    def of_type(self, name):
        """The objects of the type of that name."""
        return [obj for obj in range(len(self)) if self.type(obj) == name]
