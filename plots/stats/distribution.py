"""Samples: quantiles, tails and their bands, slopes, metered latency; and what invocations measured."""
import math
import statistics

import numpy

from plots.stats.pairing import CONFIDENCE, FEWEST, SEED


def values(by_invocation, key):
    """{invocation: number} of what a configuration measured. `key`: a name, or a function of the
    result; what is none or zero is left out."""
    of = key if callable(key) else lambda result: result.get(key)
    found = {invocation: of(result) for invocation, result in by_invocation.items()}
    return {invocation: value for invocation, value in found.items() if value}


def median_of(by_invocation, key, scale=1.0):
    found = list(values(by_invocation, key).values())
    return statistics.median(found) * scale if found else None


def slope(sizes, times):
    """d log(time) / d log(size) by least squares: 1 is linear. None with fewer than 2 sizes."""
    if len(set(sizes)) < 2:
        return None
    x, y = [math.log(each) for each in sizes], [math.log(each) for each in times]
    mean_x, mean_y = statistics.fmean(x), statistics.fmean(y)
    return (sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y))
            / sum((a - mean_x) ** 2 for a in x))


def quantile(ordered, part):
    """The nearest-rank quantile of sorted samples: `part` of them are no greater."""
    return ordered[max(0, math.ceil(round(part * len(ordered), 9)) - 1)]


def interquartile(values):
    """Those from the first to the third quartile: what neither a disturbance nor luck made."""
    ordered = sorted(values)
    out = len(ordered) // 4
    return ordered[out:len(ordered) - out]


def tail(samples, most=400):
    """[(1 / (1 - p), value)] with p the part of the samples that are smaller: all of them, or no
    more than about `most`, spread evenly over the logarithm of the first. The greatest is there."""
    ordered = sorted(samples)
    n = len(ordered)
    if n <= most:
        places = range(n)
    else:
        places = sorted({min(n - 1, round(n - n ** (1 - i / (most - 1)))) for i in range(most)})
    return [(n / (n - i), ordered[i]) for i in places]


def band(invocations, parts, draws=999):
    """[(low, high)] of the nearest-rank quantile of all samples together, for each part of `parts`: the
    95 % percentile interval when whole invocations are drawn anew. Empty with fewer than FEWEST.

    `invocations` are lists of samples. It holds where a part leaves some samples above it; of the
    greatest there is no interval.
    """
    invocations = [each for each in invocations if len(each)]
    if len(invocations) < FEWEST:
        return []
    owners = numpy.repeat(numpy.arange(len(invocations)), [len(each) for each in invocations])
    values = numpy.concatenate([numpy.asarray(each, float) for each in invocations])
    order = numpy.argsort(values, kind="stable")
    values, owners = values[order], owners[order]
    generator = numpy.random.default_rng(SEED)
    found = numpy.empty((draws, len(parts)))
    for place in range(draws):
        drawn = generator.integers(0, len(invocations), len(invocations))
        below = numpy.cumsum(numpy.bincount(drawn, minlength=len(invocations))[owners])
        ranks = numpy.maximum(1, numpy.ceil(numpy.round(numpy.asarray(parts) * below[-1], 9)))
        found[place] = values[numpy.searchsorted(below, ranks)]
    edge = (1 - CONFIDENCE) / 2
    low, high = numpy.quantile(found, [edge, 1 - edge], axis=0, method="inverted_cdf")
    return list(zip(low.tolist(), high.tolist()))


def metered(durations, window):
    """Latencies as DaCapo Chopin meters them (Blackburn et al., ASPLOS 2025; smoothing over time in its
    LatencyReporter), of operations that followed one another without a gap: those that began within
    half a `window` of an operation are spaced evenly over their time, which gives it a synthetic start,
    and it is as late as its end is after its synthetic or its actual start, whichever is more. None:
    over the whole run. A window that holds no other operation leaves the simple latency.
    """
    taken = numpy.asarray(durations, float)
    ends = numpy.cumsum(taken)
    starts = ends - taken
    half = (10 * ends[-1] if window is None else window) / 2
    first = numpy.searchsorted(starts, starts - half, side="left")
    last = numpy.minimum(numpy.searchsorted(starts, starts + half, side="left"), len(starts) - 1)
    number = last - first
    interval = (starts[last] - starts[first]) / numpy.maximum(number, 1)
    synthetic = numpy.where(number > 0, starts[first] + (numpy.arange(len(starts)) - first) * interval,
                            starts)
    return numpy.maximum(taken, ends - synthetic)
