"""How every figure looks: colour-blind-safe, readable in print, equal data giving equal bytes."""
import io
from dataclasses import dataclass

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen first)
from matplotlib.transforms import Bbox  # noqa: E402

from plots.data.foreign import fresh  # noqa: E402

FORMATS = ("svg", "pdf", "png")   # that a figure is written as
LINE = 0.15   # inches that a line below a figure takes
INK = "#222222"
QUIET = "#666666"
GRID = "#dddddd"
# Okabe and Ito's colours, told apart with any colour vision. Without colour, lines differ in marker
# and dashes, bars in hatching.
# The lists differ in length, so that of many lines no two have the same of everything.
OURS = ("#0072B2", "#009E73", "#56B4E9", "#CC79A7", INK, "#882255")
PEERS = ("#D55E00", "#E69F00", "#8A5A00", "#7B3FA0", "#555555")
PHASES = ("#0072B2", "#E69F00", "#56B4E9", "#CC79A7", "#009E73", "#F0E442", "#D55E00", "#999999")
OUR_MARKERS, PEER_MARKERS = ("o", "^", "v", "P", "X", "d", "H"), ("s", "D", "*", "<", ">", "p", "h")
OUR_DASHES = ("-", (0, (5, 1.2)), (0, (1, 1)), (0, (4, 1, 1, 1)), (0, (8, 2)))
PEER_DASHES = ((0, (3, 1.2)), (0, (3, 1, 1, 1, 1, 1)), (0, (1, 2)), (0, (6, 1, 1, 1)))
OUR_HATCHES, PEER_HATCHES = ("", "////", "....", "xxxx", "||||"), ("\\\\\\\\", "----", "++++")
PHASE_HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---", "|||", "+++")


@dataclass(frozen=True)
class Look:
    colour: str
    marker: str
    dash: object
    hatch: str

    def bar(self):
        """Keyword arguments of a bar."""
        return {"facecolor": self.colour, "hatch": self.hatch, "edgecolor": "white",
                "linewidth": 0}


def apply():
    plt.rcParams.update({
        "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"], "font.size": 7.5,
        "axes.titlesize": 8, "axes.labelsize": 7.5, "axes.titlelocation": "left",
        "axes.edgecolor": QUIET, "axes.labelcolor": INK, "text.color": INK,
        "axes.linewidth": 0.6, "axes.spines.top": False, "axes.spines.right": False,
        "xtick.color": QUIET, "ytick.color": QUIET, "xtick.labelcolor": INK,
        "ytick.labelcolor": INK, "xtick.labelsize": 7, "ytick.labelsize": 7,
        "xtick.major.width": 0.6, "ytick.major.width": 0.6, "xtick.minor.size": 0,
        "ytick.minor.size": 0, "axes.grid": True, "axes.grid.which": "major",
        "grid.color": GRID, "grid.linewidth": 0.5, "axes.axisbelow": True,
        "lines.linewidth": 1.3, "lines.markersize": 3.6, "figure.dpi": 100,
        "hatch.linewidth": 0.5, "svg.hashsalt": "ouroboros", "svg.fonttype": "path",
        "pdf.fonttype": 42, "figure.max_open_warning": 0,
    })


def looks(subjects):
    """{subject: Look}, by their order: ours and the peers each have a list of their own."""
    chosen, ours, peers = {}, 0, 0
    for name in subjects:
        if name.startswith("ouro"):
            lists, place = (OURS, OUR_MARKERS, OUR_DASHES, OUR_HATCHES), ours
            ours += 1
        else:
            lists, place = (PEERS, PEER_MARKERS, PEER_DASHES, PEER_HATCHES), peers
            peers += 1
        chosen[name] = Look(*(each[place % len(each)] for each in lists))
    return chosen


def spread(places, gap, ceiling=float("inf")):
    """The places moved apart, as little as needed, until neighbours are `gap` from each other
    and none is above `ceiling`.

    Keeps their order. Used for labels at the ends of lines.
    """
    order = sorted(range(len(places)), key=lambda i: places[i])
    groups = []  # [sum of what each member wants as the start of its group, members]
    for index in order:
        groups.append([places[index], [index]])
        while len(groups) > 1:
            start, members = groups[-1]
            below_start, below = groups[-2]
            begin = start / len(members)
            end_below = below_start / len(below) + gap * len(below)
            if begin >= end_below:
                break
            merged = below + members
            wish = sum(places[i] - gap * k for k, i in enumerate(merged))
            groups[-2:] = [[wish, merged]]
    moved = list(places)
    for total, members in groups:
        for k, index in enumerate(members):
            moved[index] = total / len(members) + gap * k
    for index in reversed(order):
        moved[index] = min(moved[index], ceiling)
        ceiling = moved[index] - gap
    return moved


def add_line(figure, text):
    """Below the figure, which grows by it; what to pass to savefig so that it is shown."""
    width, height = figure.get_size_inches()
    figure.text(0.1 / width, 0.02 / height, text, fontsize=6.5, color=INK, va="top")
    return Bbox([[0, -LINE], [width, height]])


def save_svg(figure, file, **more):
    """It carries no date, so equal data give equal files."""
    figure.savefig(file, format="svg", metadata={"Date": None}, **more)


def save(figure, directory, name, line="", formats=FORMATS):
    """NAME.svg, NAME.pdf and NAME.png, or those of `formats`, with a line of text below: (the SVG, the paths). Equal
    data give equal bytes."""
    paths = {kind: fresh(directory / f"{name}.{kind}") for kind in formats}
    more = {"bbox_inches": add_line(figure, line)} if line else {}
    svg = io.BytesIO()
    save_svg(figure, svg, **more)
    if "svg" in paths:
        paths["svg"].write_bytes(svg.getvalue())
    if "pdf" in paths:
        figure.savefig(paths["pdf"], metadata={"CreationDate": None, "Producer": None, "Creator": None}, **more)
    if "png" in paths:
        figure.savefig(paths["png"], dpi=220, metadata={"Software": None}, **more)
    plt.close(figure)
    return svg.getvalue(), list(paths.values())
