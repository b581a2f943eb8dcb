# not with a sanitizer: the zoo leads through all of the command
"""Types that are wrong after some calls alone: `ouro check` finds the calls, and tells the fewest, as a script and in C."""
import os
import subprocess
import unittest

from zoo import BINARY, ZOO, ZooTest, ouro

# A type, the rule that it breaks, and how many calls tell it.
WRONG = {
    "drops_what_was_put_back": ("counts.given-away", 4),
    "forgets_what_was_swapped": ("traverse.forgets", 4),
    "reads_what_was_closed": ("calls.crash", 4),
    "fails_without_an_exception": ("calls.no-exception", 2),
    "forgets_a_keyword_argument": ("traverse.forgets", 1),
}

PROGRAM = """
#include "tests/contract-zoo/{name}.c"

int main(void) {{
    Py_Initialize();
    PyObject* module = PyInit_zoo();
    {calls}
    return 0;
}}
"""

# Methods that do not come back, or not alone, and one that breaks a rule.
HOSTILE = """
#define BEFORE                                                                                   \\
    static PyObject* hang(PyObject* op, PyObject* none) { (void)op; (void)none; for (;;) pause(); } \\
    static PyObject* leave(PyObject* op, PyObject* none) { (void)op; (void)none; exit(0); }         \\
    static PyObject* split(PyObject* op, PyObject* none) {                                          \\
        (void)op; (void)none; (void)!fork(); return Py_NewRef(Py_None); }                           \\
    static PyObject* shout(PyObject* op, PyObject* none) {                                          \\
        (void)op; (void)none; puts("{\\"findings\\":"); fflush(stdout); return Py_NewRef(Py_None); } \\
    static PyObject* ask(PyObject* op, PyObject* none) {                                            \\
        (void)op; (void)none; return PyLong_FromLong(getchar()); }                                  \\
    static PyObject* quiet(PyObject* op, PyObject* none) { (void)op; (void)none; return NULL; }
#define METHODS {"hang", hang, METH_NOARGS, NULL}, {"leave", leave, METH_NOARGS, NULL}, \\
    {"split", split, METH_NOARGS, NULL}, {"shout", shout, METH_NOARGS, NULL}, \\
    {"ask", ask, METH_NOARGS, NULL}, {"quiet", quiet, METH_NOARGS, NULL},
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "tests/contract-zoo/holder.h"
"""

# Fails without an exception if it is given what its documentation says.
DOCUMENTED = """
#define BEFORE                                                                                   \\
    static PyObject* mix(PyObject* op, PyObject* const* args, Py_ssize_t count) {                   \\
        (void)op; (void)args; return count == 5 ? NULL : Py_NewRef(Py_None); }
#define METHODS {"mix", (PyCFunction)(void (*)(void))mix, METH_FASTCALL, SIGNATURE},
#include "tests/contract-zoo/holder.h"
"""

# Leaks where its constructor fails, in one call; and what `store` replaces, in three, of which that one succeeds.
LEAKS_TWICE = """
#define NEW                                                              \\
    int width = 0; PyObject* given = NULL;                               \\
    if (!PyArg_ParseTuple(args, "|iO:Holder", &width, &given)) return NULL; \\
    if (width < 0) { Py_XINCREF(given); PyErr_SetNone(PyExc_ValueError); return NULL; } \\
    return type->tp_alloc(type, 0);
#define BEFORE                                                           \\
    static PyObject* store(PyObject* op, PyObject* arg) {                \\
        if (!PyCallable_Check(arg)) { PyErr_SetNone(PyExc_TypeError); return NULL; } \\
        ((Holder*)op)->item = Py_NewRef(arg); return Py_NewRef(Py_None); }
#define METHODS {"store", store, METH_O, NULL},
#include "tests/contract-zoo/holder.h"
"""

# Takes any keyword arguments, asks for none by its name, and gives away their dict, which is its caller's.
TAKES_ANY_KEYWORDS = """
#define BEFORE                                                           \\
    static PyObject* take(PyObject* op, PyObject* args, PyObject* kwargs) { \\
        (void)op; (void)args; return kwargs == NULL ? Py_NewRef(Py_None) : kwargs; }
#define METHODS {"take", (PyCFunction)(void (*)(void))take, METH_VARARGS | METH_KEYWORDS, NULL},
#include "tests/contract-zoo/holder.h"
"""

ASKS = """
#define BEFORE                                             \\
    static PyObject* ask(PyObject* op, PyObject* none) {   \\
        (void)op; (void)none; return PyLong_FromLong(getchar()); }
#define METHODS {"ask", ask, METH_NOARGS, NULL},
#include <stdio.h>
#include "tests/contract-zoo/holder.h"
"""


class RandomCallsTest(ZooTest):
    def told(self, name, *arguments):
        rule, calls = WRONG[name]
        module = self.compiled(ZOO / f"{name}.c", "zoo", "-DWRONG")
        _, found = self.findings(module, "--strict", *arguments)
        (finding,) = [each for each in found if each["rule"] == rule and "script" in each]
        self.assertLessEqual(len(finding["script"].splitlines()), calls, finding["script"])
        return module, finding

    def status_of(self, name, calls):
        place = self.directory / "program.c"
        place.write_text(PROGRAM.format(name=name, calls=calls))
        compiler = os.environ.get("OURO_CC") or "cc"
        libs = ouro("config", "--libs").stdout.split()
        done = subprocess.run([compiler, "-DWRONG", *self.flags, place, "-o", place.with_suffix(""), *libs],
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return subprocess.run([place.with_suffix("")], capture_output=True, timeout=60, check=False).returncode

    def test_random_calls_are_shrunk_and_told(self):
        for name in WRONG:
            with self.subTest(name):
                module, finding = self.told(name)
                script = self.directory / name
                script.write_text(finding["script"])
                _, found = self.findings(module, "--strict", "--script", script)
                self.assertIn(finding["rule"], {each["rule"] for each in found if "script" not in each})

    def test_the_same_seed_tells_the_same(self):
        module = self.compiled(ZOO / "forgets_what_was_swapped.c", "zoo", "-DWRONG")
        first, second = (ouro("check", module, "--strict", "--seed", 7).stdout for _ in range(2))
        self.assertEqual(first, second)
        self.assertIn("seed 7", first)
        self.assertIn(" = a.swap()\n", first)

    def test_right_types_are_not_accused_with_other_seeds(self):
        for name in WRONG:
            module = self.compiled(ZOO / f"{name}.c")
            for seed in range(2, 5):
                with self.subTest(name, seed=seed):
                    self.assertEqual(self.findings(module, "--strict", "--seed", seed), (0, []))

    def test_a_documented_signature_is_followed(self):
        source = self.directory / "documented.c"
        for signature, rules in (("NULL", set()), ('"mix($self, a, b=\', (\', c=1, *, d)\\n--\\n\\n"', set()),
                                 ('"mix($self, a, b, c, d, e=None, /)\\n--\\n\\n"', {"calls.no-exception"})):
            with self.subTest(signature):
                source.write_text(f"#define SIGNATURE {signature}\n{DOCUMENTED}")
                _, found = self.findings(self.compiled(source), "--strict")
                self.assertEqual({each["rule"] for each in found}, rules)

    def test_keywords_come_into_the_lines_in_c(self):
        _, finding = self.told("forgets_a_keyword_argument")
        self.assertRegex(finding["script"], r"^a = Holder\(.*, owner=[^,]*\)$")
        self.assertEqual(self.status_of("forgets_a_keyword_argument", finding["c"] + " return a_kwargs == NULL;"), 0)

    def test_a_fault_of_a_call_that_fails_hides_none_of_calls_that_succeed(self):
        source = self.directory / "leaks_twice.c"
        source.write_text(LEAKS_TWICE)
        _, found = self.findings(self.compiled(source), "--strict")
        scripts = [each["script"] for each in found if each["rule"] == "counts.kept" and "script" in each]
        self.assertTrue(any("store" in script for script in scripts), scripts)
        self.assertTrue(any("store" not in script for script in scripts), scripts)

    def test_keywords_are_given_where_none_are_known(self):
        source = self.directory / "takes_any_keywords.c"
        source.write_text(TAKES_ANY_KEYWORDS)
        _, found = self.findings(self.compiled(source), "--strict")
        self.assertTrue(any("take(" in each.get("script", "") for each in found), found)

    def test_the_lines_in_c_bring_it_about(self):
        _, finding = self.told("reads_what_was_closed")
        for calls, status in ((finding["c"], -11), (finding["c"].replace("read", "close"), 0)):
            self.assertEqual(self.status_of("reads_what_was_closed", calls), status)

    def test_methods_that_do_not_come_back_are_survived(self):
        source = self.directory / "hostile.c"
        source.write_text(HOSTILE)
        module = self.compiled(source)
        _, found = self.findings(module, "--seconds", "1")
        self.assertIn("calls.no-exception", {each["rule"] for each in found})

    def test_a_method_that_reads_finds_nothing_to_read(self):
        source = self.directory / "asks.c"
        source.write_text(ASKS)
        reading, writing = os.pipe()
        with os.fdopen(writing, "w"), os.fdopen(reading) as terminal:
            done = subprocess.run([BINARY, "check", self.compiled(source), "--strict", "--seconds", "2"],
                                  stdin=terminal, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)


if __name__ == "__main__":
    unittest.main()
