import array
import json
import subprocess
import sys
import unittest

from command import BINARY, RESULT, CommandTest, ouro, schema_check

NONE = 0xFFFFFFFF


class Rows(CommandTest):
    def row(self, workload, *arguments, settings=None):
        row = json.loads(self.output_of("bench", workload, *arguments, "--json", "-",
                                        settings=settings))
        self.assertEqual(schema_check.problems(row, RESULT), [], arguments)
        self.assertEqual(row["workload"], workload)
        return row


class Churn(Rows):
    SMALL = ("--live", 2000, "--objects", 100_000)

    def test_everything_that_was_made_becomes_unreachable_and_is_collected(self):
        for replace in (0, 10, 100):
            row = self.row("churn", *self.SMALL, "--replace", replace)
            self.assertEqual((row["live_objects"], row["mutator_ops"]), (2000, 25_000))
            self.assertEqual(row["made_unreachable"], 102_000)
            self.assertLessEqual(row["backlog_mean"], row["backlog_max"])
            self.assertGreaterEqual(row["collected"], 2000)
            self.assertLessEqual(row["collected"] - 2000, row["backlog_max"])

    def test_nothing_that_is_dropped_at_once_outlives_a_young_collection(self):
        row = self.row("churn", *self.SMALL, "--replace", 0)
        # 2,000 allocations start a collection. A ring in the making is not garbage yet: it waits for
        # the next collection of the middle, the twelfth.
        self.assertLessEqual(row["backlog_max"], 2000 + 12 * 4)
        self.assertLessEqual(max(low for _, _, low in row["backlog_points"][:-1]), 12 * 4)
        self.assertGreater(self.row("churn", *self.SMALL, "--replace", 50)["backlog_max"], 4000)

    def test_points_and_collections_agree(self):
        row = self.row("churn", *self.SMALL)
        points = row["backlog_points"]
        collections = sum(each["count"] for each in row["collections"].values())
        self.assertEqual(len(points), collections + 1)  # each freed something; and the end
        self.assertEqual(row["pauses"]["count"], collections)
        self.assertEqual(max(high for _, high, _ in points), row["backlog_max"])
        self.assertEqual(points, sorted(points))
        self.assertLessEqual(points[-1][0], row["run_ns"])
        self.assertLess(row["pauses"]["total_ns"], row["run_ns"])
        self.assertGreater(row["collections"]["young"]["count"], 10)
        self.assertGreater(row["collections"]["middle"]["count"], 1)
        self.assertAlmostEqual(row["ns_per_op"], row["run_ns"] / row["mutator_ops"])

    def test_each_pause_has_its_place_in_the_run(self):
        row = self.row("churn", *self.SMALL)
        points = row["pause_points"]
        self.assertEqual(len(points), row["pauses"]["count"])
        self.assertEqual(sum(ns for _, ns in points), row["pauses"]["total_ns"])
        self.assertEqual(max(ns for _, ns in points), row["pauses"]["wall"]["max_ns"])
        ends = [0, *(start + ns for start, ns in points)]
        for (start, _), end_before in zip(points, ends):
            self.assertGreaterEqual(start, end_before)
        self.assertLessEqual(ends[-1], row["run_ns"])

    def test_memory_over_time_lies_in_the_run(self):
        row = self.row("churn", "--live", 2000, "--seconds", 1)
        points = row["rss_points"]
        self.assertTrue(20 <= len(points) <= 1000, len(points))  # one in 5 ms, if it can run
        self.assertEqual(points, sorted(points))
        self.assertLessEqual(points[-1][0], row["run_ns"])
        self.assertGreater(points[-1][0], 0.9 * row["run_ns"])
        sizes = [size for _, size in points]
        self.assertLess(max(sizes), row["rss_peak_bytes"] + (1 << 20))
        self.assertGreater(min(sizes), row["rss_before_bytes"] / 2)

    def test_the_same_seed_gives_the_same_backlog(self):
        rows = [self.row("churn", *self.SMALL, "--seed", seed) for seed in (1, 1, 2)]
        backlogs = [[point[1:] for point in row["backlog_points"]] for row in rows]
        self.assertEqual(backlogs[0], backlogs[1])
        self.assertNotEqual(backlogs[0], backlogs[2])

    def test_without_a_collector_all_of_it_waits(self):
        row = self.row("churn", *self.SMALL, "--engine", "off")
        self.assertEqual((row["backlog_max"], row["collected"]), (100_000, 0))
        self.assertEqual(row["pauses"]["count"], 0)

    def test_it_can_go_on_for_a_time(self):
        row = self.row("churn", "--live", 2000, "--seconds", 1)
        self.assertGreater(row["run_ns"], 0.99e9)
        self.assertLess(row["run_ns"], 2e9)
        self.assertLessEqual(len(row["backlog_points"]), 1000)
        self.assertEqual(row["params"]["seconds"], 1)

    def test_it_runs_under_every_trigger(self):
        for generations in ("on", "off"):
            for trigger in ("quarter", "resident", "square-root"):
                with self.subTest(generations=generations, trigger=trigger):
                    row = self.row("churn", "--live", 2000, "--objects", 100_000, "--trigger", trigger,
                                   "--generations", generations)
                    self.assertEqual((row["trigger"], row["generations"]), (trigger, generations))
        row = self.row("churn", "--live", 20_000, "--trigger", "square-root", "--memory-price", 0)
        self.assertEqual(row["collections"]["full"]["count"], 0)

    def test_settings_reach_it(self):
        row = self.row("churn", *self.SMALL, "--generations", "off", "--refcount", "atomic",
                       "--verify", "on")
        self.assertEqual((row["generations"], row["refcount"]), ("off", "atomic"))
        self.assertEqual(row["collections"]["young"]["count"], 0)
        self.assertGreater(row["collections"]["full"]["count"], 0)

    def test_a_table_can_be_read(self):
        text = self.output_of("bench", "churn", *self.SMALL)
        self.assertRegex(text, r"(?m)^  operations +25000 *$")
        self.assertRegex(text, r"(?m)^  run +[0-9.]+ ms +[0-9.]+ ns$")
        self.assertRegex(text, r"(?m)^  backlog, greatest +[0-9]+ *$")
        self.assertLessEqual(max(map(len, text.splitlines())), 80)


class Young(Rows):
    def test_each_collection_finds_the_dead_and_nothing_else(self):
        row = self.row("young", "--old", 5000, "--young", 400, "--collections", 3)
        self.assertEqual((row["live_objects"], row["young_objects"], row["collected"]),
                         (5000, 400, 400))
        for kind in ("live", "garbage"):
            self.assertEqual(len(row[f"{kind}_collect_samples_ns"]), 3)
            self.assertEqual(len(row[f"{kind}_collect_cpu_samples_ns"]), 3)
            self.assertIn(row[f"{kind}_collect_ns"], row[f"{kind}_collect_samples_ns"])
        # Two kinds of three and a first, each followed by one of the middle; and what the building
        # of the old heap began.
        self.assertEqual(row["collections"]["young"]["count"], 8)
        self.assertEqual(row["collections"]["middle"]["count"], 8)
        self.assertEqual(row["collections"]["full"]["count"], 0)

    def test_a_table_can_be_read(self):
        text = self.output_of("bench", "young", "--old", 5000, "--young", 400)
        self.assertRegex(text, r"(?m)^  objects, old +5000 *$")
        self.assertRegex(text, r"(?m)^  collection, all dead +[0-9.]+ ms +[0-9.]+ ns$")

    def test_a_collector_that_finds_nothing_is_a_failure(self):
        done = ouro("bench", "young", "--old", 100, "--young", 8, "--engine", "off", "--json", "-")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("found 0 objects, not 8", done.stderr)


class Places(CommandTest):
    def places(self, *arguments):
        done = ouro("places", *arguments, text=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        words = array.array("I", done.stdout)
        if sys.byteorder == "big":
            words.byteswap()
        return list(words)

    def test_there_is_one_for_each_operation(self):
        self.assertEqual(len(self.places("--live", 100, "--objects", 400)), 100)
        self.assertEqual(len(self.places("--live", 100, "--cycle-size", 3, "--objects", 10)), 4)

    def test_so_many_of_them_replace_a_group_of_the_live_set(self):
        for percent in (0, 10, 100):
            words = self.places("--live", 400, "--replace", percent, "--objects", 400_000)
            found = [word for word in words if word != NONE]
            self.assertAlmostEqual(len(found) / len(words), percent / 100, delta=0.01)
            self.assertTrue(all(word < 100 for word in found))
            if found:
                self.assertEqual(len(set(found)), 100, "some place is never replaced")

    def test_without_a_number_of_objects_there_is_no_end(self):
        with subprocess.Popen([BINARY, "places", "--live", "100"], stdout=subprocess.PIPE) as each:
            self.assertEqual(len(each.stdout.read(10_000_000)), 10_000_000)
            each.stdout.close()
            self.assertNotEqual(each.wait(timeout=20), 0)


if __name__ == "__main__":
    unittest.main()
