"""Pause, backlog and CPU beside one another: a short pause that is paid for with garbage that piles up,
or with a processor, is no win."""
import statistics

from plots.data.loads import by_kind, collecting, invocations, load_text, shown
from plots.data.names import label, round_size, short_label
from plots.drawing import ratios
from plots.drawing.axes import canvas, duration, log_ticks, plain
from plots.drawing.section import Drawing, Form, Lacks, Section, Table
from plots.drawing.tables import show
from plots.stats.distribution import values
from plots.stats.pairing import summarize

QUANTILE = "p999_ns"


def cpu_of(key):
    """For an operation that was made, ns."""
    return lambda result: result[key] / max(result["mutator_ops"], 1)


# (title, what it is of a result, how a tick is written)
AXES = (("pause, p99.9", lambda result: result["merged_pauses"]["wall"][QUANTILE] / 1e6
         if result["merged_pauses"]["wall"][QUANTILE] else None, duration),
        ("garbage waiting, mean, objects", lambda result: result["backlog_mean"],
         lambda n, _=None: round_size(n)),
        ("collector CPU an operation", lambda result: cpu_of("collector_cpu_ns")(result) / 1e6,
         duration))


def mark(found, of):
    """(median, least, greatest) of the invocations, None where there is none."""
    found = list(values(found, of).values())
    return (statistics.median(found), min(found), max(found)) if found else None


def ratio_mark(found, of, over):
    """The same of the ratios to those of `over`, with their interval."""
    ratio = summarize(ratios.against({"base": values(over, of), "": values(found, of)}, "base").get("", []))
    return (ratio.median, min(ratio.low, ratio.median), max(ratio.high, ratio.median)) if ratio else None


def base_of(results, kinds, chosen):
    return ratios.base_of(results, [{name: values(each, of) for name, each in collecting(kinds[kind]).items()}
                                    for kind in chosen for _, of, _ in AXES])


def draw(results, looks, kinds, chosen, base=None):
    """Of a base: the ratios to it."""
    names = [name for name in collecting({name: None for name in results.subjects})
             if any(name in kinds[kind] for kind in chosen) and name != base]
    title, note = "Pause, garbage that waits, and CPU, of the same runs", (
        "Median over invocations; whiskers: least and greatest")
    if base:
        title, note = f"{title}, over {short_label(base)}", ratios.note(base).removesuffix(". ")
    figure, grid = canvas(
        results, title, f"Less is better in all three. {note}; where there "
        "was none there is no mark. The process's own CPU has the waiting of a mutator for its next "
        "operation in it: it is in the table. The CPU time of a collector's child processes is in both.",
        invocations(kinds, chosen), rows=len(chosen), columns=len(AXES),
        left=0.95, right=0.2, between=0.28, gap=0.72,
        panel=0.17 * len(names) + 0.1, sharex="col", sharey=True)
    figure.subplots_adjust(top=figure.subplotpars.top - 0.16 / figure.get_figheight())
    for row, kind in zip(grid, chosen):
        runs = collecting(kinds[kind])
        for axes, (title, of, _) in zip(row, AXES):
            for place, name in enumerate(names):
                found = (ratio_mark(runs.get(name, {}), of, runs.get(base, {})) if base
                         else mark(runs.get(name, {}), of))
                if found:
                    (middle, least, greatest), look = found, looks[name]
                    axes.errorbar([middle], [place], xerr=[[middle - least], [greatest - middle]],
                                  color=look.colour, marker=look.marker, linestyle="", markersize=5,
                                  elinewidth=0.9, capsize=1.8, capthick=0.9)
            axes.set_xscale("log")
            if base:
                axes.axvline(1, color="#222222", linewidth=0.9, linestyle=(0, (4, 2)))
            axes.set_title(title, fontsize=7)
            axes.tick_params(axis="y", length=0)
            axes.tick_params(labelbottom=True)
        row[0].set_yticks(range(len(names)), list(map(short_label, names)))
        row[0].set_ylim(len(names) - 0.5, -0.5)
        place = row[0].get_position()
        figure.text(0.1 / figure.get_figwidth(), place.y1 + 0.2 / figure.get_figheight(), kind.title,
                    fontsize=7.5, weight="bold", va="bottom")
    for axes, (_, _, text) in zip(grid[-1], AXES):
        low, high = axes.get_xlim()
        if high / low < 12:
            axes.set_xlim(low / 2, high * 2)
        log_ticks(axes.xaxis, plain if base else text, narrow=True)
        axes.tick_params(axis="x", labelsize=6)
    for row in grid[:-1]:
        for axes, last in zip(row, grid[-1]):
            axes.tick_params(axis="x", labelsize=6)
    return figure


def table(kinds):
    rows = []
    for kind, runs in kinds.items():
        for name, each in collecting(runs).items():
            middle = [list(values(each, of).values()) for _, of, _ in AXES]
            pause, backlog, cpu = (statistics.median(found) if found else None for found in middle)
            whole = statistics.median(map(cpu_of("run_cpu_ns"), each.values()))
            rows.append([kind.name, load_text(kind.load), label(name), str(len(each)),
                         show(pause, "{:.3f}"), show(backlog, "{:,.0f}"),
                         show(None if backlog is None else 100 * backlog / kind.live, "{:.1f} %"),
                         show(None if cpu is None else cpu * 1e6, "{:,.0f}"), show(whole, "{:,.0f}")])
    return Table("Pause, garbage that waits, and CPU, medians over invocations",
                 ["workload", "load", "subject", "n", "pause, p99.9, ms", "garbage waiting, mean",
                  "of what is alive", "collector CPU, ns an operation", "process CPU, ns an operation"], rows,
                 words=3)


def section(results, looks):
    kinds = by_kind(results)
    chosen = [kind for kind in shown(kinds) if collecting(kinds[kind])]
    if not chosen:
        raise Lacks("no run of lru or server")
    base = base_of(results, kinds, chosen)
    other = base and Form(lambda: draw(results, looks, kinds, chosen, base), "The same three as times those of "
                          f"{label(base)}, by workload and engine", short_label(base))
    return Section("Pause, backlog and CPU together", "",
                   [Drawing("triangle", "Marks on three axes: pause, garbage that waits, and CPU an "
                            "operation, by workload and engine", draw(results, looks, kinds, chosen),
                            results.behind([kinds[kind] for kind in chosen]), other=other)],
                   [table(kinds)], results.behind(kinds))
