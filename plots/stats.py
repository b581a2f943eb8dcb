"""The statistics of figures and tables. Pure functions on lists of numbers."""
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
