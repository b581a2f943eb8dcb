"""What mutators feel under load: the runs of `lru`, `server` and the adversaries by kind. figures/load draws them."""
import statistics
import textwrap
from dataclasses import dataclass

from plots.data.names import order_of, round_size
from plots.data.packed import restored
from plots.stats.mmu import merged

SATURATED = "saturated"
OFF = "ouro-off"      # with settings besides, they follow a +
USUAL_LOAD = "50"
SIMPLE = "simple"
LATENCIES = {SIMPLE: "simple", "1ms": "metered, 1 ms", "10ms": "metered, 10 ms", "100ms": "metered, 100 ms",
             "full": "metered, the whole run"}


@dataclass(frozen=True, order=True)
class Kind:
    workload: str
    live: int
    shuffled: bool
    threads: int
    unflagged: int
    load: str   # per cent, "N/s", or SATURATED; or two of these with a comma, which take turns

    @property
    def name(self):
        """The workload for people, and what of it is not as usual."""
        parts = [self.workload, f"{round_size(self.live)} alive"]
        if self.shuffled:
            parts.append(order_of(True))
        if self.threads > 1:
            parts.append(f"{self.threads} mutators")
        if self.unflagged:
            parts.append(f"{self.unflagged} % unflagged")
        return ", ".join(parts)

    @property
    def title(self):
        return f"{self.name}, {load_text(self.load)}"

    @property
    def usual(self):
        """One mutator, in order, all of it flagged, one load."""
        return (not self.shuffled and self.threads == 1 and not self.unflagged
                and not takes_turns(self.load))


def takes_turns(load):
    return "," in load


def load_text(load):
    if takes_turns(load):
        return " and ".join(map(load_text, load.split(","))) + " in turn"
    if load == SATURATED:
        return SATURATED
    return f"{int(load[:-2]):,} operations/s" if is_rate(load) else f"{load} % load"


def folded(name):
    """For a tick: in two lines where one would be too long."""
    return "\n".join(textwrap.wrap(name, 42))


def is_rate(load):
    return load.endswith("/s")


def load_order(load):
    """Per cents first, then rates, then saturated, last those that take turns."""
    if takes_turns(load):
        return 3, *(each for part in load.split(",") for each in load_order(part))
    if load == SATURATED:
        return 2, 0
    return (1, int(load[:-2])) if is_rate(load) else (0, int(load))


def by_kind(results):
    """{Kind: {subject: {invocation: result}}}, in order, loads ascending."""
    found = {}
    for row in results.rows:
        if "operations_due" in row["result"] and row["repeat"] == 0:
            params = row["params"]
            kind = Kind(row["workload"], row["objects"], row["shuffled"],
                        params.get("threads", 1), params.get("unflagged", 0), params["load"])
            found.setdefault(kind, {}).setdefault(row["subject"], {})[row["invocation"]] = (
                row["result"])
    order = sorted(found, key=lambda kind: (kind.workload, kind.live, kind.shuffled, kind.threads,
                                            kind.unflagged, load_order(kind.load)))
    return {kind: {name: found[kind][name] for name in results.subjects if name in found[kind]}
            for kind in order}


def without_collector(subject):
    """The subject of the same settings that collects nothing."""
    return "+".join([OFF, *subject.split("+")[1:]])


def collecting(runs):
    """Of {subject: ...} those that collect."""
    return {name: each for name, each in runs.items() if name != without_collector(name)}


def two_loads(kinds):
    """What a figure with room for two loads shows: half load, or the middle one of what there is;
    and saturated."""
    scheduled = sorted({kind.load for kind in kinds} - {SATURATED}, key=load_order)
    usual = USUAL_LOAD if USUAL_LOAD in scheduled else (
        scheduled[len(scheduled) // 2] if scheduled else USUAL_LOAD)
    return usual, SATURATED


def shown(kinds, workload="lru", most=4):
    """The kinds that figures show: of the largest heap as usual each load; then the server's."""
    def largest(name):
        usual = [kind for kind in kinds if kind.workload == name and kind.usual]
        live = max((kind.live for kind in usual), default=None)
        return [kind for kind in usual if kind.live == live]
    mine = largest(workload)
    server = [kind for kind in largest("server")
              if kind.load in two_loads(kinds)] if mine else largest("server")
    return mine[:most] + server[-2:]


def invocations(kinds, chosen):
    return [len(runs) for kind in chosen for runs in kinds[kind].values()]


def pauses_of(result):
    """[(start, ns)] of each mutator: those less than a budget apart are one."""
    budget = result.get("pause_budget_ns", 0)
    return [merged(points, budget)
            for points in [result["pause_points"], *result.get("other_pause_points", [])]]


def pause_lengths(runs):
    """Of all mutators of all invocations."""
    return [ns for result in runs.values() for ns in (
        restored(result["pause_digest"]["merged"]) if "pause_digest" in result
        else [ns for points in pauses_of(result) for _, ns in points])]


def jitter_ns(runs):
    """What the machine did to a thread that slept beside the runs: the p99 of each, their median."""
    found = [result["hiccups"]["p99_ns"] for results in runs.values()
             for result in results.values() if result.get("hiccups", {}).get("p99_ns")]
    return statistics.median(found) if found else None


def latency(result, window):
    """Percentiles of a row: simple, or metered over a window; None where there are none."""
    if window == SIMPLE:
        return result.get("simple_latency")
    return (result.get("metered_latency") or {}).get(window)


def lacking(result):
    """What of simple and metered latency a row of requests lacks; texts."""
    return [LATENCIES[window] for window in LATENCIES if not (latency(result, window) or {}).get("p50_ns")]
