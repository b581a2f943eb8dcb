#!/usr/bin/env python3
"""Runs a Python program and writes the graph of the objects that it left, or describes such a file.

    python3 heapgraph.py -o OUT.heap [--collections K] program.py [args...]
    python3 heapgraph.py -o OUT.heap [--collections K] -m module [args...]
    python3 heapgraph.py --describe FILE.heap [--json]

The program runs as __main__. When it ends (SystemExit included) its heap is collected once and then
K times (default 5), timed, and written with those times. Any CPython 3.8+, standard library only.
FORMAT.md, beside this file, specifies what is written, what of it is exact and what approximated.

Exit status: 0 the file is written; 1 the program failed (no file is written) or the file to
describe is refused; 2 wrong arguments.
"""

# Everything that this file creates belongs to the capture and is left out of the graph. So that
# little has to be left out, nothing is imported before the graph is taken but what is loaded at an
# interpreter's start, and gc, which is hidden from the program; heap_file.py is loaded afterwards.
import os
import sys
import time

_GC_WAS_LOADED = "gc" in sys.modules
import gc  # noqa: E402

_AT_START = gc.get_objects() if __name__ == "__main__" else None
_HERE = os.path.dirname(os.path.abspath(__file__))

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


class UsageError(Exception):
    """Wrong arguments: what was found, what is allowed."""


# ---- taking the graph ------------------------------------------------------------------------

def own_objects():
    """The capture's tracked objects: what came into being since this file's first line, its module,
    and gc if nothing else had loaded it. To be called before the program runs."""
    module = sys.modules["__main__"]
    own = [module, module.__dict__, module.__loader__]
    known = set(map(id, _AT_START))
    known.update((id(own), id(known), id(_AT_START)))
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
    if not _GC_WAS_LOADED:
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
    """Is it the list in which the compiler keeps this file's names and constants while it runs?"""
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


class Graph:
    """The heap as it is now. `own`: the capture's objects, to be left out.

    objects: the `tracked` tracked ones first, then what is reachable from them
    refs: positions in objects; those of object i are refs[starts[i]:starts[i + 1]]
    external, immortal, deferred: by position; assumed: how many of external are
    """

    def __init__(self, own):
        frame = sys._getframe()
        while frame is not None:
            own.append(frame)
            frame = frame.f_back
        hidden = set(map(id, own))
        hidden.update((id(own), id(hidden), id(self)))
        everything = gc.get_objects()
        self.objects = []
        for obj in everything:  # a comprehension would make a cell, which would be among them
            if id(obj) not in hidden:
                self.objects.append(obj)
        del everything, obj
        self.tracked = len(self.objects)
        index = dict.fromkeys(hidden, -1)
        self.trace(index)
        self.count(own, index)
        self.assume()

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


def collect_and_take(own, collections):
    """1 + K timed collections, then the graph; -> the graph and its part of the metadata."""
    samples = []
    own.append(samples)
    threshold, enabled = gc.get_threshold(), gc.isenabled()
    gc.disable()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(3600.0)  # with a GIL no other thread changes the heap meanwhile
    try:
        first_collected = 0
        for number in range(collections + 1):
            start = time.perf_counter_ns()
            collected = gc.collect()
            samples.append(time.perf_counter_ns() - start)
            if number == 0:
                first_collected = collected
        graph = Graph(own)
    finally:
        sys.setswitchinterval(interval)
    ordered = sorted(samples[1:])
    median = (ordered[(collections - 1) // 2] + ordered[collections // 2]) // 2
    return graph, {
        "collect": {"first_ns": samples[0], "first_collected": first_collected,
                    "samples_ns": samples[1:], "median_ns": median},
        "gc": {"threshold": list(threshold), "enabled": enabled},
        "tracked_objects": graph.tracked, "assumed_external": graph.assumed,
    }


# ---- running the program ---------------------------------------------------------------------

def run_program(module_name, arguments):
    """Runs arguments[0], or the module, as __main__; -> what SystemExit carried, or None."""
    main = type(sys)("__main__")
    main.__dict__.update(__builtins__=__builtins__)
    for name, value in (("__annotations__", {}), ("__cached__", None)):
        if name in globals():  # not every version gives them to __main__
            main.__dict__[name] = value
    argv = list(arguments)
    if module_name is None:
        sys.path[0] = os.path.dirname(os.path.realpath(argv[0]))
        path = os.path.join(os.getcwd(), argv[0]) if sys.version_info >= (3, 9) else argv[0]
        with open(path, "rb") as file:
            code = compile(file.read(), path, "exec", dont_inherit=True)
        main.__dict__.update(__file__=path, __loader__=type(__loader__)("__main__", path))
    else:
        sys.path[0] = os.getcwd()
        spec, code = find_module(module_name)
        argv[0] = spec.origin
        main.__dict__.update(__file__=spec.origin, __loader__=spec.loader, __spec__=spec,
                             __package__=spec.parent)
        if "__cached__" in main.__dict__:
            main.__dict__["__cached__"] = spec.cached
    sys.argv = argv
    sys.modules["__main__"] = main
    if not _GC_WAS_LOADED:
        del sys.modules["gc"]  # a program that wants it loads its own
    try:
        exec(code, main.__dict__)
    except SystemExit as stop:
        return stop.code
    return None


def find_module(name):
    """-> the spec and code of what `python3 -m name` runs."""
    from importlib.util import find_spec
    try:
        spec = find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = find_spec(name + ".__main__")
        code = spec.loader.get_code(spec.name) if spec is not None and spec.loader else None
    except (ImportError, ValueError) as error:
        raise UsageError("-m %s: %s" % (name, error))
    if code is None:
        raise UsageError("-m %s: there is no module of that name with Python code" % name)
    return spec, code


def exit_status(code):
    """What the interpreter makes of SystemExit's code."""
    if code is None or isinstance(code, int):
        return code or 0
    print(code, file=sys.stderr)
    return 1


def heap_file():
    """The module heap_file.py, whatever else is called so in the program."""
    from importlib.util import module_from_spec, spec_from_file_location
    spec = spec_from_file_location("ouroboros_heap_file", os.path.join(_HERE, "heap_file.py"))
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def printable(text):
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def capture(output, collections, module_name, arguments):
    global _AT_START
    program = {"path": None if module_name is not None else printable(arguments[0]),
               "module": module_name and printable(module_name),
               "args": [printable(argument) for argument in arguments[1:]]}
    output, process = os.path.abspath(output), os.getpid()
    try:
        open(output + ".partial", "wb").close()
    except OSError as error:
        raise UsageError("-o %s: cannot be written: %s" % (output, error.strerror))
    written = False
    try:
        own = own_objects()
        _AT_START = None
        status = exit_status(run_program(module_name, arguments))
        if os.getpid() != process:
            os._exit(status & 255)  # a child that the program forked and let run out of its code
        start = time.perf_counter()
        own = without_shared(own)
        graph, metadata = collect_and_take(own, collections)
        program["exit_status"] = status
        form = heap_file()
        form.write_heap(output, graph, dict(form.environment(), program=program, **metadata))
        written = True
    finally:
        if not written and os.getpid() == process:
            os.unlink(output + ".partial")
    print("heapgraph: %s: %d tracked of %d objects, %d references; gc.collect() %.1f ms (first "
          "%.1f ms); collected, taken and written in %.1f s"
          % (output, graph.tracked, len(graph.objects), len(graph.refs),
             metadata["collect"]["median_ns"] / 1e6, metadata["collect"]["first_ns"] / 1e6,
             time.perf_counter() - start), file=sys.stderr)


# ---- the command -----------------------------------------------------------------------------

def describe(path, as_json):
    form = heap_file()
    try:
        heap = form.read_heap(path)
    except OSError as error:
        raise UsageError("--describe %s: cannot be read: %s" % (path, error.strerror))
    except form.HeapFileError as error:
        print("heapgraph: error: %s" % error, file=sys.stderr)
        return 1
    form.describe(heap, as_json)
    return 0


def main(words):
    """The words are parsed by hand: argparse would put its imports into the program's heap."""
    output, collections, module_name = None, 5, None
    while words and words[0].startswith("-") and module_name is None:
        option = words.pop(0)
        if option in ("-h", "--help"):
            print(__doc__.strip())
            return 0
        if option not in ("-o", "--collections", "-m", "--describe"):
            raise UsageError("%s: is no option; there are -o, --collections, -m, --describe and "
                             "--help" % option)
        if not words:
            raise UsageError("%s: needs a value" % option)
        value = words.pop(0)
        if option == "--describe":
            if words not in ([], ["--json"]):
                raise UsageError("%s: --describe FILE is followed by --json or nothing" % words[0])
            return describe(value, bool(words))
        if option == "-m":
            module_name = value
            words.insert(0, value)
        elif option == "-o":
            output = value
        elif not value.isdecimal() or not 1 <= int(value) <= 1000:
            raise UsageError("--collections %s: must be a number from 1 to 1000" % value)
        else:
            collections = int(value)
    if output is None:
        raise UsageError("-o OUT.heap is missing")
    if not words:
        raise UsageError("the program to run is missing: program.py or -m module")
    if module_name is None and not os.path.isfile(words[0]):
        raise UsageError("%s: is not a file; a package or module is run with -m" % words[0])
    capture(output, collections, module_name, words)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UsageError as problem:
        print("heapgraph: error: %s" % problem, file=sys.stderr)
        sys.exit(2)
