# not with a sanitizer: runs nothing of the build
import copy
import json
import unittest

from drawing import DrawingTest
from plots.claims import conditions, coverage
from plots.data import results

# What nobody has heard of, and so no figure can know by its name.
NEW = "spiral:left of 7"


class NewWorkload(DrawingTest):
    def renamed(self, name, change=lambda result: None, keep=lambda row: True):
        """The recorded results whose churn is done by a new workload, too, as it was measured."""
        made = self.recorded(name)
        rows = list(map(json.loads, (made / "runs.jsonl").read_text().splitlines()))
        more = []
        for row in rows:
            if row["workload"] == "churn" and keep(row):
                row = copy.deepcopy(row)
                row.update(workload=NEW, run=row["run"] + 1000, row=row["row"] + 1000,
                           params={"turns": 7, "objects": 60_000})
                row["result"].update(workload=NEW, params={"turns": 7, "objects": 60_000})
                change(row["result"])
                more.append(row)
        (made / "runs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows + more))
        return made

    def texts(self, figure):
        return "\n".join(each.get_text() for each in figure.findobj(
            match=lambda each: hasattr(each, "get_text")))

    def test_its_figures_and_rows_are_there(self):
        figures, _, tables = self.parts(self.renamed("whole"))
        self.assertIn("spiral_left_of_7_2000", figures)
        self.assertIn("turns 7, objects 60000", self.texts(figures["spiral_left_of_7_2000"]))
        for name in ("pause_distribution", "utilisation", "lower_bound"):
            self.assertIn(NEW, self.texts(figures[name]).replace("\n", " "), name)
        for title in ("Run time, peak RSS, pauses and garbage", "Most uncollected garbage",
                      "Time, ns an operation", "Collections of a run", "Utilisation, medians",
                      "Pauses, ms, of all", "Lower-bound overhead"):
            table = tables[tables.index(f"### {title}"):].split("\n###")[0]
            self.assertEqual({table.count(f"\n| {each}") for each in (NEW, "churn")} - {0},
                             {table.count(f"\n| {NEW}")}, title)
            self.assertGreater(table.count(f"\n| {NEW}"), 1, title)
        self.assertNotIn(NEW, tables.split("## Other workloads")[1].split("\n## ")[0])

    def test_its_four_metrics_are_those_of_its_runs(self):
        made = self.renamed("metrics", keep=lambda row: row["invocation"] == 0)
        tables = self.parts(made)[2]
        table = tables[tables.index("### Run time, peak RSS"):].split("\n###")[0]
        found = [line.strip("| ").split(" | ") for line in table.splitlines()
                 if line.startswith(f"| {NEW} | 2 k | Ouroboros stw |")]
        result = next(each["result"] for each in results.load(made).rows
                      if (each["workload"], each["subject"], each["repeat"]) == (NEW, "ouro-stw", 0))
        wall = result["pauses"]["wall"]
        self.assertEqual(found, [[NEW, "2 k", "Ouroboros stw", "1", f"{result['run_ns'] / 1e9:.3f}",
                                  f"{result['rss_peak_bytes'] / 2 ** 20:.1f}",
                                  *(f"{wall[key] / 1e6:.3f}" for key in (
                                      "p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns")),
                                  f"{result['backlog_max']:,}"]])

    def test_where_nothing_waits_nothing_is_drawn_over_time(self):
        def clean(result):
            result.update(backlog_max=0, backlog_mean=0, backlog_points=[])
        figures, _, tables = self.parts(self.renamed("clean", clean))
        self.assertNotIn("spiral_left_of_7_2000", figures)
        self.assertIn(NEW, tables)

    def test_a_backlog_that_nobody_knows_is_no_zero(self):
        def unknown(result):
            result.update(backlog_max=None, backlog_mean=None, backlog_points=[])
        tables = self.parts(self.renamed("unknown", unknown))[2]
        rows = [line for line in tables.split("### Run time, peak RSS")[1].splitlines()
                if line.startswith(f"| {NEW} ")]
        self.assertTrue(rows and all(line.endswith("| - |") for line in rows[:3]), rows)

    def test_the_gate_asks_what_it_does_not_cover(self):
        loaded = results.load(self.renamed("unwritten"))
        shown = conditions.Shown(loaded, loaded.where((NEW,)))
        state, why = conditions.tuning(shown)
        self.assertEqual(state, conditions.FAILS)
        self.assertIn(f"what {NEW} does not cover", why)

    def test_the_gate_is_told_by_the_results(self):
        loaded = results.load(self.renamed("written"))
        loaded.meta["configurations"].append({"workload": NEW, "not_covered": "what turns right"})
        _, why = conditions.tuning(conditions.Shown(loaded, loaded.where((NEW,))))
        self.assertIn(f"not covered: {NEW}: what turns right", why)

    def test_what_results_do_not_tell_is_written(self):
        for name in ("btree", "lru", "server", "adversary:moves", "cycles:ring"):
            self.assertTrue(coverage.not_covered_by(name, {}), name)
        self.assertIsNone(coverage.not_covered_by("lruish", {}))

    def kept(self, workload, params, result=None):
        """How many of the rows with these parameters are shown beside one another."""
        rows = [{"workload": workload, "objects": size, "params": each, "result": result or {}}
                for size, each in params]
        return len(results.one_kind_of_each(rows)[0])

    def test_sizes_of_one_workload_are_told_apart(self):
        steps = {"made_unreachable": 1}
        for workload, size, result in ((NEW, "turns", steps), ("cyclotron:chain of 4", "live-objects", steps),
                                       ("binary-trees:parents", "depth", steps), ("btree", "nodes", None)):
            params = [(each, {size: each, "other": other}) for each in (10, 20) for other in (1, 1, 2)]
            self.assertEqual(self.kept(workload, params, result), 4, workload)
        self.assertEqual(self.kept("binary-trees", [(2 ** each, {"depth": each}) for each in (4, 8)], steps), 2)

    def test_what_is_not_the_size_in_all_rows_is_not_the_size(self):
        mixed = [(1000, {"nodes": 1000}), (5000, {"nodes": 1000}), (5000, {"nodes": 500})]
        self.assertEqual(self.kept("ggauss", mixed, {"made_unreachable": 1}), 2)

    def test_a_larger_heap_may_have_a_longer_run(self):
        self.assertEqual(self.kept("slices", [
            (live, {"live": live, "slices": slices, "warmup": slices // 4, "slice": length})
            for live, slices, length in ((1000, 80, 250), (2000, 120, 250), (2000, 120, 10))]), 2)

    def test_sizes_that_no_figure_tells_apart_are_not_mixed(self):
        self.assertEqual(self.kept("gcbench", [(each, {"depth": each}) for each in (8, 8, 16)]), 2)


if __name__ == "__main__":
    unittest.main()
