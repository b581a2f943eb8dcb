import hashlib
import json
import re
import shutil
import statistics
import subprocess
import tempfile
import unittest
from pathlib import Path

import support
import results
import schema_check

RECORDED = support.HERE / "recorded_churn"
MAKERS = ("churn", "young_vs_old")


def render(maker, directory):
    return subprocess.run([support.PYTHON, support.ROOT / "plots" / f"{maker}.py", directory],
                          capture_output=True, text=True, check=False)


class Figures(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)

    def recorded(self, name, keep=lambda row: True, source=RECORDED):
        copy = self.directory / name
        shutil.copytree(source, copy)
        rows = (copy / "runs.jsonl").read_text().splitlines()
        (copy / "runs.jsonl").write_text(
            "".join(line + "\n" for line in rows if keep(json.loads(line))))
        return copy

    def test_recorded_rows_fit_the_schema(self):
        row_schema = schema_check.load("run.schema.json")
        result_schema = schema_check.load("result.schema.json")
        for row in map(json.loads, (RECORDED / "runs.jsonl").read_text().splitlines()):
            self.assertEqual(schema_check.problems(row, row_schema), [])
            self.assertEqual(schema_check.problems(row["result"], result_schema), [])

    def test_each_makes_its_files_and_names_them(self):
        for maker in MAKERS:
            copy = self.recorded(maker)
            done = render(maker, copy)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for suffix in ("svg", "png", "md"):
                path = copy / f"{maker}.{suffix}"
                self.assertIn(str(path), done.stdout)
                self.assertGreater(path.stat().st_size, 500 if suffix == "md" else 5000)

    def test_equal_results_give_equal_files(self):
        for maker in MAKERS:
            sums = []
            for name in ("first", "second"):
                copy = self.recorded(maker + name)
                self.assertEqual(render(maker, copy).returncode, 0)
                sums.append([hashlib.sha256((copy / f"{maker}.{suffix}").read_bytes()).hexdigest()
                             for suffix in ("svg", "md")])
            self.assertEqual(*sums)

    def test_tables_hold_the_medians_of_the_rows(self):
        copy = self.recorded("tables")
        for maker in MAKERS:
            render(maker, copy)
        loaded = results.load(copy)
        churn = loaded.of("ouro-stw", "churn", 10_000).values()
        expected = statistics.median(result["ns_per_op"] for result in churn)
        greatest = statistics.median(result["backlog_max"] for result in churn)
        line = re.search(r"^\| Ouroboros stw \| 10 k \| (.*) \|$", (copy / "churn.md").read_text(),
                         re.MULTILINE).group(1).split(" | ")
        self.assertEqual(line[0], f"{expected:.0f}")
        self.assertIn(f"{greatest:,.0f}", line)
        young = [statistics.median(result["garbage_collect_samples_ns"])
                 for result in loaded.of("ouro-stw", "young", 30_000).values()]
        self.assertRegex((copy / "young_vs_old.md").read_text(),
                         rf"(?m)^\| all of them dead \| 30 k \| "
                         rf"{statistics.median(young) / 1e3:.0f} \|")

    def test_what_is_missing_leaves_the_rest(self):
        cases = {"no peer": lambda row: row["kind"] == "ouro",
                 "none of ours": lambda row: row["kind"] == "cpython",
                 "one size": lambda row: row["objects"] == 10_000,
                 "one invocation": lambda row: row["invocation"] == 0}
        for name, keep in cases.items():
            copy = self.recorded(name, keep)
            for maker in MAKERS:
                with self.subTest(name, maker=maker):
                    done = render(maker, copy)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertTrue((copy / f"{maker}.png").is_file())

    def test_results_of_other_workloads_are_left_alone(self):
        for maker, source in ((*((each, support.RECORDED) for each in MAKERS),
                               ("pause_vs_heap", RECORDED))):
            copy = self.recorded("other-" + maker, source=source)
            before = sorted(copy.iterdir())
            done = render(maker, copy)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            self.assertEqual(sorted(copy.iterdir()), before)

    def test_a_directory_without_results_is_said_plainly(self):
        for maker in MAKERS:
            done = render(maker, self.directory)
            self.assertEqual(done.returncode, 1)
            self.assertIn("not a results directory", done.stderr)


if __name__ == "__main__":
    unittest.main()
