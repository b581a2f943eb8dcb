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
    aside: int = 0  # rows of random graphs of another kind than those in `rows`

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
                if row["workload"] == workload and row["subject"] == subject
                and row["repeat"] == 0}

    @property
    def degrees(self):
        """How many references an object of the random graphs holds."""
        return sorted({row["params"]["degree"] for row in self.rows if row["workload"] == "graph"})

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
    last = {}
    text = path.read_text(encoding="utf-8")
    whole = text[:text.rfind("\n") + 1]  # the last line may be half written
    for number, line in enumerate(whole.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise Unusable(f"{path}, line {number}: {error}") from None
        last[row["run"]] = row  # one that was made again stands for the one before
    rows = [row for row in last.values() if row["status"] == "ok" and row["result"]]
    lost = [row for row in last.values() if not (row["status"] == "ok" and row["result"])]
    if not rows:
        raise Unusable(f"{path} holds no successful run ({len(lost)} without a result)")
    meta_path = directory / "meta.json"
    meta = json.loads(meta_path.read_text(encoding="utf-8")) if meta_path.is_file() else {}
    rows, aside = one_kind_of_graph(rows)
    return Results(directory, rows, lost, meta, aside)


def one_kind_of_graph(rows):
    """(rows, how many were left out): of the random graphs that differ in more than size and order
    the kind with the most rows, or one figure would mix them."""
    def kind(row):
        return json.dumps({key: value for key, value in row["params"].items()
                           if key not in ("objects", "shuffled", "collections")}, sort_keys=True)
    graphs = [kind(row) for row in rows if row["workload"] == "graph"]
    if not graphs:
        return rows, 0
    wanted = max(sorted(set(graphs)), key=graphs.count)
    kept = [row for row in rows if row["workload"] != "graph" or kind(row) == wanted]
    return kept, len(rows) - len(kept)


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
    text = f"{meta.get('title', 'unnamed')} run, {span} invocation{'s' * (span != '1')}"
    if meta.get("complete") is False:
        text += ", interrupted"
    if meta.get("same_build") is False:
        text += ", the command was rebuilt meanwhile"
    if results.lost:
        text += f", {len(results.lost)} run{'s' * (len(results.lost) != 1)} without a result"
    if results.aside:
        text += f", {results.aside} runs of other graphs not shown"
    load = meta.get("machine", {}).get("load_before")
    if load is not None and load >= 0.5:
        text += f", machine not idle (load {load:g} before)"
    return text
