"""Parses modules of the standard library and keeps their syntax trees, with links to parents.

    ast_stdlib.py [--containers N] [--modules N]

Modules are parsed in the order of their paths until N containers (nodes, their attribute
dictionaries and their lists; default 600000) or N modules exist. A heap of many small objects of
many types with cycles everywhere: a node refers to its parent, and its parent to it.
"""

import argparse
import ast
import os

# The parser shares one instance of each of these among all trees: they have no one parent.
SHARED = (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop)
# Sources that are broken on purpose, and what does not belong to the standard library.
LEFT_OUT = {"__pycache__", "dist-packages", "idlelib", "lib2to3", "site-packages", "test", "tests"}

forest = []  # what keeps everything alive


def sources():
    """The paths of the standard library's modules, sorted."""
    found = []
    for folder, folders, files in os.walk(os.path.dirname(os.path.realpath(ast.__file__))):
        folders[:] = set(folders) - LEFT_OUT
        found += [os.path.join(folder, name) for name in files if name.endswith(".py")]
    return sorted(found)


def link(tree):
    """Gives every node but the root its `parent`; -> how many containers the tree has."""
    containers = 0
    pending = [tree]
    while pending:
        node = pending.pop()
        containers += 2
        for field in node._fields:
            value = getattr(node, field, None)
            children = value if isinstance(value, list) else [value]
            containers += children is value
            for child in children:
                if isinstance(child, ast.AST) and not isinstance(child, SHARED):
                    child.parent = node
                    pending.append(child)
    return containers


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--containers", type=int, default=600_000, metavar="N")
    parser.add_argument("--modules", type=int, metavar="N")
    wanted = parser.parse_args()
    containers = 0
    for path in sources()[:wanted.modules]:
        if containers >= wanted.containers:
            break
        with open(path, "rb") as file:
            tree = ast.parse(file.read(), path)
        containers += link(tree)
        forest.append(tree)
    print(f"{len(forest)} modules, {containers} containers")


main()
