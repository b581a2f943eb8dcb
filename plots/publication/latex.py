"""The tables of the paper, in LaTeX. Each is made of numbers that claims.evaluate finds as it finds a claim's:
median over invocations with its interval. Missing, which says what, where the data lack one."""
from plots.claims import claims
from plots.claims.claims import number
from plots.claims.conditions import FAILS, HOLDS, NOT
from plots.data.experiments import Missing
from plots.data.names import round_size
from plots.data.results import HEAP_PREFIX

USUAL = {"live": "largest", "load": "300000/s"}
ENGINES = ("stw", "incremental", "concurrent", "snapshot")
MS, MIB, MILLION = 1e-6, 1 / 2**20, 1e-6
# (what, metric, divided by, scale)
LOAD = (
    ("pause, CPU, median, ms", "merged_pauses.cpu.p50_ns", None, MS),
    ("\\quad \\pnn", "merged_pauses.cpu.p99_ns", None, MS),
    ("\\quad \\pnnn", "merged_pauses.cpu.p999_ns", None, MS),
    ("\\quad longest", "merged_pauses.cpu.max_ns", None, MS),
    ("pause, wall, \\pnnn, ms", "merged_pauses.wall.p999_ns", None, MS),
    ("\\quad longest", "merged_pauses.wall.max_ns", None, MS),
    ("hiccups of the machine, \\pnnn, ms", "hiccups.p999_ns", None, MS),
    ("latency, \\pnnn, ms", "latency.p999_ns", None, MS),
    ("least part of any 10 ms", "mmu.10ms", None, 1),
    ("part of the time stopped", "stopped_fraction", None, 1),
    ("backlog, mean, million objects", "backlog_mean", None, MILLION),
    ("\\quad greatest", "backlog_max", None, MILLION),
    ("peak resident memory, MiB", "rss_peak_bytes", None, MIB),
    ("CPU of all processes, ns an operation", "run_cpu_ns", "mutator_ops", 1),
    ("\\quad of it the collector's", "collector_cpu_ns", "mutator_ops", 1),
    ("\\quad of that its child processes'", "child_cpu_ns", "mutator_ops", 1),
)
# The same at two rates.
RATES = (
    ("pause, CPU, \\pnn, ms", "merged_pauses.cpu.p99_ns", None, MS),
    ("\\quad \\pnnn", "merged_pauses.cpu.p999_ns", None, MS),
    ("\\quad longest", "merged_pauses.cpu.max_ns", None, MS),
    ("least part of any 10 ms", "mmu.10ms", None, 1),
    ("\\quad of any 100 ms", "mmu.100ms", None, 1),
    ("part of the time stopped", "stopped_fraction", None, 1),
    ("operations done, thousands a second", "operations_per_s", None, 1e-3),
    ("backlog, greatest, million objects", "backlog_max", None, MILLION),
    ("peak resident memory, MiB", "rss_peak_bytes", None, MIB),
    ("CPU of the process, ns an operation", "run_cpu_ns", "mutator_ops", 1),
)
# Of the same work in every runtime: shuffled, what, its unit.
SLICES = ((False, "slices.wall.p50_ns", 1e-3), (False, "slices.wall.p999_ns", MS), (False, "slices.wall.max_ns", MS),
          (True, "slices.wall.max_ns", MS), (False, "rss_peak_bytes", MIB))
# Of threads that make nothing but garbage: what, its unit.
RINGS = (("backlog_max", 1e-3), ("rss_growth_bytes", MIB), ("operations_per_s", 1e-6))
CASES = (
    ("in order, one mutator", {}, {}),
    ("shuffled", {"shuffled": True}, {}),
    ("two mutators", {"threads": 2}, {}),
    ("no object flagged", {"unflagged": 100}, {}),
    ("saturated", {"load": "saturated"}, {}),
)
KINDS = ("plain", "owner", "atomic", "non-owner")


class Finder:
    """Numbers by what they are of."""
    def __init__(self, experiments, missing, usual):
        self.experiments, self.missing, self.usual = experiments, missing, usual

    def rows(self, experiment):
        """All that there are of an experiment."""
        if experiment not in self.experiments:
            raise Missing(self.missing.get(experiment, f"experiment {experiment} was not run"))
        return self.experiments[experiment].rows

    def __call__(self, experiment, workload, subject, metric, *, per=None, scale=1, select=None, **more):
        asked = {"id": f"a table's {metric} of {subject}", "experiment": experiment, "workload": workload,
                 "subject": subject, "metric": metric, "scale": scale, "select": select or {}, **more}
        if per:
            asked["per"] = per
        found = claims.evaluate(asked, self.experiments, self.missing, self.usual)
        if found.why_not:
            raise Missing(found.why_not)
        return found


def escaped(text):
    text = str(text).replace("\\", "\\textbackslash ")
    for each in "&%$#_{}":
        text = text.replace(each, "\\" + each)
    return text.replace("µ", "\\textmu{}").replace("~", "\\textasciitilde ")


def cell(found):
    """Median, and small behind it the interval."""
    if found.low == found.high:
        return number(found.median)
    return f"{number(found.median)} \\around{{{number(found.low)}}}{{{number(found.high)}}}"


def stacked(found):
    """The same, the interval below the median."""
    if found.low == found.high:
        return number(found.median)
    return f"\\stacked{{{number(found.median)}}}{{{number(found.low)}}}{{{number(found.high)}}}"


def tabular(columns, head, rows):
    lines = [f"\\begin{{tabular}}{{{columns}}}", "\\toprule", " & ".join(head) + " \\\\", "\\midrule",
             *(row if isinstance(row, str) else " & ".join(row) + " \\\\" for row in rows),
             "\\bottomrule", "\\end{tabular}"]
    return "\n".join(lines) + "\n"


def load(find):
    """Engines beside each other at the usual rate and the largest heap."""
    rows = [[what, *(stacked(find("load", "lru", engine, metric, per=per, scale=scale, select=USUAL))
                     for engine in ENGINES)] for what, metric, per, scale in LOAD]
    return tabular("l" + "r" * len(ENGINES), ["", *(f"\\engine{{{each}}}" for each in ENGINES)], rows)


def rates(find):
    """The concurrent engine beside stw, at the rates of experiment rates."""
    at = [(load, engine) for load in ("600000/s", "1200000/s") for engine in ("stw", "concurrent")]
    rows = [[what, *(stacked(find("rates", "lru", engine, metric, per=per, scale=scale,
                                  select={"live": "largest", "load": load})) for load, engine in at)]
            for what, metric, per, scale in RATES]
    return tabular("l" + "r" * len(at), ["", *(f"\\engine{{{engine}}}" for _, engine in at)], rows)


def slices(find):
    """[(subject, [what was found of each of SLICES])], ours first."""
    names = sorted({row["subject"] for row in find.rows("peers")},
                   key=lambda name: (name not in ENGINES, name))
    return [(name, [find("peers", "slices", name, metric, scale=scale,
                         select={"live": "largest", "shuffled": shuffled})
                    for shuffled, metric, scale in SLICES]) for name in names]


def peers(find):
    """A slice of work in every runtime: the largest heap, and the largest that is shuffled."""
    rows = [[f"\\engine{{{escaped(name)}}}", *map(cell, found)] for name, found in slices(find)]
    return tabular("lrrrrr", ["", "median, \\textmu{}s", "99.9\\,\\%, ms", "longest, ms", "shuffled, ms",
                              "memory, MiB"], rows)


def rings(find):
    """([threads], [(subject, [what was found of the first of RINGS by threads, of the next, of the last], whether any
    of its runs ended at the limit of what may wait)]), ours with biased counts first, interpreters last."""
    runs = find.rows("backlog")
    threads = sorted({row["params"]["threads"] for row in runs})

    def place(name):
        engine, _, counts = name.partition("-")
        return name.startswith("cpython"), counts, ENGINES.index(engine) if engine in ENGINES else 0, name
    found = []
    for name in sorted({row["subject"] for row in runs}, key=place):
        numbers = [[find("backlog", "rings", name, metric, scale=scale, select={"threads": each}) for each in threads]
                   for metric, scale in RINGS]
        found.append((name, numbers, any(row["result"]["stopped_at_limit"] for row in runs
                                         if row["subject"] == name)))
    return threads, found


def backlog(find):
    """Threads that make nothing but garbage: biased counts, and interpreters."""
    threads, found = rings(find)
    rows = [[f"\\engine{{{escaped(name)}}}" + (", stopped" if stopped else ""),
             *(stacked(each) for each in (*dead, grown[-1], *rates))]
            for name, (dead, grown, rates), stopped in found if not name.endswith(("-atomic", "-gil"))]
    spread = f"\\multicolumn{{{len(threads)}}}{{c}}"
    heads = [["", f"{spread}{{dead and not freed, thousand}}", "grown, MiB", f"{spread}{{rings/s, million}}"],
             ["threads:", *map(str, threads), str(threads[-1]), *map(str, threads)]]
    return tabular("l" + "r" * (2 * len(threads) + 1), heads[0], [heads[1], "\\midrule", *rows])


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
    return tabular("lrrrrr", ["", "CPU, ms", "wall, ms", "of 10 ms", "stopped", "backlog / alive"], rows)


def captured(find):
    """Heaps of real programs."""
    names = sorted({row["workload"] for row in find.rows("pause")
                    if row["workload"].startswith(HEAP_PREFIX) and not row["params"]["shuffled"]})
    if not names:
        raise Missing("experiment pause: no captured heap")
    rows = []
    for name in names:
        tracked = find("pause", name, "stw", "live_objects")
        rows.append([f"\\texttt{{{escaped(name.removeprefix(HEAP_PREFIX))}}}", f"{tracked.median:,.0f}",
                     *(cell(find("pause", name, subject, "live_collect_ns", scale=MS))
                       for subject in ("stw", "stw-parallel", "cpython-*")),
                     cell(find("pause", name, "stw", "live_collect_ns", over="cpython-*"))])
    return tabular("lrrrrr", ["program", "objects", "\\engine{stw}, ms", "\\engine{stw-parallel}, ms",
                              "CPython, ms", "\\engine{stw} / CPython"], rows)


def pairs(find):
    """An increment and a decrement, by who owns the object."""
    sizes = sorted({row["params"]["objects"] for row in find.rows("pairs")
                    if row["workload"] == "pair"})
    rows = []
    for size in sizes:
        select = {"objects": size, "where": "program"}
        rows.append(["one object" if size == 1 else f"{round_size(size)} in turn",
                     *(cell(find("pairs", "pair", kind, "pair_s", scale=1e9, select=select))
                       for kind in KINDS),
                     cell(find("pairs", "pair", "owner", "pair_s", over="atomic", select=select))])
    return tabular("lrrrrr", ["", *(f"{kind}, ns" for kind in KINDS), "owner / atomic"], rows)


def programs(find):
    """Whole programs, over bare and over atomic counts."""
    rows = []
    found = find.rows("programs")
    shares = sorted({row["params"]["shared"] for row in found if row["workload"] == "rc-storm"})
    kinds = [(f"\\texttt{{rc-storm}}, {share}\\,\\% shared", "rc-storm", {"shared": share})
             for share in shares]
    for what, workload, select in (*kinds, ("\\texttt{gcbench}", "gcbench", {}),
                                   ("\\texttt{churn}", "churn", {})):
        def over(other, threads):
            return cell(find("programs", workload, "biased", "thread_ns_per_op|ns_per_op", over=other,
                             select={**select, "threads": threads}))
        rows.append([what, over("plain", 1), over("atomic", 1), over("atomic", 2)])
    return tabular("lrrr", ["", "one thread, over bare", "over atomic", "two threads, over atomic"], rows)


def extension(find):
    """What calls cost."""
    operations = list(dict.fromkeys(row["params"]["operation"]
                                    for row in find.rows("extension")))
    rows = []
    for operation in operations:
        select = {"operation": operation}
        rows.append([escaped(operation),
                     *(cell(find("extension", "extension", subject, "ns", select=select))
                       for subject in ("cpython", "ouroboros")),
                     cell(find("extension", "extension", "ouroboros", "ns", over="cpython", select=select))])
    return tabular("lrrr", ["operation", "CPython, ns", "Ouroboros, ns", "ratio"], rows)


def rejected(find):
    """What became of candidates."""
    names = sorted({row["workload"] for row in find.rows("components")
                    if row["workload"].startswith("adversary:")})
    rows = []
    for name in names:
        rows.append([f"\\texttt{{{escaped(name.split(':')[1])}}}",
                     *(cell(find("components", name, engine, "rejected", per="candidates", scale=1e6))
                       for engine in ENGINES[1:]),
                     cell(find("components", name, "concurrent", "candidates", scale=MILLION))])
    return tabular("lrrrr", ["", *(f"\\engine{{{each}}}" for each in ENGINES[1:]),
                             "candidates, million (\\engine{concurrent})"], rows)


def components(find):
    """Garbage in components of several shapes: the longest stop, and the whole collection."""
    rows = []
    for shape in ("rings", "chain", "ring"):
        name = f"cycles:{shape}"
        largest = find("components", name, "concurrent", "largest_component")
        rows.append([f"\\texttt{{{shape}}}", f"{largest.median:,.0f}",
                     *(cell(find("components", name, engine, "pauses.cpu.max_ns", scale=MS))
                       for engine in ("stw", "concurrent")),
                     *(cell(find("components", name, engine, "garbage_collect_ns", scale=MS))
                       for engine in ("stw", "concurrent"))])
    return tabular("lrrrrr", ["shape", "largest", "\\engine{stw}: stop, ms", "\\engine{concurrent}",
                              "\\engine{stw}: all, ms", "\\engine{concurrent}"], rows)


def claimed(outcomes):
    """Every claim, what is asked, what was found; over as many pages as it takes."""
    ragged = ">{\\raggedright\\arraybackslash}p"
    lines = [f"\\begin{{longtable}}{{@{{}}{ragged}{{0.47\\linewidth}}{ragged}{{0.13\\linewidth}}"
             f"{ragged}{{0.2\\linewidth}}{ragged}{{0.13\\linewidth}}@{{}}}}",
             "\\toprule", "claim & asked & found & \\\\", "\\midrule", "\\endhead",
             "\\bottomrule", "\\endfoot"]
    for published, title in ((False, "Limits of our own"), (True, "Published elsewhere")):
        lines.append(f"\\multicolumn{{4}}{{@{{}}l}}{{\\emph{{{title}}}}} \\\\*")
        for each in outcomes:
            if each.published != published or each.why_not:
                continue
            found = cell(each) + (f" ({escaped(each.worst.split(':')[-1])})" if each.worst else "")
            source = f" [{escaped(claims.source_of(each.claim))}]" if published else ""
            lines.append(" & ".join([escaped(each.sentence) + source,
                                     escaped(claims.limit_text(each.claim)), found,
                                     each.verdict]) + " \\\\[1pt]")
    return "\n".join([*lines, "\\end{longtable}"]) + "\n"


def apart(outcomes):
    """Why what was published was not found here, an item each."""
    found = [each for each in outcomes if each.published and not each.why_not
             and each.verdict != "reproduced"]
    if not found:
        return "All of them were reproduced.\n"
    items = [f"\\item {escaped(each.sentence)} Published: {escaped(claims.limit_text(each.claim))}; here "
             f"{number(each.median)} ({number(each.low)} to {number(each.high)}). "
             f"Not alike: {escaped(each.claim['published']['why'])}."
             for each in found]
    return "\n".join(["\\begin{itemize}", *items, "\\end{itemize}"]) + "\n"


def gate(judged, document):
    """Which condition holds of which experiment, and why one does not."""
    first = next(iter(judged.values()), [])
    marks = {HOLDS: "holds", FAILS: "no", NOT: "--"}
    rows = [[f"{each.number}. {escaped(each.asks)}",
             *(marks[every[place].state] for every in judged.values())] for place, each in enumerate(first)]
    whys = []
    for name, every in judged.items():
        apart = document["experiment"][name].get("apart", {})
        for each in every:
            if each.state == FAILS:
                reason = f". Set apart: {escaped(apart[each.name])}" if each.name in apart else ""
                whys.append(f"\\item {escaped(name)}, {each.number}: {escaped(each.why)}{reason}.")
    below = ["\\begin{itemize}", *whys, "\\end{itemize}"] if whys else []
    return "\\noindent " + tabular(">{\\raggedright\\arraybackslash}p{0.33\\linewidth}" + "c" * len(judged),
                                 ["", *map(escaped, judged)], rows) + "\n".join(below) + "\n"
