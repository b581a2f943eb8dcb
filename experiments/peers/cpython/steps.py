"""What the peers share that make so many operations under automatic collection, as bench_steps does it for
ours: `cyclotron.py`, `binary_trees.py`, `ggauss.py`."""
import gc
import time

import measure
from churn import Backlog
from random_numbers import Random

THRESHOLD = 2000  # ours, and CPython's own from 3.13 on


class Load:
    """One workload: what it does, and how many objects it has let go of so far."""
    unreachable = 0

    def step(self):
        raise NotImplementedError

    def drop(self):
        raise NotImplementedError

    def live(self):
        raise NotImplementedError

    def waiting(self, collected):
        """Of the unreachable those that are still there, if the collector has freed so many; None: who knows."""
        raise NotImplementedError


def begin():
    """Before the load is made: what the row says of the time before."""
    gc.set_threshold(THRESHOLD, *gc.get_threshold()[1:])
    gc.collect()
    return {"wall_ns": time.perf_counter_ns(), "cpu_ns": time.process_time_ns(),
            "rss_before_bytes": measure.memory(b"VmRSS:")}


def run(workload, params, seed, load, operations, before, left):
    """The row. `left`, called at the end, says how many objects of the workload are still there."""
    build_ns = time.perf_counter_ns() - before["wall_ns"]
    rss_live = measure.memory(b"VmRSS:")
    backlog = Backlog()
    known = load.waiting(0) is not None
    high = 0

    # What waits falls in collections alone: what counting frees never did.
    def begins():
        nonlocal high
        high = load.waiting(pauses.found)
        memory.note()

    def ended():
        backlog.fell(high, load.waiting(pauses.found))

    pauses = measure.Pauses(begins, ended) if known else measure.Pauses()
    memory = measure.MemoryOverTime()
    begun, cpu = time.perf_counter_ns(), time.process_time_ns()
    with pauses:
        for _ in range(operations):
            load.step()
            memory.note()
    run_ns, run_cpu_ns = time.perf_counter_ns() - begun, time.process_time_ns() - cpu
    if known:
        waiting = load.waiting(pauses.found)
        backlog.fell(waiting, waiting)
    memory.read()
    rss_end = measure.memory(b"VmRSS:")
    live = load.live()
    load.drop()
    drop_start = time.perf_counter_ns()
    collected = gc.collect()
    drop_ns = time.perf_counter_ns() - drop_start
    lost = left()
    if lost:
        measure.fail(workload.replace("-", "_") + ".py", "%d objects are left when all was dropped" % lost)
    return {
        "workload": workload, "params": params, **measure.engine(), "seed": seed,
        "live_objects": live, "collected": collected,
        "live_collect_ns": None, "live_first_collect_ns": None, "live_collect_samples_ns": [],
        "garbage_collect_ns": drop_ns, "build_ns": build_ns,
        "run_ns": run_ns, "run_cpu_ns": run_cpu_ns, "mutator_ops": operations,
        "ns_per_op": run_ns / max(operations, 1),
        "pauses": pauses.summary(), "pause_points": pauses.points(begun),
        "collections": pauses.collections(), "collector_cpu_ns": sum(pauses.cpus),
        "backlog_max": backlog.highest if known else None,
        "backlog_mean": backlog.area / max(backlog.until, 1) if known else None,
        "backlog_points": backlog.points, "rss_points": memory.points(),
        "made_unreachable": load.unreachable,
        "rss_before_bytes": before["rss_before_bytes"], "rss_live_bytes": rss_live,
        "rss_end_bytes": rss_end, "rss_after_bytes": measure.memory(b"VmRSS:"),
        "rss_peak_bytes": measure.memory(b"VmHWM:"), "heap_bytes": None,
        "wall_ns": time.perf_counter_ns() - before["wall_ns"],
        "cpu_ns": time.process_time_ns() - before["cpu_ns"],
    }


def count_of(*types):
    """How many containers of these types the collector knows."""
    return sum(type(each) in types for each in gc.get_objects())


def print_row(workload, wanted, make, operations, left):
    """What a main does with a load that make(random numbers of standard input) gives; left(load) as for run()."""
    before = begin()
    with open(0, "rb", closefd=False) as stream:
        load = make(Random(stream))
        params = {key: value for key, value in wanted.items() if key != "seed"}
        row = run(workload, params, wanted["seed"], load, operations, before, lambda: left(load))
    import json  # after the last measurement
    print(json.dumps(row))
