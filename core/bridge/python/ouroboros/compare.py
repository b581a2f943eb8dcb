"""A program under CPython's collector and under the bridge, in turn: whether it is worth it."""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

# Key of a run, head of its row, how it is written, whether less is better.
ROWS = (
    ("longest_s", "longest pause, ms", lambda value: f"{value * 1e3:.2f}"),
    ("p99_9_s", "p99.9 pause, ms", lambda value: f"{value * 1e3:.2f}"),
    ("mmu_10ms", "MMU(10 ms)", lambda value: f"{value:.2f}"),
    ("stopped_share", "stopped, % of time", lambda value: f"{value * 100:.1f}"),
    ("wall_s", "wall, s", lambda value: f"{value:.2f}"),
    ("cpu_s", "CPU, s", lambda value: f"{value:.2f}"),
    ("peak_bytes", "peak memory, MiB", lambda value: f"{value / 2**20:.0f}"),
)
SHORT_S = 5e-3  # who never waits longer has little to gain


class Failed(Exception):
    """A run ended with another status than 0, or left no numbers."""


def compare(program, pause_budget, runs, progress=sys.stderr):
    """Runs it `runs` times under each, in turn, without input; what it prints to standard output is dropped. A dict:
    command, python, pause_budget_s, runs (a dict each), medians by mode, ratios. Raises Failed."""
    found = []
    for number in range(runs):
        for mode in (("stock", "bridge"), ("bridge", "stock"))[number % 2]:
            run = _run(program, mode, pause_budget) | {"mode": mode}
            print(f"ouroboros: {mode}: {run['wall_s']:.2f} s, longest pause {run['longest_s'] * 1e3:.2f} ms",
                  file=progress, flush=True)
            found.append(run)
    medians = {mode: {key: statistics.median(run[key] for run in found if run["mode"] == mode) for key, *_ in ROWS}
               for mode in ("stock", "bridge")}
    ratios = {key: medians["bridge"][key] / medians["stock"][key] if medians["stock"][key] else None
              for key, *_ in ROWS}
    return {"command": program.command(), "python": sys.version, "pause_budget_s": pause_budget, "runs": found,
            "medians": medians, "ratios": ratios}


def _run(program, mode, pause_budget):
    with tempfile.TemporaryDirectory() as directory:
        result = os.path.join(directory, "pauses.json")
        command = [sys.executable, *subprocess._args_from_interpreter_flags(), "-m", "ouroboros.observe", result,
                   mode if mode == "stock" else repr(pause_budget), *program.command()]
        began = time.perf_counter()
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as child:
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - began
        if child.returncode != 0:
            raise Failed(f"under {mode} the program ended with status {child.returncode}")
        try:
            with open(result, encoding="utf-8") as file:
                numbers = json.load(file)
        except FileNotFoundError:
            raise Failed(f"under {mode} the program ended without running what is registered with atexit") from None
    return numbers | {"wall_s": wall, "cpu_s": usage.ru_utime + usage.ru_stime}


def table(it):
    """Lines: medians, with the least and the most of several runs; ratios; what to make of it."""
    of = {mode: [run for run in it["runs"] if run["mode"] == mode] for mode in ("stock", "bridge")}
    rows = [("", "stock", "bridge", "bridge/stock")]
    for key, head, text in ROWS:
        cells = []
        for mode, runs in of.items():
            values = [run[key] for run in runs]
            cells.append(text(it["medians"][mode][key]))
            if len(runs) > 1:
                cells[-1] += f" ({text(min(values))} to {text(max(values))})"
        ratio = it["ratios"][key]
        rows.append((head, *cells, "" if ratio is None else f"{ratio:.3f}" if ratio < 0.1 else f"{ratio:.2f}"))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = ["  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))])
             for row in rows]
    count = len(of["stock"])
    lines.insert(0, f"{' '.join(it['command'])}: budget {it['pause_budget_s'] * 1e3:g} ms, "
                    + (f"medians of {count} runs each" if count > 1 else "one run each: --runs says how many"))
    return lines + _verdict(it)


def _verdict(it):
    stock, ratios = it["medians"]["stock"], it["ratios"]
    if not all(run["pauses_seen"] for run in it["runs"]):
        return ["The program has changed gc.callbacks: not all pauses were seen."]
    if stock["longest_s"] < SHORT_S:
        return [f"No pause of stock's was longer than {SHORT_S * 1e3:g} ms: there is little to gain."]
    return [f"The longest pause was {1 / ratios['longest_s']:.1f} times shorter, for {ratios['wall_s']:.2f} of the "
            f"time, {ratios['cpu_s']:.2f} of the CPU time and {ratios['peak_bytes']:.2f} of the memory."]
