import json
import re
import unittest

from command import ROOT, CommandTest

# The phases' names come from the one list in the header.
PHASES = set(re.findall(r'X\([A-Z]+, "([a-z]+)"',
                        (ROOT / "core" / "include" / "ouroboros" / "event.h").read_text()))
IN_A_PAUSE = {"count", "roots", "mark", "candidates", "condemn"}


class Events(CommandTest):
    def events(self, *arguments):
        path = self.directory / "events.jsonl"
        self.output_of("bench", "graph", "--events", path, *arguments)
        return [json.loads(line) for line in path.read_text().splitlines()]

    def test_each_lies_in_the_cycle_that_it_names(self):
        self.assertGreaterEqual(len(PHASES), 10)
        for more in ((), ("--verify", "on"), ("--refcount", "atomic")):
            events = self.events("--objects", 1000, "--collections", 3, *more)
            cycles = [event for event in events if event["phase"] == "cycle"]
            pauses = [event for event in events if event["phase"] == "pause"]
            of = {cycle["cycle"]: cycle for cycle in cycles}
            self.assertEqual(len(of), len(cycles), "a number is given once")
            for event in events:
                self.assertIn(event["phase"], PHASES)
                self.assertLessEqual(event["start_ns"], event["end_ns"])
                self.assertGreaterEqual(event["cpu_ns"], 0)
                cycle = of[event["cycle"]]
                self.assertLessEqual(cycle["start_ns"], event["start_ns"], event)
                self.assertLessEqual(event["end_ns"], cycle["end_ns"], event)
                if event["phase"] in IN_A_PAUSE:
                    self.assertTrue(any(pause["start_ns"] <= event["start_ns"] and
                                        event["end_ns"] <= pause["end_ns"] for pause in pauses),
                                    event)
            (self.directory / "events.jsonl").unlink()

    def test_cycles_follow_each_other_and_any_two_events_nest_or_are_apart(self):
        events = self.events("--objects", 500, "--collections", 2, "--verify", "on")
        cycles = [event for event in events if event["phase"] == "cycle"]
        self.assertEqual([cycle["cycle"] for cycle in cycles], [1, 2, 3, 4])
        for earlier, later in zip(cycles, cycles[1:]):
            self.assertLessEqual(earlier["end_ns"], later["start_ns"])
        self.assertEqual([event["end_ns"] for event in events],
                         sorted(event["end_ns"] for event in events), "reported when they end")
        for a in events:
            for b in events:
                apart = a["end_ns"] <= b["start_ns"] or b["end_ns"] <= a["start_ns"]
                nested = (a["start_ns"] <= b["start_ns"] and b["end_ns"] <= a["end_ns"] or
                          b["start_ns"] <= a["start_ns"] and a["end_ns"] <= b["end_ns"])
                self.assertTrue(apart or nested, (a, b))

    def test_their_numbers_are_the_rows(self):
        path = self.directory / "events.jsonl"
        row = self.bench("--objects", 1000, "--collections", 2, "--events", path)
        events = [json.loads(line) for line in path.read_text().splitlines()]
        cycles = [event for event in events if event["phase"] == "cycle"]
        pauses = [event for event in events if event["phase"] == "pause"]
        self.assertEqual([cycle["objects"] for cycle in cycles[:3]], [1001] * 3)
        self.assertEqual([cycle.get("condemned", 0) for cycle in cycles],
                         [0, 0, 0, row["collected"]])
        self.assertEqual(cycles[-1]["freed"], row["collected"])
        self.assertEqual(len(pauses), row["pauses"]["count"])
        self.assertEqual(sum(pause["end_ns"] - pause["start_ns"] for pause in pauses),
                         row["pauses"]["total_ns"])

    def test_they_are_appended(self):
        first = self.events("--objects", 10, "--collections", 1)
        both = self.events("--objects", 10, "--collections", 1)
        self.assertEqual(both[:len(first)], first)
        self.assertEqual(len(both), 2 * len(first))

    def test_nothing_is_recorded_when_nothing_is_collected(self):
        self.assertEqual(self.events("--objects", 10, "--engine", "off"), [])


if __name__ == "__main__":
    unittest.main()
