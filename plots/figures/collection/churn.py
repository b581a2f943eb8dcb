"""What garbage costs that comes all the time: the backlog and the resident memory over time, with the
time and the pauses that they go with. Of churn, and of every other workload of the kind."""
import re
import statistics

from plots.data.names import label, round_size, short_label
from plots.drawing import style
from plots.drawing.axes import canvas, duration
from plots.drawing.section import Drawing, Lacks, Section, Table
from plots.drawing.tables import comparison, show
from plots.stats.distribution import values

from matplotlib.ticker import FuncFormatter, MaxNLocator

GENERATIONS = ("young", "middle", "full")
MIB = 2 ** 20


def typical(by_invocation):
    """The result of the invocation whose run time is the median, the lower one of two."""
    ordered = sorted(by_invocation.values(), key=lambda result: result["run_ns"])
    return ordered[(len(ordered) - 1) // 2] if ordered else None


def pause(name, clock="wall"):
    return lambda result: result["pauses"][clock][name] or 0


def saw(points):
    """Times in s and the backlog at them: up to each point's most, down to its least."""
    times, counts = [0.0], [0]
    for ns, high, low in points:
        times += [ns / 1e9, ns / 1e9]
        counts += [high, low]
    return times, counts


def level(axes, value, text):
    """A dashed line across the panel, named at its right end."""
    axes.axhline(value, color=style.INK, linewidth=0.9, linestyle=(0, (4, 2)))
    axes.annotate(text, xy=(1.0, value), xycoords=("axes fraction", "data"), xytext=(3, 0),
                  textcoords="offset points", fontsize=6.5, va="center", annotation_clip=False)


def draw_backlog(axes, result, look):
    times, counts = saw(result["backlog_points"])
    axes.plot(times, counts, color=look.colour, linewidth=0.7)
    level(axes, result["backlog_mean"], f"mean {round_size(round(result['backlog_mean']))}")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda n, _: round_size(n) if n else "0"))


def draw_memory(axes, result, look):
    """Less what the process had before it built the live set: an interpreter's own is not shown."""
    before = result["rss_before_bytes"]
    axes.plot([ns / 1e9 for ns, _ in result["rss_points"]],
              [(size - before) / MIB for _, size in result["rss_points"]], color=look.colour,
              linewidth=1.2)
    level(axes, (result["rss_live_bytes"] - before) / MIB, "live set")


def work_of(workload, params):
    """What an operation does, in a sentence."""
    if workload == "churn":
        return (f"Rings of {params['cycle_size']}; {params['replace']} % of the new ones replace a live "
                "one, the others are dropped at once.")
    said = ", ".join(key.replace("_", " ") + ("" if value is True else f" {value}")
                     for key, value in params.items()
                     if key not in ("shape", "threshold") and value is not False)
    return f"Asked for: {said}."


def draw(results, looks, workload, size):
    """A row a subject: backlog, and memory where the rows have it."""
    found = {name: typical(results.of(name, workload, size)) for name in results.subjects}
    found = {name: result for name, result in found.items() if result}
    kinds = [("backlog_points", draw_backlog, "objects waiting"),
             ("rss_points", draw_memory, "resident, MiB")]
    kinds = [kind for kind in kinds if any(result.get(kind[0]) for result in found.values())]
    params = next(iter(found.values()))["params"]
    figure, panels = canvas(
        results, f"{workload[0].upper()}{workload[1:]} over time, {round_size(size)} objects alive",
        f"{work_of(workload, params)} Automatic collection, the same triggers. The run "
        "whose time is the median. Equal work: a shorter line is a faster run (CPython's includes "
        "its interpreter). Memory: above what the process had before it built the live set.",
        [len(results.of(name, workload, size)) for name in found], rows=len(found),
        columns=len(kinds), panel=1.0, between=1.15, right=0.8, gap=0.42, sharex="col",
        sharey="col")
    for row, (name, result) in zip(panels, found.items()):
        for axes, (key, of, text) in zip(row, kinds):
            if not result.get(key):
                axes.set_visible(False)
                continue
            of(axes, result, looks[name])
            axes.set_ylabel(text)
            axes.yaxis.set_major_locator(MaxNLocator(4))
        longest = float(f"{pause('max_ns')(result) / 1e6:.2g}")
        row[0].set_title(f"{short_label(name)}; longest pause "
                         f"{duration(longest)}", fontsize=7.5)
        row[-1].set_title(f"{short_label(name)}; peak of the process "
                          f"{result['rss_peak_bytes'] / MIB:.0f} MiB", fontsize=7.5)
    for axes in panels[-1]:
        axes.set_ylim(0, axes.get_ylim()[1] * 1.06)  # of the column, which shares both
        axes.set_xlim(left=0)
        axes.set_xlabel("time since the run began, s")
    return figure


# (title of a table, what it is of a result, scale, how it is shown)
MEASURES = (
    ("Time, ns an operation", lambda r: r["ns_per_op"], 1, "{:.0f}"),
    ("CPU time of the process, ns an operation",
     lambda r: r["run_cpu_ns"] / max(r["mutator_ops"], 1), 1, "{:.0f}"),
    ("CPU time of collections, ns an operation",
     lambda r: r["collector_cpu_ns"] / max(r["mutator_ops"], 1), 1, "{:.0f}"),
    ("Pause, p50, µs", pause("p50_ns"), 1e-3, "{:.0f}"),
    ("Pause, p99, µs", pause("p99_ns"), 1e-3, "{:.0f}"),
    ("Pause, p99, CPU time, µs", pause("p99_ns", "cpu"), 1e-3, "{:.0f}"),
    ("Longest pause, ms", pause("max_ns"), 1e-6, "{:.1f}"),
    ("Longest pause, CPU time, ms", pause("max_ns", "cpu"), 1e-6, "{:.1f}"),
    ("Backlog, mean over time, objects", lambda r: r["backlog_mean"], 1, "{:,.0f}"),
    ("Most uncollected garbage, objects", lambda r: r["backlog_max"], 1, "{:,.0f}"),
    ("Peak RSS less the RSS before, MiB",
     lambda r: r["rss_peak_bytes"] - r["rss_before_bytes"], 1 / MIB, "{:.1f}"),
)


# The columns of a table that has them side by side, as cyclotron reports them.
FOUR = (("run, s", lambda r: r["run_ns"], 1e-9, "{:.3f}"),
        ("peak RSS, MiB", lambda r: r["rss_peak_bytes"], 1 / MIB, "{:.1f}"),
        *((f"pause {text}, ms", lambda r, key=key: r["pauses"]["wall"][key], 1e-6, "{:.3f}")
          for text, key in (("p50", "p50_ns"), ("p90", "p90_ns"), ("p99", "p99_ns"),
                            ("p99.9", "p999_ns"), ("longest", "max_ns"))),
        ("most uncollected garbage", lambda r: r["backlog_max"], 1, "{:,.0f}"))


def four_table(results):
    rows = []
    for workload, size in results.steps:
        for name in results.subjects:
            runs = results.of(name, workload, size).values()
            if runs:
                known = [[value for value in map(of, runs) if value is not None] for _, of, _, _ in FOUR]
                rows.append([workload, round_size(size), label(name), str(len(runs))] + [
                    show(statistics.median(each) * scale if each else None, form)
                    for each, (_, _, scale, form) in zip(known, FOUR)])
    return Table("Run time, peak RSS, pauses and garbage that waits, of the same runs",
                 ["workload", "alive", "subject", "n", *(text for text, *_ in FOUR)], rows,
                 "Medians over invocations.", words=3)


def collections_table(results):
    rows = []
    for workload, size in results.steps:
        for name in results.subjects:
            runs = results.of(name, workload, size)
            if runs:
                rows.append([workload, round_size(size), label(name), str(len(runs))] + [
                    show(statistics.median(r["collections"][each][key] for r in runs.values())
                         * scale, form)
                    for each in GENERATIONS for key, scale, form in
                    (("count", 1, "{:,.0f}"), ("total_ns", 1e-9, "{:.2f}"))])
    return Table("Collections of a run, and the time of all of them, s",
                 ["workload", "alive", "subject", "n", *(text for each in GENERATIONS
                                                         for text in (each, f"{each}, s"))], rows,
                 "Medians over invocations.", words=3)


def of_kind(results, workload, size):
    """The rows of a workload and size."""
    return results.where(lambda row: (row["workload"], row["objects"]) == (workload, size))


def waits(results, workload, size):
    """Whether there ever was garbage that waited, so that there is something to see over time."""
    return any(row["result"].get("backlog_points") and row["result"]["backlog_max"]
               for row in of_kind(results, workload, size))


def section(results, looks):
    steps = results.steps
    if not steps:
        raise Lacks("no run of churn or its like")
    groups = [((workload, round_size(size)),
               {name: results.of(name, workload, size) for name in results.subjects}, 1)
              for workload, size in steps]
    drawings = [Drawing(f"{re.sub('[^a-z0-9]+', '_', workload.lower())}_{size}",
                        "Backlog and resident memory over time, a row a subject",
                        draw(results, looks, workload, size), of_kind(results, workload, size))
                for workload, size in steps if waits(results, workload, size)]
    tables = [comparison(results, title, ["workload", "alive"], groups, of, scale, form)
              for title, of, scale, form in MEASURES
              if any(values(runs, of) for _, found, _ in groups for runs in found.values())]
    return Section("Churn: garbage that waits, and memory over time",
                   "A live set, and garbage that comes all the time: churn makes rings and replaces a "
                   "part of the live ones; the others say themselves what they do (ouro bench --help).",
                   drawings, [four_table(results), *tables, collections_table(results)],
                   [row for workload, size in steps for row in of_kind(results, workload, size)])
