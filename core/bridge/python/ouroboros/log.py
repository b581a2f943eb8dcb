"""The logger `ouroboros`: what has happened since it was last looked."""
import logging

logger = logging.getLogger("ouroboros")
logger.addHandler(logging.NullHandler())

_seen = {}

LONG_NS = 10_000_000  # a pause that is worth a warning
LARGE = 100_000       # a dead component that is


def look(numbers):
    """Logs what is new in the extension module's statistics. Not from within a pause: handlers may do anything."""
    global _seen
    before, _seen = _seen, flat(numbers)
    if not before or before["since_ns"] != _seen["since_ns"]:
        before = dict.fromkeys(_seen, 0)
    new = {key: value - before[key] for key, value in _seen.items()}
    if new["cycles"]:
        logger.info("%d full collections in slices ended: %d objects of garbage found, of about %d old objects",
                    new["cycles"], new["found"], _seen["old_objects"])
    if new["given_up"]:
        logger.warning("%d full collections in slices were given up (%d of them because of gc.freeze)",
                       new["given_up"], new["frozen"])
    elif new["frozen"]:
        logger.warning("gc.freeze came in the middle of a full collection in slices, which was given up")
    if new["full"]:
        logger.warning("the program asked for %d full collections at once (gc.collect); the longest pause of those was "
                       "%.1f ms: ouroboros.collect() works in slices", new["full"], _seen["longest_full"] / 1e6)
    if new["largest_component"] and _seen["largest_component"] >= LARGE:
        logger.warning("%d dead objects refer to each other in one component, which CPython frees in one pause",
                       _seen["largest_component"])
    if new["longest_own"] and _seen["longest_own"] >= LONG_NS:
        logger.warning("a pause of %.1f ms: a large container, many young objects, or a large dead structure",
                       _seen["longest_own"] / 1e6)


def flat(numbers):
    """What is looked at of the statistics, as one dict of numbers."""
    keys = ("since_ns", "cycles", "found", "old_objects", "given_up", "frozen", "largest_component")
    pauses = numbers["pauses"]
    return {key: numbers[key] for key in keys} | {
        "full": pauses["full"]["count"], "longest_full": pauses["full"]["longest_ns"],
        "longest_own": max(pauses[cause]["longest_ns"] for cause in ("young", "slice", "batch"))}
