"""The `rings` workload in CPython: threads that make rings and drop them, and nothing else.

    python3 -I -S rings.py [--threads T] [--rings N] [--dead-limit N] [--interpreted]

Prints one JSON object with the keys of `ouro bench rings --json -`, and makes the same rings: of two to six instances
with two slots, the sizes in turn. They are made by rings.c, which this script compiles for its interpreter, so that
they are made as fast as ours; its instances count, as ours do, how many of them were deallocated. The interpreter
begins collections between two of its own instructions: rings.c returns to it after every LOOK rings.

With --interpreted they are instances of a class with `__slots__`, made in Python, several times more slowly. What is
dead and not freed is then what was dropped less what the collector says that it collected (gc.get_stats): counting
frees none of it. Nothing is added for that, no finalizer and no weak reference, and no list of all objects is walked.
What a collection found counts as freed when that collection ends: while it frees, some of that is counted as waiting,
and never more than one collection found.

Each thread looks after every LOOK rings. `rss_growth_bytes` needs no counting. Collection is automatic from the first
object on; the young threshold is 2000 as ours, and as CPython's own from 3.13 on. There is no callback of collections,
which would be in the way of the next one for as long as its thread waits for the global lock: `pauses` is null.
"""
import _thread  # threading would load modules whose containers each collection walks
import gc
import posix
import sys
import time

sys.path.insert(0, __file__.rpartition("/")[0] or ".")

import measure
from ring import new_ring, node_class

USAGE = ("usage: rings.py [--threads T] [--rings N] [--dead-limit N] [--interpreted] [--seed S]"
         " [--threshold 2000]")
LEAST, MOST = 2, 6   # instances of a ring
LOOK = 60            # rings: each size as often as any other


class Part:
    """A thread's: what it did, and what it saw."""
    __slots__ = ("made", "rings", "most_dead", "start", "end", "ended")

    def __init__(self):
        self.made = self.rings = self.most_dead = self.start = self.end = 0
        self.ended = _thread.allocate_lock()


class Interpreted:
    """Rings of instances of a class."""
    def __init__(self, parts):
        self.parts, self.node = parts, node_class()
        self.before = self.collected()

    @staticmethod
    def collected():
        return sum([each["collected"] for each in gc.get_stats()])

    def make(self, part, rings):
        node, made, size = self.node, 0, LEAST
        for _ in range(rings):
            new_ring(node, size)
            made += size
            size = size + 1 if size < MOST else LEAST
        part.made += made

    def made(self):
        return sum([part.made for part in self.parts])

    def dead(self):
        made = self.made()
        # Then: a thread that has to wait between the two finds too few this time, and never too many.
        return max(made - (self.collected() - self.before), 0)


class Compiled:
    """Those of rings.c."""
    def __init__(self):
        directory = "/tmp/ouro-rings-%d" % posix.getpid()
        posix.mkdir(directory, 0o700)
        library, path = directory + "/rings_in_c.so", list(sys.path)
        try:
            self.compile(library)
            sys.path[:] = [directory]
            import rings_in_c
        finally:
            sys.path[:] = path
            for remove, name in ((posix.unlink, library), (posix.rmdir, directory)):
                try:
                    remove(name)
                except FileNotFoundError:
                    pass
        self.rings, self.made, self.dead = rings_in_c.make, rings_in_c.made, rings_in_c.dead

    @staticmethod
    def compile(library):
        headers = "%s/include/python%d.%d%s" % (sys.base_prefix, *sys.version_info[:2], sys.abiflags)
        source = __file__.rpartition("/")[0] + "/rings.c" if "/" in __file__ else "rings.c"
        command = ["cc", "-O2", "-std=gnu11", "-shared", "-fPIC", "-I" + headers, source, "-o", library]
        try:
            child = posix.posix_spawn("/usr/bin/cc", command, posix.environ)
            status = posix.waitpid(child, 0)[1]
        except OSError as error:
            measure.fail("rings.py", "/usr/bin/cc: %s" % error)
        if status:
            measure.fail("rings.py", "rings.c cannot be compiled; are the headers of this interpreter in %s?"
                         % headers)

    def make(self, part, rings):
        self.rings(rings)


class Run:
    """The threads at work."""
    def __init__(self, wanted):
        self.wanted, self.limit = wanted["rings"], wanted["dead_limit"]
        self.parts = [Part() for _ in range(wanted["threads"])]
        self.work = Interpreted(self.parts) if wanted["interpreted"] else Compiled()
        self.ready, self.begun = _thread.allocate_lock(), _thread.allocate_lock()
        self.stopped = False

    def one(self, part, memory=None):
        make, dead = self.work.make, self.work.dead
        with self.begun:
            pass
        part.start = time.perf_counter_ns()
        while part.rings < self.wanted and not self.stopped:
            some = min(LOOK, self.wanted - part.rings)
            make(part, some)
            part.rings += some
            part.most_dead = max(part.most_dead, dead())
            if part.most_dead >= self.limit:
                self.stopped = True
            if memory:
                memory.note()
        part.end = time.perf_counter_ns()

    def other(self, part):
        with part.ended:
            self.ready.release()
            self.one(part)

    def all(self, memory):
        """All threads at once, this one among them, which looks after memory, too."""
        self.ready.acquire()
        with self.begun:
            for part in self.parts[1:]:
                _thread.start_new_thread(self.other, (part,))
                self.ready.acquire()
        self.one(self.parts[0], memory)
        for part in self.parts[1:]:
            with part.ended:
                pass
        if not all([part.end for part in self.parts]):
            measure.fail("rings.py", "a thread has failed")


def run(wanted):
    wall_start, cpu_start = time.perf_counter_ns(), time.process_time_ns()
    gc.set_threshold(wanted["threshold"], *gc.get_threshold()[1:])
    threads = Run(wanted)
    gc.collect()
    rss_before = measure.memory(b"VmRSS:")
    build_ns = time.perf_counter_ns() - wall_start
    cpu, memory = time.process_time_ns(), measure.MemoryOverTime()
    threads.all(memory)
    memory.read()
    run_cpu_ns = time.process_time_ns() - cpu
    rss_end, rss_peak = measure.memory(b"VmRSS:"), measure.memory(b"VmHWM:")
    made, dead = threads.work.made(), threads.work.dead()
    last = time.perf_counter_ns()
    collected = gc.collect()
    last = time.perf_counter_ns() - last
    if threads.work.dead():
        measure.fail("rings.py", "%d objects are left of %d when all was collected" % (threads.work.dead(), made))
    parts = threads.parts
    rings = sum([part.rings for part in parts])
    run_ns = max([part.end for part in parts]) - min([part.start for part in parts])
    return {
        "workload": "rings",
        "params": {key: wanted[key] for key in ("threads", "rings", "dead_limit", "interpreted", "threshold")},
        **measure.engine(), "seed": wanted["seed"], "threads": wanted["threads"],
        "live_objects": wanted["threads"] * MOST, "collected": collected,
        "live_collect_ns": None, "live_first_collect_ns": None, "live_collect_samples_ns": [],
        "garbage_collect_ns": last, "build_ns": build_ns,
        "run_ns": run_ns, "run_cpu_ns": run_cpu_ns, "mutator_ops": rings,
        "ns_per_op": run_ns / rings, "operations_per_s": rings * 1e9 / run_ns,
        "pauses": None, "collector_cpu_ns": None, "rss_points": memory.points(),
        "backlog_max": max([dead] + [part.most_dead for part in parts]),
        "stopped_at_limit": rings < wanted["rings"] * wanted["threads"], "made_unreachable": made,
        "rss_growth_bytes": max(rss_peak - rss_before, 0),
        "rss_before_bytes": rss_before, "rss_end_bytes": rss_end,
        "rss_after_bytes": measure.memory(b"VmRSS:"), "rss_peak_bytes": rss_peak,
        "heap_bytes": None, "wall_ns": time.perf_counter_ns() - wall_start,
        "cpu_ns": time.process_time_ns() - cpu_start,
    }


def main():
    wanted = measure.parse("rings.py", USAGE, {
        "threads": 1, "rings": 1000000, "dead_limit": 5000000, "interpreted": False, "seed": 1, "threshold": 2000},
        sys.argv[1:])
    if min(wanted["threads"], wanted["rings"], wanted["dead_limit"]) < 1:
        measure.fail("rings.py", "--threads, --rings and --dead-limit take at least 1", 2)
    row = run(wanted)
    import json  # after the last measurement
    print(json.dumps(row))


if __name__ == "__main__":
    measure.require_cpython("rings.py")
    main()
