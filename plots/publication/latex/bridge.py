"""Stock CPython and the bridge: real programs."""
from plots.numbers.finder import BRIDGE, MS, STOCK, programs
from plots.publication.latex import table
from plots.publication.latex.writing import escaped, stacked, tabular


@table
def python(find):
    """Every program: the longest pause as it is and with the bridge, and what that costs."""
    rows = []
    for workload, rate in programs(find):
        def at(subject, metric, scale=1, **more):
            return stacked(find("bridge", workload, subject, metric, scale=scale, select={"rate": rate}, **more))
        rows.append([f"\\code{{{escaped(workload.removeprefix('program:'))}}}" + (f", {rate:,}/s" if rate else ""),
                     at(STOCK, "pauses.wall.max_ns", MS), at(BRIDGE, "pauses.wall.max_ns", MS),
                     at(BRIDGE, "mmu.10ms"),
                     *(at(BRIDGE, metric, over=STOCK)
                       for metric in ("latency.p99_ns", "run_cpu_ns", "rss_peak_bytes"))])
    return tabular("lrrrrrr", ["", "longest pause, ms", "bridge", "MMU(10\\,ms)", "p99, ratio", "CPU, ratio",
                               "memory, ratio"], rows)
