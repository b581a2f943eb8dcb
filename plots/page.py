"""The report as one HTML page that needs nothing from elsewhere: no script, no font, no picture."""
import base64
import html

import gate
from results import machine_line, run_line
from tables import HOW_TO_READ

STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1c; --quiet: #5c5c5c; --paper: #ffffff;
  --line: #d4d4d4; --band: #f4f4f4; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e4e4; --quiet: #a8a8a8;
  --paper: #181818; --line: #444444; --band: #232323; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 62rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0.5rem 0; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 0.25rem; padding-top: 0.5rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.5rem 0 0.25rem; }
p { margin: 0.25rem 0 0.75rem; }
a { color: inherit; }
.quiet { color: var(--quiet); font-size: 0.875rem; }
nav ol { padding-left: 1.5rem; margin: 0.5rem 0; }
figure { margin: 1rem 0; }
/* White in the dark as well: the figures are made for paper. On a phone they are as wide as is
   needed to read them, and are moved sideways. */
.wide { overflow-x: auto; border: 1px solid var(--line); }
figure .wide { background: #ffffff; }
figure img { display: block; width: 100%; min-width: 42rem; height: auto; }
table { border-collapse: collapse; font-size: 0.8125rem; font-variant-numeric: tabular-nums;
  width: 100%; }
th, td { padding: 0.2rem 0.6rem; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); }
th { font-weight: 600; background: var(--band); vertical-align: bottom; }
td.number, th.number { text-align: right; white-space: nowrap; }
td.word { overflow-wrap: break-word; }
td.word:last-child { overflow-wrap: anywhere; min-width: 9rem; }
td.no { font-weight: 700; }
details { margin: 0.75rem 0; }
details.gate summary { font-weight: 400; }
summary { cursor: pointer; font-weight: 600; }
pre { overflow-x: auto; background: var(--band); padding: 0.75rem; font-size: 0.8125rem; }
@media print { body { max-width: none; } .wide { border: 0; overflow: visible; }
  figure, tr { break-inside: avoid; } figure img { min-width: 0; } }
"""


def escape(text):
    return html.escape(str(text), quote=True)


def gate_of(found):
    """Which conditions hold for what is above it, and why; nothing where it shows no runs."""
    if not found:
        return ""
    rows = "".join(
        f'<tr><td class="number">{each.number}</td><td class="word">{escape(each.name)}</td>'
        f'<td class="word{" no" * (each.state == gate.FAILS)}">{escape(each.state)}</td>'
        f'<td class="word">{escape(each.why)}</td></tr>' for each in found)
    return (f'<details class="gate quiet"><summary>{escape(gate.line(found))}</summary><div class="wide">'
            f"<table><tbody>{rows}</tbody></table></div></details>")


def table_of(table, fold):
    """`fold`: shut until it is asked for."""
    def cells(row, tag):
        return "".join(
            f'<{tag} class="{("number" if i >= table.words else "word") + " no" * (cell == "no")}">'
            f"{escape(cell)}</{tag}>" for i, cell in enumerate(row))
    head = f"<thead><tr>{cells(table.head, 'th')}</tr></thead>" if any(table.head) else ""
    body = "\n".join(f"<tr>{cells(row, 'td')}</tr>" for row in table.rows)
    note = f'<p class="quiet">{escape(table.note)}</p>' if table.note else ""
    whole = f'<div class="wide"><table>{head}<tbody>\n{body}\n</tbody></table></div>{note}' + gate_of(table.verdicts)
    if fold:
        return f"<details><summary>{escape(table.title)}</summary>{whole}</details>"
    return f"<h3>{escape(table.title)}</h3>{whole}"


def figure_of(drawing, svg):
    data = base64.b64encode(svg).decode("ascii")
    return (f'<figure><div class="wide" tabindex="0"><img alt="{escape(drawing.words)}" '
            f'src="data:image/svg+xml;base64,{data}"></div>{gate_of(drawing.verdicts)}</figure>')


def section_of(place, section, pictures, fold):
    parts = [f'<h2 id="part{place}">{escape(section.title)}</h2>']
    if section.text:
        parts.append(f"<p>{escape(section.text)}</p>")
    parts += [figure_of(drawing, pictures[drawing.name]) for drawing in section.drawings]
    parts += [table_of(table, fold) for table in section.tables]
    return "\n".join(parts)


def configs_of(results):
    return "\n".join(
        f"<details><summary>{escape(each['path'])}</summary><pre>{escape(each['text'])}</pre>"
        "</details>" for each in results.meta.get("config", []))


def conditions():
    rows = "".join(f'<tr><td class="number">{number}</td><td class="word">{escape(name)}</td>'
                   f'<td class="word">{escape(asks)}</td></tr>'
                   for number, (name, asks, _) in enumerate(gate.CONDITIONS, 1))
    return ("<details><summary>The gate: what is asked of a result that is claimed</summary>"
            f'<div class="wide"><table><tbody>{rows}</tbody></table></div></details>')


def page(results, sections, missing, pictures):
    """The page. `pictures`: {name of a drawing: its SVG}. `missing`: [(what, why)]. The tables of a
    section with figures are folded away, those of one without are shown."""
    title = f"Ouroboros: {results.meta.get('title', results.directory.name)}"
    links = "".join(f'<li><a href="#part{i}">{escape(each.title)}</a></li>'
                    for i, each in enumerate(sections))
    lacking = "".join(f'<p class="quiet">Left out: {escape(what)}: {escape(why)}.</p>'
                      for what, why in missing)
    lost = ""
    if results.lost:
        lost = (f"<p><strong>{len(results.lost)} of "
                f"{len(results.lost) + len(results.rows) + results.aside} runs have no result"
                "</strong>; they are listed at the end.</p>")
    body = "\n".join(section_of(i, each, pictures, bool(each.drawings))
                     for i, each in enumerate(sections))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<h1>{escape(title)}</h1>
<p>{escape(machine_line(results.meta))}; {escape(run_line(results))}.</p>
<p class="quiet">Began {escape(results.meta.get('started', 'at an unknown time'))}. Made from
runs.jsonl, meta.json and events of {escape(results.directory.resolve().name)}.</p>
{lost}<nav><ol>{links}</ol></nav>
{lacking}
<p class="quiet">{escape(HOW_TO_READ)}</p>
{conditions()}
{body}
<h3>The experiment as it was read</h3>
{configs_of(results) or '<p class="quiet">Not recorded.</p>'}
</body>
</html>
"""
