"""The listings of core/CRITICAL_PATH.md: the instructions that a release build executes, and what memory each touches.

    /usr/bin/python3 tests/layout/critical_path.py --write [--build DIR]      makes them anew

--build: the build directory (build/). critical_path.c is compiled, linked with the build's library and executed in
single steps. A note of the page stays with its instruction; a new instruction gets the note `?`, which an author replaces.
"""

import argparse
import difflib
import functools
import itertools
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

PAGE = "core/CRITICAL_PATH.md"
SOURCE = "tests/layout/critical_path.c"
# In the order of the table.
PATHS = ("incref", "decref", "last-decref", "immortal-incref", "allocate", "track", "untrack", "free",
         "foreign-incref", "foreign-decref")
LIBRARY_ALONE = ("allocate", "track", "untrack", "free")  # what calls them is not of the path
NOT_OF_A_PATH = ("call_in_steps", "pair_dealloc")
REGISTERS = ("r8 r9 r10 r11 r12 r13 r14 r15 rdi rsi rbp rbx rdx rax rcx rsp rip").split()

BLOCK = re.compile(r"(<!-- path: ([\w-]+) -->\n\n```\n)(.*?)(```\n)", re.DOTALL)
TABLE = re.compile(r"(<!-- paths -->\n\n)(.*?)(\n<!-- end -->)", re.DOTALL)
LINE = re.compile(r"^ *\d+  (?P<instruction>.*?)  +(?P<memory>\S+(?: [rw]+)?)  +; (?P<note>.*)$", re.M)

MEMORY = ("object", "block", "state", "young", "thread", "record", "type", "map", "tables", "got", "global", "stack")
OBJECT_BYTES = 32  # of the type in SOURCE


def run(*command, **options):
    """The standard output of a command that must succeed."""
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stderr.strip()}")
    return done.stdout


class NoSteps(RuntimeError):
    """The system does not report single steps."""


def settings(build):
    """What the build was configured with."""
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
        return dict(re.findall(r"^(\w+):\w+=(.*)$", file.read(), re.M))


def why_not(build):
    """Why the build's instructions are not those of the page; None if they should be."""
    if platform.machine() != "x86_64":
        return f"the page is of x86-64; this is {platform.machine()}"
    for tool in ("objdump", "readelf"):
        if not shutil.which(tool):
            return f"there is no {tool} (Debian's package binutils)"
    found = settings(build)
    wanted = {"CMAKE_BUILD_TYPE": "Release", "CMAKE_C_FLAGS": "", "CMAKE_CXX_FLAGS": "",
              "CMAKE_CXX_FLAGS_RELEASE": "-O3 -DNDEBUG", "OURO_SANITIZE": "", "OURO_REFCOUNT": "", "OURO_POISON": "OFF",
              "OURO_FUZZ": "OFF"}
    for key, value in wanted.items():
        if found.get(key, value) != value:
            return f"the page is of a build with {key}={value}; this one has {found[key]}"
    for key in ("CMAKE_C_COMPILER", "CMAKE_CXX_COMPILER"):
        version = run(found[key], "--version").splitlines()[0]
        if not re.search(r"\(Debian 12\.[^)]*\) 12\.", version):
            return f"the page is of Debian 12's gcc 12; this is {version}"
    return None


def plain_name(symbol):
    """A function or variable without the namespaces that say nothing and without parameters."""
    symbol = symbol.replace("(anonymous namespace)::", "").split("(")[0].split("[")[0]
    return symbol.strip().removeprefix("ouro::")


class Binary:
    """Disassembly and names of a shared object or program."""

    def __init__(self, path):
        self.instructions, self.function_of = {}, {}
        function = None
        for line in run("objdump", "-d", "-C", "-M", "intel", "--no-show-raw-insn", path).splitlines():
            if head := re.match(r"[0-9a-f]+ <(.*)>:$", line):
                function = plain_name(head[1])
            elif found := re.match(r" *([0-9a-f]+):\t(.*)$", line):
                address = int(found[1], 16)
                self.instructions[address] = found[2].strip()
                self.function_of[address] = function
        self.variables, thread_locals = [], {}
        for line in run("readelf", "-sW", "-C", path).splitlines():
            if found := re.match(r" *\d+: ([0-9a-f]+) +(\w+) (OBJECT|TLS) +\w+ +\w+ +\w+ (.+?)(@.*)?$", line):
                start, name = int(found[1], 16), plain_name(found[4])
                if found[3] == "TLS":
                    thread_locals[start] = name
                else:
                    self.variables.append((start, int(found[2], 0), name))
        self.offsets = {}  # entries of the global offset table: what they hold
        for line in run("readelf", "-rW", path).splitlines():
            if found := re.match(r"([0-9a-f]+) +[0-9a-f]+ R_X86_64_(TPOFF64|GLOB_DAT|JUMP_SLOT) +(.*)$", line):
                words = found[3].split()  # a value and a name, or the place of a hidden variable of the thread
                name = words[1].split("@")[0] if len(words) > 1 else thread_locals.get(int(words[0], 16), "?")
                what = "offset" if found[2] == "TPOFF64" else "address"
                self.offsets[int(found[1], 16)] = f"{what} of {name.split('::')[-1]}"

    def name_of(self, address, members):
        """A variable of the object, or None."""
        if address in self.offsets:
            return self.offsets[address]
        for start, size, name in self.variables:
            if start <= address < start + size:
                if name == "heap::tables":
                    return f"tables.{members[(address - start) // 8]}"
                return name.removeprefix("heap::") + (f"+{address - start:#x}" if address > start else "")
        return None


@functools.cache
def binary_at(path):
    return Binary(path)


def table_members(root):
    """Names of the words of ouro::heap::Tables."""
    with open(os.path.join(root, "core", "heap", "tables.hpp"), encoding="utf-8") as file:
        body = re.search(r"^struct Tables \{$(.*?)^\};", file.read(), re.M | re.S)[1]
    return re.findall(r"^ +\w[\w ]*\*? (\w+) = ", body, re.M)


class Trace:
    """What a run of the program printed, in the words of the page."""

    def __init__(self, output, members):
        self.members = members
        self.binaries, self.runs = [], {}
        steps = []
        for line in output.splitlines():
            word, *rest = line.split()
            if word in ("program", "library"):
                self.binaries.append((int(rest[0], 16), word, binary_at(rest[1])))
            elif word == "tables":
                self.tables = dict(zip(members, (int(each, 16) for each in rest)))
            elif word == "thread":
                self.thread = int(rest[0], 16)
            elif word == "type":
                self.type = range(int(rest[0], 16), int(rest[0], 16) + int(rest[1], 16))
            elif word == "path":
                steps = []
                self.runs.setdefault(rest[0], []).append((int(rest[1], 16), steps))
            elif word == "step":
                steps.append(dict(zip(REGISTERS, (int(each, 16) for each in rest))))

    def at(self, address):
        """The binary of an address and the address in it; (None, None, None) elsewhere: the dynamic linker."""
        for base, word, binary in self.binaries:
            if address - base in binary.instructions:
                return word, binary, address - base
        return None, None, None

    def place(self, address, registers, op):
        """A word of MEMORY."""
        if 0 <= address - op < OBJECT_BYTES:
            return "object"
        if address in self.type:
            return "type"
        if -0x100 <= address - registers["rsp"] < 0x4000:
            return "stack"
        if -0x2000 <= address - self.thread < 0x100:
            return "thread"
        for base, _, binary in self.binaries:
            if address - base in binary.offsets:
                return "got"
            if named := binary.name_of(address - base, self.members):
                return "tables" if named.startswith("tables.") else "global"
        base, size = self.tables["base"], self.tables["size"]
        if base <= address < base + size:
            return "slot"
        sides = {start: name for name, start in self.tables.items() if name not in ("base", "size") and start <= address}
        if sides and address - max(sides) < 1 << 34:
            name = sides[max(sides)]
            return {"maps": "map", "blocks": "block"}.get(name, name)
        return "record"

    def operand(self, text, registers, following, op):
        """The memory that an instruction names: its word and how it is used, or None."""
        mnemonic, _, operands = text.partition(" ")
        found = re.search(r"(fs:)?\[([^\]]+)\]|fs:(0x[0-9a-f]+)", operands)
        if not found or mnemonic in ("lea", "nop", "nopw", "nopl", "xchg"):
            return None
        address = self.thread if found[1] or found[3] else 0
        for sign, term in re.findall(r"([+-]?)([^+-]+)", found[2] or found[3]):
            value = 1
            for factor in term.split("*"):
                value *= (following if factor == "rip" else registers[factor]) if factor in registers else int(factor, 0)
            address += -value if sign == "-" else value
        address &= 2**64 - 1
        use = "r"
        first = operands.split(",")[0]
        if found[0] in first and mnemonic.split()[0] not in ("cmp", "test", "call", "jmp", "push"):
            use = "w" if mnemonic.startswith(("mov", "set")) else "rw"
        return self.place(address, registers, op), use

    def listing(self, name):
        """[(function, instruction, memory)] of the path: of its shortest run."""
        listings = []
        for op, steps in self.runs[name]:
            lines = []
            for registers, after in itertools.zip_longest(steps, steps[1:]):
                word, binary, address = self.at(registers["rip"])
                if binary is None:  # the dynamic linker, in the first run
                    lines.append(("?", "?", "-"))
                    continue
                function = binary.function_of[address]
                if word == "program" and (name in LIBRARY_ALONE or function in NOT_OF_A_PATH):
                    continue
                text, memory = self.line(binary, address, registers, after, op)
                if word == "library" or text != "ret":  # of the function around the inline one
                    lines.append((function, text, memory))
            listings.append(lines)
        return min(listings, key=len)

    def line(self, binary, address, registers, after, op):
        """An instruction and its memory; `after`: the next step."""
        text, _, comment = (each.strip() for each in binary.instructions[address].partition("#"))
        following = next(each for each in range(address + 1, address + 16) if each in binary.instructions)
        base = registers["rip"] - address
        touched = self.operand(text.removeprefix("lock "), registers, base + following, op)
        if target := re.match(r"([0-9a-f]+)\b", comment):
            named = binary.name_of(int(target[1], 16), self.members) or "?"
            text = re.sub(r"\[rip\+0x[0-9a-f]+\]", f"[{named}]", text)
        text = re.sub(r"\b\w+ PTR ", "", text)
        mnemonic, _, rest = text.partition(" ")
        if mnemonic in ("call", "jmp") and "[" not in rest:
            _, there, where = self.at(after["rip"])
            named = there.function_of[where] if there else "?"
            text = f"{mnemonic} {'on' if named == binary.function_of[address] else named}"
        elif mnemonic.startswith("j") and mnemonic != "jmp":
            text = f"{mnemonic} {'not taken' if after['rip'] == base + following else 'taken'}"
        text = re.sub(r" +", " ", text.replace(",", ", "))
        return text, " ".join(touched) if touched else "-"


def traces(root, build, directory):
    """The Trace of the build's library under each policy with a fast path."""
    program, library = os.path.join(directory, "critical_path"), os.path.join(build, "lib")
    run(settings(build)["CMAKE_C_COMPILER"], "-std=gnu11", "-O2", "-fPIC", "-pthread",
        "-I", os.path.join(root, "core", "include"), "-I", os.path.join(build, "generated", "public"), "-I", root,
        os.path.join(root, SOURCE), "-o", program, "-L", library, "-louroboros", f"-Wl,-rpath,{library}")
    symbols = run("readelf", "-sW", os.path.join(library, "libouroboros.so"))
    tables = re.search(r"([0-9a-f]+) +\d+ OBJECT .* _ZN4ouro4heap6tablesE$", symbols, re.M)[1]
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("OURO", "LD_"))}
    members = table_members(root)
    return {policy: Trace(run(program, tables, env=kept | {"OURO": f"engine=stw,refcount={policy}"}), members)
            for policy in ("biased", "gil")}


def listings(root, build):
    """{path: [(function, instruction, memory)]}: with `gil` the same as with `biased`, or it is an error."""
    with tempfile.TemporaryDirectory() as directory:
        made = {policy: {name: trace.listing(name) for name in PATHS if name in trace.runs}
                for policy, trace in traces(root, build, directory).items()}
    for name, lines in made["gil"].items():
        if lines != made["biased"][name]:
            raise RuntimeError(f"{name}: not the same instructions with refcount=gil as with refcount=biased")
    if missing := set(PATHS) - set(made["biased"]):
        raise RuntimeError(f"{SOURCE} has no path {', '.join(sorted(missing))}")
    if not all(made["biased"].values()):
        raise NoSteps("the system reports no single steps")
    return made["biased"]


def kept_notes(old, lines):
    """A note for each line: that of the same instruction of the page, in the order of both."""
    before = [(found["instruction"], found["note"]) for found in LINE.finditer(old)]
    notes = ["?"] * len(lines)
    match = difflib.SequenceMatcher(None, [text for text, _ in before], [text for _, text, _ in lines], autojunk=False)
    for kind, a, a_end, b, b_end in match.get_opcodes():
        if kind == "equal" or kind == "replace" and a_end - a == b_end - b:  # other registers or offsets
            notes[b:b_end] = [note for _, note in before[a:a_end]]
    return notes


def formatted(old, lines):
    """The lines of a listing."""
    out, function = [], None
    for number, ((name, text, memory), note) in enumerate(zip(lines, kept_notes(old, lines)), 1):
        if name != function:
            out.append(f"{name}:")
            function = name
        out.append(f"{number:4}  {text:<39}  {memory:<9} ; {note}")
    return "\n".join(out) + "\n"


def summary(made):
    """The table of all paths."""
    lines = ["| path | instructions | locked | reads | writes |", "|---|---:|---:|---|---|"]
    for name, listing in made.items():
        uses = {kind: [] for kind in "rw"}
        for _, _, memory in listing:
            place, _, use = memory.partition(" ")
            for kind in use:
                uses[kind].append(place)

        def counted(kind):
            places = dict.fromkeys(MEMORY) | dict.fromkeys(uses[kind])
            return ", ".join(f"{each} {uses[kind].count(each)}" for each in places if each in uses[kind]) or "-"
        locked = sum(text.startswith(("lock ", "xchg ")) for _, text, _ in listing)
        lines.append(f"| `{name}` | {len(listing)} | {locked} | {counted('r')} | {counted('w')} |")
    return "\n".join(lines) + "\n"


def page(text, made):
    """The page as it should be."""
    if unknown := {found[2] for found in BLOCK.finditer(text)} - set(made):
        raise RuntimeError(f"{PAGE} lists a path that {SOURCE} has not: {', '.join(sorted(unknown))}")
    if not TABLE.search(text):
        raise RuntimeError(f"{PAGE} has no table of paths: <!-- paths --> to <!-- end -->")
    text = BLOCK.sub(lambda found: found[1] + formatted(found[3], made[found[2]]) + found[4], text)
    return TABLE.sub(lambda found: found[1] + summary(made) + found[3], text)


def without_note(text):
    """Lines of the page that an author has yet to annotate."""
    return [found[0] for found in LINE.finditer(text) if found["note"].strip() in ("", "?")]


def main():
    """The command."""
    root = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(root, "build"))
    parser.add_argument("--write", action="store_true", required=True)
    build = os.path.realpath(parser.parse_args().build)
    if reason := why_not(build):
        sys.exit(f"critical_path: {reason}")
    path = os.path.join(root, PAGE)
    with open(path, encoding="utf-8") as file:
        made = page(file.read(), listings(root, build))
    with open(path, "w", encoding="utf-8") as file:
        file.write(made)
    for line in without_note(made):
        print(f"{PAGE}: has no note: {line}")


if __name__ == "__main__":
    main()
