"""Imports a good part of the standard library: modules, classes, functions, descriptors.

    imports.py [--modules N]

Top-level modules and their submodules are imported in the order of their names, the first N of them
(default: all). Left out is what acts when it is imported (opens a window or a browser, prints), is
deprecated or for other systems; a module that this interpreter was built without is skipped. The
modules stay alive in sys.modules and in a list.
"""

import argparse
import importlib
import os
import warnings

# What acts when it is imported, the tests, and whatever exists to be run.
LEFT_OUT = {"__main__", "__phello__", "antigravity", "dist-packages", "ensurepip", "idlelib", "lib2to3",
            "pydoc_data", "site-packages", "test", "tests", "this", "tkinter", "turtle", "turtledemo"}

modules = []  # what keeps them alive, were sys.modules not to


def names():
    """The names of the standard library's modules that are written in Python, sorted."""
    root = os.path.dirname(os.path.realpath(os.__file__))
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders
                      if name not in LEFT_OUT and name.isidentifier() and not name.startswith("_")
                      and os.path.isfile(os.path.join(folder, name, "__init__.py"))]
        package = os.path.relpath(folder, root).replace(os.sep, ".")
        for file in files:
            name, extension = os.path.splitext(file)
            if extension != ".py" or name in LEFT_OUT or not name.isidentifier():
                continue
            if name == "__init__":
                found.append(package)
            elif not name.startswith("_"):
                found.append(name if package == "." else package + "." + name)
    return sorted(set(found) - {".", "__init__"})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--modules", type=int, metavar="N")
    wanted = parser.parse_args()
    skipped = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names()[:wanted.modules]:
            try:
                modules.append(importlib.import_module(name))
            except (ImportError, AttributeError, OSError):  # not built, or not for this system
                skipped += 1
    print(f"{len(modules)} modules, {skipped} skipped")


main()
