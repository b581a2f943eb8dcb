"""How numbers and tables are written in LaTeX."""
from plots.claims.claims import number


def escaped(text):
    text = str(text).replace("\\", "\\textbackslash ")
    for each in "&%$#_{}":
        text = text.replace(each, "\\" + each)
    return text.replace("µ", "\\textmu{}").replace("~", "\\textasciitilde ")


def cell(found):
    """Median, and small behind it the interval."""
    if found.low == found.high:
        return number(found.median)
    return f"{number(found.median)} \\around{{{number(found.low)}}}{{{number(found.high)}}}"


def stacked(found):
    """The same, the interval below the median."""
    if found.low == found.high:
        return number(found.median)
    return f"\\stacked{{{number(found.median)}}}{{{number(found.low)}}}{{{number(found.high)}}}"


def tabular(columns, head, rows):
    lines = [f"\\begin{{tabular}}{{{columns}}}", "\\toprule", " & ".join(head) + " \\\\", "\\midrule",
             *(row if isinstance(row, str) else " & ".join(row) + " \\\\" for row in rows),
             "\\bottomrule", "\\end{tabular}"]
    return "\n".join(lines) + "\n"
