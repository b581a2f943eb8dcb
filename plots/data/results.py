"""Reads a results directory: the rows of runs.jsonl, those with a result and those without, and
meta.json. Each of the files may be packed, with .xz behind its name."""
import json
import lzma
import re
from dataclasses import dataclass, field
from pathlib import Path

from plots.data.foreign import parsed, problem_of
from plots.data.names import number_long
from plots.data.packed import unpacked

OURS = "ouro-stw"   # what ratios are to, where it was measured
HEAP_PREFIX = "heap:"
PROGRAM_PREFIX = "program:"
# Parameters that a figure or a table tells apart, and how long a load ran, which what is shown of it
# does not depend on. Of what differs in others one kind is shown.
SHOWN_APART = ("objects", "shuffled", "collections", "live", "old", "threads", "shared", "owner",
               "load", "unflagged", "seconds", "slices", "warmup", "rate", "operations")
# The parameter that `objects` follows and is not, of workloads whose sizes are told apart.
SIZE_OF = {"binary-trees": "depth", "btree": "nodes"}


class Unusable(Exception):
    """The directory holds nothing that can be drawn; the message says why."""


def by_number(text):
    """A key for sorting: workers=2 before workers=16."""
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", text)]


@dataclass(eq=False)
class Results:
    directory: Path
    rows: list   # rows of runs.jsonl with status ok
    lost: list   # the others: failed, timeout, interrupted, skipped
    meta: dict
    aside: int = 0  # rows of a workload of another kind than those in `rows`
    micro: list = field(default_factory=list)  # single repetitions of micro.json, Google Benchmark's
    common: list = field(default_factory=list)  # settings of all of ours, which their names leave out
    made: list = field(default_factory=list)    # all rows, `lost` and those set aside included

    @property
    def subjects(self):
        """Names: ours first, the one that ratios are to before the others, then the peers."""
        return sorted({row["subject"] for row in self.rows},
                      key=lambda name: (not name.startswith("ouro"), name != OURS, by_number(name)))

    @property
    def ours(self):
        return [name for name in self.subjects if name.startswith("ouro")]

    @property
    def peers(self):
        return [name for name in self.subjects if not name.startswith("ouro")]

    def runs(self, subject, workload, objects=None, shuffled=None, repeat=0, threads=1,
             shared=None):
        """{invocation: row} of one configuration; None: whatever there is."""
        return {row["invocation"]: row for row in self.rows
                if row["subject"] == subject and row["workload"] == workload
                and row["repeat"] == repeat and row["params"].get("threads", 1) == threads
                and (shared is None or row["params"].get("shared") == shared)
                and (objects is None or row["objects"] == objects)
                and (shuffled is None or row["shuffled"] == shuffled)}

    def of(self, subject, workload, objects=None, shuffled=None, repeat=0, **more):
        """{invocation: result} of the same."""
        return {invocation: row["result"] for invocation, row
                in self.runs(subject, workload, objects, shuffled, repeat, **more).items()}

    def where(self, wanted):
        """Rows, those of A/A pairs left out, whose workload is one of `wanted`, or for which it says
        yes, if it is a function."""
        says = wanted if callable(wanted) else lambda row: row["workload"] in wanted
        return [row for row in self.rows if row["repeat"] == 0 and says(row)]

    def behind(self, found):
        """The rows of results, however deep in dicts and lists these lie."""
        row_of = {id(row["result"]): row for row in self.rows}

        def inside(each):
            if id(each) in row_of:
                yield row_of[id(each)]
            else:
                for one in each.values() if isinstance(each, dict) else each:
                    yield from inside(one)
        return list(inside(found))

    def graph(self, subject, objects, shuffled, repeat=0):
        return self.of(subject, "graph", objects, shuffled, repeat)

    def sizes_of(self, workload):
        return sorted({row["objects"] for row in self.rows
                       if row["workload"] == workload and row["repeat"] == 0})

    def orders_of(self, workload):
        """False: in order; True: shuffled."""
        return sorted({row["shuffled"] for row in self.rows if row["workload"] == workload})

    @property
    def sizes(self):
        return self.sizes_of("graph")

    @property
    def heaps(self):
        return sorted({row["workload"] for row in self.rows
                       if row["workload"].startswith(HEAP_PREFIX)})

    @property
    def degrees(self):
        """How many references an object of the random graphs holds."""
        return sorted({row["params"]["degree"] for row in self.rows if row["workload"] == "graph"})

    @property
    def steps(self):
        """[(workload, size)] of those in which one mutator makes so many operations under automatic
        collection and then lets go of everything; churn first."""
        return sorted({(row["workload"], row["objects"]) for row in self.rows
                       if row["repeat"] == 0 and "made_unreachable" in row["result"]
                       and not {"slices", "stopped_at_limit"} & row["result"].keys() and row["params"].get("threads", 1) == 1},
                      key=lambda each: (each[0] != "churn", each))

    def invocations_of(self, *workloads):
        """How many invocations each subject, size and order of some workloads has."""
        return [len(self.of(name, workload, size, order)) for workload in workloads
                for name in self.subjects for size in self.sizes_of(workload)
                for order in self.orders_of(workload)]


def file_of(path):
    """A file, or its packed like, PATH.xz; None if there is neither."""
    return next((each for each in (path, path.with_name(path.name + ".xz")) if each.is_file()), None)


def text_of(path):
    """The text of a file, or of its packed like; None if there is neither."""
    found = file_of(path)
    if found is None:
        return None
    return found.read_text(encoding="utf-8") if found == path else lzma.decompress(found.read_bytes()).decode()


def load(directory):
    """Results of a directory. Unusable if there is no row with a result."""
    directory = Path(directory)
    path = directory / "runs.jsonl"
    text = text_of(path)
    if text is None:
        raise Unusable(f"{directory} has no runs.jsonl: it is not a results directory")
    last = {}
    whole = text[:text.rfind("\n") + 1]  # the last line may be half written
    for number, line in enumerate(whole.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = row_of(line)
        except ValueError as error:
            raise Unusable(f"{path}, line {number}: {error}") from None
        last[row["run"]] = row  # one that was made again stands for the one before
    rows = [row for row in last.values() if has_result(row)]
    lost = [row for row in last.values() if not has_result(row)]
    if not rows:
        raise Unusable(f"{path} holds no successful run ({len(lost)} without a result)")
    for row in rows:
        charge_children(row["result"])
    try:
        meta = parsed(text_of(directory / "meta.json") or "{}")
    except ValueError as error:
        raise Unusable(f"{directory / 'meta.json'}: {error}") from None
    rows, aside = one_kind_of_each(rows)
    common = leave_out_common(rows, lost)
    results = Results(directory, rows, lost, meta, aside, repetitions(directory / "micro.json"), common,
                      list(last.values()))
    number_long(results.subjects)
    return results


def row_of(line):
    """A line of runs.jsonl, unpacked; ValueError says what is wrong with it."""
    row = parsed(line)
    try:
        row = unpacked(row)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        pass  # it is no row, and what it should be is said below
    if problem := problem_of(row):
        raise ValueError(problem)
    return row


def has_result(row):
    """Whether a row of runs.jsonl is of a run that came to its end."""
    return row["status"] == "ok" and bool(row["result"])


CHARGED = ("cpu_ns", "run_cpu_ns", "work_cpu_ns", "collector_cpu_ns")


def charge_children(result):
    """Adds CPU time of processes that the collector made, which no clock of its own process has, to
    that process's times: every figure and table of CPU has it."""
    for key in CHARGED:
        if result.get("child_cpu_ns") and result.get(key) is not None:
            result[key] += result["child_cpu_ns"]


def leave_out_common(rows, lost):
    """Takes settings that all of several subjects of ours share out of the rows' names of them, and
    returns those settings: they tell nothing apart."""
    named = {row["subject"]: row["subject"].split("+")
             for row in rows + lost if row["subject"].startswith("ouro-")}
    if len(named) < 2:
        return []
    first, *others = (parts[1:] for parts in named.values())
    common = [each for each in first if all(each in other for other in others)]
    for row in rows + lost:
        if row["subject"] in named:
            row["subject"] = "+".join(
                part for part in named[row["subject"]] if part not in common)
    return common


def repetitions(path):
    """The measured repetitions in a file of Google Benchmark; none if there is no such file."""
    text = text_of(path)
    if text is None:
        return []
    try:
        found = parsed(text)["benchmarks"]
    except (ValueError, KeyError) as error:
        raise Unusable(f"{path}: {error}") from None
    return [each for each in found
            if each.get("run_type") != "aggregate" and not each.get("error_occurred")]


def one_kind_of_each(rows):
    """(rows, how many were left out): of the runs of one workload that differ in a parameter that
    no figure tells apart those of the kind with the most rows, or a figure would mix them."""
    # Of those in `steps` sizes are told apart, whatever the parameter is called.
    other = {(row["workload"], key) for row in rows for key, value in row["params"].items()
             if value != row["objects"] or "made_unreachable" not in row["result"]}

    def is_size(row, key):
        return (key == SIZE_OF.get(row["workload"].partition(":")[0])
                or (row["workload"], key) not in other)

    def kind(row):
        return json.dumps({key: value for key, value in row["params"].items()
                           if key not in SHOWN_APART and not is_size(row, key)}, sort_keys=True)
    kinds = {}
    for row in rows:
        kinds.setdefault(row["workload"], []).append(kind(row))
    wanted = {workload: max(sorted(set(found)), key=found.count)
              for workload, found in kinds.items()}
    kept = [row for row in rows if kind(row) == wanted[row["workload"]]]
    return kept, len(rows) - len(kept)
