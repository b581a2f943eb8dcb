"""Answers requests about the heap that a program left: SERVE.md. Loaded by heapgraph.py before the
program runs, so that all of it belongs to the capture and to no heap; it forms its JSON itself, and
whatever needs more of the library than that is done by a forked child. Standard library only,
CPython 3.8+."""

import gc
import os
import sys
import time

LONGEST_REQUEST = 1 << 16
REQUESTS = "collect [N], capture PATH, drop, describe, quit"


class RequestError(Exception):
    """A request that cannot be answered: what was found, what is allowed."""


# ---- JSON ------------------------------------------------------------------------------------

def as_json(value):
    """Of None, bool, int, str, and lists and dicts (with str as keys) of such."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return "%d" % value
    if isinstance(value, str):
        return '"' + "".join(map(escaped, value)) + '"'
    if isinstance(value, dict):
        return "{" + ", ".join([as_json(key) + ": " + as_json(item)
                                for key, item in value.items()]) + "}"
    return "[" + ", ".join([as_json(item) for item in value]) + "]"


def escaped(character):
    if " " <= character <= "~" and character not in '"\\':
        return character
    code = ord(character)
    if code < 0x10000:
        return "\\u%04x" % code
    return "\\u%04x\\u%04x" % (0xD7C0 + (code >> 10), 0xDC00 + (code & 0x3FF))


# ---- the two ends of the conversation --------------------------------------------------------

class Channel:
    """Standard input and output, kept from the program: it reads nothing on standard input, and
    what it prints goes to standard error."""

    __slots__ = ("requests", "answers", "unread", "ended")

    def __init__(self):
        self.requests, self.answers = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        self.unread, self.ended = b"", False

    def next_request(self):
        """The next line, None when there is no more. RequestError if it is too long."""
        skipping = False
        while True:
            line, newline, rest = self.unread.partition(b"\n")
            if newline or self.ended:
                self.unread = rest
                if skipping or len(line) > LONGEST_REQUEST:
                    raise RequestError("found a line of more than %d bytes" % LONGEST_REQUEST)
                if not newline and not line:
                    return None
                return line.decode("utf-8", "surrogateescape").strip()
            if len(line) > LONGEST_REQUEST:
                skipping, self.unread = True, b""
            more = os.read(self.requests, LONGEST_REQUEST)
            self.unread, self.ended = self.unread + more, not more

    def answer(self, **fields):
        data = (as_json(fields) + "\n").encode("ascii")
        while data:
            data = data[os.write(self.answers, data):]


def resident_bytes():
    """Resident memory now and at its peak; None where the system does not say."""
    try:
        status = os.open("/proc/self/status", os.O_RDONLY)
    except OSError:
        return {"rss_bytes": None, "rss_peak_bytes": None}
    text = os.read(status, 1 << 14).decode("ascii", "replace")
    os.close(status)
    found = {"rss_bytes": None, "rss_peak_bytes": None}
    for line in text.splitlines():
        for key, name in (("rss_bytes", "VmRSS:"), ("rss_peak_bytes", "VmHWM:")):
            if line.startswith(name):
                found[key] = 1024 * int(line.split()[1])
    return found


# ---- the server ------------------------------------------------------------------------------

class Server:
    """program: FORMAT.md's; when it has ended its exit status, program_ns and `taker`, the Taker of
    the heap that it left, are set, and the server can run. write(path, graph, metadata, program)
    writes a file."""

    __slots__ = ("channel", "directory", "program", "collections", "modules", "program_ns", "taker",
                 "write", "dropped")

    def __init__(self, program, collections, write):
        self.channel = Channel()
        self.directory = os.getcwd()
        self.program, self.collections, self.write = program, collections, write
        self.modules = frozenset(sys.modules)
        self.program_ns, self.taker, self.dropped = None, None, False

    def program_failed(self, error):
        self.channel.answer(answer="error", request=None,
                            error="the program failed: " + text_of(error))

    def run(self):
        """Answers until there is nothing more to answer."""
        taker = self.taker
        flush()
        self.channel.answer(
            answer="ready", protocol=1, pid=os.getpid(), python=sys.version.split()[0],
            implementation=sys.implementation.name, program=self.program,
            program_ns=self.program_ns, first_ns=taker.first_ns, first_cpu_ns=taker.first_cpu_ns,
            first_collected=taker.first_collected, tracked_objects=taker.tracked(),
            own_objects=len(taker.own))
        request = None
        while request != "quit":
            request = None
            try:
                request = self.channel.next_request()
                if request is None:
                    return
                self.handle(request)
            except BrokenPipeError:
                return  # nobody reads the answers
            except Exception as error:  # the heap is still there, and so is the next request
                self.channel.answer(answer="error", request=request, error=text_of(error))

    def handle(self, request):
        name, _, value = request.partition(" ")
        value = value.strip()
        if name not in ("collect", "capture", "drop", "describe", "quit"):
            raise RequestError("found %r; requests: %s" % (request, REQUESTS))
        if value and name in ("drop", "describe", "quit"):
            raise RequestError("found %r; %s takes nothing" % (request, name))
        fields = getattr(self, name)(value)
        flush()
        self.channel.answer(answer=name, **fields)

    def collect(self, value):
        value = value or "1"
        if not (value.isascii() and value.isdecimal() and 1 <= int(value[:9]) <= 100000):
            raise RequestError("found 'collect %s'; collect takes a number from 1 to 100000" % value)
        done = self.taker.collect(int(value))
        return {"wall_ns": done.wall_ns, "cpu_ns": done.cpu_ns, "collected": done.collected}

    def capture(self, value):
        if not value:
            raise RequestError("found 'capture'; capture takes the path of the file to be written")
        start = time.perf_counter_ns()
        path = os.path.join(self.directory, value)
        try:
            open(path + ".partial", "wb").close()
        except OSError as error:
            raise RequestError("%s: cannot be written: %s" % (path, error.strerror)) from None
        try:
            graph, metadata = self.taker.take(self.collections)
            self.write_in_a_child(path, graph, metadata)
        except BaseException:
            try:
                os.unlink(path + ".partial")
            except FileNotFoundError:
                pass
            raise
        gc.collect()  # untimed: after a fork each page's first write is a fault
        return {"path": path, "objects": len(graph.objects), "tracked_objects": graph.tracked,
                "references": len(graph.refs), "file_bytes": os.stat(path).st_size,
                "samples_ns": metadata["collect"]["samples_ns"],
                "capture_ns": time.perf_counter_ns() - start}

    def write_in_a_child(self, path, graph, metadata):
        """In a child, because writing imports modules, which would stay in the heap."""
        from_child, to_parent = os.pipe()
        child = os.fork()
        if child == 0:
            status, said = 1, b""
            try:
                self.write(path, graph, metadata, self.program)
                status = 0
            except BaseException as error:
                said = text_of(error).encode("utf-8", "backslashreplace")
            finally:
                os.write(to_parent, said[:4096])
                os._exit(status)
        os.close(to_parent)
        said = b""
        more = True
        while more:
            more = os.read(from_child, 4096)
            said += more
        os.close(from_child)
        try:
            _, status = os.waitpid(child, 0)
        except ChildProcessError:  # the program has children reaped by the system
            status = 0
        if status or said or os.path.exists(path + ".partial"):
            raise RequestError("%s: was not written: %s" % (
                path, said.decode("utf-8", "replace") or "its writer ended with %d" % status))

    def drop(self, _):
        if self.dropped:
            raise RequestError("found a second 'drop'; the program's roots are gone")
        self.dropped = True
        before = self.taker.tracked()
        start, cpu_start = time.perf_counter_ns(), time.thread_time_ns()
        main = sys.modules.pop("__main__", None)
        if main is not None:
            vars(main).clear()
        main = None
        for name in [name for name in sys.modules if name not in self.modules]:
            del sys.modules[name]
        cpu_end, end = time.thread_time_ns(), time.perf_counter_ns()
        between = self.taker.tracked()
        done = self.taker.collect(1)
        fields = {"tracked_objects_before": before, "tracked_objects_between": between,
                  "drop_ns": end - start, "drop_cpu_ns": cpu_end - cpu_start,
                  "collect_ns": done.wall_ns[0], "collect_cpu_ns": done.cpu_ns[0],
                  "collected": done.collected[0]}
        done = None
        fields["tracked_objects"] = self.taker.tracked()
        return fields

    def describe(self, _):
        fields = {"program": self.program, "tracked_objects": self.taker.tracked(),
                  "gc": {"threshold": list(gc.get_threshold()), "enabled": self.taker.enabled,
                         "frozen": gc.get_freeze_count()}, "dropped": self.dropped}
        fields.update(resident_bytes())
        return fields

    def quit(self, _):
        return {}


def text_of(error):
    try:
        if isinstance(error, (RequestError, OSError)):
            return str(error)
        return "%s: %s" % (type(error).__name__, error)
    except Exception:  # its __str__ may do anything
        return type(error).__name__


def flush():
    """What the program printed, before the answer to what came after it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # the program may have put anything there, or closed it
            pass
