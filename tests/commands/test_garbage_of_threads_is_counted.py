"""`ouro bench rings`: each thread makes the rings that were asked for, all of them become garbage, what waits is never
more than that and never more than the limit allows, and a run that ended at the limit says so."""
import json
import unittest

from command import RESULT, CommandTest, schema_check

RINGS, MADE = 3_001, 3_000 * 4 + 2   # two to six in turn, and one of two
LOOK = 60 * 4 + 6                    # containers that a thread can make between two looks, and one ring


class Rings(CommandTest):
    def row(self, *arguments):
        row = json.loads(self.output_of("bench", "rings", *arguments, "--json", "-"))
        self.assertEqual(schema_check.problems(row, RESULT), [], arguments)
        return row

    def policies(self):
        words = self.output_of("list").split("refcount")[1].split()[0].split("|")
        return words if "atomic" in words else []

    def test_every_ring_is_made_and_becomes_garbage(self):
        for engine in ("stw", "incremental", "concurrent", "snapshot", "off"):
            for threads in (1, 3):
                for policy in self.policies():
                    with self.subTest(engine=engine, threads=threads, policy=policy):
                        row = self.row("--engine", engine, "--refcount", policy, "--threads", threads, "--rings", RINGS)
                        self.assertEqual((row["threads"], row["mutator_ops"], row["made_unreachable"]),
                                         (threads, threads * RINGS, threads * MADE))
                        self.assertEqual((row["live_objects"], row["stopped_at_limit"]), (threads * 6, False))
                        self.assertAlmostEqual(row["operations_per_s"] * row["run_ns"] / 1e9, row["mutator_ops"],
                                               delta=1)
                        self.assertLessEqual(row["backlog_max"], threads * MADE)
                        self.assertGreaterEqual(row["backlog_max"], row["backlog_mean"])
                        self.assertEqual(row["collected"] == 0, engine == "off")

    def test_without_a_collector_all_of_it_waits(self):
        for threads in (1, 3):
            row = self.row("--engine", "off", "--threads", threads, "--rings", RINGS)
            self.assertEqual(row["backlog_max"], threads * MADE)
            self.assertGreater(row["rss_growth_bytes"], threads * MADE * 32 / 2)

    def test_all_threads_stop_at_the_limit(self):
        for threads in (1, 3):
            row = self.row("--engine", "off", "--threads", threads, "--rings", 1_000_000, "--dead-limit", 5_000)
            self.assertTrue(row["stopped_at_limit"])
            self.assertGreaterEqual(row["backlog_max"], 5_000)
            # One that has no processor meanwhile sees that the others ended, and makes no more than a look's.
            self.assertLessEqual(row["made_unreachable"], 5_000 + 2 * threads * LOOK)
            self.assertLess(row["mutator_ops"], threads * 1_000_000)

    def test_a_collector_keeps_up(self):
        row = self.row("--engine", "stw", "--rings", 20_000, "--dead-limit", 4_000)
        self.assertFalse(row["stopped_at_limit"])
        self.assertGreater(row["collections"]["young"]["count"], 20)

    def test_a_table_can_be_read(self):
        text = self.output_of("bench", "rings", "--engine", "off", "--rings", RINGS, "--dead-limit", 500)
        for part in ("rings {", "stopped at the limit", "dead and not freed", "memory grew", "a second"):
            self.assertIn(part, text)
        self.assertNotIn("stopped", self.output_of("bench", "rings", "--rings", RINGS))

    def test_what_cannot_be_is_refused(self):
        for flag in ("--threads", "--rings", "--dead-limit"):
            self.refused("bench", "rings", flag, 0, names=[flag, "1"])
        self.refused("bench", "rings", "--threads", 65, names=["--threads", "64"])


if __name__ == "__main__":
    unittest.main()
