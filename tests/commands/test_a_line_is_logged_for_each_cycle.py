import json
import os
import re
import subprocess
import unittest

from command import CommandTest, ouro

LINE = re.compile(r"ouro gc (?P<cycle>\d+): (?P<generation>young|middle|full), "
                  r"(?P<trigger>request|allocation): (?P<objects>\d+) objects, "
                  r"(?P<candidates>\d+) candidates, (?P<freed>\d+) freed, "
                  r"(?P<uncollectable>\d+) uncollectable; pause (?P<pause>\d+\.\d{3}) ms"
                  r"( in \d+)?; heap (?P<heap>\d+\.\d) MiB(, RSS (?P<rss>\d+\.\d) MiB)?")

PROGRAM = '''
#include <ouroboros.h>
int main(void) {
    Py_Initialize();
    for (int i = 0; i < 30000; ++i) {
        PyObject* list = PyList_New(0);
        PyList_Append(list, list);
        Py_DECREF(list);
    }
    PyGC_Collect();
    Py_Finalize();
}
'''


class Log(CommandTest):
    def lines(self, text):
        found = [LINE.fullmatch(line) for line in text.splitlines()]
        self.assertTrue(all(found), text)
        return found

    def test_a_line_says_what_the_events_say(self):
        path = self.directory / "events.jsonl"
        done = ouro("bench", "graph", "--objects", 2000, "--collections", 3, "--log", "gc",
                    "--events", path, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        row = json.loads(done.stdout)
        events = [json.loads(line) for line in path.read_text().splitlines()]
        cycles = [event for event in events if event["phase"] == "cycle"]
        lines = self.lines(done.stderr)
        self.assertEqual(len(lines), 5)
        for line, cycle in zip(lines, cycles):
            self.assertEqual((line["generation"], line["trigger"]), ("full", "request"))
            self.assertEqual(cycle["trigger"], "request")
            for name in ("cycle", "objects", "candidates", "freed", "uncollectable"):
                self.assertEqual(int(line[name]), cycle.get(name, 0), name)
            pauses = [event for event in events
                      if event["phase"] == "pause" and event["cycle"] == cycle["cycle"]]
            paused = sum(pause["end_ns"] - pause["start_ns"] for pause in pauses)
            self.assertAlmostEqual(float(line["pause"]), paused / 1e6, delta=0.0006)
            self.assertAlmostEqual(float(line["heap"]), pauses[0]["bytes"] / 2**20, delta=0.06)
            self.assertAlmostEqual(float(line["rss"]), cycle["rss_bytes"] / 2**20, delta=0.06)
        self.assertEqual(int(lines[-1]["freed"]), row["collected"])
        self.assertGreater(row["collected"], 1000)

    def test_the_environment_asks_for_it_too_and_nobody_gets_it_unasked(self):
        done = ouro("bench", "graph", "--objects", 10, "--collections", 1, settings="log=gc")
        self.assertEqual(len(self.lines(done.stderr)), 3)
        for arguments, settings in (((), None), (("--log", "off"), "log=gc")):
            done = ouro("bench", "graph", "--objects", 10, *arguments, settings=settings)
            self.assertEqual(done.stderr, "")

    def test_what_allocation_triggered_says_so(self):
        source, program = self.directory / "program.c", self.directory / "program"
        source.write_text(PROGRAM)
        flags = ouro("config", "--cflags", "--libs").stdout.split()
        cflags = [flag for flag in flags if flag.startswith("-I")]
        libraries = [flag for flag in flags if not flag.startswith("-I")]
        if os.environ.get("OURO_SANITIZE"):
            self.skipTest("a stranger's program has no sanitizer")
        subprocess.run([os.environ.get("OURO_CC") or "cc", "-std=c11", *cflags, source, "-o",
                        program, *libraries], check=True)
        done = subprocess.run([program], env={**os.environ, "OURO": "log=gc"}, check=True,
                              capture_output=True, text=True)
        lines = self.lines(done.stderr)
        kinds = [(line["generation"], line["trigger"]) for line in lines]
        self.assertEqual(kinds[:2], [("young", "allocation")] * 2)
        self.assertIn(("middle", "allocation"), kinds)
        # The program's own, and the one with which the runtime ends.
        self.assertEqual(kinds[-2:], [("full", "request")] * 2)
        self.assertEqual(sum(int(line["freed"]) for line in lines), 30000)
        self.assertEqual([int(line["cycle"]) for line in lines], list(range(1, len(lines) + 1)))

    def test_another_value_is_refused(self):
        self.refused("bench", "graph", "--log", "gcc", names=("--log", "'gcc'", "off, gc", "'gc'?"))


if __name__ == "__main__":
    unittest.main()
