"""Collections on request."""
from plots.data.experiments import Missing
from plots.drawing.axes import size_axis
from plots.publication.figures import figure
from plots.publication.figures.frame import finish, line, panels


@figure
def pause_vs_heap(find):
    """The pause of a full collection, everything alive, against the heap."""
    rows = [row for row in find.rows("pause") if row["workload"] == "graph"]
    subjects = sorted({row["subject"] for row in rows}, key=lambda name: (name.startswith("c"), name))
    if not rows:
        raise Missing("experiment pause: no run of graph")
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
                ends.append(line(axes, subject, points.items()))
        size_axis(axes, sorted({row["params"]["objects"] for row in rows}), "objects alive")
        axes.set_title("list shuffled" if shuffled else "list in order", fontsize=7.5)
        drawn.append((axes, ends))
    return finish(drawing, drawn, "pause")
