import array
import json
import os
import subprocess
import sys
import unittest

import support
import schema_check

PEERS = support.ROOT / "experiments" / "peers" / "cpython"
OURO = os.environ.get("OURO_BINARY", "")
NONE = 0xFFFFFFFF
RESULT = schema_check.load("result.schema.json")


def peer(name, *arguments, words=()):
    return subprocess.run([support.PYTHON, "-I", "-S", PEERS / f"{name}.py",
                           *map(str, arguments)], input=array.array("I", words).tobytes(),
                          capture_output=True, check=False)


class PeerTest(unittest.TestCase):
    def row(self, done):
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        row = json.loads(done.stdout)
        self.assertEqual(schema_check.problems(row, RESULT), [])
        return row

    def refused(self, done, status, message):
        self.assertEqual((done.returncode, done.stdout), (status, b""))
        self.assertIn(message, done.stderr)


class Churn(PeerTest):
    SIZE = ("--live", 400, "--replace", 50, "--cycle-size", 4, "--seed", 1, "--objects", 40_000)

    def test_all_that_was_dropped_is_collected(self):
        words = [NONE if i % 2 else i // 2 % 100 for i in range(10_000)]
        row = self.row(peer("churn", *self.SIZE, words=words))
        self.assertEqual((row["live_objects"], row["mutator_ops"], row["made_unreachable"]),
                         (400, 10_000, 40_400))
        self.assertGreaterEqual(row["collected"], 400)
        # All but what the last collection took was taken by those before, each a pause.
        collections = sum(each["count"] for each in row["collections"].values())
        self.assertEqual(row["pauses"]["count"], collections)
        self.assertGreater(collections, 15)
        self.assertEqual(max(high for _, high, _ in row["backlog_points"]), row["backlog_max"])
        self.assertLess(row["backlog_max"], 40_000)
        self.assertLessEqual(row["backlog_points"][-1][1], row["collected"] - 400)

    def test_pauses_and_memory_have_their_place_in_the_run(self):
        row = self.row(peer("churn", *self.SIZE, words=[NONE] * 10_000))
        pauses, memory = row["pause_points"], row["rss_points"]
        self.assertEqual(len(pauses), row["pauses"]["count"])
        self.assertEqual(sum(ns for _, ns in pauses), row["pauses"]["total_ns"])
        self.assertTrue(all(a + ns <= b for (a, ns), (b, _) in zip(pauses, pauses[1:])))
        self.assertGreaterEqual(pauses[0][0], 0)
        self.assertLessEqual(sum(pauses[-1]), row["run_ns"])
        self.assertGreaterEqual(len(memory), 2)
        self.assertEqual(memory, sorted(memory))
        self.assertLess(max(size for _, size in memory), row["rss_peak_bytes"] + (1 << 20))
        self.assertGreater(min(size for _, size in memory), 1 << 20)

    def test_memory_over_time_keeps_its_peak_in_few_points(self):
        sys.path.insert(0, str(PEERS))
        self.addCleanup(sys.path.remove, str(PEERS))
        import measure
        memory = measure.MemoryOverTime()
        for i in range(1, 5001):
            memory.add(memory.start + i * 10**9, 1 << 40 if i == 1234 else i)
        points = memory.points()
        self.assertTrue(500 <= len(points) <= measure.MemoryOverTime.MOST_POINTS)
        self.assertIn((1234 * 10**9, 1 << 40), points)
        self.assertEqual(points[-1], (5000 * 10**9, 5000))
        self.assertEqual(points, sorted(points))
        self.assertGreater(memory.next, memory.start + 5000 * 10**9)

    def test_the_young_threshold_is_ours(self):
        row = self.row(peer("churn", *self.SIZE, words=[NONE] * 10_000))
        self.assertEqual(row["params"]["threshold"], 2000)
        self.assertGreater(row["backlog_max"], 1900)
        small = self.row(peer("churn", *self.SIZE, "--threshold", 500, words=[NONE] * 10_000))
        self.assertLess(small["backlog_max"], 700)
        self.assertGreater(small["pauses"]["count"], 3 * row["pauses"]["count"])

    def test_places_that_end_early_or_go_on_are_refused(self):
        for words, message in (([NONE] * 9_999, b"the places end after 9999 operations"),
                               ([], b"the places end after 0 operations"),
                               ([NONE] * 10_001, b"the places go on")):
            self.refused(peer("churn", *self.SIZE, words=words), 1, message)

    def test_bad_arguments_end_with_status_2(self):
        for arguments, message in (
                ((), b"--live is missing"), (("--live", "x"), b"whole number"),
                (("--what", 1), b"unknown argument"), (("--live",), b"needs a value"),
                (self.SIZE[:-2], b"--objects or --seconds"),
                ((*self.SIZE, "--seconds", 1), b"--objects or --seconds"),
                (("--live", 3, *self.SIZE[2:]), b"--cycle-size")):
            self.refused(peer("churn", *arguments), 2, message)

    @unittest.skipUnless(os.access(OURO, os.X_OK), "OURO_BINARY does not name the command")
    def test_ours_does_the_same(self):
        size = ["--live", "5000", "--replace", "20", "--cycle-size", "3", "--seed", "7"]
        work = [*size, "--objects", "200000"]
        places = subprocess.run([OURO, "places", *work], capture_output=True, check=True)
        done = subprocess.run([support.PYTHON, "-I", "-S", PEERS / "churn.py", *work],
                              input=places.stdout, capture_output=True, check=False)
        theirs = self.row(done)
        ours = self.row(subprocess.run([OURO, "bench", "churn", *work, "--json", "-"],
                                       capture_output=True, check=False))
        for key in ("live_objects", "mutator_ops", "made_unreachable"):
            self.assertEqual(ours[key], theirs[key], key)
        # The same triggers: as many collections, give or take what an interpreter allocates.
        for generation in ("young", "middle"):
            self.assertAlmostEqual(ours["collections"][generation]["count"],
                                   theirs["collections"][generation]["count"],
                                   delta=2 + 0.05 * ours["collections"][generation]["count"])
        self.assertLess(abs(ours["backlog_max"] - theirs["backlog_max"]),
                        ours["backlog_max"] / 2)

    @unittest.skipUnless(os.access(OURO, os.X_OK), "OURO_BINARY does not name the command")
    def test_it_can_go_on_for_a_time(self):
        size = ["--live", "400", "--replace", "20", "--cycle-size", "4", "--seed", "7"]
        with subprocess.Popen([OURO, "places", *size], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as places:
            done = subprocess.run([support.PYTHON, "-I", "-S", PEERS / "churn.py", *size,
                                   "--seconds", "1"], stdin=places.stdout, capture_output=True,
                                  check=False)
            places.stdout.close()
        self.assertGreater(self.row(done)["run_ns"], 0.99e9)


class Young(PeerTest):
    def test_each_collection_finds_the_dead_and_nothing_else(self):
        row = self.row(peer("young", "--old", 5003, "--young", 400, "--collections", 3))
        self.assertEqual((row["live_objects"], row["young_objects"], row["collected"]),
                         (5000, 400, 400))
        for kind in ("live", "garbage"):
            self.assertEqual(len(row[f"{kind}_collect_samples_ns"]), 3)
            self.assertIn(row[f"{kind}_collect_ns"], row[f"{kind}_collect_samples_ns"])
        self.assertEqual(row["collections"]["young"]["count"], 8)
        self.assertEqual(row["collections"]["full"]["count"], 0)

    def test_bad_arguments_end_with_status_2(self):
        for arguments in (("--old", 3, "--young", 8), ("--old", 8, "--young", 8,
                                                       "--collections", 0), ("--old", 8)):
            self.refused(peer("young", *arguments), 2, b"young.py: ")


if __name__ == "__main__":
    unittest.main()
