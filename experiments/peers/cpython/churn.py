"""The `churn` workload in CPython: a live set of rings, a part of it replaced by new ones.

    ouro places --live N --replace PCT --cycle-size C --seed S --objects TOTAL |
        python3 -I -S churn.py --live N --replace PCT --cycle-size C --seed S --objects TOTAL

Prints one JSON object with the keys of `ouro bench churn --json -`. With --seconds S instead of
--objects it goes on for so long; then `places` is given no number of objects.

What is the same as in `ouro bench churn`: rings of C instances with two slots; N // C of them on one
list; each operation makes a new ring, and where the word that it reads names a place, the ring
replaces the one there, else it is dropped at once. Collection is automatic from the first object on;
the young threshold is 2000 as ours, and as CPython's own from 3.13 on (3.11 has 700; --threshold).

Nothing is freed by counting here, so the backlog, what was made unreachable less what was
deallocated, is the operations done times C, less what the collector says that it collected
(gc.callbacks). It falls in collections alone: it is looked at when each begins and ends.
"""
import array
import gc
import sys
import time

sys.path.insert(0, __file__.rpartition("/")[0] or ".")

import measure
from ring import new_ring, node_class

USAGE = ("usage: churn.py --live N --replace PCT --cycle-size C --seed S (--objects N | --seconds S)"
         " [--threshold 2000]  < places")
NONE = 0xFFFFFFFF   # a word: this operation replaces nothing
CHUNK = 1 << 14     # words read at once
MOST_POINTS = 1000


class Backlog:
    """How much waits, over time: a point for each collection; neighbours become one when there are
    too many. Mirrors experiments/runner/backlog.hpp."""

    def __init__(self):
        self.start = time.perf_counter_ns()
        self.points, self.each, self.in_last = [], 1, 0
        self.highest = self.area = self.until = self.since = 0

    def fell(self, high, low):
        now = time.perf_counter_ns() - self.start
        self.highest = max(self.highest, high)
        self.area += (now - self.until) * (self.since + high) / 2
        self.until, self.since = now, low
        if 0 < self.in_last < self.each:
            last = self.points[-1]
            self.points[-1] = (now, max(last[1], high), min(last[2], low))
            self.in_last += 1
            return
        if len(self.points) == MOST_POINTS:
            pairs = zip(self.points[::2], self.points[1::2])
            self.points = [(two[0], max(one[1], two[1]), min(one[2], two[2]))
                           for one, two in pairs]
            self.each *= 2
        self.points.append((now, high, low))
        self.in_last = 1


def operate(root, node, size, stream, operations, seconds):
    """Runs the operations; returns how many, and the keys of the row that they give."""
    done = 0
    high = 0
    backlog = Backlog()

    def before():
        nonlocal high
        high = done * size - pauses.found
        memory.note()

    def after():
        backlog.fell(high, done * size - pauses.found)

    pauses = measure.Pauses(before, after)
    memory = measure.MemoryOverTime()
    begun, cpu = time.perf_counter_ns(), time.process_time_ns()
    end = begun + seconds * 1000000000 if seconds else None
    with pauses:
        while done < operations and (end is None or time.perf_counter_ns() < end):
            words = array.array("I", stream.read(4 * min(CHUNK, operations - done)))
            if not words:
                fail("the places end after %d operations" % done)
            for place in words:
                if place == NONE:
                    new_ring(node, size)
                else:
                    root[place] = new_ring(node, size)
                done += 1
    run_ns, run_cpu_ns = time.perf_counter_ns() - begun, time.process_time_ns() - cpu
    left = done * size - pauses.found
    backlog.fell(left, left)
    memory.read()
    return done, {
        "run_ns": run_ns, "run_cpu_ns": run_cpu_ns, "mutator_ops": done,
        "ns_per_op": run_ns / max(done, 1),
        "pauses": pauses.summary(), "pause_points": pauses.points(begun),
        "collections": pauses.collections(), "collector_cpu_ns": sum(pauses.cpus),
        "backlog_max": backlog.highest, "backlog_mean": backlog.area / max(backlog.until, 1),
        "backlog_points": backlog.points, "rss_points": memory.points(),
    }


def run(wanted):
    wall_start, cpu_start = time.perf_counter_ns(), time.process_time_ns()
    gc.set_threshold(wanted["threshold"], *gc.get_threshold()[1:])
    gc.collect()
    rss_before = measure.memory(b"VmRSS:")
    size = wanted["cycle_size"]
    node = node_class()
    build_start = time.perf_counter_ns()
    root = [new_ring(node, size) for _ in range(wanted["live"] // size)]
    build_ns = time.perf_counter_ns() - build_start
    rss_live = measure.memory(b"VmRSS:")

    with open(0, "rb", closefd=False) as stream:
        operations = -(-wanted["objects"] // size) if wanted["objects"] else 1 << 62
        done, measured = operate(root, node, size, stream, operations, wanted["seconds"])
        if wanted["objects"] and stream.read(1):
            fail("the places go on after the last word that was expected")
    rss_end = measure.memory(b"VmRSS:")
    live = len(root) * size
    del root
    drop_start = time.perf_counter_ns()
    collected = gc.collect()
    drop_ns = time.perf_counter_ns() - drop_start
    left = sum(type(each) is node for each in gc.get_objects())
    if left:
        fail("%d objects are left when all was dropped" % left)
    rss_after, rss_peak = measure.memory(b"VmRSS:"), measure.memory(b"VmHWM:")
    params = {key: wanted[key] for key in ("live", "replace", "cycle_size", "threshold")}
    params.update({key: wanted[key] for key in ("objects", "seconds") if wanted[key]})
    return {
        "workload": "churn", "params": params, **measure.engine(), "seed": wanted["seed"],
        "live_objects": live, "collected": collected,
        "live_collect_ns": None, "live_first_collect_ns": None, "live_collect_samples_ns": [],
        "garbage_collect_ns": drop_ns, "build_ns": build_ns,
        **measured, "made_unreachable": done * size + live,
        "rss_before_bytes": rss_before, "rss_live_bytes": rss_live, "rss_end_bytes": rss_end,
        "rss_after_bytes": rss_after, "rss_peak_bytes": rss_peak, "heap_bytes": None,
        "wall_ns": time.perf_counter_ns() - wall_start,
        "cpu_ns": time.process_time_ns() - cpu_start,
    }


def fail(message, status=1):
    print("churn.py: " + message, file=sys.stderr)
    sys.exit(status)


def main():
    wanted = measure.parse("churn.py", USAGE, {
        "live": None, "replace": None, "cycle_size": None, "seed": None, "objects": 0, "seconds": 0,
        "threshold": 2000}, sys.argv[1:])
    if bool(wanted["objects"]) == bool(wanted["seconds"]):
        fail("it takes --objects or --seconds\n" + USAGE, 2)
    if not 1 <= wanted["cycle_size"] <= wanted["live"]:
        fail("--cycle-size takes at least 1 and at most --live", 2)
    row = run(wanted)
    import json  # after the last measurement
    print(json.dumps(row))


if __name__ == "__main__":
    if sys.implementation.name != "cpython":
        fail("this is %s; the peer is CPython" % sys.implementation.name)
    main()
