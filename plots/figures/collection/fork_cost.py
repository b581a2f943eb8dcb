"""What it costs to make the child process of an engine that collects a frozen copy: the fork, which copies
the page tables of resident memory, and the stop for it."""
import statistics

from plots.data.events import forks
from plots.data.names import label, round_size, short_label
from plots.drawing.axes import canvas, duration, label_ends, log_ticks, size_axis
from plots.drawing.section import Drawing, Lacks, Section, Table
from plots.drawing.tables import show
from plots.stats.distribution import slope

DASHES = {"fork": "-", "stop": (0, (4, 2))}
WORDS = {"fork": "the fork alone", "stop": "the whole stop"}
GIB, MIB, KIB = 1 << 30, 1 << 20, 1 << 10


def samples(row, told):
    """[(wall ns, CPU ns, resident bytes, bytes of page tables)] of a row's forks; of one that lacks them
    what its events tell, without the bytes."""
    kept = row["result"].get("forks")
    return kept["samples"] if kept else [(wall, cpu, None, None) for wall, cpu, _ in told.forks]


def measured(results):
    """({subject: {objects alive: {"fork", "cpu", "stop": [ns], "resident", "tables": [bytes], "each": [(wall,
    CPU) ns a GiB], "falls": number}}}, their rows)"""
    found, rows = {}, []
    for row in results.where(lambda row: row["events"] or row["result"].get("forks")):
        told = forks(results, row)
        made = samples(row, told)
        if not made:
            continue
        rows.append(row)
        live = row["result"].get("live_objects") or row["objects"]
        mine = found.setdefault(row["subject"], {}).setdefault(float(f"{live:.2g}"), {
            "fork": [], "cpu": [], "stop": [], "resident": [], "tables": [], "each": [], "falls": 0})
        mine["fork"] += [wall for wall, *_ in made]
        mine["cpu"] += [cpu for _, cpu, *_ in made]
        mine["stop"] += [stop for _, _, stop in told.forks if stop is not None]
        mine["resident"] += [bytes_ for *_, bytes_, _ in made if bytes_]
        mine["tables"] += [bytes_ for *_, bytes_ in made if bytes_]
        mine["each"] += [(wall * GIB / bytes_, cpu * GIB / bytes_) for wall, cpu, bytes_, _ in made if bytes_]
        mine["falls"] += told.falls
    return {name: dict(sorted(found[name].items())) for name in results.subjects if name in found}, rows


def draw_line(axes, points, look, dash, aside=1):
    """Medians of [(x, [y])] with their least and greatest. The line's end."""
    middle = [statistics.median(each) for _, each in points]
    axes.errorbar([x * aside for x, _ in points], middle,
                  yerr=([m - min(each) for m, (_, each) in zip(middle, points)],
                        [max(each) - m for m, (_, each) in zip(middle, points)]),
                  color=look.colour, marker=look.marker, linestyle=dash, elinewidth=0.7, capsize=1.8,
                  capthick=0.7)
    return points[-1][0] * aside, middle[-1]


def draw(results, looks, found, rows):
    sizes = sorted({size for each in found.values() for size in each})
    by_memory = {name: [(statistics.median(of["resident"]) / MIB, [wall / 1e6 for wall, _ in of["each"]])
                        for of in each.values() if of["each"]] for name, each in found.items()}
    by_memory = {name: sorted(points) for name, points in by_memory.items() if points}
    figure, [panels] = canvas(
        results, "What a fork costs",
        "Of all forks that were recorded: median; whiskers: least and greatest. A fork copies page tables "
        "while the world is stopped; pages that are written while the child lives are copied later, one by "
        "one, in the mutators' time, which is not in it." + " Right: for each GiB that was resident." * bool(
            by_memory), [len({row["invocation"] for row in rows})], columns=2 if by_memory else 1, panel=2.1,
        left=0.75, right=0.95 if by_memory else 1.6, between=1.7)
    ends = []
    for place, (name, each) in enumerate(found.items()):
        for kind, dash in DASHES.items():
            points = [(size, [ns / 1e6 for ns in of[kind]]) for size, of in each.items() if of[kind]]
            if points:
                end = draw_line(panels[0], points, looks[name], dash, 1.04 ** (place * 2 + (kind == "stop")))
                ends.append((*end, f"{short_label(name)}:\n{WORDS[kind]}", looks[name].colour))
    size_axis(panels[0], sizes, "objects alive")
    panels[0].set_ylabel("wall time")
    all_ends = [ends]
    if by_memory:
        all_ends.append([(*draw_line(panels[1], points, looks[name], "-"), short_label(name),
                          looks[name].colour) for name, points in by_memory.items()])
        panels[1].set_xscale("log")
        panels[1].set_xlabel("resident, MiB")
        panels[1].set_ylabel("wall time a GiB")
        log_ticks(panels[1].xaxis, lambda mib, _=None: f"{mib:.12g}")
    for axes, each in zip(panels, all_ends):
        axes.set_yscale("log")
        log_ticks(axes.yaxis, duration)
        label_ends(figure, axes, each)
    return figure


def table(found):
    rows = []
    for name, each in found.items():
        steep = slope([*each], [statistics.median(of["fork"]) for of in each.values()])
        for size, of in each.items():
            def median_of(numbers, unit, form="{:.3f}"):
                return show(statistics.median(numbers) / unit if numbers else None, form)
            rows.append([label(name), round_size(size), str(len(of["fork"])),
                         *(median_of(of[key], 1e6) for key in ("fork", "cpu", "stop")),
                         show(max(of["fork"]) / 1e6, "{:.3f}"), median_of(of["resident"], MIB, "{:.1f}"),
                         median_of(of["tables"], KIB, "{:.0f}"),
                         *(median_of([pair[place] for pair in of["each"]], 1e6, "{:.1f}") for place in (0, 1)),
                         str(of["falls"]), show(steep, "{:.2f}")])
    return Table("Forks, ms, medians",
                 ["subject", "alive", "forks", "fork", "fork, CPU", "whole stop", "longest fork",
                  "resident, MiB", "page tables, KiB", "a GiB", "a GiB, CPU", "fell back on slices", "slope"],
                 rows, "Resident: what the child began with, and its page tables. Slope: d log(fork) / "
                 "d log(alive), least squares: 0 is flat, 1 linear. The whole stop, and what fell back, where "
                 "events were recorded.")


def section(results, looks):
    found, rows = measured(results)
    if not found:
        raise Lacks("no run in which a child process was made")
    return Section("The cost of forks", "",
                   [Drawing("fork_cost", "Time of a fork and of the stop around it against live objects, and "
                            "for each GiB of resident memory", draw(results, looks, found, rows))],
                   [table(found)], rows)
