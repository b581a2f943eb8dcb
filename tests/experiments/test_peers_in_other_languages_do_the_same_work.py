"""Each of the peers that this machine can build is built and run, at a small size."""
# not with a sanitizer: runs nothing of the build
import json
import math
import os
import re
import subprocess
import tempfile
import tomllib
import unittest
from pathlib import Path

import support
import schema_check

PEERS = support.ROOT / "experiments" / "peers"
RESULT = schema_check.load("result.schema.json")
MASK = (1 << 64) - 1
MISSING = 69  # a peer's build: a package is not installed
# The work makes 96 MB of the smallest objects there are, of 16 bytes: more than any peer lets gather at this size.
LIVE, SLICES, WARMUP, SLICE, SEED = 20_002, 6000, 500, 250, 7
SIZE = ("--live", LIVE, "--slices", SLICES, "--warmup", WARMUP, "--slice", SLICE, "--seed", SEED)


def places_checksum(rings, seed, shuffled):
    """FNV-1a of the first thousand places, from the definition of the workload."""
    state, turn, figure = seed * 2 + 1, 0, 14695981039346656037

    def draw(count):
        nonlocal state
        state ^= state >> 12
        state ^= state << 25 & MASK
        state ^= state >> 27
        return (state * 2685821657736338717 & MASK) // (1 << 33) % count

    for i in range(rings - 1 if shuffled else 0, 0, -1):
        draw(i + 1)  # the order in which the rings are built
    for turn in range(1000):
        place = draw(rings) if shuffled else turn % rings
        figure = (figure ^ place) * 1099511628211 & MASK
    return figure


class Peer:
    """The tests of one peer; its class is the folder's name."""
    name = None
    pauses = True  # whether its runtime knows of its own
    limited = False

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.out = Path(scratch.name)
        cls.peer = tomllib.loads((PEERS / cls.name / "peer.toml").read_text())
        built = subprocess.run([PEERS / cls.name / "build", cls.out], capture_output=True, text=True, check=False)
        if built.returncode == MISSING:
            raise unittest.SkipTest(built.stderr.strip())
        if built.returncode != 0:
            raise RuntimeError(built.stdout + built.stderr)
        cls.version = built.stdout.splitlines()[-1]

    def start(self, *arguments):
        # What a user may have set for a runtime is none of a measurement's business.
        return subprocess.run([self.out / "run", *map(str, arguments)], capture_output=True, text=True, check=False,
                              env=support.environment(JAVA_TOOL_OPTIONS="-Xmx1m", MONO_GC_PARAMS="nursery-size=1m",
                                                      GOGC="1", GODEBUG="gctrace=1"))

    def row(self, *arguments):
        done = self.start(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        row = json.loads(done.stdout)
        self.assertEqual(schema_check.problems(row, RESULT), [])
        return row

    def check_figures(self, row):
        samples, wall = row["slice_samples_ns"], row["slices"]["wall"]
        self.assertEqual((len(samples), row["slices"]["warmup"], row["slices"]["operations"]),
                         (SLICES, WARMUP, SLICE))
        self.assertEqual((row["mutator_ops"], row["live_objects"]), ((SLICES - WARMUP) * SLICE, LIVE // 4 * 4))
        self.assertEqual(wall["max_ns"], max(samples[WARMUP:]))
        rank = math.ceil(len(samples[WARMUP:]) * 0.999)
        self.assertEqual(wall["p999_ns"], sorted(samples[WARMUP:])[rank - 1])
        self.assertTrue(sum(samples[WARMUP:]) == row["run_ns"] < row["wall_ns"])
        self.assertTrue(0 < row["run_cpu_ns"] < row["cpu_ns"])
        self.assertLessEqual(row["rss_before_bytes"], row["rss_peak_bytes"])
        self.assertLess(16 * LIVE, row["heap_bytes"])

    def check_collections(self, row, log):
        """It has less than was made: it collected, and says so of the time after the warm-up."""
        self.assertLess(row["heap_bytes"], 16 * (LIVE + 4 * SLICES * SLICE))
        if self.limited:
            self.assertLessEqual(row["heap_bytes"], row["heap_limit_bytes"])
        else:
            self.assertIsNone(row["heap_limit_bytes"])
        if not self.pauses:
            self.assertIsNone(row["own_pauses"])
            return
        own = row["own_pauses"]
        self.assertGreater(own["count"], 0)
        self.assertTrue(own["wall"]["max_ns"] <= own["total_ns"] <= row["run_ns"])
        self.assertGreaterEqual(len(log.read_text().splitlines()), own["count"])

    def test_each_variant_does_the_work(self):
        names = []
        for variant, arguments in self.peer["variants"].items():
            for more in ((), ("--shuffled",)):
                with self.subTest(variant=variant, more=more):
                    log = self.out / "pauses"
                    row = self.row(*SIZE, *arguments, *more, "--pause-log", log)
                    self.assertEqual(row["places_checksum"], places_checksum(LIVE // 4, SEED, bool(more)))
                    self.check_figures(row)
                    self.check_collections(row, log)
            number = re.search(r"\d+(\.\d+)+", row["version"]).group()
            self.assertEqual(row["engine"], f"{self.name}-{number}{variant.removeprefix(self.name)}")
            self.assertIn(number, self.version)
            names.append(variant)
        self.assertTrue(all(name == self.name or name.startswith(f"{self.name}-") for name in names), names)

    def test_bad_arguments_end_with_status_2(self):
        for arguments in ((), ("--live", "x"), (*SIZE, "--what"), (*SIZE, "--warmup", SLICES), (*SIZE, "--live", 3),
                          (*SIZE, "--heap-factor", "0"), (*SIZE, "--slice", 0)):
            done = self.start(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn(f"{self.name}: error:", done.stderr)


class Limited(Peer):
    """One whose heap can be given a size."""
    limited = True

    def test_the_heap_grows_with_its_factor(self):
        small, large = (self.row("--live", 1_000_000, "--slices", 2, "--warmup", 1, "--heap-factor", factor)
                        for factor in ("2.0", "2.5"))
        self.assertAlmostEqual(large["heap_limit_bytes"] / small["heap_limit_bytes"], 1.25, 5)


class OpenJDK(Limited, unittest.TestCase):
    name = "openjdk"

    def test_a_heap_that_is_too_small_is_a_failure(self):
        done = self.start("--live", 1_000_000, "--slices", 2, "--warmup", 1, "--heap-factor", "0.5")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("OutOfMemoryError", done.stderr)
        self.assertIn("openjdk: the program ended with status 1", done.stderr)


class Mono(Peer, unittest.TestCase):
    name = "mono"


class D(Peer, unittest.TestCase):
    name = "d"


class Nim(Peer, unittest.TestCase):
    name, pauses = "nim", False


class Go(Limited, unittest.TestCase):
    name = "go"


class APackageThatIsMissing(unittest.TestCase):
    def test_it_is_named_and_nothing_is_built(self):
        for name in ("mono", "d", "nim"):
            with tempfile.TemporaryDirectory() as scratch:
                out = os.path.join(scratch, "out")
                built = subprocess.run(["/bin/bash", PEERS / name / "build", out], env={"PATH": "/nonexistent"},
                                       capture_output=True, text=True, check=False)
                self.assertEqual((built.returncode, built.stdout), (MISSING, ""), built.stderr)
                self.assertRegex(built.stderr, rf"^{name}: no \S+: install \S+\n$")
                self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    unittest.main()
