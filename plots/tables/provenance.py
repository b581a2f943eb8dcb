"""What must be known to judge a result: its noise, the runs that failed, the machine, the build and the
experiment."""
import statistics

from plots.data.names import label, machine_line, order_of
from plots.drawing.section import Section, Table
from plots.drawing.tables import show_ratio
from plots.stats.noise import pairs_of
from plots.stats.pairing import summarize


def noise_table(results):
    rows = []
    for workload in sorted({row["workload"] for row in results.rows}):
        found = pairs_of(results, results.where((workload,)))
        for name in results.subjects:
            pairs = found.get(name)
            if pairs:
                rows.append([workload, label(name), str(len(pairs)),
                             *(f"{each:.2f}" for each in (statistics.median(pairs), min(pairs),
                                                          max(pairs))),
                             show_ratio(summarize(pairs))])
    return Table("Noise floor: the same run twice in one invocation, second over first",
                 ["workload", "subject", "pairs", "median", "least", "greatest", "×"], rows,
                 "Of the time of the run where it has one (churn), or of an operation where that is "
                 "set (lru, server), else of the pause with "
                 "everything alive, else of that over garbage. A ratio of two subjects within this "
                 "range says nothing.")


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


def pairs_asked(noise_floor):
    if noise_floor is None or isinstance(noise_floor, bool):
        return {True: "in each invocation", False: "no"}.get(noise_floor)
    return f"in one invocation of {noise_floor}"


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
        ("A/A pairs", pairs_asked(meta.get("noise_floor"))),
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
    tables = [noise_table(results), lost_table(results), metadata_table(results)]
    return Section("What stands behind the figures", "", [], [each for each in tables if each.rows])
