import json
import pathlib
import statistics
import tempfile
import unittest

from command import RESULT, CommandTest, schema_check


class Team(CommandTest):
    def row(self, workload, *arguments):
        row = json.loads(self.output_of("bench", workload, *arguments, "--json", "-"))
        self.assertEqual(schema_check.problems(row, RESULT), [], arguments)
        self.assertEqual(row["workload"], workload)
        return row

    def agrees(self, row, threads, rounds):
        """What a row says of its rounds follows from them."""
        self.assertEqual((row["threads"], len(row["rounds"])), (threads, rounds))
        all_of = [each["threads"] for each in row["rounds"]]
        self.assertTrue(all(len(each) == threads for each in all_of))
        self.assertEqual(row["mutator_ops"], sum(ops for each in all_of for _, ops in each))
        self.assertAlmostEqual(row["ns_per_op"], row["run_ns"] / row["mutator_ops"])
        each_op = [sum(ns for ns, _ in each) / sum(ops for _, ops in each) for each in all_of]
        self.assertAlmostEqual(row["thread_ns_per_op"], statistics.median(each_op))
        if threads == 1:
            self.assertEqual((row["threads_over_processes"], row["process_ns_per_op"]),
                             (None, None))
            return
        def rate(side):
            return sum(ops / ns for ns, ops in side)
        ratios = [rate(each["threads"]) / rate(each["processes"]) for each in row["rounds"]]
        self.assertTrue(all(len(each["processes"]) == threads for each in row["rounds"]))
        self.assertAlmostEqual(row["threads_over_processes"], statistics.median(ratios))


class Storm(Team):
    SMALL = ("--operations", 409_600, "--rounds", 4)

    def test_it_makes_the_operations_that_were_asked_for(self):
        for shared in (0, 50, 100):
            row = self.row("rc-storm", *self.SMALL, "--shared", shared)
            self.agrees(row, 1, 4)
            self.assertEqual(row["mutator_ops"], 409_600)
            self.assertEqual((row["params"]["shared"], row["params"]["owner"]), (shared, "first"))
            self.assertEqual((row["collected"], row["live_objects"]), (0, None))
            self.assertGreater(row["thread_ns_per_op"], 0)
            self.assertGreater(row["floor_ns_per_op"], 0)

    def test_what_nobody_owns_costs_more(self):
        # Atomic additions against plain ones: six times as much, with nothing else to do.
        arguments = ("--operations", 4_096_000, "--rounds", 5)
        words = self.output_of("list").split("refcount")[1].split()[0].split("|")
        if "atomic" not in words:
            self.skipTest("a build with bare counts")
        owner, atomic = (self.row("rc-storm", *arguments, "--refcount", policy)
                         for policy in (words[0], "atomic"))
        self.assertEqual(atomic["refcount"], "atomic")
        self.assertGreater(atomic["thread_ns_per_op"], 1.5 * owner["thread_ns_per_op"])

    def test_it_can_go_on_for_a_time(self):
        row = self.row("rc-storm", "--seconds", 1, "--rounds", 2)
        self.assertTrue(0.99e9 < row["run_ns"] < 2e9, row["run_ns"])
        self.assertEqual(row["params"]["seconds"], 1)
        self.agrees(row, 1, 2)

    def test_a_table_can_be_read(self):
        text = self.output_of("bench", "rc-storm", *self.SMALL)
        self.assertRegex(text, r"(?m)^  operations of all +409600 *$")
        self.assertRegex(text, r"(?m)^  +in a thread +[0-9.]+ ns$")
        self.assertLessEqual(max(map(len, text.splitlines()[1:])), 80)

    def test_bad_arguments_are_refused(self):
        for option, value, names in (("--threads", 0, ("1", "1024")),
                                     ("--shared", 101, ("0", "100")), ("--objects", 0, ("1",)),
                                     ("--rounds", 0, ("1", "1000")), ("--owner", "last", ("exited",))):
            self.refused("bench", "rc-storm", option, value, names=(option, *names))
        self.refused("bench", "rc-storm", "--seconds", 1, "--operations", 1,
                     names=("--seconds", "--operations"))


class Trees(Team):
    def test_a_round_makes_trees_of_every_depth(self):
        row = self.row("gcbench", "--depth", 6, "--array", 1000, "--rounds", 2)
        self.agrees(row, 1, 2)
        # A tree two deeper than the largest; of each depth as many as that one has room for, twice, both ways.
        largest = 2 ** 9 - 1
        nodes = largest + sum(2 * (2 * largest // (2 ** (depth + 1) - 1)) * (2 ** (depth + 1) - 1)
                              for depth in (4, 6))
        self.assertEqual(row["mutator_ops"], 2 * nodes)
        self.assertEqual(row["live_objects"], 2 ** 7)
        self.assertEqual(row["collected"], 0, "counting frees all of it")

    def test_bad_arguments_are_refused(self):
        self.refused("bench", "gcbench", "--depth", 3, names=("--depth", "4", "24"))


class SeveralThreads(Team):
    CASES = (("rc-storm", ("--operations", 409_600)), ("rc-storm", ("--operations", 409_600,
                                                                    "--owner", "exited")),
             ("rc-storm", ("--operations", 409_600, "--owner", "blocked", "--shared", 50)),
             ("gcbench", ("--depth", 6, "--array", 1000)),
             ("churn", ("--live", 2000, "--objects", 40_000)))

    def test_each_does_its_share_beside_processes(self):
        for workload, arguments in self.CASES:
            with self.subTest(workload=workload, arguments=arguments):
                row = self.row(workload, *arguments, "--threads", 2, "--rounds", 3)
                self.agrees(row, 2, 3)

    def test_events_are_those_of_the_threads_alone(self):
        with tempfile.TemporaryDirectory() as directory:
            events = pathlib.Path(directory, "events.jsonl")
            row = self.row("churn", "--live", 2000, "--objects", 200_000, "--threads", 2,
                           "--events", events)
            self.agrees(row, 2, 5)
            cycles = [event["cycle"] for event in map(json.loads, events.read_text().splitlines())
                      if event["phase"] == "cycle"]
            self.assertGreater(len(cycles), 1)
            self.assertEqual(cycles, list(range(1, len(cycles) + 1)))


if __name__ == "__main__":
    unittest.main()
