"""What waits to be collected, and resident memory, over the time of a run under load."""
import statistics

from plots.data.loads import by_kind, collecting, load_text, two_loads
from plots.data.names import label, round_size, short_label
from plots.drawing.axes import canvas
from plots.drawing.section import Drawing, Lacks, Section, Table
from plots.drawing.tables import show
from plots.figures.collection.churn import MIB, draw_backlog, draw_memory
from plots.stats.distribution import median_of

from matplotlib.ticker import MaxNLocator


def of_time(runs):
    return [result for result in runs.values() if "rss_points" in result]


def typical(runs):
    """The result of the invocation whose mean backlog is the median, the lower one of two, of those that
    kept what it was over time."""
    ordered = sorted(of_time(runs), key=lambda result: result["backlog_mean"])
    return ordered[(len(ordered) - 1) // 2]


def chosen(kinds):
    """The largest lru as usual, at two loads; what there is of them."""
    usual = [kind for kind in kinds if kind.workload == "lru" and kind.usual
             and collecting(kinds[kind])]
    live = max((kind.live for kind in usual), default=None)
    return [kind for kind in usual
            if kind.live == live and kind.load in two_loads(usual)]


def with_base(result):
    """As draw_memory has it: what was resident when all was built is the run's first point."""
    return {**result, "rss_live_bytes": result["rss_points"][0][1]}


def draw(results, looks, kind, runs):
    figure, panels = canvas(
        results, f"Over time: {kind.title}",
        "The run whose mean backlog is the median. Backlog: objects that the mutators have let go "
        "of and that are not deallocated yet. Memory: above what the process had before it built "
        "what is alive; the dashed line is where the run began.",
        [len(each) for each in runs.values()], rows=len(runs), columns=2, panel=0.9, between=1.15,
        right=0.8, gap=0.42, sharex="col", sharey="col")
    for row, (name, each) in zip(panels, runs.items()):
        result = with_base(typical(each))
        for axes, of, text in ((row[0], draw_backlog, "objects waiting"),
                               (row[1], draw_memory, "resident, MiB")):
            of(axes, result, looks[name])
            axes.set_ylabel(text)
            axes.yaxis.set_major_locator(MaxNLocator(4))
        row[0].set_title(f"{short_label(name)}; greatest "
                         f"{round_size(result['backlog_max'])}", fontsize=7.5)
        row[1].set_title(f"{short_label(name)}; peak of the process "
                         f"{result['rss_peak_bytes'] / MIB:.0f} MiB", fontsize=7.5)
    for axes in panels[-1]:
        axes.set_ylim(0, axes.get_ylim()[1] * 1.06)
        axes.set_xlim(left=0)
        axes.set_xlabel("time since the run began, s")
    return figure


def table(kinds):
    rows = []
    for kind, runs in kinds.items():
        for name, each in runs.items():
            rows.append([kind.name, load_text(kind.load), label(name), str(len(each)),
                         *(show(median_of(each, key), "{:,.0f}")
                           for key in ("backlog_max", "backlog_mean")),
                         *(show(median_of(each, key, 1 / MIB), "{:,.0f}")
                           for key in ("rss_peak_bytes", "rss_end_bytes")),
                         show(statistics.median(
                             max(size for _, size in result["rss_points"]) / MIB
                             for result in of_time(each)), "{:,.0f}")])
    return Table("Backlog and memory, medians over invocations",
                 ["workload", "load", "subject", "n", "greatest backlog", "mean backlog",
                  "peak RSS, MiB", "RSS at the end, MiB", "peak of the run, MiB"], rows,
                 "Peak RSS is of the process, building included.", 3)


def section(results, looks):
    kinds = by_kind(results)
    if not kinds:
        raise Lacks("no run of mutators under load")
    drawings = [Drawing(f"load_over_time_{kind.load.replace('/s', '')}",
                        f"Backlog and memory over time, {kind.title}",
                        draw(results, looks, kind, collecting(kinds[kind])),
                        results.behind(collecting(kinds[kind])))
                for kind in chosen(kinds)]
    return Section("Backlog and memory under load", "", drawings, [table(kinds)],
                   results.behind(kinds))
