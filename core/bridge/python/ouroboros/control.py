"""Turning the bridge on and off, and full collections at the program's request."""
import atexit
import gc
import os
import sys
import threading
import time
import warnings

from ouroboros import budget, support
from ouroboros.background import Background

REMOVED = ("gc.callbacks no longer holds ouroboros's callback: the program has taken it out, and pauses are CPython's "
           "own again")


class State:
    """What is to be known beside the extension module's state."""
    pause_budget = None
    ended_ns = None  # when it was disabled
    background = None
    on_exit = None  # what is called before the bridge is disabled at the end of the process `pid`
    pid = os.getpid()


state = State()
_collecting = threading.Lock()
_counting = threading.RLock()
_handing_over = 0  # calls of hand_over that go on


def enable(pause_budget=budget.DEFAULT, events=None, idle=False, log=False):
    """Full collections are made in slices from now on.

    pause_budget  seconds, from 0.1e-3 to 0.1: about how long a pause with a part of a full collection may be
    events        a path: each pause and each cycle is appended as a line of JSON; None: nothing is, or what was asked
                  for before goes on
    idle          a thread finishes a cycle while the program does nothing
    log           a thread looks five times a second, and the logger `ouroboros` tells of ended cycles (INFO) and of
                  what the bridge cannot help with (WARNING); without it that is told when stats() is called

    All that exists becomes old, unseen. If it is enabled already, the budget and the rest are changed. Raises
    RuntimeError where supported() is false, TypeError and ValueError for arguments, OSError if `events` cannot
    be opened.
    """
    seconds = budget.checked(pause_budget)
    if events is not None:
        events = os.path.abspath(os.fsdecode(events))
    bridge = support.bridge if is_enabled() else support.require()
    if events is not None:
        bridge.record(events)
    bridge.enable(round(seconds * 1e9))
    state.pause_budget, state.ended_ns = seconds, None
    _stop_background()
    if idle or log:
        state.background = Background(bridge, bool(idle), bool(log))


def disable():
    """Everything is as without the bridge; what is in flight is given up, its memory goes back, events are closed.
    Statistics stay. Nothing happens if it is not enabled. Raises OSError if the last events could not be written."""
    global _handing_over
    bridge = support.bridge
    if bridge is None or state.pause_budget is None:  # a subinterpreter's, say
        return
    _stop_background()
    bridge.disable()
    with _counting:
        _handing_over = 0
        bridge.hand_over_on_request(False)
    if state.ended_ns is None:
        state.ended_ns = time.monotonic_ns()
    bridge.record(None)


def is_enabled():
    """Whether full collections are made in slices: not, too, when the program has taken the callback out of
    gc.callbacks, of which a RuntimeWarning tells once."""
    return support.bridge is not None and not _look_for_callback() and support.bridge.is_enabled()


def collect(at_once=False):
    """A full collection, in slices of the budget; other threads run between them. Finds all that is unreachable when it
    is called. Returns how many unreachable objects were found meanwhile.

    If a cycle is in flight, it is finished first, since it may have passed by what died after. at_once, or if the
    bridge is not enabled: gc.collect(). As gc.collect(), it does nothing and returns 0 while a collection is going
    on or another thread is in here.
    """
    if at_once or not is_enabled():
        return gc.collect()
    lock = _collecting
    if not lock.acquire(blocking=False):
        return 0
    try:
        before = _unreachable()
        in_flight = support.bridge.stage() != "idle"
        if in_flight and _is_busy():
            return 0
        _finish()
        # What is young becomes old, so that the cycle sees it; that of another thread's, begun meanwhile, does not.
        hand_over()
        while support.bridge.is_called() and support.bridge.stage() != "idle":
            _finish()
            hand_over()
        if support.bridge.step(True):
            _finish()
        return _unreachable() - before
    finally:
        lock.release()


def hand_over():
    """A collection of young objects that what waits to be handed over dies in."""
    global _handing_over
    counted = False
    try:  # a signal handler may raise after each call
        with _counting:
            _handing_over += 1
            counted = True
            support.bridge.hand_over_on_request(True)
        gc.collect(0)
    finally:
        if counted:
            with _counting:
                _handing_over -= _handing_over > 0  # a child of a fork has begun anew, and who has disabled it
                support.bridge.hand_over_on_request(_handing_over > 0)


def needs_hand_over():
    return support.bridge.hands_over()


def _finish():
    """Works until no cycle is in flight, and lets others run after each slice."""
    while support.bridge.is_called() and support.bridge.stage() != "idle":
        if needs_hand_over():
            hand_over()
        elif _is_busy():  # another thread's collection lets go of the lock in a finalizer
            time.sleep(0.5e-3)
        time.sleep(0)


def _is_busy():
    """Makes a slice; whether that could not be, because a collection is going on."""
    return not support.bridge.step(False) and support.bridge.stage() != "idle"


def _unreachable():
    return sum(each["collected"] + each["uncollectable"] for each in gc.get_stats())


def _look_for_callback():
    """Whether the program has taken the callback away; then the bridge is disabled. If nobody keeps the callback it has
    been already."""
    bridge = support.bridge
    if state.pause_budget is None or state.ended_ns is not None or bridge.is_enabled() and bridge.is_called():
        return False
    disable()
    warnings.warn(REMOVED, RuntimeWarning, stacklevel=3)
    return True


def _stop_background():
    if state.background is not None:
        state.background.stop()
        state.background = None


def _at_exit():
    try:
        _look_for_callback()
        if state.on_exit is not None and state.pid == os.getpid():
            state.on_exit()
        disable()
    except OSError as failure:
        print(f"ouroboros: events: {failure}", file=sys.stderr)


def _after_fork_in_child():
    """Nothing is in flight, statistics begin anew, nothing is recorded, and threads are made anew."""
    global _collecting, _counting, _handing_over
    support.bridge.after_fork()
    if _handing_over:
        support.bridge.hand_over_on_request(False)
    _collecting, _counting, _handing_over = threading.Lock(), threading.RLock(), 0
    if state.background is not None:
        state.background = state.background.again()


atexit.register(_at_exit)
if support.bridge is not None:
    os.register_at_fork(after_in_child=_after_fork_in_child)
