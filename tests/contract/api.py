#!/usr/bin/env python3
"""The documented API: every name, the header that declares it, and the test that proves it.

    api.py table              writes API.md from documented_names.txt and the headers
    api.py check              fails where API.md is not what `table` would write, or a name has no header or no test
    api.py mutate [NAME...]   for each function (or those named): with a body that only returns 0 or NULL the test
                              that proves it must fail
    api.py mutate --sample N  N of them, others each day
    api.py control NAME TEST  fails where that test does not notice
    api.py find NAME...       prints, for each name, the first test that fails without it

documented_names.txt has a line for each name: the name, and the test, a file of a folder here without its suffix.
A function's body is replaced in a copy of the test's program, so nothing is compiled; the programs are those of the
build directory $OURO_BUILD (build/).
"""

import argparse
import datetime
import os
import pathlib
import platform
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HEADERS = ROOT / "core" / "include"
BUILD = pathlib.Path(os.environ.get("OURO_BUILD", ROOT / "build"))

# return 0 as an int and as a pointer
RETURN_ZERO = {"x86_64": b"\x31\xc0\xc3", "aarch64": b"\x00\x00\x80\xd2\xc0\x03\x5f\xd6"}


def documented():
    """{name: test} in the file's order; the test is "" where none is given."""
    names = {}
    for line in (HERE / "documented_names.txt").read_text(encoding="utf-8").splitlines():
        words = line.split("#")[0].split()
        if words:
            names[words[0]] = words[1] if len(words) > 1 else ""
    return names


def headers():
    """{path from core/include: text without comments}, Python.h last: it only includes the others."""
    paths = sorted(HEADERS.rglob("*.h"), key=lambda path: (path.name == "Python.h", str(path)))
    return {str(path.relative_to(HEADERS)): re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
            for path in paths}


def header_of(name, texts):
    """Where a name is declared: as a function, a macro, a type, or a field."""
    word = re.escape(name)
    if name.startswith("PyExc_"):  # declared by a list of all exceptions
        word = rf"X\({name.removeprefix('PyExc_')}, \w+\)"
        return next((path for path, text in texts.items() if re.search(word, text)), "")
    forms = (rf"\bPyAPI_(?:FUNC|DATA)\([^;]*?\b{word}\b\s*[(;]", rf"#define\s+{word}\b",
             rf"static inline [^;{{]*?\b{word}\(", rf"typedef\b[^;]*?\b{word}\b", rf"\}}\s*{word};",
             rf"struct\s+{word}\b", rf"^\s+[\w *,]+\b{word}\b\s*[;,]")
    for form in forms:
        for path, text in texts.items():
            if re.search(form, text, flags=re.M):
                return path
    return ""


def test_file(test):
    """The source of a test, or None."""
    return next(iter([*HERE.glob(f"*/{test}.cpp"), *HERE.glob(f"*/{test}.c")]), None)


def table():
    """The text of API.md, and what is wrong with it."""
    texts = headers()
    lines = ["# The documented API", "",
             "Written by `tests/contract/api.py table`. Every name of the documents, the header under",
             "`core/include` that declares it, and the test that proves it: with a function that only returns 0",
             "or NULL in its place, that test fails (`api.py mutate`).", "",
             "| name | header | test |", "|---|---|---|"]
    errors = []
    for name, test in documented().items():
        header = header_of(name, texts)
        if not header:
            errors.append(f"{name}: no header declares it")
        source = test_file(test)
        if source is None:
            errors.append(f"{name}: no test is named, or there is no {test}.cpp or .c")
        elif not re.search(rf"\b{re.escape(name)}\b", source.read_text(encoding="utf-8")):
            errors.append(f"{name}: {source.name} does not name it")
        lines.append(f"| `{name}` | `{header}` | [{test}]({source.relative_to(HERE) if source else ''}) |")
    return "\n".join(lines) + "\n", errors


def program_of(test):
    """The command that runs a test: its program, the folder's in C++, and which suites of that are its own."""
    directory = BUILD / "tests" / "contract"
    source = test_file(test)
    if source is None:
        return []
    if source.suffix == ".c":
        command = [directory / f"{test}_c"]
    else:
        text = source.read_text(encoding="utf-8")
        labels = "".join(f"_{label}" for label in re.findall(r"^// label: (\w+)", text, flags=re.M))
        suites = sorted(set(re.findall(r"^TEST(?:_P|_F)?\((\w+)", text, flags=re.M)))
        tests = ":".join(pattern for suite in suites for pattern in (f"{suite}.*", f"*/{suite}.*"))
        command = [directory / (source.parent.name + labels), f"--gtest_filter={tests}"]
    return command if command[0].is_file() else []


def symbol_address(program, name):
    """The address of a function that is defined in a program, or None."""
    listing = subprocess.run(["nm", "--defined-only", program], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in "TtWw" and words[2] == name:
            return int(words[0], 16)
    return None


def file_offset(data, address):
    """Where in an ELF file of 64 bits the byte of an address is."""
    start, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
    for i in range(count):
        kind, _, offset, begin, _, length = struct.unpack_from("<IIQQQQ", data, start + i * size)
        if kind == 1 and begin <= address < begin + length:
            return address - begin + offset
    raise ValueError(f"no segment has the address {address:#x}")


def notices(test, name):
    """Whether a test fails where a function only returns 0; None where the program does not define it."""
    program, *tests = program_of(test) or [None]
    if program is None:
        raise SystemExit(f"api.py: {BUILD} has no program of the test {test}: build the tests first")
    with tempfile.TemporaryDirectory() as directory:
        # A C program has the functions from the library.
        library = (BUILD / "lib" / "libouroboros.so").resolve()
        patched = program if symbol_address(program, name) is not None else library
        address = symbol_address(patched, name)
        if address is None:
            return None
        data = bytearray(patched.read_bytes())
        code = RETURN_ZERO[platform.machine()]
        offset = file_offset(data, address)
        data[offset:offset + len(code)] = code
        copy = pathlib.Path(directory) / patched.name
        copy.write_bytes(data)
        shutil.copymode(patched, copy)
        environment = dict(os.environ)
        if patched is library:
            soname = re.search(rb"libouroboros\.so\.\d+\x00", bytes(data)).group()[:-1].decode()
            copy.rename(copy.with_name(soname))
            environment["LD_LIBRARY_PATH"] = directory
            copy = program
        try:
            # A test that must be seen to fail need not write what it was doing.
            run = subprocess.run([copy, *tests, "--gtest_fail_fast", "--gtest_brief=1"], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, timeout=120, check=False, env=environment,
                                 cwd=directory)
        except subprocess.TimeoutExpired:
            return True
        return run.returncode != 0


def functions():
    """{name: test} of the names that headers declare as functions."""
    texts = headers().values()
    return {name: test for name, test in documented().items()
            if any(re.search(rf"\bPyAPI_FUNC\([^;]*?\b{name}\(", text, flags=re.S) for text in texts)}


def mutate(names, sample):
    """Mutates; returns how many were not noticed."""
    known = functions()
    chosen = names or list(known)
    if sample is not None:
        day = datetime.date.today().toordinal()
        chosen = random.Random(day).sample(chosen, min(sample, len(chosen)))
    missed = 0
    for name in chosen:
        if name not in known:
            raise SystemExit(f"api.py: {name} is no documented function")
        noticed = notices(known[name], name)
        missed += noticed is not True
        word = {True: "noticed", False: "NOT NOTICED", None: "NOT DEFINED"}[noticed]
        print(f"{word}: {name} by {known[name]}", flush=True)
    return missed


def find(names):
    """Prints tests that notice."""
    sources = sorted(HERE.glob("*/*.cpp")) + sorted(HERE.glob("*/*.c"))
    for name in names:
        naming = [path for path in sources if re.search(rf"\b{name}\b", path.read_text(encoding="utf-8"))]
        naming.sort(key=lambda path: -len(re.findall(rf"\b{name}\b", path.read_text(encoding="utf-8"))))
        found = next((path.stem for path in naming if program_of(path.stem) and notices(path.stem, name)), "")
        print(name, found, flush=True)


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("table")
    commands.add_parser("check")
    mutating = commands.add_parser("mutate")
    mutating.add_argument("names", nargs="*")
    mutating.add_argument("--sample", type=int)
    control = commands.add_parser("control")
    control.add_argument("name")
    control.add_argument("test")
    commands.add_parser("find").add_argument("names", nargs="+")
    arguments = parser.parse_args()
    if arguments.command == "mutate":
        missed = mutate(arguments.names, arguments.sample)
        sys.exit(f"{missed} not noticed" if missed else 0)
    if arguments.command == "control":
        sys.exit(0 if notices(arguments.test, arguments.name) else f"{arguments.test} does not notice")
    if arguments.command == "find":
        find(arguments.names)
        return
    text, errors = table()
    if arguments.command == "table":
        (HERE / "API.md").write_text(text, encoding="utf-8")
    elif (HERE / "API.md").read_text(encoding="utf-8") != text:
        errors.append("API.md is not what `api.py table` writes")
    if errors:
        sys.exit("\n".join(errors))


if __name__ == "__main__":
    main()
