"""What is claimed, what was not found as published, and the gate."""
from plots.claims.claims import limit_text, number, source_of
from plots.claims.conditions import FAILS, HOLDS, NOT
from plots.publication.latex import table
from plots.publication.latex.writing import cell, escaped, tabular


@table
def claims(find):
    """Every claim, what is asked, what was found; over as many pages as it takes."""
    ragged = ">{\\raggedright\\arraybackslash}p"
    lines = [f"\\begin{{longtable}}{{@{{}}{ragged}{{0.47\\linewidth}}{ragged}{{0.13\\linewidth}}"
             f"{ragged}{{0.2\\linewidth}}{ragged}{{0.13\\linewidth}}@{{}}}}",
             "\\toprule", "claim & asked & found & \\\\", "\\midrule", "\\endhead",
             "\\bottomrule", "\\endfoot"]
    for published, title in ((False, "Limits of our own"), (True, "Published elsewhere")):
        lines.append(f"\\multicolumn{{4}}{{@{{}}l}}{{\\emph{{{title}}}}} \\\\*")
        for each in find.outcomes:
            if each.published != published or each.why_not:
                continue
            found = cell(each) + (f" ({escaped(each.worst.split(':')[-1])})" if each.worst else "")
            source = f" [{escaped(source_of(each.claim))}]" if published else ""
            lines.append(" & ".join([escaped(each.sentence) + source,
                                     escaped(limit_text(each.claim)), found,
                                     each.verdict]) + " \\\\[1pt]")
    return "\n".join([*lines, "\\end{longtable}"]) + "\n"


@table
def apart(find):
    """Why what was published was not found here, an item each."""
    found = [each for each in find.outcomes if each.published and not each.why_not
             and each.verdict != "reproduced"]
    if not found:
        return "All of them were reproduced.\n"
    items = [f"\\item {escaped(each.sentence)} Published: {escaped(limit_text(each.claim))}; here "
             f"{number(each.median)} ({number(each.low)} to {number(each.high)}). "
             f"Not alike: {escaped(each.claim['published']['why'])}."
             for each in found]
    return "\n".join(["\\begin{itemize}", *items, "\\end{itemize}"]) + "\n"


@table
def gate(find):
    """Which condition holds of which experiment, and why one does not."""
    first = next(iter(find.judged.values()), [])
    marks = {HOLDS: "holds", FAILS: "no", NOT: "--"}
    rows = [[f"{each.number}. {escaped(each.asks)}",
             *(marks[every[place].state] for every in find.judged.values())] for place, each in enumerate(first)]
    whys = []
    for name, every in find.judged.items():
        apart = find.document["experiment"][name].get("apart", {})
        for each in every:
            if each.state == FAILS:
                reason = f". Set apart: {escaped(apart[each.name])}" if each.name in apart else ""
                whys.append(f"\\item {escaped(name)}, {each.number}: {escaped(each.why)}{reason}.")
    below = ["\\begin{itemize}", *whys, "\\end{itemize}"] if whys else []
    return "\\noindent " + tabular(">{\\raggedright\\arraybackslash}p{0.33\\linewidth}" + "c" * len(find.judged),
                                 ["", *map(escaped, find.judged)], rows) + "\n".join(below) + "\n"
