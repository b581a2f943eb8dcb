"""A mutator that is held up for more than a millisecond by something that no event tells of: one that
comes with the collector comes in every run, one that comes from the machine does not."""
# label: alone
import json
import os
import unittest

from command import CommandTest
from engines import engines

ATTEMPTS = 5
ENGINES = engines("off")
# The system clears a huge page at its first touch: milliseconds that are no collector's.
SETTINGS = ("--live", 100_000, "--seconds", 2, "--load", "200000/s", "--huge-pages", "off")


@unittest.skipIf(os.environ.get("OURO_SANITIZE"), "instrumented code has gaps of its own")
class Gaps(CommandTest):
    def gaps(self, *arguments):
        return json.loads(self.output_of("bench", *arguments, "--json", "-"))["gaps"]

    def explained(self, *arguments):
        """The gaps of the first run that has none which is not explained."""
        tried = []
        for _ in range(ATTEMPTS):
            found = self.gaps(*arguments)
            tried.append([each for each in found["points"] if each[2] > 1_000_000])
            if found["unexplained"] == 0:
                return found
        self.fail(f"{arguments}: each of {ATTEMPTS} runs has gaps [start, ns, ns that nothing "
                  f"explains]: {tried}")

    def test_under_every_engine(self):
        self.assertIn("stw", ENGINES)
        for engine in ENGINES:
            found = self.explained("lru", *SETTINGS, "--engine", engine)
            if engine == "stw":
                self.assertGreater(found["count"], 0, "nothing was there to be explained")

    def test_with_two_mutators(self):
        # Not beside forks: there two threads on two processors have gaps of one to four milliseconds, which
        # one alone has not. It seems that they wait for each other while the system copies pages.
        for engine in [each for each in ENGINES if not each.startswith("snapshot")]:
            self.explained("lru", *SETTINGS, "--threads", 2, "--refcount", "biased",
                           "--engine", engine)


if __name__ == "__main__":
    unittest.main()
