"""The `slices` workload in CPython: rings of four take the place of others, in slices that are timed.

    python3 -I -S slices.py --live L --slices N --warmup W [--slice 250] [--seed 1] [--shuffled]

Prints one JSON object with the keys of `ouro bench slices --json -`. Collection is automatic from the
first object on; the young threshold is 2000 as ours, and as CPython's own from 3.13 on (3.11 has 700;
--threshold). The places of --shuffled are drawn before the run, into an array that no collection walks:
the others draw one in a few ns, here it would be a large part of an operation.
"""
import array
import gc
import sys
import time

sys.path.insert(0, __file__.rpartition("/")[0] or ".")

import measure

USAGE = ("usage: slices.py --live L --slices N --warmup W [--slice 250] [--seed 1] [--shuffled]"
         " [--threshold 2000]")
RING = 4
WORD = (1 << 64) - 1


class Places:
    """xorshift64*, as experiments/workloads/slices.hpp has it."""

    def __init__(self, seed):
        self.state = (seed * 2 + 1) & WORD

    def below(self, limit):
        state = self.state
        state ^= state >> 12
        state ^= (state << 25) & WORD
        state ^= state >> 27
        self.state = state
        return ((state * 2685821657736338717 & WORD) >> 33) % limit

    def order(self, count):
        order = array.array("I", range(count))
        for i in range(count - 1, 0, -1):
            other = self.below(i + 1)
            order[i], order[other] = order[other], order[i]
        return order


def places_checksum(places, rings):
    """FNV-1a over the first 1000 places that are replaced; `places` are those drawn, None: in turn."""
    figure = 14695981039346656037
    for i in range(1000):
        place = i % rings if places is None else places.below(rings)
        figure = (figure ^ place) * 1099511628211 & WORD
    return figure


def new_ring(node):
    """The first of four in a ring; their other slots stay empty."""
    first, second, third, fourth = node(), node(), node(), node()
    first.next, second.next, third.next, fourth.next = second, third, fourth, first
    return first


def is_ring(first):
    each = first
    for step in range(1, RING + 1):
        if hasattr(each, "other"):
            return False
        each = each.next
        if (each is first) != (step == RING):
            return False
    return True


def in_order(root, node, operations):
    """A function that makes a slice: the oldest ring is replaced."""
    rings, oldest = len(root), 0

    def make(_):
        nonlocal oldest
        place = oldest
        for _ in range(operations):
            root[place] = new_ring(node)
            place += 1
            if place == rings:
                place = 0
        oldest = place
    return make


def at_random(root, node, operations, where):
    """The same with the places that `where` holds."""
    def make(number):
        for place in where[number * operations:(number + 1) * operations]:
            root[place] = new_ring(node)
    return make


def operate(make, wanted):
    """Makes all slices; returns the keys of the row that they give. A slice lasts from the end of the one before
    it: CPython collects when a container is made, and the program makes some between slices too."""
    clock = time.perf_counter_ns
    slices, warmup = wanted["slices"], wanted["warmup"]
    each = wanted["slice"] * RING
    samples = array.array("q", bytes(8 * slices))
    pauses = measure.Pauses()
    backlog_max = begun = cpu = 0
    last = clock()
    for number in range(slices):
        if number == warmup:
            gc.callbacks.append(pauses)
            cpu = time.process_time_ns()
            begun = last = clock()
        make(number)
        end = clock()
        samples[number] = end - last
        last = end
        if number >= warmup:
            backlog_max = max(backlog_max, (number - warmup + 1) * each - pauses.found)
    run_ns, run_cpu_ns = last - begun, time.process_time_ns() - cpu
    gc.callbacks.remove(pauses)
    operations = (slices - warmup) * wanted["slice"]
    summary = pauses.summary()
    return {
        "run_ns": run_ns, "run_cpu_ns": run_cpu_ns, "mutator_ops": operations,
        "ns_per_op": run_ns / operations,
        "slices": {"operations": wanted["slice"], "warmup": warmup,
                   "wall": measure.percentiles(samples[warmup:])},
        "slice_samples_ns": samples.tolist(), "pauses": summary,
        "own_pauses": {"source": "gc.callbacks",
                       **{key: summary[key] for key in ("count", "total_ns", "wall")}},
        "collections": pauses.collections(), "collector_cpu_ns": sum(pauses.cpus),
        "backlog_max": backlog_max, "heap_limit_bytes": None,
    }


def run(wanted):
    wall_start, cpu_start = time.perf_counter_ns(), time.process_time_ns()
    rings, operations = wanted["live"] // RING, wanted["slice"]
    order, where, places = range(rings), None, None
    if wanted["shuffled"]:
        places = Places(wanted["seed"])
        order = places.order(rings)
        drawn = places.state
        where = array.array("I", (places.below(rings)
                                  for _ in range(wanted["slices"] * operations)))
        places.state = drawn
    checksum = places_checksum(places, rings)
    gc.set_threshold(wanted["threshold"], *gc.get_threshold()[1:])
    gc.collect()
    rss_before = measure.memory(b"VmRSS:")
    build_start = time.perf_counter_ns()
    node = type("Node", (object,), {"__slots__": ("next", "other")})
    root = [None] * rings
    for place in order:
        root[place] = new_ring(node)
    build_ns = time.perf_counter_ns() - build_start
    rss_live = measure.memory(b"VmRSS:")
    measured = operate(at_random(root, node, operations, where) if wanted["shuffled"]
                       else in_order(root, node, operations), wanted)
    rss_end, rss_peak = measure.memory(b"VmRSS:"), measure.memory(b"VmHWM:")
    if not all(map(is_ring, root)):
        measure.fail("slices.py", "a ring is not a ring of four any more")
    params = {key: wanted[key] for key in ("live", "slices", "warmup", "slice", "shuffled", "seed",
                                           "threshold")}
    return {
        "workload": "slices", "params": params, **measure.engine(), "seed": wanted["seed"],
        "live_objects": rings * RING, "places_checksum": checksum, "collected": None,
        "live_collect_ns": None, "live_first_collect_ns": None, "live_collect_samples_ns": [],
        "garbage_collect_ns": None, "build_ns": build_ns, **measured,
        "rss_before_bytes": rss_before, "rss_live_bytes": rss_live, "rss_end_bytes": rss_end,
        "rss_after_bytes": measure.memory(b"VmRSS:"), "rss_peak_bytes": rss_peak,
        "heap_bytes": None, "wall_ns": time.perf_counter_ns() - wall_start,
        "cpu_ns": time.process_time_ns() - cpu_start,
    }


def main():
    arguments = sys.argv[1:]
    shuffled = "--shuffled" in arguments
    wanted = measure.parse("slices.py", USAGE, {
        "live": None, "slices": None, "warmup": None, "slice": 250, "seed": 1, "threshold": 2000},
        [each for each in arguments if each != "--shuffled"])
    wanted["shuffled"] = shuffled
    if wanted["live"] < RING or wanted["slice"] < 1:
        measure.fail("slices.py", "--live takes at least %d, --slice at least 1" % RING, 2)
    if wanted["warmup"] >= wanted["slices"]:
        measure.fail("slices.py", "--warmup takes less than --slices", 2)
    row = run(wanted)
    import json  # after the last measurement
    print(json.dumps(row))


if __name__ == "__main__":
    measure.require_cpython("slices.py")
    main()
