"""How much of the time is left to mutators under load."""
import statistics

from axes import panel_figure
from loads import by_kind, collecting, invocations, load_text, shown
from results import label
from section import Drawing, Lacks, Section, Table
from stats import utilisation
from tables import show
from utilisation import WINDOWS_MS, draw_curves

SHOWN = ("1ms", "10ms", "100ms")


def curves(runs):
    """[[least utilisation of any mutator for each window]] of the invocations."""
    windows = [round(each * 1e6) for each in WINDOWS_MS]
    found = []
    for result in runs.values():
        mutators = [utilisation(points, result["run_ns"], windows)
                    for points in [result["pause_points"], *result["other_pause_points"]]]
        found.append([None if None in each else min(each) for each in zip(*mutators)])
    return found


def draw(results, looks, kinds, chosen):
    return panel_figure(
        results, "Minimum mutator utilisation under load",
        "Of any window of a length, the least part that pauses left to a mutator, of that which had "
        "least; higher is better. Median over invocations, shaded from the least to the greatest.",
        invocations(kinds, chosen),
        [(kind.title, {name: curves(runs) for name, runs in collecting(kinds[kind]).items()})
         for kind in chosen], "least part left to a mutator",
        lambda axes, by_subject: draw_curves(axes, by_subject, looks), panel=1.9)


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
                 ["workload", "load", "subject", "n", "stopped",
                  *(f"MMU({window.replace('ms', ' ms')})" for window in SHOWN),
                  "by its own clock, 10 ms", "gaps unexplained"], rows,
                 "By its own clock: of all gaps over 0.1 ms between a mutator's operations, whoever "
                 "is to blame; that of engine off is the machine's share. Unexplained: over 1 ms of "
                 "neither pause, nor hiccup, nor waiting for a processor, in all invocations.", 3)


def section(results, looks):
    kinds = by_kind(results)
    chosen = shown(kinds)
    if not chosen:
        raise Lacks("no run of lru or server")
    return Section("Utilisation under load", "",
                   [Drawing("load_utilisation", "Least part of the time left to a mutator, against "
                            "the length of the window", draw(results, looks, kinds, chosen))],
                   [table(kinds)])
