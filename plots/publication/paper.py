"""The numbers, tables and figures of the paper, from results alone.

    /usr/bin/python3 plots/paper.py --data DIR --into GENERATED [--draft] TEX...

DIR has a results directory for each experiment of paper/claims.toml, by its name. Writes into GENERATED what the TEX
files use: values.tex (\\val{NAME} is a number of the data), tables NAME.tex, figures NAME.pdf. What they use and
the data do not give ends this with a message that names it, and nothing is written. So does a condition of
gate.py that does not hold of an experiment, unless the file of claims sets it apart with a reason; --draft lets it
pass, and the paper says that it is one. Prints the time of the newest result, in seconds.
"""
import argparse
import re
import shutil
import statistics
import sys
from datetime import datetime, timezone
from pathlib import Path

from plots.claims import claims
from plots.claims.claims import number
from plots.claims.conditions import FAILS
from plots.data.experiments import Missing, read_all
from plots.data.names import round_size
from plots.numbers.finder import Finder
from plots.publication.figures import figure
from plots.publication.figures.frame import apply, save
from plots.publication.latex import table
from plots.publication.latex.writing import escaped
from plots.stats.noise import pairs_of

USED = {"value": re.compile(r"\\(?:val|found|asked|verdict)\{([^}#]+)\}"),
        "table": re.compile(r"\\measured\{([^}#]+)\}"),
        "figure": re.compile(r"\\drawn(?:\[[^]]*\])?\{([^}#]+)\}")}
DRAFT = "A draft: made of results that do not meet what is asked of results that may be claimed."


def values_of_claims(outcomes):
    """{name: text}, {name: why there is none}."""
    found, lacking = {}, {}
    for each in outcomes:
        name = each.claim["id"]
        if each.why_not:
            lacking[name] = each.why_not
            continue
        found[name] = claims.with_unit(number(each.median), each.claim)
        found[f"{name}.range"] = (f"{number(each.low)} to {number(each.high)}" if each.low != each.high
                                  else "each the same")
        found[f"{name}.limit"] = claims.limit_text(each.claim)
        found[f"{name}.verdict"] = each.verdict
        found[f"{name}.n"] = str(each.n)
        if each.worst:
            found[f"{name}.worst"] = each.worst.split(":")[-1]
        found |= {f"{name}.{key}": claims.parameter(key, value) for key, value in each.params.items()}
    return found, lacking


def values_of_experiments(experiments):
    """The machine, what was compared, how often, and the noise: {"of EXPERIMENT.WHAT": text}; the date."""
    found = {}
    for name, each in experiments.items():
        meta = each.meta
        invocations = {}
        for row in each.rows:
            key = row["workload"], row["subject"], *(str(sorted(row.get(each, {}).items()))
                                                     for each in ("params", "settings"))
            invocations[key] = invocations.get(key, 0) + 1
        counts = sorted(set(invocations.values()))
        found[f"of {name}.invocations"] = (str(counts[0]) if len(counts) == 1
                                        else f"{counts[0]} to {counts[-1]}")
        found[f"of {name}.rows"] = f"{len(each.rows):,}"
        found[f"of {name}.title"] = meta.get("title", name)
        machine, build = meta.get("machine", {}), meta.get("build", {})
        found |= {f"of {name}.{key}": str(value) for key, value in (
            ("cpu", machine.get("cpu")), ("cores", machine.get("usable_cores")),
            ("kernel", (machine.get("kernel") or "").split("-")[0]), ("system", machine.get("system")),
            ("cache", machine.get("l3_cache")), ("thp", machine.get("thp")),
            ("compiler", build.get("compiler")), ("type", build.get("build_type")),
            ("commit", (build.get("commit") or "")[:12]), ("seed", meta.get("seed"))) if value}
        if machine.get("memory_bytes"):
            found[f"of {name}.memory"] = f"{machine['memory_bytes'] / 2**30:.0f} GiB"
        if "hypervisor" in machine:
            found[f"of {name}.virtual"] = "a virtual machine" if machine["hypervisor"] else "no virtual machine"
        peers = {row["subject"] for row in each.rows if row["subject"].startswith("cpython-")}
        if peers:
            found[f"of {name}.cpython"] = " and ".join(sorted(
                f"CPython {peer.removeprefix('cpython-')}" for peer in peers))
        twice = [ratio for ratios in pairs_of(each.results, each.results.rows).values() for ratio in ratios
                 ] if each.results else []
        if twice:
            found[f"of {name}.noise"] = (f"{statistics.median(twice):.2f} ({min(twice):.2f} to "
                                         f"{max(twice):.2f})")
        for key, pick in (("smallest", min), ("largest", max)):
            sizes = {row["params"].get("live", row["params"].get("objects")) for row in each.rows
                     if row["workload"] in ("lru", "graph")} - {None}
            if sizes:
                found[f"of {name}.{key}"] = round_size(pick(sizes))
    ends = [each.meta["ended"] for each in experiments.values() if each.meta.get("ended")]
    if ends:
        when = max(map(datetime.fromisoformat, ends)).astimezone(timezone.utc)
        found["date"] = f"{when.day} {when:%B %Y}"
        found["year"] = str(when.year)
    return found


def epoch(experiments):
    """Seconds of the newest result, for SOURCE_DATE_EPOCH: the paper is as old as its data."""
    ends = [each.meta["ended"] for each in experiments.values() if each.meta.get("ended")]
    return int(max(map(datetime.fromisoformat, ends)).timestamp()) if ends else 0


def used(sources):
    """{kind: names that the sources use, in order}."""
    text = "\n".join(Path(each).read_text(encoding="utf-8") for each in sources)
    text = re.sub(r"(?<!\\)%.*", "", text)
    found = {kind: list(dict.fromkeys(pattern.findall(text))) for kind, pattern in USED.items()}
    for name in re.findall(r"\\found\{([^}#]+)\}", text):
        found["value"] += [f"{name}.range", f"{name}.n"]
    for command, key in (("asked", "limit"), ("verdict", "verdict")):
        found["value"] += [f"{name}.{key}" for name in re.findall(rf"\\{command}\{{([^}}#]+)\}}", text)]
    return found


def values_file(values, names):
    lines = ["% Made by plots/paper.py from result files; not to be edited."]
    lines += [f"\\expandafter\\newcommand\\csname val:{name}\\endcsname{{{escaped(values[name])}}}"
              for name in sorted(set(names))]
    return "\n".join(lines) + "\n"


def breaches(found, document):
    """What does not hold, and is not set apart."""
    return [f"gate: experiment {name}: {each.name}: {each.why}" for name, every in found.items()
            for each in every if each.state == FAILS
            and each.name not in document["experiment"][name].get("apart", {})]


def make(directory, sources, document, draft=False):
    """({file name: text}, {file name: figure}, problems, epoch) for what the sources use."""
    experiments, missing = read_all(directory, document["experiment"])
    find = Finder(experiments, missing, document)
    values, lacking = values_of_claims(find.outcomes)
    values |= values_of_experiments(experiments)
    breached = breaches(find.judged, document)
    values["draft"] = DRAFT if breached else ""
    wanted, texts, figures, problems = used(sources), {}, {}, [] if draft else breached

    def why(name):
        claim = next((each for each in lacking if name == each or name.startswith(each + ".")), None)
        return (lacking[claim] if claim else missing.get(name.removeprefix("of ").split(".")[0])
                or "no claim and no fact of an experiment has this name")
    problems += [f"value {name}: {why(name)}" for name in wanted["value"]
                 if name not in values and not any(name.startswith(each + ".") for each in lacking)]
    apply()
    for kind, makers, suffix, into in (("table", table.all(), "tex", texts), ("figure", figure.all(), "pdf", figures)):
        for name in wanted[kind]:
            try:
                if name in makers:
                    into[f"{name}.{suffix}"] = makers[name](find)
                else:
                    problems.append(f"{kind} {name}: there is none of this name")
            except Missing as missed:
                problems.append(f"{kind} {name}: {missed}")
    problems += [f"claim {each.claim['id']}: {each.why_not}" for each in find.outcomes
                 if each.why_not and "claims" in wanted["table"]]
    if not problems:
        texts["values.tex"] = values_file(values, wanted["value"])
    return texts, figures, list(dict.fromkeys(problems)), epoch(experiments)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--claims", type=Path, default=claims.FILE)
    parser.add_argument("--draft", action="store_true")
    parser.add_argument("sources", nargs="+", type=Path, metavar="TEX")
    chosen = parser.parse_args(arguments)
    texts, figures, problems, newest = make(chosen.data, chosen.sources,
                                              claims.read_claims(chosen.claims), chosen.draft)
    if problems:
        print("\n".join(f"paper: {each}" for each in problems), file=sys.stderr)
        return 1
    shutil.rmtree(chosen.into, ignore_errors=True)
    chosen.into.mkdir(parents=True)
    for name, text in texts.items():
        (chosen.into / name).write_text(text, encoding="utf-8")
    for name, drawing in figures.items():
        save(drawing, chosen.into / name)
    print(newest)
    return 0
