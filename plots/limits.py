"""What a workload does not cover: it is written here, shown with every figure of it, and a workload
that is not here fails the gate."""
from results import HEAP_PREFIX

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
    "cyclotron:": "units of one size that are dropped together or in turn; the mutator does nothing but make "
                  "them, so that its time is the collector's",
    "binary-trees:": "trees that one thread builds, counts and drops; no other work, no sharing",
    "btree": "a tree that is built and read, alive, and has no cycle; no text or number is computed",
    "ggauss": "random graphs, like no program; objects without data, and no work but references",
    "ext": "one function of an extension module, called in a loop",
    "slices": "rings of four that die in turn or at random; no other work between allocations; a runtime "
              "that is told the size of its heap is told it in bytes of its own objects",
}


def limit_of(workload):
    """The words for a workload; None if nobody wrote them."""
    return LIMITS.get(workload) or next(
        (words for name, words in LIMITS.items()
         if name.endswith(":") and f"{workload}:".startswith(name)),
        None)
