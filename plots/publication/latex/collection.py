"""Collections: captured heaps, candidates, components."""
from plots.data.experiments import Missing
from plots.data.results import HEAP_PREFIX
from plots.numbers.finder import ENGINES, MILLION, MS
from plots.publication.latex import table
from plots.publication.latex.writing import cell, escaped, tabular


@table
def captured(find):
    """Heaps of real programs."""
    names = sorted({row["workload"] for row in find.rows("pause")
                    if row["workload"].startswith(HEAP_PREFIX) and not row["params"]["shuffled"]})
    if not names:
        raise Missing("experiment pause: no captured heap")
    rows = []
    for name in names:
        tracked = find("pause", name, "stw", "live_objects")
        program, without_lock, _ = name.removeprefix(HEAP_PREFIX).partition("-free-threaded")
        rows.append([f"\\texttt{{{escaped(program)}}}{', without a lock' * bool(without_lock)}", f"{tracked.median:,.0f}",
                     *(cell(find("pause", name, subject, "live_collect_ns", scale=MS))
                       for subject in ("stw", "stw-parallel", "cpython-*")),
                     cell(find("pause", name, "stw", "live_collect_ns", over="cpython-*"))])
    return tabular("lrrrrr", ["program", "objects", "\\engine{stw}, ms", "\\engine{stw-parallel}, ms",
                              "CPython, ms", "\\engine{stw} / CPython"], rows)


@table
def rejected(find):
    """What became of candidates."""
    names = sorted({row["workload"] for row in find.rows("components")
                    if row["workload"].startswith("adversary:")})
    rows = []
    for name in names:
        rows.append([f"\\texttt{{{escaped(name.split(':')[1])}}}",
                     *(cell(find("components", name, engine, "rejected", per="candidates", scale=1e6))
                       for engine in ENGINES[1:]),
                     cell(find("components", name, "concurrent", "candidates", scale=MILLION))])
    return tabular("lrrrr", ["", *(f"\\engine{{{each}}}" for each in ENGINES[1:]),
                             "candidates, million (\\engine{concurrent})"], rows)


@table
def components(find):
    """Garbage in components of several shapes: the longest stop, and the whole collection."""
    rows = []
    for shape in ("rings", "chain", "ring"):
        name = f"cycles:{shape}"
        largest = find("components", name, "concurrent", "largest_component")
        rows.append([f"\\texttt{{{shape}}}", f"{largest.median:,.0f}",
                     *(cell(find("components", name, engine, "pauses.cpu.max_ns", scale=MS))
                       for engine in ("stw", "concurrent")),
                     *(cell(find("components", name, engine, "garbage_collect_ns", scale=MS))
                       for engine in ("stw", "concurrent"))])
    return tabular("lrrrrr", ["shape", "largest", "\\engine{stw}: stop, ms", "\\engine{concurrent}",
                              "\\engine{stw}: all, ms", "\\engine{concurrent}"], rows)
