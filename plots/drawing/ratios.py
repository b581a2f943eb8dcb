"""The same data as ratios: how many times what a base has each subject has, in the same invocation. It is the
second form of the figures whose data can be compared so."""
from plots.data.names import label, short_label
from plots.drawing.axes import canvas, legend, log_ticks, panel_figure, plain
from plots.drawing.section import Form
from plots.drawing.style import INK
from plots.stats.distribution import quantile
from plots.stats.pairing import mean_ratio, paired_ratios, summarize

from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter

WIDE = 4   # times: from there on the axis of ratios is logarithmic
# Of curves over percentiles; the longest has no percentile.
PARTS = ((0.5, "50"), (0.9, "90"), (0.99, "99"), (0.999, "99.9"), (0.9999, "99.99"), (1, "longest"))
MEAN = "geometric mean"


def base_of(results, groups):
    """What ratios are to: the first subject that was measured in `groups`, [{subject: {invocation: number}}],
    stw before others; None where no other one has a pair with it."""
    there = [name for name in results.subjects if any(runs.get(name) for runs in groups)]
    if there and any(paired_ratios(runs.get(there[0], {}), runs.get(name, {}))
                     for runs in groups for name in there[1:]):
        return there[0]
    return None


def against(runs, base):
    """{subject: [ratio]} of those that have a pair with the base, which is left out."""
    found = {name: paired_ratios(runs.get(base, {}), each) for name, each in runs.items() if name != base}
    return {name: pairs for name, pairs in found.items() if pairs}


def note(base):
    return (f"Each over {label(base)} in the same invocation, which is 1: median of the pairs; whiskers: their "
            "95 % interval (BCa), or least and greatest of fewer than 3 pairs. ")


def whiskers(ratio):
    """Below and above its median, as errorbar takes them."""
    return [[max(0, ratio.median - ratio.low)], [max(0, ratio.high - ratio.median)]]


def known(samples):
    """[(place in PARTS, quantile)] of the percentiles that have a sample beyond them, and the longest."""
    ordered = sorted(samples)
    return [(place, quantile(ordered, part)) for place, (part, _) in enumerate(PARTS)
            if part == 1 or len(ordered) * (1 - part) >= 0.999]


def by_percentile(runs):
    """{place in PARTS: {subject: {invocation: quantile}}} of {subject: {invocation: samples}}."""
    found = {place: {} for place in range(len(PARTS))}
    for name, each in runs.items():
        for invocation, samples in each.items():
            for place, value in known(samples) if len(samples) else ():
                found[place].setdefault(name, {})[invocation] = value
    return {place: each for place, each in found.items() if each}


def percentiles(results, looks, title, panels, text, ylabel, words, **options):
    """The Form of curves over percentiles. panels: [(title, {subject: {invocation: samples}})]; the others: lines."""
    found = [(heading, by_percentile(runs)) for heading, runs in panels]
    there = sorted({place for _, points in found for place in points})

    def axis(axes):
        axes.set_xticks(range(len(there)), [PARTS[place][1] for place in there])
        axes.set_xlim(-0.5, len(there) - 0.5)
        axes.set_xlabel("percentile")
    return lines(results, looks, title, [(heading, {there.index(place): runs for place, runs in points.items()})
                                         for heading, points in found], text, axis, ylabel, words, **options)


def limits(ratios):
    """(from, to, whether that is wide) of an axis that shows these and 1."""
    edges = [1, *(each for ratio in ratios for each in (ratio.median, ratio.low, ratio.high))]
    low, high = min(edges), max(edges)
    if high / low >= WIDE:
        return low / 1.3, high * 1.3, True
    more = max(0.08 * (high - low), 0.02)
    return low - more, high + more, False


def ticks(axis, low, high, most):
    """Of a linear axis: 1, and even steps from there."""
    step = next(each for each in (10 ** power * digit for power in range(-3, 2) for digit in (1, 2, 5))
                if (high - low) / each <= most)
    axis.set_major_locator(FixedLocator([1 + step * i for i in range(-most, most + 1)
                                         if low <= 1 + step * i <= high]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.6g}"))


def draw_lines(results, looks, title, panels, base, text, axis, ylabel, factor=False, **options):
    """panels: [(title, {x: {subject: {invocation: number}}})], a panel each, a line a subject. axis(axes): makes
    the x axis. `factor`: subjects stand side by side by a factor of x, as on a logarithmic axis, else by a
    distance.
    """
    counts = [len(pairs) for _, points in panels for runs in points.values()
              for pairs in against(runs, base).values()]
    found = [{x: {name: summarize(pairs) for name, pairs in against(runs, base).items()}
              for x, runs in points.items()} for _, points in panels]
    names = [name for name in results.subjects
             if any(name in each for points in found for each in points.values())]
    low, high, wide = limits([ratio for points in found for each in points.values()
                              for ratio in each.values()])

    apart = min(1.05, 1.35 ** (1 / max(1, len(names))))

    def draw(axes, points):
        ends = []
        axes.axhline(1, color=INK, linewidth=0.9, linestyle=(0, (4, 2)))
        for place, name in enumerate(names):
            aside = place - (len(names) - 1) / 2
            line = [(x * apart ** aside if factor else x + 0.07 * min(1, 6 / len(names)) * aside, each[name])
                    for x, each in points.items() if name in each]
            for x, ratio in line:
                axes.errorbar([x], [ratio.median], yerr=whiskers(ratio), color=looks[name].colour,
                              elinewidth=0.7, capsize=1.8, capthick=0.7)
            if line:
                axes.plot([x for x, _ in line], [ratio.median for _, ratio in line],
                          color=looks[name].colour, marker=looks[name].marker, linestyle=looks[name].dash)
                ends.append((line[-1][0], line[-1][1].median, short_label(name), looks[name].colour))
        if wide:
            axes.set_yscale("log")
        axis(axes)
        axes.set_ylim(low, high)
        if wide:
            log_ticks(axes.yaxis, plain)
        else:
            ticks(axes.yaxis, low, high, 6)
        return ends
    return panel_figure(results, title, note(base) + text, counts,
                        [(panel, points) for (panel, _), points in zip(panels, found)], ylabel, draw,
                        **{"panel": max(1.8, 0.14 * len(names)), "between": 1.45, **options})


def draw_bars(results, looks, title, columns, base, text, xlabel, **options):
    """columns: [(title, {row: {subject: {invocation: number}}})], bars side by side with the same rows; below
    them, where there are several, their geometric mean."""
    found = []
    for _, rows in columns:
        pairs = {row: against(runs, base) for row, runs in rows.items()}
        ratios = {row: {name: summarize(each) for name, each in of.items()} for row, of in pairs.items()}
        if len(rows) > 1:
            ratios[MEAN] = {name: mean_ratio([of[name] for of in pairs.values() if name in of])
                            for name in results.subjects if sum(name in of for of in pairs.values()) > 1}
        found.append(ratios)
    names = [name for name in results.subjects
             if any(name in each for rows in found for each in rows.values())]
    rows = [*dict.fromkeys(row for _, each in columns for row in each),
            *([MEAN] if any(each.get(MEAN) for each in found) else [])]
    longest = max(len(line) for row in rows for line in row.split("\n"))
    counts = [ratio.pairs for each in found for of in each.values() for ratio in of.values()]
    figure, (panels,) = canvas(
        results, title, note(base) + text, counts, columns=len(columns), sharey=True,
        **{"panel": 0.3 + len(rows) * (0.14 * len(names) + 0.08), "left": 0.25 + 0.053 * longest,
           "right": 0.3, "between": 0.25, **options})
    figure.subplots_adjust(top=figure.subplotpars.top - 0.22 / figure.get_figheight())
    height = 0.82 / len(names)
    for axes, (heading, _), each in zip(panels, columns, found):
        low, high, wide = limits([ratio for of in each.values() for ratio in of.values()])
        for place, row in enumerate(rows):
            for which, name in enumerate(names):
                ratio = each.get(row, {}).get(name)
                if ratio is None:
                    continue
                y = place + (which - (len(names) - 1) / 2) * height
                axes.barh(y, ratio.median - 1, height * 0.92, left=1, xerr=whiskers(ratio),
                          error_kw={"elinewidth": 0.8, "ecolor": "#888888"}, **looks[name].bar())
                axes.annotate(f"{ratio.median:.2f}", (max(ratio.high, ratio.median, 1), y), xytext=(3, 0),
                              textcoords="offset points", fontsize=5.5, va="center", annotation_clip=False)
        axes.axvline(1, color=INK, linewidth=0.9)
        if wide:
            axes.set_xscale("log")
        # Room for the figure beside the longest bar.
        axes.set_xlim(low, high * (high / low) ** 0.16 if wide else high + 0.16 * (high - low))
        if wide:
            log_ticks(axes.xaxis, plain, narrow=True)
        else:
            ticks(axes.xaxis, *axes.get_xlim(), 5)
        axes.set_title(heading)
        axes.set_xlabel(xlabel)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="y", visible=False)
    panels[0].set_yticks(range(len(rows)), rows, fontsize=6.5)
    panels[0].set_ylim(len(rows) - 0.45, -0.55)
    legend(panels[0], [Patch(**looks[name].bar(), label=short_label(name)) for name in names],
           bbox_to_anchor=(-0.01, 1 + 0.3 / (panels[0].get_position().height * figure.get_figheight())))
    return figure


def lines(results, looks, title, panels, text, axis, ylabel, words, **options):
    """The Form of lines; None where there is nothing to compare. `title` and `ylabel` have the base's name where
    they say {base}. The others: draw_lines."""
    base = base_of(results, [runs for _, points in panels for runs in points.values()])
    if base is None:
        return None
    panels = [(panel, points) for panel, points in panels
              if any(against(runs, base) for runs in points.values())]
    name = short_label(base)
    return Form(lambda: draw_lines(results, looks, title.format(base=name), panels, base, text, axis,
                                   ylabel.format(base=name), **options), words.format(base=label(base)), name)


def bars(results, looks, title, columns, text, xlabel, words, **options):
    """The same of bars: draw_bars."""
    base = base_of(results, [runs for _, rows in columns for runs in rows.values()])
    if base is None:
        return None
    columns = [(heading, {row: runs for row, runs in rows.items() if against(runs, base)})
               for heading, rows in columns]
    columns = [(heading, rows) for heading, rows in columns if rows]
    name = short_label(base)
    return Form(lambda: draw_bars(results, looks, title.format(base=name), columns, base, text,
                                  xlabel.format(base=name), **options), words.format(base=label(base)), name)
