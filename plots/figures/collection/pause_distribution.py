"""How long pauses are, from the raw samples of all runs: a curve a subject over percentiles."""
from plots.data.names import label, order_of, round_size
from plots.drawing import ratios
from plots.drawing.axes import duration, log_ticks, panel_figure, percentile_axis
from plots.drawing.curves import draw_tail
from plots.drawing.section import Drawing, Lacks, Section, Table
from plots.drawing.tables import show
from plots.stats.distribution import quantile

QUANTILES = ((0.5, "p50"), (0.9, "p90"), (0.99, "p99"), (0.999, "p99.9"), (1, "longest"))


def graph_samples(results, name, size, shuffled):
    """{invocation: [ns]} of those that have some."""
    found = {invocation: result.get("live_collect_samples_ns")
             for invocation, result in results.graph(name, size, shuffled).items()}
    return {invocation: each for invocation, each in found.items() if each}


def step_samples(results, name, workload, size):
    found = {invocation: [ns for _, ns in result.get("pause_points") or []]
             for invocation, result in results.of(name, workload, size).items()}
    return {invocation: each for invocation, each in found.items() if each}


def panels_of(results):
    """[(title, {subject: {invocation: [ns]}})]: in each order the largest graph that every
    subject has; churn and its like of each size."""
    found = []
    everybody = {row["subject"] for row in results.rows if row["workload"] == "graph"}
    for shuffled in results.orders_of("graph"):
        for size in reversed(results.sizes):
            samples = {name: graph_samples(results, name, size, shuffled)
                       for name in results.subjects}
            if all(samples[name] for name in everybody):
                found.append((f"full collections, {round_size(size)} alive, {order_of(shuffled)}",
                              samples))
                break
    found += [(f"{workload}, {round_size(size)} alive",
               {name: step_samples(results, name, workload, size) for name in results.subjects})
              for workload, size in results.steps]
    found = [(title, {name: each for name, each in samples.items() if each})
             for title, samples in found]
    return [(title, samples) for title, samples in found if samples]


def draw_panel(axes, samples, looks):
    """The lines' ends, as label_ends takes them."""
    ends = []
    for name, each in samples.items():
        ends.append(draw_tail(axes, name, list(each.values()), looks[name]))
    axes.set_yscale("log")
    percentile_axis(axes, max(sum(map(len, each.values())) for each in samples.values()))
    log_ticks(axes.yaxis, duration)
    return ends


def draw(results, looks, chosen):
    return panel_figure(
        results, "How long pauses are",
        "Raw samples of all invocations together; shaded: the 95 % interval over invocations, where ten "
        "samples are beyond; the mark is the longest. Full collections: each "
        "process's first left out. The others: all automatic collections of the run, as the program "
        "feels them, reclaiming included.",
        results.invocations_of(*shown_in(results)), chosen, "pause",
        lambda axes, samples: draw_panel(axes, samples, looks), panel=1.8, between=1.45)


def shown_in(results):
    """The workloads that are shown."""
    return {"graph", *(workload for workload, _ in results.steps)}


def as_ratios(results, looks, chosen):
    return ratios.percentiles(
        results, looks, "How long pauses are, over {base}",
        chosen,
        "Of each invocation its percentiles, those that have a sample beyond them, and its longest pause.",
        "pause over that of {base}",
        "Percentiles of pauses as times those of {base}, a line a subject")


def table(results, panels):
    rows = []
    for title, samples in panels:
        for name, each in samples.items():
            ordered = sorted(ns for invocation in each.values() for ns in invocation)
            rows.append([title, label(name), f"{len(ordered):,}"]
                        + [show(quantile(ordered, part) / 1e6, "{:.3f}") for part, _ in QUANTILES])
    return Table("Pauses, ms, of all invocations together",
                 ["of what", "subject", "n", *(text for _, text in QUANTILES)], rows,
                 "Nearest rank. With n samples nothing beyond the percentile 100 (1 - 1/n) is "
                 "known: a p99.9 of fewer than 1,000 is the longest.")


def section(results, looks):
    panels = panels_of(results)
    if not panels:
        raise Lacks("no run of graph, churn or its like with raw samples of its pauses")
    return Section("Distribution of pauses",
                   "The axis of percentiles stretches the tail: each nine is as wide as the one "
                   "before.",
                   [Drawing("pause_distribution", "Pause against percentile, a line a subject",
                            draw(results, looks, panels), other=as_ratios(results, looks, panels))],
                   [table(results, panels)], results.where(shown_in(results)))
