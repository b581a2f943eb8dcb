# not with a sanitizer: hundreds of processes that run what other tests do
import re
import subprocess
import unittest

import support
from support import ExperimentTest

BEHAVIOURS = {"status": ("failed", "ended with status 1"), "killed": ("failed", "SIGKILL"),
              "hangs": ("timeout", "not done after 2 s"), "rubbish": ("failed", "not JSON"),
              "list": ("failed", "not a JSON object"),
              "lacks": ("failed", "lacks live_collect_ns"), "type": ("failed", "live_objects"),
              "gone": ("failed", "No such file"), "bytes": ("failed", "ended with status 3"),
              "leaves": ("ok", ""), "ok": ("ok", "")}

GRAPH = '''
noise-floor = false
timeout = 2
[[workload]]
name = "graph"
objects = 100
'''


class Rows(ExperimentTest):
    def subjects(self, *behaviours):
        return "".join(f'[[subject]]\nname = "{name}"\n'
                       f'ouro = "{support.stand_in(self.directory, name)}"\n'
                       for name in behaviours)

    def test_whatever_a_run_does_it_is_a_row_and_the_rest_goes_on(self):
        done = self.ouro_run(self.config(GRAPH + self.subjects(*BEHAVIOURS)))
        self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout)
        rows = {row["subject"]: row for row in self.rows()}
        self.assertEqual(len(rows), len(BEHAVIOURS))
        for name, (status, reason) in BEHAVIOURS.items():
            row = rows["ouro-" + name]
            with self.subTest(name):
                self.assertEqual(row["status"], status)
                self.assertIn(reason, row["reason"])
                self.assertEqual(row["result"] is not None, status == "ok")
                if status != "ok":
                    self.assertIn(row["reason"], done.stdout)
        self.assertEqual(rows["ouro-status"]["stderr"].strip(), "no such thing")
        self.assertEqual(rows["ouro-status"]["exit"], 1)
        self.assertEqual(rows["ouro-killed"]["exit"], -9)
        self.assertEqual(rows["ouro-ok"]["result"]["live_objects"], 100)
        self.assertTrue(self.meta()["complete"])

    def test_what_is_too_slow_is_killed_with_all_that_it_started(self):
        done = self.ouro_run(self.config(GRAPH + self.subjects("hangs")))
        self.assertEqual(done.returncode, 1)
        pids = (self.directory / "ouro-hangs.pids").read_text().split()
        self.assertEqual(len(pids), 2)
        self.assertFalse(any(map(support.is_running, pids)))

    def test_the_end_of_a_long_standard_error_is_kept(self):
        stand_in = support.stand_in(self.directory, "status")
        stand_in.write_text(stand_in.read_text().replace('"no such thing"',
                                                         '"begin" + "x" * 10**6 + "end"'))
        config = self.config(GRAPH + f'[[subject]]\nname = "long"\nouro = "{stand_in}"\n')
        self.assertEqual(self.ouro_run(config).returncode, 1)
        row, = self.rows()
        self.assertTrue(row["stderr"].endswith("end\n"))
        self.assertLess(len(row["stderr"]), 10_000)

    def test_the_environment_of_a_run_has_no_settings_of_ours(self):
        config = self.config(GRAPH + self.subjects("environment"))
        done = self.ouro_run(config, OURO="engine=off")
        self.assertEqual(self.rows()[0]["stderr"], "OURO is None\n")
        self.assertIn("OURO=engine=off does not reach the runs", done.stderr)

    def test_a_pipe_fails_with_its_reader_and_with_its_writer(self):
        # A python that is none: the probe is answered, graph.py ends with a status of its own.
        python = self.directory / "python"
        python.write_text(f'#!/bin/sh\ncase "$*" in *graph.py*) exit 7;; esac\n'
                          f'exec {support.PYTHON} "$@"\n')
        python.chmod(0o755)
        config = self.config(GRAPH.replace("100", "1_000_000") +
                             f'[[subject]]\npython = "{python}"\n')
        self.assertEqual(self.ouro_run(config).returncode, 1)
        row, = self.rows()
        self.assertEqual((row["status"], row["reason"]), ("failed", "python ended with status 7"))

    def test_a_heap_that_was_not_captured_is_skipped(self):
        python = self.directory / "python"
        python.write_text(f'#!/bin/sh\ncase "$*" in *heapgraph.py*) exit 7;; esac\n'
                          f'exec {support.PYTHON} "$@"\n')
        python.chmod(0o755)
        config = self.config('[[workload]]\nname = "heap"\n[[subject]]\nengine = "stw"\n'
                             f'[[subject]]\npython = "{python}"\n')
        self.assertEqual(self.ouro_run(config).returncode, 1)
        rows = self.rows()
        self.assertEqual([row["status"] for row in rows], ["failed", "skipped", "skipped", "skipped"])
        self.assertIn("the capture before it left no file", rows[1]["reason"])

    def test_what_memory_cannot_hold_is_told_before_anything_runs(self):
        config = self.config(GRAPH + 'degree = 2000\n[[subject]]\nengine = "stw"\n')
        for arguments in ((), ("--dry-run",), ("--resume",)):
            done = self.ouro_run(config, "--set", "workload.graph.objects=[10, 1_000_000_000]", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, rf"^{config}:\d+:1: ouro-stw  graph objects 1000000000 degree 2000: "
                             r"needs at least \d+ MiB, there are \d+ MiB \(.*\); allowed: what fits, or --force\n$")
            self.assertFalse(self.results.exists())

    def test_what_of_an_experiment_is_not_run_need_not_fit(self):
        config = self.config(GRAPH.replace("100", "[10, 1_000_000_000]") +
                             'degree = 2000\n[[subject]]\nengine = "stw"\n')
        self.assertEqual(self.ouro_run(config, "--slice", "objects=10").returncode, 0)

    def test_what_memory_cannot_hold_is_run_if_that_is_asked_for(self):
        config = self.config(GRAPH.replace("100", "1_000_000_000") +
                             'degree = 2000\n' + self.subjects("ok"))
        self.assertEqual(self.ouro_run(config, "--force").returncode, 0)
        row, = self.rows()
        self.assertEqual(row["status"], "ok")
        self.assertIn(" --force ", row["command"])

    def test_what_memory_cannot_hold_now_is_skipped(self):
        config = self.config(GRAPH + 'degree = 2000\n[[subject]]\nengine = "stw"\n')

        def told(objects, *arguments):
            return self.ouro_run(config, "--set", f"workload.graph.objects={objects}", *arguments).stderr
        needed, there, source = re.search(r"at least (\d+) MiB, there are (\d+) MiB \((.*)\);",
                                          told(10 ** 9, "--dry-run")).groups()
        if source != "the memory of this machine":
            self.skipTest(f"memory is limited by {source}")
        # Nearly all: the system itself has some.
        objects = int(10 ** 9 * (int(there) - 40) / int(needed))
        self.assertEqual(told(objects, "--dry-run"), "")
        self.assertEqual(told(objects), "")
        row, = self.rows()
        self.assertEqual(row["status"], "skipped")
        self.assertRegex(row["reason"], "needs [0-9]+ MiB, [0-9]+ MiB are available")

    def test_results_that_cannot_be_written_end_it(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([support.OURO, "run", support.CONFIGS / "smoke.toml", "--dry-run"],
                                  stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("No space left", done.stderr)


if __name__ == "__main__":
    unittest.main()
