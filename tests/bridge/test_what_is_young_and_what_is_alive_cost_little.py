"""What dies young is found young, in collections of bounded size; what modules and frames reach is traced once and not
counted, wherever it hangs."""
# not with a sanitizer: runs nothing of the build

from bridge_support import BridgeTest

YOUNG = '''
from driving import *

_bridge.enable(500_000)
for _ in range(200_000):
    ring()
stats = _bridge.stats()
check(gc.get_stats()[0]["collected"] > 400_000, gc.get_stats())
check(stats["found"] < 20_000, stats)
check(len(gc.get_objects()) < 50_000)
'''

# The heap stays as it is, and what dies dies by counting: CPython counts no allocation, and nothing is collected for long.
STEADY = '''
from driving import *

_bridge.enable(500_000)
live = [[i] for i in range(60_000)]
longest = 0
for i in range(1_500_000):
    live[i * 7919 % 60_000] = [i]
    if i % 50 == 0:
        ring()
    if i % 10_000 == 0:
        longest = max(longest, len(gc.get_objects(generation=1)))
check(longest < 80_000, longest)  # all that lives, and a full nursery
check(_bridge.stats()["pauses"]["young"]["longest_ns"] < 500_000_000)
'''

# Old objects die while young ones are made: CPython counts the difference, and three times as many are young.
PARTS = '''
from driving import *

old = [[i] for i in range(100_000)]
_bridge.enable(SHORT)  # 700 at once, the least
longest = 0
def note(phase, info):
    global longest
    if phase == "start" and info["generation"] == 0:
        longest = max(longest, len(gc.get_objects(generation=0)))
gc.callbacks.append(note)
kept = []
for i in range(30_000):
    del old[-2:]
    kept += [[i], [i], [i]]
    if i % 100 == 0:
        ring()
gc.callbacks.remove(note)
check(700 <= longest < 1_200, longest)
check(_bridge.stats()["skipped"] < 10_000, _bridge.stats())
check(sum(isinstance(op, Node) for op in gc.get_objects()) < 100)
enable()
cycle()
check(len(kept) == 90_000 and all(item[0] == i // 3 for i, item in enumerate(kept)))
check(clean())
'''

EXPLICIT = '''
from driving import *

# What the program asks for collects the nursery, too.
_bridge.enable(500_000)
gc.set_threshold(100, 10, 10)
import weakref
dead = ring()
seen = weakref.ref(dead)
del dead
for _ in range(150):
    live = [[] for _ in range(2)]
check(gc.get_count()[0] >= 0)
gc.collect(0)
check(seen() is None)
dead = ring()
seen = weakref.ref(dead)
del dead
kept = [[] for _ in range(250)]  # more than one automatic collection: it is in the nursery
gc.collect(0)
check(seen() is None)
'''

# Of the middle, whose survivors become old; of young ones again and again, which is not of all survivors each time; and
# while automatic collection is off of however many there are.
REQUESTED = '''
from driving import *

gc.set_threshold(100, 2, 2)
_bridge.enable(500_000)
gc.collect(1)
before = _bridge.stats()["old_objects"]
live = []
for _ in range(100):
    live.append([[] for _ in range(60)])
    gc.collect(1)
check(_bridge.stats()["old_objects"] >= before + 6_000, (_bridge.stats(), before))
for _ in range(400):
    live.append([[] for _ in range(60)])
    gc.collect(0)
check(len(gc.get_objects(generation=1)) < 10_200, len(gc.get_objects(generation=1)))
check(_bridge.stats()["old_objects"] >= before + 20_000, (_bridge.stats(), before))
gc.disable()
dead = [ring() for _ in range(5_000)]
del dead
check(gc.collect(0) >= 15_000)
'''

TRACED = '''
from driving import *

import threading
enable(1_000_000)
COUNT = 20_000

def chain():
    head = None
    for _ in range(COUNT):
        head = [head]
    return head

def measured():
    """How much of the chain was traced, by a cycle from beginning to end."""
    make_old()
    before = _bridge.stats()["traced"]
    cycle()
    return _bridge.stats()["traced"] - before

base = measured()
check(base > 1000, base)  # the standard library

def of(what):
    more = measured() - base
    check(more > 0.9 * COUNT, f"{what}: {more}")

module_global = chain()
of("a global variable")
del module_global

def local():
    held = chain()
    of("a local variable")
    return len(held)
local()

def enclosing():
    held = chain()
    def inner():
        of("a variable of an enclosing function")
        return held
    inner()
enclosing()

def generator():
    held = chain()
    yield
    del held
suspended = generator()
next(suspended)
of("a suspended generator")
del suspended

started, stop = threading.Event(), threading.Event()
def work():
    held = chain()
    started.set()
    stop.wait()
    del held
thread = threading.Thread(target=work)
thread.start()
started.wait()
of("another thread")
stop.set()
thread.join()

def deep(depth):
    if depth:
        return deep(depth - 1)
    return measured()
def far():
    held = chain()
    found = deep(600)
    return held and found
check(far() - base < 0.5 * COUNT)   # too far down: counted instead
check(clean())
'''

UNTRACED = '''
from driving import *
import atexit

def found_before_counting():
    """How much is found before references are counted, and by the whole cycle."""
    before = _bridge.stats()["found"]
    check(until("count"))
    early = _bridge.stats()["found"] - before
    finish()
    return early, _bridge.stats()["found"] - before

# Garbage is spared counting.
enable(500_000)
dead = [ring() for _ in range(2_000)]
make_old()
del dead
early, found = found_before_counting()
check(early >= 6_000 and found == early, (early, found))

# What only C code holds is alive and not traced: where most is, all is counted, and garbage is found nevertheless.
class Held(Node):
    pass
held = [ring(3, Held) for _ in range(10_000)]
atexit.register(held.clear)
dead = [ring() for _ in range(2_000)]
make_old()
del held, dead
early, found = found_before_counting()
check(early < 100 and found >= 6_000, (early, found))
check(sum(isinstance(op, Held) for op in gc.get_objects()) == 30_000)
atexit._clear()
early, found = found_before_counting()
check(early >= 30_000, (early, found))
check(clean())
'''

FROZEN = '''
from driving import *

# What is frozen is in no list that tracing may take it out of: with much of it all else is counted.
enable(1_000_000)
alive = [ring() for _ in range(2_000)]
gc.freeze()
frozen = gc.get_freeze_count()
check(frozen > 6_000)
dead = [ring() for _ in range(2_000)]
make_old()
del dead
before = _bridge.stats()
cycle()
after = _bridge.stats()
check(after["traced"] == before["traced"])
check(after["found"] - before["found"] >= 6_000, after)
check(gc.get_freeze_count() == frozen)
gc.unfreeze()
check(clean())
'''

VARIABLES = '''
from driving import *

# Frames are looked at and left as they were: with variables that have no value, cells, arguments of all kinds, and in
# the middle of an exception.
import weakref
enable(SHORT)

def function(first, /, second, *rest, third=None, **named):
    def inner():
        return first, unbound
    if first is None:
        unbound = 1
    held = ring()
    seen = weakref.ref(held)
    try:
        raise KeyError("none")
    except KeyError as error:
        cycle()
        check(error.args == ("none",))
    check(seen() is held)
    del held
    make_old()
    cycle()
    check(seen() is None)
    try:
        inner()
        check(False)
    except NameError:
        pass
    return sorted(locals())

check(function([1], 2, 3, third=4, fourth=5) == sorted(["first", "inner", "named", "rest", "second", "seen", "third"]))
check(sys.exc_info() == (None, None, None))
'''

# A full collection of CPython's moves what it meets before something that refers to it, and later ones find it far from
# what it was made with. So what refers is before what it refers to, in the middle of a cycle, too, and whatever only
# running calls hold.
ORDER = '''
from driving import *

def places(ops):
    place = {id(op): i for i, op in enumerate(gc.get_objects(2))}
    return [place[id(op)] for op in ops]

def in_order(ops):
    found = places(ops)
    return found == sorted(found)

COUNT = 5_000
chain = [Node() for _ in range(COUNT)]
for node, after in zip(chain, chain[1:]):
    node.after = after
first = chain[0]
def nodes():
    node = first
    while node is not None:
        yield node
        node = getattr(node, "after", None)
enable()
make_old()
del chain, node, after
check(in_order(nodes()))
for cycles in range(2):
    _bridge.step(True)
    slices = 0
    while _bridge.stage() == "trace":
        if slices % 50 == 0:
            check(in_order(nodes()), slices)
        slices += 1
        advance()
    check(slices > 100, slices)
    finish()
    check(in_order(nodes()))

def inner(child):
    make_old()
    cycle()
    return child
def outer():
    parent = Node()
    child = Node()
    parent.child = child
    child.parent = parent
    make_old()
    inner(child)
    check(in_order([parent, child]))
outer()
'''


# Only C code holds a list that is being made: it grows while it is marked, so that more is marked than was counted.
GROWING = '''
from driving import *

def rows(count):
    for i in range(count):
        yield [[i] for _ in range(3)]

_bridge.enable(500_000)
for size in (60_000, 100_000):
    ended = []
    for _ in range(15):
        kept = None
        kept = list(rows(size))
        ended.append(_bridge.stats()["cycles"])
    check(ended[-1] > ended[9] > ended[4], ended)
'''

# Slices too short for one of the containers, so that each is interrupted, and others come between.
LARGE_IN_LARGE = '''
from driving import *

enable()
outer = [list(range(300)) for _ in range(scaled(4_000))]
table = {i: {j: [] for j in range(300)} for i in range(scaled(1_000))}
for inner in outer:
    inner[:50] = [[] for _ in range(50)]
make_old()
_bridge.step(True)
slices = 0
while advance() != "idle":
    slices += 1
    check(slices < scaled(40_000), _bridge.stage())
check(_bridge.stats()["traced"] > scaled(4_000) * 51 + scaled(1_000) * 301, _bridge.stats())
'''

# More slices than without it, and whatever is in it stays in it.
DEQUES = '''
from driving import *
from collections import deque

def slices(work=lambda: None):
    make_old()
    _bridge.step(True)
    count = 0
    while advance() != "idle":
        count += 1
        work()
    return count

enable()
size = max(scaled(200_000), 100_000)  # many slices more, whatever else the machine does
before = slices()
numbers = deque(range(size))
check(slices() > before + size // 1_000, (slices(), before))
# A queue, of which some come and go between two slices.
queue = deque([Node()] for _ in range(size // 4))
last = queue[-1][0]
for dropped in range(100):
    queue.popleft()
slices(lambda: queue.append(queue.popleft()))
slices(lambda: queue.clear() if len(queue) > 1 and queue[0][0] is last else queue.rotate(-1_000))
for each in (queue, numbers):
    each.clear()
slices(lambda: queue.extend(range(3)))
first = ring(3)
first.queue = deque([first] * 1_000)
del first, queue
check(clean())
'''


class Test(BridgeTest):
    def test_garbage_dies_young(self):
        self.each(YOUNG)

    def test_a_heap_that_stays_as_it_is(self):
        self.each(STEADY)

    def test_a_long_nursery_is_collected_in_parts(self):
        self.each(PARTS)

    def test_a_collection_that_the_program_asks_for(self):
        self.each(EXPLICIT)

    def test_collections_that_the_program_asks_for_again_and_again(self):
        self.each(REQUESTED)

    def test_whatever_hangs_from_modules_and_frames(self):
        self.each(TRACED)

    def test_what_is_not_traced(self):
        self.each(UNTRACED)

    def test_what_is_frozen(self):
        self.each(FROZEN)

    def test_what_refers_comes_first(self):
        self.each(ORDER)

    def test_variables_of_frames(self):
        self.each(VARIABLES)

    def test_a_list_that_grows_while_it_is_marked(self):
        self.each(GROWING)

    def test_deques_are_visited_in_parts(self):
        self.each(DEQUES)

    def test_large_containers_in_large_ones(self):
        self.each(LARGE_IN_LARGE)
