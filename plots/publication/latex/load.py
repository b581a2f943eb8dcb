"""What mutators feel under load."""
from plots.numbers.finder import ENGINES, MIB, MILLION, MS, USUAL
from plots.publication.latex import table
from plots.publication.latex.writing import stacked, tabular

# (what, metric, divided by, scale)
LOAD = (
    ("pause, CPU, p50, ms", "merged_pauses.cpu.p50_ns", None, MS),
    ("\\quad p99", "merged_pauses.cpu.p99_ns", None, MS),
    ("\\quad p99.9", "merged_pauses.cpu.p999_ns", None, MS),
    ("\\quad longest", "merged_pauses.cpu.max_ns", None, MS),
    ("pause, wall, p99.9, ms", "merged_pauses.wall.p999_ns", None, MS),
    ("\\quad longest", "merged_pauses.wall.max_ns", None, MS),
    ("OS jitter, p99.9, ms", "hiccups.p999_ns", None, MS),
    ("latency, p99.9, ms", "latency.p999_ns", None, MS),
    ("MMU(10\\,ms)", "mmu.10ms", None, 1),
    ("stopped fraction", "stopped_fraction", None, 1),
    ("backlog, mean, million objects", "backlog_mean", None, MILLION),
    ("\\quad greatest", "backlog_max", None, MILLION),
    ("peak resident memory, MiB", "rss_peak_bytes", None, MIB),
    ("CPU of all processes, ns an operation", "run_cpu_ns", "mutator_ops", 1),
    ("\\quad of it the collector's", "collector_cpu_ns", "mutator_ops", 1),
    ("\\quad of that its child processes'", "child_cpu_ns", "mutator_ops", 1),
)
# The same at two rates.
RATES = (
    ("pause, CPU, p99, ms", "merged_pauses.cpu.p99_ns", None, MS),
    ("\\quad p99.9", "merged_pauses.cpu.p999_ns", None, MS),
    ("\\quad longest", "merged_pauses.cpu.max_ns", None, MS),
    ("MMU(10\\,ms)", "mmu.10ms", None, 1),
    ("MMU(100\\,ms)", "mmu.100ms", None, 1),
    ("stopped fraction", "stopped_fraction", None, 1),
    ("operations done, thousands a second", "operations_per_s", None, 1e-3),
    ("backlog, greatest, million objects", "backlog_max", None, MILLION),
    ("peak resident memory, MiB", "rss_peak_bytes", None, MIB),
    ("CPU without waiting, ns an operation", "work_cpu_ns", "mutator_ops", 1),
)
CASES = (
    ("in order, one mutator", {}, {}),
    ("shuffled", {"shuffled": True}, {}),
    ("two mutators", {"threads": 2}, {}),
    ("no object flagged", {"unflagged": 100}, {}),
    ("saturated", {"load": "saturated"}, {}),
)


@table
def load(find):
    """Engines beside each other at the usual rate and the largest heap."""
    rows = [[what, *(stacked(find("load", "lru", engine, metric, per=per, scale=scale, select=USUAL))
                     for engine in ENGINES)] for what, metric, per, scale in LOAD]
    return tabular("l" + "r" * len(ENGINES), ["", *(f"\\engine{{{each}}}" for each in ENGINES)], rows)


@table
def rates(find):
    """The concurrent engine beside stw, at the rates of experiment rates."""
    at = [(load, engine) for load in ("600000/s", "1200000/s") for engine in ("stw", "concurrent")]
    rows = [[what, *(stacked(find("rates", "lru", engine, metric, per=per, scale=scale,
                                  select={"live": "largest", "load": load})) for load, engine in at)]
            for what, metric, per, scale in RATES]
    return tabular("l" + "r" * len(at), ["", *(f"\\engine{{{engine}}}" for _, engine in at)], rows)


@table
def cases(find):
    """The concurrent engine where it is less easy."""
    rows = []
    for what, select, _ in CASES:
        chosen = {**USUAL, **select}
        rows.append([what, *(stacked(find("load", "lru", "concurrent", metric, per=per, scale=scale,
                                       select=chosen))
                             for metric, per, scale in (
                                 ("merged_pauses.cpu.p999_ns", None, MS),
                                 ("merged_pauses.wall.p999_ns", None, MS), ("mmu.10ms", None, 1),
                                 ("stopped_fraction", None, 1), ("backlog_max", "live_objects", 1)))])
    return tabular("lrrrrr", ["", "CPU, ms", "wall, ms", "MMU(10\\,ms)", "stopped fraction", "backlog / alive"], rows)
