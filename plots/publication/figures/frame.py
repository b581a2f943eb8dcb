"""Figures as narrow as the paper's text, without title or machine, which its captions say."""
import statistics

from plots.data.names import short_label
from plots.drawing import style
from plots.drawing.axes import duration, label_ends, log_ticks

import matplotlib.pyplot as plt

WIDTH = 5.5   # inches: the text of acmsmall
OURS = ["ouro-stw", "ouro-concurrent", "ouro-incremental", "ouro-snapshot", "ouro-stw-parallel"]


def looks(interpreters=()):
    """{subject: Look}; of ours the same in every figure."""
    return {name.removeprefix("ouro-"): its for name, its in style.looks([*OURS, *interpreters]).items()}


LOOKS = looks()


def look(subject):
    return LOOKS[subject]


def panels(columns, height, right=0.78, between=1.1):
    """A figure of one row; lengths in inches."""
    figure, places = plt.subplots(1, columns, figsize=(WIDTH, height), squeeze=False)
    left, foot, head = 0.62, 0.42, 0.2
    wide = (WIDTH - left - right - (columns - 1) * between) / columns
    figure.subplots_adjust(left=left / WIDTH, right=1 - right / WIDTH, top=1 - head / height,
                           bottom=foot / height, wspace=between / wide)
    return figure, places[0]


def line(axes, subject, points, its=None):
    """A line through (x, [values]): medians, with least and greatest. Its end, for label_ends."""
    points = sorted(points)
    middles = [(x, statistics.median(values)) for x, values in points]
    its = its or look(subject)
    axes.plot(*zip(*middles), color=its.colour, linestyle=its.dash, marker=its.marker, linewidth=1.1,
              markersize=3)
    for x, values in points:
        axes.vlines(x, min(values), max(values), color=its.colour, linewidth=0.7)
    return (*middles[-1], short_label(subject), its.colour)


def finish(figure, drawn, ylabel):
    for axes, ends in drawn:
        axes.set_yscale("log")
        log_ticks(axes.yaxis, duration)
        label_ends(figure, axes, ends, size=6)
    drawn[0][0].set_ylabel(ylabel)
    return figure


def apply():
    style.apply()
    plt.rcParams.update({"font.family": "STIXGeneral", "mathtext.fontset": "stix", "pdf.fonttype": 42,
                         "font.size": 8, "axes.labelsize": 8, "xtick.labelsize": 7, "ytick.labelsize": 7})


def save(figure, path):
    """A PDF or PNG without a date or a name of a program, so that equal data give equal bytes."""
    fixed = {"Creator": None, "Producer": None, "CreationDate": None} if path.suffix == ".pdf" else {
        "Software": None}
    figure.savefig(path, dpi=200, metadata=fixed)
    plt.close(figure)
