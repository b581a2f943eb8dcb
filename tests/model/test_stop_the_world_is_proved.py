"""Every interleaving of the model of stopping the world is right (inv.stop.alone, inv.stop.one-stopper,
inv.stop.counted-once, inv.stop.handed-over; nobody waits for ever), and each variant of it with a known
fault is caught."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stop_the_world.pml")

# Stoppers, workers, rounds of each.
SIZES = ((1, 1, 2), (1, 2, 1), (2, 1, 1))

# Each with a size at which it shows, and what it breaks. Where it is an assertion, processes that wait for
# ever are let pass, for most faults lead to those as well.
ASSERTION, WAITS = "assertion violated", "invalid end state"
FAULTS = (
    ("FAULT_ATTACH_DOES_NOT_LOOK", (1, 1, 1), ASSERTION),
    ("FAULT_DETACH_STORES", (1, 1, 2), WAITS),
    ("FAULT_COUNTS_BEFORE_IT_ASKS", (1, 1, 1), ASSERTION),
    ("FAULT_NEWCOMER_IS_NOT_HELD", (1, 1, 1), ASSERTION),
    ("FAULT_LETS_GO_WITHOUT_ATTACHING", (1, 1, 2), ASSERTION),
    ("FAULT_WAITS_FOR_THE_LOCK_INSIDE", (2, 0, 1), WAITS),
)


@unittest.skipUnless(shutil.which("spin"), "spin is not installed")
class StopTheWorld(unittest.TestCase):
    def explore(self, size, *faults, options=()):
        """What Spin says, and the number of states."""
        stoppers, workers, rounds = size
        defines = [f"-DSTOPPERS={stoppers}", f"-DWORKERS={workers}", f"-DROUNDS={rounds}"]
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["spin", *defines, *(f"-D{fault}" for fault in faults), "-a", MODEL],
                           cwd=folder, check=True, stdout=subprocess.PIPE)
            subprocess.run(["cc", "-O1", "-w", "-DSAFETY", "-DCOLLAPSE", "-DMEMLIM=2048",
                            "-o", "pan", "pan.c"], cwd=folder, check=True)
            said = subprocess.run(["./pan", "-m1000000", *options], cwd=folder, check=True,
                                  stdout=subprocess.PIPE, universal_newlines=True).stdout
        states = re.search(r"(\d+) states, stored", said)
        self.assertIsNotNone(states, said)
        return said, int(states.group(1))

    def test_every_interleaving_is_right(self):
        for size in SIZES:
            with self.subTest(stoppers_workers_rounds=size):
                said, states = self.explore(size)
                self.assertIn("errors: 0", said)
                self.assertNotIn("search not completed", said.lower())
                self.assertNotIn("max search depth too small", said)
                self.assertGreater(states, 1000)
                print(f"{size}: {states} states, all of them right")

    def test_each_fault_is_caught(self):
        for fault, size, message in FAULTS:
            with self.subTest(fault=fault):
                said, states = self.explore(
                    size, fault, options=("-E",) if message == ASSERTION else ())
                self.assertNotIn("errors: 0", said)
                self.assertRegex(said, message)
                print(f"{fault}: caught after {states} states")


if __name__ == "__main__":
    unittest.main()
