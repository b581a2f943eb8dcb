#!/usr/bin/env python3
"""Runs a Python program and writes the graph of the objects that it left, or keeps them alive and
collects them on request, or describes such a file.

    python3 heapgraph.py -o OUT.heap [--collections K] program.py [args...]
    python3 heapgraph.py -o OUT.heap [--collections K] -m module [args...]
    python3 heapgraph.py --serve [--collections K] program.py [args...]
    python3 heapgraph.py --serve [--collections K] -m module [args...]
    python3 heapgraph.py --describe FILE.heap [--json]

The program runs as __main__. When it ends (SystemExit included) its heap is collected once and then
K times (default 5), timed, and written with those times. With --serve it is collected once, and then
requests are read from standard input and answered on standard output, a line each (SERVE.md). Any
CPython 3.8+, standard library only. FORMAT.md specifies what is written, what of it is exact and
what approximated.

Exit status: 0 the file is written, or the last request is answered; 1 the program failed (no file is
written) or the file to describe is refused; 2 wrong arguments.
"""

# Everything that this file, take.py and serve.py create belongs to the capture and is left out of the
# graph. So that little has to be left out, nothing is imported before the graph is taken but what is
# loaded at an interpreter's start, and gc, which is hidden from the program; heap_file.py is loaded
# afterwards.
import os
import sys
import time

_GC_WAS_LOADED = "gc" in sys.modules
import gc  # noqa: E402

compile("0", "", "eval")  # makes the node types of _ast: the interpreter's, not the capture's
_AT_START = gc.get_objects() if __name__ == "__main__" else None
_HERE = os.path.dirname(os.path.abspath(__file__))


class UsageError(Exception):
    """Wrong arguments: what was found, what is allowed."""


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


def load(name):
    """The module of that name beside this file, whatever else is called so in the program; as if
    it were part of this file: nothing is imported for it, and sys.modules does not have it."""
    path = os.path.join(_HERE, name + ".py")
    module = type(sys)("ouroboros_" + name)
    module.__file__ = path
    with open(path, "rb") as file:
        exec(compile(file.read(), path, "exec", dont_inherit=True), module.__dict__)
    return module


def printable(text):
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def program_of(module_name, arguments):
    """What FORMAT.md calls program, but for the exit status."""
    return {"path": None if module_name is not None else printable(arguments[0]),
            "module": module_name and printable(module_name),
            "args": [printable(argument) for argument in arguments[1:]]}


def write(output, graph, metadata, program):
    form = load("heap_file")
    form.write_heap(output, graph, dict(form.environment(), program=program, **metadata))


def run_to_end(module_name, arguments):
    """-> the exit status of the program. A child that the program forked, and that runs out of its
    code too, ends here."""
    process = os.getpid()
    status = exit_status(run_program(module_name, arguments))
    if os.getpid() != process:
        os._exit(status & 255)
    return status


def own_objects(taking):
    """What of this process is the capture's; the last thing to be asked before the program runs."""
    global _AT_START
    own = taking.own_objects(_AT_START, not _GC_WAS_LOADED)
    _AT_START = None
    return own


def capture(output, collections, module_name, arguments):
    program, process = program_of(module_name, arguments), os.getpid()
    output = os.path.abspath(output)
    try:
        open(output + ".partial", "wb").close()
    except OSError as error:
        raise UsageError("-o %s: cannot be written: %s" % (output, error.strerror))
    written = False
    try:
        taking = load("take")
        own = own_objects(taking)
        program["exit_status"] = run_to_end(module_name, arguments)
        start = time.perf_counter()
        taker = taking.Taker(own)
        del own
        graph, metadata = taker.take(collections)
        write(output, graph, metadata, program)
        written = True
    finally:
        if not written and os.getpid() == process:
            os.unlink(output + ".partial")
    print("heapgraph: %s: %d tracked of %d objects, %d references; gc.collect() %.1f ms (first "
          "%.1f ms); collected, taken and written in %.1f s"
          % (output, graph.tracked, len(graph.objects), len(graph.refs),
             metadata["collect"]["median_ns"] / 1e6, metadata["collect"]["first_ns"] / 1e6,
             time.perf_counter() - start), file=sys.stderr)


def serve(collections, module_name, arguments):
    taking, process = load("take"), os.getpid()
    server = load("serve").Server(program_of(module_name, arguments), collections, write)
    own = own_objects(taking)
    try:
        start = time.perf_counter_ns()
        server.program["exit_status"] = run_to_end(module_name, arguments)
        server.program_ns = time.perf_counter_ns() - start
    except BaseException as error:
        if os.getpid() == process:
            server.program_failed(error)
        raise
    server.taker = taking.Taker(own)
    del own
    server.run()


# ---- the command -----------------------------------------------------------------------------

def describe(path, as_json):
    form = load("heap_file")
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
    output, collections, module_name, serving = None, 5, None, False
    while words and words[0].startswith("-") and module_name is None:
        option = words.pop(0)
        if option in ("-h", "--help"):
            print(__doc__.strip())
            return 0
        if option == "--serve":
            serving = True
            continue
        if option not in ("-o", "--collections", "-m", "--describe"):
            raise UsageError("%s: is no option; there are -o, --serve, --collections, -m, "
                             "--describe and --help" % option)
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
    if serving and output is not None:
        raise UsageError("-o %s: a server writes where it is asked to; -o or --serve" % output)
    if output is None and not serving:
        raise UsageError("-o OUT.heap or --serve is missing")
    if not words:
        raise UsageError("the program to run is missing: program.py or -m module")
    if module_name is None and not os.path.isfile(words[0]):
        raise UsageError("%s: is not a file; a package or module is run with -m" % words[0])
    if serving:
        serve(collections, module_name, words)
    else:
        capture(output, collections, module_name, words)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UsageError as problem:
        print("heapgraph: error: %s" % problem, file=sys.stderr)
        sys.exit(2)
