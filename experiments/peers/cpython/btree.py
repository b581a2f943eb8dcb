"""The `btree` workload in CPython: an index of records, after pyperformance's btree.

    ouro numbers --seed S | python3 -I -S btree.py --nodes N --seed S [--collections K]

Prints one JSON object with the keys of `ouro bench btree --json -`. What is the same as there: the tree's
algorithms, step by step (minimum degree 16; experiments/workloads/btree.cpp); records of six fields, with the
same numbers; the order in which keys are put in, the fifth of them that is taken out and put in again, and
those that are asked for. A record is an instance of a class without `__slots__`, as pyperformance's is.
Every collection also walks what the interpreter has itself: `baseline_objects`, `baseline_collect_ns`.
"""
import sys
import time

sys.path.insert(0, __file__.rpartition("/")[0] or ".")

import measure
from random_numbers import Random

USAGE = "usage: btree.py --nodes N [--collections K] [--seed S]  < numbers"
DEGREE = 16
FULL = 2 * DEGREE - 1
REMADE_PERCENT = 20


class Node:
    __slots__ = ("items", "nodes")

    def __init__(self, items, nodes):
        self.items = items
        self.nodes = nodes

    def place(self, key):
        """The first whose key is not less."""
        for place, item in enumerate(self.items):
            if item[0] >= key:
                return place
        return len(self.items)

    def has(self, place, key):
        return place < len(self.items) and self.items[place][0] == key

    def split_child(self, place):
        full = self.nodes[place]
        nodes = None
        items = full.items[DEGREE:]
        del full.items[DEGREE:]
        if full.nodes is not None:
            nodes = full.nodes[DEGREE:]
            del full.nodes[DEGREE:]
        self.nodes.insert(place + 1, Node(items, nodes))
        self.items.insert(place, full.items.pop())

    def merge(self, place):
        left, right = self.nodes[place], self.nodes[place + 1]
        left.items.append(self.items.pop(place))
        left.items.extend(right.items)
        if left.nodes is not None:
            left.nodes.extend(right.nodes)
        del self.nodes[place + 1]

    def strengthen(self, place):
        """Sees to it that the child has an item to spare; returns its place."""
        weak = self.nodes[place]
        if len(weak.items) >= DEGREE:
            return place
        lower = self.nodes[place - 1] if place > 0 else None
        if lower is not None and len(lower.items) >= DEGREE:
            weak.items.insert(0, self.items[place - 1])
            self.items[place - 1] = lower.items.pop()
            if weak.nodes is not None:
                weak.nodes.insert(0, lower.nodes.pop())
            return place
        upper = self.nodes[place + 1] if place < len(self.items) else None
        if upper is not None and len(upper.items) >= DEGREE:
            weak.items.append(self.items[place])
            self.items[place] = upper.items.pop(0)
            if weak.nodes is not None:
                weak.nodes.append(upper.nodes.pop(0))
            return place
        left = place - 1 if place > 0 else place
        self.merge(left)
        return left

    def outermost(self, greatest):
        node = self
        while node.nodes is not None:
            node = node.nodes[-1 if greatest else 0]
        return node.items[-1 if greatest else 0]

    def erase(self, key):
        place = self.place(key)
        here = self.has(place, key)
        if self.nodes is None:
            if not here:
                raise KeyError(key)
            del self.items[place]
            return
        if not here:
            self.nodes[self.strengthen(place)].erase(key)
            return
        for side, greatest in ((self.nodes[place], True), (self.nodes[place + 1], False)):
            if len(side.items) >= DEGREE:
                self.items[place] = nearest = side.outermost(greatest)
                side.erase(nearest[0])
                return
        self.merge(place)
        self.nodes[place].erase(key)

    def walk(self):
        if self.nodes is None:
            yield from self.items
            return
        for place, item in enumerate(self.items):
            yield from self.nodes[place].walk()
            yield item
        yield from self.nodes[-1].walk()

    def containers(self):
        below = sum(node.containers() for node in self.nodes) + 1 if self.nodes is not None else 0
        return 2 + len(self.items) + below


class BTree:
    __slots__ = ("root", "loop", "witness")

    def __init__(self):
        self.root = Node([], None)

    def set(self, key, value):
        root = self.root
        if len(root.items) == FULL:
            self.root = Node([], [root])
            self.root.split_child(0)
        node = self.root
        place = node.place(key)
        while not node.has(place, key) and node.nodes is not None:
            child = node.nodes[place]
            if len(child.items) == FULL:
                node.split_child(place)
            else:
                node = child
            place = node.place(key)
        if node.has(place, key):
            node.items[place] = (key, value)
        else:
            node.items.insert(place, (key, value))

    def get(self, key):
        node = self.root
        while True:
            place = node.place(key)
            if node.has(place, key):
                return node.items[place][1]
            if node.nodes is None:
                return None
            node = node.nodes[place]

    def erase(self, key):
        root = self.root
        root.erase(key)
        if not root.items and root.nodes is not None:
            self.root = root.nodes[0]


class Record:
    def __init__(self, a, b, c, d, e, f):
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.e = e
        self.f = f


def new_records(count, most_bytes, random):
    return [Record(i, "node %d" % i, bytes(i % (most_bytes + 1)), random.below(1 << 31) / (1 << 31),
                   sys.intern(str(random.below(31))), (None, True, False)[random.below(3)])
            for i in range(count)]


def new_record_tree(records, random):
    tree = BTree()
    for key in random.shuffled(len(records)):
        tree.set(key, records[key])
    remade = len(records) * REMADE_PERCENT // 100
    for key in range(remade):
        tree.erase(key)
    for key in range(remade):
        tree.set(key, records[key])
    return tree


def use_tree(tree, count, random):
    """Walks it and looks some of its keys up; returns how many operations that was."""
    items, total = 0, 0.0
    for key, record in tree.root.walk():
        found = tree.get(key)
        if found is not record:
            measure.fail("btree.py", "the tree has lost a key")
        items += 1
        total += found.d
    asked = max(200, count // 20)
    for _ in range(asked):
        key = random.below(count + 1)
        found = tree.get(key)
        if found is not None:
            total += found.d
        elif key != count:
            measure.fail("btree.py", "the tree has lost a key")
    if items != count:
        measure.fail("btree.py", "the tree has not the keys that it should have")
    return items + asked


def run(wanted, random):
    wall_start, cpu_start = time.perf_counter_ns(), time.process_time_ns()
    baseline = measure.baseline()
    rss_before = measure.memory(b"VmRSS:")
    count = wanted["nodes"]
    records = new_records(count, 99, random)
    build_ns = time.perf_counter_ns() - wall_start
    with measure.Pauses() as pauses:
        begun, cpu = time.perf_counter_ns(), time.process_time_ns()
        tree = new_record_tree(records, random)
        first = measure.timed_collection("btree.py")
        operations = use_tree(tree, count, random) + count
        run_ns, run_cpu_ns = time.perf_counter_ns() - begun, time.process_time_ns() - cpu
        walls = [measure.timed_collection("btree.py") for _ in range(wanted["collections"])]
    live = 1 + tree.root.containers() + count
    rss_live = measure.memory(b"VmRSS:")
    del tree, records
    return {
        "workload": "btree", "params": {key: wanted[key] for key in ("nodes", "collections")},
        **measure.engine(), "seed": wanted["seed"], **baseline,
        "live_objects": live, "collected": 0,
        "live_collect_ns": measure.percentiles(walls)["p50_ns"], "live_first_collect_ns": first,
        "live_collect_samples_ns": walls, "garbage_collect_ns": None, "build_ns": build_ns,
        "run_ns": run_ns, "run_cpu_ns": run_cpu_ns, "mutator_ops": operations,
        "ns_per_op": run_ns / operations,
        "pauses": pauses.summary(), "collector_cpu_ns": sum(pauses.cpus), "backlog_max": 0,
        "rss_before_bytes": rss_before, "rss_live_bytes": rss_live,
        "rss_after_bytes": measure.memory(b"VmRSS:"), "rss_peak_bytes": measure.memory(b"VmHWM:"),
        "heap_bytes": None, "wall_ns": time.perf_counter_ns() - wall_start,
        "cpu_ns": time.process_time_ns() - cpu_start,
    }


def main():
    wanted = measure.parse("btree.py", USAGE, {"nodes": None, "collections": 5, "seed": 1},
                           sys.argv[1:])
    if min(wanted["nodes"], wanted["collections"]) < 1:
        measure.fail("btree.py", "--nodes and --collections take at least 1", 2)
    with open(0, "rb", closefd=False) as stream:
        row = run(wanted, Random(stream))
    import json  # after the last measurement
    print(json.dumps(row))


if __name__ == "__main__":
    measure.require_cpython("btree.py")
    main()
