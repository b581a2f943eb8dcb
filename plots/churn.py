"""The figure and table of `churn`: what waits to be collected, over time, with what it costs.

    /usr/bin/python3 plots/churn.py RESULTS_DIR

Reads runs.jsonl and meta.json there and writes beside them churn as SVG and PNG, and churn.md.
Writes nothing if the results have no such runs.
"""
import statistics
import sys

import style
from axes import built, duration, heading
from results import OURS, Unusable, label, load, machine_line, round_size, run_line
from stats import paired_ratios, summarize
from tables import show, show_ratio, table

import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, MaxNLocator

GENERATIONS = ("young", "middle", "full")


def typical(by_invocation):
    """The result of the invocation whose run time is the median, the lower one of two."""
    ordered = sorted(by_invocation.values(), key=lambda result: result["run_ns"])
    return ordered[(len(ordered) - 1) // 2] if ordered else None


def saw(points):
    """Times in s and the backlog at them: up to each point's most, down to its least."""
    times, counts = [0.0], [0]
    for ns, high, low in points:
        times += [ns / 1e9, ns / 1e9]
        counts += [high, low]
    return times, counts


def pause(result, name, clock="wall"):
    return result["pauses"][clock][name]


def draw_panel(axes, result, colour):
    times, counts = saw(result["backlog_points"])
    axes.plot(times, counts, color=colour, linewidth=0.7)
    axes.axhline(result["backlog_mean"], color=style.INK, linewidth=0.9, linestyle=(0, (4, 2)))


def draw(results, looks):
    sizes = results.sizes_of("churn")
    names = [name for name in results.subjects
             if any(results.of(name, "churn", size) for size in sizes)]
    height = 1.15 + 1.25 * len(names)
    figure, panels = plt.subplots(len(names), len(sizes), figsize=(7.6, height), squeeze=False,
                                  sharex="col", sharey="col")
    figure.subplots_adjust(left=0.085, right=0.975, top=1 - 0.72 / height, bottom=0.66 / height,
                           wspace=0.25, hspace=0.38)
    for row, name in zip(panels, names):
        for axes, size in zip(row, sizes):
            result = typical(results.of(name, "churn", size))
            if result is None:
                axes.set_visible(False)
                continue
            draw_panel(axes, result, looks[name][0])
            longest = float(f"{(pause(result, 'max_ns') or 0) / 1e6:.2g}")
            axes.set_title(f"{label(name)}, {round_size(size)} alive: mean "
                           f"{round_size(round(result['backlog_mean']))}, longest pause "
                           f"{duration(longest)}", fontsize=7)
            axes.yaxis.set_major_locator(MaxNLocator(4))
            axes.yaxis.set_major_formatter(FuncFormatter(lambda n, _: round_size(n) if n else "0"))
            axes.set_ylabel("objects waiting")
    for axes in panels[-1]:
        axes.set_ylim(bottom=0)  # of the column, which shares both
        axes.set_xlim(left=0)
        axes.set_xlabel("time since the run began, s")
    params = next(row["result"]["params"] for row in results.rows if row["workload"] == "churn")
    heading(figure, results, "Churn: garbage that waits to be collected",
            f"Rings of {params['cycle_size']}; {params['replace']} % of the new ones replace a "
            "live one, the others are dropped at once. Automatic collection, the same "
            "triggers.\nDashed: the mean over time. The run whose time is the median. Equal work: a shorter line is a faster "
            "run (CPython's includes its interpreter)." + built(results),
            1 - 0.1 / height, results.invocations_of("churn"))
    return figure


# (column, what it is of a result, how it is shown)
COLUMNS = (
    ("ns an operation", lambda r: r["ns_per_op"], "{:.0f}"),
    ("CPU, ns an operation", lambda r: r["run_cpu_ns"] / r["mutator_ops"], "{:.0f}"),
    ("of it collections", lambda r: r["collector_cpu_ns"] / r["mutator_ops"], "{:.0f}"),
    ("pause p50, µs", lambda r: (pause(r, "p50_ns") or 0) / 1e3, "{:.0f}"),
    ("p99, µs", lambda r: (pause(r, "p99_ns") or 0) / 1e3, "{:.0f}"),
    ("p99, CPU, µs", lambda r: (pause(r, "p99_ns", "cpu") or 0) / 1e3, "{:.0f}"),
    ("longest, ms", lambda r: (pause(r, "max_ns") or 0) / 1e6, "{:.1f}"),
    ("longest, CPU, ms", lambda r: (pause(r, "max_ns", "cpu") or 0) / 1e6, "{:.1f}"),
    ("backlog, mean", lambda r: r["backlog_mean"], "{:,.0f}"),
    ("greatest", lambda r: r["backlog_max"], "{:,.0f}"),
    ("peak RSS less before, MiB",
     lambda r: (r["rss_peak_bytes"] - r["rss_before_bytes"]) / 2**20, "{:.1f}"),
)
# What ratios are shown of, by the names above.
RATIOS = ("ns an operation", "of it collections", "longest, CPU, ms", "backlog, mean",
          "peak RSS less before, MiB")


def markdown(results):
    parts = ["# Churn\n",
             f"{machine_line(results.meta)}; "
             f"{run_line(results, results.invocations_of('churn'))}.",
             "Medians over invocations. An operation makes one ring.\n"]
    rows, counts, ratios = [], [], []
    for size in results.sizes_of("churn"):
        for name in results.subjects:
            runs = results.of(name, "churn", size)
            if not runs:
                continue
            rows.append([label(name), round_size(size)]
                        + [show(statistics.median(map(of, runs.values())), form)
                           for _, of, form in COLUMNS])
            counts.append([label(name), round_size(size)] + [
                show(statistics.median(r["collections"][each]["count"] for r in runs.values()))
                + show(statistics.median(r["collections"][each]["total_ns"]
                                         for r in runs.values()) / 1e9, " ({:.2f} s)")
                for each in GENERATIONS])
            if name in results.peers:
                ours = results.of(OURS, "churn", size)
                ratios.append([label(name), round_size(size)] + [
                    show_ratio(summarize(paired_ratios(
                        {i: of(r) for i, r in ours.items()}, {i: of(r) for i, r in runs.items()})))
                    for column, of, _ in COLUMNS if column in RATIOS])
    parts += [table(["subject", "alive", *(column for column, *_ in COLUMNS)], rows),
              "Collections, and the time of all of them:\n",
              table(["subject", "alive", *GENERATIONS], counts)]
    if ratios:
        parts += ["The peer's figure over ours in the same invocation: median, in brackets the "
                  "least and the greatest.\n", table(["subject", "alive", *RATIOS], ratios)]
    return "\n".join(parts)


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: churn.py RESULTS_DIR", file=sys.stderr)
        return 2
    try:
        results = load(arguments[0])
    except Unusable as error:
        print(f"churn.py: {error}", file=sys.stderr)
        return 1
    if not results.sizes_of("churn"):
        return 0
    style.apply()
    made = style.save(draw(results, style.colours(results.subjects)), results.directory, "churn")
    text = results.directory / "churn.md"
    text.write_text(markdown(results), encoding="utf-8")
    for path in [*made, text]:
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
