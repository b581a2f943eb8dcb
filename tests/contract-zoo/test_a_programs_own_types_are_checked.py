"""`OURO=contract=on`: what a program's own types do wrong in traversals is told when it collects; nothing is told of right
ones, nor without the setting."""
import itertools
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from zoo import ZooTest, ouro
from engines import engines

PROGRAM = """
#include "tests/contract-zoo/{name}.c"
#include <stdio.h>

int main(void) {{
    Py_Initialize();
    PyObject* module = PyInit_zoo();
    PyObject* instance = module ? PyObject_CallNoArgs((PyObject*)holder_type) : NULL;
    PyObject* empty = PyObject_CallNoArgs((PyObject*)holder_type);
    static const char* const names[] = {{"item", "other"}};
    for (int i = 0; i < 2; ++i) {{
        PyObject* list = PyList_New(0);
        if (instance == NULL || empty == NULL || list == NULL ||
            PyObject_SetAttrString(instance, names[i], list) < 0) {{
            return 1;
        }}
        Py_DECREF(list);
    }}
    PyGC_Collect();
    PyGC_Collect();
    puts("it went on");
    fflush(stdout);
    _exit(0);
}}
"""

# Wrong types of the zoo and what is told of them.
TOLD = {
    "visits_null": "traverse.null",
    "visits_no_object": "traverse.no-object",
    "visits_a_field_twice": "traverse.unowned",
    "returns_a_number": "traverse.result-unasked",
    "goes_on_after_a_result": "traverse.result",
    "visits_by_turns": "traverse.unstable",
    "does_not_visit_its_type": "types.type-not-visited",
}


@unittest.skipIf(os.environ.get("OURO_SANITIZE"), "a stranger's program has no sanitizer")
class ProgramTest(ZooTest):
    def run_program(self, name, *flags, setting):
        folder = Path(tempfile.mkdtemp(dir=self.directory))
        (folder / "program.c").write_text(PROGRAM.format(name=name))
        compiler = os.environ.get("OURO_CC") or "cc"
        libs = ouro("config", "--libs").stdout.split()
        done = subprocess.run([compiler, "-g", "-O1", *self.flags, *flags, "-D_GNU_SOURCE", "-include", "unistd.h",
                               folder / "program.c", "-o", folder / "program", *libs],
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return subprocess.run([folder / "program"], env={**os.environ, "OURO": setting}, capture_output=True,
                              text=True, timeout=120, check=False)

    def test_a_programs_own_types_are_checked(self):
        for (name, rule), engine in zip(TOLD.items(), itertools.cycle(e for e in engines() if e != "off")):
            with self.subTest(name, engine=engine):
                wrong = self.run_program(name, "-DWRONG", setting=f"contract=on,engine={engine}")
                self.assertIn(f"[{rule}]", wrong.stderr)
                self.assertEqual(wrong.stderr.count(f"[{rule}]"), 1)
                twin = self.run_program(name, setting=f"contract=on,engine={engine}")
                self.assertEqual((twin.returncode, twin.stdout, twin.stderr), (0, "it went on\n", ""))

    def test_nothing_is_told_without_the_setting(self):
        done = self.run_program("visits_by_turns", "-DWRONG", setting="contract=off")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "it went on\n", ""))


if __name__ == "__main__":
    unittest.main()
