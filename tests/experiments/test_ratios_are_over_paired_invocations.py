# not with a sanitizer: runs nothing of the build
import random
import statistics
import unittest

import numpy

import support  # noqa: F401  (sets the path)
from plots.drawing import style, tables
from plots.stats import distribution, pairing


class Ratios(unittest.TestCase):
    def test_only_invocations_that_both_have_count(self):
        ours, theirs = {0: 10, 1: 20, 3: 10}, {0: 40, 1: 40, 2: 1000}
        self.assertEqual(pairing.paired_ratios(ours, theirs), [4.0, 2.0])

    def test_it_is_the_median_of_ratios_not_the_ratio_of_medians(self):
        ours, theirs = {0: 1, 1: 10, 2: 100}, {0: 2, 1: 50, 2: 300}
        ratio = pairing.summarize(pairing.paired_ratios(ours, theirs))
        self.assertEqual((ratio.median, ratio.pairs), (3, 3))

    def test_a_missing_figure_makes_no_pair(self):
        self.assertEqual(pairing.paired_ratios({0: None, 1: 5}, {0: 5, 1: None}), [])
        self.assertIsNone(pairing.summarize([]))

    def test_many_pairs_get_a_repeatable_interval_around_the_median(self):
        ratios = [3 + 0.01 * i for i in range(40)]
        first, second = pairing.summarize(ratios), pairing.summarize(ratios)
        self.assertEqual(first, second)
        self.assertTrue(first.interval)
        self.assertTrue(min(ratios) < first.low < first.median < first.high < max(ratios))

    def test_fewer_than_three_pairs_have_a_range_and_no_interval(self):
        for ratios in ([2.5], [2, 3]):
            ratio = pairing.summarize(ratios)
            self.assertEqual((ratio.median, ratio.low, ratio.high, ratio.pairs),
                             (2.5, min(ratios), max(ratios), len(ratios)))
            self.assertFalse(ratio.interval)
            self.assertNotIn("95 %", tables.show_ratio(ratio))
        self.assertTrue(pairing.summarize([2, 3, 4]).interval)

    def test_equal_ratios_are_said_to_be_always_so(self):
        ratio = pairing.summarize([1.5] * 7)
        self.assertEqual((ratio.low, ratio.median, ratio.high), (1.5, 1.5, 1.5))
        self.assertTrue(ratio.interval)
        self.assertFalse(ratio.varies)
        self.assertEqual(tables.show_ratio(ratio), "1.50 (always)")

    def test_one_outlier_that_moves_no_median_leaves_an_interval(self):
        """Leaving out any one changes nothing: there is no acceleration."""
        ratio = pairing.summarize([1, 1, 1, 1, 2])
        self.assertEqual((ratio.low, ratio.median, ratio.high), (1, 1, 2))

    def test_slope_of_linear_and_quadratic_times(self):
        sizes = [10_000, 100_000, 1_000_000]
        self.assertAlmostEqual(distribution.slope(sizes, [7 * n for n in sizes]), 1.0)
        self.assertAlmostEqual(distribution.slope(sizes, [n * n for n in sizes]), 2.0)
        self.assertIsNone(distribution.slope([10_000], [5]))

    def test_geometric_mean(self):
        self.assertAlmostEqual(pairing.geometric_mean([1, 4, 16]), 4)

    def test_the_mean_of_programs_is_of_their_medians(self):
        draw = random.Random(2)
        programs = [[scale * draw.lognormvariate(0, 0.1) for _ in range(20)] for scale in (1, 4, 16)]
        mean = pairing.mean_ratio(programs)
        self.assertAlmostEqual(mean.median, pairing.geometric_mean(map(statistics.median, programs)))
        self.assertTrue(mean.interval and mean.low < mean.median < mean.high)
        self.assertEqual((mean.pairs, mean.programs), (20, 3))
        # Its interval is narrower than that of any of its programs: each has noise of its own.
        width = numpy.log(mean.high / mean.low)
        for each in map(pairing.summarize, programs):
            self.assertLess(width, numpy.log(each.high / each.low))
        few = pairing.mean_ratio([[1, 1.1], programs[1]])
        self.assertEqual((few.interval, few.pairs), (False, 2))
        self.assertIsNone(pairing.mean_ratio([[], []]))


class Intervals(unittest.TestCase):
    # Efron and Tibshirani, An Introduction to the Bootstrap (1993), table 14.1: the first of the two
    # spatial tests of 26 children, and the BCa interval of its variance, of 2,000 draws (table 14.2).
    SPATIAL = (48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24,
               26, 30, 41)

    def variance(self, confidence=0.9):
        return pairing.bca([self.SPATIAL], lambda x, axis=-1: numpy.var(x, axis=axis), confidence)

    def test_it_is_the_published_one(self):
        low, high = self.variance()
        self.assertAlmostEqual(low, 115.8, delta=4)    # the percentile interval: 100.8
        self.assertAlmostEqual(high, 259.6, delta=6)   # the percentile interval: 233.9

    def test_more_confidence_is_wider(self):
        low, high = self.variance(0.95)
        self.assertTrue(low < self.variance()[0] and self.variance()[1] < high)

    def test_nineteen_of_twenty_contain_what_is_true(self):
        draw = numpy.random.default_rng(11)
        inside = 0
        for _ in range(100):
            low, high = pairing.bca([numpy.exp(draw.normal(0, 0.1, 20))])
            inside += low <= 1 <= high
        self.assertTrue(88 <= inside <= 99, inside)

    def test_a_ratio_of_what_nothing_pairs_has_one(self):
        draw = random.Random(4)
        slow, fast = ([scale * draw.lognormvariate(0, 0.05) for _ in range(9)] for scale in (3, 1))
        ratio = pairing.unpaired_ratio(slow, fast)
        self.assertAlmostEqual(ratio.median, statistics.median(slow) / statistics.median(fast))
        self.assertTrue(2.5 < ratio.low < ratio.median < ratio.high < 3.5)
        self.assertFalse(pairing.unpaired_ratio([1, 2], [1]).interval)


class Labels(unittest.TestCase):
    def test_labels_keep_their_order_and_distance(self):
        places = [0.50, 0.10, 0.51, 0.52, 0.90, 0.99]
        moved = style.spread(places, 0.08, 1.0)
        order = sorted(range(len(places)), key=lambda i: places[i])
        self.assertEqual(order, sorted(range(len(moved)), key=lambda i: moved[i]))
        gaps = [moved[b] - moved[a] for a, b in zip(order, order[1:])]
        self.assertTrue(all(gap >= 0.08 - 1e-9 for gap in gaps))
        self.assertLessEqual(max(moved), 1.0)
        self.assertEqual(moved[1], 0.10)  # who has room stays


if __name__ == "__main__":
    unittest.main()
