"""Bounded pauses of CPython's cyclic garbage collector.

    import ouroboros
    ouroboros.enable()          # full collections in slices from now on
    print(ouroboros.stats())

or, without a change to a program, `python -m ouroboros SCRIPT.py`. README.md says whom it helps and what differs.
"""
from ouroboros.budget import DEFAULT, LEAST, MOST
from ouroboros.control import collect, disable, enable, is_enabled
from ouroboros.report import metrics, stats
from ouroboros.support import Support, supported

__all__ = ["DEFAULT", "LEAST", "MOST", "Support", "collect", "disable", "enable", "is_enabled", "metrics", "stats",
           "supported"]
