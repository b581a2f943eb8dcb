"""Forks, threads, signals, subinterpreters, tracing and the end of the interpreter, at every stage of a cycle."""
# not with a sanitizer: runs nothing of the build

from bridge_support import BridgeTest, interpreters, run, scaled
from test_a_program_may_do_anything_between_slices import GARBAGE

STAGES = ["idle", "trace", "test_untraced", "count", "settle", "mark", "test", "number", "read", "order", "release", "clean"]

FORK = GARBAGE + '''
if sys.argv[1] == "told":
    os.register_at_fork(after_in_child=_bridge.after_fork)
for stage in STAGES:
    enable()
    watch = garbage()
    until(stage)
    child = os.fork()
    check(clean(), f"{stage}: {child != 0 and 'parent' or 'child'}")
    check(watch() is None and nodes() == 50)
    if child == 0:
        os._exit(0)
    check(os.waitpid(child, 0)[1] == 0, f"{stage}: the child has failed")
'''

# A child makes cycles of its own, and what it tells of are these.
WORKER = '''
from driving import *

os.register_at_fork(after_in_child=_bridge.after_fork)
gc.set_threshold(700, 2, 2)
_bridge.enable(500_000)
live = [ring(4) for _ in range(20_000)]

def work(count):
    for i in range(count):
        live[i * 7919 % len(live)] = ring(4)

def rings_of_cycles(least):
    made, end = 0, _bridge.stats()["cycles"] + least
    while _bridge.stats()["cycles"] < end:
        work(100)
        made += 100
    return made / least

usual = rings_of_cycles(5)
before = _bridge.stats()["slices"]
while _bridge.stage() == "idle" or _bridge.stats()["slices"] < before + 10:
    work(10)
child = os.fork()
if child == 0:
    stats = _bridge.stats()
    anew = _bridge.stage() == "idle" and stats["cycles"] == stats["slices"] == 0
    own = rings_of_cycles(2)
    if own > 20 * usual or not anew:
        print(own, usual, stats, file=sys.stderr)
    os._exit(own > 20 * usual or not anew)
check(os.waitpid(child, 0)[1] == 0)
'''

POOL = GARBAGE + '''
import multiprocessing

def work(size):
    made = [ring(3) for _ in range(size)]
    found = _bridge.is_enabled()
    return found and sum(type(op) is Node for op in made)

os.register_at_fork(after_in_child=_bridge.after_fork)
enable()
watch = garbage()
until("mark")
with multiprocessing.get_context("fork").Pool(2) as pool:
    check(pool.map(work, [1000] * 8) == [1000] * 8)
check(clean())
'''

THREADS = GARBAGE + '''
from ouroboros import _bridge
_bridge.enable(100_000)
stop = threading.Event()
counts = [0] * 8
dead = []

class Counted(Node):
    def __del__(self):
        dead.append(1)

def work(own):
    kept = []
    random = own * 7 + 1
    for i in range(int(sys.argv[1])):
        node, other = Counted(), Counted()
        node.other, other.other = other, node
        counts[own] += 2
        kept.append(node)
        random = random * 1103515245 + 12345 & 0x7fffffff
        if len(kept) > 300:
            kept[random % 300].kept = kept.pop()
        if random % 97 == 0:
            del kept[:50]
        if random % 501 == 0:
            _bridge.step(True)
        if random % 5003 == 0:
            gc.collect(random % 3)

sys.setswitchinterval(1e-4)
threads = [threading.Thread(target=work, args=(own,)) for own in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
del threads, thread
enable()
check(clean())
check(sum(counts) == len(dead), (sum(counts), len(dead)))
'''

EXIT = GARBAGE + '''
class Finalized(Node):
    def __del__(self):
        _bridge.step(True)
        gc.collect()

enable()
watch = garbage([Finalized(), ring(3)])
more = ring(100)
more.finalized = Finalized()
until(sys.argv[1])
gc.enable()
if sys.argv[2] == "raise":
    raise SystemExit(0)
'''

OTHERS = GARBAGE + '''
import signal
import tracemalloc

handled = []
def handler(*_):
    handled.append([Node() for _ in range(100)])
    handled.clear()
    gc.collect(0)
    _bridge.step(True)
    signal.setitimer(signal.ITIMER_REAL, 0.0005)  # the next one when this has ended, however slow the machine

def trace(frame, event, arg):
    return trace

def deep(depth):
    if depth:
        node = Node()
        node.itself = node
        return deep(depth - 1)
    return cycle()

signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.0005)
tracemalloc.start()
for turn in range(3):
    enable()
    watch = garbage()
    sys.settrace(trace if turn == 1 else None)
    sys.setprofile(trace if turn == 2 else None)
    for stage in STAGES:
        until(stage)
    deep(200)
    sys.settrace(None)
    sys.setprofile(None)
    check(clean())
    check(watch() is None)
signal.setitimer(signal.ITIMER_REAL, 0)
signal.signal(signal.SIGALRM, signal.SIG_IGN)
tracemalloc.stop()
'''

SUBINTERPRETERS = GARBAGE + '''
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
text = """
import gc
try:
    from ouroboros import _bridge
except ImportError:
    pass
else:
    assert _bridge.supported() is not None
    assert not _bridge.step(True)
    for call in (lambda: _bridge.enable(1000), _bridge.disable):
        try:
            call()
        except RuntimeError:
            pass
        else:
            raise AssertionError
made = [[] for _ in range(5000)]
for op in made:
    op.append(op)
del made, op
gc.collect()
"""
for stage in STAGES:
    enable()
    watch = garbage()
    until(stage)
    other = interpreters.create()
    interpreters.run_string(other, text)
    try:
        _bridge.disable()
        _bridge.enable(1000)
        check(False, "enabled beside a subinterpreter")
    except RuntimeError:
        pass
    interpreters.destroy(other)
    enable()
    check(clean())
    check(watch() is None)
'''

# One with a thread of its own that runs while cycles begin: its frames and what they reach are none of the main interpreter's.
OTHER_FRAMES = GARBAGE + '''
import threading
enable(1_000_000)
try:
    import _xxsubinterpreters as interpreters
    other = interpreters.create(isolated=False)
except ImportError:
    import _interpreters as interpreters
    other = interpreters.create("legacy")
begin, end = os.pipe(), os.pipe()
text = f"""
import gc, os, threading
def wait(held):
    os.write({begin[1]}, b"x")
    os.read({end[0]}, 1)
held = [[each] for each in range(20_000)]
thread = threading.Thread(target=wait, args=(held,))
before = len(gc.get_objects())
thread.start()
thread.join()
assert len(gc.get_objects()) > before - 100, (len(gc.get_objects()), before)
"""
failed = []

def work():
    try:
        interpreters.run_string(other, text)
    except BaseException as failure:
        failed.append(failure)
        os.write(begin[1], b"x")

thread = threading.Thread(target=work)
thread.start()
os.read(begin[0], 1)
for _ in range(3 * (not failed)):
    cycle()
os.write(end[1], b"x")
thread.join()
failed += [] if clean() else ["something was not found"]
print(*failed, file=sys.stderr)
os._exit(len(failed))  # CPython's own end waits for ever, for threads that another one had
'''


class Test(BridgeTest):
    def test_forks(self):
        for told in ("told", "untold"):
            self.each(FORK, told)

    def test_a_child_collects_as_its_parent_did(self):
        self.each(WORKER)

    def test_a_pool_of_processes(self):
        self.each(POOL)

    def test_threads(self):
        self.each(THREADS, scaled(10_000))

    def test_exits(self):
        for python in interpreters():
            for i, stage in enumerate(STAGES):
                with self.subTest(python=python.version, stage=stage):
                    run(python, EXIT, stage, "raise" if i % 2 else "end")

    def test_signals_and_tracing(self):
        self.each(OTHERS)

    def test_subinterpreters(self):
        self.each(SUBINTERPRETERS)
        self.each(OTHER_FRAMES)
