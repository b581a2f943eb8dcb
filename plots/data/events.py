"""Reads the events that our runs recorded: a JSON line each, in the order in which they ended."""
from dataclasses import dataclass

from plots.data.foreign import inside, parsed

# These span others, or happen on other threads or in other processes; the rest follow one another inside a
# cycle.
SPANS = ("cycle", "pause", "safepoint", "child")


@dataclass
class Collection:
    cycle: dict    # its event
    phases: dict   # {name: (wall ns, CPU ns)}, in the order in which they began; no spans

    @property
    def ns(self):
        return self.cycle["end_ns"] - self.cycle["start_ns"]

    @property
    def rest(self):
        """(wall, CPU) ns of the collection in none of its phases."""
        return (max(0, self.ns - sum(wall for wall, _ in self.phases.values())),
                max(0, self.cycle["cpu_ns"] - sum(cpu for _, cpu in self.phases.values())))


@dataclass
class Cycle(Collection):
    spans: dict    # {phase: [(start, end)]}, in the order in which they began
    stops: list    # [(start, end)] of its pauses


@dataclass
class Forks:
    forks: list   # (wall ns, CPU ns, ns of the pause around it or None)
    falls: int    # how many children failed


def collections(path):
    """[Collection] of a file."""
    found, open_cycles = [], {}
    for event in lines_of(path):
        if event["phase"] != "cycle":
            open_cycles.setdefault(event["cycle"], []).append(event)
            continue
        phases = {}
        for each in sorted(open_cycles.pop(event["cycle"], []), key=lambda each: each["start_ns"]):
            if each["phase"] not in SPANS:
                wall, cpu = phases.get(each["phase"], (0, 0))
                phases[each["phase"]] = (wall + each["end_ns"] - each["start_ns"],
                                         cpu + each["cpu_ns"])
        found.append(Collection(event, phases))
    return found


def lines_of(path):
    """The events of a file. A line cut short (the process was killed) ends it."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            try:
                yield parsed(line)
            except ValueError:
                return


def path_of(results, row):
    path = inside(results.directory, row["events"]) if row.get("events") else None
    return path if path and path.is_file() else None


def cycles(results, row):
    """[Cycle] of a row's run; none if it recorded no events, or they are gone."""
    path = path_of(results, row)
    found, inside = [], {}
    for event in lines_of(path) if path else ():
        if event["phase"] != "cycle":
            inside.setdefault(event["cycle"], []).append(event)
            continue
        spans, stops = {}, []
        for each in sorted(inside.pop(event["cycle"], []), key=lambda each: each["start_ns"]):
            span = each["start_ns"], each["end_ns"]
            if each["phase"] == "pause":
                stops.append(span)
            elif each["phase"] not in SPANS:
                spans.setdefault(each["phase"], []).append(span)
        found.append(Cycle(event, {}, spans, stops))
    return found


def forks(results, row):
    """Forks of a row's run. A pause ends after the fork in it."""
    path = path_of(results, row)
    made, stops, falls = [], [], 0
    for event in lines_of(path) if path else ():
        if event["phase"] == "fork":
            made.append(event)
        elif event["phase"] == "pause":
            stops.append((event["start_ns"], event["end_ns"]))
        falls += event["phase"] == "fallback"
    found, place = [], 0
    stops.sort()
    for each in sorted(made, key=lambda each: each["start_ns"]):
        while place < len(stops) and stops[place][1] < each["end_ns"]:
            place += 1
        around = (stops[place] if place < len(stops) and stops[place][0] <= each["start_ns"] else None)
        found.append((each["end_ns"] - each["start_ns"], each["cpu_ns"],
                      around and around[1] - around[0]))
    return Forks(found, falls)


def of_row(results, row):
    """[Collection] of a row's run; none if it recorded no events, or they are gone."""
    path = path_of(results, row)
    return collections(path) if path else []
