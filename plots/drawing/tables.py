"""Tables: how numbers and ratios are written, the comparison that most parts have, and the two
forms in which tables are given, markdown and text."""
import statistics

from plots.data.names import label, short_label
from plots.drawing.section import Table
from plots.stats.distribution import values
from plots.stats.pairing import mean_ratio, paired_ratios, summarize


def show(value, form="{:.0f}"):
    return "-" if value is None else form.format(value)


def show_ratio(ratio):
    if ratio is None:
        return "-"
    form = "{:.2f}" if ratio.median < 10 else "{:.1f}"
    median, low, high = (form.format(each) for each in (ratio.median, ratio.low, ratio.high))
    if ratio.pairs == 1 and ratio.programs == 1:
        return f"{median} (1 pair)"
    if not ratio.varies and ratio.low == ratio.high:
        return f"{median} (always)"
    what = "95 %: " if ratio.interval else ""
    return f"{median} ({what}{low} to {high})"


def reference(results):
    """The subject of ours that ratios are to; None if none of ours has a result."""
    return next(iter(results.ours), None)


HOW_TO_READ = (
    "In tables, n is the number of invocations. A column with × says how many times as much the "
    "subject that it names needs, over paired invocations: the median, in brackets its 95 % interval "
    "(BCa bootstrap of 9,999 draws), or the least and the greatest of fewer than 3 pairs. The geometric "
    "mean is of the medians above it; its interval is over the invocations, not over the choice of "
    "programs.")


def comparison(results, title, names, groups, key, scale, form, note=""):
    """A row for each group and subject: n, median, least and greatest; and how many times as long
    (or large) the same is with each peer, and, with several engines of ours, with the first of them.

    names: heads of a group's columns. groups: [(texts, {subject: {invocation: result}}, scale)]:
    the group's own scale comes on top of `scale`.
    """
    first = reference(results)
    others = [*results.peers, *([first] if len(results.ours) > 1 else [])]
    head = [*names, "subject", "n", "median", "least", "greatest",
            *(f"{short_label(other)} ×" for other in others)]
    rows, ratios = [], {}
    for texts, found, own in groups:
        for name in results.subjects:
            measured = values(found.get(name, {}), key)
            if not measured:
                continue
            numbers = [each * scale * own for each in measured.values()]
            row = [*texts, label(name), str(len(numbers)), show(statistics.median(numbers), form),
                   show(min(numbers), form), show(max(numbers), form)]
            for other in others:
                pairs = []
                if name in results.ours and other != name:
                    pairs = paired_ratios(measured, values(found.get(other, {}), key))
                if pairs:
                    ratios.setdefault((name, other), []).append(pairs)
                row.append(show_ratio(summarize(pairs)))
            rows.append(row)
    below = 0
    for name in results.ours:
        means = [mean_ratio(found) if len(found) > 1 else None
                 for found in (ratios.get((name, other), []) for other in others)]
        if any(means):
            rows.append(["geometric mean", *[""] * (len(names) - 1), label(name), *[""] * 4,
                         *map(show_ratio, means)])
            below += 1
    return Table(title, head, rows, note, len(names) + 1, means=below)


def markdown(table, line=""):
    """`line`: which conditions of the gate hold for it."""
    kinds = ["---" if i < table.words else "---:" for i in range(len(table.head))]
    lines = ["| " + " | ".join(each.replace("|", "/") for each in row) + " |"
             for row in [table.head, kinds, *table.rows]]
    below = [each for each in (table.note, line) if each]
    note = [" ".join(below), ""] if below else []
    return "\n".join([f"### {table.title}\n", *lines, "", *note])


def text(table):
    """For a terminal."""
    rows = [table.head, *table.rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(table.head))]
    lines = ["  ".join(cell.ljust(width) if i < table.words else cell.rjust(width)
                       for i, (cell, width) in enumerate(zip(row, widths))).rstrip()
             for row in rows]
    return "\n".join([table.title, *("  " + line for line in lines)])
