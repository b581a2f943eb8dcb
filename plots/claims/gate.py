"""The gate: which of the conditions of conditions.py hold for what a figure or a table shows."""
from dataclasses import dataclass

from plots.claims.conditions import CONDITIONS, FAILS, HOLDS, NOT, Shown


@dataclass(frozen=True)
class Verdict:
    number: int
    name: str
    asks: str
    state: str   # HOLDS, FAILS or NOT
    why: str


def verdicts(results, rows, latency=False):
    """[Verdict] of each condition for these rows of `results`."""
    shown = Shown(results, rows, latency)
    return [Verdict(number, name, asks, *check(shown))
            for number, (name, asks, check) in enumerate(CONDITIONS, 1)]


def passes(found):
    return all(each.state != FAILS for each in found)


def numbers(found, state):
    return " ".join(str(each.number) for each in found if each.state == state)


def line(found):
    """All of them in a line, for a figure; nothing where there are none."""
    if not found:
        return ""
    parts = [(text, numbers(found, state)) for state, text in
             ((HOLDS, "holds"), (FAILS, "DOES NOT HOLD"), (NOT, "does not apply"))]
    return "Gate: " + "; ".join(f"{text} {which}" for text, which in parts if which) + "."


def judge(results, sections):
    """Gives each figure and table that shows runs its verdicts. [(name or title, those)]"""
    found, known = [], {}   # most tables of a section show the same rows
    for section in sections:
        for part in [*section.drawings, *section.tables]:
            rows = section.shown(part)
            if rows:
                key = part.latency, *map(id, rows)
                part.verdicts = known[key] = known.get(key) or verdicts(results, rows, part.latency)
                found.append((getattr(part, "name", None) or part.title, part.verdicts))
    return found
