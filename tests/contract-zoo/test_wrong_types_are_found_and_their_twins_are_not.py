# not with a sanitizer: thousands of processes; the template and the findings lead through all of the command
"""Each wrong type of the zoo is found by `ouro check`, with the rules that it breaks, and its twin is not accused."""
import itertools
import re
import unittest

from zoo import ZOO, ZooTest, ouro
from engines import engines

POLICIES = ("gil", "biased", "atomic")


def broken_rules(source):
    return set(source.read_text().split("*/", 1)[0].removeprefix("/*").split())


class WrongTypesTest(ZooTest):
    def test_wrong_types_are_found_and_their_twins_are_not(self):
        # One pair after the other, each under the next engine and policy; there are more pairs than of these.
        settings = itertools.cycle(itertools.product(engines(), POLICIES))
        sources = sorted(ZOO.glob("*.c"))
        self.assertGreater(len(sources), 25)
        for source, (engine, policy) in zip(sources, settings):
            with self.subTest(source.name, engine=engine, policy=policy):
                arguments = ("--strict", "--engine", engine, "--refcount", policy)
                status, found = self.findings(self.compiled(source, "zoo", "-DWRONG"), *arguments)
                rules = {each["rule"] for each in found}
                expected = broken_rules(source)
                if engine == "off":  # which clears nothing
                    expected = {rule for rule in expected if not rule.startswith("clear.")}
                self.assertLessEqual(expected, rules, found)
                self.assertEqual(status, 1 if expected else 0)
                status, found = self.findings(self.compiled(source), *arguments)
                self.assertEqual((status, found), (0, []))

    def test_each_rule_has_a_wrong_type(self):
        broken = set().union(*map(broken_rules, ZOO.glob("*.c")))
        rules = set(re.findall(r"^\| `(.*?)`", ouro("check", "--rules").stdout, re.MULTILINE))
        self.assertGreater(len(rules), 50)
        self.assertEqual(rules, broken)


if __name__ == "__main__":
    unittest.main()
