"""A thread that sleeps most of the time: finishes a cycle while the program does nothing, and tells the log."""
import gc
import threading

from ouroboros import log

PERIOD_S = 0.05
LOG_EVERY = 4  # periods


class Background:
    """Runs until it is stopped, or the process ends."""

    def __init__(self, bridge, idle, logs):
        self._bridge, self._idle, self._logs = bridge, idle, logs
        self._stopped = threading.Event()
        threading.Thread(target=self._run, name="ouroboros", daemon=True).start()

    def stop(self):
        """It ends by itself, soon."""
        self._stopped.set()

    def again(self):
        """The same in a child of a fork, where its thread is not."""
        return Background(self._bridge, self._idle, self._logs)

    def _run(self):
        seen, turns = -1, 0
        while not self._stopped.wait(PERIOD_S):
            if not self._bridge.is_called():
                continue
            if self._idle:
                now = young_collections()
                if now == seen:
                    self._finish(now)
                    now = young_collections()
                seen = now
            turns += 1
            if self._logs and turns % LOG_EVERY == 0:
                log.look(self._bridge.stats())

    def _finish(self, seen):
        """Slices, with a pause after each, until nothing is in flight or the program does something again."""
        from ouroboros import control
        while not self._stopped.is_set() and self._bridge.stage() != "idle":
            if young_collections() != seen:
                return
            if control.needs_hand_over():
                control.hand_over()
                seen += 1
            elif not self._bridge.step(False):
                return
            self._stopped.wait(control.state.pause_budget)


def young_collections():
    return gc.get_stats()[0]["collections"]
