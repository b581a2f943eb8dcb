"""A step in load: pauses, what is left to the program and resident memory, over the time of a run whose loads take
turns."""
import statistics

from plots.data.loads import by_kind, collecting, load_text, pauses_of, takes_turns
from plots.data.names import label, short_label
from plots.drawing import style
from plots.drawing.axes import canvas, duration
from plots.drawing.section import Drawing, Lacks, Section, Table
from plots.drawing.tables import show
from plots.figures.collection.churn import MIB, draw_memory
from plots.figures.load.over_time import of_time, with_base
from plots.stats.mmu import merged, mmu_curve

from matplotlib.ticker import FuncFormatter, MaxNLocator

TURN = 1_000_000_000   # ns
BIN = 100_000_000      # of what is left to the program
WINDOW = 10_000_000    # of the utilisation in the table


def chosen(kinds):
    """The largest of each workload whose loads take turns."""
    largest = {}
    for kind in kinds:
        if takes_turns(kind.load) and any(map(of_time, collecting(kinds[kind]).values())):
            largest[kind.workload, kind.load] = kind
    return list(largest.values())


def typical(runs):
    """The result of the invocation whose stopped part of the time is the median, the lower one of two."""
    ordered = sorted((result for result in of_time(runs) if "pause_points" in result),
                     key=lambda result: result["stopped_fraction"])
    return ordered[(len(ordered) - 1) // 2]


def parts(result, length):
    """[(begin, [(start, ns)])]: the pauses of the first mutator in each `length` of the run, cut at its ends."""
    pauses = result["pause_points"]
    found = []
    for begin in range(0, result["run_ns"] // length * length, length):
        inside = [(max(start, begin) - begin, min(start + ns, begin + length) - max(start, begin))
                  for start, ns in pauses if start < begin + length and start + ns > begin]
        found.append((begin, inside))
    return found


def in_turns(result):
    """([pauses of each turn of the one load], [of the other])."""
    turns = [inside for _, inside in parts(result, TURN)]
    return turns[::2], turns[1::2]


def draw_pauses(axes, result, look):
    points = pauses_of(result)[0]
    axes.vlines([start / 1e9 for start, _ in points], 1e-6, [ns / 1e6 for _, ns in points], color=look.colour,
                linewidth=0.5)
    axes.set_yscale("log")
    axes.set_ylim(0.01, None)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda ms, _: duration(ms)))


def draw_left(axes, result, look):
    left = [100 * (1 - sum(ns for _, ns in inside) / BIN) for _, inside in parts(result, BIN)]
    axes.stairs(left, [at * BIN / 1e9 for at in range(len(left) + 1)], color=look.colour, linewidth=1.1,
                baseline=None)
    axes.set_ylim(0, 105)


def draw(results, looks, kind, runs):
    first, second = map(load_text, kind.load.split(","))
    figure, panels = canvas(
        results, f"A step in load: {kind.name}",
        f"A second each in turn: {first}; grey: {second}. The run whose stopped part of the time is the "
        "median. Pauses less than a budget apart are one. Left to the program: of each 100 ms. Memory: above what the "
        "process had before it built what is alive.",
        [len(each) for each in runs.values()], rows=len(runs), columns=3, panel=0.9, between=1.0, right=0.8,
        gap=0.42, sharex="all", sharey="col")
    for row, (name, each) in zip(panels, runs.items()):
        result = with_base(typical(each))
        for axes, (of, text) in zip(row, ((draw_pauses, "pause"), (draw_left, "left, %"),
                                          (draw_memory, "resident, MiB"))):
            of(axes, result, looks[name])
            axes.set_ylabel(text)
            for turn in range(1, result["run_ns"] // TURN + 1, 2):
                axes.axvspan(turn, turn + 1, color=style.QUIET, alpha=0.18, linewidth=0)
            axes.set_xlim(0, result["run_ns"] / 1e9)
        row[2].yaxis.set_major_locator(MaxNLocator(4))
        row[0].set_title(short_label(name), fontsize=7.5)
    for axes in panels[-1]:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("time since the run began, s")
    return figure


def least_left(turns):
    """Per cent: the least utilisation of any window in the turns; None where there is none."""
    return min((100 * mmu_curve(inside, TURN, [WINDOW])[0] for inside in turns), default=None)


def longest(turns):
    return max((ns / 1e6 for inside in turns for _, ns in inside), default=0)


def longest_together(turns, budget):
    """Those less than a budget apart as one."""
    return longest([merged(inside, budget) for inside in turns])


def table(kinds, shown):
    rows = []
    for kind in shown:
        for name, each in collecting(kinds[kind]).items():
            of = [(*in_turns(result), result["pause_budget_ns"]) for result in each.values()
                  if "pause_points" in result]
            for which, load in enumerate(kind.load.split(",")):
                rows.append([kind.name, load_text(load), label(name), str(len(of)),
                             *(show(statistics.median(found), "{:,.2f}") if None not in found and found else "-"
                               for found in ([longest(turns[which]) for turns in of],
                                             [longest_together(turns[which], turns[2]) for turns in of],
                                             [least_left(turns[which]) for turns in of])),
                             show(statistics.median(result["rss_peak_bytes"] / MIB for result in each.values()),
                                  "{:,.0f}")])
    return Table("A step in load, medians over invocations",
                 ["workload", "turns", "subject", "n", "longest pause, ms", "together, ms",
                  "least left of 10 ms, %", "peak RSS, MiB"], rows,
                 "Pauses by the clock; together: those less than a budget apart as one. Peak RSS is of the process.", 3)


def section(results, looks):
    kinds = by_kind(results)
    shown = chosen(kinds)
    if not shown:
        raise Lacks("no run whose loads take turns")
    drawings = [Drawing(f"load_turns_{kind.workload}_{kind.load.replace('/s', '').replace(',', '_')}",
                        f"A step in load, {kind.title}", draw(results, looks, kind, collecting(kinds[kind])),
                        results.behind(collecting(kinds[kind])))
                for kind in shown]
    return Section("A step in load", "", drawings, [table(kinds, shown)], results.behind([kinds[kind] for kind in shown]))
