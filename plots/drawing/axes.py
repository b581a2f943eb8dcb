"""The frame, ticks and names of lines, the same in every figure."""
import textwrap

from plots.data.names import machine_line, numbers_line, round_size, run_line
from plots.drawing import style

import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

WIDTH = 7.6          # inches, of every figure
TITLE, LINE = 0.24, 0.14   # inches that a title and a small line take
SMALL, SMALLER = 7.5, 6.5  # points


def canvas(results, title, below, invocations=(), rows=1, columns=1, panel=2.0, left=0.7,
           right=0.95, between=1.4, gap=0.62, foot=0.36, **shared):
    """(figure, panels as a list of lists): a title, the machine and the kind of run above the
    panels, how to read the marks below. All lengths in inches; `panel` is the height of each,
    `foot` what the lowest need below them for their axis."""
    above = textwrap.wrap(f"{machine_line(results.meta)}; {run_line(results, invocations)}"
                          f"{numbers_line(results.subjects)}", 122)
    under = textwrap.wrap(below + built(results), 150)
    head = 0.1 + TITLE + LINE * len(above) + 0.28
    feet = foot + 0.12 + LINE * len(under)
    height = head + rows * panel + (rows - 1) * gap + feet
    figure, panels = plt.subplots(rows, columns, figsize=(WIDTH, height), squeeze=False, **shared)
    wide = (WIDTH - left - right - (columns - 1) * between) / columns
    figure.subplots_adjust(left=left / WIDTH, right=1 - right / WIDTH, top=1 - head / height,
                           bottom=feet / height, wspace=between / wide, hspace=gap / panel)
    figure.text(0.1 / WIDTH, 1 - 0.1 / height, title, fontsize=10, weight="bold", va="top")
    figure.text(0.1 / WIDTH, 1 - (0.1 + TITLE) / height, "\n".join(above), fontsize=SMALL,
                color=style.QUIET, va="top", linespacing=1.25)
    figure.text(0.1 / WIDTH, 0.08 / height, "\n".join(under), fontsize=SMALLER, color=style.QUIET,
                va="bottom", linespacing=1.4)
    return figure, panels.tolist()


def built(results):
    """What the t after a version means, if one is shown."""
    return " t: free-threaded build." if any(each.endswith("t") for each in results.peers) else ""


def duration(ms, _=None):
    """A tick of a time axis in its own unit."""
    for unit, name in ((1000, "s"), (1, "ms"), (0.001, "µs")):
        if ms >= unit * 0.9999:
            return f"{ms / unit:.12g} {name}"
    return f"{ms * 1e6:.12g} ns"


def size_axis(axes, sizes, name):
    """A logarithmic axis of numbers of objects, with a tick at each size."""
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(sizes))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda n, _: round_size(n)))
    axes.set_xlim(sizes[0] / 1.4, sizes[-1] * 1.3)
    axes.tick_params(axis="x", labelsize=7 if len(sizes) < 6 else 6)
    axes.set_xlabel(name)


def count_axis(axes, counts, name):
    """A logarithmic axis of numbers of threads and the like, with a tick at each of them."""
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(sorted(counts)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(plain))
    axes.set_xlabel(name)


def log_ticks(axis, text, narrow=False):
    """Ticks of a logarithmic axis, few enough to be read; `text` makes their labels. `narrow`: there is
    little room."""
    low, high = axis.get_view_interval()
    if not 0 < low < high:
        return
    wide = high / low
    if narrow:
        wide *= 20
    steps = (1, 2, 5) if wide < 200 else (1, 3) if wide < 3000 else (1,)
    axis.set_major_locator(LogLocator(base=10, subs=steps, numticks=30))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(text))


def plain(value, _=None):
    return f"{value:.12g}"


def percentile_axis(axes, most):
    """x is 1 / (1 - p), logarithmic: each step to the right is a nine. `most`: its greatest."""
    axes.set_xscale("log")
    ticks = [(1, "0"), (2, "50"), (10, "90")]
    nines = 2
    while 10 ** nines <= most * 1.05:
        ticks.append((10 ** nines, "99" + ("." + "9" * (nines - 2) if nines > 2 else "")))
        nines += 1
    ticks = [(place, text) for place, text in ticks if place <= max(most, 2) * 1.05]
    axes.xaxis.set_major_locator(FixedLocator([place for place, _ in ticks]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(
        lambda value, _: next((text for place, text in ticks if place == value), "")))
    axes.set_xlim(0.93, max(most, 2) * 1.12)
    axes.set_xlabel("percentile")


def label_ends(figure, axes, ends, size=SMALLER):
    """Names at the right ends of lines, moved apart where they would touch.

    ends: [(x, y, text, colour)], the points in data coordinates; `axes` have their final limits.
    """
    if not ends:
        return
    axes.get_xlim()  # fixes the limits of both axes
    place = axes.get_position()
    height = place.height * figure.get_figheight() * 72  # in points
    aside = 1 + 0.12 / (place.width * figure.get_figwidth())  # 0.12 inches from the panel

    def gap_of(texts):
        return (size * (max(text.count("\n") for text in texts) + 1) * 1.2 + 2.5) / height
    gap = gap_of(text for *_, text, _ in ends)
    if gap * len(ends) > 1.1:  # more than beside the panel: each in one line
        ends = [(x, y, text.replace("\n", ", "), colour) for x, y, text, colour in ends]
        gap = gap_of(text for *_, text, _ in ends)
    to_fraction = axes.transData + axes.transAxes.inverted()
    heights = [to_fraction.transform((x, y))[1] for x, y, _, _ in ends]
    for moved, (x, y, text, colour) in zip(style.spread(heights, gap, 1.02), ends):
        axes.annotate(text, xy=(x, y), xytext=(aside, moved), textcoords="axes fraction",
                      color=colour, fontsize=size, va="center", ha="left", linespacing=1.1,
                      annotation_clip=False,
                      arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.5,
                                  "shrinkA": 0, "shrinkB": 3, "relpos": (0, 0.5)})


def legend(axes, handles, columns=None, **where):
    """A legend in one line above a panel's left corner, over its title."""
    where = {"loc": "lower left", "bbox_to_anchor": (-0.01, 1.06), **where}
    axes.legend(handles=handles, ncol=columns or len(handles), frameon=False, fontsize=SMALLER,
                handletextpad=0.5, columnspacing=1.4, borderpad=0, borderaxespad=0, **where)


def panel_figure(results, title, note, counts, chosen, ylabel, draw, **options):
    """A figure with a panel for each (title, content) of `chosen`, two abreast. draw(axes, content)
    draws one and returns the ends of its lines (label_ends); `options` are canvas's."""
    columns = min(2, len(chosen))
    figure, grid = canvas(results, title, note, counts, rows=-(-len(chosen) // columns),
                          columns=columns, gap=0.75, **options)
    places = [axes for row in grid for axes in row]
    ends = []
    for axes, (text, content) in zip(places, chosen):
        ends.append(draw(axes, content))
        axes.set_title(text)
    for axes in places[len(chosen):]:
        axes.set_visible(False)
    for row in grid:
        row[0].set_ylabel(ylabel)
    for axes, each in zip(places, ends):
        label_ends(figure, axes, each)
    return figure
