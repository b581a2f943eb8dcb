import unittest

import support  # noqa: F401  (sets the path)
import stats
import style


class Ratios(unittest.TestCase):
    def test_only_invocations_that_both_have_count(self):
        ours, theirs = {0: 10, 1: 20, 3: 10}, {0: 40, 1: 40, 2: 1000}
        self.assertEqual(stats.paired_ratios(ours, theirs), [4.0, 2.0])

    def test_it_is_the_median_of_ratios_not_the_ratio_of_medians(self):
        ours, theirs = {0: 1, 1: 10, 2: 100}, {0: 2, 1: 50, 2: 300}
        ratio = stats.summarize(stats.paired_ratios(ours, theirs))
        self.assertEqual((ratio.median, ratio.low, ratio.high, ratio.pairs), (3, 2, 5, 3))
        self.assertFalse(ratio.interval)

    def test_a_missing_figure_makes_no_pair(self):
        self.assertEqual(stats.paired_ratios({0: None, 1: 5}, {0: 5, 1: None}), [])
        self.assertIsNone(stats.summarize([]))

    def test_many_pairs_get_a_repeatable_interval_around_the_median(self):
        ratios = [3 + 0.01 * i for i in range(40)]
        first, second = stats.summarize(ratios), stats.summarize(ratios)
        self.assertEqual(first, second)
        self.assertTrue(first.interval)
        self.assertTrue(min(ratios) < first.low < first.median < first.high < max(ratios))

    def test_slope_of_linear_and_quadratic_times(self):
        sizes = [10_000, 100_000, 1_000_000]
        self.assertAlmostEqual(stats.slope(sizes, [7 * n for n in sizes]), 1.0)
        self.assertAlmostEqual(stats.slope(sizes, [n * n for n in sizes]), 2.0)
        self.assertIsNone(stats.slope([10_000], [5]))

    def test_geometric_mean(self):
        self.assertAlmostEqual(stats.geometric_mean([1, 4, 16]), 4)


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
