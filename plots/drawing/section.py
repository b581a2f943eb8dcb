"""What a part of a report is made of. A module of a part has `section(results, looks)`, which gives
a Section, or raises Lacks where the results do not have what it shows."""
from dataclasses import dataclass, field
from functools import cached_property


class Lacks(Exception):
    """These results have nothing of this kind; the message says what would be needed."""


@dataclass
class Form:
    """The data of a drawing drawn the other way: as ratios where it shows what was measured, and the reverse."""
    draw: object   # makes the figure; called when that is wanted, for most who ask for parts want none
    words: str     # what it shows, for who cannot see it
    base: str      # what the ratios of the two are to
    ratio: bool = True   # it shows the ratios; else the drawing does

    @cached_property
    def figure(self):
        return self.draw()

    @property
    def name(self):
        """Behind the drawing's in the names of its files."""
        return "ratio" if self.ratio else "absolute"


@dataclass
class Drawing:
    name: str      # of its files
    words: str     # what it shows, for who cannot see it
    figure: object
    data: list = None      # the rows of runs.jsonl that it shows; None: those of its section
    latency: bool = False  # it shows how late operations were
    verdicts: list = ()    # which conditions of the gate hold for it, when it was judged
    other: Form = None     # where both make sense


@dataclass
class Table:
    title: str
    head: list
    rows: list     # of texts
    note: str = ""
    words: int = 2   # how many columns from the left hold words, not numbers
    data: list = None      # this and the next two as a drawing's
    latency: bool = False
    verdicts: list = ()
    means: int = 0         # how many rows at the end are of those above them


@dataclass
class Section:
    title: str
    text: str      # one or two sentences
    drawings: list = field(default_factory=list)
    tables: list = field(default_factory=list)
    data: list = field(default_factory=list)   # rows that its parts show; none: it shows no runs
    source: str = ""   # the file beside runs.jsonl that it shows, if it does

    def shown(self, part):
        """The rows that one of its drawings or tables shows."""
        return self.data if part.data is None else part.data
