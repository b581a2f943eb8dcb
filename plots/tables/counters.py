"""What the processor counted in each phase of collections: cycles, instructions, misses."""
import statistics

from plots.data.names import label, order_of, round_size
from plots.drawing.section import Lacks, Section, Table
from plots.drawing.tables import show

COUNTERS = ("cycles", "instructions", "cache_misses", "tlb_misses")
SPANS = ("cycle", "pause", "wait")   # have others in them, or are none of the collector's work


def counted(results):
    """({(workload, size, order, subject): {phase: [what its runs have of it]}}, their rows)"""
    found, rows = {}, []
    for row in results.where(lambda row: (row["result"].get("counters") or {}).get("phases")):
        rows.append(row)
        order = order_of(row["shuffled"]) if row["workload"] == "graph" or row["shuffled"] else ""
        phases = found.setdefault((row["workload"], row["objects"], order, row["subject"]), {})
        for name, each in row["result"]["counters"]["phases"].items():
            if name not in SPANS:
                phases.setdefault(name, []).append(each)
    return found, rows


def problems(results):
    """({(subject, why nothing was counted): number of runs}, their rows)"""
    found = {}
    rows = results.where(lambda row: (row["result"].get("counters") or {}).get("problem"))
    for row in rows:
        key = row["subject"], row["result"]["counters"]["problem"]
        found[key] = found.get(key, 0) + 1
    return found, rows


def ratio(runs, above, below, scale=1):
    """The median of the runs' ratios; None where one of both is not counted."""
    found = [each[above] * scale / each[below] for each in runs if each[above] is not None and each[below]]
    return statistics.median(found) if found else None


def median_of(runs, key, scale):
    found = [each[key] * scale for each in runs if each[key] is not None]
    return statistics.median(found) if found else None


def table(found):
    rows = []
    for (workload, size, order, subject), phases in sorted(found.items()):
        for phase, runs in phases.items():
            rows.append([
                ", ".join(filter(None, (workload, round_size(size) if size else "", order))), label(subject),
                phase, str(len(runs)), show(median_of(runs, "cpu_ns", 1e-6), "{:,.2f}"),
                *(show(median_of(runs, key, 1e-6), "{:,.2f}") for key in ("cycles", "instructions")),
                show(ratio(runs, "instructions", "cycles"), "{:.2f}"),
                *(show(ratio(runs, key, "instructions", 1000), "{:.2f}") for key in COUNTERS[2:])])
    return Table("Hardware counters by phase, sums over a process, medians",
                 ["workload", "subject", "phase", "n", "CPU, ms", "cycles, M", "instructions, M",
                  "instructions a cycle", "cache misses of 1000 instructions", "TLB misses of 1000 instructions"],
                 rows, "Of the thread that works on a phase, in the program's own code; helpers, whose time is in "
                 "the CPU time, and child processes are not counted.", 3)


def lacking(found):
    return Table("Hardware counters that were asked for and are not there", ["subject", "why", "n"],
                 [[label(subject), why, str(number)] for (subject, why), number in sorted(found.items())], words=2)


def section(results, looks):
    found, rows = counted(results)
    without, bare = problems(results)
    tables = [table(found)] if found else []
    if tables:
        tables[0].data = rows
    if without:
        tables.append(lacking(without))
        tables[-1].data = bare
    if not tables:
        raise Lacks("no run with counters=on")
    return Section("Hardware counters", "", [], tables, rows + bare)
