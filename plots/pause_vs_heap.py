"""Figures and tables of a comparison: the pause of one full collection against heap size.

    /usr/bin/python3 plots/pause_vs_heap.py RESULTS_DIR

Reads runs.jsonl and meta.json there and writes beside them, each as SVG and PNG:
  pause_vs_heap          everything alive: the pause, and ns an object with the slope of each line
  garbage_and_captured   the pause over garbage, and over a heap captured from a Python program
and tables.md (tables.py). Prints what it wrote and a short table. No number comes from elsewhere.
Writes nothing if the results have no such runs.
"""
import math
import statistics
import sys

import style
from axes import built, duration, heading, label_ends, ms_ticks, ns_ticks, size_axis
from results import HEAP_PREFIX, Unusable, label, load, round_size
from stats import paired_ratios, slope, summarize
import tables

import matplotlib.pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator

ORDERS = ((False, "in order", "-"), (True, "shuffled", (0, (4, 1.5))))


def pooled(by_invocation, key):
    """All samples of a configuration, over its invocations."""
    samples = []
    for result in by_invocation.values():
        value = result.get(key)
        samples += value if isinstance(value, list) else [value] if value else []
    return samples


def series(results, subject, shuffled, key):
    """[(objects, samples)] of one line, smallest heap first."""
    points = ((size, pooled(results.graph(subject, size, shuffled), key))
              for size in results.sizes)
    return [(size, samples) for size, samples in points if samples]


def draw_line(axes, points, scale, look, dash, hollow, aside):
    """Median with whiskers from the least to the greatest sample. The medians, scaled.

    `aside` moves the line by a few per cent of x, so that whiskers of one size stay apart.
    """
    colour, marker = look
    sizes = [size * aside for size, _ in points]
    medians = [statistics.median(samples) * scale(size) for size, samples in points]
    below = [middle - min(samples) * scale(size)
             for middle, (size, samples) in zip(medians, points)]
    above = [max(samples) * scale(size) - middle
             for middle, (size, samples) in zip(medians, points)]
    axes.errorbar(sizes, medians, yerr=[below, above], color=colour, linestyle=dash,
                  marker=marker, markerfacecolor="white" if hollow else colour,
                  markeredgewidth=0.9, elinewidth=0.7, capsize=1.8, capthick=0.7)
    return medians


def draw_panel(figure, axes, results, looks, key, an_object):
    """One panel of lines: ms against objects, or ns an object with slopes in the labels."""
    ends = []
    lines = [(subject, *order, series(results, subject, order[0], key))
             for subject in results.subjects for order in ORDERS]
    lines = [line for line in lines if line[-1]]
    for place, (subject, shuffled, order, dash, points) in enumerate(lines):
        aside = 1.045 ** (place - (len(lines) - 1) / 2)
        medians = draw_line(axes, points, (lambda n: 1 / n) if an_object else (lambda n: 1e-6),
                            looks[subject], dash, shuffled, aside)
        text = f"{label(subject)}\n{order}"
        if an_object:
            steep = slope([n for n, _ in points],
                          [statistics.median(samples) for _, samples in points])
            text = f"{order}: t ∝ n$^{{{steep:.2f}}}$" if steep is not None else order
        ends.append((medians[-1], text, looks[subject][0]))
    axes.set_yscale("log")
    size_axis(axes, results.sizes, "objects, all reachable from one list")
    ns_ticks(axes) if an_object else ms_ticks(axes)
    return ends


def draw_alive(results, looks):
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 3.75))
    figure.subplots_adjust(left=0.075, right=0.868, top=0.80, bottom=0.205, wspace=0.60)
    pause = draw_panel(figure, left, results, looks, "live_collect_samples_ns", False)
    each = draw_panel(figure, right, results, looks, "live_collect_samples_ns", True)
    left.set_title("pause of one full collection")
    right.set_title("the same, ns an object")
    label_ends(figure, left, pause, 6.5)
    label_ends(figure, right, each, 6.5)
    degrees = " or ".join(map(str, results.degrees))
    graph = f"Random graph, {degrees} references an object. "
    heading(figure, results, "A full collection that frees nothing: pause against heap size",
            graph + "Median of all collections but each process's first; whiskers: least and "
            "greatest.\nSolid: root list in allocation order; dashed: shuffled. "
            "Exponent: least squares. Marks of one size stand side by side." + built(results),
            0.975)
    return figure


def summary_rows(results):
    """[(text, {subject: [ns]}, {peer: Ratio})] of the figure beside: garbage at the largest size
    that every subject has, and each captured heap."""
    rows = []
    for heap in results.heaps:
        found = {name: results.heap(name, heap) for name in results.subjects}
        found = {name: runs for name, runs in found.items() if runs}
        counts = [result["live_objects"] for runs in found.values()
                  for result in runs.values() if result["live_objects"]]
        size = f", {round_size(max(counts))} containers" if counts else ""
        rows.append((f"captured heap {heap[len(HEAP_PREFIX):]}\nalive{size}", found,
                     "live_collect_ns"))
    for size in reversed(results.sizes):
        found = {(name, shuffled): results.graph(name, size, shuffled)
                 for name in results.subjects for shuffled in (False, True)}
        if all(found.values()):
            rows += [(f"random graph, {round_size(size)}\ngarbage, {order}",
                      {name: found[name, shuffled] for name in results.subjects},
                      "garbage_collect_ns") for shuffled, order, _ in ORDERS]
            break
    drawn = []
    for text, found, key in rows:
        ours = {i: result[key] for i, result in found.get("ouro-stw", {}).items()}
        ratios = {name: summarize(paired_ratios(
            ours, {i: result[key] for i, result in runs.items()}))
            for name, runs in found.items() if name in results.peers}
        samples = {name: [result[key] for result in runs.values() if result[key]]
                   for name, runs in found.items()}
        drawn.append((text, {name: each for name, each in samples.items() if each}, ratios))
    return drawn


def draw_summary(results, looks):
    """None if there is neither garbage nor a captured heap to show."""
    rows = [row for row in summary_rows(results) if row[1]]
    if not rows:
        return None
    height = 1.33 + 0.42 * len(rows)
    figure, axes = plt.subplots(figsize=(7.6, height))
    figure.subplots_adjust(left=0.215, right=0.76, top=1 - 0.74 / height, bottom=0.56 / height)
    for place, (_, samples, ratios) in enumerate(rows):
        middles = {name: statistics.median(each) / 1e6 for name, each in samples.items()}
        axes.plot([min(middles.values()), max(middles.values())], [place, place],
                  color=style.GRID, linewidth=2.2, zorder=1, solid_capstyle="round")
        for name, each in samples.items():
            colour, marker = looks[name]
            axes.errorbar(middles[name], place, color=colour, marker=marker, markersize=5,
                          xerr=[[middles[name] - min(each) / 1e6],
                                [max(each) / 1e6 - middles[name]]],
                          elinewidth=0.8, capsize=2.2, linestyle="none", zorder=3)
        known = [(name, ratio) for name, ratio in ratios.items() if ratio]
        for index, (name, ratio) in enumerate(known):
            shift = (index - (len(known) - 1) / 2) * 0.3
            axes.annotate(f"{label(name)}: {ratio.median:.1f} × ours",
                          xy=(1.02, place + shift), xycoords=("axes fraction", "data"),
                          fontsize=6.5, color=looks[name][0], va="center",
                          annotation_clip=False)
    handles = [Line2D([], [], color=looks[name][0], marker=looks[name][1], markersize=5,
                      linestyle="none", label=label(name)) for name in results.subjects
               if any(name in samples for _, samples, _ in rows)]
    axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(-0.01, 0.98),
                ncol=len(handles), frameon=False, fontsize=7, handletextpad=0.1,
                columnspacing=1.4, borderpad=0.2)
    axes.set_yticks(range(len(rows)), [row[0] for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    axes.set_xlim(low / 1.25, high * 1.25)
    decades = math.log10(high / low)
    steps = (1, 2, 5) if decades < 2.5 else (1, 3) if decades < 4 else (1,)
    axes.xaxis.set_major_locator(LogLocator(base=10, subs=steps, numticks=30))
    axes.xaxis.set_minor_locator(FixedLocator([]))
    axes.xaxis.set_major_formatter(FuncFormatter(duration))
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    heading(figure, results, "Pause over a captured heap, and over garbage",
            "Median over invocations; whiskers: least and greatest. At the right: median of the "
            "paired ratios." + built(results), 1 - 0.1 / height)
    return figure


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: pause_vs_heap.py RESULTS_DIR", file=sys.stderr)
        return 2
    try:
        results = load(arguments[0])
    except Unusable as error:
        print(f"pause_vs_heap.py: {error}", file=sys.stderr)
        return 1
    if not results.sizes and not results.heaps:
        return 0  # other workloads alone
    style.apply()
    looks = style.colours(results.subjects)
    made = []
    if results.sizes:
        made += style.save(draw_alive(results, looks), results.directory, "pause_vs_heap")
    summary = draw_summary(results, looks)
    if summary:
        made += style.save(summary, results.directory, "garbage_and_captured")
    table = results.directory / "tables.md"
    table.write_text(tables.markdown(results), encoding="utf-8")
    print(tables.short(results))
    for path in [*made, table]:
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
