"""Runs a peer's `slices` program and makes the row of what it says. CPython's standard library only, from 3.8 on.

A peer's `run` calls main() with what is its own. What happens outside the program is the same for all: the flags are
read, the heap's limit is worked out, and the program's memory and processor time are read while it waits, so that
nothing of this is in its heap. The program is started as `PROGRAM RINGS SLICES WARMUP SLICE SEED SHUFFLED` (numbers)
in an environment of nothing but PATH, HOME and what the peer sets. It prints lines of a word and its value:

    mark before|live|begin|end  it has its array of samples | its rings | warmed up | done all slices; it then waits
                                for a line on its standard input
    run_ns N                    by its own monotonic clock, from the end of the warm-up to that of the last slice
    places N                    of the first 1000 places that it replaces, see below: the work is the same in all
    heap N                      bytes that its heap holds at the end, dead objects that were not yet collected included
    version TEXT                of the runtime; its first number with dots is what `engine` has
    pause N                     ns, a line for each pause that the runtime knows of after the warm-up
    sample N                    ns, a line a slice, those of the warm-up first: from the end of the slice before it, so
                                that no time is between slices, where a collection could hide; those after the
                                warm-up add up to run_ns

The figure of the places is FNV-1a over whole places: from 14695981039346656037, (figure ^ place) * 1099511628211.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time

TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")


class PeerError(Exception):
    """What a peer did that it should not."""


def percentiles(samples):
    """Nearest rank, from the raw samples; None each if there is none."""
    ordered = sorted(samples)

    def rank(per_mille):
        return ordered[max(0, -(-len(ordered) * per_mille // 1000) - 1)] if ordered else None

    return {"p50_ns": rank(500), "p90_ns": rank(900), "p99_ns": rank(990), "p999_ns": rank(999), "max_ns": rank(1000)}


def decimal(text):
    """A decimal number over 0; for argparse."""
    value = float(text)
    if not 0 < value < math.inf:
        raise ValueError
    return value


def count(text):
    """A whole number; for argparse."""
    if not text.isdigit() or int(text) >= 1 << 63:
        raise ValueError
    return int(text)


def parsed(name, option, variants, arguments):
    parser = argparse.ArgumentParser(prog=name, allow_abbrev=False, description="The workload slices.")
    parser.add_argument(option, dest="variant", choices=variants, default=next(iter(variants)))
    parser.add_argument("--live", type=count, required=True, help="objects alive, in rings of four")
    parser.add_argument("--slices", type=count, required=True, help="how many, warm-up included")
    parser.add_argument("--warmup", type=count, required=True, help="of them, kept apart")
    parser.add_argument("--slice", type=count, default=250, help="operations")
    parser.add_argument("--seed", type=count, default=1)
    parser.add_argument("--shuffled", action="store_true", help="places drawn at random")
    parser.add_argument("--heap-factor", type=decimal, default=3.0, help="the heap's size by that of the live objects")
    parser.add_argument("--pause-log", help="a file for what the runtime says of its pauses")
    flags = parser.parse_args(arguments)
    for key, least, most in (("live", 4, 10**9), ("slices", 1, 10**8), ("slice", 1, 10**9)):
        if not least <= getattr(flags, key) <= most:
            parser.error(f"--{key} takes a number from {least} to {most}")
    if flags.warmup >= flags.slices:
        parser.error("--warmup takes a number under that of --slices")
    return flags


class Watched:
    """The program, while it waits at one of its marks."""

    def __init__(self, pid, log):
        self.pid, self.log = pid, log

    def status(self, key):
        with open(f"/proc/{self.pid}/status", encoding="ascii", errors="replace") as lines:
            for line in lines:
                if line.startswith(key):
                    return int(line.split()[1]) * 1024
        return None

    def now(self):
        """Memory and time: of the process to the ns, of its children that have ended in ticks."""
        with open(f"/proc/{self.pid}/stat", encoding="ascii", errors="replace") as stat:
            fields = stat.read().rpartition(")")[2].split()
        children = (int(fields[13]) + int(fields[14])) * TICK_NS
        return {"wall": time.monotonic_ns(), "cpu": time.clock_gettime_ns(~self.pid << 3 | 2) + children,
                "rss": self.status("VmRSS:"), "peak": self.status("VmHWM:"),
                "logged": os.path.getsize(self.log) if os.path.exists(self.log) else 0}


def watch(command, environment, log):
    """Runs the program; {mark: what was then}, {word: [value]}."""
    kept = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
    started = time.monotonic_ns()
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, errors="replace",
                               env={**kept, **environment})
    marks, said = {"start": {"wall": started}}, {}
    try:
        watched = Watched(program.pid, log)
        for line in program.stdout:
            word, _, value = line.rstrip("\n").partition(" ")
            if word == "mark":
                marks[value] = watched.now()
                program.stdin.write("\n")
                program.stdin.flush()
            else:
                said.setdefault(word, []).append(value)
        status = program.wait()
    except BrokenPipeError:
        status = program.wait()
    finally:
        program.kill()
        program.wait()
    if status != 0:
        raise PeerError(f"the program was killed by signal {-status}" if status < 0 else
                        f"the program ended with status {status}")
    return marks, said


def own_pauses(source, said, log, marks, read_log):
    """What the runtime says of its pauses after the warm-up; None if it says nothing of any."""
    if source is None:
        return None
    pauses = [int(value) for value in said.get("pause", ())]
    if read_log:
        with open(log, "rb") as file:
            file.seek(marks["begin"]["logged"])
            text = file.read(marks["end"]["logged"] - marks["begin"]["logged"])
        pauses = read_log(text.decode(errors="replace"))
    return {"source": source, "count": len(pauses), "total_ns": sum(pauses), "wall": percentiles(pauses)}


def row_of(name, flags, limit, marks, said, own):
    version = said["version"][0]
    number = re.search(r"\d+(\.\d+)+", version)
    suffix = flags.variant if flags.variant != name else ""
    samples = [int(value) for value in said["sample"]]
    if len(samples) != flags.slices:
        raise PeerError(f"the program gave {len(samples)} samples of {flags.slices}")
    run_ns = int(said["run_ns"][0])
    if sum(samples[flags.warmup:]) != run_ns:
        raise PeerError(f"its slices after the warm-up took {sum(samples[flags.warmup:])} ns of {run_ns}: the rest is "
                        "between them")
    operations = (flags.slices - flags.warmup) * flags.slice
    params = ("live", "slices", "warmup", "slice", "seed", "shuffled", "heap_factor")
    begin, end = marks["begin"], marks["end"]
    none = ("refcount", "collected", "live_collect_ns", "live_first_collect_ns", "garbage_collect_ns", "pauses",
            "backlog_max", "collector_cpu_ns")
    return {
        "workload": "slices", "params": {key: getattr(flags, key) for key in params},
        "engine": "-".join(part for part in (name, number.group() if number else "", suffix) if part),
        "version": version, "seed": flags.seed, "live_objects": flags.live // 4 * 4, "mutator_ops": operations,
        "run_ns": run_ns, "run_cpu_ns": end["cpu"] - begin["cpu"], "ns_per_op": run_ns / operations,
        "rss_before_bytes": marks["before"]["rss"], "rss_live_bytes": marks["live"]["rss"],
        "rss_after_bytes": end["rss"], "rss_peak_bytes": end["peak"],
        "heap_bytes": int(said["heap"][0]), "heap_limit_bytes": limit,
        "wall_ns": end["wall"] - marks["start"]["wall"], "cpu_ns": end["cpu"],
        "slices": {"operations": flags.slice, "warmup": flags.warmup, "wall": percentiles(samples[flags.warmup:])},
        "slice_samples_ns": samples, "own_pauses": own, "places_checksum": int(said["places"][0]),
        "live_collect_samples_ns": [], **dict.fromkeys(none),
    }


def main(name, option, variants, command, *, live_bytes=None, smallest_limit=0, source=None, read_log=None):
    """Runs the program once and prints its row; the process ends with status 0, 1 (a failure) or 2 (misuse).

    variants:    the values of `option`, the first is the default; one that is called as the peer adds nothing to the
                 engine's name
    command:     (flags, limit in bytes or None, log's path) -> (command line, environment)
    live_bytes:  flags -> bytes of the live set; None if the runtime's heap cannot be given a size
    smallest_limit: bytes; what the runtime needs for itself
    source:      what the runtime's own pauses are read from; None if it knows of none
    read_log:    text that was logged between the warm-up and the end -> [ns]; None if the program prints them
    """
    flags = parsed(name, option, variants, sys.argv[1:])
    limit = None
    if live_bytes:
        limit = max(smallest_limit, math.ceil(flags.heap_factor * live_bytes(flags)))
    with tempfile.TemporaryDirectory() as scratch:
        log = os.path.join(scratch, "pauses.log")
        line, environment = command(flags, limit, log)
        numbers = (flags.live // 4, flags.slices, flags.warmup, flags.slice, flags.seed, int(flags.shuffled))
        said = {}
        try:
            marks, said = watch([*line, *map(str, numbers)], environment, log)
            row = row_of(name, flags, limit, marks, said, own_pauses(source, said, log, marks, read_log))
        except (PeerError, OSError, KeyError, ValueError) as error:
            missing = f"the program did not say {error}" if isinstance(error, KeyError) else str(error)
            sys.exit(f"{name}: {missing}")
        finally:
            if flags.pause_log:
                keep(log, said.get("pause", ()), flags.pause_log)
    json.dump(row, sys.stdout)
    print()


def keep(log, pauses, path):
    """The runtime's own log, or the pauses that the program printed, a line each."""
    text = "".join(f"{pause}\n" for pause in pauses).encode()
    if os.path.exists(log):
        with open(log, "rb") as file:
            text = file.read()
    with open(path, "wb") as file:
        file.write(text)
