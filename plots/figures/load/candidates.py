"""What came of candidates under mutation; and what cannot be cut up."""
from plots.data.loads import by_kind, collecting, folded, invocations, load_text
from plots.data.names import label, round_size, short_label
from plots.drawing import ratios
from plots.drawing.axes import canvas, duration, legend, log_ticks
from plots.drawing.section import Drawing, Lacks, Section, Table
from plots.drawing.tables import show
from plots.stats.distribution import median_of, values

import statistics

from matplotlib.ticker import FuncFormatter

COMPONENTS = "cycles:"


def rejected_of_a_million(runs):
    """[of a million candidates so many were rejected], by invocation with candidates."""
    return [1e6 * result["rejected"] / result["candidates"] for result in runs.values()
            if result.get("candidates")]


def draw(results, looks, kinds):
    """A row of marks for each kind; none where every candidate was condemned."""
    chosen = list(kinds)
    names = [name for name in collecting({name: None for name in results.subjects})
             if any(name in kinds[kind] for kind in chosen)]
    figure, [[axes]] = canvas(
        results, "Candidates that the exact test rejected, of a million",
        "A mark an invocation; at 0 nothing was rejected. An engine that stops the world before it "
        "looks has nothing to reject. Dotted: 40, what Bacon and Rajan (ECOOP 2001) saw: 20 of "
        "500,000.",
        invocations(kinds, chosen), left=2.6, panel=max(0.2, 0.075 * len(names)) * len(chosen) + 0.2)
    for row, kind in enumerate(chosen):
        for place, name in enumerate(names):
            found = rejected_of_a_million(kinds[kind].get(name, {}))
            y = row + (place + 0.5) * 0.8 / len(names) - 0.4
            axes.plot(found, [y] * len(found), linestyle="", color=looks[name].colour,
                      marker=looks[name].marker, label=short_label(name) if row == 0 else None)
    axes.axvline(40, color="#666666", linewidth=0.9, linestyle=(0, (1, 2)))
    axes.set_xscale("symlog", linthresh=1)
    axes.set_xlim(-0.2, max(1000, 1.4 * axes.get_xlim()[1]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda n, _: round_size(int(n))))
    axes.set_yticks(range(len(chosen)), [folded(kind.title) for kind in chosen], fontsize=6)
    axes.set_ylim(len(chosen) - 0.5, -0.5)
    axes.set_xlabel("rejected of a million candidates")
    legend(axes, axes.get_legend_handles_labels()[0], bbox_to_anchor=(-0.01, 1.02))
    return figure


def candidates_table(kinds):
    rows = []
    for kind, runs in kinds.items():
        for name, each in collecting(runs).items():
            found = rejected_of_a_million(each)
            rows.append([kind.name, load_text(kind.load), label(name), str(len(each)),
                         *(show(statistics.median(result[key] for result in each.values()),
                                "{:,.0f}")
                           for key in ("candidates", "rejected", "condemned", "resurrected")),
                         show(statistics.median(found) if found else None, "{:.1f}")])
    return Table("Candidates, medians over invocations",
                 ["workload", "load", "subject", "n", "candidates", "rejected", "condemned",
                  "resurrected", "rejected of a million"], rows, words=3)


def components(results):
    """{(workload, objects): {subject: {invocation: result}}} of `cycles`."""
    found = {}
    for row in results.rows:
        if row["workload"].startswith(COMPONENTS) and row["repeat"] == 0:
            runs = found.setdefault((row["workload"], row["objects"]), {})
            runs.setdefault(row["subject"], {})[row["invocation"]] = row["result"]
    return dict(sorted(found.items()))


def longest(runs):
    return list(values(runs, lambda result: result["pauses"]["wall"]["max_ns"]).values())


def draw_components(results, looks, found):
    names = list(collecting({name: None for name in results.subjects}))
    figure, [[axes]] = canvas(
        results, "The longest stop, by the components of the garbage",
        "As many objects of garbage in one ring, in a chain that hangs off a small ring, and in "
        "rings of ten. Median over invocations; whiskers: least and greatest. A test that is cut up "
        "is cut between components: one ring is tested at once.",
        [len(runs) for each in found.values() for runs in each.values()], left=1.6,
        panel=0.17 * len(names) * len(found) + 0.15)
    width = 0.8 / max(len(names), 1)
    for row, runs in enumerate(found.values()):
        for place, name in enumerate(names):
            times = [ns / 1e6 for ns in longest(runs.get(name, {}))]
            if times:
                y, middle_ = row + (place + 0.5) * width - 0.4, statistics.median(times)
                axes.barh(y, middle_, width * 0.9, error_kw={"elinewidth": 0.8},
                          xerr=[[middle_ - min(times)], [max(times) - middle_]],
                          **looks[name].bar())
                axes.annotate(short_label(name), xy=(max(times), y), xytext=(3, 0),
                              textcoords="offset points", fontsize=5.5, va="center")
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    axes.set_xlim(low / 2, high * 1.5)
    log_ticks(axes.xaxis, duration)
    axes.set_yticks(range(len(found)), [f"{workload.removeprefix(COMPONENTS)}, {round_size(size)}"
                                        for workload, size in found])
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("longest stop")
    return figure


def component_ratios(results, looks, found):
    return ratios.bars(
        results, looks, "The longest stop, by the components of the garbage, over {base}",
        [("", {f"{workload.removeprefix(COMPONENTS)}, {round_size(size)}": {
            name: values(each, lambda result: result["pauses"]["wall"]["max_ns"])
            for name, each in collecting(runs).items()} for (workload, size), runs in found.items()})],
        "A test that is cut up is cut between components: one ring is tested at once.", "times that of {base}",
        "Bars: the longest stop as times that of {base}, by shape and engine")


def components_table(found):
    rows = []
    for (workload, size), runs in found.items():
        for name, each in collecting(runs).items():
            first = next(iter(each.values()))
            rows.append([workload.removeprefix(COMPONENTS), round_size(size), label(name),
                         str(len(each)), f"{first['components']:,}",
                         f"{first['largest_component']:,}",
                         show(statistics.median(longest(each)) / 1e6 if longest(each) else None,
                              "{:.3f}"),
                         show(median_of(each, "garbage_collect_ns", 1e-6), "{:.1f}")])
    return Table("Garbage in components: the longest stop of the world",
                 ["shape", "objects", "subject", "n", "components", "objects of the largest",
                  "longest stop, ms", "whole collection, ms"], rows, words=3)


def section(results, looks):
    kinds = by_kind(results)
    found = components(results)
    drawings, tables = [], []
    if any(map(rejected_of_a_million, (runs for each in kinds.values()
                                       for runs in each.values()))):
        drawings.append(Drawing("load_candidates", "Rejected candidates of a million, a row a "
                                "workload", draw(results, looks, kinds), results.behind(kinds)))
        tables.append(candidates_table(kinds))
        tables[-1].data = results.behind(kinds)
    if any(longest(runs) for each in found.values() for runs in each.values()):
        drawings.append(Drawing("components", "The longest stop for garbage in one component and "
                                "in many", draw_components(results, looks, found),
                                results.behind(found), other=component_ratios(results, looks, found)))
        tables.append(components_table(found))
        tables[-1].data = results.behind(found)
    if not drawings:
        raise Lacks("no run with candidates under mutation, or of cycles")
    return Section("Candidates and components",
                   "An engine that looks at the heap beside its mutators names candidates; the "
                   "exact test in a stop has the last word.", drawings, tables,
                   results.behind([kinds, found]))
