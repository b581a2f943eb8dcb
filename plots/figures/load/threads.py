"""What each thread more is worth: of the collector, to a full collection; of mutators, to what they get done."""
import re
import statistics

from plots.data.loads import SATURATED, by_kind
from plots.data.names import label, order_of, round_size
from plots.drawing.axes import canvas, count_axis, duration, label_ends, log_ticks
from plots.drawing.section import Drawing, Lacks, Section, Table
from plots.drawing.tables import show

from matplotlib.ticker import FuncFormatter

WORKERS = re.compile(r"\+workers=([1-9]\d*)")


def team(subject):
    """(the subject without its number of collector threads, that number; None if it is not said)."""
    found = WORKERS.search(subject)
    return WORKERS.sub("", subject), int(found[1]) if found else None


def collections(results):
    """{(objects, shuffled): {subject: {threads: [ms]}}} of full collections of what is alive."""
    found = {}
    for row in results.where(lambda row: row["workload"] == "graph"):
        subject, threads = team(row["subject"])
        if threads is not None:
            (found.setdefault((row["objects"], row["shuffled"]), {}).setdefault(subject, {})
             .setdefault(threads, []).append(row["result"]["live_collect_ns"] / 1e6))
    return {key: by for key, by in found.items() if max(map(len, by.values())) > 1}


def throughputs(results):
    """{(workload, alive, shuffled, unflagged): {subject: {mutators: [operations a second]}}} of saturated runs."""
    found = {}
    for kind, runs in by_kind(results).items():
        if kind.load == SATURATED:
            for subject, each in runs.items():
                (found.setdefault((kind.workload, kind.live, kind.shuffled, kind.unflagged), {}).setdefault(subject, {})
                 [kind.threads]) = [result["operations_per_s"] for result in each.values()]
    return {key: by for key, by in found.items() if max(map(len, by.values())) > 1}


def name_of(subject, subjects):
    """Its engine, and below it the settings in which not all are alike."""
    engine, *settings = subject.removeprefix("ouro-").split("+")
    alike = set.intersection(*(set(each.split("+")[1:]) for each in subjects))
    return "\n".join([engine, *(each for each in settings if each not in alike)])


def draw(results, looks, found, title, name, below, of_key, unit):
    """A panel a key, a line a subject."""
    columns = min(len(found), 2)
    figure, grid = canvas(results, title, below, [len(each) for by in found.values() for points in by.values()
                                                  for each in points.values()],
                          rows=-(-len(found) // columns), columns=columns, panel=2.0, gap=0.75)
    places, ends = [axes for row in grid for axes in row], []
    for axes, (key, by) in zip(places, found.items()):
        last = []
        for subject, points in by.items():
            its = looks.get(subject) or looks[next(each for each in results.subjects if team(each)[0] == subject)]
            counts = sorted(points)
            middle = [statistics.median(points[each]) for each in counts]
            axes.plot(counts, middle, color=its.colour, linestyle=its.dash, marker=its.marker)
            axes.vlines(counts, [min(points[each]) for each in counts], [max(points[each]) for each in counts],
                        color=its.colour, linewidth=0.8)
            last.append((counts[-1], middle[-1], name_of(subject, by), its.colour))
        count_axis(axes, {count for points in by.values() for count in points}, name)
        axes.set_title(of_key(key), fontsize=7.5)
        ends.append((axes, last))
    for axes in places[len(found):]:
        axes.set_visible(False)
    for axes, last in ends:
        unit(axes)
        label_ends(figure, axes, last)
    return figure


def times(axes):
    axes.set_yscale("log")
    log_ticks(axes.yaxis, duration)
    axes.set_ylabel("full collection")


def rates(axes):
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda n, _: round_size(int(n)) if n else "0"))
    axes.set_ylabel("operations a second")


def heap_text(key):
    objects, shuffled = key
    return f"{round_size(objects)} objects, {order_of(shuffled)}"


def work_text(key):
    workload, live, shuffled, unflagged = key
    return ", ".join([f"{workload}, {round_size(live)} alive", *([order_of(True)] if shuffled else []),
                      *([f"{unflagged} % unflagged"] if unflagged else [])])


def table(found, title, text, of_key, form):
    counts = sorted({count for by in found.values() for points in by.values() for count in points})
    return Table(title, ["", "subject", *map(str, counts)],
                 [[of_key(key), label(subject), *(show(statistics.median(points[each]) if each in points else None, form)
                                                  for each in counts)]
                  for key, by in found.items() for subject, points in by.items()], text)


def section(results, looks):
    teams, mutators = collections(results), throughputs(results)
    if not teams and not mutators:
        raise Lacks("neither collections nor saturated mutators by more than one number of threads")
    drawings, tables = [], []
    if teams:
        words = "A full collection of what is alive, by the number of threads that collect"
        drawings.append(Drawing("threads_collecting", f"{words}, a line a subject", draw(
            results, looks, teams, words, "threads that collect", "Medians over invocations; whiskers: least and "
            "greatest.", heap_text, times), results.where(lambda row: row["workload"] == "graph")))
        tables.append(table(teams, f"{words}, ms", "Medians over invocations.", heap_text, "{:.1f}"))
    if mutators:
        words = "What saturated mutators get done, by their number"
        drawings.append(Drawing("threads_mutating", f"{words}, a line a subject", draw(
            results, looks, mutators, words, "mutators", "Operations of all in a second. Medians over invocations; whiskers: "
            "least and greatest.", work_text, rates), results.behind(by_kind(results))))
        tables.append(table(mutators, f"{words}, operations a second", "Medians over invocations.", work_text, "{:,.0f}"))
    return Section("What each thread more is worth", "", drawings, tables)
