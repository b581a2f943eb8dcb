# not with a sanitizer: runs nothing of the build
import copy
import json
import random
import unittest

from drawing import DrawingTest
from load_results import CONCURRENT, MS, OFF, STW, percentiles, result_of
from matplotlib.text import Text
from plots.data import loads, results
from plots.figures.load import candidates, latency, scaling, throughput, turns, utilisation
from plots.stats import distribution, mmu

FIGURES = ("load_pauses", "load_latency", "load_scaling", "load_utilisation", "load_over_time_50",
           "load_over_time_saturated", "load_throughput", "load_candidates", "components",
           "load_turns_lru_12_saturated")


# Of a run of four turns of a second; one lies across the end of the third.
TURNS = [(1500 * MS, 2 * MS), (1502 * MS, 6 * MS), (2200 * MS, 2 * MS), (2998 * MS, 5 * MS), (3500 * MS, 2 * MS),
         (3502 * MS, 6 * MS)]


def component(template, longest):
    """Of `cycles`, whose longest stop was so long."""
    result = copy.deepcopy(template)
    each = percentiles([longest])
    result.update(pauses={"count": 1, "total_ns": longest, "wall": each, "cpu": each},
                  components=1, largest_component=1_000_000, garbage_collect_ns=2 * longest)
    return result


class Loads(DrawingTest):
    def rows(self, template):
        """(workload, subject, size, params, result). stw: pauses as long as the heap is large;
        concurrent: the same everywhere, and it rejects."""
        for live in (10_000, 100_000, 1_000_000):
            for load in ("50", "saturated"):
                params = {"live": live, "threads": 1, "unflagged": 0, "load": load}
                long = [(i * 100 * MS, live * 50) for i in range(5)]
                short = [(i * 10 * MS, MS // 5) for i in range(50)]
                for subject, pauses, more in (
                        (STW, long, {}),
                        (CONCURRENT, short, {"rejected": 80, "operations_per_s": 750.0}),
                        (OFF, [], {"candidates": 0, "operations_per_s": 2000.0})):
                    yield "lru", subject, live, params, result_of(template, pauses, more)
        params = {"live": 1_000_000, "threads": 1, "unflagged": 0, "load": "12,saturated"}
        for subject, pauses in ((STW, TURNS), (CONCURRENT, TURNS), (OFF, [])):
            yield "lru", subject, 1_000_000, params, result_of(
                template, pauses, {"run_ns": 4000 * MS, "metered_latency": None})
        for subject, longest in ((STW, 50 * MS), (CONCURRENT, 20 * MS)):
            yield ("cycles:ring", subject, 1_000_000, {"shape": "ring"},
                   component(template, longest))

    def loaded(self, name):
        """The recorded results with these rows."""
        directory = self.recorded(name)
        text = (directory / "runs.jsonl").read_text().splitlines()
        template = next(row for row in map(json.loads, text) if row["workload"] == "churn"
                        and row["subject"] == STW and row["status"] == "ok")
        made = [{**template, "workload": workload, "subject": subject, "objects": size,
                 "repeat": 0, "invocation": 0, "params": params, "run": 10_000 + place,
                 "row": 10_000 + place, "result": result}
                for place, (workload, subject, size, params, result)
                in enumerate(self.rows(template["result"]))]
        (directory / "runs.jsonl").write_text("".join(each + "\n" for each in text) + "".join(
            json.dumps(each) + "\n" for each in made))
        return directory

    def test_every_figure_is_there_and_only_with_such_runs(self):
        figures, _, text = self.parts(self.loaded("some"))
        self.assertLessEqual(set(FIGURES), set(figures))
        self.assertIn("rejected of a million", text)
        without, missing, _ = self.parts(self.recorded("none"))
        self.assertFalse(set(FIGURES) & set(without))
        self.assertFalse([what for what, _ in missing if what.startswith("load")])

    def test_loads_that_take_turns_are_told_apart(self):
        kinds = loads.by_kind(results.load(self.loaded("turns")))
        rows = turns.table(kinds, turns.chosen(kinds)).rows
        self.assertEqual([row[1:2] + row[4:7] for row in rows],
                         [["12 % load", "2.00", "2.00", "80.00"], ["saturated", "6.00", "8.00", "20.00"]] * 2)

    def test_a_name_that_figures_have_no_room_for_becomes_a_number_that_is_told(self):
        directory, name = self.loaded("long"), "stw+generations=off+trigger=square-root"
        path = directory / "runs.jsonl"
        path.write_text(path.read_text().replace(f'"subject": "{STW}"', f'"subject": "ouro-{name}"'))
        figures, _, tables = self.parts(directory)
        said = "\n".join(each.get_text() for each in figures["triangle"].findobj(Text))
        self.assertIn("\nstw 1\n", said)
        self.assertNotIn(name, said)
        self.assertIn("stw 1: generations=off, trigger=square-root", said.replace("\n", " "))
        self.assertIn(f"Ouroboros {name}", tables)

    def test_one_that_lacks_its_data_among_others_is_named(self):
        directory = self.loaded("sizes")
        path = directory / "runs.jsonl"
        path.write_text("".join(line for line in path.read_text().splitlines(keepends=True)
                                if json.loads(line)["workload"] != "lru"
                                or json.loads(line)["objects"] == 100_000))
        figures, missing, _ = self.parts(directory)
        self.assertNotIn("load_scaling", figures)
        self.assertIn("load_pauses", figures)
        self.assertEqual([what for what, _ in missing], ["load: pauses against heap", "load: in turn"])

    def test_pauses_less_than_a_budget_apart_are_one(self):
        self.assertEqual(mmu.merged([(0, 10), (15, 5), (24, 6), (40, 10)], 5),
                         [(0, 10), (15, 15), (40, 10)])
        self.assertEqual(mmu.merged([(0, 10), (15, 5), (24, 6)], 6), [(0, 30)])
        self.assertEqual(mmu.merged([], 6), [])
        draw = random.Random(3)
        for _ in range(50):
            pauses, time = [], 0
            for _ in range(20):
                time += draw.randrange(1, 12)
                pauses.append((time, draw.randrange(1, 9)))
                time += pauses[-1][1]
            gap = draw.randrange(12)
            found = mmu.merged(pauses, gap)
            self.assertTrue(all(b - sum(a) >= gap for a, (b, _) in zip(found, found[1:])))
            self.assertEqual((found[0][0], sum(found[-1])), (pauses[0][0], sum(pauses[-1])))

    def test_the_slope_is_that_of_the_pauses(self):
        loaded = results.load(self.loaded("slope"))
        kinds = loads.by_kind(loaded)
        for name, expected in ((STW, 1), (CONCURRENT, 0)):
            sizes, _, middle, _ = zip(*scaling.series(kinds, name, "50", "wall"))
            self.assertEqual(sizes, (10_000, 100_000, 1_000_000))
            self.assertAlmostEqual(distribution.slope(sizes, middle), expected)
        self.assertEqual(scaling.series(kinds, OFF, "50", "wall"), [])

    def test_throughput_is_against_no_collector_with_the_same_settings(self):
        kinds = loads.by_kind(results.load(self.loaded("throughput")))
        kind = next(kind for kind in kinds if kind.load == "saturated")
        found = throughput.against_off(kinds[kind])
        self.assertEqual({name: ratio.median for name, ratio in found.items()},
                         {STW: 0.5, CONCURRENT: 0.375})
        self.assertEqual(loads.without_collector("ouro-stw+refcount=biased"),
                         "ouro-off+refcount=biased")
        self.assertEqual(list(loads.collecting({STW: 1, OFF: 2, "ouro-off+refcount=biased": 3})),
                         [STW])

    def test_latency_is_simple_and_metered_where_operations_are_due(self):
        kinds = loads.by_kind(results.load(self.loaded("latency")))
        found = latency.scheduled(kinds)
        self.assertEqual({kind.load for kind in found}, {"50"})
        kind = max(found)
        self.assertEqual(latency.chosen_of(found), [kind])
        self.assertEqual([point[1:] for point in latency.curve(found[kind][STW], "10ms")],
                         [(0.0015,) * 3] * 5)
        table = latency.table(found)
        lines = {(row[0], row[2], row[3]): row[4:] for row in table.rows}
        for window, us in (("simple", "1.0"), ("metered, 1 ms", "1.1"), ("metered, 100 ms", "1.9"),
                           ("metered, the whole run", "2.0")):
            self.assertEqual(lines[kind.name, "Ouroboros concurrent", window], ["1", *[us] * 5])
        for more in ({"metered_latency": None}, {"simple_latency": None}):
            bare = {kind: {STW: {0: {**found[kind][STW][0], **more}}}}
            self.assertEqual(latency.scheduled(bare), {})

    def test_rejected_candidates_are_counted_by_the_million(self):
        kinds = loads.by_kind(results.load(self.loaded("rejected")))
        runs = next(iter(kinds.values()))
        self.assertEqual(candidates.rejected_of_a_million(runs[CONCURRENT]), [40])
        self.assertEqual(candidates.rejected_of_a_million(runs[STW]), [0])
        self.assertEqual(candidates.rejected_of_a_million(runs[OFF]), [])

    def test_of_several_mutators_the_worst_off_counts(self):
        result = result_of({}, [(0, 50 * MS)],
                           {"other_pause_points": [[[100 * MS, 100 * MS]]]})
        [curve] = utilisation.curves({0: result})
        windows = utilisation.WINDOWS_MS
        at = windows.index(next(each for each in windows if abs(each - 1000) < 1))
        self.assertAlmostEqual(curve[at], 0.9)
        self.assertEqual(sorted(loads.pause_lengths({0: result})), [50 * MS, 100 * MS])

    def test_what_differs_in_load_is_another_kind(self):
        loaded = results.load(self.loaded("kinds"))
        kinds = loads.by_kind(loaded)
        self.assertEqual(len(kinds), 7)
        self.assertEqual([kind.title for kind in loads.shown(kinds)],
                         ["lru, 1 M alive, 50 % load", "lru, 1 M alive, saturated"])
        self.assertTrue(all(list(runs) == [STW, CONCURRENT, OFF] for runs in kinds.values()))


if __name__ == "__main__":
    unittest.main()
