# not with a sanitizer: hundreds of processes that run what other tests do
import json
import os
import re
import subprocess
import unittest

import support
import schema_check

PEERS = support.ROOT / "experiments" / "peers" / "cpython"
RESULT = schema_check.load("result.schema.json")


def command(*words):
    return [str(word) for word in words]


@unittest.skipUnless(os.access(support.OURO, os.X_OK), "the ouro command is not built")
class Classics(unittest.TestCase):
    def both(self, workload, *arguments, seed=3):
        """(ours, the peer's) rows of a workload, checked, made from the same random numbers."""
        arguments = [*arguments, "--seed", seed]
        script = PEERS / (workload.replace("-", "_") + ".py")
        ours = subprocess.run(command(support.OURO, "bench", workload, *arguments, "--json", "-"),
                              capture_output=True, text=True, check=False,
                              env=support.environment())
        with subprocess.Popen(command(support.OURO, "numbers", "--seed", seed),
                              stdout=subprocess.PIPE, env=support.environment()) as numbers:
            theirs = subprocess.run(command(support.PYTHON, "-I", "-S", script, *arguments),
                                    stdin=numbers.stdout, capture_output=True, text=True,
                                    check=False)
            numbers.stdout.close()
        self.assertEqual(numbers.returncode, 0, "who reads them has enough")
        rows = []
        for done in (ours, theirs):
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.args)
            rows.append(json.loads(done.stdout))
            self.assertEqual(schema_check.problems(rows[-1], RESULT), [])
        for key in ("workload", "params", "live_objects", "mutator_ops"):
            self.assertEqual(rows[0][key], rows[1][key], key)
        if "made_unreachable" in rows[0]:
            self.assertEqual(rows[0]["made_unreachable"], rows[1]["made_unreachable"])
        return rows

    def test_cyclotron_makes_as_much_garbage(self):
        for arguments, units in ((("--total-objects", 40_000), 10_000),
                                 (("--shape", "queue", "--cycle-size", 1, "--live-objects", 1000,
                                   "--extra-bytes", 100, "--total-objects", 20_000), 20_000),
                                 (("--shape", "tree", "--cycle-size", 200, "--live-objects", 2000,
                                   "--extra-bytes", 9, "--total-objects", 20_000), 100)):
            for row in self.both("cyclotron", *arguments):
                self.assertEqual(row["mutator_ops"], units)
                made = units * row["params"]["cycle_size"]
                self.assertEqual(row["made_unreachable"], made)
                self.assertTrue(0 < row["backlog_max"] <= made)

    def test_only_a_fraction_is_cyclic(self):
        arguments = ("--total-objects", 40_000, "--live-objects", 40_000, "--cyclic-fraction")
        most = []
        for fraction in (0.0, 0.25, 1.0):
            ours, theirs = self.both("cyclotron", *arguments, fraction)
            # All are dropped at once, at the end; the same units have cycles, so as much waits in both.
            self.assertEqual(ours["backlog_max"], theirs["backlog_max"])
            most.append(ours["backlog_max"])
        self.assertEqual((most[0], most[2]), (0, 40_000))
        self.assertAlmostEqual(most[1], 10_000, delta=1000)

    def test_binary_trees_die_at_once_without_parents(self):
        for row in self.both("binary-trees", "--depth", 7):
            # The deepest; 2^7 trees of depth 4, 2^5 of depth 6; and the one that lives long.
            self.assertEqual(row["mutator_ops"], 1 + 128 + 32)
            self.assertEqual(row["made_unreachable"], 511 + 128 * 31 + 32 * 127 + 255)
            self.assertEqual((row["backlog_max"], row["collected"]), (0, 0))
        for row in self.both("binary-trees", "--depth", 7, "--parents"):
            self.assertEqual(row["made_unreachable"], 511 + 128 * 31 + 32 * 127 + 255)
            self.assertGreater(row["backlog_max"], 1000)

    def test_btrees_have_the_same_nodes(self):
        for nodes in (1, 40, 3000):
            ours, theirs = self.both("btree", "--nodes", nodes, "--collections", 2)
            # A tree, a node with a list of items, an item and a record for each key at least.
            self.assertGreaterEqual(ours["live_objects"], 3 + 2 * nodes)
            for row in (ours, theirs):
                self.assertEqual(len(row["live_collect_samples_ns"]), 2)

    def test_gaussian_graphs_have_the_same_garbage(self):
        arguments = ("--live", 2000, "--nodes", 500, "--degree", 2, "--deviation", 5,
                     "--mutations", 2, "--objects", 2500)
        ours, theirs = self.both("ggauss", *arguments)
        self.assertEqual(ours["made_unreachable"], 4500)
        self.assertGreater(ours["backlog_max"], 500)
        self.assertIsNone(theirs["backlog_max"])
        # Too few for a collection but the last: it finds what counting has left, which is the same graph's.
        small = ("--live", 500, "--nodes", 500, "--degree", 2, "--deviation", 5, "--mutations", 2,
                 "--objects", 500)
        ours, theirs = self.both("ggauss", *small)
        self.assertEqual(ours["collected"], theirs["collected"])
        self.assertTrue(300 < ours["collected"] < 1000)

    def test_another_seed_is_another_graph(self):
        small = ("--live", 500, "--nodes", 500, "--degree", 2, "--deviation", 5, "--mutations", 2,
                 "--objects", 500)
        self.assertNotEqual(*(self.both("ggauss", *small, seed=seed)[0]["collected"]
                              for seed in (3, 4)))

    def test_a_table_says_what_they_are_measured_by(self):
        for workload, arguments in (("cyclotron", ("--total-objects", 20_000)), ("btree", ("--nodes", 500)),
                                    ("binary-trees", ("--depth", 6)),
                                    ("ggauss", ("--live", 500, "--nodes", 500, "--objects", 500))):
            done = subprocess.run(command(support.OURO, "bench", workload, *arguments), text=True,
                                  capture_output=True, check=False, env=support.environment())
            self.assertEqual((done.returncode, done.stderr), (0, ""), workload)
            lines = [re.split("  +", line.strip()) for line in done.stdout.splitlines()]
            found = {each[0]: each[1] for each in lines if len(each) > 1}
            self.assertGreater(float(found["run"].split(" ms")[0]), 0, workload)
            self.assertGreater(int(found["operations"]), 0, workload)
            self.assertGreater(float(found["memory at the peak"].removesuffix(" MiB")), 0, workload)
            self.assertEqual(workload != "btree", "backlog, greatest" in found, workload)

    def test_bad_arguments_end_with_status_2(self):
        for workload, arguments in (
                ("cyclotron", ("--shape", "knot")), ("cyclotron", ("--cyclic-fraction", "2")),
                ("cyclotron", ("--live-objects", "3")), ("binary-trees", ("--depth", "3")),
                ("btree", ("--nodes", "0")),
                ("ggauss", ("--live", "5", "--nodes", "6", "--degree", "1", "--deviation", "1",
                            "--mutations", "1", "--objects", "1"))):
            script = PEERS / (workload.replace("-", "_") + ".py")
            for words in (command(support.OURO, "bench", workload, *arguments),
                          command(support.PYTHON, "-I", "-S", script, *arguments)):
                done = subprocess.run(words, capture_output=True, text=True, check=False,
                                      stdin=subprocess.DEVNULL, env=support.environment())
                self.assertEqual((done.returncode, done.stdout), (2, ""), words)


EXPERIMENT = """
noise-floor = false
[[workload]]
name = "cyclotron"
shape = ["chain", "queue"]
cycle-size = 10
extra-bytes = [0, 100]
live-objects = 500
total-objects = 1500
cyclic-fraction = 0.5
[[workload]]
name = "binary-trees"
depth = [4, 6]
parents = [false, true]
[[workload]]
name = "btree"
nodes = 300
[[workload]]
name = "ggauss"
live = 500
nodes = 250
objects = 500
[[subject]]
engine = "stw"
[[subject]]
python = "/usr/bin/python3"
"""


class Experiment(support.ExperimentTest):
    def test_both_run_in_one_and_what_differs_has_a_name_of_its_own(self):
        done = self.ouro_run(self.config(EXPERIMENT))
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows()
        chains = {(f"cyclotron:{shape} of 10{extra}, 0.5 cyclic", 500)
                  for shape in ("chain", "queue") for extra in ("", " +100 B")}
        trees = {(name, size) for name in ("binary-trees", "binary-trees:parents") for size in (31, 127)}
        for kind in ("ouro", "cpython"):
            own = [row for row in rows if row["kind"] == kind and row["status"] == "ok"]
            self.assertEqual({(row["workload"], row["objects"]) for row in own},
                             chains | trees | {("btree", 300), ("ggauss", 500)})
            self.assertEqual(len(own), 10)
        made = {kind: {(row["workload"], row["objects"]): row["result"].get("made_unreachable")
                       for row in rows if row["kind"] == kind} for kind in ("ouro", "cpython")}
        self.assertEqual(made["ouro"], made["cpython"])
        # Its generator's numbers reach the peer: as many units are cyclic as with ours.
        most = {kind: {row["workload"]: row["result"]["backlog_max"] for row in rows
                       if row["kind"] == kind and row["workload"].startswith("cyclotron:")}
                for kind in ("ouro", "cpython")}
        self.assertEqual(most["ouro"], most["cpython"])


if __name__ == "__main__":
    unittest.main()
