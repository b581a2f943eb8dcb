"""What the peers share: clocks, memory, samples, pauses. CPython's standard library only, from 3.8 on.

A script beside this one that is started with -I finds it by adding its own folder to sys.path. Nothing
here makes containers that live on, but what a caller asked to be recorded.
"""
import gc
import posix  # not os, which may not be loaded
import sys
import time


def memory(name):
    """A line of /proc/self/status in bytes, None where there is none (not Linux).

    b"VmHWM:" is the peak. Not resource.getrusage's ru_maxrss, which begins with that of the program
    that started this one.
    """
    try:
        with open("/proc/self/status", "rb") as status:
            for line in status:
                if line.startswith(name):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return None


class MemoryOverTime:
    """Resident memory at times at least an interval apart; of each two neighbours the one with more
    stays when there are too many. Mirrors experiments/runner/memory_over_time.hpp."""
    MOST_POINTS = 1000

    def __init__(self, interval_ns=5000000):
        self.interval = interval_ns
        self.page = posix.sysconf("SC_PAGE_SIZE")
        self.times, self.sizes = [], []  # not pairs, which a collection would walk
        self.start = self.next = time.perf_counter_ns()
        self.read()

    def note(self):
        """Whenever it suits."""
        if time.perf_counter_ns() >= self.next:
            self.read()

    def read(self):
        try:
            with open("/proc/self/statm", "rb") as statm:
                size = int(statm.read().split()[1]) * self.page
        except OSError:
            return
        self.add(time.perf_counter_ns(), size)

    def add(self, now, size):
        if len(self.times) == self.MOST_POINTS:
            kept = [i if self.sizes[i] > self.sizes[i + 1] else i + 1
                    for i in range(0, self.MOST_POINTS, 2)]
            self.times = [self.times[i] for i in kept]
            self.sizes = [self.sizes[i] for i in kept]
            self.interval *= 2
        self.times.append(now)
        self.sizes.append(size)
        self.next = now + self.interval

    def points(self):
        """[(ns since the beginning, bytes)]"""
        return [(now - self.start, size) for now, size in zip(self.times, self.sizes)]


def percentiles(samples):
    """Nearest rank, from the raw samples; None each if there is none."""
    ordered = sorted(samples)

    def rank(per_mille):
        if not ordered:
            return None
        return ordered[max(0, -(-len(ordered) * per_mille // 1000) - 1)]

    return {"p50_ns": rank(500), "p90_ns": rank(900), "p99_ns": rank(990),
            "p999_ns": rank(999), "max_ns": rank(1000)}


class Pauses:
    """A gc callback that keeps the time of every collection, from CPython's first call to its last.

    `before` and `after`, if given, are called inside the callback, outside the time that is kept.
    """

    def __init__(self, before=None, after=None):
        self.starts, self.walls, self.cpus, self.generations = [], [], [], []
        self.found = 0  # objects collected so far
        self.before, self.after = before, after
        self.wall = self.cpu = 0

    def __call__(self, phase, info):
        if phase == "start":
            if self.before:
                self.before()
            self.cpu = time.thread_time_ns()
            self.wall = time.perf_counter_ns()
            return
        wall, cpu = time.perf_counter_ns(), time.thread_time_ns()
        self.starts.append(self.wall)
        self.walls.append(wall - self.wall)
        self.cpus.append(cpu - self.cpu)
        self.generations.append(info["generation"])
        self.found += info["collected"]
        if self.after:
            self.after()

    def __enter__(self):
        gc.callbacks.append(self)
        return self

    def __exit__(self, *_):
        gc.callbacks.remove(self)

    def summary(self):
        return {"count": len(self.walls), "total_ns": sum(self.walls),
                "wall": percentiles(self.walls), "cpu": percentiles(self.cpus)}

    def points(self, begun):
        """[(ns since `begun`, ns)]: when each pause began and how long it was."""
        return [(start - begun, wall) for start, wall in zip(self.starts, self.walls)]

    def collections(self):
        """{young, middle, full: {count, total_ns, max_ns}}"""
        found = {}
        for generation, name in enumerate(("young", "middle", "full")):
            walls = [wall for wall, each in zip(self.walls, self.generations)
                     if each == generation]
            found[name] = {"count": len(walls), "total_ns": sum(walls),
                           "max_ns": max(walls, default=0)}
        return found


def baseline():
    """What a full collection walks, and takes, before the workload has made anything."""
    gc.collect()
    walls = []
    for _ in range(3):
        wall = time.perf_counter_ns()
        gc.collect()
        walls.append(time.perf_counter_ns() - wall)
    return {"baseline_objects": len(gc.get_objects()), "baseline_collect_ns": min(walls)}


def timed_collection(program):
    """The wall time of a full collection that must find nothing."""
    wall = time.perf_counter_ns()
    found = gc.collect()
    wall = time.perf_counter_ns() - wall
    if found:
        fail(program, "a collection found %d objects, all are alive" % found)
    return wall


def loaded():
    """A script calls it when it has made what it keeps: some ways to collect (collecting.py) then do something."""


def fail(program, message, status=1):
    print("%s: %s" % (program, message), file=sys.stderr)
    sys.exit(status)


def require_cpython(program):
    if sys.implementation.name != "cpython":
        fail(program, "this is %s; the peer is CPython" % sys.implementation.name)


def engine():
    """{engine, refcount, version, executable} of the result row."""
    free_threaded = "t" in getattr(sys, "abiflags", "")
    return {"engine": "cpython-%d.%d.%d" % sys.version_info[:3] + ("t" if free_threaded else ""),
            "refcount": "biased" if free_threaded else "gil",
            "version": sys.version, "executable": sys.executable}


def parse(program, usage, defaults, arguments):
    """{name: value} of `--name value` flags; `defaults` has an int, or None where one is needed, a float or a
    word where such a value is taken, or False where the flag stands alone.

    argparse would load some thirty modules that every full collection then visits.
    """
    def fail(message):
        print("%s: %s\n%s" % (program, message, usage), file=sys.stderr)
        sys.exit(2)

    found = dict(defaults)
    rest = iter(arguments)
    for flag in rest:
        name = flag[2:].replace("-", "_")
        if flag in ("-h", "--help"):
            print(usage)
            sys.exit(0)
        if not flag.startswith("--") or name not in found:
            fail("unknown argument %r" % flag)
        if found[name] is False:
            found[name] = True
            continue
        value = next(rest, None)
        if value is None:
            fail("%s needs a value" % flag)
        if isinstance(defaults[name], str):
            found[name] = value
            continue
        if isinstance(defaults[name], float):
            try:
                found[name] = float(value)
            except ValueError:
                fail("%s takes a number, not %r" % (flag, value))
            continue
        if not value.isdigit():
            fail("%s takes a whole number, not %r" % (flag, value))
        found[name] = int(value)
    for name, value in found.items():
        if value is None:
            fail("--%s is missing" % name.replace("_", "-"))
    return found
