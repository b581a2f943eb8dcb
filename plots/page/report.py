"""Figures, tables and the report of an experiment.

    /usr/bin/python3 plots/report.py [--formats FORMAT,...] RESULTS_DIR

Reads runs.jsonl, meta.json and events/ there and writes beside them:
  NAME.svg, .pdf, .png  each figure that the data allow, and below it which conditions of the gate hold;
                        NAME_ratio or NAME_absolute is its other form, where it has one;
                        --formats says which of svg, pdf and png are written
  tables.md             all tables
  percentiles.csv       the percentiles of all runs
  report.html           all of it as one page
Prints a short table, which conditions hold for each figure, what was left out and why, what it wrote,
and the page's path last. No number comes from elsewhere.
"""
import sys

from plots.claims import gate
from plots.data.foreign import fresh
from plots.data.names import machine_line, run_line
from plots.data.results import Unusable, load
from plots.drawing import style, tables
from plots.page import page, raw
from plots.page.parts import parts_of


def markdown(results, sections):
    parts = [f"# {results.meta.get('title', 'Results')}\n",
             f"{machine_line(results.meta)}; {run_line(results)}.\n",
             f"{tables.HOW_TO_READ}\n"]
    for section in sections:
        parts += [f"## {section.title}\n",
                  *(tables.markdown(each, gate.line(each.verdicts)) for each in section.tables)]
    return "\n".join(parts)


def short(sections):
    """For a terminal: the first table of the first part, and those of captured heaps alive."""
    shown = [each.tables[0] for each in sections[:2] if each.drawings and each.tables]
    return "\n\n".join(map(tables.text, shown))


def gate_lines(sections):
    """For a terminal: each figure's line."""
    return [f"{each.name}: {gate.line(each.verdicts)}" for section in sections
            for each in section.drawings if each.verdicts]


def render(directory, formats=style.FORMATS):
    """Writes everything, figures as files of these formats; what to print."""
    results = load(directory)
    style.apply()
    sections, missing = parts_of(results)
    written, pictures = [], {}
    gate.judge(results, sections)
    for drawing in (each for section in sections for each in section.drawings):
        forms = {drawing.name: drawing.figure}
        if drawing.other:
            forms[f"{drawing.name}_{drawing.other.name}"] = drawing.other.figure
        for name, figure in forms.items():
            pictures[name], files = style.save(figure, results.directory, name, gate.line(drawing.verdicts), formats)
            written += files
    table = fresh(results.directory / "tables.md")
    table.write_text(markdown(results, sections), encoding="utf-8")
    percentiles = fresh(results.directory / "percentiles.csv")
    percentiles.write_text(raw.percentiles(results), encoding="utf-8")
    whole = fresh(results.directory / "report.html")
    whole.write_text(page.page(results, sections, missing, pictures, formats), encoding="utf-8")
    return "\n".join([short(sections), "", *gate_lines(sections),
                      *(f"left out: {what}: {why}" for what, why in missing),
                      *map(str, [*written, table, percentiles, whole])])


def main(arguments):
    formats = style.FORMATS
    if arguments[:1] == ["--formats"] and len(arguments) > 1:
        wanted, arguments = arguments[1].split(","), arguments[2:]
        for each in wanted:
            if each not in style.FORMATS:
                print(f"report.py: --formats: found {each!r}; allowed: {', '.join(style.FORMATS)}", file=sys.stderr)
                return 2
        formats = tuple(each for each in style.FORMATS if each in wanted)
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: report.py [--formats FORMAT,...] RESULTS_DIR", file=sys.stderr)
        return 2
    try:
        print(render(arguments[0], formats))
    except Unusable as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 1
    return 0
