"""The `ggauss` workload in CPython: random graphs of Gaussian neighbours that change and are dropped.

    ouro numbers --seed S | python3 -I -S ggauss.py --live N --nodes N --degree D --deviation D
        --mutations M --objects N --seed S

Prints one JSON object with the keys of `ouro bench ggauss --json -`, and makes the same graphs and changes:
experiments/workloads/ggauss.hpp says what they are. How many objects of a graph counting frees when it is
dropped CPython does not say, so there is no backlog.
"""
import sys

sys.path.insert(0, __file__.rpartition("/")[0] or ".")

import measure
import steps

USAGE = ("usage: ggauss.py --live N --nodes N --degree D --deviation D --mutations M --objects N"
         " [--seed S]  < numbers")
ROOT_OF_THREE, ROOT_BITS = 1774, 10


def gaussian_distance(random, deviation):
    total = sum(random.below(1 << 16) for _ in range(4)) - (2 << 16)
    return total * deviation * ROOT_OF_THREE >> 16 + ROOT_BITS


class GaussianGraphs(steps.Load):
    def __init__(self, wanted, random):
        self.random, self.nodes, self.degree = random, wanted["nodes"], wanted["degree"]
        self.deviation, self.mutations = wanted["deviation"], wanted["mutations"]
        self.slots = ["slot%d" % i for i in range(self.degree)]
        self.node = type("Node", (), {"__slots__": tuple(self.slots)})
        self.root = [self.new_graph() for _ in range(wanted["live"] // self.nodes)]

    def neighbour(self, node):
        return (node + gaussian_distance(self.random, self.deviation)) % self.nodes

    def new_graph(self):
        graph = [self.node() for _ in range(self.nodes)]
        for place, node in enumerate(graph):
            for slot in self.slots:
                setattr(node, slot, graph[self.neighbour(place)])
        return graph

    def mutate(self):
        graph = self.root[self.random.below(len(self.root))]
        place = self.random.below(self.nodes)
        slot = self.slots[self.random.below(self.degree)]
        setattr(graph[place], slot, graph[self.neighbour(place)])

    def step(self):
        graph = self.new_graph()
        for _ in range(self.nodes * self.mutations):
            self.mutate()
        self.unreachable += self.nodes
        self.root[self.random.below(len(self.root))] = graph

    def drop(self):
        self.unreachable += self.live()
        self.root = None

    def live(self):
        return len(self.root) * self.nodes

    def waiting(self, collected):
        return None


def main():
    wanted = measure.parse("ggauss.py", USAGE, {
        "live": None, "nodes": None, "degree": None, "deviation": None, "mutations": None,
        "objects": None, "seed": 1}, sys.argv[1:])
    if not 1 <= wanted["nodes"] <= wanted["live"] or min(wanted["degree"], wanted["objects"]) < 1:
        measure.fail("ggauss.py", "--nodes takes at least 1 and at most --live, --degree and"
                     " --objects take at least 1", 2)
    steps.print_row("ggauss", wanted, lambda random: GaussianGraphs(wanted, random),
                    -(-wanted["objects"] // wanted["nodes"]), lambda load: steps.count_of(load.node))


if __name__ == "__main__":
    measure.require_cpython("ggauss.py")
    main()
