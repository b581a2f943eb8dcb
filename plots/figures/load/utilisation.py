"""How much of the time is left to mutators under load."""
import statistics

from plots.data.loads import by_kind, collecting, invocations, load_text, shown
from plots.data.names import label
from plots.drawing.axes import panel_figure
from plots.drawing.section import Drawing, Lacks, Section, Table
from plots.drawing.tables import show
from plots.figures.collection.utilisation import WINDOWS_MS, across, draw_curves
from plots.stats.mmu import mmu_curve

SHOWN = ("1ms", "10ms", "100ms")


def whole(runs):
    return [result for result in runs.values() if "pause_points" in result]


def curves(runs):
    """[[least utilisation of any mutator for each window]] of the invocations whose pauses were kept whole."""
    windows = [round(each * 1e6) for each in WINDOWS_MS]
    found = []
    for result in whole(runs):
        mutators = [mmu_curve(points, result["run_ns"], windows)
                    for points in [result["pause_points"], *result["other_pause_points"]]]
        found.append([None if None in each else min(each) for each in zip(*mutators)])
    return found


def elsewhere(result):
    """The part of the run, one processor's, that collection took besides pauses, at most all."""
    if "pause_cpu_samples_ns" not in result:
        return 0  # what of it was in pauses is not known
    paused = sum(result["pause_cpu_samples_ns"])
    return min(1, max(0, (result["collector_cpu_ns"] or 0) - paused) / result["run_ns"])


def with_cpu(runs):
    """The same, if what collection took besides was spread evenly over the run and came off the
    mutator's processor."""
    return [[None if each is None else max(0, each - elsewhere(result)) for each in curve]
            for curve, result in zip(curves(runs), whole(runs))]


def draw_both(axes, runs, looks):
    """The lines' ends; below each line, thin, that with the collector's CPU, where it can be seen."""
    for name, each in runs.items():
        if statistics.median(map(elsewhere, each.values())) > 0.005:
            points = [(window, of[1]) for window, of in zip(WINDOWS_MS, across(with_cpu(each))) if of]
            axes.plot(*zip(*points), color=looks[name].colour, linestyle=looks[name].dash, linewidth=0.6)
    return draw_curves(axes, {name: curves(each) for name, each in runs.items()}, looks)


def draw(results, looks, kinds, chosen):
    return panel_figure(
        results, "Minimum mutator utilisation under load",
        "Of any window of a length, the least part that pauses left to a mutator, of that which had "
        "least; higher is better. Median over invocations, shaded from the least to the greatest. Thin, "
        "without marks: less the collector's other CPU time too, as if it came evenly off the mutator's "
        "processor; that of its child processes is in it.",
        invocations(kinds, chosen), [(kind.title, collecting(kinds[kind])) for kind in chosen],
        "least part left to a mutator", lambda axes, runs: draw_both(axes, runs, looks), panel=1.9)


def table(kinds):
    rows = []
    for kind, runs in kinds.items():
        for name, each in runs.items():
            def of(key, window=None):
                found = [result[key][window] if window else result[key]
                         for result in each.values()]
                return None if None in found else statistics.median(found)
            gaps = [result["gaps"]["mmu"]["10ms"] for result in each.values()]
            unexplained = sum(result["gaps"]["unexplained"] for result in each.values())
            rows.append([kind.name, load_text(kind.load), label(name), str(len(each)),
                         show(100 * of("stopped_fraction"), "{:.1f} %"),
                         *(show(of("mmu", window), "{:.2f}") for window in SHOWN),
                         show(None if None in gaps else statistics.median(gaps), "{:.2f}"),
                         str(unexplained)])
    return Table("Utilisation under load, medians over invocations",
                 ["workload", "load", "subject", "n", "stopped fraction",
                  *(f"MMU({window.replace('ms', ' ms')})" for window in SHOWN),
                  "by its own clock, 10 ms", "gaps unexplained"], rows,
                 "By its own clock: of all gaps over 0.1 ms between a mutator's operations, whoever "
                 "is to blame; that of engine off is the machine's share. Unexplained: over 1 ms of "
                 "neither pause, nor OS jitter, nor waiting for a processor, in all invocations.", 3)


def section(results, looks):
    kinds = by_kind(results)
    chosen = shown(kinds)
    if not chosen:
        raise Lacks("no run of lru or server")
    return Section("Utilisation under load", "",
                   [Drawing("load_utilisation", "Least part of the time left to a mutator, against "
                            "the length of the window", draw(results, looks, kinds, chosen),
                            results.behind([kinds[kind] for kind in chosen]))],
                   [table(kinds)], results.behind(kinds))
