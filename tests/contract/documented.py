#!/usr/bin/env python3
"""Every name of CPython's documented C API, and whether it is here: core/include/API.md.

    documented.py table [--library FILE]   writes the page from documented_index.txt and the headers
    documented.py check [--library FILE]   fails where the page is not what `table` would write, a function that is
                                           declared is not exported, or a name that is absent has no reason

documented_index.txt has a line for each name: its document in the C API manual, what it is, and the name. A name is here
if the headers that a source includes declare it; why others are not is said below, by document or by name.
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
INDEX = HERE / "documented_index.txt"
PAGE = ROOT / "core" / "include" / "API.md"
BUILD = pathlib.Path(os.environ.get("OURO_BUILD", ROOT / "build"))
HEADERS = ("Python.h", "structmember.h", "datetime.h")

NO_INTERPRETER = "there is no interpreter: no code, no frames, no functions written in Python"
ONE_INTERPRETER = "there is one interpreter"
NO_NAMES = "there are no names of code points"
WINDOWS = "of Windows"
# Why the names of a document are not here.
DOCUMENTS = {
    "code": NO_INTERPRETER, "frame": NO_INTERPRETER, "function": NO_INTERPRETER, "gen": NO_INTERPRETER,
    "coro": NO_INTERPRETER, "veryhigh": NO_INTERPRETER, "profiling": NO_INTERPRETER, "monitoring": NO_INTERPRETER,
    "perfmaps": NO_INTERPRETER, "reflection": NO_INTERPRETER, "import": "modules are in C: nothing compiles or reloads them",
    "codec": NO_NAMES, "subinterpreters": ONE_INTERPRETER, "curses": "the module curses is not part of the runtime",
    "init_config": "a program configures the runtime by Ouro_Configure",
    "interp-lifecycle": "settings of an interpreter's command line",
    "marshal": "the format is that of compiled code",
    "picklebuffer": "pickle is a module of Python code", "memory": "the heap is the collector's: it cannot be replaced",
    "hash": "hashing is not chosen at build time", 
    "exceptions": "of the compiler, of signals that interrupt Python code, or of tracebacks, which have frames",
    "file": "there is no module io", "set": "how a set is stored is not CPython's",
    "sys": "options of an interpreter's command line", "threads": "of an interpreter",
    "typeobj": "how objects are stored is not CPython's", "stable": "there is one ABI, this runtime's",
    "intro": "of the build of CPython itself", "capsule": "a type that is not public, as in CPython",
    "datetime": "of the module alone, as in CPython: PyDateTimeAPI has them",
}
# Of single names.
NAMES = {
    r"PyErr_Set(Exc)?FromWindowsErr.*|PyUnicode_.*(MBCS|CodePage).*": WINDOWS,
}


def index():
    """[(document, kind, name)] in the order of the manual."""
    rows = [tuple(line.split()) for line in INDEX.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row and not row[0].startswith("#")]


def declared():
    """What the headers say, preprocessed, with their macros."""
    source = "".join(f"#include <{header}>\n" for header in HEADERS)
    compiler = os.environ.get("CC", "cc")
    command = [compiler, "-E", "-dD", "-x", "c", f"-I{ROOT / 'core' / 'include'}", f"-I{BUILD / 'generated' / 'public'}",
               f"-I{ROOT}", "-"]
    text = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\b[A-Za-z_]\w*\b", text)), text


def exported(library):
    """The names that a library has for others."""
    listing = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in listing.splitlines()}


def reason(document, name):
    """Why a name is not here, or ""."""
    for pattern, why in NAMES.items():
        if re.fullmatch(pattern, name):
            return why
    return DOCUMENTS.get(document, "")


def page(library):
    """The text of the page, and what is wrong."""
    words, text = declared()
    symbols = exported(library)
    errors = []
    documents = collections.OrderedDict()
    for document, kind, name in index():
        is_here = name in words
        if is_here and kind == "function" and name not in symbols and not re.search(
                rf"#define {name}\b|static inline[^;{{]*?\b{name}\(|typedef[^;]*\b{name}\b", text):
            errors.append(f"{name}: declared, and not exported")
        if not is_here and not reason(document, name):
            errors.append(f"{name}: absent without a reason (document {document})")
        documents.setdefault(document, []).append((name, kind, is_here))
    here = sum(is_here for rows in documents.values() for _, _, is_here in rows)
    count = sum(len(rows) for rows in documents.values())
    lines = ["# The documented C API, name by name", "",
             "Written by `tests/contract/documented.py table`; `ouro config --api` prints it. The names are those of the C API",
             "manual of Python 3.14, by its pages.", "",
             f"**{here} of {count} are here.**", "", "| page | here | of |", "|---|---|---|"]
    for document, rows in documents.items():
        lines.append(f"| [{document}](#{document}) | {sum(row[2] for row in rows)} | {len(rows)} |")
    for document, rows in documents.items():
        lines += ["", f"## {document}", ""]
        present = [name for name, _, is_here in rows if is_here]
        if present:
            lines += ["yes: " + ", ".join(f"`{name}`" for name in present), ""]
        absent = collections.OrderedDict()
        for name, _, is_here in rows:
            if not is_here:
                absent.setdefault(reason(document, name), []).append(name)
        for why, names in absent.items():
            lines += [f"no ({why}): " + ", ".join(f"`{name}`" for name in names), ""]
        lines.pop()
    return "\n".join(lines) + "\n", errors


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("table", "check"))
    parser.add_argument("--library", default=str(BUILD / "lib" / "libouroboros.so"))
    arguments = parser.parse_args()
    text, errors = page(arguments.library)
    if arguments.command == "table":
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        errors.append("core/include/API.md is not what `documented.py table` writes")
    if errors:
        sys.exit("\n".join(errors))


if __name__ == "__main__":
    main()
