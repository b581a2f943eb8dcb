"""The `graph` workload in CPython: build a random graph, collect it alive, then as garbage.

    ouro edges --objects N --degree D --seed S [--shuffled] |
        python3 -I -S graph.py --objects N --degree D --seed S [--shuffled]

With --mutate PCT and --collections K for both, a share of the references points elsewhere before each
collection but the first.

Prints one JSON object with the keys of `ouro bench graph --json -` where they apply. Runs on any
CPython from 3.8 on, free-threaded builds included. Imports before the last measurement only what
the measurement needs: every module that is loaded adds containers that each collection walks.

What is the same as in `ouro bench graph`: N objects with D reference slots allocated in order,
slots filled from the same edges, one root list made after the nodes, whose k-th item is node
order[k]; one collection with everything alive shown apart, K more, then the root is dropped and
what is left is collected. Node objects are instances of a class with `__slots__`: a GC head of 16
bytes (in the default build), a header of 16 and 8 a slot.
"""
import gc

gc.disable()  # nothing is collected before the first measurement; gc.freeze() is never used

import array
import sys
import time

sys.path.insert(0, __file__.rpartition("/")[0] or ".")

from measure import memory, percentiles

USAGE = ("usage: graph.py --objects N --degree D --seed S [--shuffled] [--mutate PCT]"
         " [--collections K] [--edges FILE]")


def fail(message, status=1):
    print("graph.py: " + message, file=sys.stderr)
    sys.exit(status)


def parse_arguments(arguments):
    """argparse would load some thirty modules that every collection then visits."""
    found = {"objects": None, "degree": None, "seed": None, "edges": "-",
             "shuffled": False, "mutate": 0, "collections": 5}
    rest = iter(arguments)
    for flag in rest:
        name = flag[2:]
        if flag in ("-h", "--help"):
            print(USAGE)
            sys.exit(0)
        if not flag.startswith("--") or name not in found:
            fail("unknown argument %r\n%s" % (flag, USAGE), 2)
        if name == "shuffled":
            found[name] = True
            continue
        value = next(rest, None)
        if value is None:
            fail("%s needs a value\n%s" % (flag, USAGE), 2)
        if name != "edges":
            if not value.isdigit():
                fail("%s takes a whole number, not %r" % (flag, value), 2)
            value = int(value)
        found[name] = value
    for name, value in found.items():
        if value is None:
            fail("--%s is missing\n%s" % (name, USAGE), 2)
    if found["objects"] < 1 or found["degree"] < 1 or found["collections"] < 1:
        fail("--objects, --degree and --collections take at least 1", 2)
    return found


def read_words(stream, count):
    """The next `count` little-endian uint32 of an unbuffered binary stream, in one array."""
    words = array.array("I", bytes(4)) * count
    with memoryview(words) as view, view.cast("B") as room:
        done = 0
        while done < len(room):
            got = stream.readinto(room[done:done + (1 << 24)])
            if not got:
                fail("the edges end after %d bytes, %d were expected" % (done, len(room)))
            done += got
    if sys.byteorder == "big":
        words.byteswap()
    return words


def build(objects, degree, stream):
    """The root list of the graph and the class of its nodes; all else that building needed is gone.

    The caller keeps the class: it is a cycle itself and would be collected with the nodes.
    """
    names = ["s%d" % i for i in range(degree)]
    node = type("Node", (object,), {"__slots__": names})
    nodes = [node() for _ in range(objects)]
    edges = read_words(stream, objects * degree)
    for slot, name in enumerate(names):
        # `any` runs the map to its end, as a slot's __set__ returns None.
        store = getattr(node, name).__set__
        any(map(store, nodes, map(nodes.__getitem__, edges[slot::degree])))
    del edges
    order = read_words(stream, objects)
    return list(map(nodes.__getitem__, order)), node


def mutate(root, changes, stream):
    """One round: each change is a place of the root list, a slot, and the place of its new target."""
    words = read_words(stream, 3 * changes)
    for source, slot, target in zip(words[0::3], words[1::3], words[2::3]):
        setattr(root[source], "s%d" % slot, root[target])


def timed_collection():
    """(wall ns, CPU ns of this thread, what gc.collect() returned)"""
    cpu = time.thread_time_ns()
    wall = time.perf_counter_ns()
    returned = gc.collect()
    wall = time.perf_counter_ns() - wall
    return wall, time.thread_time_ns() - cpu, returned


def finish(stream):
    if stream.read(1):
        fail("the edges go on after the last word that was expected")
    stream.close()


def median(samples):
    ordered = sorted(samples)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) // 2


def run(wanted):
    wall_start, cpu_start = time.perf_counter_ns(), time.process_time_ns()
    gc.collect()
    baseline = min(timed_collection() for _ in range(3))
    baseline_objects = len(gc.get_objects())
    rss_before = memory(b"VmRSS:")

    if wanted["edges"] == "-":
        stream = open(0, "rb", buffering=0, closefd=False)
    else:
        stream = open(wanted["edges"], "rb", buffering=0)
    build_start = time.perf_counter_ns()
    root, node = build(wanted["objects"], wanted["degree"], stream)
    changes = wanted["objects"] * wanted["degree"] * wanted["mutate"] // 100
    if not changes:
        finish(stream)
    build_ns = time.perf_counter_ns() - build_start
    everything = gc.get_objects()
    if any(type(each) is array.array for each in everything):
        fail("an edge array is still there")
    tracked = len(everything) - baseline_objects
    del everything
    rss_live = memory(b"VmRSS:")

    first = timed_collection()
    live = []
    for _ in range(wanted["collections"]):
        if changes:
            mutate(root, changes, stream)
        live.append(timed_collection())
    if changes:
        finish(stream)
    found_alive = first[2] + sum(each[2] for each in live)
    drop_start = time.perf_counter_ns()
    del root  # nodes that no other node refers to die here, by reference counting
    drop_ns = time.perf_counter_ns() - drop_start
    garbage = timed_collection()
    wall_ns = time.perf_counter_ns() - wall_start
    cpu_ns = time.process_time_ns() - cpu_start
    rss_after, rss_peak = memory(b"VmRSS:"), memory(b"VmHWM:")

    if any(type(each) is node for each in gc.get_objects()):
        fail("a collection of the dropped graph left some of it")

    every = [first] + live + [garbage]
    walls, cpus = [each[0] for each in every], [each[1] for each in every]
    free_threaded = "t" in getattr(sys, "abiflags", "")
    return {
        "workload": "graph",
        "params": {key: wanted[key] for key in ("objects", "degree", "shuffled", "mutate",
                                                    "collections")},
        "engine": "cpython-%d.%d.%d" % sys.version_info[:3] + ("t" if free_threaded else ""),
        "refcount": "biased" if free_threaded else "gil",
        "seed": wanted["seed"],
        "live_objects": wanted["objects"],
        "collected": garbage[2],
        "collected_alive": found_alive,
        "freed_by_counting": wanted["objects"] - garbage[2],
        "live_collect_ns": median([each[0] for each in live]),
        "live_first_collect_ns": first[0],
        "live_collect_samples_ns": [each[0] for each in live],
        "garbage_collect_ns": garbage[0],
        "drop_ns": drop_ns,
        "baseline_collect_ns": baseline[0],
        "baseline_objects": baseline_objects,
        "tracked_objects": tracked,
        "build_ns": build_ns,
        "pauses": {"count": len(every), "total_ns": sum(walls),
                   "wall": percentiles(walls), "cpu": percentiles(cpus)},
        "backlog_max": garbage[2],
        "rss_before_bytes": rss_before,
        "rss_live_bytes": rss_live,
        "rss_after_bytes": rss_after,
        "rss_peak_bytes": rss_peak,
        "heap_bytes": None,
        "wall_ns": wall_ns,
        "cpu_ns": cpu_ns,
        "collector_cpu_ns": sum(cpus),
        "mutator_ops": wanted["objects"] * wanted["degree"],
        "version": sys.version,
        "executable": sys.executable,
    }


def main():
    row = run(parse_arguments(sys.argv[1:]))
    import json
    print(json.dumps(row))
    if row["collected_alive"]:
        fail("a collection with everything alive found %d objects" % row["collected_alive"])


if __name__ == "__main__":
    if sys.implementation.name != "cpython":
        fail("this is %s; the peer is CPython" % sys.implementation.name)
    main()
