"""What processors are worth."""
from plots.claims.claims import number
from plots.numbers.cores import LOAD, MUTATORS, at_load, chosen, middle, numbers, over_processes, stopped, team_sizes
from plots.publication.latex import table
from plots.publication.latex.writing import tabular


def shown(found, scale):
    return "" if found is None else number(found * scale)


@table
def cores(find):
    """By the number of threads: collections, mutators, counting, stops."""
    counting = (("biased", 0), ("biased", 100), ("atomic", 0))
    stops = {row["params"]["threads"] for row in find.rows("cores") if row["workload"] == "stop"}
    threads = sorted({*team_sizes(find), *numbers(find, "rc-storm", "threads"), *stops})
    rows = []
    for each in threads:
        rows.append([
            str(each),
            *(shown(middle(stopped(find, each, shuffled), lambda r: r["live_collect_ns"]), 1e-6)
              for shuffled in (False, True)),
            *(shown(middle(chosen(find, "lru", subject, settings, threads=each, load="saturated"),
                           lambda r: r["operations_per_s"]), 1e-6) for subject, settings in MUTATORS),
            shown(over_processes(find, each), 1),
            *(shown(middle(chosen(find, "rc-storm", "stw", {"refcount": policy}, threads=each, shared=shared),
                           lambda r: r.get("thread_ns_per_op") or r["ns_per_op"]), 1)
              for policy, shared in counting),
            shown(middle(chosen(find, "stop", "running", threads=each), lambda r: r["stop_p50_ns"]), 1e-3)])
    over = " & ".join(["", "\\multicolumn{2}{c}{full collection, ms}",
                       "\\multicolumn{3}{c}{saturated \\texttt{lru}, million operations a second}",
                       "\\texttt{churn}", "\\multicolumn{3}{c}{a pair of counts, ns a thread}", "stop,"]) + " \\\\"
    return tabular("r" * 11, ["threads", "in order", "shuffled", *(f"\\engine{{{name}}}" for name, _ in MUTATORS),
                              "over processes", "own", "shared", "own, atomic", "\\textmu{}s"],
                   rows).replace("\\toprule\n", "\\toprule\n" + over + "\n", 1)


@table
def workers(find):
    """A concurrent collector by its threads: at a rate with one mutator, and saturated."""
    many = max(numbers(find, "lru", "threads"))
    rows = []
    for each in team_sizes(find):
        steady = at_load(find, each, 1, LOAD)
        rows.append([
            str(each),
            shown(middle(steady, lambda r: r["merged_pauses"]["wall"]["p999_ns"]), 1e-6),
            shown(middle(steady, lambda r: r["mmu"]["100ms"]), 1),
            shown(middle(steady, lambda r: r["stopped_fraction"]), 1),
            shown(middle(steady, lambda r: r["run_cpu_ns"] / r["mutator_ops"]), 1e-3),
            *(shown(middle(at_load(find, each, threads, "saturated"), lambda r: r["operations_per_s"]), 1e-6)
              for threads in (1, many))])
    return tabular("rrrrrrr", ["threads", "p99.9, ms", "MMU(100\\,ms)", "stopped", "CPU, \\textmu{}s",
                               "1 mutator", f"{many} mutators"], rows)
