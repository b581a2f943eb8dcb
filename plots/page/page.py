"""The report as one HTML page that needs nothing from elsewhere, no script, no font, no picture: those it has are
in it, and the page forbids itself to fetch any. Without its script it shows everything all the same."""
import base64
import hashlib
import html
from pathlib import Path

from plots.claims import gate
from plots.data.names import label, machine_line, order_of, run_line
from plots.drawing.tables import HOW_TO_READ
from plots.page import raw

SCRIPT = Path(__file__).with_name("page.js").read_text(encoding="utf-8")

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
nav ol { padding-left: 2rem; margin: 0.5rem 0; }
figure { margin: 1rem 0; }
/* White in the dark as well: the figures are made for paper. On a phone they are as wide as is
   needed to read them, and are moved sideways. */
.wide { overflow-x: auto; border: 1px solid var(--line); }
.picture { background: #ffffff; }
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
tfoot td { border-bottom: 0; font-style: italic; }
th button { font: inherit; color: inherit; text-align: inherit; background: none; border: 0; padding: 0;
  margin: 0; cursor: pointer; }
th button::after { content: "\\2195"; opacity: 0.4; padding-left: 0.2em; }
th[aria-sort="ascending"] button::after { content: "\\2191"; opacity: 1; }
th[aria-sort="descending"] button::after { content: "\\2193"; opacity: 1; }
:focus-visible { outline: 2px solid #0072b2; outline-offset: 2px; }
@media (prefers-color-scheme: dark) { :focus-visible { outline-color: #56b4e9; } }
.switch, .all { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 0.75rem; margin: 0.5rem 0;
  font-size: 0.875rem; }
.switch label { cursor: pointer; padding: 0.25rem 0; }
.all button { font: inherit; color: inherit; background: var(--band); border: 1px solid var(--line);
  border-radius: 0.25rem; padding: 0.25rem 0.75rem; cursor: pointer; }
[hidden] { display: none; }
.form + .form { margin-top: 1rem; }
:target { outline: 2px solid var(--quiet); }
details { margin: 0.75rem 0; }
figure details, figure p { margin: 0.25rem 0; }
details.gate summary, details.runs summary { font-weight: 400; }
summary { cursor: pointer; font-weight: 600; }
pre { overflow-x: auto; background: var(--band); padding: 0.75rem; font-size: 0.8125rem; }
@media print { body { max-width: none; } .wide { border: 0; overflow: visible; }
  figure, tr { break-inside: avoid; } figure img { min-width: 0; }
  .switch, .all, th button::after { display: none; }
  h2, h3, summary { break-after: avoid; } table { font-size: 0.6875rem; }
  details:not(.gate, .runs)::details-content { content-visibility: visible; display: block; height: auto; } }
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


def hash_of(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def runs_behind(results, section, part):
    """Which runs it was made of, as links to their rows; or the file; nothing where neither is known."""
    rows = section.shown(part)
    if not rows:
        link = raw.place(results, section.source)
        return f'<p class="quiet">Made of <a href="{link}">{escape(section.source)}</a>.</p>' if link else ""
    numbers = ", ".join(f'<a href="#run{first}">{first if first == last else f"{first} to {last}"}</a>'
                        for first, last in raw.spans(rows))
    number = len({row["run"] for row in rows})
    by = ", ".join(label(name) for name in results.subjects if any(row["subject"] == name for row in rows))
    return (f'<details class="runs quiet"><summary>Made of {number} run{"s" * (number != 1)}</summary>'
            f"<p>Of {escape(', '.join(sorted({row['workload'] for row in rows})))}; by {escape(by)}: {numbers}.</p>"
            "</details>")


def table_of(table, fold, behind):
    """`fold`: shut until it is asked for. `behind`: what it was made of."""
    def cells(row, tag):
        return "".join(
            f'<{tag} class="{("number" if i >= table.words else "word") + " no" * (cell == "no")}">'
            f"{escape(cell)}</{tag}>" for i, cell in enumerate(row))
    head = f"<thead><tr>{cells(table.head, 'th')}</tr></thead>" if any(table.head) else ""
    rows = [f"<tr>{cells(row, 'td')}</tr>" for row in table.rows]
    body, foot = (rows[:-table.means], rows[-table.means:]) if table.means else (rows, [])
    foot = "\n<tfoot>\n" + "\n".join(foot) + "\n</tfoot>" if foot else ""
    sorted_ = ' class="sorted"' if head else ""
    body = "\n".join(body)
    note = f'<p class="quiet">{escape(table.note)}</p>' if table.note else ""
    whole = (f'<div class="wide"><table{sorted_}>{head}<tbody>\n{body}\n</tbody>{foot}</table></div>{note}'
             + gate_of(table.verdicts) + behind)
    if fold:
        return f"<details><summary>{escape(table.title)}</summary>{whole}</details>"
    return f"<h3>{escape(table.title)}</h3>{whole}"


def picture_of(name, words, pictures, formats):
    data = base64.b64encode(pictures[name]).decode("ascii")
    links = ", ".join(f'<a href="{escape(name)}.{kind}">{kind.upper()}</a>' for kind in formats)
    return (f'<div class="wide picture" tabindex="0"><img alt="{escape(words)}" '
            f'src="data:image/svg+xml;base64,{data}"></div>'
            f'<p class="quiet">As a file: {links}.</p>')


def figure_of(drawing, pictures, formats, behind):
    """Where there are two forms of it both, and what switches between them, which the script shows."""
    after = gate_of(drawing.verdicts) + behind
    first = picture_of(drawing.name, drawing.words, pictures, formats)
    other = drawing.other
    if other is None:
        return f"<figure>{first}{after}</figure>"
    second = picture_of(f"{drawing.name}_{other.name}", other.words, pictures, formats)
    texts = {"absolute": "absolute", "ratio": f"ratio to {escape(other.base)}"}
    forms = [("absolute", first), ("ratio", second)] if other.ratio else [("ratio", first), ("absolute", second)]
    inputs = "".join(
        f'<label><input type="radio" name="form-{escape(drawing.name)}" value="{form}" autocomplete="off"'
        f'{" checked" * (place == 0)}> {texts[form]}</label>' for place, (form, _) in enumerate(forms))
    return (f'<figure><div class="switch" role="radiogroup" aria-label="How the figure is drawn" hidden>{inputs}</div>'
            + "".join(f'<div class="form" data-form="{form}">{each}</div>' for form, each in forms)
            + f"{after}</figure>")


def section_of(results, place, section, pictures, formats, fold):
    parts = [f'<h2 id="part{place}">{escape(section.title)}</h2>']
    if section.text:
        parts.append(f"<p>{escape(section.text)}</p>")
    parts += [figure_of(drawing, pictures, formats, runs_behind(results, section, drawing))
              for drawing in section.drawings]
    parts += [table_of(table, fold, runs_behind(results, section, table)) for table in section.tables]
    return "\n".join(parts)


def configs_of(results):
    return "\n".join(
        f"<details><summary>{escape(each['path'])}</summary><pre>{escape(each['text'])}</pre>"
        "</details>" for each in results.meta.get("config", []))


def raw_data(results):
    """The files beside the page, and all runs with what each of them left."""
    def link(row, kind):
        found = raw.place(results, row.get(kind))
        return f'<a href="{found}">{kind}</a>' if found else "-"
    beside = "".join(f'<li><a href="{found}">{escape(name)}</a>: {escape(what)}</li>'
                     for found, name, what in raw.files(results))
    heads = (("run", 1), ("invocation", 1), ("workload", 0), ("objects", 1), ("order", 0), ("subject", 0),
             ("of a pair", 0), ("result", 0), ("seconds", 1), ("log", 0), ("events", 0))
    kinds = ["number" if number else "word" for _, number in heads]
    head = "".join(f'<th class="{kind}">{name}</th>' for kind, (name, _) in zip(kinds, heads))
    rows = []
    for row in sorted(results.made, key=lambda row: row["run"]):
        cells = [str(row["run"]), str(row["invocation"]), escape(row["workload"]),
                 f"{row['objects']:,}" if row["objects"] else "-", order_of(row["shuffled"]),
                 escape(label(row["subject"])), "second" if row["repeat"] else "-", escape(row["status"]),
                 f"{row['seconds']:.2f}", link(row, "log"), link(row, "events")]
        rows.append(f'<tr id="run{row["run"]}">' + "".join(
            f'<td class="{kind}">{cell}</td>' for kind, cell in zip(kinds, cells)) + "</tr>")
    return (f'<h2 id="raw">Raw data</h2><p>Beside this page:</p><ul>{beside}</ul>'
            "<details><summary>All runs</summary>"
            f'<div class="wide"><table class="sorted"><thead><tr>{head}</tr></thead><tbody>\n'
            + "\n".join(rows) + "\n</tbody></table></div>"
            '<p class="quiet">A run is the line of runs.jsonl with this number as its "run", the last of them; there '
            "is the command that repeats it.</p></details>")


def conditions():
    rows = "".join(f'<tr><td class="number">{number}</td><td class="word">{escape(name)}</td>'
                   f'<td class="word">{escape(asks)}</td></tr>'
                   for number, (name, asks, _) in enumerate(gate.CONDITIONS, 1))
    return ("<details><summary>The gate: what is asked of a result that is claimed</summary>"
            f'<div class="wide"><table><tbody>{rows}</tbody></table></div></details>')


def page(results, sections, missing, pictures, formats):
    """The page. `pictures`: {name of a file of a drawing: its SVG}. `formats`: of the files beside it. `missing`:
    [(what, why)]. The tables of a section with figures are folded away, those of one without are shown."""
    title = f"Ouroboros: {results.meta.get('title', results.directory.name)}"
    links = "".join(f'<li><a href="#part{i}">{escape(each.title)}</a></li>'
                    for i, each in enumerate(sections)) + '<li><a href="#raw">Raw data</a></li>'
    lacking = "".join(f'<p class="quiet">Left out: {escape(what)}: {escape(why)}.</p>'
                      for what, why in missing)
    lost = ""
    if results.lost:
        lost = (f"<p><strong>{len(results.lost)} of "
                f"{len(results.lost) + len(results.rows) + results.aside} runs have no result"
                "</strong>; they are listed at the end.</p>")
    body = "\n".join(section_of(results, i, each, pictures, formats, bool(each.drawings))
                     for i, each in enumerate(sections))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src '{hash_of(STYLE)}';
script-src '{hash_of(SCRIPT)}'">
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
<p class="all" hidden>All figures that have both: <button type="button" value="absolute">absolute</button>
<button type="button" value="ratio">as ratios</button></p>
<p class="quiet">{escape(HOW_TO_READ)}</p>
{conditions()}
{body}
{raw_data(results)}
<h3>The experiment as it was read</h3>
{configs_of(results) or '<p class="quiet">Not recorded.</p>'}
<script>{SCRIPT}</script>
</body>
</html>
"""
