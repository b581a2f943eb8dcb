import hashlib
import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import support
import results
import schema_check
import tables

RENDER = support.ROOT / "plots" / "pause_vs_heap.py"
FIGURES = ("pause_vs_heap.svg", "pause_vs_heap.png", "garbage_and_captured.svg",
           "garbage_and_captured.png")


def render(directory):
    return subprocess.run([support.PYTHON, RENDER, directory], capture_output=True, text=True)


class Figures(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)

    def recorded(self, name, keep=lambda row: True):
        """A copy of the recorded results with the rows that `keep` keeps."""
        copy = self.directory / name
        shutil.copytree(support.RECORDED, copy)
        rows = (copy / "runs.jsonl").read_text().splitlines()
        (copy / "runs.jsonl").write_text(
            "".join(line + "\n" for line in rows if keep(json.loads(line))))
        return copy

    def test_recorded_rows_fit_the_schema(self):
        row_schema = schema_check.load("run.schema.json")
        result_schema = schema_check.load("result.schema.json")
        lines = (support.RECORDED / "runs.jsonl").read_text().splitlines()
        self.assertGreater(len(lines), 10)
        for row in map(json.loads, lines):
            self.assertEqual(schema_check.problems(row, row_schema), [])
            if row["status"] == "ok":
                self.assertEqual(schema_check.problems(row["result"], result_schema), [])

    def test_recorded_rows_become_figures_and_tables(self):
        copy = self.recorded("all")
        done = render(copy)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        for name in FIGURES:
            self.assertGreater((copy / name).stat().st_size, 5000, name)
            self.assertIn(name, done.stdout)
        text = (copy / "tables.md").read_text()
        for part in ("in order", "shuffled", "CPython", "Slope", "peak RSS", "captured heap"):
            self.assertIn(part, text)

    def test_equal_results_give_equal_files(self):
        sums = []
        for name in ("first", "second"):
            copy = self.recorded(name)
            self.assertEqual(render(copy).returncode, 0)
            sums.append([hashlib.sha256((copy / each).read_bytes()).hexdigest()
                         for each in FIGURES if each.endswith(".svg")])
        self.assertEqual(*sums)

    def test_what_is_missing_leaves_the_rest(self):
        cases = {"no captured heap": lambda row: row["workload"] == "graph",
                 "no graph": lambda row: row["workload"] != "graph",
                 "no peer": lambda row: row["kind"] == "ouro",
                 "none of ours": lambda row: row["kind"] == "cpython",
                 "one size": lambda row: row["objects"] == 10_000,
                 "one order": lambda row: not row["shuffled"]}
        for name, keep in cases.items():
            with self.subTest(name):
                done = render(self.recorded(name, keep))
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_nothing_to_draw_is_said_plainly(self):
        empty = self.directory / "empty"
        empty.mkdir()
        for directory, why in ((empty, "not a results directory"),
                               (self.recorded("none", lambda row: False), "no successful run")):
            done = render(directory)
            self.assertEqual(done.returncode, 1)
            self.assertIn(why, done.stderr)
            self.assertNotIn("Traceback", done.stderr)

    def test_failed_runs_are_told_and_not_drawn(self):
        copy = self.recorded("failed")
        lines = (copy / "runs.jsonl").read_text().splitlines()
        row = json.loads(lines[0])
        row.update(status="failed", reason="was killed by SIGSEGV", result=None)
        (copy / "runs.jsonl").write_text("\n".join([json.dumps(row), *lines[1:]]) + "\n")
        loaded = results.load(copy)
        self.assertEqual(len(loaded.lost), 1)
        self.assertIn("SIGSEGV", tables.markdown(loaded))
        self.assertIn("1 run without a result", results.run_line(loaded))

    def test_a_quick_run_says_so_and_does_not_pass_the_gate(self):
        loaded = results.load(support.RECORDED)
        self.assertIn(f"{loaded.meta['title']} run", results.run_line(loaded))
        holds = {what: found for what, found, _ in tables.gate(loaded)}
        self.assertFalse(holds["20 invocations (10 at 10 M objects)"])
        self.assertTrue(holds["both sides collected the same number of objects"])


if __name__ == "__main__":
    unittest.main()
