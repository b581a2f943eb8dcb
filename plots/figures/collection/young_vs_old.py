"""The pause of a young collection against the size of the old heap."""
import statistics

from plots.data.names import label, round_size, short_label
from plots.drawing import ratios
from plots.drawing.axes import canvas, label_ends, size_axis
from plots.drawing.section import Drawing, Lacks, Section, Table
from plots.drawing.tables import comparison, show
from plots.stats.distribution import quantile, slope, values

KINDS = (("live", "all of them alive"), ("garbage", "all of them dead"))


def samples(results, subject, old, kind):
    """All wall times of one configuration, in µs."""
    return sorted(ns / 1e3 for result in results.of(subject, "young", old).values()
                  for ns in result[f"{kind}_collect_samples_ns"])


def draw_panel(axes, results, looks, sizes, kind):
    ends = []
    for place, name in enumerate(results.subjects):
        points = [(old, samples(results, name, old, kind)) for old in sizes]
        points = [(old, each) for old, each in points if each]
        if not points:
            continue
        aside = 1.05 ** (place - (len(results.subjects) - 1) / 2)
        middle = [statistics.median(each) for _, each in points]
        low = [m - quantile(each, 0.1) for m, (_, each) in zip(middle, points)]
        high = [quantile(each, 0.9) - m for m, (_, each) in zip(middle, points)]
        look = looks[name]
        axes.errorbar([old * aside for old, _ in points], middle, yerr=[low, high],
                      color=look.colour, marker=look.marker, linestyle=look.dash, elinewidth=0.7,
                      capsize=1.8, capthick=0.7)
        ends.append((points[-1][0] * aside, middle[-1], short_label(name), look.colour))
    return ends


def draw(results, looks, sizes):
    figure, (panels,) = canvas(
        results, "A young collection: pause against the size of the old heap",
        f"{young_objects(results):,} young objects in rings of four, each with one reference to an "
        "old object. Median of all collections but the first of each process; whiskers: 10th to "
        "90th percentile.", results.invocations_of("young"), columns=2, panel=2.1, sharey=True)
    ends = []
    for axes, (kind, text) in zip(panels, KINDS):
        ends.append(draw_panel(axes, results, looks, sizes, kind))
        axes.set_title(f"young objects, {text}")
        size_axis(axes, sizes, "old objects")
        axes.tick_params(labelleft=True)
    panels[0].set_ylabel("pause, µs")
    panels[0].set_ylim(bottom=0)  # of both: they share the axis
    for axes, each in zip(panels, ends):
        label_ends(figure, axes, each)
    return figure


def young_objects(results):
    return next(row["result"]["young_objects"] for row in results.rows
                if row["workload"] == "young")


def median_of(kind):
    return lambda result: statistics.median(result[f"{kind}_collect_samples_ns"])


def as_ratios(results, looks, sizes):
    return ratios.lines(
        results, looks, "A young collection: its pause over that of {base}",
        [(f"young objects, {text}",
          {old: {name: values(results.of(name, "young", old), median_of(kind)) for name in results.subjects}
           for old in sizes}) for kind, text in KINDS],
        f"{young_objects(results):,} young objects in rings of four, each with one reference to an old object. Of "
        "each process the median of all collections but the first.",
        lambda axes: size_axis(axes, sizes, "old objects"), "pause over that of {base}",
        "The same pauses as times those of {base}, a line a subject", factor=True)


def slope_table(results, sizes):
    rows = []
    for name in results.subjects:
        row = [label(name), f"{round_size(sizes[0])} to {round_size(sizes[-1])}"]
        for kind, _ in KINDS:
            points = [(old, list(map(median_of(kind), results.of(name, "young", old).values())))
                      for old in sizes]
            points = [(old, statistics.median(each)) for old, each in points if each]
            row.append(show(slope(*zip(*points)) if points else None, "{:.2f}"))
        rows.append(row)
    return Table("Slope d log(pause) / d log(old objects): 0 is flat",
                 ["subject", "old objects", "alive", "dead"], rows)


def section(results, looks):
    sizes = results.sizes_of("young")
    if not sizes:
        raise Lacks("no run of young")
    groups = [((round_size(old),), {name: results.of(name, "young", old)
                                    for name in results.subjects}, 1) for old in sizes]
    tables = [comparison(results, f"Pause of a young collection, µs; {text}", ["old objects"],
                         groups, median_of(kind), 1e-3, "{:.0f}",
                         "Each process's median of all collections but the first.")
              for kind, text in KINDS]
    return Section("Young collections",
                   f"{young_objects(results):,} young objects beside an old heap.",
                   [Drawing("young_vs_old", "Pause of a young collection against the size of the "
                            "old heap", draw(results, looks, sizes), other=as_ratios(results, looks, sizes))],
                   [*tables, slope_table(results, sizes)], results.where(("young",)))
