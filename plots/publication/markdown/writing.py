"""How numbers and tables are written in Markdown."""
from plots.claims.claims import number


def tabular(head, rows):
    """Markdown; numbers to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def cell(found):
    """Median, and in brackets its interval if the two digits that count differ."""
    low, middle, high = map(number, (found.low, found.median, found.high))
    return middle if low == middle == high else f"{middle} ({low} to {high})"


def code(name):
    return f"`{name}`"
