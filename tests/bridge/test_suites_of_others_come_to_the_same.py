"""CPython's own tests of what a collector is near to have the same results with full collections in slices.

The whole of them, and the suites of packages, is `suites.py`, by hand: it takes hours.
"""
# not with a sanitizer: runs nothing of the build

import tempfile

import suites
from bridge_support import SCALE, BridgeTest, interpreters

NEAR = ("test_gc", "test_weakref", "test_generators", "test_coroutines", "test_weakset", "test_finalization",
        "test_descr", "test_ordered_dict", "test_set", "test_ast")
FURTHER = ("test_copy", "test_deque", "test_dict", "test_enum", "test_fork1", "test_functools",
           "test_io", "test_threading", "test_typing", "test_xml_etree_c")


class Test(BridgeTest):
    def test_results_are_those_of_stock(self):
        parts = NEAR + FURTHER * (SCALE >= 1)
        for python in interpreters():
            with self.subTest(python=python.version), tempfile.TemporaryDirectory() as directory:
                came_to = suites.compare(python, "cpython", 2, parts, directory)
                if came_to is None:
                    self.skipTest("its test package is not here")
                self.assertEqual(came_to["different"], {})
                self.assertGreater(came_to["tests"], 180)
                self.assertGreater(came_to["cycles"], 10)
                self.assertGreater(came_to["slices"], 10_000)
