# not with a sanitizer: runs nothing of the build
import itertools
import json
import subprocess
import unittest

from drawing import SVG, DrawingTest
from plots.claims import conditions, gate
from plots.data import results
from plots.data.packed import packed
from plots.drawing import tables
from plots.page import report
import support

STW, CONCURRENT = "ouro-stw", "ouro-concurrent"
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
EACH = {"p50_ns": 20, "p90_ns": 30, "p99_ns": 30, "p999_ns": 30, "max_ns": 30}
META = {
    "title": "whole", "seed": 7, "order": "random", "command": ["ouro", "run"], "complete": True, "same_build": True,
    "overrides": [], "sessions": [{}], "machine": {
        "cpu": "one", "kernel": "6.1", "thp": "always", "load_before": 0.1, "environment": {}},
    "build": {"commit": "abc", "compiler": "GNU", "build_type": "Release", "flags": "-O3",
              "sanitize": "", "tree_changed": False},
    "subjects": [{"name": name, "kind": "ouro", "program": "ouro", "version": "1",
                  "settings": {"engine": name.removeprefix("ouro-")}} for name in (STW, CONCURRENT)]}


def result(engine, size):
    return {
        "workload": "lru", "params": {}, "engine": engine, "collected": 5, "build_ns": 9, "run_ns": 1000,
        "pauses": {"count": 3, "total_ns": 60, "wall": EACH, "cpu": EACH},
        "pause_points": [[0, 10], [100, 20], [900, 30]], "other_pause_points": [], "latency": EACH,
        "hiccups": EACH, "merged_pauses": {}, "stopped_fraction": 0.06, "mmu": {"10ms": 0.5},
        "simple_latency": EACH, "metered_latency": dict.fromkeys(("1ms", "10ms", "100ms", "full"), EACH),
        "operations_due": 50, "ns_per_op": 20.0, "backlog_max": 4, "backlog_points": [[1000, 4, 0]],
        "rss_peak_bytes": size, "cpu_ns": 2000, "collector_cpu_ns": 100, "rate_per_s": 10.0}


def rows():
    """lru at every size in both orders, the first with two mutators too, and twice: nothing is
    lacking."""
    found = []
    first = SIZES[0], False
    kinds = [(*heap, 1, name, 0) for heap in itertools.product(SIZES, (False, True))
             for name in (STW, CONCURRENT)]
    kinds += [(*first, *more) for more in itertools.product((1,), (STW, CONCURRENT), (1,))]
    kinds += [(*first, *more) for more in itertools.product((2,), (STW, CONCURRENT), (0,))]
    for invocation in range(20):
        for size, shuffled, threads, name, repeat in kinds[invocation:] + kinds[:invocation]:
            found.append({
                "row": len(found), "run": len(found), "invocation": invocation, "repeat": repeat,
                "workload": "lru", "params": {"live": size, "shuffled": shuffled, "threads": threads},
                "objects": size, "shuffled": shuffled, "subject": name, "kind": "ouro", "load": 0.1, "seed": 7,
                "command": "ouro bench lru", "status": "ok", "reason": "", "events": None,
                "result": result(name.removeprefix("ouro-"), size)})
    return found


NUMBER = len(rows())


def renumbered(kept):
    for place, row in enumerate(kept):
        row["row"] = row["run"] = place
    return kept


def only(says):
    return lambda row: [row] if says(row) else []


def change(**more):
    """Of the first row's configuration one run is otherwise."""
    def changed(row):
        if row["row"] == 0:
            row["result"].update(more)
        return [row]
    return changed


def same_order(row):
    """Every invocation begins where the first did."""
    number = NUMBER // 20
    row["row"] = row["invocation"] * number + (row["row"] + row["invocation"]) % number
    return [row]


def other_graph(row):
    row["workload"] = row["result"]["workload"] = "graph"
    row["result"]["collected"] += row["subject"] == STW and not row["repeat"]
    return [row]


def server(**more):
    def changed(row):
        row["workload"] = "server"
        row["result"].update(more)
        return [row]
    return changed


def without_load(row):
    row["load"] = None
    return [row]


def named(name):
    def rename(row):
        row["workload"] = name
        return [row]
    return rename


# (condition, what of its words, rows of one row, meta); each fails that condition and no other.
CASES = (
    (1, "no seed", None, {"seed": None}),
    (1, "the order was fill-in, which is not random", None, {"order": "fill-in"}),
    (1, "can be drawn, and none of it be claimed", None, {"order": "fill-in", "sessions": [{}] * 99}),
    (1, "not outermost", lambda row: [{**row, "row": (row["row"] * 7) % NUMBER}], {}),
    (1, "the same in 20 invocations", same_order, {}),
    (2, "19 of 20", only(lambda row: row["invocation"] < 19), {}),
    (2, "9 of 10", only(lambda row: row["objects"] < SIZES[-1] or row["invocation"] < 9), {}),
    (3, "1 invocations have no pair", only(lambda row: (row["subject"], row["invocation"]) != (STW, 0)
                                           or row["objects"] < SIZES[-1]), {}),
    (3, "another number of objects", other_graph, {}),
    (4, "declares no warm-up", change(build_ns=None), {}),
    (4, "kept no curve of it", change(build_ns=None, garbage_first_collect_ns=9), {}),
    (5, "no p99", change(pauses={"count": 3, "wall": {**EACH, "p99_ns": None}, "cpu": EACH}), {}),
    (5, "that of its raw samples 20", change(
        pauses={"count": 3, "wall": {**EACH, "p50_ns": 21}, "cpu": EACH}), {}),
    (5, "no peak RSS", change(rss_peak_bytes=None), {}),
    (5, "uncollected objects over time", change(backlog_points=[]), {}),
    (5, "no CPU time of the collector", change(collector_cpu_ns=None), {}),
    (5, "no CPU time of its child processes", change(engine="snapshot"), {}),
    (6, "is saturated", server(rate_per_s=None), {}),
    (6, "no latency of its requests (simple)", server(simple_latency=None), {}),
    (6, "(metered, 1 ms, metered, 10 ms, metered, 100 ms, metered, the whole run)",
     server(metered_latency=None), {}),
    (6, "(metered, 100 ms)", server(metered_latency={"1ms": EACH, "10ms": EACH, "full": EACH}), {}),
    (7, "no hiccup meter", change(hiccups=None), {}),
    (7, "no MMU(10 ms)", change(mmu={"10ms": None}), {}),
    (7, "no A/A pair of concurrent", only(lambda row: not row["repeat"]
                                          or row["subject"] != CONCURRENT), {}),
    (8, "3 sizes", only(lambda row: row["objects"] != SIZES[1]), {}),
    (8, "only in order", only(lambda row: not row["shuffled"]), {}),
    (8, "generations differs", None, {"subjects": [
        {**each, "settings": {"generations": place}} for place, each in enumerate(META["subjects"])]}),
    (9, "no run with 2 mutators", only(lambda row: row["params"]["threads"] == 1), {}),
    (10, "tree had changes", None, {"build": {**META["build"], "tree_changed": True}}),
    (10, "not idle: load 3", None, {"machine": {**META["machine"], "load_before": 3}}),
    (10, "lack their command, load or seed", without_load, {}),
    (10, "thp is not recorded", None, {"machine": {**META["machine"], "thp": None}}),
    (10, f"1 of {NUMBER + 1} planned runs", None, {"runs_planned": NUMBER + 1}),
    (11, "OURO", None, {"machine": {**META["machine"], "environment": {"OURO": "workers=3"}}}),
    (11, "does not cover is written nowhere", named("something"), {}),
    (11, "settings of concurrent", None, {"subjects": META["subjects"][:1]}),
)


class Gate(DrawingTest):
    def loaded(self, name, change_row=None, meta=None):
        made = rows()
        if change_row:
            made = [each for row in made for each in change_row(row)]
        if len(made) < NUMBER:
            renumbered(made)
        directory = self.directory / name
        directory.mkdir()
        (directory / "runs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in made))
        (directory / "meta.json").write_text(json.dumps(
            {**META, "runs_planned": len(made), **(meta or {})}))
        return results.load(directory)

    def verdicts(self, *arguments, **more):
        loaded = self.loaded(*arguments)
        return gate.verdicts(loaded, loaded.where(lambda row: True), **more)

    def test_nothing_fails_where_nothing_is_lacking(self):
        found = self.verdicts("whole")
        self.assertEqual([each.number for each in found], list(range(1, 12)))
        self.assertEqual({each.state for each in found}, {conditions.HOLDS},
                         [each for each in found if each.state != conditions.HOLDS])
        self.assertTrue(gate.passes(found))
        self.assertEqual(gate.line(found), "Gate: holds 1 2 3 4 5 6 7 8 9 10 11.")

    def test_each_condition_fails_alone_and_says_why(self):
        for place, (number, words, change_row, meta) in enumerate(CASES):
            with self.subTest(number=number, words=words):
                found = self.verdicts(f"case{place}", change_row, meta)
                failed = {each.number: each.why for each in found if each.state == conditions.FAILS}
                self.assertEqual(list(failed), [number], failed)
                self.assertIn(words, failed[number])
                self.assertFalse(gate.passes(found))
        self.assertEqual({number for number, *_ in CASES}, set(range(1, 12)))

    def test_latency_needs_more_invocations_and_a_fixed_rate(self):
        found = {each.number: each for each in self.verdicts("latency", None, None, latency=True)}
        self.assertIn("20 of 40", found[2].why)
        self.assertEqual(found[6].state, conditions.HOLDS)
        self.assertIn("simple and metered latency", found[6].why)
        self.assertNotIn("latency", self.verdicts("pauses")[5].why)
        found = self.verdicts("requests", server())
        self.assertIn("simple and metered latency", found[5].why)
        found = self.verdicts("closed", lambda row: [{**row, "result": {**row["result"], "rate_per_s": None}}],
                              None, latency=True)
        self.assertIn("is saturated", found[5].why)

    def test_of_packed_slices_the_longest_are_compared(self):
        wall = {"p50_ns": 500, "p90_ns": 900, "p99_ns": 990, "p999_ns": 999, "max_ns": 1000}

        def lacks(**other):
            row = {"kind": "peer", "repeat": 0, "result": {
                "slices": {"warmup": 1, "wall": {**wall, **other}}, "rss_peak_bytes": 1, "cpu_ns": 1,
                "slice_samples_ns": [7, *range(1000, 0, -1)]}}
            return list(conditions.lacks_of_triple(row)), list(conditions.lacks_of_triple(packed(row)))
        self.assertEqual(lacks(), ([], []))
        self.assertEqual(lacks(p999_ns=998), (["p999 is 998 ns, that of its raw samples 999"],) * 2)
        self.assertEqual(lacks(max_ns=1001), (["max is 1,001 ns, that of its raw samples 1,000"],) * 2)
        self.assertEqual(lacks(p50_ns=1), (["p50 is 1 ns, that of its raw samples 500"], []))

    def test_slices_have_an_mmu_and_no_latency(self):
        def judged(result):
            row = {"workload": "slices", "params": {}, "objects": 10, "shuffled": False, "subject": "go",
                   "kind": "peer", "result": {"slices": {"warmup": 1}, "run_ns": 9, **result}}
            return conditions.utilisation_and_latency(conditions.Shown(None, [row], latency=True))
        state, why = judged({"slice_samples_ns": [1, 2, 3]})
        self.assertEqual(state, conditions.HOLDS)
        self.assertIn("MMU(10 ms) of slices", why)
        self.assertNotIn("metered", why)
        self.assertEqual(judged({})[0], conditions.FAILS)

    def test_what_a_resumed_experiment_made_again_is_in_order(self):
        def again(row):
            if row["run"] == 3:
                row["row"] = 5000
            return [row]
        self.assertEqual(self.verdicts("again", again)[0].state, conditions.FAILS)
        self.assertEqual(self.verdicts("resumed", again, {"sessions": [{}, {}]})[0].state,
                         conditions.HOLDS)

    def test_one_subject_on_one_thread_is_compared_with_nothing(self):
        loaded = results.load(self.recorded(
            "alone", lambda row: row["workload"] == "gc-collect" and row["subject"] == STW))
        found = gate.verdicts(loaded, loaded.where(lambda row: True))
        none = {each.number for each in found if each.state == conditions.NOT}
        self.assertEqual(none, {3, 6, 8, 9})

    def test_a_figure_is_judged_by_its_own_rows(self):
        loaded = results.load(support.RECORDED)
        report.style.apply()
        sections, _ = report.parts_of(loaded)
        report.style.plt.close("all")
        found = dict(gate.judge(loaded, sections))
        self.assertIn("young 1 k", found["young_vs_old"][1].why)
        self.assertIn("churn 2 k", found["churn_2000"][1].why)
        self.assertIn("graph", found["pause_vs_heap"][10].why)
        self.assertNotIn("churn", found["pause_vs_heap"][10].why)
        both = [each for section in sections for each in section.tables
                if each.title == "Everything garbage, ms"]
        self.assertEqual([("heap" in each.verdicts[10].why, "gc-collect" in each.verdicts[10].why)
                          for each in both], [(True, False), (False, True)])
        for section in sections:
            for part in [*section.drawings, *section.tables]:
                if section.data:
                    self.assertTrue(section.shown(part), part)

    def test_the_report_prints_it_below_every_figure_and_table(self):
        copied = self.recorded("printed", lambda row: row["workload"] == "young")
        said = report.render(copied, SVG)
        [line] = [each for each in said.splitlines() if each.startswith("young_vs_old: ")]
        words = line.removeprefix("young_vs_old: ")
        self.assertIn("DOES NOT HOLD", words)
        page = (copied / "report.html").read_text()
        self.assertGreaterEqual(page.count(f"<summary>{words}</summary>"), 3)
        self.assertTrue("young 1 k CPython 3.11.2 has 2 of 20" in page)
        self.assertIn(words, (copied / "tables.md").read_text())

    def test_the_exit_status_says_whether_it_holds(self):
        copied = self.recorded("status", lambda row: row["workload"] == "young")
        def run(*arguments):
            done = subprocess.run([support.PYTHON, support.ROOT / "plots" / "gate.py", copied, *arguments],
                                  capture_output=True, text=True, check=False)
            return done.returncode, done.stdout, done.stderr
        status, said, _ = run("young_vs_old")
        self.assertEqual(status, 0)
        self.assertIn("2 invocations: young 1 k", said)
        self.assertEqual(run("--require")[0], 1)
        self.assertEqual(run("--require", "nothing")[0::2], (1, f"gate.py: {copied} has no nothing\n"))
        self.assertEqual(run("--other")[0], 2)

    def test_a_table_says_it_in_its_note(self):
        table = tables.Table("t", ["a"], [["1"]], "As it is.")
        self.assertIn("As it is. Gate: none.", tables.markdown(table, "Gate: none."))


if __name__ == "__main__":
    unittest.main()
