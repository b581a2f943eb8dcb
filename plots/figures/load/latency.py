"""How late operations that are due at fixed times are: from when each began, and metered, as Blackburn et al.
(ASPLOS 2025) have it: as if those around it in a window had been due evenly, so that a stall delays all that
would have come meanwhile."""
import statistics

from plots.data.loads import LATENCIES, SATURATED, by_kind, invocations, lacking, latency, load_text
from plots.data.names import label, short_label
from plots.drawing.axes import canvas, duration, legend, log_ticks
from plots.drawing.section import Drawing, Lacks, Section, Table
from plots.drawing.tables import show
from plots.stats.distribution import values

from matplotlib.lines import Line2D

QUANTILES = (("p50_ns", "50"), ("p90_ns", "90"), ("p99_ns", "99"), ("p999_ns", "99.9"), ("max_ns", "max"))


def scheduled(kinds):
    """Of {kind: {subject: {invocation: result}}} what has all of it."""
    found = {}
    for kind, runs in kinds.items():
        kept = {name: {invocation: result for invocation, result in each.items() if not lacking(result)}
                for name, each in runs.items()}
        kept = {name: each for name, each in kept.items() if each}
        if kept and kind.load != SATURATED:
            found[kind] = kept
    return found


def chosen_of(kinds):
    """Two loads of the largest heap as usual of each workload, requests first; if none is, what there is."""
    found = []
    for name in sorted({kind.workload for kind in kinds}, key=lambda name: (name != "server", name != "lru", name)):
        usual = [kind for kind in kinds if kind.workload == name and kind.usual]
        found += [kind for kind in usual if kind.live == max(each.live for each in usual)][-2:]
    return (found or [*kinds])[:4]


def curve(runs, window):
    """[(place, least, median, greatest), in ms] of the invocations, for each percentile."""
    points = []
    for place, (key, _) in enumerate(QUANTILES):
        found = [ns / 1e6 for ns in values(runs, lambda result, key=key: latency(result, window)[key]).values()]
        if found:
            points.append((place, min(found), statistics.median(found), max(found)))
    return points


def draw(results, looks, kinds, chosen):
    names = [name for name in results.subjects if any(name in kinds[kind] for kind in chosen)]
    figure, grid = canvas(
        results, "Latency of operations that are due at fixed times: simple, and metered",
        "Simple: from when an operation began. Metered: from the start that it would have had if those around "
        "it, in a window of this length, had been evenly spaced, or from its own if that is earlier; over the "
        "whole run that is when it was due. Median over invocations, shaded from the least to the greatest.",
        invocations(kinds, chosen), rows=len(chosen), columns=len(LATENCIES), panel=1.5, left=0.72, right=0.2,
        between=0.14, gap=0.95, foot=0.42, sharey="row")
    figure.subplots_adjust(top=figure.subplotpars.top - 0.3 / figure.get_figheight())
    for row, kind in zip(grid, chosen):
        for axes, window in zip(row, LATENCIES):
            for name in names:
                points = curve(kinds[kind].get(name, {}), window)
                if points:
                    places, low, middle, high = zip(*points)
                    look = looks[name]
                    axes.fill_between(places, low, high, color=look.colour, alpha=0.15, linewidth=0)
                    axes.plot(places, middle, color=look.colour, linestyle=look.dash, marker=look.marker,
                              markersize=3)
            axes.set_yscale("log")
            axes.set_title(LATENCIES[window], fontsize=7)
            axes.set_xticks(range(len(QUANTILES)), [text for _, text in QUANTILES], fontsize=6)
            axes.set_xlabel("percentile", fontsize=7)
        log_ticks(row[0].yaxis, duration)
        row[0].set_ylabel("latency")
        place = row[0].get_position()
        figure.text(0.1 / figure.get_figwidth(), place.y1 + 0.24 / figure.get_figheight(), kind.title,
                    fontsize=7.5, weight="bold", va="bottom")
    legend(grid[0][0], [Line2D([], [], color=looks[name].colour, linestyle=looks[name].dash,
                               marker=looks[name].marker, markersize=3, label=short_label(name))
                        for name in names], bbox_to_anchor=(0, 1.32))
    return figure


def table(kinds):
    rows = []
    for kind, runs in kinds.items():
        for name, each in runs.items():
            for window, title in LATENCIES.items():
                middle = {place: ms for place, _, ms, _ in curve(each, window)}
                rows.append([kind.name, load_text(kind.load), label(name), title, str(len(each)),
                             *(show(middle[place] * 1000 if place in middle else None, "{:,.1f}")
                               for place in range(len(QUANTILES)))])
    return Table("Simple and metered latency of an operation, µs",
                 ["workload", "load", "subject", "latency", "n", "p50", "p90", "p99", "p99.9", "longest"], rows,
                 "Medians over invocations of each one's percentile, which are to a hundredth. Of operations "
                 "that were made; over the whole run also of those that were due and were not.", 4)


def section(results, looks):
    kinds = scheduled(by_kind(results))
    if not kinds:
        raise Lacks("no run of mutators whose operations are due at fixed times")
    chosen = chosen_of(kinds)
    made = table(kinds)
    made.latency = True
    return Section("Simple and metered latency",
                   "What a program feels: an operation waits for a pause, and so do those that are due "
                   "meanwhile.",
                   [Drawing("load_latency", "Latency against percentile, a row a load, a panel a window, a line "
                            "a subject", draw(results, looks, kinds, chosen),
                            results.behind([kinds[kind] for kind in chosen]), latency=True)],
                   [made], results.behind(kinds))
