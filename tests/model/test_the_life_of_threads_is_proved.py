"""Every interleaving of the model of threads that come, go, wait, collect and exit beside one that ends the runtime
and one that forks the process is right (nobody touches what is freed, nobody waits for ever but who was closed out,
and the child of a fork can do all that a program may), and each variant of it with a known fault is caught."""
# not with a sanitizer: runs nothing of the build

import os
import unittest

import spin

# Workers, enders, forkers, rounds of each worker, and what else.
SIZES = (
    (2, 1, 0, 2, "ONLY_SECTIONS"),
    (2, 1, 0, 1, "ENDER_FORKS"),
    (2, 0, 1, 1),
    (1, 1, 1, 2),
    (3, 0, 0, 1),
)
# A minute and two gigabytes.
LARGER_SIZES = (
    (2, 1, 0, 2, "ENDER_FORKS"),
    (2, 0, 1, 2),
)

# Each with a size at which it shows. Somebody who waits for ever fails an assertion, too.
FAULTS = (
    ("FAULT_RECORDS_OF_OTHERS_GO", (1, 1, 0, 1)),
    ("FAULT_NOBODY_IS_CLOSED_OUT", (1, 1, 0, 1)),
    ("FAULT_END_IS_NO_HEIR", (1, 1, 0, 1)),
    ("FAULT_RESTS_WITH_ITS_LOCKS", (2, 1, 0, 1)),
    ("FAULT_LOSES_A_WAKE_UP", (2, 1, 0, 2, "ONLY_SECTIONS")),
    ("FAULT_WAITS_FOR_FINALIZERS", (2, 0, 0, 1)),
    ("FAULT_FORK_STOPS_NOBODY", (1, 0, 1, 1)),
    ("FAULT_FORK_LETS_STATES_GO", (1, 0, 1, 1)),
    ("FAULT_FORK_DOES_NOT_WAIT_FOR_THE_NOTICE", (2, 0, 1, 1)),
    ("FAULT_CHILD_KEEPS_LOCKS", (2, 0, 1, 1)),
    ("FAULT_CHILD_KEEPS_THE_COLLECTION", (1, 0, 1, 1)),
    ("FAULT_CHILD_KEEPS_THE_END", (0, 1, 1, 1)),
    ("FAULT_CLOSES_BESIDE_A_FORK", (0, 1, 1, 1)),
    ("FAULT_LETS_GO_BESIDE_A_FORK", (2, 1, 0, 1, "ENDER_FORKS")),
)


def explore(size, *faults):
    # No reduction: who may go on depends on who there is. A model that is large as C compiles faster than it runs.
    workers, enders, forkers, rounds, *others = size
    return spin.explore("lifecycle.pml", f"WORKERS={workers}", f"ENDERS={enders}", f"FORKERS={forkers}",
                        f"ROUNDS={rounds}", *others, *faults, options=("-E",), build=("-DNOREDUCE", "-O0"))


@unittest.skipUnless(spin.IS_THERE, "spin is not installed")
class TheLifeOfThreads(unittest.TestCase):
    def test_every_interleaving_is_right(self):
        larger = float(os.environ.get("OURO_TEST_SCALE", 1)) > 1
        for size in SIZES + LARGER_SIZES * larger:
            with self.subTest(size=size):
                found = explore(size)
                self.assertTrue(found.right, found.said)
                self.assertGreater(found.states, 1000)
                print(f"{size}: {found.states} states, all of them right")

    def test_each_fault_is_caught(self):
        for fault, size in FAULTS:
            with self.subTest(fault=fault):
                found = explore(size, fault)
                self.assertIn("assertion violated", found.said)
                print(f"{fault}: caught after {found.states} states")


if __name__ == "__main__":
    unittest.main()
