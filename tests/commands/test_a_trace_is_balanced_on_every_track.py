import copy
import json
import time
import unittest
from decimal import Decimal

from command import CommandTest, ouro
from engines import engines
from test_recorded_events_nest_in_their_cycles import PHASES



def spans(trace):
    """({track: [(start, end, name)]} in ns, [what is wrong]) of events in the order of the file. A track is a thread's,
    or that of asynchronous events of one category and number."""
    found, wrong, open_ = {}, [], {}
    for event in trace:
        if event["name"] not in PHASES:
            wrong.append(f"the name {event['name']}")
        start = event["ts"] * 1000
        if event["ph"] == "X":
            track = event["pid"], event["tid"]
            found.setdefault(track, []).append((start, start + event["dur"] * 1000, event["name"]))
        elif event["ph"] == "b":
            open_.setdefault((event["pid"], event["cat"], event["id"], event["name"]), []).append(start)
        elif event["ph"] == "e":
            *track, name = event["pid"], event["cat"], event["id"], event["name"]
            begun = open_.get((*track, name))
            if not begun:
                wrong.append(f"an end of {name} without its begin")
                continue
            found.setdefault(tuple(track), []).append((begun.pop(), start, name))
        else:
            wrong.append(f"the kind {event['ph']}")
    wrong += [f"a begin of {key[-1]} without its end" for key, begun in open_.items() if begun]
    return found, wrong


def problems(trace, since, until):
    """What a viewer would trip over, a sentence each; `since` and `until` in ns: when it was made."""
    found, wrong = spans(trace)
    for track, each in found.items():
        inside = []   # the ends of what is open
        for start, end, name in sorted(each, key=lambda span: (span[0], -span[1])):
            if not since <= start <= end <= until:
                wrong.append(f"{name} from {start} to {end}")
            while inside and inside[-1] <= start:
                inside.pop()
            if inside and end > inside[-1]:
                wrong.append(f"{name} on {track} ends after what it began in")
            inside.append(end)
    return wrong


class Trace(CommandTest):
    def traced(self, *arguments):
        """(events of the trace, when it began and ended, events of the same run as --events has them)"""
        trace, events = self.directory / "trace.json", self.directory / "events.jsonl"
        events.unlink(missing_ok=True)
        since = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        self.output_of("bench", *arguments, "--trace", trace, "--events", events)
        until = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        # As decimal numbers: they are whole nanoseconds, and are compared with such.
        return (json.loads(trace.read_text(), parse_float=Decimal), (since, until),
                list(map(json.loads, events.read_text().splitlines())))

    def under_load(self, engine):
        return self.traced("lru", "--live", 20_000, "--seconds", 1, "--threads", 2, "--engine", engine,
                           "--refcount", "biased")

    def test_any_two_spans_of_a_track_nest_or_are_apart(self):
        threads = {}
        for engine in engines("off", "concurrent-sync", "snapshot-sync"):
            with self.subTest(engine=engine):
                trace, times, _ = self.under_load(engine)
                self.assertGreater(len(trace), 20)
                self.assertEqual(problems(trace, *times), [])
                threads[engine] = len({event["tid"] for event in trace})
        # A collection of a program whose threads take turns may fall to the same one each time; not where the
        # collector has a thread of its own.
        self.assertGreater(threads["concurrent"], 1, "events come from several threads")

    def test_a_track_of_one_thread_alone_goes_forward(self):
        trace, times, _ = self.traced("graph", "--objects", 1000, "--collections", 3)
        self.assertEqual(problems(trace, *times), [])
        ends = [event["ts"] + event.get("dur", 0) for event in trace if event["ph"] in "Xe"]
        self.assertEqual(ends, sorted(ends), "reported when they end")

    def test_it_has_every_event_with_its_times(self):
        for engine in ("stw", "concurrent"):
            trace, _, events = self.under_load(engine)
            found, _ = spans(trace)
            self.assertGreater(len(events), 20)
            self.assertEqual(sorted((start, end, name) for each in found.values() for start, end, name in each),
                             sorted((event["start_ns"], event["end_ns"], event["phase"]) for event in events))
            for kind, key in (("e", "cycle"), ("X", "pause")):
                self.assertEqual(sorted(event["args"]["cycle"] for event in trace
                                        if (event["ph"], event["name"]) == (kind, key)),
                                 sorted(event["cycle"] for event in events if event["phase"] == key))

    def test_what_is_broken_is_noticed(self):
        trace, times, _ = self.traced("graph", "--objects", 1000, "--collections", 3)
        pauses = [place for place, event in enumerate(trace) if event["ph"] == "X"]
        end = next(place for place, event in enumerate(trace) if event["ph"] == "e")

        def broken(change):
            changed = copy.deepcopy(trace)
            change(changed)
            return problems(changed, *times)
        for change in (lambda it: it.pop(end), lambda it: it.pop(end - 1),
                       lambda it: it[end].update(name="other"),
                       lambda it: it[end].update(ts=it[end - 1]["ts"] - 1),
                       lambda it: it[pauses[0]].update(ph="i"),
                       lambda it: it[pauses[0]].update(dur=Decimal(-1)),
                       lambda it: it[pauses[1]].update(
                           ts=it[pauses[0]]["ts"] + it[pauses[0]]["dur"] - Decimal("0.001")),
                       lambda it: it[pauses[0]].update(ts=Decimal(1)),
                       lambda it: it[pauses[-1]].update(ts=Decimal(times[1]) / 1000)):
            self.assertNotEqual(broken(change), [])

    def test_a_file_that_cannot_be_written_is_said(self):
        done = ouro("bench", "graph", "--objects", 10, "--trace", self.directory / "none" / "trace.json")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, "--trace .*none/trace.json: No such file or directory\n$")


if __name__ == "__main__":
    unittest.main()
