"""Whatever the shape of what is dead, two cycles find all of it, and stock's collection finds nothing more."""
# not with a sanitizer: runs nothing of the build

from bridge_support import BridgeTest, scaled

SHAPES = '''
from driving import *
import weakref

def chain(length, end=None):
    for _ in range(length):
        node = Node()
        node.next = end
        end = node
    return end

def tree(size):
    nodes = [Node()]
    for i in range(1, size):
        node = Node()
        node.parent = nodes[(i - 1) // 8]
        node.parent.__dict__.setdefault("children", []).append(node)
        nodes.append(node)
    return nodes[0]

def rings(size):
    return [ring(size) for _ in range(20)]

def large_ring(size):
    return ring(size)

def trees(size):
    return [tree(size) for size in (100, 1999, 2000, 2001, size)]

def chain_off_a_ring(size):
    first = ring(3)
    first.chain = chain(size)
    return first

def chain_of_tuples_off_a_ring(size):
    first = ring(3)
    end = (Node(),)
    for _ in range(size):
        end = (end, first)
    first.chain = end
    return first

def chain_of_rings(size):
    end = None
    for _ in range(size):
        end, before = ring(2), end
        end.before = before
    return end

def chain_of_lists_that_hold_themselves(size):
    end = None
    for _ in range(size):
        before, end = end, []
        end += [end, before]
    return end

def chain_of_large_rings(size):
    end = None
    for _ in range(3):
        before, end = end, ring(size)
        end.before = before
    return end

def dict_of_rings(size):
    return {i: ring(3) for i in range(size)}

def hub(size):
    middle = Node()
    nodes = [Node() for _ in range(size)]
    for node in nodes:
        node.hub = middle
    middle.nodes = nodes
    return middle

def counts_about_the_edges_of_a_byte(_size):
    hubs = []
    for count in [*range(124, 133), *range(252, 261), *range(380, 388), 511, 512, 513]:
        middle = Node()
        middle.own = [middle] * count
        hubs.append(middle)
        end = ring(2500)  # one that is looked at by components
        end.hub = middle = Node()
        middle.own = [end] * count
        hubs.append(end)
    return hubs

def self_references(size):
    made = []
    for _ in range(size // 10):
        node = Node()
        node.itself = node
        items = []
        items.append(items)
        table = {}
        table["itself"] = table
        made += [node, items, table]
    return made

def layers(size):
    width = 50
    before = [Node() for _ in range(width)]
    for node in before:
        node.first = before
    for _ in range(size // width):
        after = [Node() for _ in range(width)]
        for node in after:
            node.all = before
        for node in before:
            node.others = after[:3]
        before = after
    return before

SHAPE = [rings, large_ring, trees, chain_off_a_ring, chain_of_tuples_off_a_ring, chain_of_rings,
         chain_of_lists_that_hold_themselves, chain_of_large_rings, dict_of_rings, hub,
         counts_about_the_edges_of_a_byte, self_references, layers]
'''

ONE_BY_ONE = SHAPES + '''
size = int(sys.argv[1])
for budget in (SHORT, 500_000):
    for shape in SHAPE:
        enable(budget)
        alive = shape(min(size, 3000))
        made = shape(size)
        if not hasattr(made, "__weakref__"):
            holder = Node()
            holder.holder = holder
            holder.made = made
            made, holder = holder, None
        watch = weakref.ref(made)
        make_old()
        del made
        found = _bridge.stats()["found"]
        cycle()
        first = _bridge.stats()["found"] - found
        check(watch() is None, f"{shape.__name__}: not found by one cycle")
        left = clean()
        check(left, f"{shape.__name__}, budget {budget}: stock has found what the bridge has not")
        del alive
        gc.collect()
'''

CHAIN = SHAPES + '''
enable(500_000)
made = chain_off_a_ring(int(sys.argv[1]))
watch = weakref.ref(made)
make_old()
del made
cycle()
check(watch() is None)
check(clean())
'''

DIES_WHILE_LOOKED_AT = SHAPES + '''
# What dies in the middle of a cycle is found by the next one at the latest.
for shape in SHAPE:
    for stage in STAGES[::2]:
        enable(50_000)
        made = shape(2500)
        make_old()
        dead = shape(2500)
        make_old()
        del dead
        if until(stage):
            del made
        made = None
        check(clean(), f"{shape.__name__}: something is left that died in stage {stage}")
'''

SAVED = SHAPES + '''
# With gc.DEBUG_SAVEALL nothing dies, and what is found is reachable from gc.garbage.
enable(500_000)
sizes = []
gc.set_debug(gc.DEBUG_SAVEALL)
made = large_ring(3000)
made.chain = chain(3000)
watch = weakref.ref(made)
rings_made = rings(10)
make_old()
del made, rings_made
cycle()
cycle()
check(sum(isinstance(op, Node) for op in gc.garbage) >= 3000)
nodes = sum(isinstance(op, Node) for op in gc.get_objects())
check(nodes == 3000 + 3000 + 20 * 10, nodes)
gc.set_debug(0)
gc.garbage.clear()
del watch
check(clean())
check(not any(isinstance(op, Node) for op in gc.get_objects()))
'''

WEAK = SHAPES + '''
# A weak reference that is dead, too, does not call, whichever component it is in; one that is alive does.
for kind in (weakref.ref, weakref.proxy):
    for size in (1, 3, 2500):
        for forward in (False, True):
            called = []
            enable(500_000)
            before, after = ring(size), ring(size)
            before.after = after
            old, new = (before, after) if forward else (after, before)
            old.weak = kind(new, called.append)
            alive = weakref.ref(new, lambda _: called.append("alive"))
            make_old()
            del before, after, old, new
            cycle()
            cycle()
            check(called == ["alive"], (kind, size, forward, called))
            check(clean())
'''

BORROWED = SHAPES + '''
# From 3.14 on a suspended generator borrows references and shows them like others. They may hide one from outside that
# nobody sees, here of the evaluation stack: what that keeps alive keeps its weak references.
def refers(op):
    print(op, op, op, (yield))

def suspended(op):
    op.generator = refers(op)
    op.generator.send(None)
    return op

class Target:
    pass

target, called = Target(), []

def kept(size):
    op = suspended(ring(size))
    op.weak = weakref.ref(target, lambda _, op=op: called.append(size))
    make_old()
    return op

def two_cycles():
    cycle()
    cycle()

for size in (1, 3, 2500):
    enable(500_000)
    op, _ = kept(size), two_cycles()
    check(op.weak() is target, (size, "a weak reference that is alive was cleared"))
    target = Target()
    check(called.pop() == size)
    op = None
    check(clean())

for size in (1, 3, 2500):
    for forward in (False, True):
        enable(500_000)
        before, after = suspended(ring(size)), suspended(ring(size))
        before.after = after
        old, new = (before, after) if forward else (after, before)
        old.weak = weakref.ref(new, called.append)
        new.weak = weakref.ref(old, called.append)
        make_old()
        del before, after, old, new
        two_cycles()
        check(clean())
        check(called == [], (size, forward, "a weak reference that is dead has called"))
'''

LEGACY = SHAPES + '''
# What cannot be collected ends in gc.garbage, as under stock.
try:
    from _testcapi import with_tp_del
except ImportError:
    sys.exit()

@with_tp_del
class Legacy(Node):
    def __tp_del__(self):
        pass

for size in (3, 2500):
    enable(500_000)
    made = ring(size, Legacy)
    made.chain = chain(2500)
    make_old()
    del made
    cycle()
    cycle()
    check(sum(type(op) is Legacy for op in gc.garbage) == size, len(gc.garbage))
    for op in gc.garbage:
        op.__dict__.clear()
    del op
    gc.garbage.clear()
    clean()
'''


class Test(BridgeTest):
    def test_each_shape(self):
        self.each(ONE_BY_ONE, scaled(10_000))

    def test_a_long_chain_off_a_ring_needs_no_recursion(self):
        self.each(CHAIN, scaled(200_000))

    def test_what_dies_at_any_stage_is_found_by_the_next_cycle(self):
        self.each(DIES_WHILE_LOOKED_AT)

    def test_saved_garbage_stays_reachable(self):
        self.each(SAVED)

    def test_a_weak_reference_that_is_dead_does_not_call(self):
        self.each(WEAK)

    def test_borrowed_references_hide_no_other(self):
        self.each(BORROWED)

    def test_what_cannot_be_collected_is_in_gc_garbage(self):
        self.each(LEGACY)
