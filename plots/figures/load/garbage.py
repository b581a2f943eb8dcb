"""What waits at most, by how many threads make nothing but garbage, by how much memory grows for it, and how fast
they are: the workload `rings`."""
import statistics

from plots.data.names import short_label
from plots.drawing.axes import canvas, count_axis, label_ends, log_ticks, plain
from plots.drawing.section import Drawing, Lacks, Section
from plots.drawing.tables import comparison

SHOWN = (("Most dead and not freed, thousand", "backlog_max", 1e-3, "{:.1f}"),
         ("Memory grew by, MiB", "rss_growth_bytes", 1 / 2**20, "{:.1f}"),
         ("Rings, million a second", "operations_per_s", 1e-6, "{:.2f}"))


def threads_of(results):
    return sorted({row["params"]["threads"] for row in results.rows if row["workload"] == "rings"})


def stopped(results):
    """Names of those that reached the limit of what may wait."""
    return [name for name in results.subjects
            if any(result["stopped_at_limit"] for threads in threads_of(results)
                   for result in results.of(name, "rings", threads=threads).values())]


def note(results):
    over = stopped(results)
    return ("Medians over invocations; whiskers: least and greatest. CPython makes its rings of a type in C."
            + (f" Stopped at the limit of what may wait: {', '.join(map(short_label, over))}." if over else ""))


def draw(results, looks):
    threads = threads_of(results)
    names = 0.2 + 0.056 * max(len(short_label(name)) for name in results.subjects)  # at the ends of lines
    figure, (panels,) = canvas(
        results, "Threads that make nothing but garbage", note(results),
        [len(results.of(name, "rings", threads=each)) for name in results.subjects for each in threads],
        columns=2, panel=2.6, right=names, between=names + 0.5)
    for axes, (title, key, scale, _) in zip(panels, (SHOWN[0], SHOWN[2])):
        ends = []
        for name in results.subjects:
            points = [(each, [result[key] * scale for result in results.of(name, "rings", threads=each).values()])
                      for each in threads]
            points = [(each, found) for each, found in points if found]
            if not points:
                continue
            middle = [statistics.median(found) for _, found in points]
            look = looks[name]
            axes.errorbar([each for each, _ in points], middle,
                          yerr=[[m - min(found) for m, (_, found) in zip(middle, points)],
                                [max(found) - m for m, (_, found) in zip(middle, points)]],
                          color=look.colour, marker=look.marker, linestyle=look.dash, elinewidth=0.7, capsize=1.8,
                          capthick=0.7)
            ends.append((points[-1][0], middle[-1], short_label(name), look.colour))
        count_axis(axes, threads, "threads")
        axes.set_xlim(threads[0] / 1.2, threads[-1] * 1.2)
        axes.set_title(title)
        if key == "backlog_max":
            axes.set_yscale("log")
            log_ticks(axes.yaxis, plain)
        else:
            axes.set_ylim(bottom=0)
        label_ends(figure, axes, ends)
    return figure


def section(results, looks):
    threads = threads_of(results)
    if not threads:
        raise Lacks("no run of rings")
    groups = [((str(each),), {name: results.of(name, "rings", threads=each) for name in results.subjects}, 1)
              for each in threads]
    return Section("Threads that make nothing but garbage",
                   "Each thread makes rings of two to six containers and drops them; next to nothing is alive.",
                   [Drawing("garbage_of_threads", "How much is dead and not freed at most, and how many rings are made "
                            "a second, against the number of threads", draw(results, looks))],
                   [comparison(results, title, ["threads"], groups, key, scale, form,
                               note(results) if stopped(results) else "") for title, key, scale, form in SHOWN],
                   results.where(("rings",)))
