"""The parts of a report, in the order in which it shows them: a line each. A part is a module with
`section(results, looks)`, which gives a Section, or raises Lacks where the results do not have what it shows."""
from importlib import import_module

from plots.drawing import style
from plots.drawing.section import Lacks

# What the report says of a part that the results lack: that they do; nothing, for most experiments do not ask for it;
# or nothing unless another part of load was made, for then it was asked for, too.
USUAL, OPTIONAL, LOAD = range(3)

# (its module, its name where it is left out, what is said then)
PARTS = (
    ("plots.figures.collection.pause_vs_heap", "pause against heap", USUAL),
    ("plots.figures.collection.captured", "captured heaps", USUAL),
    ("plots.figures.collection.pause_distribution", "distribution of pauses", USUAL),
    ("plots.figures.collection.utilisation", "utilisation", USUAL),
    ("plots.figures.collection.phases", "time by phase", USUAL),
    ("plots.figures.collection.churn", "churn", USUAL),
    ("plots.figures.collection.young_vs_old", "young collections", USUAL),
    ("plots.figures.counting.counting", "counting", OPTIONAL),
    ("plots.figures.counting.pairs", "pairs of counts", OPTIONAL),
    ("plots.figures.counting.stops", "stops", OPTIONAL),
    ("plots.figures.load.garbage", "garbage of threads", OPTIONAL),
    ("plots.figures.load.pauses", "load: pauses", LOAD),
    ("plots.figures.load.latency", "load: latency", LOAD),
    ("plots.figures.load.scaling", "load: pauses against heap", LOAD),
    ("plots.figures.load.utilisation", "load: utilisation", LOAD),
    ("plots.figures.load.over_time", "load: over time", LOAD),
    ("plots.figures.load.turns", "load: in turn", LOAD),
    ("plots.figures.load.throughput", "load: throughput", LOAD),
    ("plots.figures.load.threads", "threads", OPTIONAL),
    ("plots.figures.load.candidates", "load: candidates", LOAD),
    ("plots.figures.load.found", "who found the garbage", OPTIONAL),
    ("plots.figures.load.triangle", "pause, backlog and CPU", OPTIONAL),
    ("plots.figures.load.lower_bound", "lower-bound overhead", OPTIONAL),
    ("plots.figures.load.slices", "slices", OPTIONAL),
    ("plots.figures.load.programs", "Python programs", OPTIONAL),
    ("plots.figures.collection.fork_cost", "forks", OPTIONAL),
    ("plots.figures.collection.timelines", "timelines", OPTIONAL),
    ("plots.tables.counters", "hardware counters", OPTIONAL),
    ("plots.tables.others", "other workloads", OPTIONAL),
    ("plots.tables.provenance", "provenance", USUAL),
)


def parts_of(results):
    """([Section], [(what, why)] of those that the results do not allow)."""
    looks = style.looks(results.subjects)
    sections, lacking, under_load = [], [], False
    for module, name, said in PARTS:
        try:
            sections.append(import_module(module).section(results, looks))
            under_load |= said == LOAD
        except Lacks as why:
            lacking.append((name, said, str(why)))
    return sections, [(name, why) for name, said, why in lacking if said == USUAL or (said == LOAD and under_load)]
