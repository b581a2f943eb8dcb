"""Ticks, sizes, names of lines and headings, the same in every figure."""
import style
from results import machine_line, round_size, run_line

from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator


def duration(ms, _=None):
    """A tick of a time axis in its own unit."""
    for unit, name in ((1000, "s"), (1, "ms"), (0.001, "µs")):
        if ms >= unit * 0.9999:
            return f"{ms / unit:g} {name}"
    return f"{ms * 1e6:g} ns"


def size_axis(axes, sizes, name):
    """A logarithmic axis of numbers of objects, with a tick at each size."""
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(sizes))
    axes.xaxis.set_minor_locator(FixedLocator([]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda n, _: round_size(n)))
    axes.set_xlim(sizes[0] / 1.4, sizes[-1] * 1.3)
    axes.tick_params(axis="x", labelsize=7 if len(sizes) < 6 else 6.3)
    axes.set_xlabel(name)


def ns_ticks(axes):
    axes.yaxis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5), numticks=30))
    axes.yaxis.set_minor_locator(FixedLocator([]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def ms_ticks(axes):
    axes.yaxis.set_major_locator(LogLocator(base=10, numticks=30))
    axes.yaxis.set_minor_locator(FixedLocator([]))
    axes.yaxis.set_major_formatter(FuncFormatter(duration))


def label_ends(figure, axes, ends, size):
    """Names at the right ends of lines, moved apart where they would touch.

    ends: [(y, text, colour)] in data coordinates.
    """
    if not ends:
        return
    figure.canvas.draw()  # fixes the limits
    lines = max(text.count("\n") for _, text, _ in ends) + 1
    height = axes.get_position().height * figure.get_figheight() * 72  # in points
    gap = (size * lines * 1.15 + 2.5) / height
    to_fraction = axes.transData + axes.transAxes.inverted()
    heights = [to_fraction.transform((axes.get_xlim()[1], y))[1] for y, _, _ in ends]
    for moved, at, (_, text, colour) in zip(style.spread(heights, gap, 1.02), heights, ends):
        axes.annotate(text, xy=(0.975, at), xycoords="axes fraction", xytext=(1.05, moved),
                      textcoords="axes fraction", color=colour, fontsize=size, va="center",
                      ha="left", linespacing=1.0, annotation_clip=False,
                      arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.5,
                                  "shrinkA": 0, "shrinkB": 0, "relpos": (0, 0.5)})


def heading(figure, results, title, below, top, invocations=()):
    """Title, the machine and the kind of run above; how to read the marks below. `invocations`: as
    for run_line."""
    figure.text(0.012, top, title, fontsize=10, weight="bold", va="top")
    figure.text(0.012, top - 0.2 / figure.get_figheight(),
                f"{machine_line(results.meta)}; {run_line(results, invocations)}",
                fontsize=7.5, color=style.QUIET, va="top")
    figure.text(0.012, 0.09 / figure.get_figheight(), below, fontsize=6.5, color=style.QUIET,
                va="bottom")


def built(results):
    """What the t after a version means, if one is shown."""
    return " t: free-threaded build." if any(each.endswith("t") for each in results.peers) else ""
