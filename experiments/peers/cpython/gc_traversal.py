"""The `gc-traversal` workload in CPython: pyperformance's gc_traversal shape, lists of many references.

    python3 -I -S gc_traversal.py --levels N [--collections K]

Prints one JSON object with the keys of `ouro bench gc-traversal --json -`. Every collection also walks
what the interpreter has itself: `baseline_objects`, `baseline_collect_ns`.
"""
import gc
import sys
import time

sys.path.insert(0, __file__.rpartition("/")[0] or ".")

import measure

USAGE = "usage: gc_traversal.py --levels N [--collections K] [--seed S]"


def nested_lists(levels):
    """The outermost of `levels` lists; the n-th from within has n references to the one before it."""
    inner = []
    for n in range(1, levels):
        inner = [inner] * n
    return inner


def run(wanted):
    wall_start, cpu_start = time.perf_counter_ns(), time.process_time_ns()
    gc.disable()
    baseline = measure.baseline()
    rss_before = measure.memory(b"VmRSS:")
    lists = nested_lists(wanted["levels"])
    with measure.Pauses() as pauses:
        first = measure.timed_collection("gc_traversal.py")
        walls = [measure.timed_collection("gc_traversal.py") for _ in range(wanted["collections"])]
    rss_after = measure.memory(b"VmRSS:")
    del lists
    return {
        "workload": "gc-traversal",
        "params": {key: wanted[key] for key in ("levels", "collections")},
        **measure.engine(), "seed": wanted["seed"], **baseline,
        "live_objects": wanted["levels"], "collected": 0,
        "references": wanted["levels"] * (wanted["levels"] - 1) // 2,
        "live_collect_ns": measure.percentiles(walls)["p50_ns"], "live_first_collect_ns": first,
        "live_collect_samples_ns": walls, "garbage_collect_ns": None,
        "pauses": pauses.summary(), "collector_cpu_ns": sum(pauses.cpus), "backlog_max": 0,
        "rss_before_bytes": rss_before, "rss_after_bytes": rss_after,
        "rss_peak_bytes": measure.memory(b"VmHWM:"), "heap_bytes": None,
        "wall_ns": time.perf_counter_ns() - wall_start,
        "cpu_ns": time.process_time_ns() - cpu_start, "mutator_ops": None,
    }


def main():
    wanted = measure.parse("gc_traversal.py", USAGE, {"levels": None, "collections": 20, "seed": 1},
                           sys.argv[1:])
    if min(wanted["levels"], wanted["collections"]) < 1:
        measure.fail("gc_traversal.py", "--levels and --collections take at least 1", 2)
    row = run(wanted)
    import json  # after the last measurement
    print(json.dumps(row))


if __name__ == "__main__":
    measure.require_cpython("gc_traversal.py")
    main()
