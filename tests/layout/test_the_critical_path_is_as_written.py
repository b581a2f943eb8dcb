"""core/CRITICAL_PATH.md lists the instructions that the build executes. A build that is not the page's is skipped."""
# not with a sanitizer: runs nothing of the build

import os
import unittest

import critical_path
import layout

ROOT = os.path.realpath(os.environ.get("OURO_SOURCE") or os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.environ.get("OURO_BUILD")
AGAIN = "tests/layout/critical_path.py --write makes the listings anew"


@unittest.skipUnless(BUILD, "OURO_BUILD does not name a build directory")
class TheCriticalPathIsAsWritten(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        if reason := critical_path.why_not(BUILD):
            raise unittest.SkipTest(reason)
        try:
            cls.made = critical_path.listings(ROOT, BUILD)
        except critical_path.NoSteps as why:
            raise unittest.SkipTest(str(why)) from why
        cls.page = layout.read(ROOT, critical_path.PAGE)

    def test_the_page_is_what_the_build_executes(self):
        for name, lines in self.made.items():
            print(f"{name}: {len(lines)} instructions")
        self.assertMultiLineEqual(self.page, critical_path.page(self.page, self.made), AGAIN)

    def test_every_instruction_has_a_note(self):
        self.assertEqual(critical_path.without_note(self.page), [])

    def test_the_owner_needs_no_locked_instruction(self):
        for name, lines in self.made.items():
            locked = [text for _, text, _ in lines if text.startswith(("lock ", "xchg "))]
            with self.subTest(path=name):
                self.assertEqual(len(locked), int(name.startswith("foreign-")), locked)

    def test_one_more_instruction_is_noticed_and_the_notes_stay(self):
        page = critical_path.page(self.page, self.made)
        made = {name: list(lines) for name, lines in self.made.items()}
        made["decref"].insert(3, ("decref", "nop", "-"))
        other = critical_path.page(page, made)
        new = [line for line in critical_path.without_note(other) if " nop " in line]
        self.assertEqual(len(new), 1, new)
        self.assertRegex(new[0], r"^ *4  nop +- +; \?$")
        self.assertEqual(critical_path.page(other, self.made), page)


if __name__ == "__main__":
    unittest.main()
