"""programs/ast_stdlib.py makes the heap that it promises: as many containers as asked for, the same
at each run, every node of a tree referring to a node that refers to it."""
# not with a sanitizer: runs nothing of the build

import os
import unittest

from capture_support import CAPTURE, Workshop, interpreters

PROGRAM = os.path.join(CAPTURE, "programs", "ast_stdlib.py")
# The parser's shared instances have no parent.
SHARED = {"ast." + name for name in (
    "Load Store Del And Or Add Sub Mult MatMult Div Mod Pow LShift RShift BitOr BitXor BitAnd "
    "FloorDiv Invert Not UAdd USub Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn AugLoad "
    "AugStore Param").split()}


class TheSyntaxTreesAreLinkedToTheirParents(unittest.TestCase):
    def test_with_every_interpreter(self):
        for python in interpreters():
            with self.subTest(python=python), Workshop() as workshop:
                first, heap = workshop.capture(python, PROGRAM, "--containers", "20000")
                second = workshop.run(python, PROGRAM, "--containers", "20000").stdout
                self.assertEqual(first, second)
                modules, containers = int(first.split()[0]), int(first.split()[2])
                self.assertGreaterEqual(containers, 20000)
                self.assertGreater(heap.metadata["tracked_objects"], containers)
                self.check(heap, modules)

    def check(self, heap, modules):
        def node_type(obj):
            name = heap.type(obj).replace("_ast.", "ast.")
            other = name in SHARED or name.startswith("ast._")  # the module's own helpers
            return name if name.startswith("ast.") and not other else None

        nodes = [obj for obj in range(len(heap)) if node_type(obj)]
        # Nodes below a node, at most three steps away: its dictionary, a list, the node.
        near = {}
        for node in nodes:
            found = set()
            for held in heap.references(node):
                if heap.kind(held) == "dict":
                    for value in heap.references(held)[1::2]:
                        found.add(value)
                        if heap.kind(value) == "list":
                            found.update(heap.references(value))
            near[node] = {obj for obj in found if node_type(obj)}
        self.assertEqual(sum(1 for node in nodes if node_type(node) == "ast.Module"), modules)
        for node in nodes:
            self.assertEqual(heap.external[node], 0)
            if node_type(node) != "ast.Module":
                parents = [other for other in near[node] if node in near[other]]
                self.assertTrue(parents, "node %d, %s" % (node, heap.type(node)))

    def test_a_number_of_modules_bounds_it(self):
        with Workshop() as workshop:
            done = workshop.run(interpreters()[0], PROGRAM, "--modules", "3")
            self.assertTrue(done.stdout.startswith("3 modules, "), done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
