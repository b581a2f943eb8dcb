"""The project's own tree keeps every rule of layout.py."""
# not with a sanitizer: runs nothing of the build

import os
import unittest

import layout
import soundness

ROOT = os.environ.get("OURO_SOURCE") or os.path.join(os.path.dirname(__file__), "..", "..")
ROOT = os.path.realpath(ROOT)
BUILD = os.environ.get("OURO_BUILD")


class TheHouseIsInOrder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = layout.tracked_files(ROOT)

    def test_every_rule_holds(self):
        self.assertTrue(self.files)
        for rule in layout.RULES:
            with self.subTest(rule=rule.__name__):
                errors = rule(ROOT, self.files)
                if errors:
                    self.fail("\n" + "\n".join(errors))

    def test_the_page_of_soundness_names_every_invariant(self):
        page = layout.read(ROOT, soundness.PAGE)
        self.assertEqual(page, soundness.page(ROOT, self.files), "tests/layout/soundness.py --write makes the index anew")
        prose = page[:page.index(soundness.HEAD)]
        for tag in layout.TAG.findall(page):
            self.assertIn(tag, prose)

    @unittest.skipUnless(BUILD, "OURO_BUILD does not name a build directory")
    def test_every_source_is_built(self):
        # tests/CMakeLists.txt leaves the models out of a sanitizer's build.
        files = [name for name in self.files
                 if not (os.environ.get("OURO_SANITIZE") and name.startswith("tests/model/"))]
        errors = layout.built(ROOT, files, os.path.join(BUILD, "compile_commands.json"))
        if errors:
            self.fail("\n" + "\n".join(errors))


if __name__ == "__main__":
    unittest.main()
