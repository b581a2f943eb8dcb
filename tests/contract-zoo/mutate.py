#!/usr/bin/env python3
"""How much `ouro check` notices: spoils one statement after the other of a module and checks what that makes of it.

    mutate.py SOURCE.c [--name NAME] [--with OTHER.c ...] [--cflags "..."] [--most N] [--seed N] [--seconds N] [--json FILE]

One line for each mutant: what was done, and which rules were named that the module as it is does not break; "probably"
before what counts with --strict alone; "not reached" if no call came to the place, "not noticed" if one did. By hand,
for modules of others: a check of each mutant takes as long as one of the module.
"""
import argparse
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from zoo import ouro

# A statement and what takes its place. The argument of a macro holds no semicolon.
MUTATIONS = (
    ("a visit less", r"\bPy_VISIT\(([^;]*)\);", ";"),
    ("a visit twice", r"\bPy_VISIT\(([^;]*)\);", r"{{ Py_VISIT(\1); Py_VISIT(\1); }}"),
    ("a visit's result is lost", r"\bPy_VISIT\(([^;]*)\);", r"if (\1) (void)visit((PyObject *)(\1), arg);"),
    ("a clear less", r"\bPy_CLEAR\(([^;]*)\);", ";"),
    ("a clear that leaves the address", r"\bPy_CLEAR\(([^;]*)\);", r"Py_XDECREF(\1);"),
    ("an untrack less", r"\bPyObject_GC_UnTrack\(([^;]*)\);", ";"),
    ("a track less", r"\bPyObject_GC_Track\(([^;]*)\);", ";"),
    ("a reference less", r"\bPy_X?INCREF\(([^;]*)\);", ";"),
    ("a reference more", r"\bPy_X?INCREF\(([^;]*)\);", r"{{ Py_XINCREF(\1); Py_XINCREF(\1); }}"),
    ("a drop less", r"\bPy_X?DECREF\(([^;]*)\);", ";"),
    ("a drop more", r"\bPy_X?DECREF\(([^;]*)\);", r"{{ PyObject *drop_ = (PyObject *)(\1); Py_XDECREF(drop_); Py_XDECREF(drop_); }}"),
    ("weak references forgotten", r"\bPyObject_ClearWeakRefs\(([^;]*)\);", ";"),
    ("a free less", r"[\w>().-]*\btp_free\(([^;]*)\);", ";"),
)

# Put before the statement: says once, to a file of MUTANT_REACHED's name, that the place was come to.
REACHED = "{ static int told_; extern void mutant_tell_(void); if (!told_) { told_ = 1; mutant_tell_(); } } "
TELL = """
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
void mutant_tell_(void) {
    const char *name = getenv("MUTANT_REACHED");
    int file = name ? open(name, O_CREAT | O_WRONLY, 0600) : -1;
    if (file >= 0) close(file);
}
"""


@dataclass
class Mutant:
    """A module that is spoiled in one place."""

    line: int
    kind: str
    statement: str
    text: str


def mutants(text):
    """One for each statement and way to spoil it."""
    code = re.sub(r"/\*.*?\*/|//[^\n]*", lambda comment: re.sub(r"[^\n]", " ", comment[0]), text, flags=re.DOTALL)
    for kind, pattern, replacement in MUTATIONS:
        for place in re.finditer(pattern, code):
            line_start = code.rfind("\n", 0, place.start()) + 1
            if code[line_start:place.start()].lstrip().startswith("#"):
                continue  # of a macro
            spoiled = "{ " + REACHED + place.expand(replacement).replace("{{", "{").replace("}}", "}") + " }"
            yield Mutant(text.count("\n", 0, place.start()) + 1, kind, " ".join(place[0].split()),
                         text[:place.start()] + spoiled + text[place.end():])


class Module:
    """A module's source, and how it is compiled and checked."""

    def __init__(self, options, scratch):
        self.source = options.source.resolve()
        self.name = options.name or self.source.stem
        self.others = [file.resolve() for file in options.others]
        self.flags = [*ouro("config", "--cflags").stdout.split(), *shlex.split(options.cflags)]
        self.seconds = options.seconds
        self.scratch = scratch
        (scratch / "tell.c").write_text(TELL)

    def compiled(self, text):
        """The shared object, or None."""
        # Beside the source, for what it includes.
        source = self.source.with_name(f".mutant-{os.getpid()}-{self.source.name}")
        target = self.scratch / f"{self.name}.so"
        source.write_text(text)
        try:
            done = subprocess.run(["cc", "-w", "-g", "-O1", "-shared", "-fPIC", *self.flags, source, *self.others,
                                   self.scratch / "tell.c", "-o", target], capture_output=True, timeout=300, check=False)
        finally:
            source.unlink()
        return target if done.returncode == 0 else None

    def check(self, module):
        """(rule, function, certain, by a cycle) of what is found, and whether the spoiled place was come to."""
        reached = self.scratch / "reached"
        reached.unlink(missing_ok=True)
        os.environ["MUTANT_REACHED"] = str(reached)
        try:
            done = ouro("check", module, "--json", "-", "--seconds", self.seconds, sequences=400)
        except subprocess.TimeoutExpired:
            return {("no end", "", True, False)}, reached.exists()
        if done.returncode not in (0, 1):
            return {(f"status {done.returncode}", "", True, False)}, reached.exists()
        return {(each["rule"], each["symbol"] or each["type"], each["certain"], gives_instances(each))
                for each in json.loads(done.stdout)["findings"]}, reached.exists()


def gives_instances(finding):
    """Whether its calls give somebody an instance: a name, as argument or value."""
    return re.search(r"(?:\(|, |= )[a-z]\b(?![.(])", finding.get("script") or "") is not None


def outcome(found, usual, reached):
    """In words."""
    new = {rule: certain for rule, _, certain, _ in sorted(found - usual)}
    told = ", ".join(rule if certain else f"probably {rule}" for rule, certain in new.items())
    return told or ("not noticed" if reached else "not reached")


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("--name", help="the module's; the source's without it")
    parser.add_argument("--with", dest="others", type=Path, nargs="*", default=[], help="what else it is compiled of")
    parser.add_argument("--cflags", default="", help="for the compiler")
    parser.add_argument("--most", type=int, default=0, help="of so many mutants, chosen at random; without it, of all")
    parser.add_argument("--seed", type=int, default=1, help="of the choice")
    parser.add_argument("--seconds", type=int, default=10, help="that one step of a check may take")
    parser.add_argument("--json", type=Path, help="write the outcomes to this file")
    options = parser.parse_args()
    outcomes = []
    with tempfile.TemporaryDirectory() as directory:
        module = Module(options, Path(directory))
        text = options.source.read_text()
        whole = module.compiled(text)
        if whole is None:
            sys.exit(f"{options.source}: does not compile as it is")
        usual, _ = module.check(whole)
        chosen = list(mutants(text))
        if 0 < options.most < len(chosen):
            chosen = sorted(random.Random(options.seed).sample(chosen, options.most), key=lambda each: each.line)
        for mutant in chosen:
            spoiled = module.compiled(mutant.text)
            result = "does not compile"
            if spoiled is not None:
                found, reached = module.check(spoiled)
                result = outcome(found, usual, reached)
            outcomes.append({"line": mutant.line, "kind": mutant.kind, "statement": mutant.statement, "outcome": result})
            print(f"{options.source.name}:{mutant.line}: {mutant.kind}: {mutant.statement}: {result}", flush=True)
    if options.json:
        options.json.write_text(json.dumps({"module": module.name, "usual": sorted(usual), "mutants": outcomes}, indent=1))


if __name__ == "__main__":
    main()
