"""Reads a results directory: the rows of runs.jsonl that have a result, and meta.json."""
import json
from dataclasses import dataclass
from pathlib import Path

OURS = "ouro-stw"
HEAP_PREFIX = "heap:"


class Unusable(Exception):
    """The directory holds nothing that can be drawn; the message says why."""


@dataclass
class Results:
    directory: Path
    rows: list   # rows of runs.jsonl with status ok
    lost: list   # the others: failed, timeout, interrupted, skipped
    meta: dict

    @property
    def subjects(self):
        """Names, ours first, then the peers by name."""
        names = {row["subject"] for row in self.rows}
        return sorted(names, key=lambda name: (not name.startswith("ouro"), name))

    @property
    def peers(self):
        return [name for name in self.subjects if not name.startswith("ouro")]

    @property
    def sizes(self):
        return sorted({row["objects"] for row in self.rows
                       if row["workload"] == "graph" and row["repeat"] == 0})

    def graph(self, subject, objects, shuffled, repeat=0):
        """{invocation: result} of one configuration of the random graph."""
        return {row["invocation"]: row["result"] for row in self.rows
                if row["workload"] == "graph" and row["subject"] == subject
                and row["objects"] == objects and row["shuffled"] == shuffled
                and row["repeat"] == repeat}

    def heap(self, subject, workload):
        """{invocation: result} of one captured heap."""
        return {row["invocation"]: row["result"] for row in self.rows
                if row["workload"] == workload and row["subject"] == subject}

    def of(self, subject, workload, objects):
        """{invocation: result} of one size of a workload that has no orders: churn, young."""
        return {row["invocation"]: row["result"] for row in self.rows
                if row["workload"] == workload and row["subject"] == subject
                and row["objects"] == objects and row["repeat"] == 0}

    def sizes_of(self, workload):
        return sorted({row["objects"] for row in self.rows if row["workload"] == workload})

    def invocations_of(self, workload):
        """How many invocations each subject and size of a workload has."""
        return [len(self.of(name, workload, size)) for name in self.subjects
                for size in self.sizes_of(workload)]

    @property
    def heaps(self):
        return sorted({row["workload"] for row in self.rows
                       if row["workload"].startswith(HEAP_PREFIX)})


def load(directory):
    """Results of a directory. Unusable if there is no row with a result."""
    directory = Path(directory)
    path = directory / "runs.jsonl"
    if not path.is_file():
        raise Unusable(f"{directory} has no runs.jsonl: it is not a results directory")
    rows, lost = [], []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise Unusable(f"{path}, line {number}: {error}") from None
        (rows if row["status"] == "ok" and row["result"] else lost).append(row)
    if not rows:
        raise Unusable(f"{path} holds no successful run ({len(lost)} without a result)")
    meta_path = directory / "meta.json"
    meta = json.loads(meta_path.read_text(encoding="utf-8")) if meta_path.is_file() else {}
    return Results(directory, rows, lost, meta)


def label(subject):
    """A subject's name for people."""
    if subject.startswith("ouro-"):
        return "Ouroboros " + subject[len("ouro-"):]
    if subject.startswith("cpython-"):
        return "CPython " + subject[len("cpython-"):]
    return subject


def round_size(objects):
    """10000 -> '10 k', 3000000 -> '3 M'."""
    for unit, letter in ((1_000_000, "M"), (1_000, "k")):
        if objects >= unit:
            return f"{objects / unit:.3g} {letter}"
    return str(objects)


def machine_line(meta):
    """The machine in a few words."""
    machine = meta.get("machine", {})
    parts = [machine.get("cpu"), f"{machine['cores']} cores" if machine.get("cores") else None,
             "virtual" if machine.get("hypervisor") else None,
             f"Linux {machine['kernel'].split('-')[0]}" if machine.get("kernel") else None]
    return ", ".join(filter(None, parts)) or "machine not recorded"


def run_line(results, invocations=()):
    """What kind of run it was, so that a figure says what it is worth. `invocations`: how many there
    are of each thing shown; if not given, those of the graph or, without one, of captured heaps."""
    meta = results.meta
    counts = sorted(set(invocations) - {0})
    if not counts:
        counts = sorted({len(results.graph(name, size, shuffled))
                         for name in results.subjects for size in results.sizes
                         for shuffled in (False, True)} - {0})
    if not counts:
        counts = sorted({len(results.heap(name, heap)) for name in results.subjects
                         for heap in results.heaps} - {0})
    span = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    text = f"{meta.get('mode', 'unnamed')} run, {span} invocation{'s' * (span != '1')}"
    if meta.get("complete") is False:
        text += ", interrupted"
    if meta.get("same_build") is False:
        text += ", the command was rebuilt meanwhile"
    if results.lost:
        text += f", {len(results.lost)} run{'s' * (len(results.lost) != 1)} without a result"
    load = meta.get("machine", {}).get("load_before")
    if load is not None and load >= 0.5:
        text += f", machine not idle (load {load:g} before)"
    return text
