"""A curve over percentiles with its interval: what pauses and slices are drawn by."""
from plots.data.names import short_label
from plots.stats.distribution import band, tail

BEYOND = 10   # samples that must lie above a quantile for its interval to be shown


def draw_tail(axes, name, invocations, look, banded=True):
    """The line of a subject, ms over 1 / (1 - p), the band of its interval, and a mark at the longest.
    `invocations`: lists of samples in ns. Its end, as label_ends takes it."""
    samples = [ns for each in invocations for ns in each]
    points = tail(samples)
    inside = [x for x, _ in points if x <= len(samples) / BEYOND]
    edges = band(invocations, [1 - 1 / x for x in inside]) if banded else []
    if edges:
        axes.fill_between(inside, *([max(ns, 1) / 1e6 for ns in side] for side in zip(*edges)),
                          color=look.colour, alpha=0.18, linewidth=0, step="post")
    axes.plot([x for x, _ in points], [max(ns, 1) / 1e6 for _, ns in points], color=look.colour,
              linestyle=look.dash, drawstyle="steps-post", marker=look.marker,
              markevery=(len(points) - 1, len(points)))
    return (points[-1][0], max(points[-1][1], 1) / 1e6, f"{short_label(name)}\nn {len(samples):,}",
            look.colour)
