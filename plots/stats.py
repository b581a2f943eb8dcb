"""The statistics of figures and tables. Pure functions on lists of numbers."""
import itertools
import math
import random
import statistics
from dataclasses import dataclass

ENOUGH_FOR_INTERVAL = 10  # with fewer pairs a bootstrap interval pretends; the range is given


@dataclass(frozen=True)
class Ratio:
    """The median of paired ratios with what surrounds it."""
    median: float
    low: float
    high: float
    pairs: int
    interval: bool   # low and high are a 95 % bootstrap interval, else minimum and maximum


def paired_ratios(ours, theirs):
    """[theirs / ours] over the invocations that both have, by invocation.

    `ours` and `theirs` are {invocation: positive number}.
    """
    return [theirs[each] / ours[each] for each in sorted(ours.keys() & theirs.keys())
            if ours[each] and theirs[each]]


def summarize(ratios):
    """Ratio of a list of paired ratios; None if it is empty."""
    if not ratios:
        return None
    if len(ratios) >= ENOUGH_FOR_INTERVAL:
        low, high = bootstrap_interval(ratios)
        return Ratio(statistics.median(ratios), low, high, len(ratios), True)
    return Ratio(statistics.median(ratios), min(ratios), max(ratios), len(ratios), False)


def bootstrap_interval(values, draws=2000, seed=1):
    """95 % percentile bootstrap interval of the median; the seed makes it repeatable."""
    draw = random.Random(seed)
    medians = sorted(statistics.median(draw.choices(values, k=len(values)))
                     for _ in range(draws))
    return medians[int(0.025 * draws)], medians[int(0.975 * draws) - 1]


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
