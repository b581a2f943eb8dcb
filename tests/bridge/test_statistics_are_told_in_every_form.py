"""Statistics as a dict, a table, metrics, a log and events: the same numbers, each documented."""
# not with a sanitizer: runs nothing of the build
import json
import re
import unittest

from package import AND_ON, LOAD, RINGS, SOURCE, InADirectory, needs_package, output_of, python

SAMPLE = re.compile(r'^(ouroboros_[a-z0-9_]+?)(_sum|_count)?(?:\{(?:[a-z]+="[a-z0-9.]+",?)+\})? ([-+0-9.e]+)$')


@needs_package
class Numbers(unittest.TestCase):
    def test_every_key_is_documented_and_no_other(self):
        found, text = output_of("""
import json, ouroboros
print(json.dumps(ouroboros.stats()))
print(json.dumps(ouroboros.stats.__doc__))
""")
        numbers = json.loads(found)
        documented = re.findall(r"^    (\w+)  +\S", json.loads(text), re.MULTILINE)
        self.assertEqual(documented, list(numbers))
        readme = (SOURCE / "core/bridge/python/ouroboros/README.md").read_text(encoding="utf-8")
        for key in (*numbers, *numbers["pauses"], *numbers["pauses"]["all"], *numbers["stock_estimate"]):
            self.assertIn(f"`{key}`", readme)

    def test_they_add_up(self):
        numbers = json.loads(output_of(LOAD.replace("import gc", "import gc, json, ouroboros; ouroboros.enable()") + AND_ON + """
print(json.dumps(ouroboros.stats()))
""")[0])
        pauses = numbers["pauses"]
        causes = [pauses[cause] for cause in ("young", "slice", "batch", "full")]
        self.assertEqual(sum(each["count"] for each in causes), pauses["all"]["count"])
        self.assertAlmostEqual(sum(each["total_s"] for each in causes), pauses["all"]["total_s"])
        self.assertGreater(numbers["cycles"], 0)
        self.assertGreater(numbers["found"], 10000)
        self.assertGreater(numbers["table_bytes"], 0)
        self.assertGreater(numbers["stock_estimate"]["collections"], 0)
        self.assertEqual(pauses["batch"]["count"], numbers["batches"])
        self.assertAlmostEqual(numbers["stopped_share"], pauses["all"]["total_s"] / numbers["elapsed_s"])
        for each in pauses.values():
            self.assertLessEqual(each["p50_s"], each["p99_s"])
            self.assertLessEqual(each["p99_9_s"], each["longest_s"])

    def test_a_percentile_is_the_nearest_rank(self):
        full = json.loads(output_of(RINGS + """
import json, ouroboros
ouroboros.enable()
gc.collect()
live = [ring() for _ in range(30000)]
gc.collect()
print(json.dumps(ouroboros.stats()['pauses']['full']))
""")[0])
        self.assertEqual(full["count"], 2)
        self.assertAlmostEqual(full["p50_s"], full["total_s"] - full["longest_s"], delta=full["p50_s"] / 32)
        self.assertEqual(full["p90_s"], full["longest_s"])

    def test_metrics_are_in_the_format_of_prometheus(self):
        lines = output_of("import ouroboros; ouroboros.enable(); print(ouroboros.metrics(), end='')")
        families = {}
        for line in lines:
            if line.startswith("# "):
                _, word, name, text = line.split(" ", 3)
                families.setdefault(name, {})[word] = text
                continue
            found = SAMPLE.match(line)
            self.assertTrue(found, line)
            name = found[1] + (found[2] or "")
            kind = families[name if name in families else found[1]]["TYPE"]
            self.assertEqual(kind == "counter", name.endswith("_total"), line)
            self.assertTrue(kind == "summary" or "quantile" not in line, line)
            float(found[3])
        for name, family in families.items():
            self.assertEqual(set(family), {"HELP", "TYPE"}, name)
        self.assertIn("ouroboros_enabled 1", lines)


@needs_package
class AtTheCommand(InADirectory):
    def test_the_table_is_printed_when_the_program_ends(self):
        script = self.write("load.py", LOAD)
        done = python("-m", "ouroboros", "--pause-budget", "1ms", "--stats", "--log", script)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"ouroboros: pauses in ms, [\d.]+ s, budget 1.000 ms")
        for row in ("young", "slice", "batch", "full", "all"):
            self.assertRegex(done.stderr, rf"(?m)^  {row} +\d+ ")
        self.assertRegex(done.stderr, r"\d+ cycles ended")
        self.assertIn("an estimate", done.stderr)
        self.assertRegex(done.stderr, r"INFO: \d+ full collections in slices ended")

    def test_hazards_are_warnings(self):
        done = python("-m", "ouroboros", "--log", "-c", "import gc; gc.collect()")
        self.assertRegex(done.stderr, "WARNING: the program asked for 1 full collections at once")

    def test_events_are_of_the_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("jsonschema is not installed")
        path = self.directory / "events.jsonl"
        python("-m", "ouroboros", "--events", path, "-c", LOAD + "\nimport ouroboros\nouroboros.collect()")
        with open(SOURCE / "experiments/schema/event.schema.json", encoding="utf-8") as file:
            schema = jsonschema.Draft202012Validator(json.load(file))
        events = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for event in events:
            schema.validate(event)
            self.assertLessEqual(event["start_ns"], event["end_ns"])
        cycles = [event for event in events if event["phase"] == "cycle"]
        self.assertEqual([event["cycle"] for event in cycles], list(range(1, len(cycles) + 1)))
        self.assertEqual({event["trigger"] for event in cycles}, {"allocation", "request"})
        pauses = [event for event in events if event["phase"] == "pause"]
        self.assertGreater(len(pauses), 100)
        for one, next_one in zip(pauses, pauses[1:]):
            self.assertLessEqual(one["end_ns"], next_one["start_ns"])

    def test_events_of_a_parent_are_written_by_it_alone(self):
        other = self.directory / "other"
        python("-c", f"""
import os, sys, ouroboros
ouroboros.enable(events={str(self.directory / "events.jsonl")!r})
for _ in range(1000):
    ouroboros._bridge.step(True)
child = os.fork()
if child == 0:
    os.open({str(other)!r}, os.O_CREAT | os.O_WRONLY)  # perhaps the descriptor that the events had
    sys.exit()
assert os.waitpid(child, 0)[1] == 0
""")
        self.assertEqual(other.read_text(encoding="utf-8"), "")


if __name__ == "__main__":
    unittest.main()
