"""Whether this interpreter's collector can be made to work in slices, and if not, why."""
import sys

bridge = None  # the extension module, where it can be imported
_failure = None

if sys.implementation.name == "cpython":
    try:
        from ouroboros import _bridge as bridge
    except ImportError as failure:
        _failure = f"the extension module cannot be imported: {failure}"


class Support:
    """True if it is supported; `reason` says why not, and is None if it is."""

    def __init__(self, reason=None):
        self.reason = reason

    def __bool__(self):
        return self.reason is None

    def __repr__(self):
        return "Support(yes)" if self else f"Support(no: {self.reason})"


def supported():
    """A Support: true, or false with the reason. Never raises."""
    if sys.implementation.name != "cpython":
        return Support(f"{sys.implementation.name} is not CPython: it has a collector of its own")
    return Support(_failure if bridge is None else bridge.supported())


def require():
    """The extension module. Raises RuntimeError with the reason where it is not supported."""
    found = supported()
    if not found:
        raise RuntimeError(f"ouroboros cannot be used here: {found.reason}")
    return bridge
