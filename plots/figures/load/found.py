"""Who found the garbage, where an engine collects locally: searches around what was let go of, young collections, or
full ones."""
import statistics

from plots.data.loads import folded, load_text
from plots.data.names import label, order_of, round_size, short_label
from plots.drawing.axes import canvas, legend
from plots.drawing.section import Drawing, Lacks, Section, Table
from plots.drawing.tables import show

from matplotlib.patches import Patch

# Of `collections`, what it is called, and how it is drawn.
KINDS = (("local", "local collections", "#0072b2", ""), ("young", "young ones", "#e69f00", "//"),
         ("middle", "middle ones", "#f0e442", ".."), ("full", "full ones", "#222222", "xx"))


def searched(row):
    collections = row["result"].get("collections") or {}
    return collections.get("local", {}).get("count", 0) > 0


def by_work(results):
    """{(what was done, subject): [result]} of subjects that collect locally, in the order of the rows."""
    rows = results.where(searched)
    found = {}
    for workload in dict.fromkeys(row["workload"] for row in rows):
        mine = [row for row in rows if row["workload"] == workload]
        varied = [key for key in mine[0]["params"] if key not in ("live", "objects", "load", "shuffled") and
                  len({str(row["params"].get(key)) for row in mine}) > 1]
        for row in sorted(mine, key=lambda row: (row["objects"], row["shuffled"],
                                                 *(str(row["params"].get(key)) for key in varied))):
            words = [workload, f"{round_size(row['objects'])} alive"] if row["objects"] else [workload]
            words += [order_of(True)] if row["shuffled"] else []
            words += [f"{key.replace('_', ' ').replace('-', ' ')} {row['params'][key]}" for key in varied]
            words += [load_text(row["params"]["load"])] if "load" in row["params"] else []
            found.setdefault((", ".join(words), row["subject"]), []).append(row["result"])
    return found


def parts(runs):
    """{kind: its part of the garbage that collections found, median}; empty if they found none."""
    shares = {kind: [] for kind, *_ in KINDS}
    for result in runs:
        condemned = {kind: result["collections"].get(kind, {}).get("condemned", 0) for kind in shares}
        total = sum(condemned.values())
        for kind, count in condemned.items():
            shares[kind] += [count / total] if total else []
    return {kind: statistics.median(each) for kind, each in shares.items() if each}


def draw(results, found):
    figure, [[axes]] = canvas(
        results, "Which collections found the garbage",
        "Of all objects that collections condemned, medians over invocations. What died by its count alone is not in it.",
        list(map(len, found.values())), left=2.9, panel=0.17 * len(found) + 0.2)
    for row, runs in enumerate(found.values()):
        begin = 0
        for kind, _, colour, hatch in KINDS:
            part = parts(runs).get(kind, 0)
            axes.barh(row, part, 0.7, begin, color=colour, hatch=hatch, edgecolor="white", linewidth=0)
            begin += part
    axes.set_yticks(range(len(found)), [folded(f"{short_label(name)}: {work}") for work, name in found], fontsize=5.5)
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("part of the garbage that collections found")
    legend(axes, [Patch(facecolor=colour, hatch=hatch, edgecolor="white", label=words)
                  for _, words, colour, hatch in KINDS], bbox_to_anchor=(-0.01, 1.02))
    return figure


def table(found):
    def median(runs, kind, key, scale=1):
        return statistics.median(result["collections"].get(kind, {}).get(key, 0) * scale for result in runs)
    rows = [[work, label(name), str(len(runs)),
             *(show(median(runs, kind, "condemned"), "{:,.0f}") for kind, *_ in KINDS),
             *(show(median(runs, kind, "count"), "{:,.0f}") for kind in ("local", "full")),
             show(median(runs, "local", "total_ns", 1e-6), "{:,.0f}")]
            for (work, name), runs in found.items()]
    return Table("Objects found to be garbage, by kind of collection",
                 ["work", "subject", "n", *(kind for kind, *_ in KINDS), "local collections", "full collections",
                  "time of the local ones, ms"], rows)


def section(results, looks):
    del looks   # a bar is of kinds of collections
    found = by_work(results)
    if not found:
        raise Lacks("no run of an engine that collects locally")
    return Section("Which collections found the garbage",
                   "An engine that collects locally finds old garbage around what was let go of; what its searches miss "
                   "waits for a full collection.",
                   [Drawing("found_by", "The part of the garbage that local, young, middle and full collections found, a bar "
                            "a workload", draw(results, found))], [table(found)], results.where(searched))
