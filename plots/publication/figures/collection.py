"""Collections on request."""
from plots.drawing.axes import size_axis
from plots.numbers.finder import interpreters
from plots.publication.figures import figure
from plots.publication.figures.frame import finish, line, looks, panels


@figure
def pause_vs_heap(find):
    """The pause of a full collection, everything alive, against the heap."""
    rows = [row for row in find.rows("pause") if row["workload"] == "graph"]
    peers = interpreters(find, "pause", "graph")
    subjects, shown = [*sorted({row["subject"] for row in rows} - {*peers}), *peers], looks(peers)
    drawing, places = panels(2, 1.9)
    drawn = []
    for axes, shuffled in zip(places, (False, True)):
        ends = []
        for subject in subjects:
            points = {}
            for row in rows:
                if row["subject"] == subject and row["params"]["shuffled"] == shuffled:
                    points.setdefault(row["params"]["objects"], []).append(
                        row["result"]["live_collect_ns"] / 1e6)
            if points:
                ends.append(line(axes, subject, points.items(), shown[subject]))
        size_axis(axes, sorted({row["params"]["objects"] for row in rows}), "objects alive")
        axes.set_title("list shuffled" if shuffled else "list in order", fontsize=7.5)
        drawn.append((axes, ends))
    return finish(drawing, drawn, "pause")
