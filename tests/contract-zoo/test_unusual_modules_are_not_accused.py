# not with a sanitizer: thousands of processes; the template and the findings lead through all of the command
"""Of modules that are right in an unusual way nothing certain is said, and no more that is probable than they name."""
import itertools
import re
import unittest

from zoo import ZOO, ZooTest
from engines import engines


def probable_rules(source):
    named = re.match(r"/\* probable: (.*?) \*/", source.read_text())
    return set(named[1].split()) if named else set()


class RightModulesTest(ZooTest):
    def test_unusual_modules_are_not_accused(self):
        sources = sorted((ZOO / "right").glob("*.c"))
        self.assertGreater(len(sources), 25)
        settings = itertools.cycle(itertools.product(engines(), ("gil", "biased", "atomic")))
        for source, (engine, policy) in zip(sources, settings):
            with self.subTest(source.name, engine=engine, policy=policy):
                _, found = self.findings(self.compiled(source), "--strict", "--engine", engine, "--refcount", policy)
                self.assertEqual([each for each in found if each["certain"]], [])
                self.assertLessEqual({each["rule"] for each in found}, probable_rules(source), found)


if __name__ == "__main__":
    unittest.main()
