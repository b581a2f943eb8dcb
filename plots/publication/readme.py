"""The numbers of README.md and paper/RESULTS.md, from results alone.

    /usr/bin/python3 plots/readme.py [--data paper/data] [--check] [FILE...]

Between a line `<!-- measured: NAME -->` and the next `<!-- end -->` stands the table of this name, which is made anew
of the paper's results; all else stays. --check writes nothing, and exits with 1 if something would change.
What the data lack, and a name that is none, ends this with a message.
"""
import argparse
import re
import sys
from pathlib import Path

from plots.claims import claims
from plots.claims.claims import number
from plots.data.experiments import Missing, read_all
from plots.data.names import round_size
from plots.publication.latex import ENGINES, MIB, MILLION, MS, USUAL, Finder, rings, slices

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?P<head><!-- measured: (?P<name>\S+) -->\n)(?P<body>.*?)(?P<end><!-- end -->\n)", re.DOTALL)
HEADLINE = ("stw", "incremental", "concurrent")
LOAD = (
    ("pause, CPU time, 99 %, ms", "merged_pauses.cpu.p99_ns", None, MS),
    ("99.9 %", "merged_pauses.cpu.p999_ns", None, MS),
    ("longest", "merged_pauses.cpu.max_ns", None, MS),
    ("by the clock on the wall, 99.9 %", "merged_pauses.wall.p999_ns", None, MS),
    ("longest", "merged_pauses.wall.max_ns", None, MS),
    ("a thread that only sleeps was late by, 99.9 %", "hiccups.p999_ns", None, MS),
    ("least part of any 10 ms left to the mutator", "mmu.10ms", None, 1),
    ("of any 100 ms", "mmu.100ms", None, 1),
    ("part of the time stopped", "stopped_fraction", None, 1),
    ("dead and not collected, mean, million objects", "backlog_mean", None, MILLION),
    ("at most", "backlog_max", None, MILLION),
    ("peak resident memory, MiB", "rss_peak_bytes", None, MIB),
    ("CPU of all processes an operation, ns", "run_cpu_ns", "mutator_ops", 1),
    ("of it the collector's", "collector_cpu_ns", "mutator_ops", 1),
)
RATES = tuple(row for row in LOAD if "sleeps" not in row[0]) + (
    ("done, thousand operations a second", "operations_per_s", None, 1e-3),)


def table(head, rows):
    """Markdown; numbers to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def cell(found):
    """Median, and in brackets its interval if the two digits that count differ."""
    low, middle, high = map(number, (found.low, found.median, found.high))
    return middle if low == middle == high else f"{middle} ({low} to {high})"


def code(name):
    return f"`{name}`"


def headline(find):
    """Pause, memory and CPU, never one without the others."""
    def at(engine, metric, scale, per=None):
        return cell(find("load", "lru", engine, metric, scale=scale, per=per, select=USUAL))
    rows = [[code(engine), at(engine, "merged_pauses.cpu.p999_ns", MS), at(engine, "merged_pauses.cpu.max_ns", MS),
             at(engine, "rss_peak_bytes", MIB),
             at(engine, "backlog_mean", MILLION), at(engine, "run_cpu_ns", 1e-3, "mutator_ops")]
            for engine in HEADLINE]
    return table(["", "pause, CPU, 99.9 %, ms", "longest", "peak resident memory, MiB",
                  "dead and not collected, mean, million", "CPU an operation, µs"], rows)


def summary(find):
    """The same in sentences, the bad news as well."""
    def over_cpython(shuffled):
        found = [find("pause", "graph", "stw", "live_collect_ns", per="live_objects", over="cpython-*",
                      select={"objects": size, "shuffled": shuffled}).median
                 for size in sizes(find, "pause", "graph", "objects")]
        return f"{number(min(found))} to {number(max(found))}"

    def pause(live):
        return find("load", "lru", "concurrent", "merged_pauses.cpu.p999_ns", scale=MS,
                    select={**USUAL, "live": live}).median

    def at_rate(metric, **more):
        return find("rates", "lru", "concurrent", metric, select={"live": "largest", "load": "1200000/s"}, **more).median
    lives = sizes(find, "load", "lru", "live")
    threads, runs = rings(find)
    dead = {name: (waiting[-1].median, rates[-1].median) for name, (waiting, _, rates), _ in runs}
    lines = [f"A full collection by `stw` takes {over_cpython(False)} of CPython's time in allocation order, "
             f"{over_cpython(True)} in random order.",
             f"Under load the concurrent collector's p99.9 is {number(pause(lives[0]))} ms with {round_size(lives[0])} objects "
             f"alive and {number(pause(lives[-1]))} ms with {round_size(lives[-1])}."]
    for other in (name for name in dead if name.startswith("cpython") and name.endswith("t")):
        lines.append(f"{threads[-1]} threads that make nothing but garbage leave {number(dead['stw'][0])} thousand dead "
                     f"containers waiting; `{other}` leaves {number(dead[other][0])} thousand, and makes "
                     f"{number(dead[other][1] / dead['stw'][1])} times as many.")
    lines.append(f"**Not well:** near half of what a mutator can do, one collector thread does not keep up. It leaves "
                 f"{number(at_rate('mmu.10ms'))} of the worst 10 ms to the mutator, and memory is "
                 f"{number(at_rate('rss_peak_bytes', over='stw'))} times that of `stw`.")
    lines.append("**Not well:** a collection costs in proportion to the heap, not to the garbage, and one dead component is "
                 "one pause.")
    return "".join(f"- {line}\n" for line in lines) + "\n" + told_verdicts(find)[0]


def full(find):
    """A full collection of a random graph, ns an object."""
    rows = []
    for shuffled in (False, True):
        for size in sizes(find, "pause", "graph", "objects"):
            def at(subject, over=None):
                return cell(find("pause", "graph", subject, "live_collect_ns", per="live_objects",
                                 select={"objects": size, "shuffled": shuffled}, **({"over": over} if over else {})))
            rows.append([round_size(size), "shuffled" if shuffled else "in order",
                         *(at(each) for each in ("stw", "stw-parallel", "cpython-*")),
                         at("stw", "cpython-*"), at("stw-parallel", "stw")])
    return table(["objects", "order", "`stw`, ns an object", "`stw-parallel`", "CPython", "`stw` / CPython",
                  "`stw-parallel` / `stw`"], rows)


def load(find):
    """Engines beside each other."""
    return table(["", *map(code, ENGINES)],
                 [[what, *(cell(find("load", "lru", engine, metric, per=per, scale=scale, select=USUAL))
                           for engine in ENGINES)] for what, metric, per, scale in LOAD])


def flat(find):
    """The same pauses by what is alive."""
    lives = sizes(find, "load", "lru", "live")
    rows = [[code(engine), *(cell(find("load", "lru", engine, "merged_pauses.cpu.p999_ns", scale=MS,
                                       select={**USUAL, "live": live})) for live in lives)]
            for engine in ENGINES]
    return table(["", *map(round_size, lives)], rows)


def rates(find):
    """The concurrent engine and stw, at higher rates."""
    at = [(rate, engine) for rate in ("600000/s", "1200000/s") for engine in ("stw", "concurrent")]
    rows = [[what, *(cell(find("rates", "lru", engine, metric, per=per, scale=scale,
                               select={"live": "largest", "load": rate})) for rate, engine in at)]
            for what, metric, per, scale in RATES]
    return table(["", *(f"{code(engine)}, {claims.parameter('load', rate)}" for rate, engine in at)], rows)


def peers(find):
    """A slice of work in every runtime."""
    return table(["", "slice, median, µs", "99.9 %, ms", "longest, ms", "longest, rings replaced at random, ms",
                  "peak resident memory, MiB"],
                 [[code(name), *map(cell, found)] for name, found in slices(find)])


def backlog(find):
    """Threads that make nothing but garbage."""
    threads, found = rings(find)
    rows = [[code(name) + (", stopped" if stopped else ""), *map(cell, (*dead, grown[-1], *rates))]
            for name, (dead, grown, rates), stopped in found]
    number_of = [f"{each} thread{'s' * (each > 1)}" for each in threads]
    return table(["", f"dead and not freed at most, thousand: {number_of[0]}", *number_of[1:],
                  f"memory grew by, MiB: {number_of[-1]}", f"million rings a second: {number_of[0]}", *number_of[1:]],
                 rows)


def told_verdicts(find):
    """(how many claims are held, all outcomes)"""
    outcomes = claims.evaluate_all(claims.read_claims(), find.experiments, find.missing)
    def places(entry):
        return ORDER.index(entry[0])
    counts = {}
    for each in outcomes:
        counts.setdefault(each.published, {}).setdefault(each.verdict, []).append(each)

    def told(published, of_what):
        found = counts.get(published, {})
        every = sum(map(len, found.values()))
        return f"Of {every} {of_what} " + ", ".join(f"{len(each)} are {verdict}"
                                                   for verdict, each in sorted(found.items(), key=places)) + "."
    return told(False, "limits of our own") + " " + told(True, "numbers that others published") + "\n", outcomes


def verdicts(find):
    """How many claims are held, and which limits of our own are not."""
    sentence, outcomes = told_verdicts(find)
    rows = [[f"`{each.claim['id']}` {each.sentence}" + (f" (`{each.worst}`)" if each.worst else ""),
             claims.limit_text(each.claim), claims.with_unit(cell(each), each.claim), each.verdict]
            for each in outcomes if each.verdict in ("not held", "open") and not each.published]
    return (sentence
            + ("\n" + table(["not held, or open", "asked", "measured", ""], rows) if rows else ""))


def sizes(find, experiment, workload, key):
    """What was measured of a parameter, in order."""
    return sorted({row["params"][key] for row in find.rows(experiment) if row["workload"] == workload})


ORDER = ("held", "reproduced", "open", "not held", "not reproduced", "not measured")
PARTS = {each.__name__: each for each in (headline, summary, full, load, flat, rates, backlog, peers, verdicts)}


def made(text, find):
    """The text with its tables made anew. Missing if one cannot be made."""
    def anew(block):
        name = block["name"]
        if name not in PARTS:
            raise Missing(f"there is no table '{name}'; allowed: {', '.join(PARTS)}")
        return block["head"] + "\n" + PARTS[name](find) + "\n" + block["end"]
    heads = text.count("<!-- measured:")
    found, count = BLOCK.subn(anew, text)
    if count != heads:
        raise Missing(f"of {heads} lines <!-- measured: NAME --> {heads - count} have no <!-- end --> of their own")
    return found


def renew(file, find, chosen):
    """The exit status that the file makes."""
    before = file.read_text(encoding="utf-8")
    try:
        after = made(before, find)
    except Missing as why:
        print(f"{file}: {why}", file=sys.stderr)
        return 1
    if chosen.check and after != before:
        print(f"{file}: its tables are not those of {chosen.data}; plots/readme.py makes them anew", file=sys.stderr)
        return 1
    if after != before:
        file.write_text(after, encoding="utf-8")
    return 0


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT / "paper" / "data")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("files", type=Path, nargs="*", metavar="FILE",
                        default=[ROOT / "README.md", ROOT / "paper" / "RESULTS.md"])
    chosen = parser.parse_args(arguments)
    document = claims.read_claims()
    experiments, missing = read_all(chosen.data, document["experiment"])
    find = Finder(experiments, missing, document.get("usual", {}))
    return max([renew(file, find, chosen) for file in chosen.files])
