"""The figures of the paper: as narrow as its text, without title or machine, which its captions say."""
import statistics

from plots.data.experiments import Missing, by_invocation, matching
from plots.data.loads import pause_lengths
from plots.data.names import short_label
from plots.drawing import style
from plots.drawing.axes import duration, label_ends, log_ticks, percentile_axis, size_axis
from plots.publication.latex import ENGINES, USUAL
from plots.stats.distribution import rank, tail

import matplotlib.pyplot as plt

WIDTH = 5.5   # inches: the text of acmsmall
LOOKS = style.looks(["ouro-stw", "ouro-concurrent", "ouro-incremental", "ouro-snapshot",
                     "ouro-stw-parallel", "cpython"])


def look(subject):
    return LOOKS["cpython" if subject.startswith("cpython") else f"ouro-{subject}"]


def panels(columns, height, right=0.78, between=1.1):
    """A figure of one row; lengths in inches."""
    figure, places = plt.subplots(1, columns, figsize=(WIDTH, height), squeeze=False)
    left, foot, head = 0.62, 0.42, 0.2
    wide = (WIDTH - left - right - (columns - 1) * between) / columns
    figure.subplots_adjust(left=left / WIDTH, right=1 - right / WIDTH, top=1 - head / height,
                           bottom=foot / height, wspace=between / wide)
    return figure, places[0]


def line(axes, subject, points):
    """A line through (x, [values]): medians, with least and greatest. Its end, for label_ends."""
    points = sorted(points)
    middles = [(x, statistics.median(values)) for x, values in points]
    its = look(subject)
    axes.plot(*zip(*middles), color=its.colour, linestyle=its.dash, marker=its.marker, linewidth=1.1,
              markersize=3)
    for x, values in points:
        axes.vlines(x, min(values), max(values), color=its.colour, linewidth=0.7)
    return (*middles[-1], short_label(subject), its.colour)


def finish(figure, drawn, ylabel):
    for axes, ends in drawn:
        axes.set_yscale("log")
        log_ticks(axes.yaxis, duration)
        label_ends(figure, axes, ends, size=6)
    drawn[0][0].set_ylabel(ylabel)
    return figure


def experiment(experiments, missing, name):
    if name not in experiments:
        raise Missing(missing.get(name, f"experiment {name} was not run"))
    return experiments[name]


def pause_vs_heap(experiments, missing, _):
    """The pause of a full collection, everything alive, against the heap."""
    rows = [row for row in experiment(experiments, missing, "pause").rows if row["workload"] == "graph"]
    subjects = sorted({row["subject"] for row in rows}, key=lambda name: (name.startswith("c"), name))
    if not rows:
        raise Missing("experiment pause: no run of graph")
    figure, places = panels(2, 1.9)
    drawn = []
    for axes, shuffled in zip(places, (False, True)):
        ends = []
        for subject in subjects:
            points = {}
            for row in rows:
                if row["subject"] == subject and row["params"]["shuffled"] == shuffled:
                    points.setdefault(row["params"]["objects"], []).append(
                        row["result"]["live_collect_ns"] / 1e6)
            if points:
                ends.append(line(axes, subject, points.items()))
        size_axis(axes, sorted({row["params"]["objects"] for row in rows}), "objects alive")
        axes.set_title("list shuffled" if shuffled else "list in order", fontsize=7.5)
        drawn.append((axes, ends))
    return finish(figure, drawn, "pause")


def load_rows(experiments, missing, usual, select):
    rows = matching(experiment(experiments, missing, "load").rows, "lru", select, usual)
    if not rows:
        raise Missing(f"experiment load: no run of lru with {select}")
    return rows


def pauses(experiments, missing, usual):
    """Percentile curves of the pauses under load, and their 99.9th percentile against the heap."""
    largest = load_rows(experiments, missing, usual, USUAL)
    figure, (left, right) = panels(2, 2.1)
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
    everything = load_rows(experiments, missing, usual, {"load": USUAL["load"]})
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
    return finish(figure, [(left, ends), (right, scaling)], "pause")


def triangle(experiments, missing, usual):
    """Pause, backlog and CPU of each engine: a mark an engine in two panels."""
    rows = load_rows(experiments, missing, usual, USUAL)
    figure, places = panels(2, 1.9, right=0.2, between=0.6)
    for axes, (what, of) in zip(places, (
            ("greatest backlog / alive", lambda result: result["backlog_max"] / result["live_objects"]),
            ("collector's CPU, ns an operation",
             lambda result: result["collector_cpu_ns"] / result["mutator_ops"]))):
        for engine in ENGINES:
            runs = [row["result"] for row in by_invocation(rows, engine, "figure of three").values()]
            xs, ys = [of(each) for each in runs], [
                rank(sorted(pause_lengths({0: each}) or [1]), 0.999) / 1e6 for each in runs]
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
    return figure


FIGURES = {"pause_vs_heap": pause_vs_heap, "pauses": pauses, "triangle": triangle}


def apply():
    style.apply()
    plt.rcParams.update({"font.family": "STIXGeneral", "mathtext.fontset": "stix", "pdf.fonttype": 42,
                         "font.size": 8, "axes.labelsize": 8, "xtick.labelsize": 7, "ytick.labelsize": 7})


def save(figure, path):
    """A PDF or PNG without a date or a name of a program, so that equal data give equal bytes."""
    fixed = {"Creator": None, "Producer": None, "CreationDate": None} if path.suffix == ".pdf" else {
        "Software": None}
    figure.savefig(path, dpi=200, metadata=fixed)
    plt.close(figure)
