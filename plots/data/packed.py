"""Rows as they are kept beside the paper: small. What pauses and percentiles are made of stays exact.

`pause_points` is kept as two columns, and its beginnings as differences in whole microseconds, so that they come back
a microsecond early at most; what pauses took comes back as it was. `slice_samples_ns` does not come back. For it there
are `slice_tail`, {"count": slices after the warm-up, "points": [[number, ns]]} of those beyond the 99th percentile,
`slice_curve_ns`, the medians of a hundred equal parts of all slices, the warm-up's first, and `slice_digest`, of those
after the warm-up {"count", "curve_ns"} as below and `slice_mmu_10ms`.

Under load, and of threads that make nothing but garbage, there are millions of pauses, so of the first WHOLE invocations alone all are kept, with when they were. Of
the others there is `pause_digest`: `sum_ns` of the first mutator's pauses; and of all mutators', as they were (`wall`) and
with those closer than a budget as one (`merged`), {"count", "tail_ns": the lengths beyond the 99th percentile,
"curve_ns": of the others, by length, the medians of a hundred equal parts}.
"""
import statistics

from plots.stats.distribution import quantile
from plots.stats.mmu import merged, mmu_of_slices

# Nothing reads them.
BULK = ("pause_cpu_samples_ns", "live_collect_cpu_samples_ns", "garbage_collect_cpu_samples_ns")
# Rows with one of these have them.
MANY_PAUSES = {"operations_due", "stopped_at_limit"}
OF_TWINS = ("pause_points", "other_pause_points", "backlog_points", "rss_points")
PARTS = 100
WHOLE = 2


def columns(points):
    """[[begin, ns]] as {"us": differences of the beginnings, "ns": durations}."""
    begins = [begin // 1000 for begin, _ in points]
    return {"us": [here - before for before, here in zip([0, *begins], begins)],
            "ns": [ns for _, ns in points]}


def points(kept):
    """The reverse of columns()."""
    found, now = [], 0
    for difference, ns in zip(kept["us"], kept["ns"]):
        now += difference
        found.append([now * 1000, ns])
    return found


def tail(samples):
    """What is kept of the slices after the warm-up."""
    least = quantile(sorted(samples), 0.99)
    return {"count": len(samples), "points": [[i, ns] for i, ns in enumerate(samples) if ns > least]}


def edges(count):
    """Where equal parts of so many samples begin and end."""
    parts = min(PARTS, count)
    return [count * i // parts for i in range(parts + 1)] if parts else [0]


def curve(samples):
    """What is kept of all of them."""
    places = edges(len(samples))
    return [int(statistics.median(samples[first:last])) for first, last in zip(places, places[1:])]


def digest(lengths):
    """What is kept of lengths."""
    ordered = sorted(lengths)
    least = quantile(ordered, 0.99) if ordered else 0
    return {"count": len(ordered), "tail_ns": [ns for ns in ordered if ns > least],
            "curve_ns": curve([ns for ns in ordered if ns <= least])}


def restored(kept):
    """As many lengths as there were: beyond the 99th percentile the same, below it those of their part."""
    places = edges(kept["count"] - len(kept["tail_ns"]))
    return [ns for ns, first, last in zip(kept["curve_ns"], places, places[1:])
            for _ in range(first, last)] + kept["tail_ns"]


def has_slice_lengths(result):
    """Whether slice_lengths() has what it needs: of older packed rows the tail alone is kept."""
    return "slice_samples_ns" in result or "slice_digest" in result


def slice_lengths(result):
    """Lengths of the slices after the warm-up: as they were, in their order; of a packed row as restored() has them."""
    if "slice_samples_ns" in result:
        return result["slice_samples_ns"][result["slices"]["warmup"]:]
    return restored({**result["slice_digest"], "tail_ns": sorted(ns for _, ns in result["slice_tail"]["points"])})


def digest_of_pauses(result):
    """What is kept of the pauses of a run under load."""
    mutators = [result["pause_points"], *result.get("other_pause_points", [])]
    return {"sum_ns": sum(ns for _, ns in mutators[0]),
            "wall": digest([ns for pauses in mutators for _, ns in pauses]),
            "merged": digest([ns for pauses in mutators
                              for _, ns in merged(pauses, result.get("pause_budget_ns", 0))])}


def packed(row):
    """The row without what nothing reads, and small."""
    result = unpacked(row)["result"]
    if result:
        is_digested = (bool(MANY_PAUSES & result.keys()) and "pause_points" in result
                       and not row["repeat"] and row["invocation"] >= WHOLE)
        left_out = {*BULK, *(OF_TWINS if row["repeat"] or is_digested else ()), "slice_samples_ns"}
        if "pause_points" in result and "operations_due" not in result:
            left_out.add("rss_points")
        kept = {key: value for key, value in result.items() if key not in left_out}
        if "gaps" in kept:
            kept["gaps"] = {key: value for key, value in kept["gaps"].items() if key != "points"}
        if is_digested:
            kept["pause_digest"] = digest_of_pauses(result)
        if "pause_points" in kept:
            kept["pause_points"] = columns(kept["pause_points"])
        if "other_pause_points" in kept:
            kept["other_pause_points"] = list(map(columns, kept["other_pause_points"]))
        samples = result.get("slice_samples_ns")
        if samples:
            measured = slice_lengths(result)
            kept["slice_tail"] = tail(measured)
            kept["slice_curve_ns"] = curve(samples)
            kept["slice_digest"] = digest(measured)
            del kept["slice_digest"]["tail_ns"]  # is in slice_tail
            kept["slice_mmu_10ms"] = mmu_of_slices(measured)
        result = kept
    return {**row, "stderr": "", "result": result}


def unpacked(row):
    """A row of results.load as it was before packed(), but for what that left out; any other row as it is."""
    result = row["result"] or {}
    if isinstance(result.get("pause_points"), dict):
        result["pause_points"] = points(result["pause_points"])
    if result.get("other_pause_points") and isinstance(result["other_pause_points"][0], dict):
        result["other_pause_points"] = list(map(points, result["other_pause_points"]))
    return row
