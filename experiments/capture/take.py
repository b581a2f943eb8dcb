"""Collects the heap of this process and takes its graph. Loaded by heapgraph.py before the program
runs, so that all of it belongs to the capture. Standard library only, CPython 3.8+."""

import gc
import sys
import time

# A count this large is not a count: 3.12+ marks immortal objects so, 3.11 gives objects that are
# built into the interpreter 999999999, and free-threaded builds add PY_SSIZE_T_MAX / 8 to the count
# of objects whose references from stacks are deferred.
IMMORTAL_COUNT = 1 << 29 if sys.maxsize > 1 << 32 else 1 << 28
DEFERRED_OFFSET = sys.maxsize // 8
MOST_EXTERNAL = 0xFFFFFFFF
# From 3.13 on a materialised __dict__ may look at values that the instance owns and visits.
DICTS_MAY_BORROW = sys.version_info >= (3, 13)
# The types whose items the collector visits from the last to the first.
BACKWARDS = [cls for cls in (list, tuple) if gc.get_referents(cls((0, None)))[0] is None]


def own_objects(at_start, gc_is_ours):
    """The capture's tracked objects: what came into being since `at_start`, gc.get_objects() of
    heapgraph.py's first line, its module, and gc if nothing else had loaded it. To be called before
    the program runs."""
    module = sys.modules["__main__"]
    own = [module, module.__dict__, module.__loader__]
    known = set(map(id, at_start))
    known.update((id(own), id(known), id(at_start)))
    frame, function = type(sys._getframe()), type(own_objects)
    for obj in gc.get_objects():  # a comprehension would leave its cells among the objects
        if type(obj) is frame:
            continue  # it would outlive its function and keep the function's locals; see Graph
        if id(obj) not in known:
            own.append(obj)
        elif type(obj) is function and obj.__globals__ is module.__dict__:
            own.append(obj)  # as which 3.11+ runs a file's code
        elif type(obj) is list and is_arena(obj):
            own.append(obj)
    if gc_is_ours:
        spec = gc.__spec__
        own += [gc, gc.__dict__, spec, spec.__dict__]
        own += [obj for obj in gc.__dict__.values() if type(obj) is type(gc.collect)]
        own += [obj for obj in spec.__dict__.values() if type(obj) is list]
    return own


def without_shared(own):
    """`own` less what the program's own gc module has of it: up to 3.9 they share the functions."""
    theirs = set(map(id, vars(sys.modules["gc"]).values())) if "gc" in sys.modules else ()
    return [obj for obj in own if id(obj) not in theirs]


def is_arena(names):
    """Is it the list in which the compiler keeps heapgraph.py's names and constants while it runs?"""
    for name in names:
        if name is own_objects.__name__:
            return True
    return False


def referents_of_code(code):
    """What a code object of the capture holds; code is no container, the collector cannot say."""
    held = [code.co_filename, code.co_name, code.co_names, code.co_consts]
    for names in (code.co_names, code.co_consts, code.co_varnames, code.co_freevars,
                  code.co_cellvars):
        held += names
    for constant in code.co_consts:
        if type(constant) is type(code):
            held += referents_of_code(constant)
    return held


def referents(obj):
    """The references that obj owns, in order: FORMAT.md, references."""
    visited = gc.get_referents(obj)
    if not issubclass(type(obj), dict):
        if type(obj) in BACKWARDS:
            visited.reverse()
        return visited
    pairs = [item for pair in dict.items(obj) for item in pair]
    if type(obj) is dict:
        return [] if DICTS_MAY_BORROW and not visited else pairs
    # A subclass: its pairs first, then what it holds beside them.
    expected = {}
    for item in pairs:
        expected[id(item)] = expected.get(id(item), 0) + 1
    for item in visited:
        left = expected.get(id(item), 0)
        if left:
            expected[id(item)] = left - 1
        else:
            pairs.append(item)
    return pairs


def tracked_but(own):
    """-> the tracked objects but those of `own`, to which the frames that run are added; and the
    addresses of all that was left out."""
    frame = sys._getframe(1)
    while frame is not None:
        own.append(frame)
        frame = frame.f_back
    hidden = set(map(id, own))
    hidden.update((id(own), id(hidden), id(sys._getframe())))
    everything = gc.get_objects()
    objects = []
    for obj in everything:  # a comprehension would make a cell, which would be among them
        if id(obj) not in hidden:
            objects.append(obj)
    return objects, hidden


class Graph:
    """The heap as it is now. `own`: the capture's objects, to be left out; it is empty afterwards.

    objects: the `tracked` tracked ones first, then what is reachable from them
    refs: positions in objects; those of object i are refs[starts[i]:starts[i + 1]]
    external, immortal, deferred: by position; assumed: how many of external are
    """

    def __init__(self, own):
        own.append(self)
        self.objects, hidden = tracked_but(own)
        self.tracked = len(self.objects)
        index = dict.fromkeys(hidden, -1)
        self.trace(index)
        self.count(own, index)
        self.assume()
        own.clear()  # its frames have it as a local: a cycle, left to the next collection

    def trace(self, index):
        """Finds what the tracked objects reach. index: address -> position, -1: hidden."""
        objects, find = self.objects, index.get
        for position, obj in enumerate(objects):
            index[id(obj)] = position
        starts, refs = [], []
        for obj in objects:  # grows meanwhile
            starts.append(len(refs))
            for item in referents(obj):
                position = find(id(item))
                if position is None:
                    position = index[id(item)] = len(objects)
                    objects.append(item)
                refs.append(position)
        starts.append(len(refs))
        self.starts, self.refs = starts, refs
        if -1 in refs:
            self.drop_hidden()

    def drop_hidden(self):
        """Takes out references to objects of the capture, of an exact dict with their partner."""
        starts, refs = [], []
        for position, obj in enumerate(self.objects):
            starts.append(len(refs))
            held = self.refs[self.starts[position]:self.starts[position + 1]]
            if -1 not in held:
                refs += held
            elif type(obj) is dict:
                for key, value in zip(held[::2], held[1::2]):
                    if key >= 0 and value >= 0:
                        refs += (key, value)
            else:
                refs += [item for item in held if item >= 0]
        starts.append(len(refs))
        self.starts, self.refs = starts, refs

    def count(self, own, index):
        """External counts: the reference counts less what the graph, the capture and this hold."""
        # An object that only a list holds, counted the same way, says what counting adds.
        added = list(map(sys.getrefcount, [object()]))[0]
        counts = list(map(sys.getrefcount, self.objects))
        largest = list(counts)
        for position in self.refs:
            counts[position] -= 1
        for obj in own:
            held = referents(obj)
            if hasattr(obj, "__code__"):
                held += referents_of_code(obj.__code__)
            for item in held:
                position = index.get(id(item), -1)
                if position >= 0:
                    counts[position] -= 1
        self.immortal, self.deferred = bytearray(len(counts)), bytearray(len(counts))
        for position, count in enumerate(counts):
            if largest[position] >= DEFERRED_OFFSET:
                self.deferred[position] = 1
                count -= DEFERRED_OFFSET
            elif largest[position] >= IMMORTAL_COUNT:
                self.immortal[position] = 1
                count = 0
            counts[position] = min(max(count - added, 0), MOST_EXTERNAL)
        self.external = counts

    def assume(self):
        """All this survived a collection: what external counts do not explain is given one."""
        self.assumed = 0
        seen = bytearray(len(self.objects))
        roots = [position for position, count in enumerate(self.external)
                 if count or self.immortal[position] or self.deferred[position]]
        self.reach(roots, seen)
        position = seen.find(0)
        while position >= 0:
            self.external[position] = 1
            self.assumed += 1
            self.reach([position], seen)
            position = seen.find(0, position)

    def reach(self, stack, seen):
        starts, refs = self.starts, self.refs
        for position in stack:
            seen[position] = 1
        while stack:
            position = stack.pop()
            for item in refs[starts[position]:starts[position + 1]]:
                if not seen[item]:
                    seen[item] = 1
                    stack.append(item)


class Collections:
    """Timed collections. wall_ns, cpu_ns (of this thread) and collected have an entry for each."""

    __slots__ = ("wall_ns", "cpu_ns", "collected")

    def __init__(self, count):
        self.wall_ns, self.cpu_ns, self.collected = [], [], []
        for _ in range(count):
            start, cpu_start = time.perf_counter_ns(), time.thread_time_ns()
            collected = gc.collect()
            cpu_end, end = time.thread_time_ns(), time.perf_counter_ns()
            self.wall_ns.append(end - start)
            self.cpu_ns.append(cpu_end - cpu_start)
            self.collected.append(collected)


class Taker:
    """Collects the heap that the program left, and takes its graph; automatic collection is off
    from the first collection on. `own`: own_objects(), of before the program ran."""

    __slots__ = ("own", "enabled", "first_ns", "first_cpu_ns", "first_collected")

    def __init__(self, own):
        self.own = without_shared(own)
        self.enabled = gc.isenabled()
        gc.disable()
        first = Collections(1)
        self.first_ns, self.first_cpu_ns = first.wall_ns[0], first.cpu_ns[0]
        self.first_collected = first.collected[0]

    @staticmethod
    def collect(count):
        """`count` timed collections; -> Collections."""
        return Collections(count)

    def tracked(self):
        """How many tracked objects the program's heap has now."""
        return len(tracked_but(self.own + [self, self.own])[0])

    def take(self, collections):
        """`collections` timed collections, then the graph; -> it and its part of the metadata."""
        interval = sys.getswitchinterval()
        sys.setswitchinterval(3600.0)  # with a GIL no other thread changes the heap meanwhile
        try:
            samples = Collections(collections)
            graph = Graph(self.own + [self, self.own, samples, samples.wall_ns, samples.cpu_ns,
                                      samples.collected])
        finally:
            sys.setswitchinterval(interval)
        ordered = sorted(samples.wall_ns)
        median = (ordered[(collections - 1) // 2] + ordered[collections // 2]) // 2
        return graph, {
            "collect": {"first_ns": self.first_ns, "first_collected": self.first_collected,
                        "samples_ns": samples.wall_ns, "samples_cpu_ns": samples.cpu_ns,
                        "median_ns": median},
            "gc": {"threshold": list(gc.get_threshold()), "enabled": self.enabled,
                   "frozen": gc.get_freeze_count()},
            "tracked_objects": graph.tracked, "assumed_external": graph.assumed,
        }
