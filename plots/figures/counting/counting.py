"""What counting costs whole programs: rc-storm by how much is shared, and all workloads by threads,
beside bare counts and beside processes."""
import statistics

from plots.data.names import label, short_label
from plots.drawing import ratios
from plots.drawing.axes import canvas, label_ends, plain
from plots.drawing.section import Drawing, Lacks, Section, Table
from plots.drawing.tables import show, show_ratio
from plots.stats.distribution import values
from plots.stats.pairing import paired_ratios, summarize

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

WORKLOADS = ("rc-storm", "gcbench", "churn")
OWNERS = {"first": "is one of the threads", "exited": "has exited",
          "blocked": "is blocked outside"}
COUNTS = ("plain", "gil", "biased", "atomic")   # as rows have it in `refcount`


def threads_of(results, workload):
    return sorted({row["params"].get("threads", 1) for row in results.rows
                   if row["workload"] == workload and row["repeat"] == 0})


def shares_of(results, threads):
    return sorted({row["params"]["shared"] for row in results.rows
                   if row["workload"] == "rc-storm" and row["params"]["threads"] == threads})


def owner_of(results):
    return next(row["params"].get("owner", "first") for row in results.rows
                if row["workload"] == "rc-storm")


def throughput(result):
    """Operations of all threads in a microsecond."""
    return 1e3 * result["threads"] / result["thread_ns_per_op"]


def curve(results, name, threads):
    """[(per cent shared, median throughput)] of a subject."""
    points = []
    for shared in shares_of(results, threads):
        found = results.of(name, "rc-storm", threads=threads, shared=shared)
        if found:
            points.append((shared, statistics.median(map(throughput, found.values()))))
    return points


def counts_of(results, name):
    """The count policy of a subject, as its rows say."""
    return next(row["result"]["refcount"] for row in results.rows if row["subject"] == name)


def break_even(points, others):
    """The per cent, linear between measured ones, from which `others` are faster; None if they
    never are, 0 if they always are."""
    both = [(x, y, dict(others)[x]) for x, y in points if x in dict(others)]
    for place, (x, y, other) in enumerate(both):
        if other >= y:
            if place == 0:
                return x
            x_before, y_before, other_before = both[place - 1]
            before, after = y_before - other_before, other - y
            return x_before + (x - x_before) * before / (before + after)
    return None


def break_evens(results, threads):
    """[(subject, per cent or None)] against the subject whose counts are atomic; bare counts are
    right in one thread alone and have none."""
    atomic = [name for name in results.ours if counts_of(results, name) == "atomic"]
    if not atomic:
        return []
    against = curve(results, atomic[0], threads)
    return [(name, break_even(points, against)) for name in results.ours
            if counts_of(results, name) in ("gil", "biased")
            and (points := curve(results, name, threads)) and against]


def labelled(shares):
    """Of shares in ascending order, those whose labels have room on a logarithmic axis; the last
    one always."""
    found = []
    for share in reversed(shares):
        if not found or share <= 1 or 1.5 * share < found[-1]:
            found.append(share)
    return found[::-1]


def draw_panel(axes, results, looks, threads):
    """The lines' ends, as label_ends takes them."""
    ends = []
    for name in results.ours:
        points = curve(results, name, threads)
        if not points:
            continue
        look = looks[name]
        axes.plot(*zip(*points), color=look.colour, linestyle=look.dash, marker=look.marker)
        for shared, _ in points:
            found = results.of(name, "rc-storm", threads=threads, shared=shared).values()
            every = list(map(throughput, found))
            axes.vlines(shared, min(every), max(every), color=look.colour, linewidth=0.8)
        ends.append((*points[-1], short_label(name), look.colour))
    shares = shares_of(results, threads)
    axes.set_xscale("symlog", linthresh=1, linscale=0.6)
    axes.xaxis.set_major_locator(FixedLocator(labelled(shares)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(plain))
    axes.set_xlim(-0.15, max(shares) * 1.3 if max(shares) else 1)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("operations on shared objects, %")
    return ends


def mark_break_even(axes, results, looks, threads):
    for place, (name, percent) in enumerate(break_evens(results, threads)):
        if percent is None:
            continue
        axes.axvline(percent, color=looks[name].colour, linewidth=0.8, linestyle=(0, (2, 2)))
        axes.annotate(f"break-even {percent:.3g} %", xy=(percent, 0.97 - 0.1 * place),
                      xycoords=("data", "axes fraction"), xytext=(-3, 0),
                      textcoords="offset points", fontsize=6.5, ha="right", va="top",
                      color=looks[name].colour)


def draw(results, looks):
    threads = threads_of(results, "rc-storm")
    columns = min(2, len(threads))
    figure, grid = canvas(
        results, "Counting alone, by how many of the operations are on shared objects",
        "rc-storm: each operation adds and drops a reference to one object, chosen at random; the "
        "owner of those that are shared " + OWNERS[owner_of(results)] + ". "
        "Throughput of all threads together, medians over invocations, least to greatest. "
        "Break-even: atomic counts are faster from there on, linear between what was measured. Bare "
        "counts (plain) are right in one thread alone.",
        [len(results.of(name, "rc-storm", threads=n, shared=shared)) for n in threads
         for name in results.ours for shared in shares_of(results, n)],
        rows=-(-len(threads) // columns), columns=columns, panel=2.1, gap=0.75)
    places = [axes for row in grid for axes in row]
    ends = [draw_panel(axes, results, looks, n) for axes, n in zip(places, threads)]
    for axes, n, each in zip(places, threads, ends):
        axes.set_title(f"{n} thread{'s' * (n > 1)}")
        mark_break_even(axes, results, looks, n)
        label_ends(figure, axes, each)
    for axes in places[len(threads):]:
        axes.set_visible(False)
    for row in grid:
        row[0].set_ylabel("operations a µs")
    return figure


def as_ratios(results, looks):
    """Throughput: what is above 1 is faster than the base."""
    threads = threads_of(results, "rc-storm")

    def axis(axes):
        shares = sorted({share for n in threads for share in shares_of(results, n)})
        axes.set_xscale("symlog", linthresh=1, linscale=0.6)
        axes.xaxis.set_major_locator(FixedLocator(labelled(shares)))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(plain))
        axes.set_xlim(-0.3, max(shares) * 1.5 if max(shares) else 1)
        axes.set_xlabel("operations on shared objects, %")
    return ratios.lines(
        results, looks, "Counting alone: throughput over that of {base}",
        [(f"{n} thread{'s' * (n > 1)}",
          {shared: {name: values(results.of(name, "rc-storm", threads=n, shared=shared), throughput)
                    for name in results.ours} for shared in shares_of(results, n)}) for n in threads],
        "Throughput of all threads together: above 1 is faster. The owner of the objects that are shared "
        + OWNERS[owner_of(results)] + ".", axis, "throughput over that of {base}",
        "The same throughput as times that of {base}, a line a subject, a panel a number of threads", panel=2.1)


def groups(results):
    """[(texts, {subject: {invocation: result}})] of each workload, share and number of threads."""
    found = []
    for workload in WORKLOADS:
        for threads in threads_of(results, workload):
            shares = shares_of(results, threads) if workload == "rc-storm" else [None]
            for shared in shares:
                runs = {name: results.of(name, workload, threads=threads, shared=shared)
                        for name in results.ours}
                text = workload if shared is None else f"{workload}, {shared} % shared"
                found.append(((text, str(threads)),
                              {name: each for name, each in runs.items() if each}))
    return found


def time_of(result):
    return result.get("thread_ns_per_op") or result.get("ns_per_op")


def cost_table(results):
    """Time of an operation, and how many times that of bare counts and of atomic ones."""
    kinds = {counts_of(results, name): name for name in reversed(results.ours)}
    against = [kinds[each] for each in ("plain", "atomic") if each in kinds]
    rows = []
    for texts, found in groups(results):
        for name, runs in found.items():
            times = values(runs, time_of)
            ratios = [summarize(paired_ratios(values(found.get(other, {}), time_of), times))
                      if other != name else None for other in against]
            rows.append([*texts, label(name), str(len(times)),
                         show(statistics.median(times.values()), "{:.2f}"),
                         *map(show_ratio, ratios)])
    return Table("Time of an operation in a thread, ns",
                 ["workload", "threads", "subject", "n", "median",
                  *(f"over {short_label(other)}" for other in against)], rows,
                 "Over another subject: by its time, in the same invocation; 1.06 is 6 % slower.",
                 3)


def processes_table(results):
    rows = []
    for texts, found in groups(results):
        for name, runs in found.items():
            ratios = values(runs, "threads_over_processes")
            if ratios:
                found_here = list(ratios.values())
                rows.append([*texts, label(name), str(len(ratios)),
                             show(statistics.median(found_here), "{:.3f}"),
                             f"{min(found_here):.3f}", f"{max(found_here):.3f}",
                             show_ratio(summarize(found_here))])
    return Table("Throughput of threads over that of as many processes, in the same run",
                 ["workload", "threads", "subject", "n", "median", "least", "greatest", "×"], rows,
                 "1 is as fast. With nothing shared the processes are what threads can reach.", 3)


def break_even_table(results):
    rows = [["rc-storm", str(threads), label(name),
             "never" if percent is None else f"{percent:.3g}"]
            for threads in threads_of(results, "rc-storm")
            for name, percent in break_evens(results, threads)]
    return Table("Break-even with atomic counts, per cent of the operations that are shared",
                 ["workload", "threads", "subject", "per cent"], rows,
                 "Never: faster at every share that was measured.", 3)


def section(results, looks):
    if not any(row["workload"] in ("rc-storm", "gcbench") for row in results.rows):
        raise Lacks("no run of rc-storm or gcbench")
    drawings = []
    if threads_of(results, "rc-storm"):
        drawings.append(Drawing("rc_storm", "Throughput against the part that is shared, a line a "
                                "subject, a panel a number of threads", draw(results, looks),
                                results.where(("rc-storm",)), other=as_ratios(results, looks)))
    tables = [cost_table(results), processes_table(results), break_even_table(results)]
    return Section("Counting", "What counting costs whole programs, by whom the objects belong to.",
                   drawings, [each for each in tables if each.rows], results.where(WORKLOADS))
