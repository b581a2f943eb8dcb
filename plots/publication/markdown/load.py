"""What mutators feel under load."""
from plots.claims.claims import parameter
from plots.data.names import round_size
from plots.numbers.finder import ENGINES, MIB, MILLION, MS, USUAL, sizes
from plots.publication.markdown import table
from plots.publication.markdown.writing import cell, code, tabular

HEADLINE = ("stw", "incremental", "concurrent")
LOAD = (
    ("pause, CPU time, p99, ms", "merged_pauses.cpu.p99_ns", None, MS),
    ("p99.9", "merged_pauses.cpu.p999_ns", None, MS),
    ("longest", "merged_pauses.cpu.max_ns", None, MS),
    ("pause, wall time, p99.9, ms", "merged_pauses.wall.p999_ns", None, MS),
    ("longest", "merged_pauses.wall.max_ns", None, MS),
    ("OS jitter, p99.9, ms", "hiccups.p999_ns", None, MS),
    ("MMU(10 ms)", "mmu.10ms", None, 1),
    ("MMU(100 ms)", "mmu.100ms", None, 1),
    ("stopped fraction", "stopped_fraction", None, 1),
    ("dead and not collected, mean, million objects", "backlog_mean", None, MILLION),
    ("at most", "backlog_max", None, MILLION),
    ("peak resident memory, MiB", "rss_peak_bytes", None, MIB),
    ("CPU of all processes an operation, ns", "run_cpu_ns", "mutator_ops", 1),
    ("of it the collector's", "collector_cpu_ns", "mutator_ops", 1),
)
WORK = ("CPU of all processes an operation, without waiting, ns", "work_cpu_ns", "mutator_ops", 1)
RATES = tuple(WORK if row[1] == "run_cpu_ns" else row for row in LOAD if "jitter" not in row[0]) + (
    ("done, thousand operations a second", "operations_per_s", None, 1e-3),)


@table
def headline(find):
    """Pause, memory and CPU, never one without the others."""
    def at(engine, metric, scale, per=None):
        return cell(find("load", "lru", engine, metric, scale=scale, per=per, select=USUAL))
    rows = [[code(engine), at(engine, "merged_pauses.cpu.p999_ns", MS), at(engine, "merged_pauses.cpu.max_ns", MS),
             at(engine, "rss_peak_bytes", MIB),
             at(engine, "backlog_mean", MILLION), at(engine, "run_cpu_ns", 1e-3, "mutator_ops")]
            for engine in HEADLINE]
    return tabular(["", "pause, CPU, p99.9, ms", "longest", "peak resident memory, MiB",
                  "dead and not collected, mean, million", "CPU an operation, µs"], rows)


@table
def load(find):
    """Engines beside each other."""
    return tabular(["", *map(code, ENGINES)],
                 [[what, *(cell(find("load", "lru", engine, metric, per=per, scale=scale, select=USUAL))
                           for engine in ENGINES)] for what, metric, per, scale in LOAD])


@table
def flat(find):
    """The same pauses by what is alive."""
    lives = sizes(find, "load", "lru", "live")
    rows = [[code(engine), *(cell(find("load", "lru", engine, "merged_pauses.cpu.p999_ns", scale=MS,
                                       select={**USUAL, "live": live})) for live in lives)]
            for engine in ENGINES]
    return tabular(["", *map(round_size, lives)], rows)


@table
def rates(find):
    """The concurrent engine and stw, at higher rates."""
    at = [(rate, engine) for rate in ("600000/s", "1200000/s") for engine in ("stw", "concurrent")]
    rows = [[what, *(cell(find("rates", "lru", engine, metric, per=per, scale=scale,
                               select={"live": "largest", "load": rate})) for rate, engine in at)]
            for what, metric, per, scale in RATES]
    return tabular(["", *(f"{code(engine)}, {parameter('load', rate)}" for rate, engine in at)], rows)
