"""Reference counting."""
from plots.data.names import round_size
from plots.publication.latex import table
from plots.publication.latex.writing import cell, escaped, tabular

KINDS = ("plain", "owner", "atomic", "non-owner")


@table
def pairs(find):
    """An increment and a decrement, by who owns the object."""
    sizes = sorted({row["params"]["objects"] for row in find.rows("pairs")
                    if row["workload"] == "pair"})
    rows = []
    for size in sizes:
        select = {"objects": size, "where": "program"}
        rows.append(["one object" if size == 1 else f"{round_size(size)} in turn",
                     *(cell(find("pairs", "pair", kind, "pair_s", scale=1e9, select=select))
                       for kind in KINDS),
                     cell(find("pairs", "pair", "owner", "pair_s", over="atomic", select=select))])
    return tabular("lrrrrr", ["", *(f"{kind}, ns" for kind in KINDS), "owner / atomic"], rows)


@table
def programs(find):
    """Whole programs, over bare and over atomic counts."""
    rows = []
    found = find.rows("programs")
    shares = sorted({row["params"]["shared"] for row in found if row["workload"] == "rc-storm"})
    kinds = [(f"\\texttt{{rc-storm}}, {share}\\,\\% shared", "rc-storm", {"shared": share})
             for share in shares]
    for what, workload, select in (*kinds, ("\\texttt{gcbench}", "gcbench", {}),
                                   ("\\texttt{churn}", "churn", {})):
        def over(other, threads):
            return cell(find("programs", workload, "biased", "thread_ns_per_op|ns_per_op", over=other,
                             select={**select, "threads": threads}))
        rows.append([what, over("plain", 1), over("atomic", 1), over("atomic", 2)])
    return tabular("lrrr", ["", "one thread, over bare", "over atomic", "two threads, over atomic"], rows)
