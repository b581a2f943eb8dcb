# label: alone
# not with a sanitizer: what it measures has none
import json
import unittest

from command import RESULT, CommandTest, schema_check


class LoadTest(CommandTest):
    def row(self, workload, *arguments):
        row = json.loads(self.output_of("bench", workload, *arguments, "--json", "-"))
        self.assertEqual(schema_check.problems(row, RESULT), [], arguments)
        self.assertEqual(row["workload"], workload)
        return row

    def agrees(self, row):
        """What a row says of its pauses follows from them."""
        points = [row["pause_points"], *row["other_pause_points"]]
        self.assertEqual(len(points), row["threads"])
        every = [ns for each in points for _, ns in each]
        self.assertEqual((len(every), sum(every)),
                         (row["pauses"]["count"], row["pauses"]["total_ns"]))
        self.assertEqual(len(row["pause_cpu_samples_ns"]), len(every))
        self.assertLessEqual(row["merged_pauses"]["count"], len(every))
        self.assertGreaterEqual(row["merged_pauses"]["total_ns"], sum(every))
        stopped = sum(every) / row["run_ns"] / row["threads"]
        self.assertAlmostEqual(row["stopped_fraction"], stopped, delta=0.02)
        for windows in (row["mmu"], row["gaps"]["mmu"]):
            known = [each for each in windows.values() if each is not None]
            self.assertTrue(all(-1e-9 <= each <= 1 for each in known), windows)
        self.assertLessEqual(row["mmu"]["100ms"], 1 - row["stopped_fraction"] + 0.02)
        for mine in points:
            ends = [0, *(start + ns for start, ns in mine)]
            self.assertTrue(all(start >= before for (start, _), before in zip(mine, ends)))
        self.assertAlmostEqual(row["operations_per_s"],
                               row["mutator_ops"] / row["run_ns"] * 1e9, delta=1)
        self.assertEqual(max(high for _, high, _ in row["backlog_points"]), row["backlog_max"])
        self.assertEqual(row["latency"]["count"], row["operations_due"])
        self.meters(row)

    def meters(self, row):
        """Metered latency is no less than the simple one; smoothed over the whole run it begins when due."""
        simple, metered = row["simple_latency"], row["metered_latency"]
        self.assertEqual(simple["count"], row["mutator_ops"])
        self.assertEqual(metered is None, row["rate_per_s"] is None)
        if metered is not None:
            self.assertEqual(metered.pop("full"), row["latency"])
            self.assertEqual(list(metered), ["100ms", "10ms", "1ms"])
            for window, latencies in metered.items():
                self.assertEqual(latencies["count"], row["mutator_ops"], window)
                for key, ns in latencies.items():
                    self.assertGreaterEqual(ns, simple[key], (window, key))


class Lru(LoadTest):
    SMALL = ("--live", 4000, "--seconds", 1)

    def test_what_dies_is_old_and_waits_for_full_collections(self):
        row = self.row("lru", *self.SMALL)
        self.agrees(row)
        self.assertEqual(row["live_objects"], 4000)
        self.assertGreater(row["mutator_ops"], 10_000)
        # What lives as long as the cache is not found by young collections, as in churn.
        self.assertGreater(row["collections"]["full"]["count"], 1)
        self.assertGreater(row["backlog_max"], 1000)
        self.assertGreaterEqual(row["candidates"], 4 * row["mutator_ops"] - row["backlog_max"])
        self.assertEqual(row["rejected"], 0)  # nobody but the mutator ran

    def test_two_mutators_share_it(self):
        for refcount in ("gil", "biased"):
            row = self.row("lru", *self.SMALL, "--threads", 2, "--refcount", refcount)
            self.agrees(row)
            self.assertEqual((row["live_objects"], row["threads"]), (4000, 2))
            self.assertGreater(len(row["other_pause_points"][0]), 3)

    def test_the_seed_and_the_order_of_it_are_said(self):
        row = self.row("lru", *self.SMALL, "--shuffled", "--unflagged", 50, "--seed", 9)
        self.assertEqual(row["params"], {
            "cycle_size": 4, "live": 4000, "load": "saturated", "seconds": 1, "shuffled": True,
            "threads": 1, "unflagged": 50})
        self.assertEqual(row["seed"], 9)
        self.assertIsNone(row["rate_per_s"])
        self.assertEqual(row["work_cpu_ns"], row["run_cpu_ns"])

    def test_a_schedule_is_kept_whatever_the_collector_does(self):
        row = self.row("lru", *self.SMALL, "--load", "20000/s")
        self.agrees(row)
        self.assertAlmostEqual(row["operations_due"], 20_000, delta=2)
        self.assertLessEqual(row["mutator_ops"], row["operations_due"])
        self.assertGreater(row["mutator_ops"], 15_000)
        self.assertEqual(row["rate_per_s"], 20_000)
        # An operation takes about a microsecond, and the next one is due after 50.
        self.assertGreater(row["work_cpu_ns"], row["mutator_ops"] * 100)
        self.assertLess(row["work_cpu_ns"], row["run_cpu_ns"] / 2)
        # More than can be done: those that were not are counted, as late as the end of the run.
        row = self.row("lru", *self.SMALL, "--load", "100000000/s")
        self.assertGreater(row["operations_due"], 2 * row["mutator_ops"])
        self.assertGreater(row["latency"]["p50_ns"], 100_000_000)

    def test_lateness_is_latency(self):
        # More than it can do: one that is late delays all that follow.
        most = self.row("lru", *self.SMALL)["operations_per_s"]
        row = self.row("lru", *self.SMALL, "--load", f"{round(1.4 * most)}/s")
        self.assertGreater(row["operations_due"], row["mutator_ops"])
        self.assertGreater(row["latency"]["p50_ns"], 10_000_000)

    def test_a_load_is_of_what_the_same_does_without_a_collector(self):
        row = self.row("lru", *self.SMALL, "--load", 25)
        self.assertEqual((row["engine"], row["params"]["load"]), ("stw", "25"))
        self.assertAlmostEqual(row["rate_per_s"], row["off_rate_per_s"] / 4)
        self.assertAlmostEqual(row["operations_due"], row["rate_per_s"], delta=row["rate_per_s"] / 50)
        # A heap that takes a collector more time than the mutators have.
        large = ("--live", 400_000, "--seconds", 1)
        ratios = []
        for _ in range(5):  # the machine may have other things to do
            most = self.row("lru", *large)["operations_per_s"]
            ratios.append(self.row("lru", *large, "--load", 10)["off_rate_per_s"] / most)
            if ratios[-1] > 1.4:
                return
        self.fail(f"without a collector it did only so many times as much: {ratios}")

    def test_two_loads_take_turns_of_a_second(self):
        row = self.row("lru", "--live", 4000, "--seconds", 3, "--load", "5000/s,saturated")
        self.agrees(row)
        self.assertEqual(row["turn_rates_per_s"], [5000, 0])
        # Two turns of the three have a rate; in the other far more is done.
        saturated = row["mutator_ops"] - 2 * 5000
        self.assertGreater(saturated, 20_000)
        self.assertAlmostEqual(row["run_ns"], 3e9, delta=2e8)
        self.assertIsNone(self.row("lru", *self.SMALL)["turn_rates_per_s"])

    def test_without_a_collector_all_of_it_waits_and_nothing_stops(self):
        row = self.row("lru", *self.SMALL, "--engine", "off")
        self.assertEqual(row["pauses"]["count"], 0)
        self.assertEqual((row["stopped_fraction"], row["mmu"]["1ms"]), (0, 1))
        self.assertAlmostEqual(row["backlog_max"], 4 * row["mutator_ops"], delta=4 * 64)

    def test_a_table_can_be_read(self):
        text = self.output_of("bench", "lru", *self.SMALL, "--load", 50)
        self.assertRegex(text, r"(?m)^  operations +[0-9]+ +[0-9.]+ ns$")
        self.assertRegex(text, r"(?m)^    p99\.9 +[0-9.]+ (ms|us) *$")
        self.assertRegex(text, r"(?m)^  least left of 10ms +-?[0-9.]+ % +-?[0-9.]+ %$")
        self.assertRegex(text, r"(?m)^    rejected +0 *$")
        self.assertLessEqual(max(map(len, text.splitlines()[1:])), 80)

    def test_bad_arguments_are_refused(self):
        self.refused("bench", "lru", "--load", "half", names=("--load", "half"))
        for wrong in ("0", "0/s", "1001", "1000000001/s", "/s", "5/m", "05/s", "+5", "50%", ""):
            self.refused("bench", "lru", "--load", wrong,
                         names=("--load", f"'{wrong}'", "saturated|1..1000|1/s..1000000000/s"))
        self.refused("bench", "lru", "--live", 7, "--threads", 2, names=("--live", "'7'", "4"))
        self.refused("bench", "adversary", "--kind", "nice", names=("nice",))
        self.refused("bench", "cycles", "--shape", "knot", names=("knot",))


class Others(LoadTest):
    def test_requests_leave_what_has_cycles(self):
        plain = self.row("server", "--live", 1000, "--seconds", 1, "--cyclic", 0)
        self.agrees(plain)
        self.assertEqual(plain["live_objects"], 1000)
        # A cyclic request is 19 containers; of the others only sessions wait, two a tenth of the times.
        cyclic = self.row("server", "--live", 1000, "--seconds", 1, "--cyclic", 100)
        self.assertGreater(cyclic["condemned"] / cyclic["mutator_ops"], 18)
        self.assertLess(plain["condemned"] / plain["mutator_ops"], 1)

    def test_each_adversary_gives_back_all_that_it_made(self):
        for kind in ("graph", "moves", "weakrefs", "deep", "types"):
            for threads, refcount in ((1, "gil"), (2, "biased")):
                row = self.row("adversary", "--kind", kind, "--live", 2000, "--seconds", 1,
                               "--threads", threads, "--refcount", refcount, "--depth", 500)
                self.agrees(row)
                self.assertGreater(row["mutator_ops"], 1000, kind)
                self.assertGreater(row["freed"], 1000, kind)

    def test_cycles_are_collected_whole(self):
        for shape, components, largest in (("ring", 1, 50_000), ("chain", 49_999, 2),
                                           ("rings", 5000, 10)):
            row = self.row("cycles", "--shape", shape, "--objects", 50_000, "--live", 1000,
                           "--collections", 2)
            self.assertEqual((row["components"], row["largest_component"], row["collected"]),
                             (components, largest, 50_000))
            self.assertEqual(row["condemned"], 100_000)
            self.assertEqual(len(row["garbage_collect_samples_ns"]), 2)  # without the first


if __name__ == "__main__":
    unittest.main()
