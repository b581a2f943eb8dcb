"""The eleven conditions of a result that may be claimed, each a check of the rows that a figure or a
table shows: its state, and why in words. gate.py asks them."""
import json

from plots.claims.coverage import not_covered_by
from plots.data.loads import lacking
from plots.data.names import order_of, round_size, short_label
from plots.stats.distribution import quantile
from plots.stats.noise import pairs_of
from plots.stats.pairing import CONFIDENCE, FEWEST, summarize

HOLDS, FAILS, NOT = "holds", "does not hold", "does not apply"
PERCENTILES = (("p50_ns", 0.5), ("p90_ns", 0.9), ("p99_ns", 0.99), ("p999_ns", 0.999), ("max_ns", 1))
USUAL, OF_LATENCY, OF_LARGE, LARGE = 20, 40, 10, 10_000_000
# Settings by which a collector decides when to collect.
TRIGGERS = ("generations", "trigger", "memory-price", "growth-limit", "young-threshold", "stress")
# Collections that are sampled, of which the first may be kept apart.
WARMED = ("live", "garbage")


class Shown:
    """The rows that a figure or a table shows, beside the results that they are of."""

    def __init__(self, results, rows, latency=False):
        self.all, self.rows, self.latency = results, rows, latency
        self.workloads = {row["workload"] for row in rows}

    @property
    def results(self):
        return [row["result"] for row in self.rows]

    def configurations(self):
        """{(workload, parameters): {subject: {invocation: row}}}"""
        found = {}
        for row in self.rows:
            key = row["workload"], json.dumps(row["params"], sort_keys=True)
            found.setdefault(key, {}).setdefault(row["subject"], {})[row["invocation"]] = row
        return found

    def beside(self):
        """All rows of the same workloads, shown or not."""
        return [row for row in self.all.rows if row["workload"] in self.workloads]

    def paused(self):
        """Results that tell of pauses, or of slices in which they lie."""
        return [each for each in self.results
                if (each.get("pauses") or {}).get("count") or each.get("slices")]

    def loads(self):
        return [each for each in self.results if "operations_due" in each]


def first_of(problems):
    """What is wrong: the first of it, and how much more there is."""
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return problems[0] + more


def verdict_of(problems, fine):
    return (FAILS, first_of(problems)) if problems else (HOLDS, fine)


def name_of(row):
    parts = [row["workload"], round_size(row["objects"]) if row["objects"] else None,
             order_of(True) if row["shuffled"] else None, short_label(row["subject"])]
    return " ".join(filter(None, parts))


def span(numbers):
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def processes(shown):
    results, seed = shown.all, shown.all.meta.get("seed")
    if seed is None:
        return FAILS, "no seed of the order is recorded"
    if results.meta.get("order", "random") != "random":
        return FAILS, (f"the order was {results.meta['order']}, which is not random over whole invocations: "
                       "data of a part of it can be drawn, and none of it be claimed")
    rows = sorted(results.made, key=lambda row: row["row"])
    back = sum(a["invocation"] > b["invocation"] for a, b in zip(rows, rows[1:]))
    again = len(results.meta.get("sessions") or ()) - 1
    if back > max(again, 0):
        return FAILS, f"invocations are not outermost: {back} times one of an earlier began after a later"
    orders = {}
    for row in rows:
        orders.setdefault(row["invocation"], []).append(
            json.dumps([row["workload"], row["params"], row["subject"], row["repeat"]], sort_keys=True))
    full = [order for order in orders.values() if len(order) == max(map(len, orders.values()))]
    same = [order for order in full if sorted(order) == sorted(full[0])]
    if len(same) > 1 and len(full[0]) > 3 and all(order == full[0] for order in same):
        return FAILS, f"the order of the configurations was the same in {len(same)} invocations"
    return HOLDS, f"seed {seed}; {len(rows):,} runs, a process each, in {len(orders)} invocations"


def invocations(shown):
    problems, counts = [], []
    for found in shown.configurations().values():
        for runs in found.values():
            row = next(iter(runs.values()))
            need = (OF_LARGE if row["objects"] >= LARGE
                    else OF_LATENCY if shown.latency else USUAL)
            counts.append(len(runs))
            if len(runs) < need:
                problems.append((len(runs) - need, f"{name_of(row)} has {len(runs)} of {need}"))
    return verdict_of([text for _, text in sorted(problems)],
                      f"{span(counts)} of each configuration" if counts else "nothing was counted")


def ratios(shown):
    several = [found for found in shown.configurations().values() if len(found) > 1]
    if not several:
        return NOT, "nothing is compared: one subject in each configuration"
    problems, pairs = [], []
    for found in several:
        first = next(iter(found))
        for name, runs in found.items():
            both = found[first].keys() & runs.keys()
            pairs.append(len(both))
            row = next(iter(runs.values()))
            if len(both) < FEWEST:
                problems.append(f"{name_of(row)} has {len(both)} pairs, and no interval below {FEWEST}")
            elif both != found[first].keys() | runs.keys():
                alone = len(found[first].keys() ^ runs.keys())
                problems.append(f"{name_of(row)}: {alone} invocations have no pair")
            if row["workload"] == "graph":
                number = [each for each in both if len({
                    one[each]["result"]["collected"] for one in (found[first], runs)
                    if one[each]["result"]["engine"] != "off"}) > 1]
                if number:
                    problems.append(f"{name_of(row)} collected another number of objects than "
                                    f"{short_label(first)} in {len(number)} of {len(both)} pairs")
    aside = {row["workload"] for row in shown.all.made} & shown.workloads if shown.all.aside else ()
    if aside:
        problems.append(f"{shown.all.aside} runs with other parameters are not shown")
    return verdict_of(problems, f"{span(pairs)} pairs, with {CONFIDENCE:.0%} BCa intervals and the "
                                "geometric mean beside every program")


def warm_up(shown):
    """Declared: first collection, building, or slices kept apart. Kept: samples in their order."""
    problems, ways = [], set()
    for row in shown.rows:
        each = row["result"]
        if each.get("slices"):
            kept = each["slices"].get("warmup", 0) > 0 and bool(
                each.get("slice_curve_ns")
                or len(each.get("slice_samples_ns") or ()) > each["slices"]["warmup"])
            way = "slices before the measured ones, which are kept, too"
        elif firsts := [key for key in WARMED if each.get(f"{key}_first_collect_ns") is not None]:
            kept = all(each.get(f"{key}_collect_samples_ns") for key in firsts)
            way = "the first collection is kept apart"
        elif each.get("build_ns") is not None and each.get("run_ns") is not None:
            kept = any(each.get(key) is not None
                       for key in ("pause_points", "pause_digest", "rounds", "rss_points"))
            way = "building is kept apart, and all from the first operation on is measured, by time"
        else:
            problems.append(f"{name_of(row)} declares no warm-up")
            continue
        ways.add(way)
        if not kept:
            problems.append(f"{name_of(row)} kept no curve of it")
    return verdict_of(problems, "; ".join(sorted(ways)))


def lacks_of_triple(row):
    """What a row with pauses lacks of percentiles, memory and CPU; texts."""
    each, own = row["result"], row["kind"] == "ouro"
    walls = (each["slices"] if each.get("slices") else each["pauses"])["wall"]
    raw = beyond = None
    if each.get("slice_tail"):
        raw = [ns for _, ns in each["slice_tail"]["points"]]
        beyond = each["slice_tail"]["count"] - len(raw)   # were shorter, and are not kept nor compared
    elif each.get("slices"):
        raw = each["slice_samples_ns"][each["slices"].get("warmup", 0):]
    elif each.get("pause_digest"):
        raw = each["pause_digest"]["wall"]["tail_ns"]
        beyond = each["pause_digest"]["wall"]["count"] - len(raw)
    elif each.get("pause_points") is not None:
        raw = [ns for points in [each["pause_points"], *each.get("other_pause_points", [])]
               for _, ns in points]
    elif each.get("pause_samples_ns") is not None:
        raw = each["pause_samples_ns"]
    ordered = [0] * (beyond or 0) + sorted(raw or ())
    for key, part in PERCENTILES:
        if walls.get(key) is None:
            yield f"no {key.removesuffix('_ns')} of its pauses"
        elif ordered and quantile(ordered, part) not in (walls[key], *([0] if beyond else ())):
            yield (f"{key.removesuffix('_ns')} is {walls[key]:,} ns, that of its raw samples "
                   f"{quantile(ordered, part):,}")
    if raw is None and not each.get("live_collect_samples_ns"):
        yield "no raw samples of its pauses"
    if not each.get("rss_peak_bytes"):
        yield "no peak RSS"
    if own and each.get("backlog_max") is None:
        yield "no dead but uncollected objects"
    if own and each.get("pause_points") is not None and not each.get("backlog_points"):
        yield "no dead but uncollected objects over time"
    if not each.get("cpu_ns"):
        yield "no CPU time of the process"
    if own and each.get("collector_cpu_ns") is None:
        yield "no CPU time of the collector"
    if own and each["engine"].startswith("snapshot") and each.get("child_cpu_ns") is None:
        yield "no CPU time of its child processes"


def triple(shown):
    paused = {id(each) for each in shown.paused()}
    if not paused:
        return NOT, "no pauses are shown"
    rows = [row for row in shown.rows if id(row["result"]) in paused]
    problems = [f"{name_of(row)}: {what}" for row in rows for what in lacks_of_triple(row)]
    peers = sum(row["kind"] != "ouro" for row in rows)
    return verdict_of(problems, "percentiles, raw samples, peak RSS, backlog and CPU beside every pause"
                      + (f"; of {peers} runs of peers peak RSS and the CPU time of the process"
                         if peers else ""))


def utilisation_and_latency(shown):
    paused = shown.paused()
    requests = [row for row in shown.rows if row["workload"] == "server"]
    if shown.latency:
        requests = [row for row in shown.rows if "operations_due" in row["result"]]
    if not requests and not any(each.get("run_ns") for each in paused):
        return NOT, "neither a run with pauses nor requests: each pause is a collection on request"
    problems = []
    for row in shown.rows:
        each = row["result"]
        if (each.get("pauses") or {}).get("count") and each.get("run_ns") and not (
                each.get("pause_points") or each.get("pause_digest") or each.get("slices")):
            problems.append(f"{name_of(row)}: it is not known when its pauses were, so no MMU")
        if each.get("slices") and not (each.get("slice_samples_ns") or each.get("slice_tail")):
            problems.append(f"{name_of(row)}: no slices, so no MMU")
    for row in requests:
        if not row["result"].get("rate_per_s"):
            problems.append(f"{name_of(row)} is saturated: its requests come when the last one is done, "
                            "not at a fixed rate")
        elif lacks := lacking(row["result"]):
            problems.append(f"{name_of(row)}: no latency of its requests ({', '.join(lacks)})")
    found = [words for words, there in (
        ("MMU curves", any(each.get("pause_points") for each in paused)),
        ("MMU(10 ms) of slices, in which a pause is what a slice takes too long; the next begins when one is "
         "done, so there is no latency", any(each.get("slices") for each in paused)),
        ("simple and metered latency of requests at a fixed rate, from the intended start", requests)) if there]
    return verdict_of(problems, "; ".join(found))


def floor(shown):
    paused = shown.paused()
    if not paused and not shown.loads():
        return NOT, "neither pauses nor latency are shown"
    problems = []
    for row in shown.rows:
        each = row["result"]
        if "operations_due" in each:
            if (each.get("hiccups") or {}).get("p99_ns") is None:
                problems.append(f"{name_of(row)}: no hiccup meter beside it")
            if (each.get("pauses") or {}).get("count"):
                for key, text in (("merged_pauses", "stops closer than a budget are not made one"),
                                  ("stopped_fraction", "no fraction of time stopped")):
                    if each.get(key) is None:
                        problems.append(f"{name_of(row)}: {text}")
                if (each.get("mmu") or {}).get("10ms") is None:
                    problems.append(f"{name_of(row)}: no MMU(10 ms)")
        cpu = (each.get("pauses") or {}).get("cpu") or {}
        if (each.get("pauses") or {}).get("count") and cpu.get("max_ns") is None:
            problems.append(f"{name_of(row)}: its pauses have no CPU time")
    twice = pairs_of(shown.all, shown.rows)
    lone = sorted({short_label(row["subject"]) for row in shown.rows if row["kind"] == "ouro"
                   and not twice.get(row["subject"])})
    if lone:
        problems.append(f"no A/A pair of {', '.join(lone)}")
    every = [ratio for each in twice.values() for ratio in each]
    whole = summarize(every)
    if not whole and not lone:
        problems.append("no A/A pair")
    return verdict_of(problems, whole and f"{len(every)} A/A pairs: median {whole.median:.3f}, "
                                          f"{min(every):.2f} to {max(every):.2f}")


def triggers(shown):
    problems = []
    subjects = {each["name"]: each for each in shown.all.meta.get("subjects", [])}
    ours = {name: each["settings"] for name, each in subjects.items() if each["kind"] == "ouro"}
    for key in TRIGGERS:
        values = {settings.get(key) for settings in ours.values() if settings.get("engine") != "off"}
        if len(values) > 1:
            problems.append(f"{key} differs between the engines: "
                            + ", ".join(sorted(str(each or "as usual") for each in values)))
    beside = [row for row in shown.beside() if row["objects"]]
    axis = [row for row in beside if row["workload"] not in ("gc-collect", "gc-traversal", "rc-storm")
            and not row["workload"].startswith("cycles:")]
    if not axis:
        return verdict_of(problems, "the same triggers") if problems else (
            NOT, "no workload with an axis of live heaps")
    sizes = sorted({row["objects"] for row in axis})
    text = f"{', '.join(map(round_size, sizes))} alive"
    if len(sizes) < 4 or sizes[0] > 10_000 or sizes[-1] < LARGE:
        problems.append(f"{len(sizes)} sizes of the heap ({text}) of at least four from 10 k to 10 M")
    orders = {row["shuffled"] for row in axis}
    if any("shuffled" in row["params"] for row in axis) and len(orders) < 2:
        problems.append(f"only {order_of(min(orders))}")
    return verdict_of(problems, f"the same triggers; {text}"
                      + (", in order and shuffled" if len(orders) > 1 else ""))


def mutators(shown):
    beside = [row for row in shown.beside() if "threads" in row["params"]]
    if not beside:
        return NOT, "a workload of one thread"
    problems = []
    for workload in sorted({row["workload"] for row in beside}):
        threads = {row["params"]["threads"] for row in beside if row["workload"] == workload}
        lacking = [str(each) for each in (1, 2) if each not in threads]
        if lacking:
            problems.append(f"{workload} has no run with {' or '.join(lacking)} mutator"
                            f"{'s' * (lacking != ['1'])}")
    return verdict_of(problems, "one mutator and two")


def metadata(shown):
    meta = shown.all.meta
    machine, build = meta.get("machine", {}), meta.get("build", {})
    wanted = [("command", meta.get("command")),
              *((key, build.get(key)) for key in ("commit", "compiler", "build_type", "flags")),
              *((key, machine.get(key)) for key in ("cpu", "kernel", "thp", "load_before"))]
    problems = [f"{key.replace('_', ' ')} is not recorded" for key, value in wanted if value in (None, "")]
    if build.get("build_type") not in (None, "", "Release", "RelWithDebInfo") or build.get("sanitize"):
        problems.append(f"built as {build.get('build_type')} {build.get('sanitize') or ''}".strip())
    if build.get("tree_changed") is not False:
        problems.append("the tree had changes that no commit has")
    if meta.get("same_build") is not True:
        problems.append("the command was rebuilt meanwhile")
    if machine.get("load_before") is not None and machine["load_before"] >= 0.5:
        problems.append(f"the machine was not idle: load {machine['load_before']:g} before")
    holes = (meta.get("runs_planned") or 0) - len(shown.all.made)
    if meta.get("complete") is not True or holes > 0:
        problems.append(f"{max(holes, 0)} of {meta.get('runs_planned') or 0} planned runs have no row")
    bare = [row for row in shown.rows if not row.get("command") or None in (row.get("load"),
                                                                            row.get("seed"))]
    if bare:
        problems.append(f"{len(bare)} rows lack their command, load or seed")
    lost = [row for row in shown.all.lost if row["workload"] in shown.workloads]
    return verdict_of(problems, f"commit {str(build.get('commit'))[:12]}, {build.get('compiler')}, "
                                f"{machine.get('kernel')}; {len(lost)} runs without a result are rows")


def tuning(shown):
    meta, problems = shown.all.meta, []
    subjects = {each["name"] for each in meta.get("subjects", [])}
    known = {"+".join(part for part in name.split("+") if part not in shown.all.common)
             for name in subjects}
    unknown = sorted({row["subject"] for row in shown.rows} - known)
    if unknown:
        problems.append(f"settings of {', '.join(map(short_label, unknown))} are not recorded")
    hidden = sorted(key for key in (meta.get("machine") or {}).get("environment", {})
                    if key.startswith("OURO"))
    if hidden:
        problems.append(f"settings come from the environment: {', '.join(hidden)}")
    unwritten = sorted(each for each in shown.workloads if not not_covered_by(each, meta))
    if unwritten:
        problems.append(f"what {', '.join(unwritten)} does not cover is written nowhere")
    said = [*shown.all.common, *(f"--set {each}" for each in meta.get("overrides", []))]
    return verdict_of(problems, f"settings besides the engine: {', '.join(said) or 'none'}; not covered: "
                      + "; ".join(f"{each}: {not_covered_by(each, meta)}" for each in sorted(shown.workloads)))


CONDITIONS = (
    ("processes", "each run a process of its own; invocations outermost, the order random, its seed "
     "recorded", processes),
    ("invocations", f"{USUAL} invocations, {OF_LATENCY} for latency, {OF_LARGE} at 10 M objects",
     invocations),
    ("ratios", "ratios over paired invocations with intervals; every program, and the geometric mean",
     ratios),
    ("warm-up", "the warm-up is declared, and its curve kept", warm_up),
    ("triple", "pause percentiles from raw samples, memory, and CPU time, together", triple),
    ("utilisation", "MMU curves; of requests at a fixed rate simple and metered latency, from the "
     "intended start", utilisation_and_latency),
    ("noise floor", "hiccups beside latency; close stops are one; MMU(10 ms), time stopped, an A/A pair, "
     "CPU time of pauses", floor),
    ("triggers", "the same trigger for all; four sizes of the heap from 10 k to 10 M, in order and "
     "shuffled", triggers),
    ("mutators", "one mutator and two", mutators),
    ("metadata", "all that is needed to repeat it; an idle machine; a lost run is a row", metadata),
    ("tuning", "settings are told, and what the workloads do not cover is written", tuning))
