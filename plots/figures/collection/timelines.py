"""One collection of each engine over time: its phases on one lane, the stops of the mutators on another."""
from plots.data.events import cycles
from plots.data.names import order_of, round_size, short_label
from plots.drawing import style
from plots.drawing.axes import canvas, duration
from plots.drawing.section import Drawing, Lacks, Section
from plots.figures.collection.phases import REST, phase_looks

from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

FULL = 2   # a generation


def typical(results, rows):
    """Of the full collections of some rows the one whose time is the median, the lower of two. None
    where there is none."""
    found = [each for row in rows for each in cycles(results, row) if each.cycle["generation"] == FULL]
    found.sort(key=lambda each: each.ns)
    return found[(len(found) - 1) // 2] if found else None


def key_of(row):
    return row["workload"], row["objects"], row["shuffled"], str(row["params"].get("load", ""))


def chosen(results):
    """({(workload, size, order, load): {subject: cycle}}, their rows): of each workload with events the largest."""
    groups = {}
    for row in results.where(lambda row: row["events"] and row["kind"] == "ouro"
                             and row["params"].get("threads", 1) == 1):
        groups.setdefault(key_of(row), {}).setdefault(row["subject"], []).append(row)
    largest = {}
    for key in sorted(groups):
        largest[key[0], key[2], key[3]] = key
    found, rows = {}, []
    for key in sorted(largest.values()):
        each = {name: typical(results, groups[key][name]) for name in results.subjects
                if name in groups[key]}
        each = {name: cycle for name, cycle in each.items() if cycle}
        if each:
            found[key] = each
            rows += [row for name in each for row in groups[key][name]]
    return found, rows


def name_of(key):
    workload, size, shuffled, load = key
    return ", ".join(filter(None, (workload, f"{round_size(size)} objects", order_of(shuffled)
                                   if workload == "graph" or shuffled else "",
                                   load and (load if load.endswith("d") else f"load {load}"))))


def draw_lane(axes, place, spans, begin, height, **more):
    for start, end in spans:
        axes.barh(place, max(end - start, 1) / 1e6, height, left=(start - begin) / 1e6, **more)


def draw(results, key, each, rows, chosen_looks):
    names = list(each)
    figure, [[axes]] = canvas(
        results, f"A full collection over time: {name_of(key)}",
        "Of all full collections that were recorded the one whose time is the median, from its request. "
        "Above: its phases, beside the mutators or in stops; below, black: the mutators stand still. "
        "Thinner than a line is drawn as a line.",
        [len([row for row in rows if row["subject"] == name]) for name in names],
        panel=0.46 * len(names) + 0.1, left=0.95, right=1.2, foot=0.4)
    for place, name in enumerate(names):
        cycle = each[name]
        begin = cycle.cycle["start_ns"]
        for phase, spans in cycle.spans.items():
            colour, hatch = chosen_looks.get(phase, ("#ffffff", ""))
            draw_lane(axes, place - 0.12, spans, begin, 0.36, facecolor=colour, hatch=hatch,
                      edgecolor=style.INK, linewidth=0.3)
        draw_lane(axes, place + 0.22, cycle.stops, begin, 0.2, facecolor=style.INK,
                  edgecolor=style.INK, linewidth=0.3)
        axes.plot([cycle.ns / 1e6] * 2, [place - 0.34, place + 0.34], color=style.QUIET, linewidth=0.8)
    axes.set_yticks(range(len(names)), list(map(short_label, names)))
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(0, max(cycle.ns for cycle in each.values()) / 1e6 * 1.02)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.xaxis.set_major_locator(MaxNLocator(8))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda ms, _: duration(ms) if ms > 0 else "0"))
    axes.set_xlabel("time since the collection was requested")
    used = {phase for cycle in each.values() for phase in cycle.spans}
    axes.legend(handles=[*(Patch(facecolor=colour, hatch=hatch, edgecolor=style.INK, linewidth=0.3,
                                 label=phase) for phase, (colour, hatch) in chosen_looks.items()
                           if phase in used),
                         Patch(facecolor=style.INK, label="stopped")],
                loc="upper left", bbox_to_anchor=(1.02, 1.04), frameon=False, fontsize=6.5,
                handleheight=1.2, labelspacing=0.35)
    return figure


def section(results, looks):
    found, rows = chosen(results)
    if not found:
        raise Lacks("no full collection among recorded events")
    names = phase_looks({(key, name): (dict.fromkeys(cycle.spans), 1) for key, each in found.items()
                         for name, cycle in each.items()})
    names.pop(REST)
    drawings = []
    for key, each in found.items():
        words = [part for part in (key[0], str(key[1]), "shuffled" * key[2], key[3]) if part]
        mine = [row for row in rows if key_of(row) == key]
        drawings.append(Drawing("timeline_" + "_".join(words).replace("/s", "").replace(":", "_"),
                                f"The phases of one full collection over time, {name_of(key)}",
                                draw(results, key, each, mine, names), mine))
    return Section("Collections over time", "", drawings, [], rows)
