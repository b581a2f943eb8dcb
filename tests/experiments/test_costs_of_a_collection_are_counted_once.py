# not with a sanitizer: runs nothing of the build
import json
import tempfile
import unittest
from pathlib import Path

from drawing import DrawingTest
from load_results import CONCURRENT, MS, OFF, SECOND, STW, result_of
from plots.data import events, results
from plots.drawing import style
from plots.figures.collection import fork_cost, timelines
from plots.figures.load import lower_bound, triangle, utilisation
from plots.stats import distribution, mmu
import support


def run(pauses, collector, ns, cpu, operations=1000):
    return {"pause_points": [[start, length] for start, length in pauses], "mutator_ops": operations,
            "run_ns": ns, "run_cpu_ns": cpu, "collector_cpu_ns": collector}


class LowerBound(unittest.TestCase):
    def test_pauses_come_off_the_time_and_cycles_off_the_cpu(self):
        found = lower_bound.costs_of(run([(0, 200), (500, 100)], 400, 1000, 1500, 10))
        self.assertEqual(found, {"wall": (100, 70), "CPU": (150, 110)})

    def test_the_bound_is_the_least_of_any_engine(self):
        runs = {name: {i: lower_bound.costs_of(each) for i in range(3)} for name, each in (
            ("ouro-off", run([], 0, 900, 900)),                  # without a collector 0.9
            ("ouro-stw", run([(0, 400)], 400, 1200, 1200)),      # 1.2, of which 0.8 is no collection
            ("ouro-concurrent", run([(0, 100)], 900, 1000, 1700)))}
        found = lower_bound.overheads({"lru": runs})
        least, ratios = found["lru", "wall"]
        self.assertEqual(least, "ouro-stw")
        for name, expected in (("ouro-off", 0.9 / 0.8), ("ouro-stw", 1.5), ("ouro-concurrent", 1.25)):
            self.assertEqual(len(ratios[name]), 3)
            self.assertAlmostEqual(ratios[name][0], expected)
        self.assertAlmostEqual(found["lru", "CPU"][1]["ouro-concurrent"][0], 1.7 / 0.8)


    def test_where_all_is_collection_there_is_no_bound(self):
        runs = {name: {0: lower_bound.costs_of(run([(0, 1000)], 1000, 1000, 1000))}
                for name in ("ouro-stw", "ouro-concurrent")}
        self.assertIsNone(lower_bound.bound(runs, "wall"))


class Together(DrawingTest):
    def test_the_three_costs_are_those_of_the_same_runs(self):
        template = next(row for row in map(json.loads, (support.RECORDED / "runs.jsonl").read_text()
                                           .splitlines())
                        if row["workload"] == "churn" and row["subject"] == STW)
        directory = self.recorded("three")
        made = []
        for subject, pauses, more in (
                (STW, [(0, 50 * MS)], {"backlog_mean": 10.0}),
                (CONCURRENT, [(0, MS)], {"backlog_mean": 900.0, "collector_cpu_ns": 400 * MS}),
                (OFF, [], {"collector_cpu_ns": 0})):
            for invocation in range(3):
                made.append({**template, "workload": "lru", "subject": subject, "objects": 10_000,
                             "params": {"live": 10_000, "threads": 1, "load": "saturated"},
                             "run": 5000 + len(made), "row": 5000 + len(made), "repeat": 0,
                             "invocation": invocation,
                             "result": {**result_of(template["result"], pauses, more),
                                        "workload": "lru"}})
        with open(directory / "runs.jsonl", "a") as rows:
            rows.writelines(json.dumps(row) + "\n" for row in made)
        figures, _, text = self.parts(directory)
        self.assertLessEqual({"triangle", "lower_bound"}, set(figures))
        self.assertIn("| Ouroboros stw | 3 | 50.000 | 10 | 0.1 % | 10,000 | 1,000,000 |", text)
        self.assertIn("| Ouroboros concurrent | 3 | 1.000 | 900 | 9.0 % | 400,000 | 1,000,000 |", text)
        sections = triangle.section(results.load(directory), triangle_looks(directory))
        self.assertEqual(len(sections.drawings[0].data), 9)

    def test_cpu_that_is_in_a_pause_comes_off_once(self):
        """A pause of 0.1 s that took 0.1 s of the collector's 0.3 s, in a run of 1 s."""
        result = {"pause_points": [[0, 100 * MS]], "other_pause_points": [], "run_ns": SECOND,
                  "pause_cpu_samples_ns": [100 * MS], "collector_cpu_ns": 300 * MS}
        self.assertAlmostEqual(utilisation.elsewhere(result), 0.2)
        [alone], [both] = (of({0: result}) for of in (utilisation.curves,
                                                      utilisation.with_cpu))
        place = min(range(len(utilisation.WINDOWS_MS)),
                    key=lambda i: abs(utilisation.WINDOWS_MS[i] - 1000))
        self.assertAlmostEqual(alone[place], 0.9)
        self.assertAlmostEqual(both[place], 0.7)
        self.assertEqual(both[0], 0)


class Children(DrawingTest):
    TIMES = {"cpu_ns": 5 * MS, "run_cpu_ns": 4 * MS, "work_cpu_ns": 2 * MS, "collector_cpu_ns": MS}
    GIB = 1 << 30

    def loaded(self, name, more):
        """Runs of churn with these CPU times, and more."""
        def change(row):
            row["result"].update({**self.TIMES, **more})
            return row
        return results.load(self.recorded(name, lambda row: row["workload"] == "churn"
                                          and row["subject"] == STW, change))

    def test_their_time_is_in_every_cpu_time(self):
        for row in self.loaded("with", {"child_cpu_ns": 3 * MS}).rows:
            self.assertEqual({key: row["result"][key] for key in self.TIMES},
                             {key: ns + 3 * MS for key, ns in self.TIMES.items()})
        for name, more in (("without", {}), ("none", {"child_cpu_ns": 0})):
            for row in self.loaded(name, more).rows:
                self.assertEqual({key: row["result"][key] for key in self.TIMES}, self.TIMES)

    def test_forks_have_a_cost_for_each_gib(self):
        samples = [[8 * MS, 4 * MS, self.GIB // 4, 1 << 20], [9 * MS, 5 * MS, self.GIB // 4, 1 << 20],
                   [10 * MS, 6 * MS, None, None]]
        loaded = self.loaded("forks", {"live_objects": 2000, "forks": {"count": 3, "samples": samples}})
        found, rows = fork_cost.measured(loaded)
        self.assertEqual(len(rows), len([row for row in loaded.rows if not row["repeat"]]))
        each = found[STW][2000]
        self.assertEqual(set(each["each"]), {(32 * MS, 16 * MS), (36 * MS, 20 * MS)})
        self.assertEqual(len(each["fork"]), 3 * len(rows))
        made = fork_cost.table(found)
        shown = dict(zip(made.head, made.rows[0]))
        self.assertEqual((shown["fork"], shown["resident, MiB"], shown["page tables, KiB"], shown["a GiB"],
                          shown["a GiB, CPU"], shown["whole stop"]),
                         ("9.000", "256.0", "1024", "34.0", "18.0", "-"))
        self.assertIn("fork_cost", self.parts(loaded.directory)[0])

    def test_forks_of_which_only_events_tell_have_none(self):
        loaded = self.loaded("bare", {"forks": {"count": 1, "samples": [[MS, MS, None, None]]}})
        made = fork_cost.table(fork_cost.measured(loaded)[0])
        self.assertEqual(dict(zip(made.head, made.rows[0]))["a GiB"], "-")
        self.assertIn("fork_cost", self.parts(loaded.directory)[0])


def triangle_looks(directory):
    return style.looks(results.load(directory).subjects)


class OverTime(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)

    def rows(self, lines):
        (self.directory / "e.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines)
                                                + '{"phase":"cyc')
        return results.Results(self.directory, [], [], {}), {"events": "e.jsonl"}

    @staticmethod
    def event(phase, start, end, cycle=1, cpu=1, generation=2):
        return {"phase": phase, "cycle": cycle, "start_ns": start, "end_ns": end, "cpu_ns": cpu,
                "generation": generation}

    def test_a_fork_has_the_stop_around_it(self):
        loaded, row = self.rows([
            self.event("pause", 0, 5), self.event("fork", 12, 20, cpu=7), self.event("pause", 10, 25),
            self.event("fork", 112, 115), self.event("fallback", 130, 140), self.event("pause", 110, 119)])
        found = events.forks(loaded, row)
        self.assertEqual(found.forks, [(8, 7, 15), (3, 1, 9)])
        self.assertEqual(found.falls, 1)

    def test_the_timeline_is_that_of_the_median_full_collection(self):
        lines = []
        for cycle, length in enumerate((30, 10, 20), 1):
            lines += [self.event("mark", 100 * cycle, 100 * cycle + 4, cycle),
                      self.event("pause", 100 * cycle, 100 * cycle + 2, cycle),
                      self.event("mark", 100 * cycle + 6, 100 * cycle + 8, cycle),
                      self.event("cycle", 100 * cycle, 100 * cycle + length, cycle)]
        lines.append(self.event("cycle", 900, 999, 4, generation=0))
        loaded, row = self.rows(lines)
        found = timelines.typical(loaded, [row])
        self.assertEqual((found.ns, found.spans, found.stops),
                         (20, {"mark": [(300, 304), (306, 308)]}, [(300, 302)]))
        self.assertIsNone(timelines.typical(loaded, []))


class Bands(unittest.TestCase):
    def test_the_band_is_wide_where_invocations_differ_and_else_has_no_width(self):
        same = distribution.band([[1, 2, 3, 4]] * 5, [0, 0.5, 0.75])
        self.assertEqual(same, [(1, 1), (2, 2), (3, 3)])
        [(low, high)] = distribution.band([[1] * 10, [2] * 10, [3] * 10, [4] * 10, [5] * 10], [0.5])
        self.assertTrue(low <= 2 and high >= 4, (low, high))

    def test_two_invocations_have_none(self):
        self.assertEqual(distribution.band([[1, 2], [3]], [0.5]), [])

    def test_utilisation_by_hand(self):
        """Stops of 10 at 0, of 20 at 40 and of 5 at 65, in 100: the worst window of 30 has the second
        and the third, 25; of 50 those too; of 70 all of one end, 10 + 20 + 5."""
        self.assertEqual(mmu.mmu_curve([(0, 10), (40, 20), (65, 5)], 100, [10, 20, 30, 50, 70, 100]),
                         [0, 0, 1 - 25 / 30, 0.5, 0.5, 0.65])


if __name__ == "__main__":
    unittest.main()
