"""The `cyclotron` workload in CPython, after the benchmark of that name (Schemenauer, 2026).

    ouro numbers --seed S | python3 -I -S cyclotron.py --shape chain|tree|queue [--cycle-size N]
        [--extra-bytes N] [--live-objects N] [--total-objects N] [--cyclic-fraction F] --seed S

Prints one JSON object with the keys of `ouro bench cyclotron --json -`, and makes the same units in the same
order: experiments/workloads/cyclotron.hpp says what they are. A witness with `__del__` says when each was
collected. The young threshold is 2000 as ours; cyclotron itself takes the interpreter's own.
"""
import sys

sys.path.insert(0, __file__.rpartition("/")[0] or ".")

import btree
import measure
import steps

USAGE = ("usage: cyclotron.py [--shape chain|tree|queue] [--cycle-size N] [--extra-bytes N]"
         " [--live-objects N] [--total-objects N] [--cyclic-fraction F] [--seed S]  < numbers")
MILLION = 1000000


class Node:
    __slots__ = ("next", "payload", "witness")


class Witness:
    __slots__ = ("count",)
    collected = 0

    def __init__(self, count):
        self.count = count

    def __del__(self):
        Witness.collected += self.count


class Cyclotron(steps.Load):
    def __init__(self, wanted, random):
        self.shape, self.size = wanted["shape"], wanted["cycle_size"]
        self.extra, self.random = wanted["extra_bytes"], random
        self.cyclic = round(wanted["cyclic_fraction"] * MILLION)
        self.places = -(-wanted["live_objects"] // self.size)
        self.held = [None] * self.places
        self.next = self.made = 0

    def new_chain(self, cyclic):
        first = last = Node()
        for _ in range(self.size - 1):
            node = Node()
            last.next = node
            last = node
        if self.extra:
            first.payload = bytes(self.extra)
        first.witness = Witness(self.size)
        if cyclic:
            last.next = first
        return first

    def new_tree(self, cyclic):
        records = btree.new_records(max(self.size // 2, 1), self.extra, self.random)
        tree = btree.new_record_tree(records, self.random)
        tree.witness = Witness(self.size)
        if cyclic:
            tree.loop = tree
        return tree

    def step(self):
        cyclic = self.random.below(MILLION) < self.cyclic
        unit = self.new_tree(cyclic) if self.shape == "tree" else self.new_chain(cyclic)
        self.made += 1
        if self.shape == "queue":
            if self.made > self.places:
                self.unreachable += self.size
            self.held[self.next] = unit
            self.next = self.next + 1 if self.next + 1 < self.places else 0
            return
        self.held[self.next] = unit
        del unit  # or the last would outlive the others
        self.next += 1
        if self.next == self.places:
            self.unreachable += self.places * self.size
            for place in range(self.places):
                self.held[place] = None
            self.next = 0

    def drop(self):
        self.unreachable = self.made * self.size
        self.held = None

    def live(self):
        return self.places * self.size

    def waiting(self, collected):
        return max(self.unreachable - Witness.collected, 0)


def main():
    wanted = measure.parse("cyclotron.py", USAGE, {
        "shape": "chain", "cycle_size": 4, "extra_bytes": 0, "live_objects": 10000,
        "total_objects": 1000000, "cyclic_fraction": 1.0, "seed": 1}, sys.argv[1:])
    if wanted["shape"] not in ("chain", "tree", "queue"):
        measure.fail("cyclotron.py", "--shape takes chain, tree or queue", 2)
    if not 1 <= wanted["cycle_size"] <= wanted["live_objects"] or wanted["total_objects"] < 1:
        measure.fail("cyclotron.py", "--cycle-size takes at least 1 and at most --live-objects", 2)
    if not 0 <= wanted["cyclic_fraction"] <= 1:
        measure.fail("cyclotron.py", "--cyclic-fraction takes a number from 0 to 1", 2)
    steps.print_row("cyclotron", wanted, lambda random: Cyclotron(wanted, random),
                    -(-wanted["total_objects"] // wanted["cycle_size"]),
                    lambda _: steps.count_of(Node, btree.BTree, Witness))


if __name__ == "__main__":
    measure.require_cpython("cyclotron.py")
    main()
