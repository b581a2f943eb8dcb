"""Random calls of the gc module and of the bridge between slices, beside random garbage."""
# not with a sanitizer: runs nothing of the build

from bridge_support import BridgeTest, scaled

PROGRAM = '''
from driving import *
import random
import threading
import weakref

random = random.Random(int(sys.argv[1]))
gc.disable()

class Node:
    finalized = 0
    def __del__(self):
        self.finalized += 1
        check(self.finalized == 1)
        if random.random() < 0.01:
            random.choice(CALLS)()
        if random.random() < 0.01:
            saved.append(self)

def made(size):
    nodes = [Node() for _ in range(size)]
    for node in nodes:
        node.a, node.b = random.choice(nodes), [random.choice(nodes)]
    return nodes

def drop():
    for _ in range(random.randrange(1, 4)):
        if roots:
            roots.pop(random.randrange(len(roots)))

def grow():
    roots.append(made(random.choice([1, 3, 30, 30, 300, 2500 if len(roots) < 8 else 3])))
    roots[-1][0].a = random.choice(random.choice(roots))

def enable_or_not():
    try:
        _bridge.enable(random.choice([SHORT, 20_000, 300_000]))
    except RuntimeError:
        pass

def automatic():
    gc.enable()
    kept = made(500)
    gc.disable()

def callbacks():
    kept = list(gc.callbacks)
    gc.callbacks.clear()
    if random.random() < 0.7:
        gc.callbacks.extend(kept)

def thread():
    other = threading.Thread(target=lambda: (automatic(), advance()))
    other.start()
    other.join()

CALLS = [grow, grow, drop, drop, automatic, lambda: gc.collect(0), lambda: gc.collect(1), gc.collect, gc.freeze, gc.unfreeze,
         enable_or_not, enable_or_not, _bridge.disable, lambda: _bridge.step(True), lambda: _bridge.step(False),
         _bridge.stats, _bridge.reset, gc.get_stats, gc.get_objects, gc.get_count, callbacks, thread,
         lambda: gc.set_threshold(random.choice([0, 1, 50, 700]), random.choice([0, 1, 10]), random.choice([0, 10])),
         lambda: _bridge.hand_over_on_request(random.random() < 0.8),
         lambda: gc.get_referrers(roots), lambda: _bridge.record(random.choice([None, "/dev/null"]))]

roots, saved = [], []
enable()
_bridge.step(True)
for step in range(int(sys.argv[2])):
    random.choice(CALLS)()
    for _ in range(random.choice([0, 1, 2, 10, 50])):
        if advance() == "idle":
            _bridge.step(True)
gc.unfreeze()
for nodes in roots:
    for node in nodes:
        check(type(node.a) is Node and type(node.b[0]) is Node)
nodes = node = None
Node.__del__ = lambda self: None
gc.set_threshold(700, 10, 10)
_bridge.record(None)
_bridge.disable()
gc.collect()
reference = sum(type(op) is Node for op in gc.get_objects())
enable()
roots.clear()
saved.clear()
check(clean())
check(not any(type(op) is Node for op in gc.get_objects()))
'''


class Test(BridgeTest):
    def test_random_calls(self):
        for seed in range(2):
            self.each(PROGRAM, seed, scaled(600))
