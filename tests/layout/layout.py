"""The rules of the house, as functions from a tree of files to a list of what breaks them.

Each takes the root and the tracked files (paths from the root, with `/`) and returns messages, empty
if the rule holds. Nothing here knows which tree it looks at, so that a test can feed it a bad one.
"""

import json
import os
import re
import subprocess
import tomllib

TOP_LEVEL = {"CMakeLists.txt", "LICENSE", "README.md",
             "concurrency", "core", "experiments", "paper", "plots", "tests"}
CPP_ROOMS = ("concurrency", "core", "experiments", "tests")

# Who may include whom. experiments/ sees of core/ the public headers alone, as any user does.
MAY_INCLUDE = {
    "concurrency": ("concurrency/",),
    "core": ("core/", "concurrency/"),
    "experiments": ("experiments/",),
    "tests": ("tests/", "core/", "concurrency/", "experiments/"),
}
PUBLIC_HEADERS = re.compile(r"^(Python\.h|ouroboros\.h|ouroboros/.*)$")

SOURCES = (".cpp", ".hpp", ".c", ".h", ".py", ".sh", ".cmake")
MAX_LINES = 600

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
MODULE = re.compile(r"\bplots(?:\.\w+)+")
FROM = re.compile(r"^from (plots(?:\.\w+)*) import (\w+(?:, \w+)*|\((?:[^)]*)\))", re.MULTILINE)
TAG = re.compile(r"\binv\.[a-z0-9-]+(?:\.[a-z0-9-]+)+\b")
COMMENT = re.compile(r"//.*")
DEFINITION = re.compile(r"^- \*\*(inv\.[a-z0-9.-]+)\*\*", re.MULTILINE)


def tracked_files(root):
    """Files that git tracks or would; outside a checkout, all but build directories and results."""
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z",
         "--cached", "--others", "--exclude-standard"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if listing.returncode == 0:
        names = set(listing.stdout.decode().split("\0")) - {""}
        return sorted(name for name in names if os.path.isfile(os.path.join(root, name)))
    files = []
    for directory, children, names in os.walk(root):
        here = os.path.relpath(directory, root)
        children[:] = [child for child in children if not child.startswith((".", "__pycache__"))
                       and not (here == "." and child.startswith("build"))
                       and not (here == "experiments" and child == "results")]
        files += [os.path.normpath(os.path.join(here, name)) for name in names]
    return sorted(files)


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8") as file:
        return file.read()


def top_level(_root, files):
    """The top level holds exactly the agreed names, and dot-files."""
    found = {name.split("/")[0] for name in files}
    found = {name for name in found if not name.startswith(".")}
    return ([f"{name}: is not one of the names of the top level" for name in sorted(found - TOP_LEVEL)]
            + [f"{name}: is missing from the top level" for name in sorted(TOP_LEVEL - found)])


def include_directions(root, files):
    """No top-level folder includes another against the order of the layers."""
    known = set(files)
    errors = []
    for name in files:
        layer = name.split("/")[0]
        if layer not in MAY_INCLUDE or not name.endswith((".cpp", ".hpp", ".c", ".h")):
            continue
        for style, included in INCLUDE.findall(read(root, name)):
            if PUBLIC_HEADERS.match(included):
                if layer == "concurrency":
                    errors.append(f"{name}: includes {included}: {layer}/ knows no Python object")
            elif included.startswith(tuple(f"{room}/" for room in CPP_ROOMS)):
                if not included.startswith(MAY_INCLUDE[layer]):
                    errors.append(f"{name}: includes {included}: {layer}/ may include "
                                  + ", ".join(MAY_INCLUDE[layer]))
            elif style == '"':
                local = os.path.normpath(os.path.join(os.path.dirname(name), included))
                if local in known:
                    errors.append(f"{name}: includes \"{included}\" by a path that does not begin "
                                  "at the project's root")
    return errors


def room_of(name):
    """The room of a source or of an included path: its folder; the public headers are one room in two."""
    return "core/include" if name.startswith("core/include/") else os.path.dirname(name)


def in_circles(rooms):
    """[set of rooms that include each other, by way of others perhaps], of {room: rooms that it includes}"""
    def reached(room, seen):
        for other in rooms.get(room, ()):
            if other not in seen:
                seen.add(other)
                reached(other, seen)
        return seen
    reach = {room: reached(room, set()) for room in rooms}
    return {frozenset(other for other in rooms if other in reach[room] and room in reach[other])
            for room in rooms if room in reach[room]}


def rooms_in_order(listed, allowed, found, together=()):
    """What breaks the order of rooms: `allowed` {room: rooms that it may use}; `found` [(room, file, what it uses, the
    room of that)]; `together`: circles that there is a reason for."""
    allowed = {room: set(others) for room, others in allowed.items()}
    used = {}
    errors = []
    for room, name, what, other in found:
        if room not in allowed:
            errors.append(f"{listed}: {room} is not listed")
            allowed[room] = set()
        if other in (None, room):
            continue
        used.setdefault(room, set()).add(other)
        if other not in allowed[room]:
            errors.append(f"{name}: includes {what}: {room} may include {', '.join(sorted(allowed[room])) or 'nothing'}")
    errors += [f"{listed}: {room} does not include {other}" for room, others in sorted(allowed.items())
               for other in sorted(others - used.get(room, set()))]
    named = {frozenset(each["rooms"]) for each in together}
    circles = in_circles(used)
    errors += [f"{listed}: no reason is given why these include each other: {', '.join(sorted(each))}"
               for each in sorted(circles - named, key=sorted)]
    errors += [f"{listed}: these do not include each other: {', '.join(sorted(each))}"
               for each in sorted(named - circles, key=sorted)]
    return errors


LISTED = "tests/layout/rooms.toml"


def rooms_of_the_library(root, files):
    """A room of the library includes what tests/layout/rooms.toml allows, all of that, and in no circle but those named."""
    if LISTED not in files:
        return []
    document = tomllib.loads(read(root, LISTED))
    found = []
    for name in files:
        if not name.startswith(("core/", "concurrency/")) or not name.endswith((".cpp", ".hpp", ".c", ".h")):
            continue
        found.append((room_of(name), name, None, None))
        for _, path in INCLUDE.findall(read(root, name)):
            # The bridge's is CPython's.
            if PUBLIC_HEADERS.match(path) and not name.startswith("core/bridge/"):
                path = f"core/include/{path}"
            if path.startswith(("core/", "concurrency/")):
                found.append((room_of(name), name, path, room_of(path)))
    return rooms_in_order(LISTED, document["may_include"], found, document.get("together", ()))


def rooms_of_the_plots(root, files):
    """The same of plots/, by the modules that are named; in no circle. The scripts at its top are a room, too."""
    if LISTED not in files:
        return []
    modules = {name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): name
               for name in files if name.startswith("plots/") and name.endswith(".py")}
    found = []
    for name in modules.values():
        room = os.path.dirname(name)
        found.append((room, name, None, None))
        text = read(root, name)
        named = set(MODULE.findall(text))
        for package, names in FROM.findall(text):
            named |= {f"{package}.{each}" for each in re.findall(r"\w+", names)}
        found += [(room, name, each, os.path.dirname(modules[each])) for each in sorted(named & set(modules))]
    return rooms_in_order(LISTED, tomllib.loads(read(root, LISTED)).get("may_import", {}), found)


def readmes(_root, files):
    """Every room, a folder that holds sources, has a README.md."""
    known = set(files)
    rooms = {os.path.dirname(name) for name in files if name.endswith(SOURCES)}
    rooms |= {name.split("/")[0] for name in files if "/" in name and not name.startswith(".")}
    # The public headers are one room in two folders.
    rooms -= {"", "core/include/ouroboros"}
    return [f"{room}/: has no README.md" for room in sorted(rooms)
            if not room.startswith(".") and f"{room}/README.md" not in known]


NAMESPACE = re.compile(r"^namespace ouro::(\w+)[\w:]* \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
FORWARD = re.compile(r"\s*((struct|class|enum class) \w+;(\s*//.*)?\s*)+")


def namespaces(root, files):
    """What a room declares is in the namespace of the room's name, or of that of a folder that it lies in."""
    errors = []
    for name in files:
        if not name.startswith(("core/", "concurrency/", "experiments/")) or not name.endswith((".cpp", ".hpp")):
            continue
        for found, text in NAMESPACE.findall(read(root, name)):
            if found not in name.split("/") and not FORWARD.fullmatch(text):
                errors.append(f"{name}: declares in ouro::{found}, which is no folder that it lies in")
    return errors


GLOSSARY = "core/GLOSSARY.md"
MAX_TERMS = 40


def glossary(root, files):
    """A term is in the glossary once, with a file that there is; they are few."""
    if GLOSSARY not in files:
        return []
    rows = re.findall(r"^\| ([^|]+) \|.*\]\(([^)]+)\) \|$", read(root, GLOSSARY), re.MULTILINE)
    terms = [term for term, _ in rows]
    errors = [f"{GLOSSARY}: {term}: there is no {file}" for term, file in rows
              if os.path.normpath(os.path.join("core", file)) not in files]
    errors += [f"{GLOSSARY}: {term}: twice" for term in sorted(set(terms)) if terms.count(term) > 1]
    if len(rows) > MAX_TERMS:
        errors.append(f"{GLOSSARY}: {len(rows)} terms, more than {MAX_TERMS}")
    return errors


def lengths(root, files):
    """No source has more than 600 lines."""
    errors = []
    for name in files:
        if name.endswith(SOURCES):
            lines = read(root, name).count("\n")
            if lines > MAX_LINES:
                errors.append(f"{name}: {lines} lines, more than {MAX_LINES}: is it two things?")
    return errors


def built(root, files, compile_commands):
    """Every C++ source is compiled; `compile_commands` is the path of the build's JSON database.

    Several may be compiled as one that CMake makes of them. A peer's is compiled by the script `build` beside it, which
    names it.
    """
    with open(compile_commands, encoding="utf-8") as file:
        compiled = {os.path.realpath(os.path.join(entry["directory"], entry["file"]))
                    for entry in json.load(file)}
    for unity in [path for path in compiled if os.path.basename(os.path.dirname(path)) == "Unity"]:
        compiled.update(re.findall(r'(?m)^#include "(.+)"$', read("/", unity)))

    def by_its_peer(name):
        script = os.path.join(os.path.dirname(name), "build")
        return (name.startswith("experiments/peers/") and script in files
                and f"/{os.path.basename(name)}" in read(root, script))

    return [f"{name}: is not compiled by any target" for name in files
            if name.endswith(".cpp") and name.split("/")[0] in CPP_ROOMS
            and os.path.realpath(os.path.join(root, name)) not in compiled and not by_its_peer(name)]


def invariants(root, files):
    """Every tag is defined once, in a page of core/ or concurrency/, and cited by code and a test."""
    definitions, citations = {}, {}
    errors = []
    for name in files:
        layer = name.split("/")[0]
        if layer not in CPP_ROOMS + ("README.md", "plots") or name.startswith("tests/layout/"):
            continue
        if not name.endswith(SOURCES + (".md",)):
            continue
        text = read(root, name)
        if name.endswith(".md") and layer in ("core", "concurrency"):
            for tag in DEFINITION.findall(text):
                if tag in definitions:
                    errors.append(f"{name}: {tag} is defined in {definitions[tag]} already")
                definitions[tag] = name
        for tag in TAG.findall(text):
            citations.setdefault(tag, set()).add(name)
    for tag in sorted(set(citations) - set(definitions)):
        where = ", ".join(sorted(citations[tag]))
        errors.append(f"{where}: {tag} is defined nowhere")
    for tag, page in sorted(definitions.items()):
        sources = {name for name in citations.get(tag, ()) if not name.endswith(".md")}
        if not any(name.startswith(("core/", "concurrency/")) for name in sources):
            errors.append(f"{page}: {tag} is cited by no source of core/ or concurrency/")
        if not any(name.startswith("tests/") for name in sources):
            errors.append(f"{page}: {tag} is cited by no test")
    return errors


PAST_A_VIEW = re.compile(r"\bheap::(tables|slot_of|slot_in_heap|is_old|load_mark|store_mark)\b")


def views_of_the_heap(root, files):
    """Outside its room the heap's side tables are reached through a view alone, which says the role of the thread."""
    return [f"{name}: names heap::{found}: a HeapView (core/heap/view.hpp) says in which role"
            for name in files
            if name.startswith("core/") and not name.startswith("core/heap/") and name.endswith((".cpp", ".hpp"))
            for found in dict.fromkeys(PAST_A_VIEW.findall(COMMENT.sub("", read(root, name))))]


RULES = (top_level, include_directions, rooms_of_the_library, rooms_of_the_plots, views_of_the_heap, namespaces, glossary,
         readmes, lengths, invariants)
