"""What calls cost an extension, and modules and containers that others wrote."""
from plots.numbers.finder import MIB, MS
from plots.publication.latex import table
from plots.publication.latex.writing import cell, escaped, tabular


@table
def extension(find):
    """What calls cost."""
    found = find.rows("extension")
    operations = list(dict.fromkeys(row["params"]["operation"] for row in found))
    ours = [subject for subject in ("ouroboros", "bare") if any(row["subject"] == subject for row in found)]
    rows = []
    for operation in operations:
        select = {"operation": operation}
        numbers = [find("extension", "extension", "cpython", "ns", select=select)]
        for subject in ours:
            numbers += [find("extension", "extension", subject, "ns", select=select),
                        find("extension", "extension", subject, "ns", over="cpython", select=select)]
        rows.append([escaped(operation), *map(cell, numbers)])
    heads = {"ouroboros": ["Ouroboros, ns", "ratio"], "bare": ["bare counts, ns", "ratio"]}
    return tabular("lr" + "rr" * len(ours),
                   ["operation", "CPython, ns", *(head for subject in ours for head in heads[subject])], rows)


@table
def wild(find):
    """Containers that others wrote, under load."""
    containers = list(dict.fromkeys(row["params"]["container"] for row in find.rows("wild")))
    subjects = list(dict.fromkeys(row["subject"] for row in find.rows("wild") if row["subject"] != "cpython-off"))
    rows = []
    for container in containers:
        select = {"container": container}
        for subject in subjects:
            numbers = [cell(find("wild", "wild", subject, metric, scale=scale, select=select))
                       for metric, scale in (("p50_ns", MS), ("p999_ns", MS), ("longest_ns", MS),
                                             ("cpu_ns_per_operation", 1), ("peak_bytes", MIB))]
            name = "CPython" if subject == "cpython" else f"\\engine{{{escaped(subject)}}}"
            rows.append([f"\\code{{{container}}}" if subject == subjects[0] else "", name, *numbers])
    return tabular("llrrrrr", ["", "", "p50, ms", "p99.9", "longest", "CPU, ns an operation", "memory, MiB"], rows)


@table
def modules(find):
    """How far modules that others wrote come."""
    found = find.rows("modules")
    states = [row["result"]["state"] for row in found if row["workload"] == "module"]
    runs = [row["result"] for row in found if row["workload"] == "threads"]
    counts = (("tried", len(states)), ("compile", len(states) - states.count("no")),
              ("can be imported", states.count("imported") + states.count("works")),
              ("do the same as in CPython", states.count("works")))
    rows = [[f"modules that {what}" if what != "tried" else "modules tried", str(count)] for what, count in counts]
    rows += [["packages run by threads without a lock", str(len(runs))],
             ["\\quad that declare they need none", str(sum(run["declared"] for run in runs))],
             ["\\quad that ended well each time",
              str(sum(run["biased"] == run["atomic"] == run["rounds"] for run in runs))]]
    return tabular("lr", ["", "number"], rows)
