# not with a sanitizer: scripts draw
import base64
import json
import subprocess
import unittest

from command import PYTHON, ROOT, CommandTest, ouro

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

    def test_the_files_that_are_asked_for_are_written_and_linked_and_no_others(self):
        said = self.output_of("report", "--formats", "png,svg", self.young())
        self.assertEqual({each.suffix for each in self.directory.glob("young_vs_old*")}, {".svg", ".png"})
        page = (self.directory / "report.html").read_text()
        for kind, is_there in (("svg", True), ("pdf", False), ("png", True)):
            self.assertEqual(f'href="young_vs_old.{kind}"' in page, is_there, kind)
            self.assertEqual(f"young_vs_old.{kind}" in said, is_there, kind)
        picture = base64.b64encode((self.directory / "young_vs_old.svg").read_bytes()).decode()
        self.output_of("report", "--formats", "pdf", self.young())
        self.assertIn(picture, page)
        page = (self.directory / "report.html").read_text()
        self.assertIn(picture, page, "the page has its pictures, whatever lies beside it")
        self.assertNotIn('href="young_vs_old.svg"', page)

    def test_the_gate_alone_draws_nothing_and_fails_only_where_it_is_required(self):
        said = self.output_of("report", "--gate", self.young(), "young_vs_old")
        self.assertIn("2 invocations: ", said)
        self.assertFalse(list(self.directory.glob("*.svg")))
        self.assertEqual(ouro("report", "--require", self.directory).returncode, 1)

    def test_what_cannot_be_written_is_said_in_a_line(self):
        results = self.young()
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([PYTHON, ROOT / "plots" / "gate.py", results, "young_vs_old"], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=300, check=False)
        self.assertEqual((done.returncode, done.stderr), (1, "gate.py: No space left on device\n"))
        (results / "report.html").mkdir()
        done = ouro("report", "--formats", "svg", results)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Is a directory", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_what_cannot_be_drawn_is_said(self):
        done = ouro("report", self.directory)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is not a results directory", done.stderr)
        self.refused("report", names=["directory"])
        self.refused("report", self.directory, "young_vs_old", names=["--gate"])
        self.refused("report", self.directory, "--formats", "svg,eps", names=["eps", "svg", "pdf", "png"])
        self.refused("report", self.directory, "--gate", "--formats", "svg", names=["--formats"])


if __name__ == "__main__":
    unittest.main()
