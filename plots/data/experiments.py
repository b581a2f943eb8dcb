"""What experiments left behind, as rows of one shape: those of `ouro run`, of the microbenchmarks and of the
comparisons of extension calls, of instructions, of others' containers and modules. Claims and the paper are made of
them.

A row has `subject` (stw, cpython-3.11.2, biased, ...), `workload`, `params`, `invocation` and `result`. An
experiment NAME lies in DIRECTORY/NAME, as runs.jsonl, micro.json, extension.json, instructions.json, wild.json and
modules.json, each perhaps as .xz.
"""
import fnmatch
import json
from dataclasses import dataclass, field
from pathlib import Path

from plots.data.names import machine_line
from plots.data.results import Unusable, has_result, load, repetitions, text_of

ORDER = {"largest": lambda sizes: sizes[-1], "second": lambda sizes: sizes[-2:][0], "smallest": lambda sizes: sizes[0]}


class Missing(Exception):
    """The data do not have what is asked for; the message says what."""


@dataclass
class Experiment:
    name: str
    directory: Path
    rows: list
    meta: dict = field(default_factory=dict)
    results: object = None   # of results.load, if there is a runs.jsonl

    @property
    def machine(self):
        return machine_line(self.meta)


def short(subject):
    """ouro-concurrent+refcount=biased -> concurrent."""
    return subject.removeprefix("ouro-").split("+")[0]


def settings(subject):
    """ouro-concurrent+refcount=biased -> {"refcount": "biased"}."""
    return dict(each.split("=", 1) for each in subject.split("+")[1:])


def rows_of_runs(rows):
    return [{"subject": short(row["subject"]), "settings": settings(row["subject"]), "workload": row["workload"],
             "params": {**row["params"], "shuffled": row["shuffled"]},
             "invocation": row["invocation"], "result": row["result"]} for row in rows]


def rows_of_micro(found):
    """pair/KIND/OBJECTS/WHERE and stop/KIND/THREADS, a row a repetition."""
    rows = []
    for each in found:
        parts = each.get("run_name", each["name"]).split("/")
        if parts[0] == "pair" and len(parts) >= 4:
            subject, params = parts[1], {"objects": int(parts[2]), "where": parts[3]}
        elif parts[0] == "stop" and len(parts) >= 3:
            subject, params = parts[1], {"threads": int(parts[2])}
        else:
            continue
        rows.append({"subject": subject, "workload": parts[0], "params": params,
                     "invocation": each["repetition_index"], "result": each})
    return rows


def rows_of_operations(found, workload, unit):
    """A row an operation, runtime and run of experiments/peers/extension/compare, in ns, or of
    experiments/micro/instructions."""
    return [{"subject": runtime, "workload": workload, "params": {"operation": operation},
             "invocation": place, "result": {unit: number}}
            for place, run in enumerate(found["runs"]) for runtime, numbers in run.items()
            for operation, number in numbers.items()]


def rows_of_containers(found):
    """A row a container, subject and run of experiments/peers/wild/compare."""
    return [{"subject": subject, "workload": "wild", "params": {"container": container}, "invocation": place,
             "result": result}
            for place, run in enumerate(found["runs"]) for container, results in run.items()
            for subject, result in results.items()]


def rows_of_modules(found):
    """A row a module, with how far it came, and a row a package that was run without a lock; each once."""
    return ([{"subject": row["module"], "workload": "module", "params": {}, "invocation": 0, "result": row}
             for row in found["modules"]]
            + [{"subject": row["package"], "workload": "threads", "params": {}, "invocation": 0, "result": row}
               for row in found["threads"]])


ROWS_OF = {"extension": lambda found: rows_of_operations(found, "extension", "ns"),
           "instructions": lambda found: rows_of_operations(found, "instructions", "instructions"),
           "wild": rows_of_containers, "modules": rows_of_modules}


def read(directory, name):
    """An experiment. Missing if there is nothing of it."""
    place = Path(directory) / name
    found = Experiment(name, place, [])
    try:
        if text_of(place / "runs.jsonl") is not None:
            found.results = load(place)
            found.meta = found.results.meta
            # Those too that no figure shows beside the others: a claim says which it means.
            found.rows += rows_of_runs(row for row in found.results.made if has_result(row) and row["repeat"] == 0)
        found.rows += rows_of_micro(repetitions(place / "micro.json"))
        for kind, rows_of in ROWS_OF.items():
            text = text_of(place / f"{kind}.json")
            if text is not None:
                content = json.loads(text)
                found.rows += rows_of(content)
                found.meta = found.meta or content.get("meta", {})
    except (Unusable, ValueError, KeyError) as error:
        raise Missing(f"experiment {name}: {error}") from None
    if not found.rows:
        raise Missing(f"experiment {name}: no result in {place}")
    return found


def read_all(directory, names):
    """({name: Experiment}, {name: why there is none})."""
    found, missing = {}, {}
    for name in names:
        try:
            found[name] = read(directory, name)
        except Missing as why:
            missing[name] = str(why)
    return found, missing


def read_or_none(directory, names):
    """The same of data that need not be there at all."""
    if not any((Path(directory) / name).is_dir() for name in names):
        return {}, dict.fromkeys(names, "there are none of the paper's own")
    return read_all(directory, names)


def matching(rows, workload, wanted, usual):
    """The rows of a workload (a pattern) with the wanted parameters. What is not wanted otherwise is as in
    `usual` ({pattern of workloads: parameters}), where a row has it. `largest`, `second` and `smallest`
    are of what is there."""
    def fits(row):
        params = row["params"]
        if not fnmatch.fnmatchcase(row["workload"], workload):
            return False
        for pattern, fixed in usual.items():
            if fnmatch.fnmatchcase(row["workload"], pattern) and any(
                    params.get(key, value) != value for key, value in fixed.items() if key not in wanted):
                return False
        return all(params.get(key) == value for key, value in wanted.items() if value not in ORDER)
    found = list(filter(fits, rows))
    for key, value in wanted.items():
        if value in ORDER:
            sizes = sorted({row["params"][key] for row in found if key in row["params"]})
            if sizes:
                best = ORDER[value](sizes)
                found = [row for row in found if row["params"].get(key) == best]
    return found


def by_invocation(rows, subject, what):
    """{invocation: row} of a subject (a pattern). Missing if there is none, or if several kinds of runs or
    subjects are meant."""
    found = {}
    for row in rows:
        if fnmatch.fnmatchcase(row["subject"], subject):
            if row["invocation"] in found:
                other = found[row["invocation"]]
                apart = sorted(key for key in row["params"].keys() | other["params"].keys()
                               if row["params"].get(key) != other["params"].get(key))
                raise Missing(f"{what}: {subject} has several runs in an invocation, "
                              f"which differ in {', '.join(apart) or 'the subject'}")
            found[row["invocation"]] = row
    if not found:
        raise Missing(f"{what}: no run of {subject}")
    return found


def value_of(result, paths):
    """The number at a dotted path of a result, or at the first of several, with | between them, that is
    there; else None."""
    for path in paths.split("|"):
        found = result
        for key in path.split("."):
            found = found.get(key) if isinstance(found, dict) else None
        if found is not None:
            return found
    return None
