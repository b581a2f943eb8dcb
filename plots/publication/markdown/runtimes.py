"""Collections and work beside other runtimes."""
from plots.data.names import round_size, short_label
from plots.numbers.finder import interpreters, rings, sizes, slices
from plots.publication.markdown import table
from plots.publication.markdown.writing import cell, code, tabular


@table
def full(find):
    """A full collection of a random graph, ns an object."""
    rows, peers = [], interpreters(find, "pause", "graph")
    for shuffled in (False, True):
        for size in sizes(find, "pause", "graph", "objects"):
            def at(subject, over=None):
                return cell(find("pause", "graph", subject, "live_collect_ns", per="live_objects",
                                 select={"objects": size, "shuffled": shuffled}, **({"over": over, "each": "over"} if over else {})))
            rows.append([round_size(size), "shuffled" if shuffled else "in order",
                         *(at(each) for each in ("stw", "stw-parallel", *peers)),
                         at("stw", "cpython-*"), at("stw-parallel", "stw")])
    return tabular(["objects", "order", "`stw`, ns an object", "`stw-parallel`", *map(short_label, peers),
                  "`stw` / " + (short_label(*peers) if len(peers) == 1 else "the fastest CPython"),
                  "`stw-parallel` / `stw`"], rows)


@table
def peers(find):
    """A slice of work in every runtime."""
    return tabular(["", "slice, median, µs", "p99.9, ms", "longest, ms", "longest, rings replaced at random, ms",
                  "peak resident memory, MiB"],
                 [[code(name), *map(cell, found)] for name, found in slices(find)])


@table
def backlog(find):
    """Threads that make nothing but garbage."""
    threads, found = rings(find)
    rows = [[code(name) + (", stopped" if stopped else ""), *map(cell, (*dead, grown[-1], *rates))]
            for name, (dead, grown, rates), stopped in found]
    number_of = [f"{each} thread{'s' * (each > 1)}" for each in threads]
    return tabular(["", f"dead and not freed at most, thousand: {number_of[0]}", *number_of[1:],
                  f"memory grew by, MiB: {number_of[-1]}", f"million rings a second: {number_of[0]}", *number_of[1:]],
                 rows)
