"""What the tests of figures and the report share: copies of the recorded results, drawn."""
import json
import shutil
import subprocess
import tempfile
import unittest
import warnings
from pathlib import Path

import support
import report

RENDER = support.ROOT / "plots" / "report.py"
FIGURES = ("pause_vs_heap", "garbage_vs_heap", "captured", "pause_distribution", "utilisation",
           "phases", "churn_2000", "young_vs_old")


class DrawingTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)

    def recorded(self, name, keep=lambda row: True, change=lambda row: row):
        """A copy of the recorded results with the rows that `keep` keeps, as `change` leaves them."""
        copy = self.directory / name
        shutil.copytree(support.RECORDED, copy)
        rows = map(json.loads, (copy / "runs.jsonl").read_text().splitlines())
        (copy / "runs.jsonl").write_text(
            "".join(json.dumps(change(row)) + "\n" for row in rows if keep(row)))
        return copy

    def drawn(self, directory):
        """What the maker says. It warns of nothing."""
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return report.render(directory)

    def run_maker(self, *arguments, script=RENDER, **more):
        """The end of the maker as a process."""
        return subprocess.run([support.PYTHON, script, *arguments], capture_output=True, text=True,
                              check=False, **more)
