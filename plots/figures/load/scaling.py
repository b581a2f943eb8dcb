"""Pauses under load against what is alive: flat or not."""
import statistics

from plots.data.loads import by_kind, collecting, invocations, load_order, load_text
from plots.data.names import label, round_size, short_label
from plots.drawing import ratios
from plots.drawing.axes import canvas, duration, label_ends, log_ticks, size_axis
from plots.drawing.section import Drawing, Lacks, Section, Table
from plots.drawing.tables import show
from plots.stats.distribution import slope, values

QUANTILE = "p99_ns"
CLOCKS = (("cpu", "CPU time"), ("wall", "wall time"))


def p99(clock):
    return lambda result: result["merged_pauses"][clock][QUANTILE]


def series(kinds, name, load, clock):
    """[(live, least, median, greatest)] of lru as usual, ns."""
    found = []
    for kind, runs in kinds.items():
        if kind.workload == "lru" and kind.usual and kind.load == load and name in runs:
            each = list(values(runs[name], p99(clock)).values())
            if each:
                found.append((kind.live, min(each), statistics.median(each), max(each)))
    return found


def draw_panel(axes, results, looks, kinds, load, clock):
    ends = []
    for name in collecting({name: None for name in results.subjects}):
        points = series(kinds, name, load, clock)
        if not points:
            continue
        look = looks[name]
        sizes, low, middle, high = zip(*points)
        axes.errorbar(sizes, [each / 1e6 for each in middle],
                      yerr=([(a - b) / 1e6 for a, b in zip(middle, low)],
                            [(a - b) / 1e6 for a, b in zip(high, middle)]),
                      color=look.colour, linestyle=look.dash, marker=look.marker, elinewidth=0.8)
        flat = slope(sizes, middle)
        text = short_label(name) + (f"\nslope {flat:.2f}" if flat is not None else "")
        ends.append((sizes[-1], middle[-1] / 1e6, text, look.colour))
    axes.set_yscale("log")
    return ends


def draw(results, looks, kinds, loads, sizes):
    figure, grid = canvas(
        results, "The 99th percentile of pauses against what is alive",
        "lru, in order, one mutator. Median over invocations; whiskers: least and greatest. Pauses "
        "less than a budget apart are one. Slope: d log(pause) / d log(alive), least squares: 0 is "
        "flat, 1 linear.",
        invocations(kinds, [kind for kind in kinds if kind.workload == "lru" and kind.usual]),
        rows=len(loads), columns=2, panel=1.8, gap=0.75, sharey=True)
    ends = []
    for row, load in zip(grid, loads):
        for axes, (clock, text) in zip(row, CLOCKS):
            ends.append((axes, draw_panel(axes, results, looks, kinds, load, clock)))
            axes.set_title(f"{load_text(load)}, {text}")
            size_axis(axes, sizes, "objects alive")
            axes.tick_params(labelleft=True)
        row[0].set_ylabel("pause, p99")
    log_ticks(grid[0][0].yaxis, duration)
    for axes, each in ends:
        label_ends(figure, axes, each)
    return figure


def as_ratios(results, looks, kinds, loads, sizes):
    usual = [kind for kind in kinds if kind.workload == "lru" and kind.usual]
    return ratios.lines(
        results, looks, "The 99th percentile of pauses against what is alive, over {base}",
        [(f"{load_text(load)}, {text}",
          {kind.live: {name: values(each, p99(clock)) for name, each in collecting(kinds[kind]).items()}
           for kind in usual if kind.load == load}) for load in loads for clock, text in CLOCKS],
        "lru, in order, one mutator. Pauses less than a budget apart are one.",
        lambda axes: size_axis(axes, sizes, "objects alive"), "pause over that of {base}",
        "The same percentile as times that of {base}, a line a subject", factor=True)


def table(results, kinds, loads, sizes):
    rows = []
    for load in loads:
        for name in collecting({name: None for name in results.subjects}):
            for clock, text in CLOCKS:
                points = {live: middle for live, _, middle, _ in series(kinds, name, load, clock)}
                if points:
                    flat = slope(list(points), list(points.values()))
                    rows.append([load_text(load), label(name), text,
                                 *(show(points[size] / 1e6 if size in points else None, "{:.3f}")
                                   for size in sizes), show(flat, "{:.2f}")])
    return Table("Pause, p99, ms, by what is alive; and the slope",
                 ["load", "subject", "", *map(round_size, sizes), "slope"], rows, words=3)


def section(results, looks):
    kinds = by_kind(results)
    usual = [kind for kind in kinds
             if kind.workload == "lru" and kind.usual and collecting(kinds[kind])]
    sizes = sorted({kind.live for kind in usual})
    if len(sizes) < 2:
        raise Lacks("fewer than two sizes of lru")
    loads = sorted({kind.load for kind in usual}, key=load_order)
    loads = [load for load in loads if any(series(kinds, name, load, "wall")
                                           for name in results.subjects)]
    if not loads:
        raise Lacks("no run of lru with a pause")
    return Section("Pauses against what is alive", "",
                   [Drawing("load_scaling", "The 99th percentile of pauses against live objects, "
                            "both logarithmic, a line a subject",
                            draw(results, looks, kinds, loads, sizes),
                            other=as_ratios(results, looks, kinds, loads, sizes))],
                   [table(results, kinds, loads, sizes)],
                   results.behind([kinds[kind] for kind in usual]))
