import json
import subprocess
import unittest

from drawing import DrawingTest
from plots.data import results
from plots.tables import counters
import schema_check
import support

STW, PARALLEL = "ouro-stw", "ouro-stw-parallel"
WHY = "this machine has none"


def phase(cycles, instructions, cache, tlb=None):
    return {"events": 2, "cpu_ns": 3_000_000, "cycles": cycles, "instructions": instructions,
            "cache_misses": cache, "tlb_misses": tlb}


class Shown(DrawingTest):
    def loaded(self, name, of):
        def change(row):
            row["result"].update(of(row))
            return row
        return results.load(self.recorded(name, lambda row: row["workload"] == "churn"
                                          and row["kind"] == "ouro", change))

    def test_a_phase_has_its_counts_and_what_follows_from_them(self):
        loaded = self.loaded("some", lambda row: {"counters": {"problem": None, "phases": {
            "cycle": phase(9, 9, 9), "young": phase(4_000_000, 6_000_000, 12_000)}}})
        found, rows = counters.counted(loaded)
        self.assertEqual({key[3] for key in found}, {STW, PARALLEL})
        made = counters.table(found)
        self.assertEqual(len(made.rows), 2)   # none of whole cycles
        self.assertEqual(made.rows[0][2:],
                         ["young", str(len(rows) // 2), "3.00", "4.00", "6.00", "1.50", "2.00", "-"])
        text = self.parts(loaded.directory)[2]
        self.assertIn("### Hardware counters by phase", text)
        self.assertNotIn("are not there", text)

    def test_where_there_are_none_the_report_says_why(self):
        loaded = self.loaded("none", lambda row: {"counters": {"problem": WHY, "phases": {}}}
                             if row["subject"] == STW else {})
        text = self.parts(loaded.directory)[2]
        self.assertNotIn("### Hardware counters by phase", text)
        number = len(loaded.where(lambda row: row["subject"] == STW))
        self.assertIn(f"| Ouroboros stw | {WHY} | {number} |", text)

    def test_nothing_is_said_where_nobody_asked(self):
        text = self.parts(self.recorded("without"))[2]
        self.assertNotIn("Hardware counters", text)


class Measured(unittest.TestCase):
    def bench(self, *arguments):
        done = subprocess.run([support.OURO, "bench", "graph", "--objects", "5000", *arguments, "--json", "-"],
                              capture_output=True, text=True, check=True, env=support.environment())
        row = json.loads(done.stdout)
        self.assertEqual(schema_check.problems(row, schema_check.load("result.schema.json")), [])
        return row, done.stderr

    def test_a_run_counts_or_goes_on_without(self):
        for engine in ("stw", "incremental", "concurrent", "snapshot"):
            row, said = self.bench("--counters", "on", "--engine", engine)
            found = row["counters"]
            if found["problem"] is None:
                self.assertEqual(said, "")
                self.assertGreater(found["phases"]["cycle"]["instructions"] or 1, 0)
                self.assertGreater(found["phases"]["cycle"]["events"], 0)
            else:
                self.assertEqual(said, f"ouro: counters=on: nothing is counted: {found['problem']}\n")
                self.assertEqual(found["phases"], {})
            self.assertGreater(row["collected"], 4000)

    def test_nothing_is_counted_unasked(self):
        row, said = self.bench()
        self.assertNotIn("counters", row)
        self.assertEqual(said, "")


if __name__ == "__main__":
    unittest.main()
