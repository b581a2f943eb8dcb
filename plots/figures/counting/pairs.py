"""What a pair of an increment and a decrement costs by who owns the object, from micro.json:
benchmarks `pair/KIND/OBJECTS/WHERE`."""
import statistics

from plots.data.names import round_size
from plots.drawing import style
from plots.drawing.axes import canvas, legend
from plots.drawing.section import Drawing, Form, Lacks, Section, Table
from plots.drawing.tables import show, show_ratio
from plots.stats.pairing import unpaired_ratio

from matplotlib.patches import Patch

KINDS = ("plain", "owner", "atomic", "non-owner")
WHERE = (("program", "from the program"), ("module", "from an extension module"))
# Choi, Shull and Torrellas, "Biased Reference Counting", PACT 2018, table 7: ns.
PACT = {"plain": 5.77, "owner": 6.28, "atomic": 13.84, "non-owner": 15.57}
# (kind, over which, at most, on how many objects): what is asked of them.
BARS = (("owner", "atomic", 0.4, (1, 64)), ("owner", "plain", 2.0, (1, 64)),
        ("non-owner", "atomic", 1.15, (1,)))


def measured(results):
    """{(kind, objects, where): [ns a pair of each repetition]}. What has no place of its own in the
    module (bare counts are the same instructions) is the program's."""
    found = {}
    for each in results.micro:
        parts = each.get("run_name", each["name"]).split("/")
        if parts[0] == "pair" and len(parts) >= 4 and "pair_s" in each:
            found.setdefault((parts[1], int(parts[2]), parts[3]), []).append(1e9 * each["pair_s"])
    for kind, objects, _ in list(found):
        if (kind, objects, "module") not in found and (kind, objects, "program") in found:
            found[kind, objects, "module"] = found[kind, objects, "program"]
    return found


def sizes(found):
    return sorted({objects for _, objects, _ in found})


def objects_text(objects):
    return "one object" if objects == 1 else f"{round_size(objects)} in turn"


def span(values):
    return statistics.median(values), min(values), max(values)


def ratio_span(values, over):
    ratio = unpaired_ratio(values, over)
    return ratio.median, ratio.low, ratio.high


def draw(results, found, base=None):
    """Of a base, one of KINDS: times that of it."""
    title, note = "An increment and a decrement, by who owns the object", "whiskers: least to greatest"
    if base:
        title, note = f"{title}, over {base}", f"each over {base}; whiskers: the 95 % interval (BCa), not of pairs"
    figure, [panels] = canvas(
        results, title,
        f"Medians of {min(map(len, found.values()))} repetitions in random order; {note}. "
        "Plain: bare counts in the same loop. Atomic: no owner. Non-owner: another "
        "thread owns it. Compiled as extension modules are, -O2.", columns=2, panel=2.2, right=0.2,
        between=0.5, foot=0.5, sharey=True)
    for axes, (where, text) in zip(panels, WHERE):
        for place, kind in enumerate(KINDS):
            for group, objects in enumerate(sizes(found)):
                values = found.get((kind, objects, where))
                if not values:
                    continue
                x, over = group + 0.2 * (place - 1.5), found.get((base, objects, where))
                if base and not over:
                    continue
                middle, least, greatest = ratio_span(values, over) if base else span(values)
                axes.bar(x, middle, 0.19, facecolor=style.PHASES[place], linewidth=0,
                         hatch=style.PHASE_HATCHES[place], edgecolor="white")
                axes.vlines(x, least, greatest, color=style.INK, linewidth=0.8)
                axes.annotate(f"{middle:.2g}", xy=(x, greatest), xytext=(0, 1.5), ha="center",
                              textcoords="offset points", fontsize=5.5)
        axes.set_xticks(range(len(sizes(found))), map(objects_text, sizes(found)))
        axes.grid(axis="x", visible=False)
        axes.tick_params(labelleft=True)
        axes.set_title(text)
    panels[0].set_ylabel(f"times a pair that is {base}" if base else "a pair, ns")
    panels[0].set_ylim(bottom=0)
    there = [(place, kind) for place, kind in enumerate(KINDS)
             if any(each == kind for each, _, _ in found)]
    legend(panels[0], [Patch(facecolor=style.PHASES[place], hatch=style.PHASE_HATCHES[place],
                             edgecolor="white", linewidth=0, label=kind) for place, kind in there],
           loc="upper left", bbox_to_anchor=(-0.01, -0.13))
    return figure


def as_ratios(results, found):
    base = KINDS[0]
    if not any(kind == base for kind, _, _ in found) or all(kind == base for kind, _, _ in found):
        return None
    return Form(lambda: draw(results, found, base), f"The same times over that of a pair that is {base}", base)


def time_table(found):
    rows = []
    for where, text in WHERE:
        for objects in sizes(found):
            medians = {kind: statistics.median(found[kind, objects, where]) for kind in KINDS
                       if (kind, objects, where) in found}
            rows.append([text, objects_text(objects),
                         *(show(medians.get(kind), "{:.2f}") for kind in KINDS),
                         *(show_ratio(unpaired_ratio(found[kind, objects, where],
                                                     found[over, objects, where])
                                      if kind in medians and over in medians else None)
                           for kind, over, _, _ in BARS)])
    rows.append(["PACT 2018, table 7", "one object", *(f"{PACT[kind]:.2f}" for kind in KINDS),
                 *(f"{PACT[kind] / PACT[over]:.2f}" for kind, over, _, _ in BARS)])
    return Table("A pair, ns, and ratios of medians",
                 ["", "", *KINDS, *(f"{kind} / {over}" for kind, over, _, _ in BARS)], rows,
                 "Choi, Shull and Torrellas measured on another machine: their ratios compare, "
                 "their times do not.")


def bars_table(found):
    rows = []
    for kind, over, most, on in BARS:
        for where, text in WHERE:
            for objects in on:
                if (kind, objects, where) in found and (over, objects, where) in found:
                    ratio = unpaired_ratio(found[kind, objects, where], found[over, objects, where])
                    rows.append([f"{kind} / {over}", text, objects_text(objects), f"{most:g}",
                                 show_ratio(ratio), "yes" if ratio.median <= most else "no"])
    return Table("What is asked of a pair", ["ratio", "where", "on", "at most", "found", "holds"],
                 rows, "Ratios of the medians of all repetitions.", words=3)


def section(results, looks):
    found = measured(results)
    if not found:
        raise Lacks("micro.json has no benchmark pair/")
    return Section("Pairs of counts", "",
                   [Drawing("pairs", "Time of a pair, bars by who owns the object",
                            draw(results, found), other=as_ratios(results, found))],
                   [time_table(found), bars_table(found)], source="micro.json")
