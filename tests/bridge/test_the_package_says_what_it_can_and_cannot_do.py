"""enable, disable, is_enabled, supported and collect do what they say, and say what is in the way."""
# not with a sanitizer: runs nothing of the build
import unittest

from package import RINGS, needs_package, output_of, python


@needs_package
class EnableAndDisable(unittest.TestCase):
    def test_bad_budgets_name_the_argument_and_what_is_allowed(self):
        lines = output_of("""
import ouroboros
for bad in (1, 0.00004, 0, -1, float('nan'), '1ms', None, True):
    try:
        ouroboros.enable(pause_budget=bad)
    except (TypeError, ValueError) as failure:
        print(failure)
print(ouroboros.is_enabled())
""")
        self.assertEqual(len(lines), 9)
        for line in lines[:-1]:
            self.assertRegex(line, "pause_budget must be .*from 0.1 ms to 100 ms")
        self.assertEqual(lines[-1], "False")

    def test_enabled_twice_it_has_the_second_budget_and_one_callback(self):
        self.assertEqual(output_of("""
import gc, ouroboros
before = list(gc.callbacks)
ouroboros.enable()
ouroboros.enable(pause_budget=2e-3)
print(ouroboros.stats()['pause_budget_s'], len(gc.callbacks) - len(before), ouroboros.is_enabled())
ouroboros.disable()
ouroboros.disable()
print(gc.callbacks == before, ouroboros.is_enabled())
"""), ["0.002 1 True", "True False"])

    def test_a_budget_changed_in_the_middle_of_a_cycle_leaves_it_going(self):
        self.assertEqual(output_of(RINGS + """
import ouroboros
from ouroboros import _bridge
ouroboros.enable()
live = []
while _bridge.stage() == 'idle':
    live.append(ring())
ouroboros.enable(pause_budget=1e-3)
print(_bridge.stage() != 'idle')
for i in range(300000):  # a slice does less where the machine is busy
    live.append(ring())
    if i % 1000 == 0 and ouroboros.stats()['cycles'] > 0:
        break
print(ouroboros.stats()['cycles'] > 0, ouroboros.stats()['given_up'])
"""), ["True", "True 0"])

    def test_a_budget_can_be_changed_while_a_collection_is_going_on(self):
        self.assertEqual(output_of(RINGS + """
import ouroboros
ouroboros.enable()
class Last:
    def __del__(self):
        ouroboros.enable(pause_budget=2e-3)
last = Last()
last.itself = last
del last
gc.collect()
print(ouroboros.stats()['pause_budget_s'])
"""), ["0.002"])

    def test_a_callback_taken_away_is_told_of_once(self):
        self.assertEqual(output_of("""
import gc, ouroboros, warnings
ouroboros.enable()
gc.callbacks.clear()
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter('always')
    print(ouroboros.is_enabled(), ouroboros.is_enabled(), ouroboros.stats()['enabled'])
print([(each.category.__name__, 'gc.callbacks' in str(each.message)) for each in told])
ouroboros.enable()
print(ouroboros.is_enabled(), len(gc.callbacks))
"""), ["False False False", "[('RuntimeWarning', True)]", "True 1"])


    def test_a_callback_that_died_is_called_no_more_whatever_was_kept_of_it(self):
        done = python("-X", "dev", "-c", """
import gc, ouroboros
for again in range(2):
    ouroboros.enable()
    kept = gc.callbacks[-1].__self__
    gc.callbacks.clear()
    if again:
        ouroboros.disable()
    ouroboros.enable()
    del kept
    gc.collect()
    print(len(gc.callbacks), ouroboros.stats()['pauses']['full']['count'])
    ouroboros.disable()
""")
        self.assertEqual(done.stdout.splitlines(), ["1 1", "1 1"])


@needs_package
class Supported(unittest.TestCase):
    def test_this_interpreter_is(self):
        self.assertEqual(output_of("import ouroboros; it = ouroboros.supported(); print(bool(it), it.reason, it)"),
                         ["True None Support(yes)"])

    def test_a_subinterpreter_is_not(self):
        done = python("-c", """
import _xxsubinterpreters as interpreters, os, sys
reading, writing = os.pipe()
one = interpreters.create()
interpreters.run_string(one, f'''
import os, sys
sys.path[:0] = {sys.path!r}
import ouroboros
try:
    ouroboros.enable()
except RuntimeError as failure:
    os.write({writing}, str(failure).encode())
''')
print(os.read(reading, 1000).decode())
import ouroboros
print(ouroboros.supported().reason)
interpreters.destroy(one)
print(ouroboros.supported().reason)
""")
        lines = done.stdout.splitlines()
        self.assertIn("subinterpreter", lines[0])
        self.assertEqual(lines[1:], ["subinterpreters are in use", "None"])
        self.assertEqual(done.stderr, "")  # not when it ends, either

    def test_an_interpreter_that_is_not_cpython_is_not(self):
        lines = output_of("""
import sys
sys.implementation.name = 'another'
import ouroboros
print(ouroboros.supported(), ouroboros.is_enabled(), ouroboros.collect() >= 0)
ouroboros.disable()
print(ouroboros.metrics().splitlines()[-1])
for call in (ouroboros.enable, ouroboros.stats):
    try:
        call()
    except RuntimeError as failure:
        print(failure)
""")
        self.assertEqual(lines[:2], ["Support(no: another is not CPython: it has a collector of its own) False True",
                                     "ouroboros_enabled 0"])
        self.assertEqual(len(lines), 4)
        for line in lines[2:]:
            self.assertIn("another is not CPython", line)

    def test_without_the_extension_module_the_reason_is_that(self):
        self.assertIn("extension module cannot be imported", output_of("""
import sys
sys.modules['ouroboros._bridge'] = None
import ouroboros
print(ouroboros.supported())
""")[0])


@needs_package
class Collect(unittest.TestCase):
    def test_it_finds_all_that_is_dead_in_slices(self):
        self.assertEqual(output_of(RINGS + """
import ouroboros
gc.disable()
ouroboros.enable()
live = [ring() for _ in range(100000)]
gc.collect(1)
del live
print(ouroboros.collect(), gc.collect())
print(ouroboros.stats()['pauses']['slice']['count'] > 5)
"""), ["400000 0", "True"])

    def test_it_finds_what_died_after_the_cycle_in_flight_had_begun(self):
        self.assertEqual(output_of(RINGS + """
import ouroboros
from ouroboros import _bridge
gc.disable()
ouroboros.enable()
live = [ring() for _ in range(20000)]
gc.collect(1)
_bridge.step(True)
while _bridge.stage() == 'trace':  # what is alive has been reached when it ends
    _bridge.step(False)
print(_bridge.stage() != 'idle')
del live
print(ouroboros.collect(), gc.collect())
"""), ["True", "80000 0"])

    def test_it_finds_what_a_cycle_begun_meanwhile_does_not(self):
        self.assertEqual(output_of(RINGS + """
import ouroboros, weakref
from ouroboros import _bridge, control
ouroboros.enable()
old = Node()
ouroboros.collect()
young = Node()
young.old, old.young = old, young
dead = weakref.ref(young)
del young, old
begun = []
def hand_over(own=control.hand_over):  # before which another thread's allocations have made a cycle due
    if _bridge.stage() == 'idle' and not begun:
        begun.append(_bridge.step(True))
    own()
control.hand_over = hand_over
ouroboros.collect()
print(begun, dead())
"""), ["[True] None"])

    def test_it_counts_what_dies_behind_a_ring(self):
        self.assertEqual(output_of(RINGS + """
import ouroboros
ouroboros.enable()
first = ring()
node = first.tail = Node()
for _ in range(30000):
    node.next = Node()
    node = node.next
del node
gc.collect(1)
del first
print(ouroboros.collect() > 30000, ouroboros.stats()['found'] > 30000, gc.collect())
"""), ["True True 0"])

    def test_a_large_ring_is_found(self):
        self.assertEqual(output_of(RINGS + """
import ouroboros
ouroboros.enable()
gc.collect()
ring(20000)
print(ouroboros.collect(), gc.collect(), ouroboros.stats()['largest_component'])
"""), ["20000 0 20000"])

    def test_from_a_finalizer_it_does_nothing(self):
        self.assertEqual(output_of("""
import ouroboros
class Final:
    def __init__(self):
        self.self = self
    def __del__(self):
        print(ouroboros.collect())
ouroboros.enable()
Final()
print(ouroboros.collect() > 0)
"""), ["0", "True"])

    def test_after_one_that_a_signal_has_ended_young_objects_stay_young(self):
        program = RINGS + """
import ouroboros, signal
from ouroboros import _bridge, support
class Interrupted:
    def __getattr__(self, name):
        return getattr(_bridge, name)
    def hand_over_on_request(self, on):
        if on or WHEN_IT_BEGINS:
            _bridge.hand_over_on_request(on)
        if on == WHEN_IT_BEGINS:
            signal.raise_signal(signal.SIGINT)
ouroboros.enable()
support.bridge = Interrupted()
try:
    ouroboros.collect()
except KeyboardInterrupt:
    print('interrupted')
support.bridge = _bridge
if not WHEN_IT_BEGINS:
    ouroboros.disable()
    ouroboros.enable()
made, most = [], 0
for _ in range(10):  # a collection comes by itself, and not each is of all that is young
    made += [[] for _ in range(1000)]
    most = max(most, len(gc.get_objects(1)))
print(most > 100)
"""
        for begins in ("True", "False"):
            self.assertEqual(output_of(program.replace("WHEN_IT_BEGINS", begins)), ["interrupted", "True"], begins)

    def test_a_collection_of_young_objects_before_an_automatic_one_can_come_is_of_all_of_them(self):
        self.assertEqual(output_of(RINGS + """
import ouroboros
ouroboros.enable()
gc.disable()
for _ in range(5000):
    ring()
found = gc.collect(0)
gc.enable()
print(found, gc.collect(0))
"""), ["20000 0"])

    def test_at_once_or_not_enabled_it_is_that_of_gc(self):
        self.assertEqual(output_of(RINGS + """
import ouroboros
gc.disable()
ring()
print(ouroboros.collect())
ouroboros.enable()
ring()
print(ouroboros.collect(at_once=True), ouroboros.stats()['pauses']['full']['count'])
"""), ["4", "4 1"])

    def test_many_make_no_full_collection_due(self):
        self.assertEqual(output_of(RINGS + """
import ouroboros
ouroboros.enable()
for _ in range(15):
    ouroboros.collect()
    gc.collect(1)
print([count < least for count, least in zip(gc.get_count()[1:], gc.get_threshold()[1:])])
for _ in range(5000):
    ring()
print(ouroboros.stats()['pauses']['full']['count'])
"""), ["[True, True]", "0"])


@needs_package
class Idle(unittest.TestCase):
    BEGIN = RINGS + """
import ouroboros, threading, time
from ouroboros import _bridge
ouroboros.enable(idle=IDLE)
live = []
while _bridge.stage() == 'idle':
    live.append(ring())
for _ in range(100):
    if _bridge.stage() == 'idle':
        break
    time.sleep(0.02)
print(_bridge.stage() == 'idle', threading.active_count())
ouroboros.disable()
time.sleep(0.2)
print(threading.active_count())
"""

    def test_a_thread_finishes_what_is_in_flight(self):
        self.assertEqual(output_of(self.BEGIN.replace("IDLE", "True")), ["True 2", "1"])

    def test_without_it_nothing_does(self):
        self.assertEqual(output_of(self.BEGIN.replace("IDLE", "False")), ["False 1", "1"])


if __name__ == "__main__":
    unittest.main()
