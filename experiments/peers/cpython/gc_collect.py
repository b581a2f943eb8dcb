"""The `gc-collect` workload in CPython: pyperformance's gc_collect shape, full collections of cycles.

    python3 -I -S gc_collect.py --cycles N --links L [--collections K]

Prints one JSON object with the keys of `ouro bench gc-collect --json -`. As in pyperformance the nodes
are instances of a class without `__slots__`; up to 3.10 each has a dict, which is collected too.
Every collection also walks what the interpreter has itself: `baseline_objects`,
`baseline_collect_ns`.
"""
import gc
import sys
import time

sys.path.insert(0, __file__.rpartition("/")[0] or ".")

import measure

USAGE = "usage: gc_collect.py --cycles N --links L [--collections K] [--seed S]"


class Node:
    def __init__(self):
        self.next = None
        self.prev = None


def new_cycle(links):
    """The first of `links` + 1 nodes in a ring, each linked to the next and the one before."""
    first = last = Node()
    for _ in range(links):
        node = Node()
        last.next, node.prev = node, last
        last = node
    last.next, first.prev = first, last
    return first


def run(wanted):
    wall_start, cpu_start = time.perf_counter_ns(), time.process_time_ns()
    gc.disable()  # all garbage shall be there when the collection comes
    baseline = measure.baseline()
    rss_before = measure.memory(b"VmRSS:")
    objects = wanted["cycles"] * (wanted["links"] + 1)
    walls, found = [], set()
    with measure.Pauses() as pauses:
        for _ in range(wanted["collections"] + 1):
            gc.collect()
            cycles = [new_cycle(wanted["links"]) for _ in range(wanted["cycles"])]
            del cycles
            wall = time.perf_counter_ns()
            returned = gc.collect()
            walls.append(time.perf_counter_ns() - wall)
            found.add(returned)
    if min(found) < objects:
        measure.fail("gc_collect.py", "a collection found %d objects of %d" % (min(found), objects))
    return {
        "workload": "gc-collect",
        "params": {key: wanted[key] for key in ("cycles", "links", "collections")},
        **measure.engine(), "seed": wanted["seed"], **baseline,
        "live_objects": objects, "collected": min(found),
        "live_collect_ns": None, "live_first_collect_ns": None, "live_collect_samples_ns": [],
        "garbage_collect_ns": measure.percentiles(walls[1:])["p50_ns"],
        "garbage_first_collect_ns": walls[0], "garbage_collect_samples_ns": walls[1:],
        "pauses": pauses.summary(), "pause_samples_ns": pauses.walls,
        "pause_cpu_samples_ns": pauses.cpus, "collector_cpu_ns": sum(pauses.cpus),
        "backlog_max": min(found), "rss_before_bytes": rss_before,
        "rss_after_bytes": measure.memory(b"VmRSS:"), "rss_peak_bytes": measure.memory(b"VmHWM:"),
        "heap_bytes": None, "wall_ns": time.perf_counter_ns() - wall_start,
        "cpu_ns": time.process_time_ns() - cpu_start,
        "mutator_ops": (wanted["collections"] + 1) * objects,
    }


def main():
    wanted = measure.parse("gc_collect.py", USAGE, {"cycles": None, "links": None,
                                                    "collections": 100, "seed": 1}, sys.argv[1:])
    if min(wanted["cycles"], wanted["links"], wanted["collections"]) < 1:
        measure.fail("gc_collect.py", "--cycles, --links and --collections take at least 1", 2)
    row = run(wanted)
    import json  # after the last measurement
    print(json.dumps(row))


if __name__ == "__main__":
    measure.require_cpython("gc_collect.py")
    main()
