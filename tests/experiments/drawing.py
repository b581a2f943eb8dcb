"""What the tests of figures and the report share: copies of the recorded results, drawn."""
import io
import json
import shutil
import subprocess
import tempfile
import unittest
import warnings
from pathlib import Path

import support
from plots.data import results
from plots.drawing import style
from plots.page import report

# What is drawn where no file of a figure is looked at but its SVG.
SVG = ("svg",)
RENDER = support.ROOT / "plots" / "report.py"
# Of the parts of which nothing is said where they are lacking.
OPTIONAL = ("lower_bound", "timeline_graph_10000", "timeline_graph_10000_shuffled")
FIGURES = ("pause_vs_heap", "garbage_vs_heap", "captured", "pause_distribution", "utilisation",
           "phases", "churn_2000", "young_vs_old", *OPTIONAL)
# Their other forms.
FORMS = ("pause_vs_heap_ratio", "garbage_vs_heap_ratio", "captured_ratio", "pause_distribution_ratio",
         "young_vs_old_ratio", "lower_bound_absolute")


def run_maker(*arguments, script=RENDER, **more):
    """The end of the maker as a process."""
    return subprocess.run([support.PYTHON, script, *arguments], capture_output=True, text=True,
                          check=False, **more)


class DrawingTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("error")

    def recorded(self, name, keep=lambda row: True, change=lambda row: row):
        """A copy of the recorded results: the rows that `keep` keeps, as `change` leaves them."""
        copy = self.directory / name
        shutil.copytree(support.RECORDED, copy)
        rows = map(json.loads, (copy / "runs.jsonl").read_text().splitlines())
        (copy / "runs.jsonl").write_text(
            "".join(json.dumps(change(row)) + "\n" for row in rows if keep(row)))
        return copy

    def parts(self, directory):
        """({name: figure}, [(what is left out, why)], all tables as text). Writes nothing."""
        style.apply()
        loaded = results.load(directory)
        sections, missing = report.parts_of(loaded)
        figures = {each.name: each.figure for section in sections for each in section.drawings}
        style.plt.close("all")  # forgets them; they can be saved still
        return figures, missing, report.markdown(loaded, sections)

    def svgs(self, directory):
        """{name of a figure: its SVG}. Writes nothing."""
        found = {}
        for name, figure in self.parts(directory)[0].items():
            file = io.BytesIO()
            style.save_svg(figure, file)
            found[name] = file.getvalue()
        return found
