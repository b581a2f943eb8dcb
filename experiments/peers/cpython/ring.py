"""The objects of the `churn` and `young` workloads: rings of instances of a class with `__slots__`."""


def node_class(*more):
    """A class with a slot for the next, one for the one before, and `more`."""
    return type("Node", (object,), {"__slots__": ("next", "previous") + more})


def new_ring(node, size):
    """The first of `size` new instances in a ring, each linked to the next and the one before."""
    first = last = node()
    for _ in range(size - 1):
        each = node()
        last.next = each
        each.previous = last
        last = each
    last.next = first
    first.previous = last
    return first
