"""Pause budgets: seconds, and how they are written on a command line."""
import re

DEFAULT = 0.5e-3
LEAST = 0.1e-3  # with less, a program that makes nothing but garbage outgrows its collections
MOST = 100e-3
ALLOWED = "from 0.1 ms to 100 ms"
UNITS = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}


def checked(seconds):
    """`seconds` as a float. Raises TypeError or ValueError, which name the argument and what is allowed."""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise TypeError(f"pause_budget must be a number of seconds, {ALLOWED}, not {type(seconds).__name__}")
    if not LEAST <= seconds <= MOST:
        raise ValueError(f"pause_budget must be {ALLOWED} (in seconds, {LEAST} to {MOST}), not {seconds!r}")
    return float(seconds)


def parsed(text):
    """The seconds that `500us`, `1ms`, `1 ms` or `0.5e-3` mean. Raises ValueError."""
    found = re.fullmatch(r"\s*([0-9.]+(?:[eE][-+]?[0-9]+)?)\s*([mun\u00b5]?s|)\s*", text)
    try:
        return checked(float(found[1]) * UNITS[found[2]])
    except (TypeError, ValueError):  # no match, no number, or out of bounds
        raise ValueError(f"a pause budget is {ALLOWED}, as 500us, 1ms or 0.5e-3 (seconds), not {text!r}") from None
