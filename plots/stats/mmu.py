"""Pauses in time: minimum mutator utilisation, and pauses close together made one."""
import itertools
import statistics


def mmu_curve(pauses, end, windows):
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


def mmu_of_slices(samples):
    """MMU(10 ms), if what a slice of work takes beyond the median one is no time of the mutator's. `samples`: ns, as
    they came."""
    usual, now, pauses = statistics.median(samples), 0, []
    for ns in samples:
        now += ns
        if ns > usual:
            pauses.append((now - (ns - usual), ns - usual))
    return mmu_curve(pauses, now, [10_000_000])[0]


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
