"""Every interleaving of the model of stopping the world is right (inv.stop.alone, inv.stop.one-stopper,
inv.stop.counted-once, inv.stop.handed-over; nobody waits for ever), and each variant of it with a known
fault is caught."""
# not with a sanitizer: runs nothing of the build

import unittest

import spin

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


def explore(size, *faults, options=()):
    stoppers, workers, rounds = size
    return spin.explore("stop_the_world.pml", f"STOPPERS={stoppers}", f"WORKERS={workers}", f"ROUNDS={rounds}",
                        *faults, options=options)


@unittest.skipUnless(spin.IS_THERE, "spin is not installed")
class StopTheWorld(unittest.TestCase):
    def test_every_interleaving_is_right(self):
        for size in SIZES:
            with self.subTest(stoppers_workers_rounds=size):
                found = explore(size)
                self.assertTrue(found.right, found.said)
                self.assertGreater(found.states, 1000)
                print(f"{size}: {found.states} states, all of them right")

    def test_each_fault_is_caught(self):
        for fault, size, message in FAULTS:
            with self.subTest(fault=fault):
                found = explore(size, fault, options=("-E",) if message == ASSERTION else ())
                self.assertNotIn("errors: 0", found.said)
                self.assertRegex(found.said, message)
                print(f"{fault}: caught after {found.states} states")


if __name__ == "__main__":
    unittest.main()
