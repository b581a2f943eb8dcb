"""What mutators get done under load, and what the collector spends on it."""
import statistics

from plots.data.loads import SATURATED, by_kind, collecting, folded, invocations, load_text, without_collector
from plots.data.names import label, round_size, short_label
from plots.drawing.axes import canvas, plain
from plots.drawing.section import Drawing, Form, Lacks, Section, Table
from plots.drawing.tables import show, show_ratio
from plots.stats.distribution import median_of, values
from plots.stats.pairing import paired_ratios, summarize

from matplotlib.ticker import FuncFormatter


def per_second(result):
    return result["operations_per_s"]


def against_off(runs):
    """{subject: Ratio of its throughput to that without a collector, over paired invocations}"""
    return {name: summarize(paired_ratios(values(runs.get(without_collector(name), {}), per_second),
                                          values(each, per_second)))
            for name, each in collecting(runs).items()}


def draw(results, looks, kinds, chosen):
    names = [name for name in results.subjects
             if any(against_off(kinds[kind]).get(name) for kind in chosen)]
    figure, [[axes]] = canvas(
        results, "Throughput of a saturated run, without a collector = 1",
        "Operations of all mutators by those of engine off, over paired invocations: median; "
        "whiskers: the 95 % interval, or least and greatest of fewer than 3. Without a collector "
        "nothing is freed, so memory is always new.",
        invocations(kinds, chosen), left=2.6, right=0.95,
        panel=0.16 * max(len(names), 1) * len(chosen) + 0.12 * len(chosen))
    width = 0.8 / max(len(names), 1)
    for row, kind in enumerate(chosen):
        ratios = against_off(kinds[kind])
        for place, name in enumerate(names):
            ratio = ratios.get(name)
            if ratio is None:
                continue
            y = row + (place + 0.5) * width - 0.4
            axes.barh(y, ratio.median, width * 0.9,
                      xerr=[[ratio.median - ratio.low], [ratio.high - ratio.median]],
                      error_kw={"elinewidth": 0.8}, **looks[name].bar())
            axes.annotate(f"{short_label(name)} {ratio.median:.2f}", xy=(ratio.high, y),
                          xytext=(3, 0), textcoords="offset points", fontsize=5.5, va="center")
    axes.axvline(1, color="#222222", linewidth=0.9, linestyle=(0, (4, 2)))
    axes.set_yticks(range(len(chosen)), [folded(kind.name) for kind in chosen],
                    fontsize=6)
    axes.set_ylim(len(chosen) - 0.5, -0.5)
    axes.set_xlim(0, max(1.05, axes.get_xlim()[1]))
    axes.xaxis.set_major_formatter(FuncFormatter(plain))
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("throughput, engine off = 1")
    return figure


def draw_absolute(results, looks, kinds, chosen):
    names = [name for name in results.subjects if any(name in kinds[kind] for kind in chosen)]
    figure, [[axes]] = canvas(
        results, "Throughput of a saturated run",
        "Operations of all mutators in a second. Median over invocations; whiskers: least and greatest. Engine off "
        "frees nothing, so its memory is always new.",
        invocations(kinds, chosen), left=2.6, right=0.95,
        panel=0.16 * max(len(names), 1) * len(chosen) + 0.12 * len(chosen))
    width = 0.8 / len(names)
    for row, kind in enumerate(chosen):
        for place, name in enumerate(names):
            found = list(values(kinds[kind].get(name, {}), per_second).values())
            if not found:
                continue
            y, usual = row + (place + 0.5) * width - 0.4, statistics.median(found)
            axes.barh(y, usual, width * 0.9, xerr=[[usual - min(found)], [max(found) - usual]],
                      error_kw={"elinewidth": 0.8}, **looks[name].bar())
            axes.annotate(f"{short_label(name)} {usual:,.0f}", xy=(max(found), y), xytext=(3, 0),
                          textcoords="offset points", fontsize=5.5, va="center", annotation_clip=False)
    axes.set_yticks(range(len(chosen)), [folded(kind.name) for kind in chosen], fontsize=6)
    axes.set_ylim(len(chosen) - 0.5, -0.5)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda n, _: round_size(int(n)) if n else "0"))
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("operations a second")
    return figure


def table(kinds):
    rows = []
    for kind, runs in kinds.items():
        ratios = against_off(runs)
        for name, each in runs.items():
            made = [result["mutator_ops"] / result["operations_due"] for result in each.values()]
            rows.append([
                kind.name, load_text(kind.load), label(name), str(len(each)),
                show(median_of(each, "operations_per_s"), "{:,.0f}"), show_ratio(ratios.get(name)),
                show(100 * statistics.median(made), "{:.1f} %"),
                show(median_of(each, lambda r: r["run_cpu_ns"] / max(r["mutator_ops"], 1)), "{:.0f}"),
                show(median_of(each, lambda r: r["collector_cpu_ns"] / max(r["mutator_ops"], 1)),
                     "{:.0f}"),
                show(median_of(each, lambda r: sum(g["count"] for g in r["collections"].values())),
                     "{:,.0f}"),
                show(median_of(each, lambda r: r["collections"]["full"]["count"]), "{:,.0f}"),
                show(median_of(each, lambda r: r["collections"]["full"]["total_ns"]
                            / max(r["collections"]["full"]["count"], 1), 1e-6), "{:.1f}")])
    return Table("Throughput and CPU time, medians over invocations",
                 ["workload", "load", "subject", "n", "operations a second", "off × ",
                  "made of those due", "CPU, ns an operation", "collector CPU, ns an operation",
                  "cycles", "full cycles", "full cycle, ms"], rows,
                 "Off ×: times the throughput of engine off at the same load.", 3)


def section(results, looks):
    kinds = by_kind(results)
    if not kinds:
        raise Lacks("no run of mutators under load")
    chosen = [kind for kind in kinds if kind.load == SATURATED and any(against_off(kinds[kind])
                                                                       .values())]
    drawings = [Drawing("load_throughput", "Throughput of saturated runs by that without a "
                        "collector, a bar a subject", draw(results, looks, kinds, chosen),
                        results.behind([kinds[kind] for kind in chosen]),
                        other=Form(lambda: draw_absolute(results, looks, kinds, chosen),
                                   "Operations a second of saturated runs, a bar a subject", "engine off",
                                   ratio=False))] if chosen else []
    return Section("Throughput under load", "", drawings, [table(kinds)], results.behind(kinds))
