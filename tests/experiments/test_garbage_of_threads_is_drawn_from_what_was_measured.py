# not with a sanitizer: runs nothing of the build
import json
import unittest

from drawing import DrawingTest
from plots.data import results
from plots.figures.load import garbage

THREADS = (1, 2, 4)
DEAD = {"ouro-stw": 2_000, "ouro-concurrent": 8_000, "cpython-3.14.0t": 80_000}


def ring_runs(subject, threads, invocation, template, stopped):
    row = json.loads(json.dumps(template))
    row.update(workload="rings", subject=subject, objects=0, repeat=0, invocation=invocation,
               kind="ouro" if subject.startswith("ouro") else "cpython",
               params={"threads": threads, "rings": 1000, "dead-limit": 1_000_000})
    row["result"].update(workload="rings", threads=threads, stopped_at_limit=stopped,
                         backlog_max=DEAD[subject] * threads + invocation, rss_growth_bytes=threads << 20,
                         operations_per_s=2e6 + 1e5 * invocation)
    return row


class GarbageOfThreads(DrawingTest):
    def directory_with(self, name, stopped=()):
        """The recorded results with runs of `rings`; those that `stopped` names reached the limit once."""
        copy = self.recorded(name)
        text = (copy / "runs.jsonl").read_text().splitlines()
        template = next(row for row in map(json.loads, text) if row["workload"] == "churn"
                        and row["subject"] == "ouro-stw" and row["status"] == "ok")
        more = [ring_runs(subject, threads, invocation, template,
                          subject in stopped and (threads, invocation) == (4, 0))
                for subject in DEAD for threads in THREADS for invocation in (0, 1)]
        for place, row in enumerate(more):
            row["run"] = row["row"] = 10_000 + place
        (copy / "runs.jsonl").write_text("".join(each + "\n" for each in [*text, *map(json.dumps, more)]))
        return copy

    def test_it_is_there_where_its_data_are_and_else_nothing_is_said(self):
        figures, missing, _ = self.parts(self.recorded("none"))
        self.assertNotIn("garbage_of_threads", figures)
        self.assertNotIn("garbage of threads", dict(missing))
        figures, _, _ = self.parts(self.directory_with("some"))
        self.assertIn("garbage_of_threads", figures)

    def test_lines_are_medians_and_whiskers_least_and_greatest(self):
        figures, _, _ = self.parts(self.directory_with("some"))
        dead, rates = figures["garbage_of_threads"].axes
        found = {tuple(round(float(y), 6) for y in each.get_ydata()) for each in dead.get_lines()}
        self.assertLessEqual({tuple(round((number * threads + 0.5) / 1e3, 6) for threads in THREADS)
                              for number in DEAD.values()}, found)
        self.assertEqual((dead.get_yscale(), rates.get_yscale()), ("log", "linear"))
        self.assertEqual(rates.get_ylim()[0], 0)

    def test_who_reached_the_limit_is_named(self):
        for stopped in ((), ("cpython-3.14.0t",)):
            loaded = results.load(self.directory_with(f"stopped {len(stopped)}", stopped))
            self.assertEqual(garbage.stopped(loaded), list(stopped))
            self.assertEqual("Stopped at the limit of what may wait: CPython 3.14.0t" in garbage.note(loaded),
                             bool(stopped))

    def test_its_tables_have_every_subject_and_it_is_no_churn(self):
        _, _, text = self.parts(self.directory_with("some"))
        part = text.split("## Threads that make nothing but garbage")[1].split("\n## ")[0]
        for title, *_ in garbage.SHOWN:
            table = part.split(f"### {title}")[1].split("\n### ")[0]
            for threads in THREADS:
                for name in ("Ouroboros stw", "Ouroboros concurrent", "CPython 3.14.0t"):
                    self.assertIn(f"| {threads} | {name} | 2 |", table)
        self.assertNotIn("| rings |", text)


if __name__ == "__main__":
    unittest.main()
