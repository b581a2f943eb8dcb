# not with a sanitizer: runs nothing of the build
import json
import unittest

from drawing import DrawingTest

SHARES = {"young": 100, "middle": 0, "local": 800, "full": 100}


class WhoFoundTheGarbage(DrawingTest):
    def directory_with(self, name, condemned):
        """The recorded results, and two invocations of `churn` in which collections found so many objects."""
        copy = self.recorded(name)
        text = (copy / "runs.jsonl").read_text().splitlines()
        template = next(row for row in map(json.loads, text) if row["workload"] == "churn"
                        and row["subject"] == "ouro-stw" and row["status"] == "ok")
        more = []
        for invocation in (0, 1):
            row = json.loads(json.dumps(template))
            row.update(subject="ouro-local", invocation=invocation, repeat=0, run=10_000 + invocation,
                       row=10_000 + invocation)
            row["result"]["collections"] = {
                kind: {"count": 3, "total_ns": 5_000_000, "max_ns": 2_000_000, "condemned": count}
                for kind, count in condemned.items()}
            more.append(row)
        (copy / "runs.jsonl").write_text("".join(each + "\n" for each in [*text, *map(json.dumps, more)]))
        return copy

    def test_it_is_there_where_somebody_collected_locally_and_else_nothing_is_said(self):
        figures, missing, _ = self.parts(self.recorded("none"))
        self.assertNotIn("found_by", figures)
        self.assertNotIn("who found the garbage", dict(missing))

    def test_bars_are_parts_of_all_that_was_found(self):
        figures, _, text = self.parts(self.directory_with("some", SHARES))
        axes, = figures["found_by"].axes
        widths = [round(bar.get_width(), 6) for bar in axes.patches]
        self.assertEqual(widths, [0.8, 0.1, 0, 0.1])   # local, young, middle, full
        self.assertIn("| 2 | 800 | 100 | 0 | 100 | 3 | 3 | 5 |", text)

    def test_who_found_nothing_has_an_empty_bar(self):
        figures, _, _ = self.parts(self.directory_with("nothing", dict.fromkeys(SHARES, 0)))
        axes, = figures["found_by"].axes
        self.assertEqual(sum(bar.get_width() for bar in axes.patches), 0)


if __name__ == "__main__":
    unittest.main()
