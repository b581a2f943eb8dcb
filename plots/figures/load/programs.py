"""Real Python programs: what each way of collecting makes them wait, and what it costs in time and memory."""
import operator
import statistics

from plots.data.names import short_label
from plots.data.results import PROGRAM_PREFIX
from plots.drawing.axes import canvas, duration, legend, log_ticks
from plots.drawing.section import Drawing, Lacks, Section, Table
from plots.drawing.tables import show, show_ratio
from plots.stats.distribution import values
from plots.stats.pairing import paired_ratios, summarize

from matplotlib.patches import Patch
from matplotlib.lines import Line2D

QUANTILES = (("p50_ns", "50"), ("p90_ns", "90"), ("p99_ns", "99"), ("p999_ns", "99.9"), ("max_ns", "max"))
MIB = 2 ** 20


def longest(result):
    return result["pauses"]["wall"]["max_ns"] or 0


def by_program(results):
    """{(program, rate): {subject: {invocation: result}}}; rate 0: operations come one after the other."""
    found = {}
    for row in results.where(lambda row: row["workload"].startswith(PROGRAM_PREFIX)):
        key = row["workload"].removeprefix(PROGRAM_PREFIX), row["params"]["rate"]
        found.setdefault(key, {}).setdefault(row["subject"], {})[row["invocation"]] = row["result"]
    return {key: {name: found[key][name] for name in subjects_of(results) if name in found[key]}
            for key in sorted(found)}


def subjects_of(results):
    """Interpreters as they are before those that collect otherwise."""
    return sorted(results.subjects, key=lambda name: (name.count("-"), name))


def base_of(name):
    """The interpreter as it is: "cpython-3.11.2" of "cpython-3.11.2-bridge"."""
    return "-".join(name.split("-")[:2])


def over_base(runs, name, key):
    """Ratios to the same interpreter as it is, over paired invocations; none of itself."""
    base = runs.get(base_of(name), {})
    return [] if base_of(name) == name else paired_ratios(values(base, key), values(runs[name], key))


def name_of(key):
    program, rate = key
    return program + (f"\n{rate:,} a second" if rate else "")


COLUMNS = (("longest pause", "", None), ("CPU time", "times that of the interpreter as it is", "run_cpu_ns"),
           ("peak memory", "times that of the interpreter as it is", "rss_peak_bytes"))


def draw_bars(results, looks, found):
    names = [name for name in subjects_of(results) if any(name in runs for runs in found.values())]
    width = 0.82 / len(names)
    figure, (panels,) = canvas(
        results, "Python programs: the longest pause, and what it costs",
        "Median over invocations; whiskers: least and greatest. Ratios are to the same interpreter as it is, over "
        "paired invocations. With gc.disable() nothing pauses.",
        [len(each) for runs in found.values() for each in runs.values()], columns=len(COLUMNS),
        panel=0.35 + len(found) * (0.09 * len(names) + 0.14), left=1.35, right=0.15, between=0.22, sharey=True)
    for axes, (title, unit, key) in zip(panels, COLUMNS):
        for row, runs in enumerate(found.values()):
            for place, name in enumerate(names):
                if name not in runs:
                    continue
                numbers = ([ns / 1e6 for ns in values(runs[name], longest).values()] if key is None
                           else over_base(runs, name, key))
                numbers = [each for each in numbers if each > 0]
                if numbers:
                    middle = statistics.median(numbers)
                    axes.barh(row + (place - (len(names) - 1) / 2) * width, middle, width * 0.92,
                              **looks[name].bar(), xerr=[[middle - min(numbers)], [max(numbers) - middle]],
                              error_kw={"elinewidth": 0.7, "capsize": 1.2, "capthick": 0.7})
        axes.set_title(title)
        axes.set_xlabel(unit)
        if key is None:
            axes.set_xscale("log")
            log_ticks(axes.xaxis, duration, narrow=True)
        else:
            axes.axvline(1, color="0.3", linewidth=0.8)
            axes.set_xlim(left=0)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="y", visible=False)
    panels[0].set_yticks(range(len(found)), [name_of(key) for key in found])
    panels[0].set_ylim(len(found) - 0.45, -0.55)
    figure.subplots_adjust(top=figure.subplotpars.top - 0.37 / figure.get_figheight())
    legend(panels[0], [Patch(**looks[name].bar(), label=short_label(name)) for name in names], (len(names) + 1) // 2,
           bbox_to_anchor=(-0.01, 1 + 0.3 / (panels[0].get_position().height * figure.get_figheight())))
    return figure


def draw_latency(results, looks, found):
    names = [name for name in subjects_of(results) if any(name in runs for runs in found.values())]
    figure, (panels,) = canvas(
        results, "Latency of requests that are due at fixed times",
        "From when a request was due, however late those before it were. Median over invocations, shaded from the "
        "least to the greatest.",
        [len(each) for runs in found.values() for each in runs.values()], columns=len(found), panel=2.0, left=0.75,
        right=0.2, between=0.55)
    for axes, (key, runs) in zip(panels, found.items()):
        for name, each in runs.items():
            look = looks[name]
            points = [[result["latency"][quantile] / 1e6 for result in each.values()] for quantile, _ in QUANTILES]
            axes.plot(range(len(points)), list(map(statistics.median, points)), color=look.colour,
                      linestyle=look.dash, marker=look.marker)
            axes.fill_between(range(len(points)), list(map(min, points)), list(map(max, points)), color=look.colour,
                              alpha=0.15, linewidth=0)
        axes.set_yscale("log")
        log_ticks(axes.yaxis, duration)
        axes.set_xticks(range(len(QUANTILES)), [text for _, text in QUANTILES])
        axes.set_xlabel("percentile")
        axes.set_title(name_of(key).replace("\n", ", "))
    panels[0].set_ylabel("latency")
    figure.subplots_adjust(top=figure.subplotpars.top - 0.22 / figure.get_figheight())
    legend(panels[0], [Line2D([], [], color=looks[name].colour, linestyle=looks[name].dash,
                              marker=looks[name].marker, label=short_label(name)) for name in names],
           bbox_to_anchor=(-0.01, 1 + 0.3 / (panels[0].get_position().height * figure.get_figheight())))
    return figure


def table(found):
    rows = []
    for (program, rate), runs in found.items():
        for name, each in runs.items():
            def middle(key, form, scale=1):
                known = [value for value in map(key if callable(key) else operator.itemgetter(key), each.values())
                         if value is not None]
                return show(statistics.median(known) * scale if known else None, form)

            rows.append([
                program, f"{rate:,}/s" if rate else "-", short_label(name), str(len(each)),
                middle(longest, "{:.2f}", 1e-6), middle(lambda result: result["stopped_fraction"] * 100, "{:.1f}"),
                middle(lambda result: result["mmu"]["10ms"], "{:.2f}"),
                *(middle(lambda result, part=part: result["latency"][part], "{:.2f}", 1e-6)
                  for part, _ in QUANTILES),
                *(show_ratio(summarize(over_base(runs, name, key))) if base_of(name) != name else ""
                  for key in ("run_ns", "run_cpu_ns", "rss_peak_bytes")),
                middle("rss_peak_bytes", "{:.0f}", 1 / MIB)])
    return Table("Python programs: pauses and operations in ms, medians over invocations",
                 ["program", "rate", "subject", "n", "longest pause", "stopped, %", "MMU(10 ms)",
                  *(f"p{text}" if text != "max" else text for _, text in QUANTILES), "wall ×", "CPU ×",
                  "memory ×", "peak RSS, MiB"], rows,
                 "×: times that of the same interpreter as it is, over paired invocations. An operation of a program "
                 "without a rate lasts from the end of the one before; with one, from when it was due.", 3)


def section(results, looks):
    found = by_program(results)
    if not found:
        raise Lacks("no run of a Python program")
    timed = {key: runs for key, runs in found.items() if key[1]}
    drawings = [Drawing("programs", "Bars: the longest pause, CPU time and peak memory of each program, a bar for each "
                        "way of collecting", draw_bars(results, looks, found))]
    if timed:
        drawings.append(Drawing("programs_latency", "Latency of requests against percentile, a line for each way of "
                                "collecting", draw_latency(results, looks, timed), results.behind(timed), latency=True))
    return Section("Python programs",
                   "Programs of Debian's archive, under CPython's collector as it is and otherwise.",
                   drawings, [table(found)], results.behind(found))
