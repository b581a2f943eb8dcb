"""How long pauses are that mutators feel under load: a curve a subject over percentiles."""
from plots.data.loads import by_kind, collecting, invocations, jitter_ns, load_text, pause_lengths, shown
from plots.data.names import label
from plots.drawing import ratios, style
from plots.drawing.axes import duration, log_ticks, panel_figure, percentile_axis
from plots.drawing.curves import draw_tail
from plots.drawing.section import Drawing, Lacks, Section, Table
from plots.drawing.tables import show
from plots.stats.distribution import median_of

QUANTILES = ("p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns")
NAMES = ("p50", "p90", "p99", "p99.9", "longest")


def draw_panel(axes, runs, looks):
    ends, most = [], 2
    for name, each in collecting(runs).items():
        samples = [pause_lengths({0: result}) for result in each.values()]
        if not any(samples):
            continue
        ends.append(draw_tail(axes, name, samples, looks[name]))
        most = max(most, sum(map(len, samples)))
    floor = jitter_ns(runs)
    if floor:
        axes.axhline(floor / 1e6, color=style.QUIET, linestyle=(0, (1, 2)), linewidth=0.9)
    axes.set_yscale("log")
    percentile_axis(axes, most)
    log_ticks(axes.yaxis, duration)
    return ends


def draw(results, looks, kinds, chosen):
    return panel_figure(
        results, "Pauses that mutators feel under load",
        "All invocations and mutators together; shaded: the 95 % interval over invocations, where ten "
        "pauses are beyond; the mark is the longest. Pauses less than a budget "
        "apart are one. Dotted: how late a thread was that slept a millisecond at a time beside "
        "the runs, p99: what is below it may be the machine's.",
        invocations(kinds, chosen), [(kind.title, kinds[kind]) for kind in chosen], "pause",
        lambda axes, runs: draw_panel(axes, runs, looks), panel=1.8, between=1.45)


def as_ratios(results, looks, kinds, chosen):
    return ratios.percentiles(
        results, looks, "Pauses that mutators feel under load, over {base}",
        [(kind.title, {name: {invocation: pause_lengths({0: result}) for invocation, result in each.items()}
                       for name, each in collecting(kinds[kind]).items()}) for kind in chosen],
        "Of each invocation its percentiles, those that have a pause beyond them, and its longest. Pauses less than "
        "a budget apart are one.", "pause over that of {base}",
        "Percentiles of pauses as times those of {base}, a panel a load, a line a subject")


def summary(key, quantile, clock="wall"):
    return lambda result: result[key][clock][quantile] if clock else result[key][quantile]


def table(kinds, title, key, clock, note=""):
    """A row for each kind and subject, with the percentiles of one of the things that a row has."""
    rows = []
    for kind, runs in kinds.items():
        for name, each in runs.items():
            found = [median_of(each, summary(key, quantile, clock), 1e-6) for quantile in QUANTILES]
            if any(found):
                rows.append([kind.name, load_text(kind.load), label(name), str(len(each)),
                             *(show(value, "{:.3f}") for value in found)])
    return Table(title, ["workload", "load", "subject", "n", *NAMES], rows,
                 "Medians over invocations of each one's percentile. " + note, 3,
                 latency=key == "latency")


def section(results, looks):
    kinds = by_kind(results)
    chosen = [kind for kind in shown(kinds)
              if any(map(pause_lengths, collecting(kinds[kind]).values()))]
    if not chosen:
        raise Lacks("no run of lru or server with a pause")
    tables = [
        table(kinds, "Pauses, ms of wall time", "merged_pauses", "wall"),
        table(kinds, "Pauses, ms of CPU time", "merged_pauses", "cpu"),
        table(kinds, "Pauses before they are merged, ms of wall time", "pauses", "wall"),
        table(kinds, "Time to safepoint, ms", "time_to_safepoint", None),
        table(kinds, "Latency of an operation, ms", "latency", None,
              "From when it was due; of saturated runs from the end of the one before."),
        table(kinds, "OS jitter, ms", "hiccups", None, "The noise floor of all the others.")]
    return Section("Pauses under load",
                   "Mutators at work while everything is collected automatically, each operation "
                   "due at a fixed time or, saturated, at once.",
                   [Drawing("load_pauses", "Pause against percentile, a panel a load, a line a "
                            "subject", draw(results, looks, kinds, chosen),
                            results.behind([kinds[kind] for kind in chosen]),
                            other=as_ratios(results, looks, kinds, chosen))],
                   [each for each in tables if each.rows], results.behind(kinds))
