"""The `binary-trees` workload in CPython: the Benchmarks Game's, with and without references to parents.

    python3 -I -S binary_trees.py --depth N [--parents]

Prints one JSON object with the keys of `ouro bench binary-trees --json -`, and makes the same trees in the same
order: experiments/workloads/binary_trees.hpp says which they are.
"""
import sys

sys.path.insert(0, __file__.rpartition("/")[0] or ".")

import measure
import steps

USAGE = "usage: binary_trees.py --depth N [--parents] [--seed S]"
LEAST = 4


class Node:
    __slots__ = ("left", "right")


class NodeWithParent:
    __slots__ = ("left", "right", "parent")


def new_tree(depth):
    left = new_tree(depth - 1) if depth else None
    right = new_tree(depth - 1) if depth else None
    node = Node()
    node.left, node.right = left, right
    return node


def new_tree_with_parents(depth):
    left = new_tree_with_parents(depth - 1) if depth else None
    right = new_tree_with_parents(depth - 1) if depth else None
    node = NodeWithParent()
    node.left, node.right = left, right
    if depth:
        left.parent = right.parent = node
    return node


def counted(node):
    return 1 if node.left is None else 1 + counted(node.left) + counted(node.right)


class BinaryTrees(steps.Load):
    def __init__(self, depth, parents):
        self.depth, self.parents = depth, parents
        self.new_tree = new_tree_with_parents if parents else new_tree
        self.long_lived = self.new_tree(depth)
        self.depths = self.order()

    def trees(self):
        return 1 + sum(1 << (self.depth - depth + LEAST)
                       for depth in range(LEAST, self.depth + 1, 2))

    def order(self):
        yield self.depth + 1
        for depth in range(LEAST, self.depth + 1, 2):
            for _ in range(1 << (self.depth - depth + LEAST)):
                yield depth

    def step(self):
        depth = next(self.depths)
        tree = self.new_tree(depth)
        nodes = counted(tree)
        self.unreachable += nodes
        del tree
        if nodes != (2 << depth) - 1:
            measure.fail("binary_trees.py", "a tree has not the nodes that it should have")

    def drop(self):
        self.unreachable += self.live()
        self.long_lived = None

    def live(self):
        return (2 << self.depth) - 1

    def waiting(self, collected):
        return max(self.unreachable - collected, 0) if self.parents else 0


def main():
    wanted = measure.parse("binary_trees.py", USAGE, {"depth": None, "parents": False, "seed": 1},
                           sys.argv[1:])
    if wanted["depth"] < LEAST:
        measure.fail("binary_trees.py", "--depth takes at least %d" % LEAST, 2)
    before = steps.begin()
    load = BinaryTrees(wanted["depth"], wanted["parents"])
    row = steps.run("binary-trees", {key: wanted[key] for key in ("depth", "parents")},
                    wanted["seed"], load, load.trees(), before,
                    lambda: steps.count_of(Node, NodeWithParent))
    import json  # after the last measurement
    print(json.dumps(row))


if __name__ == "__main__":
    measure.require_cpython("binary_trees.py")
    main()
