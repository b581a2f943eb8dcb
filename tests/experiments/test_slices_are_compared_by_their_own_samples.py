# not with a sanitizer: runs nothing of the build
import json
import unittest

import numpy

from drawing import DrawingTest
from plots.data import results
from plots.drawing import style
from plots.figures.load import slices
from plots.stats import distribution
import support

MS = 1_000_000
FIGURES = {"slices", "slices_distribution", "slices_metered"}


def result(live, samples, warmup):
    ordered = sorted(samples[warmup:])
    wall = {key: distribution.quantile(ordered, part) for key, part in (
        ("p50_ns", 0.5), ("p90_ns", 0.9), ("p99_ns", 0.99), ("p999_ns", 0.999), ("max_ns", 1))}
    return {"workload": "slices", "params": {"live": live}, "live_objects": live, "mutator_ops": 1000,
            "run_ns": sum(samples[warmup:]), "run_cpu_ns": 5, "rss_peak_bytes": 1 << 20,
            "own_pauses": None, "slices": {"operations": 250, "warmup": warmup, "wall": wall},
            "slice_samples_ns": samples}


class Slices(DrawingTest):
    def loaded(self, name, peers=("d-fork", "go", "ouro-stw")):
        """Slices of 1 ms, every hundredth as many as the peer's place in ms longer, by the live heap."""
        directory = self.recorded(name, lambda row: row["workload"] == "young")
        made = []
        for peer in peers:
            for live in (10_000, 100_000):
                for shuffled in (False, True):
                    for invocation in range(3):
                        long = (peers.index(peer) + 1) * live // 10_000 * (1 + shuffled) * MS
                        samples = [100 * MS] * 5 + [MS + (long if i % 100 == 50 else 0)
                                                    for i in range(300)]
                        made.append({
                            "row": 1000 + len(made), "run": 1000 + len(made), "invocation": invocation,
                            "repeat": 0, "workload": "slices", "subject": peer, "objects": live,
                            "params": {"live": live, "shuffled": shuffled}, "shuffled": shuffled,
                            "kind": "ouro" if peer.startswith("ouro") else "peer", "load": 0.1,
                            "command": "run", "status": "ok", "reason": "", "events": None, "seed": 1,
                            "result": result(live, samples, 5)})
        with open(directory / "runs.jsonl", "a") as rows:
            rows.writelines(json.dumps(row) + "\n" for row in made)
        return directory

    def test_each_figure_is_there_only_with_slices(self):
        figures, _, text = self.parts(self.loaded("some"))
        self.assertLessEqual(FIGURES, set(figures))
        without, missing, _ = self.parts(support.RECORDED)
        self.assertFalse(FIGURES & set(without))
        self.assertFalse([what for what, _ in missing if what == "slices"])
        # p99.9 and the worst of three runs of 300 with a long one in a hundred; of ours three times
        # that of the first.
        self.assertIn("| 100 k | shuffled | go | 3 | 1.000 | 1.000 | 41.000 | 41.000 |", text)

    def test_slices_whose_lengths_are_not_kept_are_left_out(self):
        """As in rows that an older version packed: the tail alone."""
        directory = self.loaded("tails")
        rows = list(map(json.loads, (directory / "runs.jsonl").read_text().splitlines()))
        for row in rows:
            if row["workload"] == "slices":
                samples = row["result"].pop("slice_samples_ns")
                row["result"]["slice_tail"] = {"count": len(samples), "points": [[0, max(samples)]]}
        (directory / "runs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        figures, _, _ = self.parts(directory)
        self.assertFalse(FIGURES & set(figures))
        self.assertIn("young_vs_old", figures)

    def test_the_warm_up_is_left_out(self):
        found = slices.by_heap(results.load(self.loaded("warm")))
        [worst] = {slices.at(1)(each) for each in found[False, 10_000]["go"].values()}
        self.assertEqual(worst, 3 * MS)

    def test_a_subject_of_many_is_told_from_the_others_without_colour(self):
        many = [f"peer-{i}" for i in range(24)]
        looks = slices_looks(many)
        self.assertEqual(len(set(looks)), len(many))

    def test_what_is_beyond_the_usual_slice_is_not_the_mutators(self):
        """One slice of 1 + 4 ms among those of 1 ms: a window of 10 ms has 6 ms left."""
        self.assertAlmostEqual(slices.left_over(result(1, [MS] * 20 + [5 * MS] + [MS] * 20, 0)), 0.6)


def slices_looks(names):
    return [(each.marker, str(each.dash)) for each in style.looks(names).values()]


class Metered(unittest.TestCase):
    DURATIONS = [1, 1, 1, 5, 1, 1]   # these begin at 0, 1, 2, 3, 8, 9

    def test_without_a_window_it_is_the_operations_own_time(self):
        self.assertEqual(distribution.metered(self.DURATIONS, 0).tolist(), self.DURATIONS)

    def test_over_the_whole_run_starts_are_evenly_spaced(self):
        # Six starts over 0 to 9: 0, 1.8, 3.6, 5.4, 7.2, 9; ends 1, 2, 3, 8, 9, 10.
        numpy.testing.assert_allclose(distribution.metered(self.DURATIONS, None), [1, 1, 1, 5, 1.8, 1])

    def test_within_a_window_what_waited_for_a_stop_is_late_by_it(self):
        # From 8 the window of 12 reaches from 2 to the end: starts 2, 3, 8, 9 are spaced by 7/3, so
        # the third begins at 2 + 14/3 and ends at 9. From 9: 3, 8, 9 by 3, the last at 9.
        found = distribution.metered(self.DURATIONS, 12)
        self.assertAlmostEqual(found[4], 9 - (2 + 14 / 3))
        self.assertAlmostEqual(found[5], 1)

    def test_even_operations_are_late_in_no_window(self):
        for window in (0, 3, 50, None):
            numpy.testing.assert_allclose(distribution.metered([2] * 40, window), [2] * 40)


if __name__ == "__main__":
    unittest.main()
