"""Measures the pause of a full collection: ours and CPython's on the same heaps, interleaved.

    /usr/bin/python3 experiments/runner/compare.py --ouro build/bin/ouro [--smoke|--quick|--large|--full]

Every run is a process of its own. Invocations are the outermost loop, configurations the
innermost, in a random order drawn from the seed. Writes runs.jsonl (a row as each run ends),
meta.json, and the figures and tables that plots/ makes of them. A run that crashes or takes too
long is a row, and the rest goes on; Ctrl-C keeps what is finished and still renders it.

Exit status: 0 every run succeeded; 1 some did not; 2 bad arguments; 130 interrupted.
"""
import argparse
import datetime
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import machine
import processes
import schema_check
from captured import as_result
from plan import (CYCLE_SIZE, DEGREE, HEAP, MODES, REPLACE, YOUNG, Subject, churn_objects,
                  make_plan)
from progress import Progress, clock

ROOT = machine.ROOT
PYTHON = "/usr/bin/python3"  # has matplotlib; the python3 of a PATH may not
PEER = ROOT / "experiments" / "peers" / "cpython"
GRAPH = PEER / "graph.py"
CAPTURE = ROOT / "experiments" / "capture" / "heapgraph.py"
PROGRAM = ROOT / "experiments" / "capture" / "programs" / "ast_stdlib.py"
FIGURES = tuple(ROOT / "plots" / f"{name}.py" for name in ("pause_vs_heap", "churn",
                                                         "young_vs_old"))
BYTES_AN_OBJECT = 150  # of a peer at its peak, lists and edges included


def utc_now():
    return datetime.datetime.now(datetime.timezone.utc)


class Comparison:
    """One comparison: its plan, its directory, the runs made so far."""

    def __init__(self, mode, seed, subjects, ouro, directory):
        self.mode, self.seed, self.ouro, self.directory = mode, seed, str(ouro), directory
        self.subjects = {each.name: each for each in subjects}
        self.plan = make_plan(mode, subjects, seed)
        self.heap_file = directory / "ast_stdlib.heap"
        self.result_schema = schema_check.load("result.schema.json")
        self.rows = 0
        self.failures = 0

    def kind(self, run):
        # A capture spends its time elsewhere than a collection of a graph: estimates apart.
        return (self.subjects[run.subject].kind, run.workload)

    def commands(self, run):
        """The pipe of commands of a run."""
        subject = self.subjects[run.subject]
        if run.workload == HEAP:
            if subject.kind == "ouro":
                return [[self.ouro, "bench", "graph", "--file", str(self.heap_file), "--engine",
                         subject.engine, "--collections", str(run.collections), "--json", "-"]]
            return [[subject.program, str(CAPTURE), "-o", str(self.heap_file), str(PROGRAM),
                     *MODES[self.mode].heap_arguments]]
        if run.workload in ("churn", "young"):
            return self.churn_or_young(run, subject)
        graph = ["--objects", str(run.objects), "--degree", str(DEGREE), "--seed", str(run.seed)]
        graph += ["--shuffled"] if run.shuffled else []
        samples = ["--collections", str(run.collections)]
        if subject.kind == "ouro":
            return [[self.ouro, "bench", "graph", *graph, *samples, "--engine", subject.engine,
                     "--json", "-"]]
        return [[self.ouro, "edges", *graph],
                [subject.program, "-I", "-S", str(GRAPH), *graph, *samples, "--edges", "-"]]

    def churn_or_young(self, run, subject):
        if run.workload == "churn":
            wanted = ["--live", run.objects, "--replace", REPLACE, "--cycle-size", CYCLE_SIZE,
                      "--objects", churn_objects(run.objects), "--seed", run.seed]
            before = [[self.ouro, "places", *map(str, wanted)]]
        else:
            wanted = ["--old", run.objects, "--young", YOUNG, "--collections", run.collections,
                      "--seed", run.seed]
            before = []
        wanted = list(map(str, wanted))
        if subject.kind == "ouro":
            return [[self.ouro, "bench", run.workload, *wanted, "--engine", subject.engine,
                     "--json", "-"]]
        return [*before, [subject.program, "-I", "-S", str(PEER / f"{run.workload}.py"), *wanted]]

    def obstacle(self, run):
        """Why a run cannot be made now; empty if it can."""
        available = machine.memory_bytes("MemAvailable")
        needed = run.objects * BYTES_AN_OBJECT
        if available and needed > available:
            return f"needs {needed >> 20} MiB, {available >> 20} MiB are available"
        if run.workload == HEAP and self.subjects[run.subject].kind == "ouro":
            if not self.heap_file.exists():
                return "the capture before it left no file"
        return ""

    def execute(self, run):
        """The row of one run. KeyboardInterrupt passes through."""
        commands = self.commands(run)
        subject = self.subjects[run.subject]
        captures = run.workload == HEAP and subject.kind == "cpython"
        if captures:
            self.heap_file.unlink(missing_ok=True)
        row = self.empty_row(run, commands)
        row["reason"] = self.obstacle(run)
        if row["reason"]:
            row["status"] = "skipped"
            return row
        outcome = processes.run(commands, timeout=max(60.0, 12 * run.estimate))
        result = None
        if outcome["status"] == "ok" and captures:
            outcome, result = self.describe_capture(subject, outcome)
        else:
            result = processes.json_answer(outcome)
        if result is not None:
            if run.workload == HEAP:
                result["workload"] = HEAP
            wrong = schema_check.problems(result, self.result_schema)
            if wrong:
                outcome["status"] = "failed"
                outcome["reason"] = "its result does not fit the schema: " + "; ".join(wrong[:3])
        del outcome["stdout"]
        row.update(outcome, result=result)
        return row

    def describe_capture(self, subject, outcome):
        """The times that the captured interpreter took for its own collections of that heap."""
        described = processes.run([[subject.program, str(CAPTURE), "--describe",
                                    str(self.heap_file), "--json"]], timeout=120)
        described["seconds"] = outcome["seconds"]
        answer = processes.json_answer(described)
        if answer is None:
            return described, None
        try:
            return described, as_result(answer, subject.name)
        except (KeyError, TypeError, ValueError) as error:
            described["status"] = "failed"
            described["reason"] = f"the capture's description lacks something: {error!r}"
            return described, None

    def empty_row(self, run, commands):
        return {
            "row": self.rows, "invocation": run.invocation, "repeat": run.repeat,
            "workload": run.workload, "objects": run.objects, "shuffled": run.shuffled,
            "subject": run.subject, "kind": self.subjects[run.subject].kind,
            "start": utc_now().isoformat(timespec="seconds"), "seed": run.seed,
            "load": machine.load(), "command": processes.as_text(commands),
            "status": "ok", "reason": "", "exit": None, "seconds": 0.0, "stderr": "",
            "result": None,
        }

    def measure(self, progress):
        """Makes every run of the plan. False if it was interrupted."""
        with open(self.directory / "runs.jsonl", "a", encoding="utf-8") as out:
            for run in self.plan:
                progress.start(run)
                try:
                    row = self.execute(run)
                except KeyboardInterrupt:
                    row = self.empty_row(run, self.commands(run))
                    row["status"], row["reason"] = "interrupted", "Ctrl-C"
                self.rows += 1
                self.failures += row["status"] != "ok"
                out.write(json.dumps(row) + "\n")
                out.flush()
                progress.finish(run, note(row))
                if row["status"] == "interrupted":
                    return False
                if row["status"] != "ok":
                    progress.say(f"  {row['status']}: {run.title}: {row['reason']}")
        return True


def note(row):
    """A run's outcome in a few words."""
    if row["status"] != "ok":
        return row["status"]
    result = row["result"]
    if row["workload"] == "churn":
        longest = result["pauses"]["wall"]["max_ns"]
        return (f"{result['ns_per_op']:.0f} ns an operation, "
                f"longest pause {(longest or 0) / 1e6:.1f} ms")
    if row["workload"] == "young":
        return f"{result['live_collect_ns'] / 1e3:.0f} µs alive, " \
               f"{result['garbage_collect_ns'] / 1e3:.0f} µs dead"
    alive, objects = result["live_collect_ns"], result["live_objects"]
    if not alive or not objects:
        return "ok"
    return f"{alive / 1e6:.1f} ms, {alive / objects:.0f} ns an object"


def write_meta(comparison, arguments, peers, began, finished):
    """meta.json; `finished` is None while the runs are made, then whether all of them were."""
    now = machine.fingerprint(comparison.ouro)
    meta = {
        "mode": comparison.mode, "seed": comparison.seed, "command": sys.argv,
        "started": began.isoformat(timespec="seconds"),
        "ended": utc_now().isoformat(timespec="seconds") if finished is not None else None,
        "complete": bool(finished), "same_build": now == arguments.fingerprint,
        "runs_planned": len(comparison.plan),
        "invocations": {str(size): count
                        for size, count in MODES[comparison.mode].invocations.items()},
        "heap_invocations": MODES[comparison.mode].heap_invocations, "degree": DEGREE,
        "subjects": [{"name": each.name, "kind": each.kind, "program": each.program,
                      "engine": each.engine} for each in comparison.subjects.values()],
        "peers": {name: {"path": path, "version": version} for name, path, version in peers},
        "machine": arguments.machine,
        "build": {**machine.describe_build(comparison.ouro), "fingerprint": arguments.fingerprint},
    }
    (comparison.directory / "meta.json").write_text(json.dumps(meta, indent=2) + "\n")


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog="compare.py", description="Ours and CPython's full collections, interleaved.")
    parser.add_argument("--ouro", required=True, type=Path, help="the built command")
    modes = parser.add_mutually_exclusive_group()
    for name, what in (("smoke", "about 20 s: two small sizes, one invocation"),
                       ("quick", "2-3 minutes: 10 k to 1 M objects (the default)"),
                       ("large", "about a quarter of an hour: 10 k to 10 M objects"),
                       ("full", "about an hour: 10 k to 10 M objects, five invocations")):
        modes.add_argument("--" + name, dest="mode", action="store_const", const=name, help=what)
    parser.set_defaults(mode="quick")
    parser.add_argument("-o", dest="directory", type=Path, metavar="DIR",
                        help="results (default experiments/results/<UTC time>-<mode>)")
    parser.add_argument("--python", action="append", default=[], metavar="INTERP",
                        help="one more CPython, 3.8 or later; may be repeated")
    parser.add_argument("--seed", type=int, default=1, help="of the order and of the graphs")
    parser.add_argument("--dry-run", action="store_true", help="print the plan and stop")
    wanted = parser.parse_args(arguments)
    if not (wanted.ouro.is_file() and os.access(wanted.ouro, os.X_OK)):
        parser.error(f"--ouro: {wanted.ouro} is not a program")
    if not 0 <= wanted.seed < 2**31:
        parser.error("--seed takes 0 to 2147483647")
    wanted.ouro = wanted.ouro.resolve()
    if wanted.directory is None:
        stamp = utc_now().strftime("%Y%m%dT%H%M%SZ")
        wanted.directory = ROOT / "experiments" / "results" / f"{stamp}-{wanted.mode}"
    wanted.directory = wanted.directory.resolve()
    if (wanted.directory / "runs.jsonl").exists():
        parser.error(f"-o: {wanted.directory} already holds results")
    return wanted


def render(directory):
    """Figures and tables; their makers print what they made. True if all succeeded."""
    return all([subprocess.run([PYTHON, str(maker), str(directory)]).returncode == 0
                for maker in FIGURES])


def main(arguments):
    wanted = parse_arguments(arguments)
    wanted.machine = machine.describe_machine()
    wanted.fingerprint = machine.fingerprint(wanted.ouro)
    peers = machine.find_interpreters(wanted.python, lambda text: print("warning: " + text))
    subjects = [Subject("ouro-stw", "ouro", str(wanted.ouro), "stw")]
    subjects += [Subject(name, "cpython", path) for name, path, _ in peers]
    comparison = Comparison(wanted.mode, wanted.seed, subjects, wanted.ouro, wanted.directory)
    about = clock(sum(run.estimate for run in comparison.plan))
    print(f"{wanted.mode}: {len(comparison.plan)} runs of "
          f"{', '.join(comparison.subjects)}; about {about}; seed {wanted.seed}", flush=True)
    if wanted.dry_run:
        for run in comparison.plan:
            print(f"{run.invocation}  {run.title}: {processes.as_text(comparison.commands(run))}")
        return 0

    wanted.directory.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    began = utc_now()
    write_meta(comparison, wanted, peers, began, None)
    progress = Progress(comparison.plan, comparison.kind)
    finished = comparison.measure(progress)
    progress.close()
    write_meta(comparison, wanted, peers, began, finished)
    taken = clock((utc_now() - began).total_seconds())
    print(f"{comparison.rows} of {len(comparison.plan)} runs in {taken}, "
          f"{comparison.failures} of them without a result" if comparison.failures else
          f"{comparison.rows} runs in {taken}", flush=True)
    rendered = render(wanted.directory)
    print(f"raw data: {wanted.directory / 'runs.jsonl'}" if rendered else
          f"no figures were made; the raw data are in {wanted.directory}")
    if not finished:
        return 130
    return 0 if rendered and not comparison.failures else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
