"""Where the time of a full collection goes: its phases, by engine and size of the heap."""
import statistics

from plots.data.events import of_row
from plots.data.names import label, order_of, round_size, short_label
from plots.drawing import style
from plots.drawing.axes import canvas
from plots.drawing.section import Drawing, Lacks, Section, Table
from plots.drawing.tables import show
from plots.stats.distribution import interquartile

from matplotlib.patches import Patch

REST = "rest"   # what lies in no phase
KINDS = (("alive", "everything alive"), ("garbage", "everything garbage"))


def split(collections):
    """{kind: [Collection]} of one process: the first is left out, what condemns is garbage."""
    full = [each for each in collections if each.cycle["generation"] == 2]
    return {"alive": [each for each in full[1:] if not each.cycle.get("condemned")],
            "garbage": [each for each in full if each.cycle.get("condemned")]}


def shares(collections):
    """({phase: (wall, CPU) ns an object}, number of collections): means over the half of the
    collections whose time is in the middle, so that the phases add up to the whole."""
    times = {id(each): each.ns / each.cycle["objects"] for each in collections}
    kept = interquartile(times.values())
    collections = [each for each in collections if kept[0] <= times[id(each)] <= kept[-1]]
    names = []
    for each in collections:
        names += [name for name in each.phases if name not in names]
    found = {}
    for name in [*names, REST]:
        parts = [[time / each.cycle["objects"] for time in
                  (each.rest if name == REST else each.phases.get(name, (0, 0)))]
                 for each in collections]
        found[name] = tuple(map(statistics.fmean, zip(*parts)))
    return found, len(collections)


def measured(results):
    """{(kind, shuffled, size, subject): (shares, number)} of all that recorded events."""
    found = {}
    for shuffled in results.orders_of("graph"):
        for size in results.sizes:
            for name in results.ours:
                kinds = {}
                for row in results.runs(name, "graph", size, shuffled).values():
                    for kind, each in split(of_row(results, row)).items():
                        kinds.setdefault(kind, []).extend(
                            one for one in each if one.cycle.get("objects"))
                for kind, each in kinds.items():
                    if each:
                        found[kind, shuffled, size, name] = shares(each)
    return found


def phase_looks(found):
    """{phase: (colour, hatch)}, in the order of a collection, the rest last in grey."""
    names = []
    for each, _ in found.values():
        before = 0
        for name in each:
            if name in names:
                before = names.index(name) + 1
            elif name != REST:
                names.insert(before, name)
                before += 1
    chosen = {name: (style.PHASES[i % len(style.PHASES)],
                     style.PHASE_HATCHES[(i + i // len(style.PHASES)) % len(style.PHASE_HATCHES)])
              for i, name in enumerate(names)}
    return {**chosen, REST: ("#ffffff", "")}


def draw_panel(axes, found, kind, shuffled, sizes, subjects, chosen):
    """Bars side by side, a group a size."""
    width = 0.8 / len(subjects)
    ticks = []
    for group, size in enumerate(sizes):
        for place, name in enumerate(subjects):
            each = found.get((kind, shuffled, size, name))
            if each is None:
                continue
            x = group + (place - (len(subjects) - 1) / 2) * width
            bottom = 0
            for phase, (colour, hatch) in chosen.items():
                height = each[0].get(phase, (0, 0))[0]
                axes.bar(x, height, width * 0.9, bottom=bottom, facecolor=colour, hatch=hatch,
                         edgecolor=style.INK, linewidth=0.3)
                bottom += height
            ticks.append((x, short_label(name)))
    axes.set_xticks([x for x, _ in ticks], [text for _, text in ticks], rotation=90, fontsize=5.5)
    axes.tick_params(axis="x", length=0, pad=1)
    axes.grid(axis="x", visible=False)
    axes.set_xlim(-0.5, len(sizes) - 0.5)


def name_sizes(axes, sizes, inches):
    """The groups' names under the bars' names."""
    height = axes.get_position().height * axes.figure.get_figheight()
    for group, size in enumerate(sizes):
        axes.annotate(round_size(size), (group, -inches / height),
                      xycoords=("data", "axes fraction"), ha="center", va="top", fontsize=7)
    axes.annotate("objects", (-0.01, -inches / height), xycoords="axes fraction", ha="right",
                  va="top", fontsize=6.5)


def draw(results, found):
    kinds = [kind for kind in KINDS if any(key[0] == kind[0] for key in found)]
    orders = sorted({key[1] for key in found})
    sizes = sorted({key[2] for key in found})
    subjects = [name for name in results.ours if any(key[3] == name for key in found)]
    chosen = phase_looks(found)
    words = 0.08 + 0.041 * max(len(short_label(name)) for name in subjects)
    figure, panels = canvas(
        results, "Where the time of a full collection goes",
        "Random graph. Means over the middle half of all collections by time, so that the phases "
        "add up; the first with everything alive is left out. "
        "Rest: in no phase, the recording of events included.",
        results.invocations_of("graph"), rows=len(orders), columns=len(kinds), panel=1.7, left=0.62,
        right=1.05, between=0.55, gap=0.5 + words, foot=words + 0.2, sharey="col")
    for row, shuffled in zip(panels, orders):
        for axes, (kind, text) in zip(row, kinds):
            draw_panel(axes, found, kind, shuffled, sizes, subjects, chosen)
            axes.set_title(f"{text}, {order_of(shuffled)}")
            name_sizes(axes, sizes, words)
        row[0].set_ylabel("ns an object")
    handles = [Patch(facecolor=colour, hatch=hatch, edgecolor=style.INK, linewidth=0.3,
                     label=name) for name, (colour, hatch) in reversed(chosen.items())]
    panels[0][-1].legend(handles=handles, loc="upper left", bbox_to_anchor=(1.04, 1.04),
                         frameon=False, fontsize=6.5, handleheight=1.3, labelspacing=0.5)
    return figure


def table(found):
    phases = list(phase_looks(found))
    rows = []
    for (kind, shuffled, size, name), (parts, number) in sorted(
            found.items(), key=lambda each: (each[0][1], each[0][2], each[0][0], each[0][3])):
        whole, cpu = (sum(part[i] for part in parts.values()) for i in (0, 1))
        rows.append([round_size(size), order_of(shuffled), kind, label(name), str(number),
                     show(whole, "{:.1f}"), show(cpu, "{:.1f}"),
                     *(show(parts[phase][0] if phase in parts else None, "{:.1f}")
                       for phase in phases)])
    return Table("Phases of a full collection, ns an object", [
        "objects", "order", "heap", "subject", "n", "all", "CPU", *phases], rows,
        "n collections were averaged. CPU: of all threads that worked in the collection.", 4)


def section(results, looks):
    found = measured(results)
    if not found:
        raise Lacks("no run of graph that recorded its events (events = true)")
    return Section("Time by phase", "From the events that the collector reports of each phase.",
                   [Drawing("phases", "Stacked bars: nanoseconds an object in each phase of a full "
                            "collection, by engine and heap size", draw(results, found))],
                   [table(found)], results.where(
                       lambda row: row["workload"] == "graph" and row["events"]))
