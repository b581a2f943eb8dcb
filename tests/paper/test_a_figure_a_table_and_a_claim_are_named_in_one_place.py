"""What README.md says that a figure, a table and a claim need is all that they need."""
# not with a sanitizer: runs nothing of the build
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import made

RECORDED = made.ROOT / "tests" / "experiments" / "recorded"

PART = '''"""A part of a report."""
from plots.drawing.axes import canvas
from plots.drawing.section import Drawing, Section, Table


def section(results, looks):
    figure, ((axes,),) = canvas(results, "What was added", "Nothing else.", [1], columns=1, panel=1)
    axes.plot([1, 2], [3, 4])
    return Section("An added part", "", [Drawing("added", "A line", figure)], [
        Table("An added table of a part", ["subject", "runs"],
              [[name, str(len(results.where(lambda row: row["subject"] == name)))] for name in results.subjects])],
        results.where(("graph",)))
'''
TABLE_PART = '''"""A part of a report that is a table."""
from plots.drawing.section import Section, Table


def section(results, looks):
    return Section("An added part of tables", "", [], [
        Table("An added table", ["runs"], [[str(len(results.rows))]])])
'''
FIGURE = '''"""A figure of the paper."""
from plots.publication.figures import figure
from plots.publication.figures.frame import panels


@figure
def added(find):
    drawing, (axes,) = panels(1, 1.5)
    axes.plot([1, 2], [len(find.rows("pause")), 4])
    return drawing
'''
LATEX = '''"""A table of the paper."""
from plots.publication.latex import table
from plots.publication.latex.writing import cell, tabular


@table
def added(find):
    return tabular("lr", ["", "ns"], [["an added row", cell(find("pause", "graph", "stw", "live_collect_ns", select={
        "objects": 2_000, "shuffled": True}))]])
'''
MARKDOWN = LATEX.replace("latex", "markdown").replace('tabular("lr", ', "tabular(")
CLAIM = '''
[[claim]]
id = "added.claim"
sentence = "A graph of {objects} is collected."
experiment = "pause"
workload = "graph"
select = { objects = 2_000, shuffled = true }
subject = "stw"
metric = "live_collect_ns"
at_most = 1e12
source = "the test"
'''


class WhatIsAdded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.tree = Path(scratch.name) / "tree"
        shutil.copytree(made.ROOT / "plots", cls.tree / "plots", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(made.ROOT / "experiments/schema", cls.tree / "experiments/schema")
        (cls.tree / "paper").mkdir()
        shutil.copy(made.ROOT / "paper/claims.toml", cls.tree / "paper")
        cls.data = Path(scratch.name) / "data"
        shutil.copytree(RECORDED, cls.data / "pause")

    def start(self, script, *arguments):
        return made.run([made.PYTHON, self.tree / "plots" / script, *arguments], cwd=self.tree)

    def add_part(self, module, text, line):
        """A part of a report: a module, and a line of parts.py."""
        (self.tree / "plots" / module).write_text(text)
        parts = self.tree / "plots/page/parts.py"
        before = parts.read_text()
        parts.write_text(before.replace("PARTS = (\n", f"PARTS = (\n    {line}\n", 1))
        self.assertEqual(parts.read_text().count("\n"), before.count("\n") + 1)

    def test_a_part_of_a_report_is_a_module_and_a_line(self):
        self.add_part("figures/load/added.py", PART, '("plots.figures.load.added", "an added part", USUAL),')
        self.add_part("tables/added.py", TABLE_PART, '("plots.tables.added", "an added table", OPTIONAL),')
        results = self.data / "pause"
        said = self.start("report.py", results)
        self.assertIn("added: Gate: ", said)
        for kind in ("svg", "pdf", "png"):
            self.assertGreater((results / f"added.{kind}").stat().st_size, 1000)
        text = (results / "tables.md").read_text()
        for title in ("## An added part\n", "### An added table of a part\n", "### An added table\n"):
            self.assertIn(title, text)
        self.assertIn(">An added part of tables</h2>", (results / "report.html").read_text())
        self.assertIn("added: Gate: ", self.start("gate.py", results, "added"))

    def test_a_figure_and_a_table_of_the_paper_are_a_function_each(self):
        (self.tree / "plots/publication/figures/added.py").write_text(FIGURE)
        (self.tree / "plots/publication/latex/added.py").write_text(LATEX)
        text = self.tree / "paper/added.tex"
        text.write_text(r"\drawn{added} \measured{added}")
        self.start("paper.py", "--draft", "--data", self.data, "--into", self.tree / "generated", text)
        self.assertTrue((self.tree / "generated/added.pdf").read_bytes().startswith(b"%PDF"))
        self.assertRegex((self.tree / "generated/added.tex").read_text(), r"an added row & [\d,]+")

    def test_a_table_of_a_markdown_file_is_a_function(self):
        (self.tree / "plots/publication/markdown/added.py").write_text(MARKDOWN)
        text = self.tree / "ADDED.md"
        text.write_text("<!-- measured: added -->\n<!-- end -->\n")
        self.start("readme.py", "--data", self.data, text)
        self.assertRegex(text.read_text(), r"\| an added row \| [\d,]+")

    def test_a_claim_is_an_entry_of_the_file_of_claims(self):
        claims = self.tree / "paper/claims.toml"
        claims.write_text(claims.read_text() + CLAIM)
        done = subprocess.run([made.PYTHON, self.tree / "plots/reproduce.py", "--ouro", made.OURO, "--from", self.data,
                               "-o", self.tree / "out", "added.claim"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("added.claim: A graph of 2 k is collected.", (self.tree / "out/claims.md").read_text())
        text = self.tree / "paper/claimed.tex"
        text.write_text(r"\val{added.claim} \asked{added.claim}")
        self.start("paper.py", "--draft", "--data", self.data, "--into", self.tree / "claimed", text)
        values = (self.tree / "claimed/values.tex").read_text()
        self.assertRegex(values, r"val:added\.claim\\endcsname\{[\d,]+\}")

    def test_the_readme_says_so(self):
        text = (made.ROOT / "README.md").read_text()
        for room, added in (("plots", "of a report"), ("plots", "of the paper"), ("paper", "a claim")):
            self.assertTrue(re.search(rf"(?m)^\| `{room}/` .*\b{added}: an? ", text), added)


if __name__ == "__main__":
    unittest.main()
