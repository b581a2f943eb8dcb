"""Every allocation of the bridge's own fails in turn: the cycle is given up, nothing is lost, and the next one finds all."""
# not with a sanitizer: runs nothing of the build

from bridge_support import BridgeTest

PROGRAM = '''
from driving import *
import weakref

alive = [ring(10) for _ in range(50)]
hub = [alive] * 300
skip = 0
while True:
    enable(200_000)
    large = ring(2500)
    large.chain = ring(2500)
    large.hub = [large] * 400
    made = [ring(3) for _ in range(100)]
    made.append(made)
    watch = weakref.ref(large)
    other = weakref.ref(made[0])
    make_old()
    del large, made
    given_up = _bridge.stats()["given_up"]
    _bridge.fail_allocations(skip, 1_000_000 if skip % 2 else 1)
    _bridge.step(True)
    for _ in range(100_000):
        if advance() == "idle":
            break
    failed = _bridge.fail_allocations(0, 0)
    check(_bridge.stage() == "idle", f"allocation {skip}: the cycle does not end")
    check(sum(type(op) is Node for op in gc.get_objects()) >= 500)
    cycle()
    cycle()
    check(watch() is None and other() is None, f"allocation {skip}: the garbage is alive")
    check(clean(), f"allocation {skip}: stock has found more")
    if not failed:
        break
    skip += 1
check(skip > 10, skip)
for skip in range(10):  # when it is enabled
    _bridge.fail_allocations(skip, 1)
    try:
        _bridge.enable(SHORT)
        _bridge.reset()
    except MemoryError:
        pass
    _bridge.fail_allocations(0, 0)
    _bridge.disable()
print(skip)
'''


class Test(BridgeTest):
    def test_each_allocation(self):
        self.each(PROGRAM, faults=True, long=True)
