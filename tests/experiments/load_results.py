"""Results of mutators under load, as the tests make them."""
import copy

import support  # noqa: F401  (sets the path)
from plots.stats import distribution, mmu

MS = 1_000_000
SECOND = 1000 * MS
STW, CONCURRENT, OFF = "ouro-stw", "ouro-concurrent", "ouro-off"


def percentiles(samples):
    ordered = sorted(samples)
    parts = {"p50_ns": 0.5, "p90_ns": 0.9, "p99_ns": 0.99, "p999_ns": 0.999, "max_ns": 1}
    return {key: distribution.quantile(ordered, part) if ordered else None for key, part in parts.items()}


def result_of(template, pauses, more=None):
    """Of one mutator that ran a second with these pauses, [(start, ns)], a budget of 0.2 ms."""
    result = copy.deepcopy(template)
    merged = [ns for _, ns in mmu.merged(pauses, 200_000)]
    summary = {"count": len(merged), "total_ns": sum(merged), "wall": percentiles(merged),
               "cpu": percentiles(merged)}
    ten = mmu.mmu_curve(pauses, SECOND, [10 * MS])[0]
    least = {"1ms": 0.5, "10ms": ten, "100ms": 0.9}
    generation = {"count": 2, "total_ns": 10 * MS, "max_ns": 6 * MS}
    result.update(
        run_ns=SECOND, run_cpu_ns=SECOND, mutator_ops=1000, operations_due=1000,
        operations_per_s=1000.0, pauses=summary, merged_pauses=summary, pause_budget_ns=200_000,
        pause_points=[list(each) for each in pauses], other_pause_points=[], mmu=least,
        stopped_fraction=sum(ns for _, ns in pauses) / SECOND, gaps={
            "count": 0, "longest_ns": 0, "unexplained": 0, "longest_unexplained_ns": 0,
            "points": [], "mmu": least},
        time_to_safepoint=percentiles([1000]), latency=percentiles([2000]),
        simple_latency=percentiles([1000]), metered_latency={
            each: percentiles([ns]) for each, ns in (("1ms", 1100), ("10ms", 1500), ("100ms", 1900), ("full", 2000))},
        hiccups=percentiles([30_000]), candidates=2_000_000, rejected=0, condemned=5, resurrected=0,
        backlog_max=100, backlog_mean=50.0, backlog_points=[[SECOND, 100, 0]],
        rss_points=[[0, 1 << 20], [SECOND, 2 << 20]], rss_end_bytes=2 << 20,
        collections={each: generation for each in ("young", "middle", "full")},
        collector_cpu_ns=10 * MS)
    result.update(more or {})
    return result
