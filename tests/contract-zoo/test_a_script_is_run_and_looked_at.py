# not with a sanitizer: thousands of processes; the template and the findings lead through all of the command
"""`ouro check --script` and `--call`: what an author's own lines bring about is looked at; what cannot be read is said."""
import unittest

from zoo import ZOO, ZooTest, ouro

RIGHT = """
# Everything that the grammar has.
one = Holder()
two = Holder()   # another
one.item = two
two.item = one
one.other = [ ]
two.other = 'text with # in it'
three = one.item
three.item = -1
three.item = None
one.other = {}
one.item = one.other
one.__repr__()
del three
collect
"""

# An instance that nobody sees is left.
LEAVES = "one = Holder()\none.item = [ ]\n"

VISITS_ITS_KEYS = """
#define FLAGS (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DICT_SUBCLASS)
#define TRAVERSE PyObject *key, *value; Py_ssize_t at = 0;                                \\
    while (PyDict_Next(op, &at, &key, &value)) { Py_VISIT(key); Py_VISIT(value); }        \\
    return 0;
#define CLEAR return PyDict_Type.tp_clear(op);
#define DEALLOC PyObject_GC_UnTrack(self); PyDict_Type.tp_dealloc(op);
#define NEW return PyDict_Type.tp_new(type, args, kwargs);
#define SIZE sizeof(PyDictObject)
#define MEMBERS
#define BASE &PyDict_Type
#include "tests/contract-zoo/holder.h"
"""


class ScriptTest(ZooTest):
    def check(self, module, script, *arguments):
        place = self.directory / "script"
        place.write_text(script)
        return ouro("check", module, "--strict", "--script", place, *arguments)

    def test_a_right_type_is_not_accused(self):
        done = self.check(self.compiled(ZOO / "forgets_a_field.c"), RIGHT)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("0 found", done.stdout)

    def test_what_is_left_at_the_end_is_found(self):
        module = self.compiled(ZOO / "makes_two_references.c", "zoo", "-DWRONG")
        done = self.check(module, LEAVES)
        self.assertEqual(done.returncode, 1)
        self.assertIn("at the end of the script an instance is left", done.stdout)
        done = self.check(self.compiled(ZOO / "makes_two_references.c"), LEAVES)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_dict_that_is_left_explains_its_keys(self):
        """Its traversal leaves them out; without collections the instance is left, in a cycle."""
        module = self.compiled(ZOO / "unseen" / "dict_sub_own_clear.c")
        done = self.check(module, "one = Defaults()\none.__setitem__('ab', one)\n", "--engine", "off")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_a_key_that_its_dict_visits_is_explained_once(self):
        """That of a type derived from dict may leave none out."""
        source = self.directory / "keys.c"
        source.write_text(VISITS_ITS_KEYS)
        done = self.check(self.compiled(source), "one = Holder()\none.__setitem__('ab', one)\n")
        self.assertIn("PyDict_Next", done.stdout)  # nothing else is wrong
        self.assertIn("1 found", done.stdout)

    def test_what_dies_with_a_modules_state_drops_references_of_its_own(self):
        module = self.compiled(ZOO / "its_module_does_not_visit_an_array.c")
        done = self.check(module, "keep(Empty())\nkeep(Empty())\nlist = [ ]\nkeep(list)\nkeep(list)\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_of_garbage_that_stays_only_who_keeps_it_is_accused(self):
        """What it refers to is garbage, too, and so was a cycle beside it."""
        module = self.compiled(ZOO / "leaves_its_cycle_beside_others.c", "zoo", "-DWRONG")
        done = self.check(module, "good = Good()\ngood.join(good)\nalone = Good()\n"
                                  "bad = Bad()\nbad.join(bad)\nbad.join(alone)\n")
        self.assertIn("still leads back to itself", done.stdout)
        self.assertIn("zoo.Bad: ", done.stdout)
        self.assertNotIn("zoo.Good: ", done.stdout)

    def test_visits_without_a_reference_are_found(self):
        module = self.compiled(ZOO / "visits_a_field_twice.c", "zoo", "-DWRONG")
        done = self.check(module, "one = Holder()\none.item = [ ]\n")
        self.assertIn("all containers together visit it 2 times", done.stdout)

    def test_a_crash_is_found_with_its_line(self):
        module = self.compiled(ZOO / "cannot_be_used_when_cleared.c", "zoo", "-DWRONG")
        done = self.check(module, "one = Holder()\none.size()\none.size(1, 2)\n")
        self.assertEqual(done.stderr.split("zoo.so: ")[-1],
                         "line 3 of the script: TypeError: Holder.size() takes no arguments (2 given)\n")

    def test_what_cannot_be_read_is_said(self):
        module = self.compiled(ZOO / "forgets_a_field.c")
        for line, said in (("one = Holder(]", "SyntaxError: at ']'"), ("one = Holder(", "SyntaxError: at the end"),
                           ("del one", "SyntaxError: at the end"), ("one = Folder()", "AttributeError: "),
                           ("Holder() Holder()", "SyntaxError: at 'Holder'"),
                           ("Holder(item=1, 2)", "SyntaxError: at '2'"), ("Holder(item=)", "SyntaxError: at ')'")):
            with self.subTest(line):
                done = self.check(module, f"\n{line}\n")
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"line 2 of the script: {said}", done.stderr)

    def test_arguments_have_keywords(self):
        module = self.compiled(ZOO / "forgets_a_keyword_argument.c", "zoo", "-DWRONG")
        for call, is_found in (("Holder(1, 2, 3, 'a')", False), ("Holder(1, 2, depth=3, name='a', owner=[])", True)):
            with self.subTest(call):
                found = self.check(module, f"one = {call}\n").stdout
                self.assertEqual("after the calls one owned 1 references" in found, is_found, found)
        done = ouro("check", module, "--call", "Holder", "1", "2", "3", "'a'", "owner=[]")
        self.assertIn("after the calls result owned 1 references", done.stdout)

    def test_one_call_needs_no_file(self):
        module = self.compiled(ZOO / "forgets_a_field.c")
        self.assertEqual(ouro("check", module, "--call", "Holder").returncode, 0)
        done = ouro("check", module, "--call", "Folder", "1", "'a'")
        self.assertIn("line 1 of the script: AttributeError: ", done.stderr)
        self.assertEqual(ouro("check", module, "--script", self.directory / "missing").returncode, 2)


if __name__ == "__main__":
    unittest.main()
