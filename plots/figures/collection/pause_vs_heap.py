"""The pause of one full collection against the size of the heap: everything alive, and everything
garbage, in allocation order and shuffled."""
import statistics

from plots.data.names import label, order_of, round_size, short_label
from plots.drawing import ratios
from plots.drawing.axes import canvas, duration, label_ends, log_ticks, plain, size_axis
from plots.drawing.section import Drawing, Lacks, Section, Table
from plots.drawing.tables import comparison, show
from plots.stats.distribution import median_of, slope, values

ALIVE, GARBAGE = "live_collect_samples_ns", "garbage_collect_ns"


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


def draw_line(axes, points, scale, look, aside):
    """Median with whiskers from the least to the greatest sample. The medians, scaled.

    `aside` moves the line by a few per cent of x, so that whiskers of one size stay apart.
    """
    medians = [statistics.median(samples) * scale(size) for size, samples in points]
    below = [middle - min(samples) * scale(size)
             for middle, (size, samples) in zip(medians, points)]
    above = [max(samples) * scale(size) - middle
             for middle, (size, samples) in zip(medians, points)]
    axes.errorbar([size * aside for size, _ in points], medians, yerr=[below, above],
                  color=look.colour, marker=look.marker, linestyle=look.dash, elinewidth=0.7,
                  capsize=1.8, capthick=0.7)
    return medians


def draw_panel(axes, results, looks, shuffled, key, an_object):
    """One panel of lines: ms, or ns an object with slopes in the labels. The lines' ends, as
    label_ends takes them."""
    ends = []
    lines = [(subject, series(results, subject, shuffled, key)) for subject in results.subjects]
    lines = [line for line in lines if line[-1]]
    for place, (subject, points) in enumerate(lines):
        aside = 1.05 ** (place - (len(lines) - 1) / 2)
        medians = draw_line(axes, points, (lambda n: 1 / n) if an_object else (lambda n: 1e-6),
                            looks[subject], aside)
        text = short_label(subject)
        steep = slope([n for n, _ in points], [statistics.median(each) for _, each in points])
        if an_object and steep is not None:
            text += f"\nslope {steep:.2f}"
        ends.append((points[-1][0] * aside, medians[-1], text, looks[subject].colour))
    axes.set_yscale("log")
    return ends


def draw(results, looks, key, title, what, below):
    """Panels: in order and shuffled, by row the pause and ns an object."""
    orders = results.orders_of("graph")
    figure, panels = canvas(results, title, below, results.invocations_of("graph"), rows=2,
                            columns=len(orders), panel=1.75, gap=0.72, sharey="row")
    for panel_row, an_object in zip(panels, (False, True)):
        ends = []
        for axes, shuffled in zip(panel_row, orders):
            ends.append(draw_panel(axes, results, looks, shuffled, key, an_object))
            size_axis(axes, results.sizes, what)
            axes.tick_params(labelleft=True)
            axes.set_title("root list shuffled" if shuffled else "root list in allocation order")
        panel_row[0].set_ylabel("pause, ns an object" if an_object else "pause")
        for axes in panel_row:
            log_ticks(axes.yaxis, plain if an_object else duration)
        for axes, each in zip(panel_row, ends):
            label_ends(figure, axes, each)
    return figure


def groups(results):
    """[((size, order), {subject: {invocation: result}}, 1 by the number of objects)]"""
    return [((round_size(size), order_of(shuffled)),
             {name: results.graph(name, size, shuffled) for name in results.subjects}, 1 / size)
            for shuffled in results.orders_of("graph") for size in results.sizes]


def as_ratios(results, looks, key, title, what, text):
    """The same pauses over those of a base; ns an object would give the same ratios."""
    panels = [(f"root list {'shuffled' if shuffled else 'in allocation order'}",
               {size: {name: values(results.graph(name, size, shuffled), key) for name in results.subjects}
                for size in results.sizes}) for shuffled in results.orders_of("graph")]
    return ratios.lines(results, looks, title, panels, text,
                        lambda axes: size_axis(axes, results.sizes, what), "pause over that of {base}",
                        "The same pauses as times those of {base}, a line a subject", factor=True)


def slope_table(results):
    rows = []
    for name in results.subjects:
        row = [label(name), f"{round_size(results.sizes[0])} to {round_size(results.sizes[-1])}"]
        for key in ("live_collect_ns", GARBAGE):
            for shuffled in results.orders_of("graph"):
                points = [(size, median_of(results.graph(name, size, shuffled), key))
                          for size in results.sizes]
                points = [each for each in points if each[1]]
                row.append(show(slope(*zip(*points)) if points else None, "{:.2f}"))
        rows.append(row)
    head = ["subject", "sizes", *(f"{what}, {order_of(each)}" for what in ("alive", "garbage")
                                  for each in results.orders_of("graph"))]
    return Table("Slope d log(pause) / d log(objects): 1 is linear", head, rows)


def cost_table(results):
    """Memory and CPU beside the pause: a pause alone says nothing."""
    rows = []
    for size, shuffled in ((size, shuffled) for shuffled in results.orders_of("graph")
                           for size in results.sizes):
        for name in results.subjects:
            runs = results.graph(name, size, shuffled)
            if not runs:
                continue
            grown = [(run["rss_peak_bytes"] - run["rss_before_bytes"]) / size
                     for run in runs.values()
                     if run.get("rss_peak_bytes") and run.get("rss_before_bytes")]
            before, after = median_of(runs, "rss_before_bytes"), median_of(runs, "rss_after_bytes")
            longest = values(runs, lambda run: (run.get("pauses") or {"wall": {"max_ns": 0}})
                             ["wall"]["max_ns"])
            rows.append([
                round_size(size), order_of(shuffled), label(name),
                show(max(longest.values(), default=0) / 1e6 or None, "{:.1f}"),
                show(statistics.median(grown) if grown else None),
                show(after / before if before and after else None, "{:.2f}"),
                show(median_of(runs, "collector_cpu_ns", 1e-9), "{:.3f}"),
                show(median_of(runs, "cpu_ns", 1e-9), "{:.3f}"),
                show(median_of(runs, "backlog_max"), "{:,.0f}")])
    return Table("Pause, memory and CPU", [
        "objects", "order", "subject", "longest pause, ms", "peak RSS, bytes an object",
        "RSS after / before", "collector CPU, s", "process CPU, s", "greatest backlog, objects"],
        rows, "Peak RSS less the RSS before, building included (a peer reads the edges into arrays "
        "first).", 3)


def own_objects(results):
    """What the interpreters' own objects cost before anything was built."""
    parts = []
    for peer in results.peers:
        found = [row["result"] for row in results.rows if row["subject"] == peer
                 and row["result"].get("baseline_collect_ns")]
        if found:
            time = statistics.median(each["baseline_collect_ns"] for each in found) / 1e6
            parts.append(f"{label(peer)} {found[0]['baseline_objects']:,} containers, "
                         f"{time:.2f} ms")
    if not parts:
        return ""
    return ("Every collection of an interpreter also walks its own objects, and the figures "
            f"include them: {'; '.join(parts)}.")


def section(results, looks):
    if not results.sizes:
        raise Lacks("no run of graph")
    degrees = " or ".join(map(str, results.degrees))
    graph = f"Random graph, {degrees} references an object, all reachable from one list. "
    marks = ("Slope: d log(pause) / d log(objects), least squares. Marks of one size stand side by "
             "side.")
    drawings = [Drawing("pause_vs_heap", "The pause of a full collection against live objects, "
                        "both logarithmic, a line a subject", draw(
        results, looks, ALIVE, "A full collection that frees nothing: pause against live objects",
        "live objects", graph + "Median of all collections but each process's first; whiskers: "
        "least and greatest. " + marks), other=as_ratios(
            results, looks, "live_collect_ns", "A full collection that frees nothing: its pause over that of {base}",
            "live objects", graph + "Of each process the median of all collections but the first."))]
    if any(series(results, name, order, GARBAGE) for name in results.subjects
           for order in results.orders_of("graph")):
        drawings.append(Drawing("garbage_vs_heap", "The pause of the collection that frees the "
                                "whole heap, against its size", draw(
            results, looks, GARBAGE, "A full collection that frees the whole heap",
            "objects, all dead", graph + "The list was dropped. Median over invocations; whiskers: "
            "least and greatest. " + marks), other=as_ratios(
                results, looks, GARBAGE, "A full collection that frees the whole heap: its pause over that of {base}",
                "objects, all dead", graph + "The list was dropped.")))
    tables = [comparison(results, title, ["objects", "order"], groups(results), key, 1, "{:.1f}",
                         note)
              for title, key, note in (
                  ("Everything alive, ns an object", "live_collect_ns",
                   "Each process's median of all collections but the first. "
                   + own_objects(results)),
                  ("The first collection, ns an object", "live_first_collect_ns", ""),
                  ("Everything garbage, ns an object", GARBAGE, ""))]
    return Section("Pause against the size of the heap",
                   "One full collection of a random graph, requested by the program.",
                   drawings, [*tables, slope_table(results), cost_table(results)],
                   results.where(("graph",)))
