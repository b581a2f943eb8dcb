"""The same random programs, once under stock and once with cycles in flight all the time: the same objects die, with the
same finalizers and callbacks, and what lives is unharmed. Only the order may differ."""
# not with a sanitizer: runs nothing of the build

from bridge_support import BridgeTest, SCALE, interpreters, run, scaled

PROGRAM = '''
import collections
import functools
import gc
import hashlib
import itertools
import json
import os
import random
import sys
import weakref

mode, seed, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if mode == "bridge":
    import driving
    from ouroboros import _bridge
random = random.Random(seed)
gc.disable()

# Finalizers that bring objects back, or ones that change what dies: with both at once, what happens depends on which of
# them stock calls first. Where one brings itself back until the next collection (3), a weak reference that it refers to
# may outlive what died with it.
BRINGS_BACK = seed % 3 == 1
KINDS = [[0, 0, 2], [0, 0, 1, 4], [0, 0, 2, 3]][seed % 3]
number = itertools.count()
dead = []       # numbers of objects that a weak reference says are dead
finalized = []  # numbers, by __del__
called = []     # numbers of callbacks of weak references that were alive to the end
never = []      # callbacks that die with what they refer to
saved = []      # by finalizers
watches = {}    # number -> weak reference

def watch(op, own):
    watches[own] = weakref.ref(op, lambda _, own=own: dead.append(own))

class Plain:
    def __init__(self):
        self.own = next(number)
        watch(self, self.own)

class Slotted:
    __slots__ = ("own", "a", "b", "__weakref__")
    def __init__(self):
        self.own = next(number)
        self.a = self.b = None
        watch(self, self.own)

class Mapping(dict):
    def __init__(self):
        self.own = next(number)
        watch(self, self.own)

class Finalized(Plain):
    kind = 0
    def __del__(self):
        finalized.append(self.own)
        if self.kind == 1:
            saved.append(self)
        elif self.kind == 2:
            self.__dict__.pop("a", None)
        elif self.kind == 3:
            self.made = [self, self.__dict__]
        elif self.kind == 4:
            saved.append(self.__dict__.get("a"))

class Error(Exception):
    pass

def make_function(op):
    return lambda: op

def make_generator(op):
    held = [op]
    held.append((yield held))

def raised(op):
    def inner(held):
        frame = held
        raise Error(held)
    try:
        inner(op)
    except Error as error:
        error.op = op
        return error

def refer(op, to):
    """One more reference from an object to another."""
    kind = type(op)
    if kind is Slotted:
        if random.random() < 0.5:
            op.a = to
        else:
            op.b = to
    elif kind is Mapping:
        op[random.randrange(6)] = to
    else:
        setattr(op, random.choice("abcdefgh"), to)

def wrapped(op):
    """Something that refers to it."""
    choice = random.randrange(16)
    if choice == 0:
        return [op, [op]]
    if choice == 1:
        return (op, (op,))
    if choice == 2:
        return {"op": op, 1: [op]}
    if choice == 3:
        return {op} if type(op) is not Mapping else [op]
    if choice == 4:
        return make_function(op)
    if choice == 5:
        if BRINGS_BACK:  # a generator has a finalizer that changes what dies: it is closed
            return [op]
        generator = make_generator(op)
        if random.random() < 0.7:
            generator.send(None)
        return generator
    if choice == 6:
        return collections.deque([op] * random.randrange(1, 90))
    if choice == 7:
        return functools.partial(repr, op)
    if choice == 8:
        return itertools.chain([op], itertools.cycle([op]))
    if choice == 9:
        return raised(op)
    if choice == 10:
        return weakref.WeakValueDictionary({1: op})
    if choice == 11:
        return itertools.tee(iter([op] * 3), 2)
    if choice == 12:
        return op.__init__
    if choice == 13:
        return collections.OrderedDict([(1, op)])
    if choice == 14:
        return type("Made", (), {"op": op})
    return op

def make():
    kind = random.random()
    if kind < 0.5:
        return Plain()
    if kind < 0.7:
        return Slotted()
    if kind < 0.8:
        return Mapping()
    op = Finalized()
    op.kind = random.choice(KINDS)
    return op

def island(size):
    """Objects in a random graph."""
    ops = [make() for _ in range(size)]
    for op in ops:
        for _ in range(random.randrange(1, 3)):
            refer(op, wrapped(random.choice(ops)))
    if random.random() < 0.3:  # outlives it
        own = next(number)
        outliving.append(weakref.ref(random.choice(ops), lambda _, own=own: called.append(own)))
    if random.random() < 0.3:
        own = next(number)
        finalizers.append(own)
        weakref.finalize(random.choice(ops), called.append, own).atexit = False
    return ops

outliving = []
finalizers = []
roots = {}

def size():
    r = random.random()
    return (random.randrange(1, 6) if r < 0.7 else random.randrange(6, 300) if r < 0.995 else
            random.randrange(2000, 4000))

def live_checksum():
    """Of all that the roots reach, by what they refer to, as far as it has numbers."""
    text = hashlib.sha256()
    for key in sorted(roots):
        seen = {}
        todo = list(roots[key])
        while todo:
            op = todo.pop()
            if id(op) in seen:
                continue
            seen[id(op)] = op
            if hasattr(op, "own") and not isinstance(op, type):
                text.update(b"%d;" % op.own)
            if type(op) is Slotted:
                todo += [op.a, op.b]
            elif isinstance(op, dict):
                todo += [op[k] for k in sorted(op, key=str) if not callable(op[k])]
            elif isinstance(op, (list, tuple, collections.deque)):
                todo += list(op)
            if hasattr(op, "__dict__") and not isinstance(op, type):
                todo += [op.__dict__[k] for k in sorted(op.__dict__)]
    return text.hexdigest()

def between():
    if mode == "stock":
        if step % 50 == 49:
            gc.collect()
        return
    # Never idle: one slice, or more, after each mutation.
    for _ in range(slices.choice([1, 1, 2, 20, 200])):
        if _bridge.stage() == "idle":
            if slices.random() < 0.3:
                gc.collect(0)
                gc.collect(1)
            _bridge.step(True)
        else:
            driving.advance()

if mode == "bridge":
    import random as module
    slices = module.Random(seed)
    driving.enable()
for step in range(steps):
    action = random.random()
    if action < 0.35 or len(roots) < 5:
        roots[step] = island(size())
    elif action < 0.6:
        key = random.choice(list(roots))
        op = random.choice(roots[key])
        refer(op, wrapped(random.choice(roots[key])))
    elif action < 0.75:  # islands grow together
        one, two = random.choice(list(roots)), random.choice(list(roots))
        refer(random.choice(roots[one]), wrapped(random.choice(roots[two])))
    elif action < 0.9:
        del roots[random.choice(list(roots))]
    elif action < 0.95:
        roots[random.choice(list(roots))] = roots.pop(random.choice(list(roots)))
    else:
        key = random.choice(list(roots))
        ops = roots[key]
        del ops[:len(ops) // 2]
        if not ops:
            del roots[key]
    op = ops = None
    between()

checksum = live_checksum()
# Half of what is left dies at once, looked at as a whole: what is dead is what was dead together.
if mode == "bridge":
    while _bridge.stage() != "idle":
        driving.advance()
alive = {key: roots[key] for key in sorted(roots)[::2]}
reached = {}  # by what stays alive
todo = list(alive.values())
while todo:
    for op in gc.get_referents(todo.pop()):
        if id(op) not in reached and not isinstance(op, type) and op is not globals():
            reached[id(op)] = op
            todo.append(op)
for key in sorted(roots.keys() - alive.keys()):
    ops = [op for op in roots[key] if id(op) not in reached]
    if ops:
        own = next(number)
        never_called = functools.partial(never.append, own)
        refer(random.choice(ops), weakref.ref(random.choice(ops), lambda _, call=never_called: call()))
op = ops = reached = todo = None
if mode == "bridge":
    driving.make_old()
roots.clear()
roots.update(alive)
alive = None
left = 0
for _ in range(30):  # until finalizers make no garbage any more
    before = len(dead), len(finalized), len(saved)
    if mode == "bridge":
        for _ in range(2):
            driving.make_old()
            driving.cycle()
    else:
        gc.collect()
    if before == (len(dead), len(finalized), len(saved)):
        break
else:
    raise AssertionError("no end of garbage")
if mode == "bridge":
    statistics = _bridge.stats()
    _bridge.disable()
    left = gc.collect()
    assert statistics["cycles"] > 3, statistics["cycles"]
    assert statistics["given_up"] == 0
saved_numbers = sorted(getattr(op, "own", -1) for op in saved if op is not None)
assert len(set(finalized)) == len(finalized), "a finalizer ran twice"
alive = {op.own for op in gc.get_objects() if type(op) in (Plain, Slotted, Mapping, Finalized)}
assert len(set(dead)) == len(dead), "a callback was called twice"
if BRINGS_BACK:  # of those that live stock has called finalizers, or has not, by what was found with them
    called = never = saved_numbers = ()
    finalized = set(finalized) - alive
    dead = set(dead) - alive
else:
    assert not alive & set(dead)
if 3 in KINDS:
    never = ()
print(json.dumps({
    "left": left, "checksum": checksum, "after": live_checksum(), "dead": sorted(dead),
    "finalized": sorted(finalized), "called": sorted(called), "never": sorted(never), "saved": saved_numbers,
    "alive": sorted(alive), "garbage": len(gc.garbage)}))
'''


def compared(test, python, seed, steps, **others):
    with test.subTest(python=python.version, seed=seed):
        stock = run(python, PROGRAM, "stock", seed, steps, **others)
        bridge = run(python, PROGRAM, "bridge", seed, steps, **others)
        test.assertEqual(bridge["left"], 0, "stock has found what the bridge has not")
        for key, value in stock.items():
            test.assertEqual(bridge[key], value, key)


class Test(BridgeTest):
    maxDiff = 2000

    def test_random_programs(self):
        for python in interpreters():
            for seed in range(scaled(3)):
                compared(self, python, seed, 400 if SCALE >= 1 else 200)
