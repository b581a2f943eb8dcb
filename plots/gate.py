"""What must hold before a figure or a table may be claimed: eleven conditions, each a check of the rows
that it shows and of meta.json.

    /usr/bin/python3 plots/gate.py RESULTS_DIR [--require] [NAME...]

prints for each figure and table (or for those figures that are named) which conditions hold. With
--require the exit status is 1 if one does not.
"""
import sys
from dataclasses import dataclass

from conditions import CONDITIONS, FAILS, HOLDS, NOT, Shown


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


def main(arguments):
    import report  # it reads this module, too
    import style
    from results import Unusable, load
    require = "--require" in arguments
    places = [each for each in arguments if each != "--require"]
    if not places or any(each.startswith("-") for each in places):
        print("usage: gate.py RESULTS_DIR [--require] [FIGURE...]", file=sys.stderr)
        return 2
    style.apply()
    try:
        results = load(places[0])
        found = judge(results, report.parts_of(results)[0])
    except Unusable as error:
        print(f"gate.py: {error}", file=sys.stderr)
        return 1
    unknown = sorted(set(places[1:]) - {name for name, _ in found})
    if unknown:
        print(f"gate.py: {places[0]} has no {', '.join(unknown)}", file=sys.stderr)
        return 1
    found = [(name, each) for name, each in found if name in places[1:] or not places[1:]]
    for name, each in found:
        print(f"{name}: {line(each)}")
        for one in each:
            if one.state == FAILS:
                print(f"    {one.number:2} {one.name}: {one.why}")
    return 1 if require and not all(passes(each) for _, each in found) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
