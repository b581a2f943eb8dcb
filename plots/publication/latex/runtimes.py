"""The same work in every runtime."""
from plots.numbers.finder import rings, slices
from plots.publication.latex import table
from plots.publication.latex.writing import cell, escaped, stacked, tabular


@table
def peers(find):
    """A slice of work in every runtime: the largest heap, and the largest that is shuffled."""
    rows = [[f"\\engine{{{escaped(name)}}}", *map(cell, found)] for name, found in slices(find)]
    return tabular("lrrrrr", ["", "median, \\textmu{}s", "p99.9, ms", "longest, ms", "shuffled, ms",
                              "memory, MiB"], rows)


@table
def backlog(find):
    """Threads that make nothing but garbage: biased counts, and interpreters."""
    threads, found = rings(find)
    rows = [[f"\\engine{{{escaped(name)}}}" + (", stopped" if stopped else ""),
             *(stacked(each) for each in (*dead, grown[-1], *rates))]
            for name, (dead, grown, rates), stopped in found if not name.endswith(("-atomic", "-gil"))]
    spread = f"\\multicolumn{{{len(threads)}}}{{c}}"
    heads = [["", f"{spread}{{dead and not freed, thousand}}", "grown, MiB", f"{spread}{{rings/s, million}}"],
             ["threads:", *map(str, threads), str(threads[-1]), *map(str, threads)]]
    return tabular("l" + "r" * (2 * len(threads) + 1), heads[0], [heads[1], "\\midrule", *rows])
