# not with a sanitizer: thousands of processes; the template and the findings lead through all of the command
"""One statement after the other is taken out of the tutorial's fourth type, or spoiled: `ouro check` finds each that can
be noticed at all."""
import re
import unittest

from zoo import ROOT, ZooTest

SOURCE = ROOT / "tests" / "same" / "modules" / "custom4.c"

# A statement, what takes its place, and how many there are of it.
MUTATIONS = (
    (r"Py_VISIT\(.*\);", ";", 2),
    (r"Py_CLEAR\(.*\);", ";", 2),
    (r"PyObject_GC_UnTrack\(self\);", ";", 1),
    (r"(?<=^    )Custom_clear\(self\);", ";", 1),
    (r"\S+tp_free\(.*\);", ";", 1),
    (r"Py_DECREF\(tmp\);", ";", 2),
    (r"Py_INCREF\(.*\);", ";", 6),
    (r"Py_XSETREF\((.*), (.*)\);", r"\1 = \2;", 2),
    (r"Py_INCREF\((.*)\);", r"Py_INCREF(\1), Py_INCREF(\1);", 6),
    (r"Py_DECREF\(tmp\);", "Py_DECREF(tmp), Py_DECREF(tmp);", 2),
    (r"Py_VISIT\((.*)\);", r"Py_VISIT(\1); Py_VISIT(\1);", 2),
    (r"Py_VISIT\((.*)\);", r"visit(\1, arg);", 2),
    (r"Py_CLEAR\((.*)\);", r"Py_XDECREF(\1);", 2),
    (r" \| Py_TPFLAGS_HAVE_GC", "", 1),
    (r"\.tp_traverse = .*", "", 1),
    (r"\.tp_clear = .*", "", 1),
)


def mutants(text):
    """(what was done, the source): one for each place. Py_DECREF(self) is not among them: it is there for when no memory
    is left."""
    for pattern, replacement, expected in MUTATIONS:
        places = list(re.finditer(pattern, text, re.MULTILINE))
        assert len(places) == expected, (pattern, len(places))
        for place in places:
            line = text.count("\n", 0, place.start()) + 1
            yield (f"line {line}: {place[0]} -> {place.expand(replacement)}",
                   text[:place.start()] + place.expand(replacement) + text[place.end():])


class MutantsTest(ZooTest):
    def test_mutants_of_the_tutorial_are_found(self):
        for what, text in mutants(SOURCE.read_text()):
            with self.subTest(what):
                source = self.directory / "custom4.c"
                source.write_text(text)
                status, found = self.findings(self.compiled(source, "custom4", "-w"))
                self.assertEqual(status, 1, found)
                self.assertTrue([each for each in found if each["certain"]])


if __name__ == "__main__":
    unittest.main()
