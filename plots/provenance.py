"""What must be known to judge a result: its noise, what it has and lacks, the runs that failed, the
machine, the build and the experiment."""
import json
import statistics

from results import label, machine_line, order_of, round_size
from section import Section, Table
from stats import paired_ratios
from tables import show, values


def measure(result):
    """What a run is compared with itself by."""
    if "operations_due" in result:  # it takes as long as it is told
        return result["ns_per_op"]
    return next(filter(None, map(result.get, ("run_ns", "live_collect_ns", "garbage_collect_ns"))),
                None)


def configurations(results):
    """[(workload, objects, shuffled)] that were measured with any subject."""
    return sorted({(row["workload"], row["objects"], row["shuffled"]) for row in results.rows})


def noise(results, name, workload=None):
    """The ratios of A/A pairs: a configuration twice in one invocation."""
    sides = {0: {}, 1: {}}
    for row in results.rows:
        if row["subject"] == name and workload in (None, row["workload"]):
            key = row["workload"], json.dumps(row["params"], sort_keys=True), row["invocation"]
            sides[row["repeat"]][key] = row["result"]
    return paired_ratios(*(values(sides[repeat], measure) for repeat in (0, 1)))


def noise_table(results):
    rows = []
    for workload in sorted({what for what, _, _ in configurations(results)}):
        for name in results.subjects:
            pairs = noise(results, name, workload)
            if pairs:
                rows.append([workload, label(name), str(len(pairs)),
                             *(f"{each:.2f}" for each in (statistics.median(pairs), min(pairs),
                                                          max(pairs)))])
    return Table("Noise floor: the same run twice in one invocation, second over first",
                 ["workload", "subject", "pairs", "median", "least", "greatest"], rows,
                 "Of the time of the run where it has one (churn), or of an operation where that is "
                 "set (lru, server), else of the pause with "
                 "everything alive, else of that over garbage. A ratio of two subjects within this "
                 "range says nothing.")


def same_graph(results):
    """(pairs compared, pairs in which both collected as many objects)."""
    compared = equal = 0
    for workload, size, shuffled in configurations(results):
        if workload != "graph" or not results.ours:
            continue
        ours = results.graph(results.ours[0], size, shuffled)
        for other in results.subjects[1:]:
            theirs = results.graph(other, size, shuffled)
            for i in ours.keys() & theirs.keys():
                compared += 1
                equal += ours[i]["collected"] == theirs[i]["collected"]
    return compared, equal


def gate(results):
    """[(what a result must have before it is claimed, whether it has it, what was found)]"""
    counts = {size: min((len(results.graph(name, size, shuffled)) for name in results.subjects
                         for shuffled in (False, True)), default=0) for size in results.sizes}
    enough = bool(counts) and all(n >= (10 if size >= 10_000_000 else 20)
                                  for size, n in counts.items())
    found = ", ".join(f"{round_size(size)}: {n}" for size, n in counts.items()) or "none"
    sizes = results.sizes
    pairs = [each for name in results.subjects for each in noise(results, name)]
    orders = results.orders_of("graph")
    compared, equal = same_graph(results)
    load = results.meta.get("machine", {}).get("load_before")
    build = results.meta.get("build", {})
    return [
        ("each run its own process, invocations outermost, seeded random order",
         results.meta.get("seed") is not None, f"seed {results.meta.get('seed')}"),
        ("20 invocations (10 at 10 M objects)", enough, found),
        ("an A/A pair", bool(pairs), f"{min(pairs):.2f} to {max(pairs):.2f}" if pairs else "none"),
        ("four heap sizes from 10 k to 10 M, in order and shuffled",
         len(sizes) >= 4 and len(orders) == 2 and sizes[0] <= 10_000 and sizes[-1] >= 10_000_000,
         ", ".join(map(round_size, sizes)) or "none"),
        ("all subjects collected the same number of objects", compared > 0 and compared == equal,
         f"{equal} of {compared} pairs"),
        ("optimized, without sanitizers or assertions",
         build.get("build_type") in ("Release", "RelWithDebInfo") and not build.get("sanitize"),
         " ".join(filter(None, (build.get("build_type"), build.get("sanitize"))))
         or "not recorded"),
        ("built from a commit, nothing changed since", build.get("tree_changed") is False,
         {True: "changed", False: build.get("commit") or "yes"}.get(build.get("tree_changed"),
                                                                    "not recorded")),
        ("the command was the same from first to last", results.meta.get("same_build") is True,
         {True: "yes", False: "rebuilt meanwhile"}.get(results.meta.get("same_build"),
                                                       "not recorded")),
        ("no run without a result", not results.lost,
         f"{len(results.lost)} of {len(results.lost) + len(results.rows) + results.aside} without"),
        ("machine idle before", load is not None and load < 0.5,
         "not recorded" if load is None else f"load {load:g}"),
        ("all planned runs were made", results.meta.get("complete") is True,
         "yes" if results.meta.get("complete") else "no"),
    ]


def gate_table(results):
    return Table("What this result has and lacks before it may be claimed",
                 ["asked", "found", "holds"],
                 [[what, found, "yes" if holds else "no"]
                  for what, holds, found in gate(results)], words=3)


def lost_table(results):
    return Table("Runs without a result", ["workload", "objects", "order", "subject", "invocation",
                                           "how", "why"],
                 [[row["workload"], f"{row['objects']:,}" if row["objects"] else "-",
                   order_of(row["shuffled"]), label(row["subject"])
                   + (", second of a pair" if row["repeat"] else ""), str(row["invocation"]),
                   row["status"], row["reason"] or "-"] for row in results.lost],
                 "Rows of runs.jsonl, which has the command of each, and the end of what it said.",
                 7)


def words(value):
    return "not recorded" if value is None or value == "" else str(value)


def gib(value):
    return None if value is None else f"{value / 2**30:.1f} GiB"


def metadata_table(results):
    meta = results.meta
    machine, build = meta.get("machine", {}), meta.get("build", {})
    loads = [row["load"] for row in results.rows if row.get("load") is not None]
    tree = {True: ", with changes", False: ""}.get(build.get("tree_changed"), "")
    yes = {True: "yes", False: "no"}
    facts = [
        ("processor", machine.get("cpu")), ("cores, usable", " of ".join(
            str(each) for each in (machine.get("usable_cores"), machine.get("cores"))
            if each is not None)),
        ("third-level cache", machine.get("l3_cache")), ("governor", machine.get("governor")),
        ("virtual machine", yes.get(machine.get("hypervisor"))),
        ("memory; available at the start", "; ".join(filter(None, (
            gib(machine.get("memory_bytes")), gib(machine.get("memory_available_bytes")))))),
        ("transparent huge pages", machine.get("thp")), ("kernel", machine.get("kernel")),
        ("system", machine.get("system")),
        ("load before; during runs", "; ".join(filter(None, (
            words(machine.get("load_before")),
            f"{min(loads):g} to {max(loads):g}" if loads else None)))),
        ("commit", (build.get("commit") or "") + tree), ("version", build.get("ouro_version")),
        ("compiler", build.get("compiler")), ("build type", build.get("build_type")),
        ("flags", build.get("flags")), ("sanitizers", build.get("sanitize") or "none"),
        ("seed", meta.get("seed")), ("overrides", ", ".join(meta.get("overrides", [])) or "none"),
        ("A/A pairs", yes.get(meta.get("noise_floor"))),
        ("command", " ".join(meta.get("command", []))),
        ("began; ended", "; ".join(filter(None, (meta.get("started"), meta.get("ended"))))),
        ("sessions", len(meta["sessions"]) if "sessions" in meta else None),
        ("runs planned; with a result; without", "; ".join(map(words, (
            meta.get("runs_planned"), len(results.rows) + results.aside, len(results.lost))))),
    ]
    facts += [(f"subject {label(each['name'])}",
               " ".join([each["program"], *(f"{key}={value}"
                                            for key, value in each["settings"].items()),
                         f"({each['version']})"]))
              for each in meta.get("subjects", [])]
    facts += [(f"shard {each['shard']['number']} of {each['shard']['of']}",
               ", ".join(map(words, (machine_line({"machine": each["machine"]}),
                                     f"load {words(each['machine'].get('load_before'))} before",
                                     each["started"]))))
              for each in meta.get("machines", [])]
    facts += [(f"variable {key}", value) for key, value
              in sorted(machine.get("environment", {}).items())]
    return Table("Machine, build and experiment", ["", ""],
                 [[name, words(value)] for name, value in facts])


def section(results, looks):
    tables = [gate_table(results), noise_table(results), lost_table(results),
              metadata_table(results)]
    return Section("What stands behind the figures", "", [], [each for each in tables if each.rows])
