# not with a sanitizer: runs what other tests do
import signal
import time
import unittest
from pathlib import Path

import support

HEAP = """invocations = 2
[[workload]]
name = "heap"
program = "ast_stdlib"
arguments = "--modules 5"
collections = 4
[[subject]]
engine = "stw"
[[subject]]
python = "/usr/bin/python3"
"""
# An interpreter that keeps its heap as the real one does, until it is asked for the word WHEN.
TURNCOAT = """#!/bin/sh
case "$*" in
*--serve*) ;;
*) exec /usr/bin/python3 "$@";;
esac
while read -r line; do
    case "$line" in WHEN*) ACTION;; esac
    echo "$line"
done | /usr/bin/python3 "$@"
"""


def servers():
    """The processes, command line each, that keep a heap for these tests."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            words = (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        line = " ".join(words).strip()
        if (f"{support.ROOT}/experiments/capture/heapgraph.py --serve" in line
                and line.endswith("--modules 5")):
            found.append(line)
    return found


class CapturedHeap(support.ExperimentTest):
    def test_by_the_interpreter_that_made_it_and_by_ours(self):
        done = self.ouro_run(self.config(HEAP))
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        rows = self.rows()
        self.assertEqual(servers(), [], "an interpreter was left running")
        for invocation in range(2):
            mine = [row for row in rows if row["invocation"] == invocation]
            capture, kept = (next(row for row in mine if row["kind"] == "cpython"
                                  and row["repeat"] == repeat) for repeat in (1, 0))
            self.assertLess(capture["row"], min(row["row"] for row in mine if row is not capture))
            self.assertIsNone(capture["result"]["garbage_collect_ns"])
            self.assertEqual(len(kept["result"]["live_collect_samples_ns"]), 4)
            self.assertNotEqual(kept["result"]["live_collect_samples_ns"],
                                capture["result"]["live_collect_samples_ns"])
            self.assertGreater(kept["result"]["garbage_collect_ns"], 0)
            ours = [row["result"] for row in mine if row["kind"] == "ouro"]
            self.assertEqual(len(ours), 2)
            for result in ours:
                for same in ("containers", "references", "live_objects"):
                    self.assertAlmostEqual(result[same] / kept["result"][same], 1, delta=0.02)
                self.assertGreater(kept["result"]["collected"], 0.3 * result["collected"])
        self.assertFalse(any(row["status"] != "ok" for row in rows))

    def turncoat(self, when, action):
        python = self.directory / "python"
        python.write_text(TURNCOAT.replace("WHEN", when).replace("ACTION", action))
        python.chmod(0o755)
        return HEAP.replace("/usr/bin/python3", str(python)).replace("invocations = 2",
                                                                      "invocations = 1")

    def test_one_that_ends_early_is_a_failed_row_and_the_rest_goes_on(self):
        # When it is asked to collect, and after the capture, before anybody asks it for more.
        for when, action in (("collect", "exit 3"), ("capture", 'echo "$line"; exit')):
            with self.subTest(when):
                self.results = self.directory / when
                done = self.ouro_run(self.config(self.turncoat(when, action)))
                self.assertEqual(done.returncode, 1, done.stderr)
                rows = self.rows()
                self.assertEqual([row["status"] for row in rows if row["kind"] == "ouro"], ["ok", "ok"])
                kept = next(row for row in rows if row["kind"] == "cpython" and row["repeat"] == 0)
                self.assertEqual(kept["status"], "failed")
                self.assertIn("without an answer", kept["reason"])

    def test_one_that_cannot_capture_says_why_and_nobody_reads_its_file(self):
        text = HEAP.replace('"--modules 5"', '"--modules none"')
        done = self.ouro_run(self.config(text.replace("invocations = 2", "invocations = 1")))
        self.assertEqual(done.returncode, 1)
        rows = self.rows()
        self.assertEqual(rows[0]["status"], "failed")
        self.assertTrue(rows[0]["reason"])
        self.assertIn("none", rows[0]["stderr"])
        self.assertEqual({row["status"] for row in rows[1:]}, {"skipped"})

    def test_one_that_does_not_answer_is_a_timeout(self):
        text = "timeout = 3\n" + self.turncoat("collect", "sleep 60")
        done = self.ouro_run(self.config(text))
        self.assertEqual(done.returncode, 1)
        kept = next(row for row in self.rows() if row["kind"] == "cpython" and row["repeat"] == 0)
        self.assertEqual((kept["status"], kept["reason"]), ("timeout", "not done after 3 s"))
        self.assertEqual(servers(), [])

    def test_it_goes_when_the_experiment_is_interrupted(self):
        running = self.start_run(self.config(HEAP.replace("collections = 4", "collections = 9999")))
        rows = self.results / "runs.jsonl"
        deadline = time.monotonic() + 60
        while not (rows.exists() and rows.read_text().count("\n")):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
        self.assertEqual(running.returncode, 130)
        self.assertEqual(servers(), [])
        done = self.ouro_run(self.config(HEAP.replace("collections = 4", "collections = 9999")),
                             "--resume", "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
