"""What must hold before a figure or a table may be claimed: eleven conditions, each a check of the rows
that it shows and of meta.json.

    /usr/bin/python3 plots/gate.py RESULTS_DIR [--require] [NAME...]

prints for each figure and table (or for those figures that are named) which conditions hold. With
--require the exit status is 1 if one does not.
"""
import sys

from plots.claims.conditions import FAILS
from plots.claims.gate import judge, line, passes
from plots.data.results import Unusable, load
from plots.drawing import style
from plots.page.parts import parts_of


def main(arguments):
    require = "--require" in arguments
    places = [each for each in arguments if each != "--require"]
    if not places or any(each.startswith("-") for each in places):
        print("usage: gate.py RESULTS_DIR [--require] [FIGURE...]", file=sys.stderr)
        return 2
    style.apply()
    try:
        results = load(places[0])
        found = judge(results, parts_of(results)[0])
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
