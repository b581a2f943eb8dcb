"""The progress line of a comparison, with the time left."""
import sys
import time


def clock(seconds):
    minutes, seconds = divmod(int(round(max(0, seconds))), 60)
    return f"{minutes}:{seconds:02d}"


class Progress:
    """One line that is rewritten on a terminal; a line a run elsewhere.

    Time left is the sum of the estimates of what is still to run, each corrected by how wrong the
    estimates of its kind of subject were so far.
    """

    def __init__(self, plan, kind_of, stream=None, now=time.monotonic):
        self.plan, self.kind_of, self.now = plan, kind_of, now
        self.stream = stream or sys.stdout
        self.terminal = self.stream.isatty()
        self.done = 0
        self.started = now()
        self.run_started = self.started
        self.spent = {}  # kind -> [seconds taken, seconds estimated]

    def left(self):
        """Seconds that the runs not yet finished will take."""
        def factor(kind):
            taken, expected = self.spent.get(kind, (0, 0))
            # One second of belief in the estimates: the first short run decides nothing.
            return (taken + 1) / (expected + 1)
        kinds = [self.kind_of(run) for run in self.plan[self.done:]]
        factors = {kind: factor(kind) for kind in set(kinds)}
        return sum(run.estimate * factors[kind]
                   for run, kind in zip(self.plan[self.done:], kinds))

    def start(self, run):
        self.run_started = self.now()
        if self.terminal:
            self._rewrite(f"{self._place(self.done + 1)} about {clock(self.left())} left   "
                          f"{run.title}")

    def finish(self, run, note):
        taken = self.now() - self.run_started
        spent = self.spent.setdefault(self.kind_of(run), [0.0, 0.0])
        spent[0] += taken
        spent[1] += run.estimate
        self.done += 1
        if not self.terminal:
            print(f"{self._place(self.done)} {clock(self.now() - self.started)} gone, about "
                  f"{clock(self.left())} left   {run.title}: {note}",
                  file=self.stream, flush=True)

    def say(self, message):
        """A line that stays, such as a run that failed."""
        self._rewrite("")
        print(message, file=self.stream, flush=True)

    def close(self):
        self._rewrite("")

    def _place(self, number):
        width = len(str(len(self.plan)))
        return f"[{number:{width}}/{len(self.plan)}]"

    def _rewrite(self, text):
        if self.terminal:
            self.stream.write("\r\x1b[K" + text[:100])
            self.stream.flush()
