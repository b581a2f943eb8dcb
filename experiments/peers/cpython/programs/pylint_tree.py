"""Linting a tree of modules with pylint: astroid's trees with parents, checkers, inference and its caches.

An operation is one file of docutils, as Debian installs it; `size` files are looked at in turn.
"""
import io
import os

SIZE = 20
OPERATIONS = 20
PACKAGE = "pylint"


class Linter:
    def __init__(self, size):
        import docutils
        from pylint.lint import PyLinter
        folder = os.path.dirname(docutils.__file__)
        found = sorted(os.path.join(where, name) for where, _, names in os.walk(folder) for name in names
                       if name.endswith(".py"))
        self.files = sorted(found, key=os.path.getsize)[-size:]
        from pylint.reporters.text import TextReporter
        self.linter = PyLinter(reporter=TextReporter(io.StringIO()))
        self.linter.load_default_plugins()
        self.linter.disable("all")
        self.linter.enable("E")
        self.linter.enable("W")
        self.linter.enable("R")

    def __call__(self, number):
        self.linter.check([self.files[number % len(self.files)]])


def load(size, seed):
    return Linter(size)
