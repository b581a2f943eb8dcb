"""The statistics of figures and tables. Pure functions on lists of numbers; each that draws at random
has a fixed seed, so equal numbers give equal results."""
import itertools
import math
import statistics
import warnings
from dataclasses import dataclass

import numpy
from scipy.stats import bootstrap

CONFIDENCE = 0.95
DRAWS, SEED = 9999, 1
FEWEST = 3   # pairs; with fewer there is no interval


@dataclass(frozen=True)
class Ratio:
    """The median of paired ratios, or the geometric mean of several such medians, with what
    surrounds it."""
    median: float
    low: float
    high: float
    pairs: int       # of a mean: the least of its programs
    interval: bool   # low and high are a 95 % bootstrap interval, else minimum and maximum
    varies: bool = True   # else all ratios are equal, and so are low and high
    programs: int = 1


def paired_ratios(ours, theirs):
    """[theirs / ours] over the invocations that both have, by invocation.

    `ours` and `theirs` are {invocation: positive number}.
    """
    return [theirs[each] / ours[each] for each in sorted(ours.keys() & theirs.keys())
            if ours[each] and theirs[each]]


def medians_mean(*samples, axis=-1):
    """The geometric mean of the samples' medians."""
    logs = [numpy.log(numpy.median(each, axis=axis)) for each in samples]
    return numpy.exp(sum(logs) / len(logs))


def bca(samples, statistic=medians_mean, confidence=CONFIDENCE):
    """Interval of a statistic of one or several independent samples: bias-corrected and
    accelerated bootstrap (Efron 1987). Where no acceleration can be had, since leaving out a single
    value never changes the statistic, the percentile interval of the same draws.

    Pre: each sample has two values or more, and one of them varies.
    """
    data = [numpy.asarray(each, float) for each in samples]
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of a degenerate distribution: the case of `percentile`
        found = bootstrap(data, statistic, n_resamples=DRAWS, vectorized=True, axis=-1, method="BCa",
                          confidence_level=confidence, random_state=SEED)
        if not all(map(math.isfinite, found.confidence_interval)):
            found = bootstrap(data, statistic, n_resamples=0, vectorized=True, axis=-1,
                              method="percentile", confidence_level=confidence,
                              bootstrap_result=found)
    return tuple(map(float, found.confidence_interval))


def summarize(ratios):
    """Ratio of a list of paired ratios: their median with its BCa interval. Of fewer than FEWEST the
    least and the greatest; where all are equal that value, as an interval without width. None if
    there is none."""
    if not ratios:
        return None
    middle = statistics.median(ratios)
    if max(ratios) == min(ratios):
        return Ratio(middle, middle, middle, len(ratios), len(ratios) >= FEWEST, False)
    if len(ratios) < FEWEST:
        return Ratio(middle, min(ratios), max(ratios), len(ratios), False)
    return Ratio(middle, *bca([ratios]), len(ratios), True)


def mean_ratio(programs):
    """Ratio of several lists of paired ratios, one a program: the geometric mean of their medians. The
    interval is over the invocations of each; the programs are these. Where one has fewer than FEWEST
    pairs, the least and the greatest median. None if there is none."""
    programs = [each for each in programs if each]
    if not programs:
        return None
    medians = list(map(statistics.median, programs))
    mean, pairs = geometric_mean(medians), min(map(len, programs))
    varies = any(max(each) > min(each) for each in programs)
    if pairs < FEWEST:
        return Ratio(mean, min(medians), max(medians), pairs, False, varies, len(programs))
    low, high = bca(programs) if varies else (mean, mean)
    return Ratio(mean, low, high, pairs, True, varies, len(programs))


def unpaired_ratio(samples, over):
    """Ratio of the median of one sample to that of another, where nothing pairs their values; `pairs`
    is the smaller number of them. With fewer than FEWEST values of either the least and the greatest
    that any two of them give."""
    middle = statistics.median(samples) / statistics.median(over)
    number = min(len(samples), len(over))
    varies = any(max(each) > min(each) for each in (samples, over))
    if not varies:
        return Ratio(middle, middle, middle, number, number >= FEWEST, False)
    if number < FEWEST:
        return Ratio(middle, min(samples) / max(over), max(samples) / min(over), number, False)
    low, high = bca([samples, over], lambda a, b, axis=-1: (numpy.median(a, axis=axis)
                                                            / numpy.median(b, axis=axis)))
    return Ratio(middle, low, high, number, True)


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def slope(sizes, times):
    """d log(time) / d log(size) by least squares: 1 is linear. None with fewer than 2 sizes."""
    if len(set(sizes)) < 2:
        return None
    x, y = [math.log(each) for each in sizes], [math.log(each) for each in times]
    mean_x, mean_y = statistics.fmean(x), statistics.fmean(y)
    return (sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y))
            / sum((a - mean_x) ** 2 for a in x))


def rank(ordered, part):
    """The nearest-rank quantile of sorted samples: `part` of them are no greater."""
    return ordered[max(0, math.ceil(round(part * len(ordered), 9)) - 1)]


def middle_half(values):
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


def utilisation(pauses, end, windows):
    """[least part of the time that was left to the program in any window, for each window length].

    `pauses` are [(start, length)] by start, not overlapping, of a run from 0 to `end`. None for a
    window longer than the run. A worst window begins with a pause, or lies at an end of the run.
    """
    starts = [max(0, start) for start, _ in pauses]
    ends = [min(end, start + length) for start, length in pauses]
    before = [0, *itertools.accumulate(b - a for a, b in zip(starts, ends))]  # before each pause

    def stopped_until(times):
        """Of the time before each of `times`, which ascend, how much was stopped."""
        place = 0
        for time in times:
            while place < len(starts) and starts[place] <= time:
                place += 1
            yield before[place] - max(0, ends[place - 1] - time) if place else 0

    def worst(window):
        last = end - window
        begin = [start for start in starts if start <= last]
        aligned = zip(stopped_until(start + window for start in begin), before)
        at_ends = zip(stopped_until([window, end]), stopped_until([0, last]))
        return max(after - until for after, until in itertools.chain(aligned, at_ends))

    return [1 - worst(window) / window if 0 < window <= end else None for window in windows]


def utilisation_of_slices(samples):
    """MMU(10 ms), if what a slice of work takes beyond the median one is no time of the mutator's. `samples`: ns, as
    they came."""
    usual, now, pauses = statistics.median(samples), 0, []
    for ns in samples:
        now += ns
        if ns > usual:
            pauses.append((now - (ns - usual), ns - usual))
    return utilisation(pauses, now, [10_000_000])[0]


def merged(pauses, gap):
    """[(start, length)] where pauses less than `gap` apart are one, what ran between them included.

    `pauses` are [(start, length)] by start, not overlapping.
    """
    found = []
    for start, length in pauses:
        if found and start - sum(found[-1]) < gap:
            found[-1] = found[-1][0], start + length - found[-1][0]
        else:
            found.append((start, length))
    return found
