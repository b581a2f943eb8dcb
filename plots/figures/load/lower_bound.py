"""What collection costs at least, in time and in CPU: lower-bound overhead, as Cai, Blackburn, Bond and
Maas measure it (ISPASS 2022)."""
import statistics

from plots.data.loads import SATURATED, folded
from plots.data.names import label, round_size, short_label
from plots.drawing.axes import canvas, plain
from plots.drawing.section import Drawing, Form, Lacks, Section, Table
from plots.drawing.tables import show, show_ratio
from plots.stats.pairing import mean_ratio, paired_ratios, summarize

from matplotlib.ticker import FuncFormatter

COSTS = ("wall", "CPU")
PAUSES = {"pause_points", "pause_digest"}   # either says what pauses took


def costs_of(result):
    """{"wall", "CPU": (an operation's cost, and that less what is known to be collection), ns}."""
    operations = result["mutator_ops"]
    paused = (result["pause_digest"]["sum_ns"] if "pause_digest" in result
              else sum(ns for _, ns in result["pause_points"]))
    return {"wall": (result["run_ns"] / operations, max(0, result["run_ns"] - paused) / operations),
            "CPU": (result["run_cpu_ns"] / operations,
                    max(0, result["run_cpu_ns"] - (result.get("collector_cpu_ns") or 0)) / operations)}


def groups_of(results):
    """{workload in words: {subject: {invocation: costs}}}: one mutator that does what it can."""
    found = {}
    for row in results.rows:
        result, params = row["result"], row["params"]
        if (row["repeat"] == 0 and row["kind"] == "ouro" and params.get("threads", 1) == 1
                and params.get("load", SATURATED) == SATURATED and result.get("mutator_ops")
                and PAUSES & result.keys() and result.get("run_cpu_ns")):
            parts = [row["workload"], f"{round_size(row['objects'])} alive", "shuffled" * row["shuffled"],
                     f"{params['unflagged']} % unflagged" if params.get("unflagged") else ""]
            key = row["workload"], row["objects"], ", ".join(filter(None, parts))
            runs = found.setdefault(key, {}).setdefault(row["subject"], {})
            runs[row["invocation"]] = costs_of(result)
    found = {what: {name: found[*size, what][name] for name in results.subjects
                    if name in found[*size, what]} for *size, what in sorted(found)}
    return {what: runs for what, runs in found.items()
            if len(runs) > 1 and all(bound(runs, cost) for cost in COSTS)}


def bound(runs, cost):
    """(the subject with the least cost without collection, {invocation: that}); None where nothing is
    left of any without it."""
    middle = {name: statistics.median(each[cost][1] for each in found.values())
              for name, found in runs.items()}
    costs = [(ns, name) for name, ns in middle.items() if ns > 0]
    if not costs:
        return None
    least = min(costs)[1]
    return least, {invocation: each[cost][1] for invocation, each in runs[least].items()}


def overheads(groups):
    """{(what, cost): (subject of the bound, {subject: [ratio]})}"""
    found = {}
    for what, runs in groups.items():
        for cost in COSTS:
            least, base = bound(runs, cost)
            found[what, cost] = least, {
                name: paired_ratios(base, {invocation: each[cost][0]
                                           for invocation, each in mine.items()})
                for name, mine in runs.items()}
    return found


def label_bars(panels, xlabel, rows):
    """What the panels of both figures have around their bars, one for each of COSTS."""
    for axes, cost in zip(panels, COSTS):
        axes.set_title({"wall": "time", "CPU": "CPU time of the process"}[cost])
        axes.set_xlabel(xlabel)
        axes.xaxis.set_major_formatter(FuncFormatter(plain))
        axes.margins(x=0.3)
        axes.set_xlim(left=0)
        axes.grid(visible=False, axis="y")
        axes.tick_params(axis="y", length=0)
    panels[0].set_yticks(range(len(rows)), [folded(what).replace(", ", ",\n", 1) for what in rows], fontsize=6)
    panels[0].set_ylim(len(rows) - 0.5, -0.5)


def draw(results, looks, groups, found):
    names = [name for name in results.subjects if any(name in runs for runs in groups.values())]
    rows = [*groups, *(["geometric mean"] if len(groups) > 1 else [])]
    figure, (panels,) = canvas(
        results, "What collection costs at least: lower-bound overhead",
        "Cost of an operation over the least that any engine's comes to without what is known to be "
        "collection: pauses of the time; the cycles' CPU of the CPU time. Barriers, counting and "
        "caches stay in it, so the truth is no lower. Median over paired invocations; whiskers: 95 % "
        "interval, or least and greatest of fewer than 3. CPU time of child processes is in it.",
        [len(each) for runs in groups.values() for each in runs.values()], columns=2, left=1.45,
        right=0.35, between=0.3, panel=0.13 * len(names) * len(rows) + 0.1 * len(rows), sharey=True)
    height = 0.84 / len(names)
    for axes, cost in zip(panels, COSTS):
        for place, what in enumerate(rows):
            for which, name in enumerate(names):
                if what in groups:
                    ratio = summarize(found[what, cost][1].get(name, []))
                else:
                    ratio = mean_ratio([found[each, cost][1].get(name, []) for each in groups])
                if ratio is None:
                    continue
                y = place + (which + 0.5) * height - 0.42
                axes.barh(y, ratio.median, height * 0.92, error_kw={"elinewidth": 0.8, "ecolor": "#888888"},
                          xerr=[[max(0, ratio.median - ratio.low)],
                                [max(0, ratio.high - ratio.median)]], **looks[name].bar())
                axes.annotate(f"{short_label(name)} {ratio.median:.2f}",
                              (max(ratio.high, ratio.median), y), xytext=(3, 0), fontsize=5.5,
                              textcoords="offset points", va="center", annotation_clip=False)
        axes.axvline(1, color="#222222", linewidth=0.9, linestyle=(0, (4, 2)))
    label_bars(panels, "times the lower bound", rows)
    return figure


def draw_absolute(results, looks, groups):
    names = [name for name in results.subjects if any(name in runs for runs in groups.values())]
    figure, (panels,) = canvas(
        results, "What an operation costs, and what of it is known to be collection",
        "Median over invocations; whiskers: least and greatest. The white line: the same without what is known to be "
        "collection: pauses of the time; the cycles' CPU of the CPU time. CPU time of child processes is in it.",
        [len(each) for runs in groups.values() for each in runs.values()], columns=2, left=1.45,
        right=0.35, between=0.3, panel=0.13 * len(names) * len(groups) + 0.1 * len(groups), sharey=True)
    height = 0.84 / len(names)
    for axes, cost in zip(panels, COSTS):
        for place, runs in enumerate(groups.values()):
            for name, each in runs.items():
                whole, without = zip(*(one[cost] for one in each.values()))
                usual, y = statistics.median(whole), place + (names.index(name) + 0.5) * height - 0.42
                axes.barh(y, usual, height * 0.92, error_kw={"elinewidth": 0.8, "ecolor": "#888888"},
                          xerr=[[usual - min(whole)], [max(whole) - usual]], **looks[name].bar())
                axes.vlines(statistics.median(without), y - height * 0.46, y + height * 0.46, color="white",
                            linewidth=1.4)
                axes.annotate(f"{short_label(name)} {usual:,.0f}", (max(whole), y), xytext=(3, 0), fontsize=5.5,
                              textcoords="offset points", va="center", annotation_clip=False)
    label_bars(panels, "ns an operation", groups)
    return figure


def table(groups, found):
    rows = []
    for what, runs in groups.items():
        for name, each in runs.items():
            row = [what, label(name), str(len(each))]
            for cost in COSTS:
                middle = [statistics.median(one[cost][i] for one in each.values()) for i in (0, 1)]
                row += [show(middle[0]), show(middle[1]), show_ratio(
                    summarize(found[what, cost][1][name]))]
            rows.append([*row, *(short_label(found[what, cost][0]) for cost in COSTS)])
    return Table("Lower-bound overhead, an operation",
                 ["workload", "subject", "n", *(text for cost in COSTS for text in (
                     f"{cost}, ns", f"{cost} without collection, ns", f"{cost} × bound")),
                  "bound of wall", "bound of CPU"], rows)


def section(results, looks):
    groups = groups_of(results)
    if not groups:
        raise Lacks("no run in which a mutator does what it can, with two engines")
    found = overheads(groups)
    shown = results.where(lambda row: row["kind"] == "ouro" and row["params"].get("threads", 1) == 1
                          and row["params"].get("load", SATURATED) == SATURATED
                          and PAUSES & row["result"].keys() and row["result"].get("run_cpu_ns"))
    return Section("Lower-bound overhead", "",
                   [Drawing("lower_bound", "Bars: cost over the lower bound, in time and in CPU time, "
                            "by workload and engine", draw(results, looks, groups, found), other=Form(
                                lambda: draw_absolute(results, looks, groups),
                                "Bars: ns an operation, in time and in CPU time, by workload and engine",
                                "the lower bound", ratio=False))],
                   [table(groups, found)], shown)
