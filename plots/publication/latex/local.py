"""Local collections beside those that walk the heap."""
from plots.claims.claims import number, parameter
from plots.data.experiments import Missing
from plots.data.names import round_size
from plots.numbers.finder import MIB, MS, sizes
from plots.publication.latex import table
from plots.publication.latex.writing import cell, escaped, stacked, tabular

ENGINES = ("local", "incremental", "stw")
# Beside them, of the workload slices.
ALTERNATIVES = ("local-unbounded",)
LOADS = ("300000/s", "600000/s", "1200000/s", "saturated")
LOADED = (("merged_pauses.cpu.p999_ns", MS), ("merged_pauses.cpu.max_ns", MS), ("mmu.10ms", 1), ("mmu.100ms", 1),
          ("backlog_max", 1e-3), ("rss_peak_bytes", MIB), ("operations_per_s", 1e-3))
# The parameter that a workload was run with several values of.
VARIED = {"server": "cyclic", "touch": "touches", "ggauss": "mutations"}


@table
def local_heap(find):
    """The same work beside heaps of every size."""
    lives = sizes(find, "local", "slices", "live")
    others = sorted({row["subject"] for row in find.rows("local")} - {*ENGINES, *ALTERNATIVES})
    rows = [[f"\\engine{{{escaped(subject)}}}",
             *(stacked(find("local", "slices", subject, "ns_per_op", select={"live": live})) for live in lives),
             *(stacked(find("local", "slices", subject, metric, scale=scale, select={"live": "largest"}))
               for metric, scale in (("slices.wall.max_ns", MS), ("rss_peak_bytes", MIB)))]
            for subject in (*ENGINES, *ALTERNATIVES, *others)]
    return tabular("l" + "r" * (len(lives) + 2),
                   ["ns an operation beside", *map(round_size, lives), "longest slice, ms", "memory, MiB"], rows)


@table
def local_load(find):
    """The same load under three engines."""
    rows = [[escaped(parameter("load", load)) if engine == ENGINES[0] else "", f"\\engine{{{engine}}}",
             *(stacked(find("local", "lru", engine, metric, scale=scale, select={"load": load}))
               for metric, scale in LOADED)] for load in LOADS for engine in ENGINES]
    return tabular("llrrrrrrr", ["", "", "p99.9, ms", "longest", "MMU(10\\,ms)", "(100\\,ms)", "backlog, 1000",
                                 "memory, MiB", "served, 1000/s"], rows)


def share(find, workload, select, scope):
    """What collections of a scope found of all that was found under local; nothing where a result does not say."""
    try:
        return number(find("local", workload, "local", f"collections.{scope}.condemned", per="condemned",
                           select=select).median)
    except Missing:
        return ""


@table
def local_costs(find):
    """What an operation costs beside other engines, and which collections found the garbage."""
    cases = {(row["workload"], row["params"][VARIED[row["workload"]]] if row["workload"] in VARIED else "")
             for row in find.rows("local") if row["workload"] not in ("slices", "lru")}
    found = []
    for workload, value in cases:
        key = VARIED.get(workload)
        select = {key: value} if key else {}
        ratios = [find("local", workload, "local", "run_cpu_ns", per="mutator_ops", over=other, select=select)
                  for other in ENGINES[1:]]
        found.append((ratios, f"\\code{{{escaped(workload.removeprefix('adversary:'))}}}" +
                      (f", {key} {value}" if key else ""),
                      [share(find, workload, select, scope) for scope in ("young", "local", "full")]))
    found.sort(key=lambda each: each[0][0].median)
    return tabular("lrrrrr", ["CPU an operation, over", "\\engine{incremental}", "\\engine{stw}", "found by young",
                              "by local", "by full ones"],
                   [[name, *map(cell, ratios), *shares] for ratios, name, shares in found])
