"""What a comparison runs and in which order. Pure: the same arguments give the same plan.

Invocations are the outermost loop; inside one, every configuration comes once, in an order drawn
from the seed, so that ours and each peer interleave and slow drifts of the machine hit all alike.
"""
import random
from dataclasses import dataclass

DEGREE = 3
HEAP = "heap:ast_stdlib"  # the captured heap: the standard library's syntax trees
REPLACE = 10     # churn: per cent of the new rings that replace a live one
CYCLE_SIZE = 4   # containers in a ring
YOUNG = 2000     # young objects of one collection: CPython's threshold from 3.13 on, and ours
YOUNG_COLLECTIONS = 30


@dataclass(frozen=True)
class Subject:
    """One of what is compared: an engine of ours, or an interpreter."""
    name: str              # "ouro-stw", "cpython-3.11.2", "cpython-3.14.7t"
    kind: str              # "ouro" or "cpython"
    program: str           # path of the command or the interpreter
    engine: str = ""       # ours only


@dataclass(frozen=True)
class Run:
    """One process, or one pipe of two. `pair` is equal for runs whose ratio means something."""
    invocation: int
    workload: str          # "graph", HEAP, "churn" or "young"
    subject: str
    objects: int           # graph; churn: alive; young: old; 0 for a captured heap: its file says
    shuffled: bool
    collections: int
    seed: int              # of the graph
    repeat: int            # 1: the second of an A/A pair, measured for the noise floor alone
    estimate: float        # seconds

    @property
    def pair(self):
        return (self.workload, self.objects, self.shuffled, self.invocation)

    @property
    def title(self):
        what = self.workload
        if self.workload == "graph":
            what += f" {self.objects:,} {'shuffled' if self.shuffled else 'in order'}"
        elif self.workload in ("churn", "young"):
            what += f" {self.objects:,}"
        return f"{self.subject}  {what}" + ("  again" if self.repeat else "")


@dataclass(frozen=True)
class Mode:
    invocations: dict      # heap size in objects -> how many invocations
    heap_invocations: int
    heap_arguments: tuple  # what the captured program is given
    heap_estimates: tuple  # seconds: the capture, our run on the file
    churn: tuple           # live sets
    young: tuple           # old heaps
    other_invocations: int  # of churn and young


MODES = {
    "smoke": Mode({10_000: 1, 30_000: 1}, 1, ("--modules", "20"), (2.0, 0.5),
                  (10_000,), (10_000, 30_000), 1),
    "quick": Mode({10_000: 5, 30_000: 5, 100_000: 5, 300_000: 5, 1_000_000: 3}, 3, (),
                  (9.0, 2.0), (100_000,), (10_000, 100_000, 1_000_000), 3),
    "large": Mode({10_000: 3, 100_000: 3, 1_000_000: 3, 10_000_000: 3}, 3, (), (9.0, 2.0),
                  (100_000, 1_000_000), (10_000, 100_000, 1_000_000, 10_000_000), 3),
    "full": Mode({size: 5 for size in (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000,
                                       10_000_000)}, 5, (), (9.0, 2.0), (100_000, 1_000_000),
                 (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000), 5),
}


def churn_objects(live):
    """How many containers churn makes: the live set is replaced about four times."""
    return live * 40


def collections_for(objects):
    """More samples where a collection takes less than a few milliseconds; equal for everybody."""
    return 15 if objects <= 100_000 else 5


def estimate(kind, objects, shuffled, collections):
    """Seconds, for the time left only. Figures of one 2.6 GHz machine, corrected as runs end."""
    millions = objects / 1e6
    if kind == "ouro":
        alive, build = (0.10 if shuffled else 0.07), 0.2
    else:
        alive = min(2.2, 0.4 + 0.9 * millions ** 0.35) if shuffled else 0.3
        build = 1.6
    return 0.05 + millions * (build + alive * (collections + 3))


def make_plan(mode, subjects, seed):
    """The list of runs. `subjects` are Subjects; the seed fixes order and graphs."""
    wanted = MODES[mode]
    draw = random.Random(seed)
    plan = []
    for invocation in range(max([wanted.heap_invocations, wanted.other_invocations,
                                 *wanted.invocations.values()])):
        block = []
        for objects, invocations in wanted.invocations.items():
            if invocation >= invocations:
                continue
            samples = collections_for(objects)
            for shuffled in (False, True):
                for subject in subjects:
                    cost = estimate(subject.kind, objects, shuffled, samples)
                    for repeat in range(2 if subject.kind == "ouro" else 1):
                        block.append(Run(invocation, "graph", subject.name, objects, shuffled,
                                         samples, seed + invocation, repeat, cost))
        if invocation < wanted.other_invocations:
            block += churn_and_young_runs(subjects, wanted, invocation, seed)
        if invocation < wanted.heap_invocations:
            block += heap_runs(subjects, wanted, invocation, seed)
        draw.shuffle(block)
        plan += capture_first(block)
    return plan


def churn_and_young_runs(subjects, wanted, invocation, seed):
    runs = []
    for subject in subjects:
        slow = 1.0 if subject.kind == "ouro" else 3.0
        runs += [Run(invocation, "churn", subject.name, live, False, 0, seed + invocation, 0,
                     0.1 + slow * churn_objects(live) * 0.15e-6) for live in wanted.churn]
        runs += [Run(invocation, "young", subject.name, old, False, YOUNG_COLLECTIONS,
                     seed + invocation, 0, 0.1 + slow * old * 0.3e-6) for old in wanted.young]
    return runs


def heap_runs(subjects, wanted, invocation, seed):
    """One capture, by the first interpreter, and a run of each of ours on its file."""
    capture, rebuild = wanted.heap_estimates
    peers = [each for each in subjects if each.kind == "cpython"][:1]
    ours = [each for each in subjects if each.kind == "ouro"]
    return [Run(invocation, HEAP, each.name, 0, False, 5, seed + invocation, 0, cost)
            for group, cost in ((peers, capture), (ours, rebuild)) for each in group]


def capture_first(block):
    """The capture writes the file that ours reads, so it takes the first of their places."""
    places = [i for i, run in enumerate(block) if run.workload == HEAP]
    runs = sorted((block[i] for i in places), key=lambda run: run.subject.startswith("ouro"))
    for place, run in zip(places, runs):
        block[place] = run
    return block
