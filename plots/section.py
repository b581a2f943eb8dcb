"""What a part of a report is made of. A module of a part has `section(results, looks)`, which gives
a Section, or raises Lacks where the results do not have what it shows."""
from dataclasses import dataclass, field


class Lacks(Exception):
    """These results have nothing of this kind; the message says what would be needed."""


@dataclass
class Drawing:
    name: str      # of its files
    words: str     # what it shows, for who cannot see it
    figure: object


@dataclass
class Table:
    title: str
    head: list
    rows: list     # of texts
    note: str = ""
    words: int = 2   # how many columns from the left hold words, not numbers


@dataclass
class Section:
    title: str
    text: str      # one or two sentences
    drawings: list = field(default_factory=list)
    tables: list = field(default_factory=list)
