"""Mutators under load."""
import statistics

from plots.data.experiments import Missing, by_invocation, matching
from plots.data.loads import pause_lengths
from plots.data.names import short_label
from plots.drawing import style
from plots.drawing.axes import duration, log_ticks, percentile_axis, size_axis
from plots.numbers.finder import ENGINES, USUAL
from plots.publication.figures import figure
from plots.publication.figures.frame import finish, line, look, panels
from plots.stats.distribution import quantile, tail


def load_rows(find, select):
    rows = matching(find.rows("load"), "lru", select, find.usual)
    if not rows:
        raise Missing(f"experiment load: no run of lru with {select}")
    return rows


@figure
def pauses(find):
    """Percentile curves of the pauses under load, and their 99.9th percentile against the heap."""
    largest = load_rows(find, USUAL)
    drawing, (left, right) = panels(2, 2.1)
    ends, most = [], 2
    for engine in ENGINES:
        runs = {i: row["result"] for i, row in by_invocation(largest, engine, "figure of pauses").items()}
        samples = [ns / 1e6 for ns in pause_lengths(runs)]
        if not samples:
            raise Missing(f"experiment load: no pause of {engine}")
        its, points = look(engine), tail(samples)
        left.plot([x for x, _ in points], [max(y, 1e-6) for _, y in points], color=its.colour,
                  linestyle=its.dash, drawstyle="steps-post", linewidth=1.1)
        ends.append((points[-1][0], points[-1][1], short_label(engine), its.colour))
        most = max(most, len(samples))
    floor = statistics.median(row["result"]["hiccups"]["p999_ns"] for row in largest) / 1e6
    left.axhline(floor, color=style.QUIET, linestyle=(0, (1, 2)), linewidth=0.9)
    left.set_yscale("log")
    percentile_axis(left, most)
    left.set_title("all pauses, wall time, the largest heap", fontsize=7.5)
    everything = load_rows(find, {"load": USUAL["load"]})
    scaling = []
    for engine in ENGINES:
        points = {}
        for row in everything:
            if row["subject"] == engine:
                points.setdefault(row["params"]["live"], []).append(
                    row["result"]["merged_pauses"]["cpu"]["p999_ns"] / 1e6)
        scaling.append(line(right, engine, points.items()))
    size_axis(right, sorted({row["params"]["live"] for row in everything}), "objects alive")
    right.set_title("99.9th percentile of CPU time", fontsize=7.5)
    return finish(drawing, [(left, ends), (right, scaling)], "pause")


@figure
def triangle(find):
    """Pause, backlog and CPU of each engine: a mark an engine in two panels."""
    rows = load_rows(find, USUAL)
    drawing, places = panels(2, 1.9, right=0.2, between=0.6)
    for axes, (what, of) in zip(places, (
            ("greatest backlog / alive", lambda result: result["backlog_max"] / result["live_objects"]),
            ("collector's CPU, ns an operation",
             lambda result: result["collector_cpu_ns"] / result["mutator_ops"]))):
        for engine in ENGINES:
            runs = [row["result"] for row in by_invocation(rows, engine, "figure of three").values()]
            xs, ys = [of(each) for each in runs], [
                quantile(sorted(pause_lengths({0: each}) or [1]), 0.999) / 1e6 for each in runs]
            its = look(engine)
            axes.plot(statistics.median(xs), statistics.median(ys), color=its.colour, marker=its.marker,
                      linestyle="", markersize=4.5, label=short_label(engine))
            axes.plot(xs, ys, color=its.colour, marker=its.marker, linestyle="", markersize=1.5, alpha=0.5)
        axes.set_yscale("log")
        log_ticks(axes.yaxis, duration)
        axes.set_xlim(0, axes.get_xlim()[1] * 1.1)
        axes.set_xlabel(what)
    places[0].set_ylabel("99.9 % of pauses")
    places[0].legend(loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncol=len(ENGINES), frameon=False,
                     fontsize=6.5, borderpad=0, handletextpad=0.2, columnspacing=1)
    return drawing
