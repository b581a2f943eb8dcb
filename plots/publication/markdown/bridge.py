"""Stock CPython and the bridge: real programs."""
from plots.numbers.finder import BRIDGE, MIB, MS, STOCK, WAYS, programs
from plots.publication.markdown import table
from plots.publication.markdown.writing import cell, code, tabular


@table
def requests(find):
    """What requests that are due at fixed times wait for, by how garbage is collected: of one program."""
    workload, rate = [each for each in programs(find) if each[1]][-1]

    def at(subject, metric, scale=1):
        return cell(find("bridge", workload, subject, metric, scale=scale, select={"rate": rate}))
    rows = [[name, at(subject, "latency.p50_ns", MS), at(subject, "latency.p99_ns", MS), at(subject, "latency.max_ns", MS),
             "none" if name == "`gc.disable()`" else at(subject, "pauses.wall.max_ns", MS),
             at(subject, "run_cpu_ns", 1e-9), at(subject, "rss_peak_bytes", MIB)] for name, subject in WAYS]
    return tabular(["", "request, p50, ms", "p99", "longest", "longest pause, ms", "CPU, s", "peak memory, MiB"], rows)


@table
def python(find):
    """Every program: the longest pause as it is and with the bridge, and what that costs."""
    rows = []
    for workload, rate in programs(find):
        def at(subject, metric, scale=1, **more):
            return cell(find("bridge", workload, subject, metric, scale=scale, select={"rate": rate}, **more))
        rows.append([code(workload.removeprefix("program:")) + (f", {rate:,} a second" if rate else ""),
                     at(STOCK, "pauses.wall.max_ns", MS), at(BRIDGE, "pauses.wall.max_ns", MS),
                     at(STOCK, "stopped_fraction"), at(BRIDGE, "stopped_fraction"), at(BRIDGE, "mmu.10ms"),
                     *(at(BRIDGE, metric, over=STOCK)
                       for metric in ("latency.p99_ns", "run_cpu_ns", "rss_peak_bytes"))])
    return tabular(["", "longest pause, CPython, ms", "bridge", "stopped fraction, CPython", "bridge",
                    "MMU(10 ms), bridge", "p99 of operations, ratio", "CPU, ratio", "peak memory, ratio"], rows)
