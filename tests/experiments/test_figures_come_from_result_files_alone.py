# not with a sanitizer: runs nothing of the build
import json
import os
import shutil
import tempfile
import unittest
from pathlib import Path

import matplotlib

from drawing import FIGURES, FORMS, DrawingTest, run_maker
from plots.claims import gate
from plots.data import names, results
import support
import schema_check


class Figures(DrawingTest):
    @classmethod
    def setUpClass(cls):
        """The recorded results, drawn once."""
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.whole = Path(scratch.name) / "whole"
        shutil.copytree(support.RECORDED, cls.whole)
        cls.done = run_maker(cls.whole)

    def test_recorded_rows_fit_the_schema(self):
        row_schema = schema_check.load("run.schema.json")
        result_schema = schema_check.load("result.schema.json")
        lines = (support.RECORDED / "runs.jsonl").read_text().splitlines()
        self.assertGreater(len(lines), 10)
        for row in map(json.loads, lines):
            self.assertEqual(schema_check.problems(row, row_schema), [])
            if row["status"] == "ok":
                self.assertEqual(schema_check.problems(row["result"], result_schema), [])
        meta = json.loads((support.RECORDED / "meta.json").read_text())
        self.assertEqual(schema_check.problems(meta, schema_check.load("meta.schema.json")), [])

    def test_recorded_rows_become_figures_and_tables(self):
        said = self.done.stdout
        self.assertEqual((self.done.returncode, self.done.stderr), (0, ""))
        for name in FIGURES + FORMS:
            for kind in ("svg", "pdf", "png"):
                self.assertGreater((self.whole / f"{name}.{kind}").stat().st_size, 5000, name)
                self.assertIn(f"{name}.{kind}", said)
        self.assertEqual(said.splitlines()[-1], str(self.whole / "report.html"))
        self.assertNotIn("left out", said)
        self.assertEqual({each.stem for each in self.whole.glob("*.svg")}, set(FIGURES + FORMS))
        text = (self.whole / "tables.md").read_text()
        for part in ("in order", "shuffled", "CPython", "Slope", "peak RSS", "ast_stdlib",
                     "stw-parallel", "Noise floor", "gc-collect"):
            self.assertIn(part, text)

    def test_equal_results_give_equal_files_whoever_draws_them(self):
        """Nothing but the directory, plots/ and the schemas is read: from elsewhere, without the rest of the
        project, and with another python3 first on the path, the files are the same."""
        alone = self.directory / "alone"
        shutil.copytree(support.ROOT / "plots", alone / "plots",
                        ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(schema_check.SCHEMAS, alone / "schema")
        (alone / "python3").write_text("#!/bin/sh\nexit 99\n")
        os.chmod(alone / "python3", 0o755)
        copy = self.recorded("there/whole")
        done = run_maker(copy, script=alone / "plots" / "report.py", cwd="/",
                         env={"PATH": str(alone), "HOME": str(self.directory),
                              "MPLCONFIGDIR": matplotlib.get_cachedir()})  # its list of fonts takes seconds
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for name in (*(f"{figure}.{kind}" for figure in FIGURES + FORMS for kind in ("svg", "pdf", "png")),
                     "report.html", "tables.md", "percentiles.csv"):
            self.assertEqual((copy / name).read_bytes(), (self.whole / name).read_bytes(), name)

    def test_the_experiment_is_drawn_by_debians_python(self):
        script = (support.ROOT / "experiments" / "run").read_text()
        self.assertIn('/usr/bin/python3 "$ouro_root/plots/report.py"', script)

    def test_another_number_gives_another_figure(self):
        """Each figure depends on its own samples, and on those alone."""
        def doubled(value):
            """Twice a number, or each of a list; of points the second, the first being a time."""
            if not isinstance(value, list):
                return 2 * value
            return [[each[0], 2 * each[1]] if isinstance(each, list) else 2 * each
                    for each in value]

        def alter(workload, key, size):
            def change(row):
                if (row["workload"] == workload and row["objects"] in (size, 0)
                        and row["result"].get(key)):
                    row["result"][key] = doubled(row["result"][key])
                return row
            return change
        samples = "live_collect_samples_ns"
        cases = (("graph", samples, 2_000, {"pause_vs_heap"}),
                 ("graph", samples, 10_000, {"pause_vs_heap", "pause_distribution"}),
                 ("graph", "garbage_collect_ns", 10_000, {"garbage_vs_heap"}),
                 ("heap:ast_stdlib", "live_collect_ns", 0, {"captured"}),
                 ("churn", "rss_points", 2_000, {"churn_2000"}),
                 ("young", samples, 1_000, {"young_vs_old"}))
        before = self.svgs(support.RECORDED)
        for place, (workload, key, size, expected) in enumerate(cases):
            with self.subTest(workload=workload, key=key, size=size):
                after = self.svgs(self.recorded(f"after{place}",
                                                change=alter(workload, key, size)))
                changed = {name for name in FIGURES if before[name] != after[name]}
                self.assertEqual(changed, expected)

    def test_nothing_to_draw_is_said_plainly(self):
        empty = self.directory / "empty"
        empty.mkdir()
        for directory, why in ((empty, "not a results directory"),
                               (self.recorded("none", lambda row: False), "no successful run")):
            done = run_maker(directory)
            self.assertEqual(done.returncode, 1)
            self.assertIn(why, done.stderr)
            self.assertNotIn("Traceback", done.stderr)

    def test_a_quick_run_says_so_and_does_not_pass_the_gate(self):
        loaded = results.load(support.RECORDED)
        self.assertIn(f"{loaded.meta['title']} run", names.run_line(loaded))
        found = gate.verdicts(loaded, loaded.where(("graph",)))
        self.assertIn("of 20", found[1].why)
        self.assertFalse(gate.passes(found))

    def test_a_setting_of_all_of_ours_is_said_once(self):
        def with_setting(subjects):
            def change(row):
                if row["subject"] in subjects:
                    row["subject"] += "+refcount=biased"
                return row
            return change
        plain = results.load(self.recorded("plain"))
        biased = results.load(self.recorded("biased", change=with_setting(plain.ours)))
        self.assertGreater(len(plain.ours), 1)
        self.assertEqual(biased.subjects, plain.subjects)
        self.assertIn("refcount=biased", names.run_line(biased))
        one = results.load(self.recorded("one", change=with_setting(plain.ours[:1])))
        self.assertIn(plain.ours[0] + "+refcount=biased", one.subjects)
        self.assertNotIn("refcount=biased", names.run_line(one))


if __name__ == "__main__":
    unittest.main()
