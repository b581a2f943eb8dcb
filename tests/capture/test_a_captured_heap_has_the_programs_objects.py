"""A capture of a program whose every object is known: kinds, types, sizes, references in their
order, counts from outside."""
# not with a sanitizer: runs nothing of the build

import json
import unittest

from capture_support import HEAPGRAPH, Workshop, heap_file, interpreters

PROGRAM = """
import ctypes, json, sys

class Anchor:
    __slots__ = ("items",)
class Node:
    __slots__ = ("b", "a", "c")
class Plain:
    pass
class Words(list):
    pass
class Pairs(dict):
    pass

def build():
    node, ring, outside, plain, watched = Node(), [], [], Plain(), Plain()
    inner = ["one", 1000001]
    ring.append(ring)
    node.a, node.b = node, inner
    plain.first, plain.second = inner, outside
    watched.first, watched.second = inner, outside
    pairs = Pairs(p=inner)
    pairs.extra = outside
    words = Words([inner, ring])
    anchor = Anchor()
    anchor.items = {
        "inner": inner, "ring": ring, "node": node, "outside": outside, "plain": plain,
        "empty": [], "tuple": (inner, node, inner), "set": {("only", 5)}, "frozenset":
        frozenset([2000002]), "dict": {"k": inner, ("x", 3): ring, 7: None}, "pairs": pairs,
        "words": words, "watched": watched, "its dict": watched.__dict__,
    }
    for _ in range(3):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(outside))
    return anchor

anchor = build()
print(json.dumps({name: sys.getsizeof(item) for name, item in anchor.items.items()}))
"""


class ACapturedHeapHasTheProgramsObjects(unittest.TestCase):
    def test_with_every_interpreter(self):
        for python in interpreters():
            with self.subTest(python=python), Workshop() as workshop:
                output, heap = workshop.capture(python, workshop.write("p.py", PROGRAM))
                self.check(heap, json.loads(output))

    def test_what_is_not_in_it_is_counted(self):
        program = """
import weakref
class Node:
    pass
class Closing(Node):
    def __del__(self): pass
class Reference(weakref.ref):
    pass
nodes = [Node() for _ in range(5)]
weak = [make(node) for node in nodes for make in (Reference, weakref.proxy, weakref.ref)]
closing = [Closing() for _ in range(7)]
running = [(lambda: (yield))() for _ in range(3)]
"""
        for python in interpreters():
            with self.subTest(python=python), Workshop() as workshop:
                counts = []
                for text in ("", program):
                    _, heap = workshop.capture(python, workshop.write("p.py", text))
                    counts.append(heap.metadata["not_recorded"])
                described = json.loads(workshop.run(python, HEAPGRAPH, "--describe", "out.heap",
                                                    "--json").stdout)
                without, counted = counts
                more = {name: counted[name] - without[name] for name in counted}
                self.assertEqual(more["finalizers"], 10)
                # Besides them: those of the three classes, and of the module weakref if it is new.
                self.assertGreaterEqual(more["weak_references"], 15)
                self.assertLess(more["weak_references"], 100)
                containers = [obj for obj in range(len(heap)) if heap.kind(obj) != "leaf"]
                self.assertEqual(described["containers"], len(containers))
                self.assertEqual(described["container_bytes"],
                                 sum((heap.sizes[obj] + 15) // 16 * 16 for obj in containers))

    def check(self, heap, sizes):
        version = tuple(map(int, heap.metadata["python"]["version"].split(".")[:2]))
        anchor, = heap.of_type("__main__.Anchor")
        items, cls = heap.references(anchor)
        self.assertEqual((heap.kind(items), heap.type(cls)), ("dict", "type"))
        pairs = heap.references(items)
        names = ["inner", "ring", "node", "outside", "plain", "empty", "tuple", "set", "frozenset",
                 "dict", "pairs", "words", "watched", "its dict"]
        self.assertEqual([heap.type(key) for key in pairs[::2]], ["str"] * len(names))
        item = dict(zip(names, pairs[1::2]))
        kinds = {name: heap.kind(obj) for name, obj in item.items()}
        self.assertEqual(kinds, {
            "inner": "list", "ring": "list", "outside": "list", "empty": "list", "tuple": "tuple",
            "set": "set", "frozenset": "frozenset", "dict": "dict", "its dict": "dict",
            "node": "instance", "plain": "instance", "watched": "instance", "pairs": "instance",
            "words": "instance"})
        self.assertEqual({name: heap.sizes[obj] for name, obj in item.items()}, sizes)

        def references(name):
            found = heap.references(item[name])
            if kinds[name] == "instance":
                cls, = [obj for obj in found if heap.type(obj) == "type"]
                found.remove(cls)
            return found

        inner, ring, node, outside = (item[name] for name in ("inner", "ring", "node", "outside"))
        self.assertEqual([(heap.type(obj), heap.kind(obj)) for obj in references("inner")],
                         [("str", "leaf"), ("int", "leaf")])
        self.assertEqual(references("ring"), [ring])
        self.assertEqual(references("node"), [node, inner])  # slots a, b; c is empty
        self.assertEqual(references("empty"), [])
        self.assertEqual(references("tuple"), [inner, node, inner])
        only, = references("set")
        self.assertEqual([heap.type(obj) for obj in heap.references(only)], ["str", "int"])
        self.assertEqual([heap.type(obj) for obj in references("frozenset")], ["int"])

        key, value, pair, second, seven, none = references("dict")
        self.assertEqual((heap.type(key), value, heap.kind(pair), second, heap.type(seven),
                          heap.type(none)), ("str", inner, "tuple", ring, "int", "NoneType"))

        self.assertEqual([obj for obj in references("words") if obj in (inner, ring)],
                         [ring, inner])  # what a list visits, from its end
        pairs = references("pairs")
        self.assertEqual((heap.type(pairs[0]), pairs[1]), ("str", inner))
        self.assertIn(outside, pairs[2:] + [obj for held in pairs[2:]
                                            for obj in heap.references(held)])
        self.assertEqual(self.attributes(heap, references("plain")), [inner, outside])
        if version >= (3, 13):  # the instance owns the values at which its dictionary looks
            self.assertEqual(references("watched")[:2], [inner, outside])
            self.assertEqual(references("its dict"), [])
        else:
            self.assertEqual(references("watched"), [item["its dict"]])
            self.assertEqual(references("its dict")[1::2], [inner, outside])

        # Only what is truly held from elsewhere is: by the three references taken in C, and by an
        # instance that owns a dictionary but does not visit it (3.13).
        external = {name: 3 * (name == "outside") for name in names}
        external["its dict"] = int(item["its dict"] not in references("watched"))
        self.assertEqual({name: heap.external[obj] for name, obj in item.items()}, external)
        self.assertEqual((heap.external[anchor], heap.external[items]), (0, 0))
        for name in names:
            self.assertTrue(heap.tracked(item[name]), name)
        module = [obj for obj in heap.of_type("module")
                  if anchor in [held for dictionary in heap.references(obj)
                                for held in heap.references(dictionary)]]
        self.assertEqual([heap.external[obj] for obj in module], [0])  # sys.modules alone has it
        self.assertFalse(any(heap.has(obj, heap_file.DEFERRED) for obj in item.values()))
        self.assertEqual(heap.metadata["assumed_external"], 0)
        self.assertEqual(heap.metadata["tracked_objects"],
                         sum(map(heap.tracked, range(len(heap)))))

    def attributes(self, heap, references):
        """An instance's attributes: it has them itself (3.11+), or its dictionary has."""
        if [heap.kind(obj) for obj in references] == ["dict"]:
            return heap.references(references[0])[1::2]
        return references


if __name__ == "__main__":
    unittest.main()
