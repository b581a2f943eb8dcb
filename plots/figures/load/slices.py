"""Slices: the same work in every runtime, timed by the mutator's own clock. The worst and the 99.9th
percentile against what is alive, curves over percentiles, and latency metered over windows."""
import statistics

import numpy

from plots.data.names import label, order_of, round_size, short_label
from plots.data.packed import has_slice_lengths, slice_lengths
from plots.drawing import ratios
from plots.drawing.axes import canvas, duration, label_ends, log_ticks, panel_figure, percentile_axis, size_axis
from plots.drawing.curves import draw_tail
from plots.drawing.section import Drawing, Lacks, Section, Table
from plots.drawing.tables import reference, show, show_ratio
from plots.stats.distribution import metered, quantile, values
from plots.stats.mmu import mmu_of_slices
from plots.stats.pairing import paired_ratios, summarize

WINDOWS = ((0, "simple"), (1, "1 ms"), (10, "10 ms"), (100, "100 ms"), (None, "full"))
QUANTILES = ((0.999, "p99.9"), (1, "worst"))
BANDS = 6   # lines: with more, bands would hide one another
MIB = 2 ** 20


def in_order(result):
    """Whether the samples are there as they came, and not digested."""
    return "slice_samples_ns" in result


def by_heap(results):
    """{(shuffled, live): {subject: {invocation: result}}} of those whose lengths are kept."""
    found = {}
    for row in results.where(lambda row: row["workload"] == "slices" and has_slice_lengths(row["result"])):
        runs = found.setdefault((row["shuffled"], row["result"]["live_objects"]), {})
        runs.setdefault(row["subject"], {})[row["invocation"]] = row["result"]
    return {key: {name: found[key][name] for name in results.subjects if name in found[key]}
            for key in sorted(found)}


def at(part):
    return lambda result: quantile(sorted(slice_lengths(result)), part)


def draw_line(axes, place, count, points, look, name):
    """Median with whiskers from the least to the greatest of the invocations; the line's end."""
    aside = 1.03 ** (place - (count - 1) / 2)
    middle = [statistics.median(each) / 1e6 for _, each in points]
    axes.errorbar([live * aside for live, _ in points], middle,
                  yerr=([m - min(each) / 1e6 for m, (_, each) in zip(middle, points)],
                        [max(each) / 1e6 - m for m, (_, each) in zip(middle, points)]),
                  color=look.colour, marker=look.marker, linestyle=look.dash, elinewidth=0.7,
                  capsize=1.5, capthick=0.7)
    return points[-1][0] * aside, middle[-1], short_label(name), look.colour


def draw_heaps(results, looks, found):
    orders = sorted({shuffled for shuffled, _ in found})
    sizes = sorted({live for _, live in found})
    names = [name for name in results.subjects if any(name in runs for runs in found.values())]
    figure, grid = canvas(
        results, "How long a slice of work takes, against what is alive",
        f"A slice makes {operations_of(found)} rings of four in the place of others, which become "
        "garbage; its time is the mutator's own, whoever is to blame. After the warm-up; median over "
        "invocations, whiskers: least and greatest.", [len(each) for runs in found.values()
                                                       for each in runs.values()],
        rows=len(QUANTILES), columns=len(orders), panel=max(1.8, 0.15 * len(names)), gap=0.75,
        between=1.75, right=1.5, sharey="row")
    for row, (part, text) in zip(grid, QUANTILES):
        ends = []
        for axes, shuffled in zip(row, orders):
            lines = []
            for place, name in enumerate(names):
                points = [(live, list(values(found.get((shuffled, live), {}).get(name, {}),
                                             at(part)).values())) for live in sizes]
                points = [each for each in points if each[1]]
                if points:
                    lines.append(draw_line(axes, place, len(names), points, looks[name], name))
            ends.append(lines)
            axes.set_yscale("log")
            size_axis(axes, sizes, "objects alive")
            axes.tick_params(labelleft=True)
            axes.set_title(f"{text}, {order_of(shuffled)}")
        row[0].set_ylabel("a slice")
        for axes in row:
            log_ticks(axes.yaxis, duration)
        for axes, each in zip(row, ends):
            label_ends(figure, axes, each)
    return figure


def operations_of(found):
    return next(result["slices"]["operations"] for runs in found.values()
                for each in runs.values() for result in each.values())


def largest(found):
    """[((shuffled, live), runs)]: of each order the largest heap."""
    orders = sorted({shuffled for shuffled, _ in found})
    return [(key, found[key]) for key in (max(each for each in found if each[0] == shuffled)
                                          for shuffled in orders)]


def draw_curves(results, looks, chosen):
    def draw(axes, runs):
        ends = [draw_tail(axes, name, [slice_lengths(result) for result in each.values()], looks[name],
                          len(runs) <= BANDS) for name, each in runs.items()]
        axes.set_yscale("log")
        percentile_axis(axes, max(sum(len(slice_lengths(result)) for result in each.values())
                                  for each in runs.values()))
        log_ticks(axes.yaxis, duration)
        return ends
    lines = max(len(runs) for _, runs in chosen)
    return panel_figure(
        results, "How long slices of work take",
        "All invocations together; the mark is the longest." + (
            " Shaded: the 95 % interval over invocations, where ten samples lie beyond."
            if lines <= BANDS else ""),
        [len(each) for _, runs in chosen for each in runs.values()],
        [(f"{round_size(live)} alive, {order_of(shuffled)}", runs)
         for (shuffled, live), runs in chosen], "a slice", draw, panel=max(1.9, 0.25 * lines),
        between=1.75, right=1.5)


def metered_at(result, part):
    """[latency in ms for each of WINDOWS]"""
    samples = slice_lengths(result)
    return [quantile(numpy.sort(metered(samples, each if each is None else each * 1e6)), part) / 1e6
            for each, _ in WINDOWS]


def draw_metered(results, looks, chosen):
    def draw(axes, runs):
        ends = []
        for name, each in runs.items():
            look = looks[name]
            middle = list(map(statistics.median,
                              zip(*(metered_at(result, 0.999) for result in each.values()))))
            axes.plot(range(len(WINDOWS)), middle, color=look.colour, linestyle=look.dash,
                      marker=look.marker)
            ends.append((len(WINDOWS) - 1, middle[-1], short_label(name), look.colour))
        axes.set_yscale("log")
        axes.set_xticks(range(len(WINDOWS)), [text for _, text in WINDOWS])
        axes.set_xlabel("smoothing window")
        log_ticks(axes.yaxis, duration)
        return ends
    lines = max(len(runs) for _, runs in chosen)
    return panel_figure(
        results, "Metered latency of slices, p99.9",
        "As DaCapo Chopin meters it: slices that began within the window are spaced evenly, and one is "
        "late from when it should have begun so; simple: its own time alone; full: over the whole run. "
        "Median over invocations.",
        [len(each) for _, runs in chosen for each in runs.values()],
        [(f"{round_size(live)} alive, {order_of(shuffled)}", runs)
         for (shuffled, live), runs in chosen], "latency", draw, panel=max(1.9, 0.15 * lines),
        between=1.75, right=1.5)


def heap_ratios(results, looks, found):
    sizes = sorted({live for _, live in found})
    return ratios.lines(
        results, looks, "How long a slice of work takes, over {base}",
        [(f"{text}, {order_of(shuffled)}",
          {live: {name: values(each, at(part)) for name, each in found.get((shuffled, live), {}).items()}
           for live in sizes}) for part, text in QUANTILES for shuffled in sorted({each for each, _ in found})],
        f"A slice makes {operations_of(found)} rings of four in the place of others. After the warm-up.",
        lambda axes: size_axis(axes, sizes, "objects alive"), "times that of {base}",
        "The same quantiles of slices as times those of {base}, a line a runtime", factor=True, between=1.75,
        right=1.5)


def curve_ratios(results, looks, chosen):
    return ratios.percentiles(
        results, looks, "How long slices of work take, over {base}",
        [(f"{round_size(live)} alive, {order_of(shuffled)}",
          {name: {invocation: slice_lengths(result) for invocation, result in each.items()}
           for name, each in runs.items()}) for (shuffled, live), runs in chosen],
        "Of each invocation its percentiles, those that have a sample beyond them, and its worst slice.",
        "times that of {base}",
        "Percentiles of slices as times those of {base}, a line a runtime", between=1.75, right=1.5)


def metered_ratios(results, looks, chosen):
    def points(runs):
        late = {name: {invocation: metered_at(result, 0.999) for invocation, result in each.items()}
                for name, each in runs.items()}
        return {place: {name: {invocation: ms[place] for invocation, ms in each.items()}
                        for name, each in late.items()} for place in range(len(WINDOWS))}

    def axis(axes):
        axes.set_xticks(range(len(WINDOWS)), [text for _, text in WINDOWS])
        axes.set_xlabel("smoothing window")
    return ratios.lines(
        results, looks, "Metered latency of slices, p99.9, over {base}",
        [(f"{round_size(live)} alive, {order_of(shuffled)}", points(runs)) for (shuffled, live), runs in chosen],
        "", axis, "times that of {base}",
        "The same latencies as times those of {base}, a line a runtime", between=1.75, right=1.5)


def left_over(result):
    """MMU(10 ms) of slices."""
    return mmu_of_slices(slice_lengths(result)) if in_order(result) else result["slice_mmu_10ms"]


def table(results, found):
    rows = []
    for (shuffled, live), runs in found.items():
        first = values(runs.get(reference(results), {}), at(0.999))
        for name, each in runs.items():
            known = [value for value in map(left_over, each.values()) if value is not None]
            own = [result["own_pauses"]["wall"]["max_ns"] / 1e6 for result in each.values()
                   if result.get("own_pauses") and result["own_pauses"]["wall"]["max_ns"]]
            over = summarize(paired_ratios(first, values(each, at(0.999)))) if name != reference(
                results) else None
            middle = {key: statistics.median(result[key] for result in each.values())
                      for key in ("rss_peak_bytes", "run_ns", "run_cpu_ns", "mutator_ops")}
            rows.append([
                round_size(live), order_of(shuffled), label(name), str(len(each)),
                *(show(statistics.median(map(at(part), each.values())) / 1e6, "{:.3f}")
                  for part in (0.5, 0.99, 0.999, 1)), show_ratio(over),
                show(statistics.median(known) if known else None, "{:.2f}"),
                show(statistics.median(own) if own else None, "{:.3f}"),
                show(middle["rss_peak_bytes"] / MIB, "{:.0f}"),
                show(middle["run_ns"] / middle["mutator_ops"]),
                show(middle["run_cpu_ns"] / middle["mutator_ops"])])
    first = f"p99.9 over {short_label(reference(results))}" if reference(results) else "×"
    return Table("Slices, ms, with memory and CPU; medians over invocations",
                 ["alive", "order", "subject", "n", "p50", "p99", "p99.9", "worst", first,
                  "MMU(10 ms)", "own longest pause", "peak RSS, MiB", "ns an operation",
                  "CPU ns an operation"], rows,
                 "MMU: what a slice takes beyond the median one counts as taken from the mutator. Own "
                 "longest pause: as the runtime's own log has it, which leaves out what it leaves out; "
                 "it is recorded and not compared.", 3)


def section(results, looks):
    found = by_heap(results)
    if not found:
        raise Lacks("no run of slices whose lengths are kept")
    chosen = largest(found)
    shown = results.behind([runs for _, runs in chosen])
    late = [(key, runs) for key, runs in chosen if all(in_order(each) for of in runs.values() for each in of.values())]
    return Section(
        "Slices of work, in every runtime",
        "Each runtime does the same work and times it itself, so that nothing depends on what a "
        "collector calls a pause.",
        [Drawing("slices", "The worst slice and the 99.9th percentile against live objects, a line a "
                 "runtime", draw_heaps(results, looks, found), other=heap_ratios(results, looks, found)),
         Drawing("slices_distribution", "Time of a slice against percentile, a line a runtime",
                 draw_curves(results, looks, chosen), shown, other=curve_ratios(results, looks, chosen)),
         *([Drawing("slices_metered", "The 99.9th percentile of metered latency against the smoothing "
                    "window, a line a runtime", draw_metered(results, looks, late),
                    results.behind([runs for _, runs in late]), latency=True,
                    other=metered_ratios(results, looks, late))] if late else [])],
        [table(results, found)], results.behind(found))
