"""Graphs with networkx: beside one large graph that stays, each operation takes a neighbourhood out of it, colours it,
and finds its components, its spanning tree and its shortest paths.

`size` nodes are alive, with four edges each: dictionaries of dictionaries.
"""
SIZE = 60_000
OPERATIONS = 1_000
PACKAGE = "python3-networkx"


class Graphs:
    def __init__(self, size, seed):
        import networkx
        self.networkx = networkx
        self.graph = networkx.random_regular_graph(4, size, seed=seed)

    def __call__(self, number):
        networkx = self.networkx
        part = networkx.ego_graph(self.graph, number * 7919 % len(self.graph), radius=4)
        networkx.greedy_color(part)
        list(networkx.connected_components(part))
        networkx.minimum_spanning_tree(part)
        networkx.single_source_shortest_path(part, next(iter(part)))


def load(size, seed):
    return Graphs(size, seed)
