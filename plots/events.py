"""Reads the events that our runs recorded: a JSON line each, in the order in which they ended."""
import json
from dataclasses import dataclass

# These span others, or happen on other threads; the rest follow one another inside a cycle.
SPANS = ("cycle", "pause", "safepoint")


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


def collections(path):
    """[Collection] of a file. A line cut short (the process was killed) ends it."""
    found, open_cycles = [], {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            try:
                event = json.loads(line)
            except ValueError:
                break
            if event["phase"] != "cycle":
                open_cycles.setdefault(event["cycle"], []).append(event)
                continue
            phases = {}
            for each in sorted(open_cycles.pop(event["cycle"], []),
                               key=lambda each: each["start_ns"]):
                if each["phase"] not in SPANS:
                    wall, cpu = phases.get(each["phase"], (0, 0))
                    phases[each["phase"]] = (wall + each["end_ns"] - each["start_ns"],
                                             cpu + each["cpu_ns"])
            found.append(Collection(event, phases))
    return found


def of_row(results, row):
    """[Collection] of a row's run; none if it recorded no events, or they are gone."""
    path = results.directory / row["events"] if row.get("events") else None
    return collections(path) if path and path.is_file() else []
