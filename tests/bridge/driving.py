"""Inside a program under test: cycles driven by hand, slice by slice."""

import gc
import os
import sys

from ouroboros import _bridge

__all__ = ["_bridge", "gc", "os", "sys", "SCALE", "STAGES", "SHORT", "LONG", "scaled", "enable", "advance",
           "until", "finish", "cycle", "make_old", "clean", "check", "Node", "ring"]
SCALE = float(os.environ.get("OURO_TEST_SCALE", 1))
STAGES = ["trace", "test_untraced", "count", "settle", "mark", "test", "number", "read", "order", "release", "clean"]
SHORT = 1_000  # ns: the least slice that there is
LONG = 10_000_000_000


def scaled(number):
    return max(int(number * SCALE), 1)


def enable(budget_ns=SHORT):
    """The bridge, and no collection but those that the program asks for."""
    gc.disable()
    _bridge.enable(budget_ns)
    _bridge.hand_over_on_request(True)


def advance():
    """The next slice of the cycle in flight. Its stage after that."""
    if _bridge.hands_over():
        gc.collect(0)
    else:
        _bridge.step(False)
    return _bridge.stage()


def until(stage):
    """Advances a new cycle until that stage; False if it ended without it."""
    finish()
    _bridge.step(True)
    while _bridge.stage() not in (stage, "idle"):
        advance()
    return _bridge.stage() == stage


def finish():
    while advance() != "idle":
        pass


def cycle():
    """One from beginning to end."""
    _bridge.step(True)
    finish()


def make_old():
    """What is young becomes old, as if it had survived. Nothing is collected but what is garbage already."""
    gc.collect(0)
    gc.collect(1)


def clean():
    """All that is dead is found by the bridge alone: True if stock finds nothing more."""
    make_old()
    cycle()
    make_old()
    cycle()
    _bridge.disable()
    return gc.collect() == 0


def check(condition, what="check failed"):
    if not condition:
        print(what, file=sys.stderr)
        raise AssertionError(what)


class Node:
    pass


def ring(size=3, make=Node):
    """One of a ring of so many, each of which refers to the one before it."""
    first = last = make()
    for _ in range(size - 1):
        node = make()
        node.next = last
        last = node
    first.next = last
    return first
