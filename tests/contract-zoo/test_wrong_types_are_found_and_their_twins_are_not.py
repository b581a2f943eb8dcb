# not with a sanitizer: thousands of processes; the template and the findings lead through all of the command
"""Each wrong type of the zoo is found by `ouro check`, with the rules that it breaks, and its twin is not accused.

Each pair under one engine and policy, the next under the next; with OURO_ZOO=all each under all, which takes an hour.
OURO_ZOO=NAME: that pair under all.
"""
import itertools
import os
import re
import unittest

from zoo import ZOO, ZooTest, ouro
from engines import engines

POLICIES = ("gil", "biased", "atomic")


def broken_rules(source):
    return set(source.read_text().split("*/", 1)[0].removeprefix("/*").split())


def needs_collections(rule, source):
    """Without, tp_clear is called by the check alone, and no module with a type of its own dies."""
    return rule.startswith("clear.") or rule == "counts.kept" and "stateful.h" in source.read_text()


class WrongTypesTest(ZooTest):
    def chosen(self):
        """(source, engine, policy) of each check."""
        settings = list(itertools.product(engines(), POLICIES))
        sources = sorted([*ZOO.glob("*.c"), *ZOO.glob("unseen/*.c")])
        self.assertGreater(len(sources), max(25, len(settings)))
        wanted = os.environ.get("OURO_ZOO")
        if not wanted:
            return ((source, *setting) for source, setting in zip(sources, itertools.cycle(settings)))
        sources = [source for source in sources if wanted in ("all", source.stem)]
        self.assertTrue(sources, f"OURO_ZOO={wanted}: no such file")
        return ((source, *setting) for source, setting in itertools.product(sources, settings))

    def test_wrong_types_are_found_and_their_twins_are_not(self):
        for source, engine, policy in self.chosen():
            with self.subTest(source.name, engine=engine, policy=policy):
                arguments = ("--strict", "--engine", engine, "--refcount", policy)
                status, found = self.findings(self.compiled(source, "zoo", "-DWRONG"), *arguments)
                rules = {each["rule"] for each in found}
                expected = broken_rules(source)
                if engine == "off":
                    expected = {rule for rule in expected if not needs_collections(rule, source)}
                self.assertLessEqual(expected, rules, found)
                self.assertEqual(status, 1 if found else 0)
                status, found = self.findings(self.compiled(source), *arguments)
                self.assertEqual((status, found), (0, []))

    def test_each_rule_has_a_wrong_type(self):
        broken = set().union(*map(broken_rules, ZOO.glob("*.c")))
        rules = set(re.findall(r"^\| `(.*?)`", ouro("check", "--rules").stdout, re.MULTILINE))
        self.assertGreater(len(rules), 50)
        self.assertEqual(rules, broken)


if __name__ == "__main__":
    unittest.main()
