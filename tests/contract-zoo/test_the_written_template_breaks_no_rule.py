"""The module on the page of how a container type is written compiles and breaks no rule, under any engine; and the rules
that the page names are rules."""
import re
import unittest

from zoo import ROOT, ZooTest, ouro
from engines import engines

PAGE = ROOT / "core" / "verify" / "rules" / "WRITING.md"


class TemplateTest(ZooTest):
    def test_the_written_template_breaks_no_rule(self):
        source = self.directory / "box.c"
        source.write_text(re.search(r"```c\n(.*?)```", PAGE.read_text(), re.DOTALL)[1])
        module = self.compiled(source, "box", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror")
        for engine in engines():
            with self.subTest(engine):
                self.assertEqual(self.findings(module, "--strict", "--engine", engine), (0, []))

    def test_the_rules_that_the_page_names_are_rules(self):
        named = set(re.findall(r"\b[a-z]+\.[a-z]+(?:-[a-z]+)*(?=[,\]])", PAGE.read_text()))
        rules = set(re.findall(r"^\| `(.*?)`", ouro("check", "--rules").stdout, re.MULTILINE))
        self.assertGreater(len(named), 30)
        self.assertLessEqual(named, rules)


if __name__ == "__main__":
    unittest.main()
