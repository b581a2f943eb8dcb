"""The index of core/SOUNDNESS.md: each invariant with its proof, where the code relies on it, its tests and its models.

    /usr/bin/python3 tests/layout/soundness.py --write      makes it anew
"""

import os
import sys

import layout

PAGE = "core/SOUNDNESS.md"
HEAD = "| invariant | proof | in the code | tests | explored in full |"


def links(names):
    return ", ".join(f"[{os.path.basename(name)}]({os.path.relpath(name, os.path.dirname(PAGE))})"
                     for name in sorted(names)) or "-"


def index(root, files):
    """The table, a line an invariant, in the order of their names."""
    definitions, citations = {}, {}
    for name in files:
        if name == PAGE or name.startswith("tests/layout/") or not name.startswith(("core/", "concurrency/", "tests/")):
            continue
        if not name.endswith(layout.SOURCES + (".md", ".pml")):
            continue
        text = layout.read(root, name)
        if name.endswith(".md"):
            definitions.update(dict.fromkeys(layout.DEFINITION.findall(text), name))
        else:
            for tag in layout.TAG.findall(text):
                citations.setdefault(tag, set()).add(name)

    def cited(tag, rooms, other=()):
        return {name for name in citations.get(tag, ()) if name.startswith(rooms) and not name.startswith(other)}
    models = ("tests/model/", "tests/systematic/")
    lines = [HEAD, "|---|---|---|---|---|"]
    for tag, page in sorted(definitions.items()):
        lines.append(f"| {tag} | {links([page])} | {links(cited(tag, ('core/', 'concurrency/')))} "
                     f"| {links(cited(tag, ('tests/',), models))} | {links(cited(tag, models))} |")
    return "\n".join(lines) + "\n"


def page(root, files):
    """The page as it should be."""
    text = layout.read(root, PAGE)
    at = text.find(HEAD)
    return (text if at < 0 else text[:at]) + index(root, files)


if __name__ == "__main__":
    ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    made = page(ROOT, layout.tracked_files(ROOT))
    with open(os.path.join(ROOT, PAGE), "w", encoding="utf-8") as out:
        out.write(made)
