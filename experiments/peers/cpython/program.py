"""The `program` workload: a real program of `programs/`, under CPython's collector as it is, or another (collecting.py).

    python3 -I -S program.py --program NAME [--size N] [--operations N] [--rate R] [--seed 1]

The program loads what it keeps, a tenth as many operations are the warm-up, then come those that are timed: one after
the other, or, with --rate, each when it is due, R a second, however late those before it are (open loop). Without
--size or --operations the program's own. Prints one JSON object (experiments/schema).
"""
import array
import asyncio
import bisect
import gc
import importlib
import itertools
import site
import sys
import time

sys.path.insert(0, __file__.rpartition("/")[0] or ".")

import measure

USAGE = "usage: program.py --program NAME [--size N] [--operations N] [--rate R] [--seed 1]"


class Timed:
    """The operations of a run: when each was due, began and ended, in ns since it began."""

    def __init__(self, count, rate):
        self.count, self.period = count, 1e9 / rate if rate else 0
        self.starts, self.ends = array.array("q", bytes(8 * count)), array.array("q", bytes(8 * count))
        self.memory = measure.MemoryOverTime(interval_ns=20_000_000)
        self.begun_cpu, self.begun = time.process_time_ns(), time.perf_counter_ns()

    def end(self):
        self.run_ns, self.run_cpu_ns = self.now(), time.process_time_ns() - self.begun_cpu

    def due(self, number):
        return int(number * self.period)

    def now(self):
        return time.perf_counter_ns() - self.begun

    def latencies(self):
        if not self.period:  # from the end of the one before
            return [end - before for end, before in zip(self.ends, itertools.chain([0], self.ends))]
        return [end - self.due(number) for number, end in enumerate(self.ends)]

    def row(self):
        return {"run_ns": self.run_ns, "run_cpu_ns": self.run_cpu_ns, "mutator_ops": self.count,
                "ns_per_op": self.run_ns / self.count, "operations_per_s": self.count * 1e9 / self.run_ns,
                "latency": measure.percentiles(self.latencies()),
                "simple_latency": measure.percentiles(map(int.__sub__, self.ends, self.starts)),
                "rss_points": self.memory.points()}


def run_one_by_one(operation, timed):
    for number in range(timed.count):
        if timed.period and (early := timed.due(number) - timed.now()) > 0:
            time.sleep(early / 1e9)
        timed.starts[number] = timed.now()
        operation(number)
        timed.ends[number] = timed.now()
        timed.memory.note()


async def run_in_loop(operation, timed):
    """With a rate as many at once as are due; else eight."""
    at_once = asyncio.Semaphore(8)

    async def one(number):
        timed.starts[number] = timed.now()
        await operation(number)
        timed.ends[number] = timed.now()
        at_once.release()

    tasks = set()
    for number in range(timed.count):
        if timed.period:
            await asyncio.sleep(max(timed.due(number) - timed.now(), 0) / 1e9)
        else:
            await at_once.acquire()
        tasks.add(task := asyncio.ensure_future(one(number)))
        task.add_done_callback(tasks.discard)
        timed.memory.note()
    await asyncio.gather(*tasks)


def utilisation(pauses, run_ns):
    """{1ms, 10ms, 100ms}: the least part of any window that pauses left to the program."""
    starts = [start for start, _ in pauses]
    stopped = [0, *itertools.accumulate(length for _, length in pauses)]

    def until(moment):
        place = bisect.bisect_right(starts, moment)
        return stopped[place] - (max(sum(pauses[place - 1]) - moment, 0) if place else 0)

    found = {}
    for window in (1, 10, 100):
        length = window * 1_000_000
        moments = [0, run_ns - length, *(start for start in starts if start + length <= run_ns)]
        found[f"{window}ms"] = None if length > run_ns else 1 - max(
            until(moment + length) - until(moment) for moment in moments) / length
    return found


def run(wanted):
    wall_start, cpu_start = time.perf_counter_ns(), time.process_time_ns()
    site.main()
    try:
        program = importlib.import_module("programs." + wanted["program"])
    except ModuleNotFoundError as error:
        measure.fail("program.py", "there is no program %r: %s" % (wanted["program"], error))
    count = wanted["operations"] or program.OPERATIONS
    size = wanted["size"] or program.SIZE
    rss_before = measure.memory(b"VmRSS:")
    build_start = time.perf_counter_ns()
    try:
        operation = program.load(size, wanted["seed"])
    except ImportError as error:
        measure.fail("program.py", "%s needs Debian's %s: %s" % (wanted["program"], program.PACKAGE, error))
    build_ns = time.perf_counter_ns() - build_start
    measure.loaded()
    rss_live = measure.memory(b"VmRSS:")
    pauses = measure.Pauses()

    warmup = max(count // 10, 1)
    if getattr(program, "IS_ASYNC", False):
        async def in_loop():
            await operation.start()
            await run_in_loop(operation, Timed(warmup, 0))
            pauses.__enter__()
            timed = Timed(count, wanted["rate"])
            await run_in_loop(operation, timed)
            timed.end()
            pauses.__exit__()
            await operation.stop()
            return timed
        timed = asyncio.run(in_loop())
    else:
        run_one_by_one(operation, Timed(warmup, 0))
        with pauses:
            timed = Timed(count, wanted["rate"])
            run_one_by_one(operation, timed)
            timed.end()
    rss_end, rss_peak = measure.memory(b"VmRSS:"), measure.memory(b"VmHWM:")
    live = len(gc.get_objects())
    points = pauses.points(timed.begun)
    summary = pauses.summary()
    return {
        "workload": "program", "params": {key: wanted[key] for key in ("program", "rate")} |
                                         {"size": size, "operations": count},
        **measure.engine(), "seed": wanted["seed"],
        "live_objects": live, "collected": None, "live_collect_ns": None, "live_first_collect_ns": None,
        "live_collect_samples_ns": [], "garbage_collect_ns": None, "build_ns": build_ns,
        **timed.row(), "rate_per_s": wanted["rate"] or None,
        "pauses": summary, "pause_points": points, "mmu": utilisation(points, timed.run_ns),
        "stopped_fraction": summary["total_ns"] / timed.run_ns, "collections": pauses.collections(),
        "collector_cpu_ns": sum(pauses.cpus), "backlog_max": None,
        "rss_before_bytes": rss_before, "rss_live_bytes": rss_live, "rss_end_bytes": rss_end,
        "rss_after_bytes": measure.memory(b"VmRSS:"), "rss_peak_bytes": rss_peak, "heap_bytes": None,
        "wall_ns": time.perf_counter_ns() - wall_start, "cpu_ns": time.process_time_ns() - cpu_start,
    }


def main():
    wanted = measure.parse("program.py", USAGE, {
        "program": "", "size": 0, "operations": 0, "rate": 0, "seed": 1}, sys.argv[1:])
    if not wanted["program"].isidentifier():
        measure.fail("program.py", "--program is missing\n" + USAGE, 2)
    row = run(wanted)
    import json  # after the last measurement
    print(json.dumps(row))


if __name__ == "__main__":
    measure.require_cpython("program.py")
    main()
