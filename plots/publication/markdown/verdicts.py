"""What holds and what does not, in sentences."""
from plots.claims.claims import limit_text, number, with_unit
from plots.data.names import round_size
from plots.numbers import cores
from plots.numbers.finder import MS, USUAL, interpreters, rings, sizes
from plots.publication.markdown import table
from plots.publication.markdown.writing import cell, tabular

ORDER = ("held", "reproduced", "open", "not held", "not reproduced", "not measured")


@table
def summary(find):
    """The same in sentences, the bad news as well."""
    def over_cpython(shuffled):
        found = [find("pause", "graph", "stw", "live_collect_ns", per="live_objects", over="cpython-*", each="over",
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
    *older, newest = (name.removeprefix("cpython-") for name in interpreters(find, "pause", "graph"))
    fastest = f"CPython {newest}" if not older else f"the fastest CPython of {', '.join(older)} and {newest}"
    lines = [f"A full collection by `stw` takes {over_cpython(False)} of the time of {fastest} in allocation order, "
             f"{over_cpython(True)} in random order.",
             f"Under load the concurrent collector's p99.9 pause, in CPU time, is {number(pause(lives[0]))} ms with "
             f"{round_size(lives[0])} objects alive and {number(pause(lives[-1]))} ms with {round_size(lives[-1])}."]
    for other in [name for name in dead if name.startswith("cpython") and name.endswith("t")][-1:]:
        lines.append(f"{threads[-1]} threads that make nothing but garbage leave at most {number(dead['stw'][0])} thousand dead "
                     f"containers under `stw`; `{other}` leaves {number(dead[other][0])} thousand, and makes "
                     f"{number(dead[other][1] / dead['stw'][1])} times as many rings.")
    lines.append(f"**Not well:** near half of what a mutator can do, a collector thread keeps up at a price. It leaves "
                 f"{number(at_rate('mmu.10ms'))} of the worst 10 ms to the mutator, and memory is "
                 f"{number(at_rate('rss_peak_bytes', over='stw'))} times that of `stw`.")
    team = max(cores.numbers(find, "churn", "threads"))
    lines.append(f"**Not well:** one dead component is one pause, and a young collection is one thread's work: on {cores.PROCESSORS} "
                 f"processors {team} threads of `churn` do {number(cores.over_processes(find, team))} of what {team} processes do.")
    return "".join(f"- {line}\n" for line in lines) + "\n" + verdict_counts(find)


def verdict_counts(find):
    """How many claims are held."""
    def places(entry):
        return ORDER.index(entry[0])
    counts = {}
    for each in find.outcomes:
        counts.setdefault(each.published, {}).setdefault(each.verdict, []).append(each)

    def told(published, of_what):
        found = counts.get(published, {})
        every = sum(map(len, found.values()))
        return f"Of {every} {of_what} " + ", ".join(f"{len(each)} {'is' if len(each) == 1 else 'are'} {verdict}"
                                                   for verdict, each in sorted(found.items(), key=places)) + "."
    return told(False, "targets of our own") + " " + told(True, "numbers that others published") + "\n"


@table
def verdicts(find):
    """How many claims are held, and which limits of our own are not."""
    sentence = verdict_counts(find)
    rows = [[f"`{each.claim['id']}` {each.sentence}" + (f" (`{each.worst}`)" if each.worst else ""),
             limit_text(each.claim), with_unit(cell(each), each.claim), each.verdict]
            for each in find.outcomes if each.verdict in ("not held", "open") and not each.published]
    return (sentence
            + ("\n" + tabular(["not held, or open", "asked", "measured", ""], rows) if rows else ""))
