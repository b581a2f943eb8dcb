"""What it costs to make the child process of an engine that collects a frozen copy: the stop for it,
against what is alive."""
import statistics

from axes import canvas, duration, label_ends, log_ticks, size_axis
from events import forks
from results import label, round_size, short_label
from section import Drawing, Lacks, Section, Table
from stats import slope
from tables import show

DASHES = {"fork": "-", "stop": (0, (4, 2))}
WORDS = {"fork": "the fork alone", "stop": "the whole stop"}


def measured(results):
    """({subject: {objects alive: {"fork", "stop": [ns], "cpu": [ns], "falls": number}}}, their rows)"""
    found, rows = {}, []
    for row in results.where(lambda row: row["events"]):
        each = forks(results, row)
        if each.forks:
            rows.append(row)
            live = row["result"].get("live_objects") or row["objects"]
            size = float(f"{live:.2g}")
            mine = found.setdefault(row["subject"], {}).setdefault(
                size, {"fork": [], "stop": [], "cpu": [], "falls": 0})
            mine["fork"] += [wall for wall, _, _ in each.forks]
            mine["cpu"] += [cpu for _, cpu, _ in each.forks]
            mine["stop"] += [stop for _, _, stop in each.forks if stop is not None]
            mine["falls"] += each.falls
    return {name: dict(sorted(found[name].items())) for name in results.subjects if name in found}, rows


def draw(results, looks, found, rows):
    sizes = sorted({size for each in found.values() for size in each})
    figure, [[axes]] = canvas(
        results, "What a fork costs",
        "Of all forks of all runs that recorded events: median; whiskers: least and greatest. A fork "
        "copies page tables while the world is stopped; pages that are written while the child lives are "
        "copied later, one by one, in the mutators' time, which is not in it.",
        [len({row["invocation"] for row in rows})], panel=2.1, left=0.75, right=1.6)
    ends = []
    for place, (name, each) in enumerate(found.items()):
        for kind, dash in DASHES.items():
            points = [(size, of[kind]) for size, of in each.items() if of[kind]]
            aside = 1.04 ** (place * 2 + (kind == "stop"))
            middle = [statistics.median(ns) / 1e6 for _, ns in points]
            axes.errorbar([size * aside for size, _ in points], middle,
                          yerr=([m - min(ns) / 1e6 for m, (_, ns) in zip(middle, points)],
                                [max(ns) / 1e6 - m for m, (_, ns) in zip(middle, points)]),
                          color=looks[name].colour, marker=looks[name].marker, linestyle=dash,
                          elinewidth=0.7, capsize=1.8, capthick=0.7)
            if points:
                ends.append((points[-1][0] * aside, middle[-1], f"{short_label(name)}:\n{WORDS[kind]}",
                             looks[name].colour))
    axes.set_yscale("log")
    size_axis(axes, sizes, "objects alive")
    log_ticks(axes.yaxis, duration)
    axes.set_ylabel("wall time")
    label_ends(figure, axes, ends)
    return figure


def table(found):
    rows = []
    for name, each in found.items():
        steep = slope([*each], [statistics.median(of["fork"]) for of in each.values()])
        for size, of in each.items():
            rows.append([label(name), round_size(size), str(len(of["fork"])),
                         *(show(statistics.median(of[key]) / 1e6 if of[key] else None, "{:.3f}")
                           for key in ("fork", "cpu", "stop")), show(max(of["fork"]) / 1e6, "{:.3f}"),
                         str(of["falls"]), show(steep, "{:.2f}")])
    return Table("Forks, ms, medians", ["subject", "alive", "forks", "fork", "fork, CPU",
                                        "whole stop", "longest fork", "fell back on slices", "slope"],
                 rows, "Slope: d log(fork) / d log(alive), least squares: 0 is flat, 1 linear.")


def section(results, looks):
    found, rows = measured(results)
    if not found:
        raise Lacks("no run with recorded events in which a child process was made")
    return Section("The cost of forks", "",
                   [Drawing("fork_cost", "Time of a fork and of the stop around it against live objects",
                            draw(results, looks, found, rows))], [table(found)], rows)
