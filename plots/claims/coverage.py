"""What a workload does not cover, shown with every figure of it: it is in the results if the workload says it
itself, or else written here. A workload of which neither is so fails the gate."""
from plots.data.results import HEAP_PREFIX

LIMITS = {
    "graph": "a heap of one kind of object with a fixed number of references, collected on request; "
             "nothing runs meanwhile",
    HEAP_PREFIX: "a captured heap stands still: its program does not run; finalizers and weak references "
                 "are not in it",
    "churn": "rings of one size and a live set of one age; no finalizers, no weak references, little "
             "computation between allocations",
    "young": "collections on request; the young have one shape and one age",
    "gc-collect": "rings that nothing else refers to, on request",
    "gc-traversal": "lists of lists that are all alive, on request",
    "rc-storm": "counting and nothing else: no allocation, no collection",
    "gcbench": "trees that counting frees; the collector has little to do",
    "lru": "the oldest dies first; one shape of ring; no finalizers; the mutator does little but allocate",
    "server": "requests of one kind, without input or output, without locks between requests",
    "adversary:": "each kind is an extreme of one thing, and like no program",
    "cycles:": "garbage of one shape, collected on request, beside a live set that stands still",
    "rings": "rings of two to six and nothing else: no program makes as much garbage for as little work, and next to "
             "nothing is alive; an interpreter makes it more slowly than compiled code",
    "btree": "a tree that is built and read, alive, and has no cycle; no text or number is computed",
    "ext": "one function of an extension module, called in a loop",
    "slices": "rings of four that die in turn or at random; no other work between allocations; a runtime "
              "that is told the size of its heap is told it in bytes of its own objects",
}


def limit_of(workload, meta):
    """The words for a workload of results with this metadata; None if nobody wrote them."""
    told = {each["workload"]: each.get("not_covered") for each in meta.get("configurations", [])}
    return told.get(workload) or LIMITS.get(workload) or next(
        (words for name, words in LIMITS.items()
         if name.endswith(":") and f"{workload}:".startswith(name)),
        None)
