"""What programs do with the gc module, threads, forks and finalizers, at every stage of a cycle: nothing is lost, nothing
breaks, and what they are told is true."""
# not with a sanitizer: runs nothing of the build

from bridge_support import BridgeTest

GARBAGE = '''
from driving import *
import threading
import time
import weakref

def garbage(extra=None):
    """Old garbage that keeps every stage busy: what passes by closures and what does not."""
    made = [ring(5) for _ in range(100)]
    large = ring(2500)
    large.chain = ring(2500)
    large.extra = extra
    holder = Node()
    holder.made = holder, made, large
    make_old()
    return weakref.ref(holder)

def nodes():
    return sum(type(op) is Node for op in gc.get_objects())

alive = ring(50)
'''

CALLS = GARBAGE + '''
def freeze():
    gc.freeze()
    _bridge.step(False)
    frozen = gc.get_freeze_count()
    # As many as there are: none of the bridge's own, which leaves when a cycle is given up.
    check(not any(type(op).__name__ == "position" for op in gc.get_objects()))
    gc.unfreeze()
    check(gc.get_freeze_count() == 0 and frozen > 50)

def freeze_and_unfreeze():
    gc.freeze()
    gc.unfreeze()

def freeze_old():
    gc.collect()
    freeze_and_unfreeze()

def thresholds():
    before = gc.get_threshold()
    for threshold in ((0,), (1, 1, 1), (700, 0, 0), (1, 10, 10), (2 ** 31 - 1,), before):
        gc.set_threshold(*threshold)
        gc.enable()
        made = [[] for _ in range(1500)]
        gc.disable()
    check(gc.get_threshold() == before)

def clear_callbacks():
    gc.callbacks.clear()
    check(not _bridge.is_called() and not _bridge.is_enabled())
    gc.collect()
    enable()

def refill_callbacks():
    kept = list(gc.callbacks)
    gc.callbacks.clear()
    gc.collect()
    gc.callbacks.extend(kept)
    check(_bridge.is_called())

def repeat_callbacks():
    gc.callbacks.extend(list(gc.callbacks))
    gc.collect(0)
    del gc.callbacks[len(gc.callbacks) // 2:]

def look():
    total = nodes()
    check(any(op is alive for op in gc.get_objects(2)) and gc.is_tracked(alive))
    check(any(type(op) is dict for op in gc.get_referents(alive)) or alive.next in gc.get_referents(alive))
    check(len(gc.get_referrers(alive.next)) >= 1)
    check(total == nodes())
    check(len(gc.get_stats()) == 3 and len(gc.get_count()) == 3)

def full():
    gc.collect()
    check(nodes() == 50, f"after gc.collect() in stage {stage}: {nodes()}")

def disable_and_enable():
    _bridge.disable()
    check(not _bridge.is_enabled() and _bridge.stage() == "idle")
    check(not gc.callbacks)
    enable()

def other_budget():
    enable(200_000)
    gc.enable()
    made = [Node() for _ in range(3000)]
    gc.disable()
    enable(SHORT)

def collect_middle():
    for _ in range(15):
        gc.collect(1)
        gc.collect(0)

def saved():
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect(0)
    gc.set_debug(0)
    gc.garbage.clear()

ACTIONS = [freeze, freeze_and_unfreeze, freeze_old, thresholds, clear_callbacks, refill_callbacks, repeat_callbacks, look,
           full, disable_and_enable, other_budget, collect_middle, saved]
for number, action in enumerate(ACTIONS):
    for stage in STAGES[number % 2::2] if SCALE <= 1 else STAGES:
        enable()
        watch = garbage()
        if until(stage):
            action()
            check(alive.next.next is not None)
        check(clean(), f"{action.__name__} in stage {stage}")
        check(watch() is None, f"{action.__name__} in stage {stage}: the garbage is alive")
        check(nodes() == 50, f"{action.__name__} in stage {stage}: {nodes()}")
        gc.set_threshold(700, 10, 10)
'''

AUTOMATIC = GARBAGE + '''
# Collections of the middle that the program asks for do not add up to full ones that CPython makes by itself.
full = []
gc.callbacks.append(lambda phase, info: full.append(info) if info["generation"] == 2 else None)
_bridge.enable(500_000)
made = []
for i in range(60):
    for generation in (0, 1, 0, 0):
        gc.collect(generation)
    made += [Node() for _ in range(1000)]
check(not full, full[:1])
_bridge.disable()
'''

LOADED = GARBAGE + '''
# What was allocated while automatic collection was off becomes old without being looked at.
_bridge.enable(500_000)
gc.disable()
made = [Node() for _ in range(200_000)]
gc.enable()
made += [Node() for _ in range(2000)]
statistics = _bridge.stats()
check(statistics["skipped"] >= 200_000, statistics["skipped"])
enable()
del made
check(clean())
'''

SMALL_BUDGET = GARBAGE + '''
# Cycles end by themselves, however small the budget is.
gc.set_threshold(700, 10, 10)
_bridge.enable(SHORT)
made = []
for i in range(400_000):
    made.append(ring(2))
    if len(made) > 3000:
        made.clear()
    if _bridge.stats()["cycles"] >= 1 if i % 1000 == 0 else False:
        break
check(_bridge.stats()["cycles"] >= 1)
'''

FINALIZERS = GARBAGE + '''
# Everything that may be called, from finalizers and callbacks of what a cycle has found.
class Finalized(Node):
    def __init__(self, action):
        self.action = action
        self.itself = self
    def __del__(self):
        seen.append(self.action.__name__)
        self.action()

class Hanging(Finalized):
    def __init__(self, action):
        self.action = action

def collect():
    for generation in range(3):
        gc.collect(generation)

def freeze():
    gc.freeze()
    frozen.append(1)

def steps():
    while _bridge.stage() != "idle" and _bridge.step(True):
        pass

def disable_and_enable():
    _bridge.disable()
    try:
        _bridge.enable(SHORT)
    except RuntimeError:  # a collection is going on
        pass

def enable_again():
    try:
        _bridge.enable(SHORT)
    except RuntimeError:
        pass

def clear_callbacks():
    gc.callbacks.clear()

def fail():
    raise ValueError("from a finalizer")

def allocate():
    gc.enable()
    kept.append([Node() for _ in range(3000)])
    gc.disable()

def thread():
    other = threading.Thread(target=lambda: (allocate(), steps(), _bridge.disable()))
    other.start()
    other.join()

def fork():
    child = os.fork()
    if child == 0:
        children.append(os.getpid())
    else:
        check(os.waitpid(child, 0)[1] == 0)

seen, frozen, kept, children = [], [], [], []
os.register_at_fork(after_in_child=_bridge.after_fork)
sys.unraisablehook = lambda _: None
for action in (collect, freeze, steps, _bridge.disable, disable_and_enable, enable_again, clear_callbacks, fail, allocate,
               thread, fork):
    for stage in ("count", "read", "release"):
        if children:  # a child goes on to the end of its action
            break
        enable()
        kept.clear()
        hanging = Hanging(action)
        hanging.ring = ring(3)
        for _ in range(100):
            node = Node()
            node.next = hanging
            hanging = node
        node = None
        watch = garbage([hanging, Hanging(action), Finalized(action), [Finalized(action) for _ in range(3)]])
        del hanging
        seen.clear()
        if until(stage):
            _bridge.disable() if stage in ("read", "order") else None
        while _bridge.is_enabled() and advance() != "idle":
            pass
        enable()
        kept.clear()
        gc.unfreeze()
        for _ in range(3):
            make_old()
            cycle()
            if not _bridge.is_enabled():
                enable()
            gc.unfreeze()
        _bridge.disable()
        gc.collect()
        gc.unfreeze()
        gc.collect()
        kept.clear()  # what the last finalizers have kept, too
        gc.collect()
        check(len(seen) == 6, f"{action.__name__} from {stage}: {len(seen)} finalizers")
        check(watch() is None, f"{action.__name__} from {stage}: the garbage is alive")
        check(nodes() == 50, f"{action.__name__} from {stage}: {nodes()}")
if children:
    os._exit(0)
'''

ENABLED_WHILE_DISABLED = GARBAGE + '''
# A finalizer that enables the bridge while it is being disabled.
class Finalized(Node):
    def __del__(self):
        _bridge.enable(SHORT)

enable()
large = ring(2500)
large.extra = extra = Finalized()
make_old()
del large
until("read")
extra.__dict__.clear()
ring_of = weakref.ref(extra)
del extra
_bridge.disable()
check(not _bridge.is_enabled() or _bridge.is_called(), "enabled, and nobody calls it")
_bridge.disable()
'''

OTHER_CALLBACKS = GARBAGE + '''
# Callbacks beside the bridge's are called as without it, also while it is enabled and disabled; they may do anything.
phases = []
def paired(phase, info):
    phases.append(phase)

def disabling(phase, info):
    if phase == wanted and _bridge.is_enabled():
        _bridge.disable()

def failing(phase, info):
    made = [Node() for _ in range(50)]
    made.append(made)
    raise ValueError

sys.unraisablehook = lambda _: None
for wanted in ("start", "stop"):
    for order in range(2):
        for stage in STAGES:
            gc.callbacks[:] = [failing, disabling] if order else []
            enable()
            gc.callbacks += [] if order else [failing, disabling]
            gc.callbacks.append(paired)
            phases.clear()
            watch = garbage()
            until(stage)
            for _ in range(4):
                gc.collect(0)
            check(phases == ["start", "stop"] * (len(phases) // 2), (wanted, stage, phases))
            gc.callbacks.remove(disabling)
            enable()
            for _ in range(3):
                make_old()
                cycle()
            check(watch() is None)
            gc.callbacks.clear()
            gc.collect()
'''

# The list that gc.get_objects() gives has the places of the cycle in flight in it.
# As it is told: a cycle leaves a dict tracked that holds no container any more; a full collection does not, until 3.13.
DICTS = GARBAGE + '''
enable()
kept = {"one": []}
kept["one"] = 1
check(clean())  # ends with a full collection
stops = not gc.is_tracked(kept)
check(stops == (sys.version_info < (3, 14)), gc.is_tracked(kept))
kept["one"] = []
kept["one"] = 1
enable()
make_old()
cycle()
check(gc.is_tracked(kept))
kept["one"] = watched = ring(3)  # and one that is not tracked is again when it holds one
watched.dict = kept
dead = weakref.ref(watched)
del kept, watched
check(clean() and dead() is None)
'''

KEPT = GARBAGE + '''
for stage in ("trace", "mark", "order"):
    enable(20_000)
    garbage()
    check(until(stage), stage)
    kept = gc.get_objects()
    check(any(type(op).__name__ == "position" for op in kept), stage)
    finish()
    for _ in range(2):
        del kept[:-50]  # what died since is not alive because of the list; the places, the newest, are
        kept += [op for op in gc.get_objects() if type(op).__name__ == "position"]
        watch = garbage()
        cycle()
        make_old()
        cycle()
        check(watch() is None, stage)
    check(_bridge.stats()["frozen"] == 0 and _bridge.stats()["given_up"] == 0, _bridge.stats())
    watch = garbage()
    check(until(stage), stage)
    check(sum(type(op).__name__ == "position" for op in gc.get_objects(2)) == 6)
    finish()
    check(watch() is None or clean(), stage)
    _bridge.disable()
'''


class Test(BridgeTest):
    def test_the_gc_module(self):
        self.each(CALLS, long=True)

    def test_no_full_collection_comes_by_itself(self):
        self.each(AUTOMATIC)

    def test_what_was_loaded_becomes_old_unseen(self):
        self.each(LOADED)

    def test_a_small_budget_ends_cycles(self):
        self.each(SMALL_BUDGET)

    def test_finalizers(self):
        self.each(FINALIZERS, long=True)

    def test_enabled_by_a_finalizer_while_disabled(self):
        self.each(ENABLED_WHILE_DISABLED)

    def test_the_places_of_a_cycle_may_be_kept_by_the_program(self):
        self.each(KEPT, long=True)

    def test_dicts_that_hold_no_container(self):
        self.each(DICTS)

    def test_other_callbacks(self):
        self.each(OTHER_CALLBACKS)
