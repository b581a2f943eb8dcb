"""Paired ratios, their medians and geometric means, with bootstrap intervals. Each that draws at random has a fixed
seed, so equal numbers give equal results."""
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
