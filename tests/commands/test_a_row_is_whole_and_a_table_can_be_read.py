import errno
import json
import os
import statistics
import subprocess
import unittest

from command import BINARY, RESULT, CommandTest, ouro, schema_check
from engines import engines


class Row(CommandTest):
    def test_it_says_what_was_asked_for(self):
        row = self.bench("--objects", 200, "--degree", 2, "--shuffled", "--seed", 5,
                         "--collections", 4, "--refcount", "atomic")
        self.assertEqual(row["workload"], "graph")
        self.assertEqual({key: row["params"][key] for key in ("objects", "degree", "shuffled")},
                         {"objects": 200, "degree": 2, "shuffled": True})
        self.assertEqual((row["seed"], row["engine"], row["refcount"]), (5, "stw", "atomic"))
        self.assertEqual(self.output_of("--version").strip(), "ouro " + row["version"])

    def test_its_figures_agree_with_each_other(self):
        for collections in (1, 2, 5, 6):
            row = self.bench("--objects", 2000, "--collections", collections)
            samples = row["live_collect_samples_ns"]
            self.assertEqual(len(samples), collections)
            self.assertIn(row["live_collect_ns"], (statistics.median_low(samples),
                                                   statistics.median_high(samples)))
            # A collection that frees nothing stops once; only this many were asked for.
            pauses = row["pauses"]
            self.assertEqual(pauses["count"], collections + 2)
            for kind in ("wall", "cpu"):
                each = [pauses[kind][key] for key in ("p50_ns", "p90_ns", "p99_ns", "p999_ns",
                                                      "max_ns")]
                self.assertEqual(each, sorted(each))
                self.assertGreater(each[0], 0)
            self.assertGreaterEqual(pauses["total_ns"], pauses["wall"]["max_ns"])
            self.assertLess(pauses["total_ns"], row["wall_ns"])
            self.assertLessEqual(pauses["wall"]["max_ns"],
                                 max(samples + [row["live_first_collect_ns"],
                                                row["garbage_collect_ns"]]))
            self.assertGreaterEqual(row["heap_bytes"], 2000 * 40)

    def test_it_goes_to_a_file_when_one_is_named(self):
        path = self.directory / "row.json"
        self.assertEqual(self.output_of("bench", "graph", "--objects", 50, "--json", path), "")
        row = json.loads(path.read_text())
        self.assertEqual(schema_check.problems(row, RESULT), [])
        self.assertEqual(row["live_objects"], 51)

    def test_a_flag_wins_over_the_environment(self):
        row = self.bench("--objects", 50, "--engine", "stw", settings="engine=off,refcount=atomic")
        self.assertEqual((row["engine"], row["refcount"]), ("stw", "atomic"))

    def test_no_memory_is_above_the_peak(self):
        for objects in (1, 10, 100, 1000, 20_000):
            row = self.bench("--objects", objects)
            self.assertLessEqual(row["rss_before_bytes"], row["rss_peak_bytes"])
            self.assertLessEqual(row["rss_after_bytes"], row["rss_peak_bytes"])

    def test_the_peak_is_its_own_and_not_that_of_the_process_that_started_it(self):
        # ru_maxrss outlives exec: it begins with what the parent had.
        plain = self.bench("--objects", 1000)["rss_peak_bytes"]
        ballast = bytearray(b"x") * (300 << 20)
        heavy = self.bench("--objects", 1000)["rss_peak_bytes"]
        self.assertEqual(len(ballast), 300 << 20)
        self.assertLess(heavy, plain + (100 << 20))

    def test_what_cannot_be_written_is_a_failure(self):
        for arguments in (("bench", "graph", "--objects", "50", "--json", "-"),
                          ("bench", "graph", "--objects", "50"), ("edges", "--objects", "50"),
                          ("list",), ("config",), ("--version",)):
            with self.subTest(arguments=arguments), open("/dev/full", "wb") as full:
                done = subprocess.run([BINARY, *arguments], stdout=full, stderr=subprocess.PIPE,
                                      text=True, timeout=300, check=False)
                self.assertEqual(done.returncode, 1)
                self.assertIn(os.strerror(errno.ENOSPC), done.stderr)


class Table(CommandTest):
    def test_it_says_what_the_row_says(self):
        text = self.output_of("bench", "graph", "--objects", 1000, "--seed", 3)
        row = self.bench("--objects", 1000, "--seed", 3)
        self.assertRegex(text, r"(?m)^graph .*\"objects\":1000")
        self.assertRegex(text, r"(?m)^engine stw, refcount gil, seed 3$")
        self.assertRegex(text, r"(?m)^  objects alive +1001 *$")
        self.assertRegex(text, rf"(?m)^  collected when dropped +{row['collected']} *$")
        self.assertRegex(text, r"(?m)^  collection, median +[0-9.]+ ms +[0-9.]+ ns$")
        self.assertRegex(text, r"(?m)^  memory at the peak +[0-9.]+ MiB *$")
        self.assertRegex(text, r"(?m)^    longest +[0-9.]+ ms *$")
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_nothing_is_divided_by_nothing(self):
        text = self.output_of("bench", "graph", "--objects", 10, "--engine", "off")
        self.assertRegex(text, r"(?m)^  collected when dropped +0 *$")
        self.assertNotRegex(text, r"(?i)\b(nan|inf|null)\b")


class Others(CommandTest):
    def test_list_names_workloads_and_the_values_of_settings(self):
        text = self.output_of("list")
        for workload in ("graph", "churn", "young"):
            self.assertRegex(text, rf"(?m)^  {workload} ")
        self.assertRegex(text, r"(?m)^  engine +(\S+\|)*stw(\|\S+)*$")
        self.assertRegex(text, r"(?m)^  refcount +gil\|")
        self.assertIn("snapshot", engines())
        for engine in engines():
            row = self.bench("--objects", 10, "--engine", engine)
            self.assertEqual(row["engine"], engine)

    def test_help_names_every_command_and_flag(self):
        text = self.output_of("--help")
        for command in ("bench", "edges", "places", "list", "config", "--version"):
            self.assertIn(command, text)
        text = self.output_of("bench", "graph", "--help")
        for flag in ("--objects", "--degree", "--shuffled", "--seed", "--collections", "--file",
                     "--engine", "--json", "--events", "--refcount", "--verify"):
            self.assertIn(flag, text)
        self.assertEqual(ouro().returncode, 2)

    def test_version_is_a_version_and_a_commit(self):
        self.assertRegex(self.output_of("--version"),
                         r"^ouro [0-9]+\.[0-9]+\.[0-9]+ \([^ )]+\)\n$")

    def test_a_program_compiles_links_and_runs_with_what_config_prints(self):
        source = self.directory / "program.c"
        source.write_text('#include "ouroboros.h"\n#include <stdio.h>\n'
                          "int main(void) {\n"
                          "    Py_Initialize();\n"
                          "    PyObject* list = PyList_New(0);\n"
                          "    PyList_Append(list, list);\n"
                          "    Py_DECREF(list);\n"
                          '    printf("%d\\n", (int)PyGC_Collect());\n'
                          "    return Py_FinalizeEx();\n"
                          "}\n")
        prefix = self.output_of("config", "--prefix").strip()
        self.assertTrue(os.path.isdir(prefix), prefix)
        flags = self.output_of("config", "--cflags").split()
        libraries = self.output_of("config", "--libs").split()
        self.assertEqual(self.output_of("config", "--cflags", "--libs", "--prefix").split(),
                         [prefix, *flags, *libraries])
        if "address" in os.environ.get("OURO_SANITIZE", ""):
            flags.append("-fsanitize=address,undefined")
        elif os.environ.get("OURO_SANITIZE"):
            flags.append("-fsanitize=" + os.environ["OURO_SANITIZE"])
        program = self.directory / "program"
        built = subprocess.run([os.environ.get("OURO_CC") or "cc", *flags, str(source), "-o",
                                str(program), *libraries], capture_output=True, text=True,
                               check=False)
        self.assertEqual(built.returncode, 0, built.stderr)
        done = subprocess.run([str(program)], capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "1\n"), done.stderr)


if __name__ == "__main__":
    unittest.main()
