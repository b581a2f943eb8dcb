"""What processors are worth: medians by the number of threads, of the experiment `cores`."""
import statistics

from plots.data.experiments import Missing

EXPERIMENT = "cores"
LOAD = "300000/s"
PROCESSORS = 16
# What `workers=0` is with so many processors.
ALL, QUARTER = {"workers": "0"}, {"workers": str(PROCESSORS // 4)}
# What mutators get done: by whom, with which settings.
MUTATORS = (("stw", {}), ("stw-parallel", ALL), ("concurrent", QUARTER))


def chosen(find, workload, subject=None, settings=None, **params):
    """The results of the runs with these settings and parameters."""
    return [row["result"] for row in find.rows(EXPERIMENT)
            if row["workload"] == workload and subject in (None, row["subject"])
            and all(row.get("settings", {}).get(key) == value for key, value in (settings or {}).items())
            and all(row["params"].get(key) == value for key, value in params.items())]


def middle(results, of):
    """None if there are none."""
    return statistics.median(map(of, results)) if results else None


def numbers(find, workload, key):
    """The values of a parameter, in order."""
    found = sorted({row["params"][key] for row in find.rows(EXPERIMENT) if row["workload"] == workload})
    if not found:
        raise Missing(f"experiment {EXPERIMENT}: no run of {workload}")
    return found


def stopped(find, threads, shuffled):
    """A full collection of living objects by so many threads, with the world stopped."""
    return (chosen(find, "graph", "stw", shuffled=shuffled) if threads == 1 else
            chosen(find, "graph", "stw-parallel", {"workers": str(threads)}, shuffled=shuffled))


def team_sizes(find):
    """The numbers of threads that collect."""
    return [1, *sorted({int(row["settings"]["workers"]) for row in find.rows(EXPERIMENT)
                        if row["workload"] == "graph" and row["subject"] == "stw-parallel"})]


def at_load(find, workers, threads, load):
    return chosen(find, "lru", "concurrent", {"workers": str(workers)}, threads=threads, load=load)


def over_processes(find, threads):
    """What threads that make garbage get done, over as many processes; None for one."""
    return middle([result for result in chosen(find, "churn", "stw", threads=threads)
                   if result.get("threads_over_processes")], lambda result: result["threads_over_processes"])
