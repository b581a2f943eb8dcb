"""A mutator that is held up for more than a millisecond by something that no event tells of: one that comes with the
collector comes in every run, or in every collection. One that comes from the machine does not."""
# label: alone
import json
import os
import unittest

from command import CommandTest
from engines import engines

ATTEMPTS = 5
# Not beside forks: the mutator copies pages, and what each costs, and whom it holds up, is the system's affair. Where one
# virtual machine is in another that is milliseconds.
ENGINES = engines("off", "snapshot", "snapshot-sync")
# The system clears a huge page at its first touch: milliseconds that are no collector's.
SETTINGS = ("--live", 100_000, "--seconds", 2, "--load", "200000/s", "--huge-pages", "off")


@unittest.skipIf(os.environ.get("OURO_SANITIZE"), "instrumented code has gaps of its own")
class Gaps(CommandTest):
    def explained(self, engine, busy, *arguments):
        """The gaps of the first run of which none comes with the collector. With two processors busy the machine may
        take one away for a while: then those that come with it are one in each collection, at least."""
        tried = []
        for _ in range(ATTEMPTS):
            row = json.loads(self.output_of("bench", *arguments, "--engine", engine, "--json", "-"))
            found = row["gaps"]
            tried.append([each for each in found["points"] if each[2] > 1_000_000])
            if found["unexplained"] <= (row["collections"]["full"]["count"] // 2 if busy else 0):
                return found
        self.fail(f"{engine}, {arguments}: each of {ATTEMPTS} runs has gaps [start, ns, ns that nothing "
                  f"explains]: {tried}")

    def test_under_every_engine(self):
        self.assertIn("stw", ENGINES)
        for engine in ENGINES:
            found = self.explained(engine, engine == "concurrent", "lru", *SETTINGS)
            if engine == "stw":
                self.assertGreater(found["count"], 0, "nothing was there to be explained")

    def test_with_two_mutators(self):
        for engine in ENGINES:
            self.explained(engine, True, "lru", *SETTINGS, "--threads", 2, "--refcount", "biased")


if __name__ == "__main__":
    unittest.main()
