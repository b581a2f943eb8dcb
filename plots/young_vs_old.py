"""The figure and table of `young`: the pause of a young collection against the size of the old heap.

    /usr/bin/python3 plots/young_vs_old.py RESULTS_DIR

Reads runs.jsonl and meta.json there and writes beside them young_vs_old as SVG and PNG, and
young_vs_old.md. Writes nothing if the results have no such runs.
"""
import statistics
import sys

import style
from axes import built, heading, label_ends, size_axis
from results import OURS, Unusable, label, load, machine_line, round_size, run_line
from stats import paired_ratios, slope, summarize
from tables import show, show_ratio, table

import matplotlib.pyplot as plt

KINDS = (("live", "all of them alive", "-", "full"),
         ("garbage", "all of them dead", (0, (4, 1.5)), "none"))


def samples(results, subject, old, kind):
    """All wall times of one configuration, in µs."""
    return sorted(ns / 1e3 for result in results.of(subject, "young", old).values()
                  for ns in result[f"{kind}_collect_samples_ns"])


def quantile(ordered, part):
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def draw(results, looks):
    sizes = results.sizes_of("young")
    figure, panels = plt.subplots(1, 2, figsize=(7.6, 3.5), sharey=True)
    figure.subplots_adjust(left=0.075, right=0.868, top=0.78, bottom=0.22, wspace=0.58)
    ends = {}
    for axes, (kind, text, dash, fill) in zip(panels, KINDS):
        ends[axes] = []
        for place, name in enumerate(results.subjects):
            points = [(old, samples(results, name, old, kind)) for old in sizes]
            points = [(old, each) for old, each in points if each]
            if not points:
                continue
            aside = 1.05 ** (place - (len(results.subjects) - 1) / 2)
            middle = [statistics.median(each) for _, each in points]
            low = [m - quantile(each, 0.1) for m, (_, each) in zip(middle, points)]
            high = [quantile(each, 0.9) - m for m, (_, each) in zip(middle, points)]
            colour, marker = looks[name]
            axes.errorbar([old * aside for old, _ in points], middle, yerr=[low, high],
                          color=colour, marker=marker, linestyle=dash,
                          markerfacecolor=colour if fill == "full" else "white",
                          elinewidth=0.7, capsize=1.8, capthick=0.7)
            ends[axes].append((middle[-1], label(name), colour))
        axes.set_title(f"young collection, {text}")
        size_axis(axes, sizes, "old objects")
        axes.set_ylabel("pause, µs")
        axes.tick_params(labelleft=True)
    panels[0].set_ylim(bottom=0)  # of both: they share the axis
    for axes in panels:
        label_ends(figure, axes, ends[axes], 6.5)
    heading(figure, results, "A young collection: pause against the size of the old heap",
            f"{young_objects(results):,} young objects in rings of four, each with one reference "
            "to an old object. Median of all\ncollections but the first of each process; whiskers: "
            "10th to 90th percentile." + built(results), 0.975,
            results.invocations_of("young"))
    return figure


def young_objects(results):
    return next(row["result"]["young_objects"] for row in results.rows
                if row["workload"] == "young")


def medians(results, name, old, kind):
    """{invocation: median ns}"""
    return {i: statistics.median(result[f"{kind}_collect_samples_ns"])
            for i, result in results.of(name, "young", old).items()}


def markdown(results):
    parts = ["# Pause of a young collection\n",
             f"{machine_line(results.meta)}; "
             f"{run_line(results, results.invocations_of('young'))}.",
             f"{young_objects(results):,} young objects; µs, median over invocations of each "
             "one's median. Ratios are the peer's time over ours.\n"]
    head = ["young objects", "old objects", label(OURS)]
    for peer in results.peers:
        head += [label(peer), "ratio"]
    rows = []
    for kind, text, *_ in KINDS:
        for old in results.sizes_of("young"):
            ours = medians(results, OURS, old, kind)
            row = [text, round_size(old),
                   show(statistics.median(ours.values()) / 1e3 if ours else None)]
            for peer in results.peers:
                theirs = medians(results, peer, old, kind)
                row += [show(statistics.median(theirs.values()) / 1e3 if theirs else None),
                        show_ratio(summarize(paired_ratios(ours, theirs)))]
            rows.append(row)
    parts.append(table(head, rows))
    rows = []
    for name in results.subjects:
        row = [label(name), ""]
        for kind, *_ in KINDS:
            points = [(old, medians(results, name, old, kind))
                      for old in results.sizes_of("young")]
            points = [(old, statistics.median(each.values())) for old, each in points if each]
            row.append(show(slope(*zip(*points)) if points else None, "{:.2f}"))
        rows.append(row)
    parts += ["Slope, d log(pause) / d log(old objects): 0 is flat.\n",
              table(["subject", "", "alive", "dead"], rows)]
    return "\n".join(parts)


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: young_vs_old.py RESULTS_DIR", file=sys.stderr)
        return 2
    try:
        results = load(arguments[0])
    except Unusable as error:
        print(f"young_vs_old.py: {error}", file=sys.stderr)
        return 1
    if not results.sizes_of("young"):
        return 0
    style.apply()
    made = style.save(draw(results, style.colours(results.subjects)), results.directory,
                      "young_vs_old")
    text = results.directory / "young_vs_old.md"
    text.write_text(markdown(results), encoding="utf-8")
    for path in [*made, text]:
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
