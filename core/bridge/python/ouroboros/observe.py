"""Runs a program and writes what its collector's pauses were, under either collector by the same clock.

    python -m ouroboros.observe RESULT.json stock|SECONDS PROGRAM...

A pause is from before the first to after the last of gc.callbacks, so what the bridge does there is in it.
"""
import array
import atexit
import gc
import json
import math
import os
import sys
import time

import ouroboros
from ouroboros import program

WINDOW_NS = 10_000_000


class Pauses:
    """Starts and ends of pauses in ns, in that order."""

    def __init__(self):
        self.times = array.array("q")
        self._start_ns = 0

    def install(self):
        """Around whatever callbacks there are."""
        gc.callbacks.insert(0, self._first)
        gc.callbacks.append(self._last)

    def _first(self, phase, _info):
        if phase == "start":
            self._start_ns = time.perf_counter_ns()

    def _last(self, phase, _info):
        if phase == "stop" and self._start_ns:
            self.times.append(self._start_ns)
            self.times.append(time.perf_counter_ns())
            self._start_ns = 0

    def summary(self, began_ns, ended_ns):
        """All in seconds."""
        starts, ends = self.times[::2], self.times[1::2]
        lengths = sorted(end - start for start, end in zip(starts, ends))
        stopped = sum(lengths)
        return {
            "pauses": len(lengths),
            "longest_s": (lengths[-1] if lengths else 0) / 1e9,
            "p99_9_s": quantile(lengths, 0.999) / 1e9,
            "stopped_s": stopped / 1e9,
            "stopped_share": stopped / max(ended_ns - began_ns, 1),
            "mmu_10ms": utilization(starts, ends),
        }


def quantile(ordered, part):
    """The nearest-rank quantile; 0 of nothing."""
    return ordered[max(0, math.ceil(part * len(ordered)) - 1)] if ordered else 0


def utilization(starts, ends, window_ns=WINDOW_NS):
    """The least part of any window that was no pause: a worst window ends where a pause does."""
    worst, first, inside = 0, 0, 0
    for start, end in zip(starts, ends):
        inside += end - start
        while ends[first] <= end - window_ns:
            inside -= ends[first] - starts[first]
            first += 1
        worst = max(worst, inside - max(end - window_ns - starts[first], 0))
    return 1 - worst / window_ns


def peak_bytes():
    """Of this process: what its parent had is not in it."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))


def main(words):
    result, mode, *rest = words
    _, target = program.split(rest, ())
    if mode != "stock":
        ouroboros.enable(float(mode))
    pauses, began_ns, pid = Pauses(), time.perf_counter_ns(), os.getpid()

    def write():
        if os.getpid() == pid:
            numbers = pauses.summary(began_ns, time.perf_counter_ns())
            numbers["peak_bytes"] = peak_bytes()
            numbers["pauses_seen"] = pauses._last in gc.callbacks
            if mode != "stock":
                numbers["stats"] = ouroboros.stats()
            with open(result, "w", encoding="utf-8") as file:
                json.dump(numbers, file)

    atexit.register(write)
    pauses.install()
    target.run()


if __name__ == "__main__":
    main(sys.argv[1:])
