"""A workload whose measuring is its own is added as one file: the build finds it, and no other source is changed."""
# not with a sanitizer: runs what other tests do
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import support

BUILD = Path(os.environ.get("OURO_BUILD") or support.ROOT / "build")
PLACE = "experiments/runner/bench/spiral.cpp"
SPIRAL = r'''
#include <nlohmann/json.hpp>

#include "experiments/runner/pauses.hpp"
#include "experiments/runner/row.hpp"
#include "experiments/runner/table.hpp"
#include "experiments/runner/timed_collection.hpp"
#include "experiments/workloads/description.hpp"

namespace ouro::runner {
namespace {

using nlohmann::json;
using workloads::Described;
using workloads::Parameter;
using workloads::Values;

json measure(Row& row, const Values& values, uint64_t seed) {
    const PauseRecorder pauses;
    row["live_objects"] = values.at("turns");
    row["winding"] = seed * values.at("turns").get<uint64_t>();
    row["live_first_collect_ns"] = timed_collection(0);
    row["garbage_collect_ns"] = nullptr;
    row["collected"] = 0;
    row["backlog_max"] = 0;
    row["mutator_ops"] = nullptr;
    pauses.add_pauses(row);
    pauses.add_cpu(row);
    row.take_heap();
    return row.finish();
}

void print(const json& row) { line("wound up to", row["winding"].dump()); }

const Described spiral({
    .name = "spiral",
    .summary = "a spiral of so many turns",
    .parameters = {Parameter::number("turns", 7, 1, 1000, "of the spiral"),
                   Parameter::toggle("left", "and not right")},
    .size = "turns",
    .measure = measure,
    .print = print,
    .not_covered = "all that is straight",
});

}  // namespace
}  // namespace ouro::runner
'''


def run(*words, **more):
    return subprocess.run([str(word) for word in words], text=True, capture_output=True,
                          env=support.environment(), **more)


def checked(done):
    if done.returncode != 0:
        raise AssertionError(done.stdout[-3000:] + done.stderr[-3000:])
    return done.stdout


def cached(name):
    """A variable of the build's CMake."""
    return re.search(rf"(?m)^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text())[1]


def built_with(scratch):
    """The command of this build and in it one file more, compiled as the build of a tree that has it would."""
    tree = scratch / "tree"
    tree.mkdir()
    for name in ("CMakeLists.txt", "core", "concurrency", "experiments"):
        source = support.ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns("results", "__pycache__"))
        else:
            shutil.copy(source, tree / name)
    (tree / PLACE).write_text(SPIRAL)
    options = [f"-D{name}={cached(name)}" for name in
               ("CMAKE_BUILD_TYPE", "CMAKE_CXX_COMPILER", "CMAKE_C_COMPILER", "OURO_SANITIZE", "OURO_POISON")]
    checked(run("cmake", "-G", "Ninja", "-S", tree, "-B", scratch / "build", "-DOURO_BUILD_TESTS=OFF", *options))
    compiled = f"CMakeFiles/ouro_experiments.dir/{PLACE}.o"
    checked(run("ninja", "-C", scratch / "build", compiled))
    # Everything else is what this build has: its link of the command, with that object beside the others.
    link = checked(run("ninja", "-C", BUILD, "-t", "commands", "bin/ouro")).splitlines()[-1]
    made = scratch / "bin" / "ouro"
    made.parent.mkdir()
    found = re.subn(r" -o bin/ouro ", f" {scratch / 'build' / compiled} -o {made} ", link)
    if found[1] != 1:
        raise AssertionError(link)
    checked(run("sh", "-c", found[0], cwd=BUILD))
    return made


@unittest.skipUnless((BUILD / "build.ninja").exists(), "the build is not Ninja's")
class ANewMeasuredWorkload(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.ouro = built_with(Path(scratch.name))

    def output(self, *arguments):
        return checked(run(self.ouro, *arguments))

    def test_it_is_listed_with_its_parameters(self):
        entry = re.search(r"(?m)^  spiral +a spiral of so many turns\n((?:    .*\n)+)", self.output("list"))
        self.assertTrue(entry)
        self.assertEqual(entry[1].split(), "turns 1..1000 (7) left true|false (false)".split())

    def test_its_flags_are_its_parameters(self):
        text = self.output("bench", "spiral", "--help")
        self.assertRegex(text, r"--turns UINT:1\.\.1000=7 +of the spiral")
        self.assertRegex(text, r"--left +and not right")
        for value in ("0", "1001", "many"):
            done = run(self.ouro, "bench", "spiral", "--turns", value)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("a decimal number from 1 to 1000", done.stderr)

    def test_it_runs_and_prints_its_own_table(self):
        lines = self.output("bench", "spiral", "--turns", 5, "--seed", 3).splitlines()
        self.assertEqual(lines[0], 'spiral {"left":false,"turns":5}')
        self.assertEqual(lines[2].split(), ["wound", "up", "to", "15"])
        self.assertTrue([line for line in lines if line.split()[:2] == ["process,", "CPU"]])

    def test_its_row_is_a_result(self):
        row = json.loads(self.output("bench", "spiral", "--left", "--json", "-"))
        self.assertEqual((row["workload"], row["params"], row["winding"]), ("spiral", {"turns": 7, "left": True}, 7))
        self.assertEqual(support.schema_check.problems(row, support.schema_check.load("result.schema.json")), [])

    def test_an_experiment_can_have_it(self):
        with tempfile.TemporaryDirectory() as made:
            config = Path(made) / "spirals.toml"
            config.write_text('[[workload]]\nname = "spiral"\nturns = [3, 4]\n[[subject]]\nengine = "stw"\n')
            planned = self.output("run", config, "--dry-run")
        for turns in (3, 4):
            self.assertIn(f"bench spiral --engine stw --json - --turns {turns} --seed 1", planned)


if __name__ == "__main__":
    unittest.main()
