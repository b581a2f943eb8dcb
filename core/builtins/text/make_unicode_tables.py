#!/usr/bin/python3
"""Writes unicode_classes.inc, unicode_cases.inc and unicode_numbers.inc beside itself: what this Python knows of code points."""

import os
import sys
import unicodedata

HERE = os.path.dirname(os.path.abspath(__file__))
CODE_POINTS = [chr(number) for number in range(sys.maxunicode + 1)]


def is_case_ignorable(c):
    """Of what stands between a letter and a sigma, told by which small sigma that becomes."""
    return ("A" + c + "\u03a3").lower()[-1] == "\u03c2" and (c + "\u03a3").lower()[-1] == "\u03c3"


def is_title(c):
    return c.istitle() and not c.isupper()


CLASSES = {
    "kAlpha": ("c.isalpha()", str.isalpha),
    "kDecimal": ("c.isdecimal()", str.isdecimal),
    "kDigit": ("c.isdigit()", str.isdigit),
    "kNumeric": ("c.isnumeric()", str.isnumeric),
    "kUpper": ("c.isupper()", str.isupper),
    "kLower": ("c.islower()", str.islower),
    "kTitle": ("c.istitle() and not c.isupper()", is_title),
    "kCaseIgnorable": ("is_case_ignorable(c)", is_case_ignorable),
}
NUMBERS = {
    "kDigits": ("unicodedata.digit(c)", unicodedata.digit),
    "kNumbers": ("unicodedata.numeric(c)", unicodedata.numeric),
}
CASES = {"Upper": str.upper, "Lower": str.lower, "Title": str.title, "Fold": str.casefold}


def rows(values, indent="    ", width=100):
    """Values with commas between them, in lines."""
    line = indent
    for value in values:
        if len(line) + len(value) + 1 > width:
            yield line.rstrip()
            line = indent
        line += value + ", "
    yield line.rstrip()


def edges(belongs):
    """Where the code points begin that belong to a class, and where they end, in turn."""
    inside = False
    for number, c in enumerate(CODE_POINTS):
        if belongs(c) != inside:
            inside = not inside
            yield f"0x{number:X}"


def runs(mapping):
    """(first, last, step, distance): each so many code points become one at that distance."""
    found = []
    for number, c in enumerate(CODE_POINTS):
        to = mapping(c)
        if len(to) != 1 or to == c:
            continue
        distance = ord(to) - number
        if found and found[-1][3] == distance:
            first, last, step, _ = found[-1]
            gap = number - last
            if gap <= 2 and (first == last or gap == step):
                found[-1] = (first, number, gap, distance)
                continue
        found.append((number, number, 1, distance))
    return found


def specials(mapping):
    """What becomes several code points."""
    for number, c in enumerate(CODE_POINTS):
        to = mapping(c)
        if len(to) != 1:
            yield number, [ord(each) for each in to] + [0] * (3 - len(to))


def counted(value):
    """(first, last, of the first, step): so many code points after another have values that grow by a step."""
    found = []
    for number, c in enumerate(CODE_POINTS):
        is_worth = value(c, None)
        if is_worth is None:
            continue
        if found and found[-1][1] == number - 1:
            first, last, start, step = found[-1]
            if first == last:
                step = is_worth - start
            if step == int(step) and start + step * (number - first) == is_worth:
                found[-1] = (first, number, start, int(step))
                continue
        found.append((number, number, is_worth, 0))
    return found


def write(name, lines):
    with open(os.path.join(HERE, name), "w", encoding="ascii") as file:
        file.write(f"// {lines[0]} Made by make_unicode_tables.py.\n")
        file.writelines(line + "\n" for line in lines[1:])


def main():
    lines = ["Classes of code points: where each begins, and where it ends, in turn."]
    for name, (what, belongs) in CLASSES.items():
        lines += ["", f"// {what}", f"constexpr char32_t {name}[] = {{", *rows(edges(belongs)), "};"]
    write("unicode_classes.inc", lines)
    lines = ["What code points are worth as numbers."]
    for name, (what, value) in NUMBERS.items():
        lines += ["", f"// {what}", f"constexpr Number {name}[] = {{"]
        lines += rows(f"{{0x{a:X}, 0x{b:X}, {start!r}, {step}}}" for a, b, start, step in counted(value))
        lines.append("};")
    write("unicode_numbers.inc", lines)
    lines = ["What code points become in another case."]
    for name, mapping in CASES.items():
        lines += ["", f"constexpr Run k{name}Runs[] = {{"]
        lines += rows(f"{{0x{a:X}, 0x{b:X}, {step}, {way}}}" for a, b, step, way in runs(mapping))
        lines += ["};", f"constexpr Special k{name}Specials[] = {{"]
        lines += rows(
            f"{{0x{c:X}, {{{', '.join(f'0x{each:X}' for each in to)}}}}}" for c, to in specials(mapping)
        )
        lines.append("};")
    write("unicode_cases.inc", lines)


if __name__ == "__main__":
    main()
