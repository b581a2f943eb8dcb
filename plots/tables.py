"""The tables of a comparison, as markdown for a README and as plain text for a terminal."""
import statistics

from results import HEAP_PREFIX, OURS, label, machine_line, round_size, run_line
from stats import geometric_mean, paired_ratios, slope, summarize


def values(by_invocation, key):
    """{invocation: number} of what a configuration measured."""
    return {i: result[key] for i, result in by_invocation.items() if result.get(key)}


def per_object(by_invocation, key):
    """Median over invocations of ns (or bytes) an object; None if nothing was measured."""
    found = [result[key] / result["live_objects"] for result in by_invocation.values()
             if result.get(key) and result.get("live_objects")]
    return statistics.median(found) if found else None


def ratio_of(ours, theirs, key):
    return summarize(paired_ratios(values(ours, key), values(theirs, key)))


def show(value, form="{:.0f}"):
    return "-" if value is None else form.format(value)


def show_ratio(ratio):
    if ratio is None:
        return "-"
    if ratio.pairs == 1:
        return f"{ratio.median:.1f} (1 pair)"
    what = "95 %: " if ratio.interval else ""
    return f"{ratio.median:.1f} ({what}{ratio.low:.1f} to {ratio.high:.1f})"


def order_of(shuffled):
    return "shuffled" if shuffled else "in order"


def configurations(results):
    """(objects, shuffled) that were measured with any subject, in the order of tables."""
    return [(size, shuffled) for shuffled in (False, True) for size in results.sizes
            if any(results.graph(name, size, shuffled) for name in results.subjects)]


def table(head, rows):
    numeric = ["---" if i < 2 else "---:" for i in range(len(head))]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, numeric, *rows]) + "\n"


def graph_table(results, key):
    """ns an object of one measure: ours, and each peer with its ratio."""
    head = ["objects", "order", "Ouroboros stw"]
    for peer in results.peers:
        head += [label(peer), "ratio"]
    rows = []
    for size, shuffled in configurations(results):
        ours = results.graph(OURS, size, shuffled)
        row = [round_size(size), order_of(shuffled), show(per_object(ours, key))]
        for peer in results.peers:
            theirs = results.graph(peer, size, shuffled)
            row += [show(per_object(theirs, key)), show_ratio(ratio_of(ours, theirs, key))]
        rows.append(row)
    return table(head, rows)


def mean_ratios(results, key):
    """A line: the geometric mean of the ratios to each peer, over all sizes and orders."""
    parts = []
    for peer in results.peers:
        found = [ratio_of(results.graph(OURS, *each), results.graph(peer, *each), key)
                 for each in configurations(results)]
        medians = [ratio.median for ratio in found if ratio]
        if medians:
            parts.append(f"{label(peer)} {geometric_mean(medians):.1f}")
    return "Geometric mean of the ratios: " + ", ".join(parts) + ".\n" if parts else ""


def heap_table(results):
    head = ["captured heap", "containers", "Ouroboros stw, ms"]
    for peer in results.peers:
        head += [f"{label(peer)}, ms", "ratio"]
    rows = []
    for heap in results.heaps:
        ours = results.heap(OURS, heap)
        every = [r for name in results.subjects for r in results.heap(name, heap).values()]
        counts = sorted({r["live_objects"] for r in every if r["live_objects"]})
        row = [heap[len(HEAP_PREFIX):],
               " to ".join(f"{n:,}" for n in sorted({counts[0], counts[-1]})) if counts else "-",
               show(middle(ours, "live_collect_ns", 1e-6), "{:.1f}")]
        for peer in results.peers:
            theirs = results.heap(peer, heap)
            row += [show(middle(theirs, "live_collect_ns", 1e-6), "{:.1f}"),
                    show_ratio(ratio_of(ours, theirs, "live_collect_ns"))]
        rows.append(row)
    return table(head, rows)


def middle(by_invocation, key, scale=1.0):
    found = list(values(by_invocation, key).values())
    return statistics.median(found) * scale if found else None


def slope_table(results):
    rows = []
    for name in results.subjects:
        row = [label(name), f"{round_size(results.sizes[0])} to {round_size(results.sizes[-1])}"]
        for shuffled in (False, True):
            points = [(size, middle(results.graph(name, size, shuffled), "live_collect_ns"))
                      for size in results.sizes]
            points = [each for each in points if each[1]]
            row.append(show(slope([n for n, _ in points], [t for _, t in points]), "{:.2f}"))
        rows.append(row)
    return table(["subject", "sizes", "in order", "shuffled"], rows)


def cost_table(results):
    """Memory and CPU beside the pause: a pause alone says nothing."""
    rows = []
    for name in results.subjects:
        for size, shuffled in configurations(results):
            runs = results.graph(name, size, shuffled)
            if not runs:
                continue
            before, after = middle(runs, "rss_before_bytes"), middle(runs, "rss_after_bytes")
            pauses = [run["pauses"] for run in runs.values() if run.get("pauses")]
            longest = max((each["wall"]["max_ns"] or 0 for each in pauses), default=0)
            grown = [(run["rss_peak_bytes"] - run["rss_before_bytes"]) / size
                     for run in runs.values()
                     if run.get("rss_peak_bytes") and run.get("rss_before_bytes")]
            rows.append([
                label(name), f"{round_size(size)} {order_of(shuffled)}",
                show(longest / 1e6 or None, "{:.1f}"),
                show(statistics.median(grown) if grown else None),
                show(after / before if before and after else None, "{:.2f}"),
                show(middle(runs, "collector_cpu_ns", 1e-9), "{:.3f}"),
                show(middle(runs, "cpu_ns", 1e-9), "{:.3f}"),
                show(middle(runs, "backlog_max"), "{:,.0f}")])
    return table(["subject", "graph", "longest pause, ms", "peak RSS, bytes an object",
                  "RSS after / before", "collector CPU, s", "process CPU, s",
                  "greatest backlog, objects"], rows)


def noise(results):
    """[A/A ratios]: the same configuration of ours twice in one invocation."""
    return [ratio for each in configurations(results) for ratio in paired_ratios(
        values(results.graph(OURS, *each), "live_collect_ns"),
        values(results.graph(OURS, *each, repeat=1), "live_collect_ns"))]


def same_graph(results):
    """(pairs compared, pairs in which both collected as many objects)."""
    compared = equal = 0
    for size, shuffled in configurations(results):
        ours = results.graph(OURS, size, shuffled)
        for peer in results.peers:
            theirs = results.graph(peer, size, shuffled)
            for i in ours.keys() & theirs.keys():
                compared += 1
                equal += ours[i]["collected"] == theirs[i]["collected"]
    return compared, equal


def own_objects(results):
    """What the interpreters' own objects cost before anything was built."""
    parts = []
    for peer in results.peers:
        found = [r["result"] for r in results.rows if r["subject"] == peer
                 and r["result"].get("baseline_collect_ns")]
        if found:
            time = statistics.median(r["baseline_collect_ns"] for r in found) / 1e6
            parts.append(f"{label(peer)} {found[0]['baseline_objects']:,} containers, "
                         f"{time:.2f} ms")
    return "; ".join(parts)


def gate(results):
    """[(what a result must have, whether it has it, what was found)]"""
    counts = {size: min(len(results.graph(name, size, shuffled)) for name in results.subjects
                        for shuffled in (False, True)) for size in results.sizes}
    enough = bool(counts) and all(n >= (10 if size >= 10_000_000 else 20)
                                  for size, n in counts.items())
    found = ", ".join(f"{round_size(size)}: {n}" for size, n in counts.items()) or "none"
    sizes, pairs = len(results.sizes), noise(results)
    orders = {shuffled for _, shuffled in configurations(results)}
    compared, equal = same_graph(results)
    load = results.meta.get("machine", {}).get("load_before")
    return [
        ("each run its own process, invocations outermost, seeded random order",
         results.meta.get("seed") is not None, f"seed {results.meta.get('seed')}"),
        ("20 invocations (10 at 10 M objects)", enough, found),
        ("first collection apart, all samples kept", True, "runs.jsonl"),
        ("memory and CPU beside the pause", True, "last table"),
        ("an A/A pair", bool(pairs), f"{min(pairs):.2f} to {max(pairs):.2f}" if pairs else "none"),
        ("four heap sizes from 10 k to 10 M, in order and shuffled",
         sizes >= 4 and len(orders) == 2 and results.sizes[0] <= 10_000
         and results.sizes[-1] >= 10_000_000,
         ", ".join(map(round_size, results.sizes)) or "none"),
        ("both sides collected the same number of objects", compared > 0 and compared == equal,
         f"{equal} of {compared} pairs"),
        ("the command was the same from first to last", results.meta.get("same_build") is True,
         {True: "yes", False: "rebuilt meanwhile"}.get(results.meta.get("same_build"),
                                                       "not recorded")),
        ("no run without a result", not results.lost,
         f"{len(results.lost)} of {len(results.lost) + len(results.rows)}"),
        ("machine idle before", load is not None and load < 0.5, f"load {load}"),
        ("all planned runs were made", results.meta.get("complete") is True,
         "yes" if results.meta.get("complete") else "no"),
    ]


def markdown(results):
    meta = results.meta
    build = meta.get("build", {})
    parts = ["# Pause of one full collection, ours and CPython's\n",
             f"{machine_line(meta)}; {run_line(results)}.",
             f"Command: {build.get('ouro_version') or 'version not recorded'}; "
             f"started {meta.get('started', 'unknown')}.",
             "Ratios are the peer's time over ours in the same invocation: their median, and in "
             "brackets the\nleast and the greatest.\n"]
    if results.sizes:
        parts += ["## Everything alive, ns an object\n",
                  graph_table(results, "live_collect_ns"),
                  mean_ratios(results, "live_collect_ns"),
                  "## The first collection, ns an object\n",
                  graph_table(results, "live_first_collect_ns"),
                  "## Everything garbage, ns an object\n",
                  graph_table(results, "garbage_collect_ns"),
                  mean_ratios(results, "garbage_collect_ns")]
    if results.heaps:
        parts += ["## A captured heap, everything alive\n", heap_table(results)]
    if results.sizes:
        parts += ["## Slope: d log(time) / d log(objects), 1 is linear\n", slope_table(results),
                  "## Pause, memory and CPU\n", cost_table(results),
                  "Peak RSS less the RSS before, building included (a peer reads the edges into "
                  "arrays first).\n"]
    own = own_objects(results)
    if own:
        parts.append("Every collection of an interpreter also walks its own objects, and the "
                     f"figures include them: {own}.\n")
    parts += ["## What this result has and lacks\n",
              table(["asked", "found", "holds"],
                    [[what, found, "yes" if holds else "no"]
                     for what, holds, found in gate(results)])]
    if results.lost:
        parts += ["## Runs without a result\n",
                  table(["run", "how", "why"],
                        [[f"{row['subject']} {row['workload']} {row['objects'] or ''}",
                          row["status"], row["reason"].replace("|", "/")]
                         for row in results.lost])]
    return "\n".join(parts)


def short(results):
    """The table for a terminal: alive, a line a size and order, then heap and noise."""
    lines = []
    for peer in results.peers:
        lines += ["", f"everything alive, ns an object: Ouroboros stw and {label(peer)}",
                  f"{'objects':>9}  {'order':9}{'ours':>8}{'CPython':>9}  ratio (range)"]
        for size, shuffled in configurations(results):
            ours, theirs = (results.graph(name, size, shuffled) for name in (OURS, peer))
            lines.append(f"{round_size(size):>9}  {order_of(shuffled):9}"
                         f"{show(per_object(ours, 'live_collect_ns')):>8}"
                         f"{show(per_object(theirs, 'live_collect_ns')):>9}  "
                         f"{show_ratio(ratio_of(ours, theirs, 'live_collect_ns'))}")
        for heap in results.heaps:
            ours, theirs = results.heap(OURS, heap), results.heap(peer, heap)
            if theirs:
                lines.append(f"captured heap {heap[len(HEAP_PREFIX):]}: "
                             f"{show(middle(ours, 'live_collect_ns', 1e-6), '{:.1f}')} ms against "
                             f"{show(middle(theirs, 'live_collect_ns', 1e-6), '{:.1f}')} ms, "
                             f"ratio {show_ratio(ratio_of(ours, theirs, 'live_collect_ns'))}")
    pairs = noise(results)
    if pairs:
        lines.append(f"noise: the same run twice differs by a ratio of {min(pairs):.2f} to "
                     f"{max(pairs):.2f}")
    lines.append("")
    return "\n".join(lines)
