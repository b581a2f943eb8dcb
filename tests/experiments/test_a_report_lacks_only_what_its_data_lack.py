# not with a sanitizer: runs nothing of the build
import json
import shutil
import unittest

from drawing import FIGURES, OPTIONAL, SVG, DrawingTest
from plots.page import report
import support

PAUSES = {"pause_vs_heap", "garbage_vs_heap"}
EVENTS = {"phases", "timeline_graph_10000", "timeline_graph_10000_shuffled"}
CHURN = {"churn_2000", "utilisation", "lower_bound"}


def without(*keys):
    def change(row):
        for key in keys:
            (row["result"] or {}).pop(key, None)
        return row
    return change


class Missing(DrawingTest):
    def test_each_kind_can_be_missing(self):
        everything = set(FIGURES)
        cases = {
            "no graph": (lambda row: row["workload"] != "graph", lambda row: row,
                         everything - PAUSES - EVENTS),
            "no captured heap": (lambda row: not row["workload"].startswith("heap:"),
                                 lambda row: row, everything - {"captured"}),
            "no churn": (lambda row: row["workload"] != "churn", lambda row: row,
                         everything - CHURN),
            "no young": (lambda row: row["workload"] != "young", lambda row: row,
                         everything - {"young_vs_old"}),
            "no pauses over time": (lambda row: True, without("pause_points"),
                                    everything - {"utilisation", "lower_bound"}),
            "no memory over time": (lambda row: True, without("rss_points"), everything),
            "no peer": (lambda row: row["kind"] == "ouro", lambda row: row, everything),
            "none of ours": (lambda row: row["kind"] == "cpython", lambda row: row,
                             everything - EVENTS - {"lower_bound"}),
            "one engine": (lambda row: row["subject"] != "ouro-stw-parallel", lambda row: row,
                           everything - {"lower_bound"}),
            "one size": (lambda row: row["objects"] in (0, 10_000), lambda row: row,
                         everything - CHURN),
            "one order": (lambda row: not row["shuffled"], lambda row: row,
                          everything - {"timeline_graph_10000_shuffled"}),
            "shuffled alone": (lambda row: row["shuffled"], lambda row: row,
                               PAUSES | {"phases", "pause_distribution", "captured",
                                         "timeline_graph_10000_shuffled"}),
        }
        for place, (name, (keep, change, expected)) in enumerate(cases.items()):
            with self.subTest(name):
                figures, missing, _ = self.parts(self.recorded(f"case{place}", keep, change))
                self.assertEqual(set(figures), expected)
                # A part has one line, however many figures; the graph has two.
                self.assertEqual(len(missing), len(everything - expected - {"garbage_vs_heap", *OPTIONAL}))

    def test_what_is_left_out_is_said_in_a_line(self):
        copy = self.recorded("young", lambda row: row["workload"] == "young")
        said = report.render(copy, SVG).splitlines()
        lines = [line for line in said if line.startswith("left out: ")]
        self.assertEqual(len(lines), 6)
        self.assertIn("left out: churn: no run of churn or its like", lines)
        page = (copy / "report.html").read_text()
        self.assertEqual(page.count("Left out: "), 6)
        self.assertIn("Left out: churn: no run of churn or its like.", page)
        self.assertEqual({each.name for each in copy.glob("*.svg")}, {"young_vs_old.svg", "young_vs_old_ratio.svg"})

    def test_events_that_are_gone_or_cut_short_are_no_mistake(self):
        gone = self.recorded("gone")
        shutil.rmtree(gone / "events")
        figures, missing, _ = self.parts(gone)
        self.assertEqual(set(figures), set(FIGURES) - EVENTS)
        self.assertEqual([what for what, _ in missing], ["time by phase"])
        cut = self.recorded("cut")
        for path in (cut / "events").iterdir():
            text = path.read_text()
            path.write_text(text[:len(text) // 2])
        self.assertEqual(set(self.parts(cut)[0]), set(FIGURES))

    def test_no_meta_json_leaves_unknown_what_it_says(self):
        copy = self.recorded("bare", lambda row: row["workload"] == "young")
        (copy / "meta.json").unlink()
        report.render(copy, SVG)
        self.assertIn("machine not recorded", (copy / "report.html").read_text())

    def test_a_workload_without_a_figure_has_a_table(self):
        def rename(row):
            if row["workload"] == "young":
                row["workload"] = "something-else"
            return row
        _, _, text = self.parts(self.recorded("other", change=rename))
        for workload in ("something-else", "gc-collect"):
            self.assertRegex(text, rf"(?m)^\| {workload} \|.*Ouroboros stw \| \d")

    def test_runs_with_other_parameters_are_counted_not_mixed(self):
        rows = [json.loads(line) for line in
                (support.RECORDED / "runs.jsonl").read_text().splitlines()]
        churn = [row for row in rows if row["workload"] == "churn"]
        copy = self.recorded("mixed")
        with open(copy / "runs.jsonl", "a") as more:
            for place, row in enumerate(churn[:2]):
                row = {**row, "run": len(rows) + place,
                       "params": {**row["params"], "replace": 77},
                       "result": {**row["result"], "backlog_max": 123456789}}
                more.write(json.dumps(row) + "\n")
        _, _, text = self.parts(copy)
        self.assertIn("2 runs with other parameters not shown", text)
        self.assertNotIn("123,456,789", text)


if __name__ == "__main__":
    unittest.main()
