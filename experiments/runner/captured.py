"""CPython's figures on a heap that it captured, as a result like any other."""


def as_result(described, engine):
    """The result that the description of a heap file (`heapgraph.py --describe --json`) amounts to.

    What the capture did not measure is null. KeyError if the description lacks something.
    """
    collect, python = described["collect"], described["python"]
    return {
        "workload": "heap",
        "params": {"program": described["program"], "objects": described["objects"],
                   "references": described["references"], "kinds": described["kinds"],
                   "collections": len(collect["samples_ns"])},
        "engine": engine,
        "refcount": "biased" if python["free_threaded"] else "gil",
        "seed": None,
        "live_objects": described["tracked_objects"],
        "containers": described["containers"],
        "references": described["references"],
        "container_bytes": described["container_bytes"],
        "collected": None,
        "live_collect_ns": collect["median_ns"],
        "live_first_collect_ns": collect["first_ns"],
        "live_collect_samples_ns": collect["samples_ns"],
        "garbage_collect_ns": None, "pauses": None, "backlog_max": None,
        "rss_before_bytes": None, "rss_after_bytes": None, "rss_peak_bytes": None,
        "heap_bytes": described["bytes"],
        "wall_ns": None, "cpu_ns": None, "collector_cpu_ns": None, "mutator_ops": None,
        "version": python["build"],
        "executable": python["executable"],
    }
