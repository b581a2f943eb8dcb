# not with a sanitizer: runs nothing of the build
import json
import statistics
import unittest

from drawing import DrawingTest
from plots.data import results
from plots.drawing import ratios, style
from plots.page import report
from plots.stats import pairing
import support

STW, PARALLEL = "ouro-stw", "ouro-stw-parallel"
# Times of the other subject over those of the base, an invocation each.
TIMES = (2.0, 2.5, 2.25, 1.75, 3.0)


def marks(figure):
    """{colour: [[y of each mark of a line]]} of all panels; and all whiskers as {(colour, low, high)}."""
    found, spans = {}, set()
    for axes in figure.axes:
        for line in axes.lines:
            if line.get_marker() in style.OUR_MARKERS + style.PEER_MARKERS and len(line.get_xdata()):
                found.setdefault(line.get_color(), []).append([round(y, 9) for y in line.get_ydata()])
        for each in axes.collections:
            for (_, low), (_, high) in each.get_segments():
                spans.add((round(low, 9), round(high, 9)))
    return found, spans


class Forms(DrawingTest):
    def young(self, name, times=TIMES, keep=lambda row: True):
        """Runs of `young` in which stw takes a time that differs by invocation, and stw-parallel so many times that."""
        directory = self.recorded(name)
        rows = [json.loads(line) for line in (directory / "runs.jsonl").read_text().splitlines()]
        rows = [row for row in rows if row["workload"] == "young" and not row["repeat"]
                and row["invocation"] == 0 and row["subject"] in (STW, PARALLEL)]
        made = []
        for invocation, factor in enumerate(times):
            for row in rows:
                ns = 1000 * (invocation + 1) * (factor if row["subject"] == PARALLEL else 1)
                result = {**row["result"], **{f"{kind}_collect_samples_ns": [ns, ns, ns]
                                              for kind in ("live", "garbage")}}
                made.append({**row, "invocation": invocation, "run": len(made), "row": len(made), "result": result})
        (directory / "runs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in made if keep(row)))
        return directory

    def form(self, directory, name="young_vs_old"):
        style.apply()
        sections, _ = report.parts_of(results.load(directory))
        style.plt.close("all")
        return next(each.other for section in sections for each in section.drawings if each.name == name)

    def test_a_mark_is_the_median_of_the_pairs_and_the_whiskers_their_interval(self):
        form = self.form(self.young("whole"))
        self.assertEqual((form.name, form.base), ("ratio", "stw"))
        found, spans = marks(form.figure)
        self.assertEqual(list(found.values()), [[[statistics.median(TIMES)] * 2] * 2], "two panels, two sizes")
        wanted = pairing.summarize(list(TIMES))
        self.assertTrue(wanted.interval)
        self.assertEqual(spans, {(round(wanted.low, 9), round(wanted.high, 9))})

    def test_only_invocations_that_both_have_are_pairs(self):
        form = self.form(self.young("unpaired", keep=lambda row: not (
            row["invocation"] == 4 and row["subject"] == STW or row["invocation"] == 1 and row["subject"] == PARALLEL)))
        found, _ = marks(form.figure)
        self.assertEqual(list(found.values()), [[[statistics.median([2.0, 2.25, 1.75])] * 2] * 2])

    def test_the_figure_says_what_its_ratios_are_to_and_marks_it(self):
        form = self.form(self.young("named"))
        texts = [each.get_text() for each in form.figure.texts] + [
            axes.get_ylabel() for axes in form.figure.axes]
        self.assertTrue(any("over Ouroboros stw in the same invocation" in each for each in texts), texts)
        self.assertTrue(any(each.endswith("over that of stw") for each in texts), texts)
        for axes in form.figure.axes:
            self.assertIn([1, 1], [list(line.get_ydata()) for line in axes.lines])
            self.assertLess(axes.get_ylim()[0], 1)

    def test_there_is_none_without_a_pair(self):
        self.assertIsNone(self.form(self.young("one", keep=lambda row: row["subject"] == STW)))
        self.assertIsNone(self.form(self.young("apart", keep=lambda row: (
            (row["subject"] == STW) == (row["invocation"] < 2)))))
        other = self.form(self.young("peer", keep=lambda row: row["subject"] != STW))
        self.assertIsNone(other)

    def test_the_base_is_the_first_subject_where_stw_is_not(self):
        form = self.form(self.recorded("no_stw", lambda row: row["subject"] != STW))
        self.assertEqual(form.base, "stw-parallel")

    def test_what_was_drawn_as_ratios_is_drawn_as_it_was_measured(self):
        form = self.form(support.RECORDED, "lower_bound")
        self.assertEqual((form.name, form.ratio), ("absolute", False))
        rows = [json.loads(line) for line in (support.RECORDED / "runs.jsonl").read_text().splitlines()]
        wanted = [statistics.median(row["result"]["run_ns"] / row["result"]["mutator_ops"] for row in rows
                                    if row["workload"] == "churn" and not row["repeat"] and row["subject"] == name)
                  for name in (STW, PARALLEL)]
        widths = [each.get_width() for each in form.figure.axes[0].patches]
        self.assertEqual([round(each, 6) for each in widths], [round(each, 6) for each in wanted])

    def test_a_percentile_is_shown_where_a_sample_lies_beyond_it(self):
        found = {count: [ratios.PARTS[place][1] for place, _ in ratios.known(range(count))]
                 for count in (1, 2, 9, 10, 99, 100, 1000)}
        self.assertEqual(found, {1: ["longest"], 2: ["50", "longest"], 9: ["50", "longest"],
                                 10: ["50", "90", "longest"], 99: ["50", "90", "longest"],
                                 100: ["50", "90", "99", "longest"], 1000: ["50", "90", "99", "99.9", "longest"]})
        self.assertEqual(dict(ratios.known(range(1, 101))), {0: 50, 1: 90, 2: 99, 5: 100})


if __name__ == "__main__":
    unittest.main()
