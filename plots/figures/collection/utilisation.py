"""How much of the time is left to the program: minimum mutator utilisation of churn and its like."""
import statistics

from plots.data.names import label, round_size, short_label
from plots.drawing.axes import canvas, duration, label_ends, plain
from plots.drawing.section import Drawing, Lacks, Section, Table
from plots.drawing.tables import show
from plots.stats.mmu import mmu_curve

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

WINDOWS_MS = tuple(10 ** (i / 6) for i in range(-6, 25))   # 0.1 ms to 10 s
SHOWN_MS = (1, 10, 100, 1000)


def curves(results, name, step, windows):
    """[[utilisation for each window]] of the invocations."""
    return [mmu_curve(result["pause_points"], result["run_ns"],
                      [round(each * 1e6) for each in windows])
            for result in results.of(name, *step).values() if "pause_points" in result]


def across(found):
    """[(least, median, greatest) over the invocations, or None] for each window."""
    merged = []
    for each in zip(*found):
        known = [value for value in each if value is not None]
        merged.append((min(known), statistics.median(known), max(known))
                      if len(known) == len(each) else None)
    return merged


def draw_curves(axes, by_subject, looks):
    """A line for each subject's [[utilisation for each of WINDOWS_MS]]; the lines' ends."""
    ends = []
    for name, each in by_subject.items():
        points = [(window, of) for window, of in zip(WINDOWS_MS, across(each)) if of]
        if not points:
            continue
        look = looks[name]
        x = [window for window, _ in points]
        axes.fill_between(x, [low for _, (low, _, _) in points],
                          [high for _, (_, _, high) in points], color=look.colour, alpha=0.15,
                          linewidth=0)
        middle = [of for _, (_, of, _) in points]
        axes.plot(x, middle, color=look.colour, linestyle=look.dash, marker=look.marker,
                  markevery=3)
        ends.append((x[-1], middle[-1], short_label(name), look.colour))
    axes.set_xscale("log")
    axes.set_ylim(-0.02, 1.02)
    axes.xaxis.set_major_locator(FixedLocator([10.0 ** i for i in range(-1, 5)]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(duration))
    axes.yaxis.set_major_formatter(FuncFormatter(plain))
    axes.set_xlabel("length of the window")
    return ends


def draw_panel(axes, results, looks, step):
    axes.set_title(f"{step[0]}, {round_size(step[1])} alive")
    return draw_curves(axes, {name: curves(results, name, step, WINDOWS_MS)
                              for name in results.subjects}, looks)


def steps_of(results):
    return [step for step in results.steps
            if any(result.get("pause_points") for name in results.subjects
                   for result in results.of(name, *step).values())]


def workloads(steps):
    return {workload for workload, _ in steps}


def draw(results, looks, steps):
    columns = min(2, len(steps))
    figure, grid = canvas(
        results, "Minimum mutator utilisation",
        "Of any window of a length, the least part that collections left to the program; higher is "
        "better. Median over invocations, shaded from the least to the greatest.",
        results.invocations_of(*workloads(steps)), rows=-(-len(steps) // columns), columns=columns,
        panel=1.9,
        gap=0.75)
    places = [axes for row in grid for axes in row]
    for axes in places[len(steps):]:
        axes.set_visible(False)
    ends = [(axes, draw_panel(axes, results, looks, step)) for axes, step in zip(places, steps)]
    for row in grid:
        row[0].set_ylabel("least part left to the program")
    for axes, each in ends:
        label_ends(figure, axes, each)
    return figure


def table(results, steps):
    rows = []
    for step in steps:
        for name in results.subjects:
            runs = [result for result in results.of(name, *step).values()
                    if "pause_points" in result]
            if not runs:
                continue
            stopped = [sum(ns for _, ns in run["pause_points"]) / run["run_ns"] for run in runs]
            found = across(curves(results, name, step, SHOWN_MS))
            rows.append([step[0], round_size(step[1]), label(name), str(len(runs)),
                         show(100 * statistics.median(stopped), "{:.1f} %")]
                        + [show(each[1] if each else None, "{:.2f}") for each in found])
    return Table("Utilisation, medians over invocations",
                 ["workload", "alive", "subject", "n", "stopped fraction",
                  *(f"MMU({duration(each)})" for each in SHOWN_MS)], rows, words=3)


def section(results, looks):
    steps = steps_of(results)
    if not steps:
        raise Lacks("no run of churn or its like that says when its pauses began")
    return Section("Utilisation", "Many short stops can add up to a long one; this shows it.",
                   [Drawing("utilisation", "Least part of the time left to the program, against "
                            "the length of the window", draw(results, looks, steps))],
                   [table(results, steps)], results.where(workloads(steps)))
