# not with a sanitizer: runs nothing of the build
import json
import unittest

from drawing import DrawingTest
from plots.data import results
from plots.figures.counting import counting, pairs
import support

SHARES = (0, 1, 10, 50, 100)


def storm(subject, counts, threads, shared, ns, template):
    """A row of rc-storm in which an operation takes so many ns in each thread."""
    row = json.loads(json.dumps(template))
    row.update(workload="rc-storm", subject=subject, objects=1000, repeat=0, invocation=0,
               params={"threads": threads, "shared": shared, "objects": 1000, "owner": "first",
                       "operations": 1000, "rounds": 5})
    row["result"].update(workload="rc-storm", refcount=counts, threads=threads,
                         thread_ns_per_op=ns, run_ns=1000,
                         threads_over_processes=None if threads == 1 else 0.97)
    return row


def repetition(name, **counters):
    return {"name": name, "run_name": name, "run_type": "iteration", **counters}


class Counting(DrawingTest):
    def directory_with(self, name, rows=(), micro=None):
        """The recorded results with more rows, and a micro.json."""
        copy = self.recorded(name)
        text = (copy / "runs.jsonl").read_text().splitlines()
        template = next(row for row in map(json.loads, text) if row["workload"] == "churn"
                        and row["subject"] == "ouro-stw" and row["status"] == "ok")
        more = [storm(*each, template) for each in rows]
        for place, row in enumerate(more):
            row["run"] = row["row"] = 10_000 + place
        (copy / "runs.jsonl").write_text("".join(each + "\n" for each in text)
                                         + "".join(json.dumps(row) + "\n" for row in more))
        if micro is not None:
            (copy / "micro.json").write_text(json.dumps({"benchmarks": micro}))
        return copy

    def rows(self):
        """Owned: 1 ns, and with two threads more the more is shared; atomic: always 4 ns."""
        found = [("ouro-plain", "plain", 1, shared, 0.9) for shared in SHARES]
        for shared in SHARES:
            for threads in (1, 2):
                slower = 1 if threads == 1 else 1 / (1 - shared / 100 * 0.9)
                found += [("ouro-gil", "gil", threads, shared, slower),
                          ("ouro-atomic", "atomic", threads, shared, 4.0)]
        return found

    def micro(self, owner=0.9):
        found = []
        for where in ("program", "module"):
            for objects in (1, 64):
                for kind, ns in (("plain", 0.6), ("owner", owner), ("atomic", 4.6),
                                 ("non-owner", 5.0)):
                    if (kind, where) != ("plain", "module"):
                        name = f"pair/{kind}/{objects}/{where}"
                        found += [repetition(name, pair_s=ns * scale / 1e9)
                                  for scale in (1, 0.9, 1.2)]
        found.append({**found[0], "run_type": "aggregate", "pair_s": 1.0})
        found.append({**found[0], "error_occurred": True, "pair_s": 1.0})
        found += [repetition(f"stop/{threads}/{blocked}", threads=threads, blocked=blocked,
                             tts_p50_ns=3_000 * (threads - blocked + 1),
                             tts_p99_ns=40_000 * threads,
                             stop_p50_ns=7_000 * (threads - blocked + 1),
                             stop_p99_ns=90_000 * threads,
                             hiccup_p99_ns=9_000)
                  for threads in (1, 2, 8, 64) for blocked in {0, threads // 2, threads}]
        return found

    def test_each_figure_is_there_where_its_data_are_and_else_nothing_is_said(self):
        cases = (("none", (), None, set()), ("storm", self.rows(), None, {"rc_storm"}),
                 ("micro", (), self.micro(), {"pairs", "stops"}),
                 ("stops", (), [each for each in self.micro() if "stop/" in each["name"]],
                  {"stops"}))
        for name, rows, micro, expected in cases:
            with self.subTest(name):
                figures, missing, _ = self.parts(self.directory_with(name, rows, micro))
                self.assertEqual(set(figures) & {"rc_storm", "pairs", "stops"}, expected)
                self.assertEqual(missing, [])

    def test_the_break_even_is_where_the_lines_cross(self):
        loaded = results.load(self.directory_with("storm", self.rows()))
        # Throughput 2 (1 - 0.9 s) against 2/4: equal at s = 5/6, between 50 and 100 %.
        found = dict(counting.break_evens(loaded, 2))
        self.assertAlmostEqual(found["ouro-gil"], 100 * 5 / 6)
        self.assertEqual(counting.break_evens(loaded, 1), [("ouro-gil", None)])
        self.assertEqual(counting.break_even([(0, 1), (100, 1)], [(0, 2), (100, 2)]), 0)

    def test_tables_compare_with_bare_and_with_atomic_counts(self):
        text = self.parts(self.directory_with("storm", self.rows(), self.micro()))[2]
        self.assertIn("| rc-storm, 10 % shared | 1 | Ouroboros gil | 1 | 1.00 | 1.11 (1 pair) "
                      "| 0.25 (1 pair) |", text)
        self.assertIn("| rc-storm, 0 % shared | 2 | Ouroboros gil | 1 | 0.970 |", text)
        self.assertIn("| rc-storm | 2 | Ouroboros gil | 83.3 |", text)
        self.assertIn("| rc-storm | 1 | Ouroboros gil | never |", text)

    def test_medians_of_pairs_are_held_against_what_is_asked(self):
        loaded = results.load(self.directory_with("micro", (), self.micro()))
        rows = pairs.bars_table(pairs.measured(loaded)).rows
        self.assertEqual(len(rows), 4 + 4 + 2)
        self.assertEqual({row[-1] for row in rows}, {"yes"})
        self.assertEqual([row[-2] for row in rows if row[0] == "owner / plain"],
                         ["1.50 (95 %: 1.13 to 2.00)"] * 4)
        loaded = results.load(self.directory_with("slow", (), self.micro(owner=1.3)))
        rows = pairs.bars_table(pairs.measured(loaded)).rows
        self.assertEqual([row[0] for row in rows if row[-1] == "no"], ["owner / plain"] * 4)

    def test_runs_of_several_threads_are_not_mixed_with_those_of_one(self):
        copy = self.recorded("churn", change=lambda row: row)
        path = copy / "runs.jsonl"
        rows = list(map(json.loads, path.read_text().splitlines()))
        more = []
        for row in rows:
            if row["workload"] == "churn" and row["kind"] == "ouro":
                other = json.loads(json.dumps(row))
                other["params"]["threads"] = 2
                other["run"] += 10_000
                other["result"].update(threads=2, run_ns=1, backlog_points=[])
                more.append(other)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows + more))
        self.assertEqual(self.svgs(copy)["churn_2000"],
                         self.svgs(support.RECORDED)["churn_2000"])


if __name__ == "__main__":
    unittest.main()
