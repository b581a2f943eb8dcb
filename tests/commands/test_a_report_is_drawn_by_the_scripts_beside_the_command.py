import json
import unittest

from command import ROOT, CommandTest, ouro

RECORDED = ROOT / "tests" / "experiments" / "recorded"


class Report(CommandTest):
    def young(self):
        """A results directory with runs of `young` alone, which is soon drawn."""
        rows = (RECORDED / "runs.jsonl").read_text().splitlines(keepends=True)
        (self.directory / "runs.jsonl").write_text("".join(
            row for row in rows if json.loads(row)["workload"] == "young"))
        (self.directory / "meta.json").write_text((RECORDED / "meta.json").read_text())
        return self.directory

    def test_figures_and_page_are_written_and_named(self):
        said = self.output_of("report", self.young())
        self.assertEqual(said.splitlines()[-1], str(self.directory / "report.html"))
        self.assertIn("young_vs_old: Gate: ", said)
        for kind in ("svg", "pdf", "png"):
            self.assertTrue((self.directory / f"young_vs_old.{kind}").is_file(), kind)

    def test_the_gate_alone_draws_nothing_and_fails_only_where_it_is_required(self):
        said = self.output_of("report", "--gate", self.young(), "young_vs_old")
        self.assertIn("2 invocations: ", said)
        self.assertFalse(list(self.directory.glob("*.svg")))
        self.assertEqual(ouro("report", "--require", self.directory).returncode, 1)

    def test_what_cannot_be_drawn_is_said(self):
        done = ouro("report", self.directory)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is not a results directory", done.stderr)
        self.refused("report", names=["directory"])
        self.refused("report", self.directory, "young_vs_old", names=["--gate"])


if __name__ == "__main__":
    unittest.main()
