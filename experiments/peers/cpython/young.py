"""The `young` workload in CPython: collections of generation 0 beside an old heap.

    python3 -I -S young.py --old N --young M --collections K

Prints one JSON object with the keys of `ouro bench young --json -`. What is the same as there: N old
instances and M young ones in rings of four, each young one with a reference to an old one that the
same multiplication picks; K collections with all of the young alive, K with all of them dead, a
first of each left out; automatic collection is off while they are made. In a build without
generations (3.13t) gc.collect(0) looks at everything.
"""
import gc
import sys
import time

sys.path.insert(0, __file__.rpartition("/")[0] or ".")

import measure
from ring import new_ring, node_class

USAGE = "usage: young.py --old N --young M [--collections K] [--seed S]"
RING = 4
SCATTER = 2654435761


def make_young(node, old, held, made, reachable):
    """Makes the young ones; `made` is how many were made before, and of them only `held` is longer."""
    rings = len(old)
    for i in range(len(held)):
        each = ring = new_ring(node, RING)
        for _ in range(RING):
            each.old = old[made * SCATTER % rings]
            made += 1
            each = each.next
        if reachable:
            held[i] = ring
    return made


def sample(node, old, held, made, alive, collections):
    """(wall ns, CPU ns, made, the first's wall ns, which is not among the others) of collections of the young,
    all alive or all dead."""
    expected = 0 if alive else len(held) * RING
    walls, cpus, first = [], [], None
    for i in range(collections + 1):
        gc.disable()
        made = make_young(node, old, held, made, alive)
        gc.enable()
        cpu = time.thread_time_ns()
        wall = time.perf_counter_ns()
        found = gc.collect(0)
        wall = time.perf_counter_ns() - wall
        cpu = time.thread_time_ns() - cpu
        if found != expected:
            fail("a collection of the young found %d objects, not %d" % (found, expected))
        if i == 0:
            first = wall
        else:
            walls.append(wall)
            cpus.append(cpu)
        for place in range(len(held)):
            held[place] = None
        gc.collect(1)  # those that were alive are middle now
    return walls, cpus, made, first


def run(wanted):
    wall_start, cpu_start = time.perf_counter_ns(), time.process_time_ns()
    rss_before = measure.memory(b"VmRSS:")
    node = node_class("old")
    old = [new_ring(node, RING) for _ in range(wanted["old"] // RING)]
    held = [None] * (wanted["young"] // RING)
    gc.collect()
    build_ns = time.perf_counter_ns() - wall_start
    with measure.Pauses() as pauses:
        alive, alive_cpu, made, first_alive = sample(node, old, held, 0, True, wanted["collections"])
        dead, dead_cpu, _, first_dead = sample(node, old, held, made, False, wanted["collections"])
    rss_after, rss_peak = measure.memory(b"VmRSS:"), measure.memory(b"VmHWM:")
    young = len(held) * RING
    return {
        "workload": "young",
        "params": {key: wanted[key] for key in ("old", "young", "collections")},
        **measure.engine(), "seed": wanted["seed"],
        "live_objects": len(old) * RING, "young_objects": young, "collected": young,
        "live_collect_ns": measure.percentiles(alive)["p50_ns"],
        "live_first_collect_ns": first_alive, "garbage_first_collect_ns": first_dead,
        "live_collect_samples_ns": alive, "live_collect_cpu_samples_ns": alive_cpu,
        "garbage_collect_ns": measure.percentiles(dead)["p50_ns"],
        "garbage_collect_samples_ns": dead, "garbage_collect_cpu_samples_ns": dead_cpu,
        "build_ns": build_ns, "pauses": pauses.summary(), "pause_samples_ns": pauses.walls,
        "pause_cpu_samples_ns": pauses.cpus, "collections": pauses.collections(),
        "collector_cpu_ns": sum(pauses.cpus), "backlog_max": young,
        "rss_before_bytes": rss_before, "rss_after_bytes": rss_after, "rss_peak_bytes": rss_peak,
        "heap_bytes": None, "wall_ns": time.perf_counter_ns() - wall_start,
        "cpu_ns": time.process_time_ns() - cpu_start, "mutator_ops": None,
    }


def fail(message, status=1):
    print("young.py: " + message, file=sys.stderr)
    sys.exit(status)


def main():
    wanted = measure.parse("young.py", USAGE, {"old": None, "young": None, "collections": 30,
                                               "seed": 1}, sys.argv[1:])
    if wanted["old"] < RING or wanted["young"] < RING or wanted["collections"] < 1:
        fail("--old and --young take at least %d, --collections at least 1" % RING, 2)
    row = run(wanted)
    import json  # after the last measurement
    print(json.dumps(row))


if __name__ == "__main__":
    if sys.implementation.name != "cpython":
        fail("this is %s; the peer is CPython" % sys.implementation.name)
    main()
