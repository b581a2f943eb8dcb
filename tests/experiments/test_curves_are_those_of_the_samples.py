# not with a sanitizer: runs nothing of the build
import random
import unittest

import support
from plots.data import events, results
from plots.drawing import style
from plots.figures.collection import phases
from plots.stats import distribution, mmu


def least_left(pauses, end, window):
    """By trying every place of the window in steps of one."""
    stopped = [False] * end
    for start, length in pauses:
        for i in range(start, min(end, start + length)):
            stopped[i] = True
    return 1 - max(sum(stopped[first:first + window]) for first in range(end - window + 1)) / window


class Utilisation(unittest.TestCase):
    def test_it_is_the_least_over_all_windows(self):
        draw = random.Random(5)
        for _ in range(60):
            pauses, time = [], draw.randrange(5)
            while time < 80 and len(pauses) < 8:
                length = draw.randrange(1, 9)
                pauses.append((time, length))
                time += length + draw.randrange(1, 20)
            end = 90
            windows = [1, 2, 5, 10, 37, 90]
            for window, found in zip(windows, mmu.mmu_curve(pauses, end, windows)):
                self.assertAlmostEqual(found, least_left(pauses, end, window), msg=(pauses, window))

    def test_without_a_pause_all_is_left_and_a_longer_window_is_unknown(self):
        self.assertEqual(mmu.mmu_curve([], 100, [10, 100, 101]), [1, 1, None])


class Tails(unittest.TestCase):
    def test_few_samples_are_all_there(self):
        self.assertEqual(distribution.tail([3, 1, 2, 4]), [(1, 1), (4 / 3, 2), (2, 3), (4, 4)])

    def test_of_many_the_end_is_whole_and_the_greatest_is_there(self):
        samples = list(range(50_000))
        random.Random(1).shuffle(samples)
        found = distribution.tail(samples, 200)
        self.assertLessEqual(len(found), 200)
        self.assertEqual(found, sorted(found))
        self.assertEqual(found[0], (1, 0))
        self.assertEqual(found[-1], (50_000, 49_999))
        self.assertEqual([value for _, value in found[-5:]], list(range(49_995, 50_000)))
        for x, value in found:
            self.assertAlmostEqual(x, 50_000 / (50_000 - value))

    def test_ranks_are_the_nearest(self):
        ordered = list(range(1, 101))
        self.assertEqual([distribution.quantile(ordered, each) for each in (0, 0.5, 0.99, 0.999, 1)],
                         [1, 50, 99, 100, 100])


class Phases(unittest.TestCase):
    def setUp(self):
        self.results = results.load(support.RECORDED)
        self.rows = [row for row in self.results.rows if row["events"]]

    def test_phases_and_the_rest_add_up_to_the_collection(self):
        self.assertGreater(len(self.rows), 4)
        for row in self.rows:
            found = events.of_row(self.results, row)
            self.assertEqual(len(found), row["result"]["params"]["collections"] + 2)
            for each in found:
                self.assertEqual(sum(wall for wall, _ in each.phases.values()) + each.rest[0],
                                 each.ns)
                self.assertLess(each.rest[0], each.ns)
                self.assertFalse(set(each.phases) & set(events.SPANS))
            shares, number = phases.shares(found)
            times = sorted(each.ns / each.cycle["objects"] for each in found)
            whole = sum(wall for wall, _ in shares.values())
            self.assertLessEqual(number, len(found))
            self.assertTrue(times[0] <= whole <= times[-1])

    def test_alive_and_garbage_are_told_apart_and_the_first_is_left_out(self):
        for row in self.rows:
            kinds = phases.split(events.of_row(self.results, row))
            self.assertEqual(len(kinds["alive"]), row["result"]["params"]["collections"])
            self.assertEqual([each.cycle["condemned"] for each in kinds["garbage"]],
                             [row["result"]["collected"]])
            self.assertNotIn(1, [each.cycle["cycle"] for each in kinds["alive"]])

    def test_the_names_are_those_of_the_events_in_their_order(self):
        found = phases.measured(self.results)
        names = list(phases.phase_looks(found))
        self.assertEqual(names[-1], phases.REST)
        self.assertLess(names.index("count"), names.index("mark"))
        self.assertLess(names.index("mark"), names.index("clear"))
        self.assertLess(names.index("clear"), names.index("release"))


class Styles(unittest.TestCase):
    def test_subjects_differ_without_colour(self):
        names = ["ouro-stw", "ouro-stw-parallel", "ouro-concurrent", "ouro-snapshot",
                 "ouro-incremental", "cpython-3.11.2", "cpython-3.13.1t", "cpython-3.14.0"]
        looks = style.looks(names).values()
        for part in ("colour", "marker", "dash", "hatch"):
            self.assertEqual(len({getattr(each, part) for each in looks}), len(names), part)


if __name__ == "__main__":
    unittest.main()
