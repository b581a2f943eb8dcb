"""Heaps captured from Python programs: the pause alive and as garbage, ours and CPython's on
the same heap, and what a container takes in memory."""
import statistics

from plots.data.names import order_of, round_size, short_label
from plots.data.results import HEAP_PREFIX
from plots.drawing import ratios
from plots.drawing.axes import canvas, legend
from plots.drawing.section import Drawing, Lacks, Section
from plots.drawing.tables import comparison, reference
from plots.stats.distribution import values
from plots.stats.pairing import mean_ratio, paired_ratios, summarize

from matplotlib.patches import Patch

PAUSES = (("live_collect_ns", "everything alive"), ("garbage_collect_ns", "everything garbage"))


def container_bytes(result):
    """Bytes a container, ours or as captured; None if it was not counted."""
    if not result.get("container_bytes") or not result.get("containers"):
        return None
    return result["container_bytes"] / result["containers"]


def captured_bytes(result):
    """Of a rebuilt heap: what a container took where it was captured."""
    if not result.get("captured_container_bytes") or not result.get("containers"):
        return None
    return result["captured_container_bytes"] / result["containers"]


def groups_of(results):
    """[(program, shuffled, {subject: {invocation: result}}, containers)]. Ours alone is shuffled:
    an interpreter's heap lies as its program made it."""
    found = []
    for heap in results.heaps:
        for shuffled in results.orders_of(heap):
            runs = {name: results.of(name, heap, shuffled=shuffled) for name in results.subjects}
            counts = [result["live_objects"] for each in runs.values() for result in each.values()
                      if result.get("live_objects")]
            if counts:
                program = heap.removeprefix(HEAP_PREFIX).removesuffix("-shuffled" * shuffled)
                found.append((program, shuffled, runs, statistics.median(counts)))
    return found


def times(ratio):
    return f"{ratio:.1f} ×" if ratio >= 0.95 else f"{ratio:.2f} ×"


def mean_text(ratio):
    what = f" ({ratio.low:.2f} to {ratio.high:.2f})" if ratio.interval and ratio.varies else ""
    return times(ratio.median) + what


def name_of(group, orders):
    program, shuffled, _, containers = group
    order = f", {order_of(shuffled)}" if len(orders) > 1 else ""
    return f"{program}{order}\n{round_size(round(containers))} tracked"


def draw_bars(axes, place, width, numbers, look):
    """One bar, its median, with whiskers to the least and the greatest. Where it ends."""
    middle = statistics.median(numbers)
    axes.barh(place, middle, width * 0.92, **look.bar(), xerr=[[middle - min(numbers)],
                                                               [max(numbers) - middle]],
              error_kw={"elinewidth": 0.7, "capsize": 1.5, "capthick": 0.7})
    return max(numbers)


def draw_pauses(axes, groups, results, looks, key, text):
    """ns a container, comparable over programs; at a peer's bar how many times ours."""
    subjects, first = results.subjects, reference(results)
    width = 0.82 / len(subjects)
    ratios = {}
    for row, (_, _, runs, containers) in enumerate(groups):
        for place, name in enumerate(subjects):
            numbers = [ns / containers for ns in values(runs[name], key).values()]
            if not numbers:
                continue
            at = row + (place - (len(subjects) - 1) / 2) * width
            end = draw_bars(axes, at, width, numbers, looks[name])
            pairs = paired_ratios(values(runs.get(first, {}), key), values(runs[name], key))
            if name != first and pairs:
                ratio = summarize(pairs)
                ratios.setdefault(name, []).append(pairs)
                axes.annotate(times(ratio.median), (end, at), xytext=(3, 0),
                              textcoords="offset points", fontsize=5.8, va="center")
    means = [f"{short_label(name)} {mean_text(mean_ratio(each))}"
             for name, each in ratios.items() if len(groups) > 1]
    axes.set_title(text)
    axes.set_xlabel("\n".join(["pause, ns a tracked container",
                               *(["geometric mean of all:"] if means else []), *means]))
    axes.margins(x=0.22)
    axes.set_xlim(left=0)


def bytes_of(results, runs):
    """{subject: {invocation: bytes a container}}. What it took in the interpreter is known to the
    capture, which our runs read, where the interpreter's own rows do not say."""
    found = {name: values(runs.get(name, {}), container_bytes) for name in results.subjects}
    if results.ours and results.peers and not found[results.peers[0]]:
        found[results.peers[0]] = values(runs[results.ours[0]], captured_bytes)
    return {name: each for name, each in found.items() if each}


def draw_bytes(axes, groups, results, looks):
    for row, (_, _, runs, _) in enumerate(groups):
        found = bytes_of(results, runs)
        width = 0.82 / max(len(found), 1)
        for place, (name, each) in enumerate(found.items()):
            numbers = list(each.values())
            at = row + (place - (len(found) - 1) / 2) * width
            end = draw_bars(axes, at, width, numbers, looks[name])
            axes.annotate(f"{statistics.median(numbers):.0f}", (end, at), xytext=(3, 0),
                          textcoords="offset points", fontsize=5.8, va="center")
    axes.set_title("memory")
    axes.set_xlabel("bytes a container")
    axes.margins(x=0.2)
    axes.set_xlim(left=0)


def draw(results, looks, groups):
    pauses = [(key, text) for key, text in PAUSES
              if any(values(each, key) for _, _, runs, _ in groups for each in runs.values())]
    sizes = any(bytes_of(results, runs) for _, _, runs, _ in groups)
    orders = {shuffled for _, shuffled, _, _ in groups}
    first = reference(results)
    longest = max(len(line) for group in groups for line in name_of(group, orders).split("\n"))
    ratios = (f"×: the time over that of {short_label(first)}, median of pairs; of the mean in brackets "
              "the 95 % interval. " if first else "")
    figure, (panels,) = canvas(
        results, "Heaps captured from Python programs: one full collection",
        "The same heap, rebuilt here, and in the interpreter that it was captured from. Median "
        "over invocations; whiskers: least and greatest. " + ratios
        + ("Memory: ours with buffers and side tables; CPython's: sys.getsizeof, which has the "
           "collector's head, rounded up to 16. " if sizes else ""),
        results.invocations_of(*results.heaps), columns=len(pauses) + sizes,
        panel=0.35 + len(groups) * (0.13 * len(results.subjects) + 0.16),
        left=0.2 + 0.053 * longest, right=0.15, between=0.22,
        foot=0.4 + 0.125 * (len(results.subjects) if len(groups) > 1 else 0), sharey=True)
    for axes, (key, text) in zip(panels, pauses):
        draw_pauses(axes, groups, results, looks, key, text)
    if sizes:
        draw_bytes(panels[-1], groups, results, looks)
    panels[0].set_yticks(range(len(groups)), [name_of(group, orders) for group in groups])
    panels[0].set_ylim(len(groups) - 0.45, -0.55)
    for axes in panels:
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="y", visible=False)
    shown = [name for name in results.subjects if any(runs[name] for _, _, runs, _ in groups)]
    figure.subplots_adjust(top=figure.subplotpars.top - 0.22 / figure.get_figheight())
    legend(panels[0], [Patch(**looks[name].bar(), label=short_label(name)) for name in shown],
           bbox_to_anchor=(-0.01, 1 + 0.3 / (panels[0].get_position().height
                                             * figure.get_figheight())))
    return figure


def as_ratios(results, looks, groups):
    orders = {shuffled for _, shuffled, _, _ in groups}
    columns = [(text, {name_of(group, orders): {name: values(runs, key) for name, runs in group[2].items()}
                       for group in groups}) for key, text in PAUSES]
    columns.append(("memory", {name_of(group, orders): bytes_of(results, group[2]) for group in groups}))
    return ratios.bars(
        results, looks, "Heaps captured from Python programs, over {base}", columns,
        "Memory: ours with buffers and side tables; CPython's: sys.getsizeof, which has the collector's head, "
        "rounded up to 16.", "times that of {base}",
        "Bars: pause, alive and garbage, and bytes, as times those of {base}, for each captured program")


def section(results, looks):
    groups = groups_of(results)
    if not groups:
        raise Lacks("no run of a captured heap")
    rows = [((program, order_of(shuffled), f"{round(containers):,}"), runs, 1)
            for program, shuffled, runs, containers in groups]
    names = ["program", "order", "tracked"]
    tables = [comparison(results, title, names, rows, key, 1e-6, "{:.2f}", note)
              for title, key, note in (
                  ("Everything alive, ms", "live_collect_ns",
                   "Each process's median of all collections but the first."),
                  ("Everything garbage, ms", "garbage_collect_ns", ""))]
    tables.append(comparison(
        results, "Bytes a container", names,
        [(texts, bytes_of(results, runs), scale) for texts, runs, scale in rows], float, 1,
        "{:.1f}",
        "Ours with buffers and side tables. The interpreter's: sys.getsizeof, which has the "
        "collector's head, rounded up to 16."))
    return Section("Heaps captured from Python programs",
                   "What real programs left in memory, rebuilt object by object and collected; "
                   "beside it the interpreter's own collections of that heap.",
                   [Drawing("captured", "Bars: pause a container, alive and garbage, and bytes a "
                            "container, for each captured program", draw(results, looks, groups),
                            other=as_ratios(results, looks, groups))],
                   [table for table in tables if table.rows], results.where(results.heaps))
