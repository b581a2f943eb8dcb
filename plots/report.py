"""Figures, tables and the report of an experiment.

    /usr/bin/python3 plots/report.py RESULTS_DIR

Reads runs.jsonl, meta.json and events/ there and writes beside them:
  NAME.svg, .pdf, .png  each figure that the data allow, and below it which conditions of the gate hold;
                        NAME_ratio or NAME_absolute is its other form, where it has one
  tables.md             all tables
  percentiles.csv       the percentiles of all runs
  report.html           all of it as one page
Prints a short table, which conditions hold for each figure, what was left out and why, what it wrote,
and the page's path last. No number comes from elsewhere.
"""
import sys

import style
from results import Unusable, load, machine_line, run_line
from section import Lacks
import tables

import captured
import fork_cost
import churn
import counters
import counting
import garbage
import gate
import load_candidates
import load_latency
import load_over_time
import load_pauses
import load_scaling
import load_throughput
import load_utilisation
import lower_bound
import others
import page
import pairs
import pause_distribution
import pause_vs_heap
import phases
import provenance
import raw
import slices
import stops
import timelines
import triangle
import utilisation
import young_vs_old

PARTS = (("pause against heap", pause_vs_heap), ("captured heaps", captured),
         ("distribution of pauses", pause_distribution), ("utilisation", utilisation),
         ("time by phase", phases), ("churn", churn), ("young collections", young_vs_old),
         ("counting", counting), ("pairs of counts", pairs), ("stops", stops),
         ("garbage of threads", garbage),
         *((f"load: {what}", part) for what, part in (
             ("pauses", load_pauses), ("latency", load_latency), ("pauses against heap", load_scaling),
             ("utilisation", load_utilisation), ("over time", load_over_time),
             ("throughput", load_throughput), ("candidates", load_candidates))),
         ("pause, backlog and CPU", triangle), ("lower-bound overhead", lower_bound),
         ("slices", slices), ("forks", fork_cost), ("timelines", timelines),
         ("hardware counters", counters),
         ("other workloads", others), ("provenance", provenance))
# Of these nothing is said where there is nothing: most experiments do not ask for them.
OPTIONAL = (others, counting, pairs, stops, garbage, load_pauses, load_latency, load_scaling, load_utilisation,
            load_over_time, load_throughput, load_candidates, triangle, lower_bound, slices, fork_cost,
            timelines, counters)
# But where one of these can be made, the others were asked for, too.
TOGETHER = (load_pauses, load_latency, load_scaling, load_utilisation, load_over_time, load_throughput, load_candidates)


def parts_of(results):
    """([Section], [(what, why)] of those that the results do not allow)."""
    looks = style.looks(results.subjects)
    made, lacking = {}, []
    for name, part in PARTS:
        try:
            made[part] = part.section(results, looks)
        except Lacks as why:
            lacking.append((name, part, str(why)))
    under_load = any(part in made for part in TOGETHER)
    missing = [(name, why) for name, part, why in lacking
               if part not in OPTIONAL or (under_load and part in TOGETHER)]
    return [*made.values()], missing


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


def render(directory):
    """Writes everything; what to print."""
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
            files = style.save(figure, results.directory, name, gate.line(drawing.verdicts))
            pictures[name] = files[0].read_bytes()
            written += files
    table = results.directory / "tables.md"
    table.write_text(markdown(results, sections), encoding="utf-8")
    percentiles = results.directory / "percentiles.csv"
    percentiles.write_text(raw.percentiles(results), encoding="utf-8")
    whole = results.directory / "report.html"
    whole.write_text(page.page(results, sections, missing, pictures), encoding="utf-8")
    return "\n".join([short(sections), "", *gate_lines(sections),
                      *(f"left out: {what}: {why}" for what, why in missing),
                      *map(str, [*written, table, percentiles, whole])])


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: report.py RESULTS_DIR", file=sys.stderr)
        return 2
    try:
        print(render(arguments[0]))
    except Unusable as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
