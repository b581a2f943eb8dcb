"""What processors are worth."""
from plots.data.experiments import Missing
from plots.drawing.axes import count_axis, label_ends
from plots.numbers.cores import MUTATORS, chosen, numbers, stopped, team_sizes
from plots.publication.figures import figure
from plots.publication.figures.frame import line, panels


@figure
def cores(find):
    """A full collection by its threads, and what mutators get done by theirs: as times what one does."""
    drawing, (left, right) = panels(2, 1.9)
    teams, mutators = team_sizes(find), numbers(find, "lru", "threads")
    ends = []
    for shuffled, subject in ((False, "stw-parallel"), (True, "stw")):
        alone = [result["live_collect_ns"] for result in stopped(find, 1, shuffled)]
        if not alone:
            raise Missing("experiment cores: no collection by one thread")
        base = sorted(alone)[len(alone) // 2]
        found = [(each, [base / result["live_collect_ns"] for result in stopped(find, each, shuffled)])
                 for each in teams]
        *end, _, colour = line(left, subject, [each for each in found if each[1]])
        ends.append((*end, "shuffled" if shuffled else "in order", colour))
    rates = []
    for subject, settings in MUTATORS:
        found = [(each, [result["operations_per_s"] / 1e6 for result in
                         chosen(find, "lru", subject, settings, threads=each, load="saturated")])
                 for each in mutators]
        rates.append(line(right, subject, [each for each in found if each[1]]))
    count_axis(left, teams, "threads that collect")
    count_axis(right, mutators, "mutators")
    left.set_ylabel("times as fast as one thread")
    right.set_ylabel("million operations a second")
    for axes, each in ((left, ends), (right, rates)):
        axes.set_ylim(bottom=0)
        label_ends(drawing, axes, each, size=6)
    return drawing
