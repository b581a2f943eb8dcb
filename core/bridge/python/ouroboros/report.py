"""What the pauses were: as a dict, as a table, as Prometheus metrics."""
import time

from ouroboros import control, log, support

QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99_9": 0.999}
CAUSES = {
    "young": "young objects alone, as without the bridge",
    "slice": "and a slice of a full collection",
    "batch": "and garbage that one has found",
    "full": "at once, which the program asked for",
    "all": "",
}


def stats():
    """What has happened since the bridge was enabled, or in this child of a fork. All times are seconds.

    enabled            whether the bridge is
    pause_budget_s     what was asked for; None if it never was enabled
    elapsed_s          since it was enabled, until now or until it was disabled
    pauses             {cause: distribution}: `young` a collection of young objects alone, as without the bridge;
                       `slice` one with a slice of a full collection behind it; `batch` one in which garbage was freed
                       that a full collection had found; `full` a full collection at once, which the program asked
                       for; `all`. A distribution: count, total_s, longest_s, p50_s, p90_s, p99_s and p99_9_s (to
                       within 1/32)
    stopped_share      the part of the elapsed time that was pauses
    mmu_10ms           the least part of any 10 ms that was the program's
    cycles             full collections in slices that ended
    given_up           that were given up: gc.collect(), gc.freeze or want of memory came between
    frozen             those given up because of gc.freeze
    slices             slices that were made
    batches            collections of young objects in which garbage of a cycle was freed
    traced             objects that modules and running frames reached, in all cycles
    candidates         objects that neither tracing nor, where it came to that, marking reached
    refused            of those, what was left to be looked at by components: large structures, and what was alive
    found              objects of garbage found by cycles
    largest_component  objects of the largest dead component that was found to be too large for one look
    skipped            objects that became old without having been looked at young
    old_objects        old objects now, about
    table_bytes        the most memory that a cycle has used, beside the program's
    stage_s            {stage of a cycle: time in it}
    stock_estimate     what CPython's own rule and the time that counting and marking took here suggest that it would
                       have done: collections, longest_s, total_s. An estimate; `python -m ouroboros --compare` measures

    Raises RuntimeError where the extension module cannot be imported.
    """
    enabled = control.is_enabled()
    if support.bridge is None:
        support.require()
    numbers = support.bridge.stats()
    log.look(numbers)
    end_ns = control.state.ended_ns or time.monotonic_ns()
    elapsed = max(end_ns - numbers["since_ns"], 1) / 1e9
    pauses = {cause: _distribution(numbers["pauses"][cause]) for cause in CAUSES}
    plain = ("cycles", "given_up", "frozen", "slices", "batches", "traced", "candidates", "refused", "found",
             "largest_component", "skipped", "old_objects", "table_bytes")
    return {
        "enabled": enabled,
        "pause_budget_s": control.state.pause_budget,
        "elapsed_s": elapsed,
        "pauses": pauses,
        "stopped_share": min(pauses["all"]["total_s"] / elapsed, 1.0),
        "mmu_10ms": numbers["mmu_10ms"],
        **{key: numbers[key] for key in plain},
        "stage_s": {stage: ns / 1e9 for stage, ns in numbers["stage_ns"].items()},
        "stock_estimate": {
            "collections": numbers["stock_collections"],
            "longest_s": numbers["stock_longest_ns"] / 1e9,
            "total_s": numbers["stock_total_ns"] / 1e9,
        },
    }


def _distribution(numbers):
    keys = {"p99_9_s": "p999_ns"}
    return {"count": numbers["count"]} | {
        name: numbers[keys.get(name, name.removesuffix("_s") + "_ns")] / 1e9
        for name in ("total_s", "p50_s", "p90_s", "p99_s", "p99_9_s", "longest_s")}


def table(numbers=None):
    """The statistics for somebody to read: lines."""
    it = stats() if numbers is None else numbers
    columns = ("p50", "p90", "p99", "p99_9", "longest")
    heads = ("count", *(name.replace("_", ".") for name in columns), "total")
    lines = [f"ouroboros: pauses in ms, {it['elapsed_s']:.2f} s, budget {_ms(it['pause_budget_s'] or 0)} ms",
             f"  {'':6}" + "".join(f"{head:>10}" for head in heads)]
    for cause, meaning in CAUSES.items():
        row = it["pauses"][cause]
        cells = [f"{row['count']}", *(_ms(row[f"{name}_s"]) for name in columns), _ms(row["total_s"])]
        lines.append((f"  {cause:6}" + "".join(f"{cell:>10}" for cell in cells) + f"  {meaning}").rstrip())
    stock = it["stock_estimate"]
    lines += [
        f"  stopped {it['stopped_share']:.1%} of the time; MMU(10 ms) {it['mmu_10ms']:.2f}",
        f"  {it['cycles']} cycles ended, {it['given_up']} given up ({it['frozen']} by gc.freeze); "
        f"{it['slices']} slices, {it['batches']} batches",
        f"  {it['found']} objects of garbage found among {it['candidates']} candidates; largest component "
        f"{it['largest_component']}; about {it['old_objects']} old objects",
        f"  tables of at most {it['table_bytes'] / 2**20:.1f} MiB",
        f"  stock (an estimate): {stock['collections']} full collections, the longest {_ms(stock['longest_s'])} ms, "
        f"together {_ms(stock['total_s'])} ms",
    ]
    if not it["enabled"]:
        lines.append("  not enabled now")
    return lines


def _ms(seconds):
    return f"{seconds * 1e3:.3f}" if seconds < 0.1 else f"{seconds * 1e3:.0f}"


COUNTERS = {
    "cycles": "Full collections in slices that ended.",
    "given_up": "Full collections in slices that were given up.",
    "frozen": "Those given up because of gc.freeze.",
    "slices": "Slices of full collections.",
    "batches": "Collections in which garbage of a full collection was freed.",
    "traced": "Objects that modules and running frames reached.",
    "candidates": "Objects that neither tracing nor marking reached.",
    "found": "Objects of garbage found by full collections in slices.",
    "skipped": "Objects that became old without having been looked at young.",
}
GAUGES = {
    "pause_budget_seconds": ("Pause budget.", lambda it: it["pause_budget_s"] or 0.0),
    "mmu_10ms": ("Least part of any 10 ms that was the program's.", lambda it: it["mmu_10ms"]),
    "stopped_share": ("Part of the elapsed time that was pauses.", lambda it: it["stopped_share"]),
    "old_objects": ("Old objects, about.", lambda it: it["old_objects"]),
    "table_bytes": ("Most memory that a cycle has used.", lambda it: it["table_bytes"]),
    "largest_component": ("Objects of the largest dead component.", lambda it: it["largest_component"]),
    "stock_estimate_collections": ("Full collections that CPython would have made; an estimate.",
                                   lambda it: it["stock_estimate"]["collections"]),
    "stock_estimate_longest_seconds": ("Longest of those; an estimate.", lambda it: it["stock_estimate"]["longest_s"]),
    "stock_estimate_seconds": ("All of those; an estimate.", lambda it: it["stock_estimate"]["total_s"]),
}


def metrics():
    """The statistics in Prometheus's text format (version 0.0.4), all since the bridge was enabled."""
    lines = []

    def family(name, kind, help_text, *samples):
        lines.extend((f"# HELP ouroboros_{name} {help_text}", f"# TYPE ouroboros_{name} {kind}"))
        lines.extend(f"ouroboros_{name}{suffix} {value}" for suffix, value in samples)

    family("enabled", "gauge", "Whether full collections are made in slices.", ("", int(control.is_enabled())))
    if support.bridge is not None:
        it = stats()
        family("pause_seconds", "summary", "Pauses, by what they were for.",
               *(sample for cause in CAUSES if cause != "all" for sample in _summary(cause, it["pauses"][cause])))
        family("pause_longest_seconds", "gauge", "Longest pause, by what it was for.",
               *((f'{{cause="{cause}"}}', it["pauses"][cause]["longest_s"]) for cause in CAUSES if cause != "all"))
        for key, text in COUNTERS.items():
            family(f"{key}_total", "counter", text, ("", it[key]))
        for key, (text, value) in GAUGES.items():
            family(key, "gauge", text, ("", value(it)))
    return "\n".join(lines) + "\n"


def _summary(cause, row):
    for name, quantile in QUANTILES.items():
        yield f'{{cause="{cause}",quantile="{quantile}"}}', row[f"{name}_s"]
    yield f'_sum{{cause="{cause}"}}', row["total_s"]
    yield f'_count{{cause="{cause}"}}', row["count"]
