"""Runs the experiments that the paper's claims need, here, and checks each claim.

    ouro reproduce [--quick] [-o DIR] [CLAIM...]
    ouro reproduce --from DIR [CLAIM...]

DIR gets a results directory for each experiment, claims.md, and reproduction.html: every claim with what was found
here and in the paper's own data, and the paper's figures of both. What is in DIR already is gone on with. --quick:
small sizes and few invocations, under a quarter of an hour; to see that all works, not to judge by. --from: of what
was measured before.

Exit status: 0 if every claim with a limit of the project is held or open, 1 if one is not held or could not be
measured, 2 for arguments that mean nothing. What was published elsewhere has no say in that.
"""
import argparse
import html
import os
import signal
import subprocess
import sys
import textwrap
from datetime import datetime, timezone
from pathlib import Path

from plots.claims import claims
from plots.claims.claims import limit_text, number, source_of, with_unit
from plots.data.experiments import ROWS_OF, Missing, read_all, read_or_none
from plots.numbers.finder import Finder
from plots.publication.figures import figure
from plots.publication.figures.frame import apply, save

ROOT = Path(__file__).resolve().parents[2]   # the source tree, or where it was installed
PYTHON = "/usr/bin/python3"
QUICK = "quick run: small sizes, few invocations; not to judge by"


def first_that_exists(*places):
    return next((each for each in places if each.exists()), places[0])


# In the source tree, and where it was installed.
CONFIGS = first_that_exists(ROOT / "experiments" / "configs", ROOT / "configs")
COMPARE = ROOT / "experiments" / "peers" / "extension" / "compare"
MODULES = ROOT / "tests" / "wild" / "wild.py"
WILD = ROOT / "experiments" / "peers" / "wild" / "compare"
INSTRUCTIONS = ROOT / "experiments" / "micro" / "instructions"
REFERENCE = ROOT / "paper" / "data"


def steps(name, plan, quick, ouro, place):
    """The commands that make an experiment's results, or why they cannot be made."""
    wanted = {**plan, **(plan.get("quick", {}) if quick else {})}
    if "config" in plan:
        command = [ouro, "run", CONFIGS / wanted["config"], "-o", place]
        for each in wanted.get("set", []):
            command += ["--set", each]
        return [*command, *(["--resume"] if (place / "meta.json").exists() else [])], ""
    if "micro" in plan:
        program = ouro.with_name("ouro_micro")
        if not program.exists():
            return None, f"there is no {program}"
        library = ouro.parent.parent / "lib" / "libouroboros.so"
        if library.exists() and program.stat().st_mtime < library.stat().st_mtime:
            return None, f"{program} is older than {library}, whose headers it was built with: build it again"
        return [program, f"--benchmark_filter={plan['micro']}", f"--benchmark_out={place / 'micro.json'}",
                f"--benchmark_repetitions={wanted['repetitions']}", "--benchmark_out_format=json",
                f"--benchmark_min_time={0.01 if quick else 0.05}",
                "--benchmark_enable_random_interleaving=true"], ""
    scripts = {"instructions": INSTRUCTIONS, "extension": COMPARE, "wild": WILD, "modules": MODULES}
    script = next(each for key, each in scripts.items() if key in plan)
    if not script.exists():
        return None, f"there is no {script}"
    if script in (WILD, MODULES) and "OURO_WILD" not in os.environ:
        return None, "OURO_WILD does not say where tests/wild/wild.py has put the sources"
    if "modules" in plan:
        return [PYTHON, script, "report", os.environ["OURO_WILD"], "--json", place / "modules.json"], ""
    if "wild" in plan:
        return [PYTHON, script, os.environ["OURO_WILD"], "--build", ouro.parent.parent, "--runs", wanted["repetitions"],
                "--seconds", 1 if quick else 5, "--json", place / "wild.json"], ""
    if "instructions" in plan:
        return [PYTHON, script, "--build", ouro.parent.parent, "--runs", wanted["repetitions"],
                "--json", place / "instructions.json"], ""
    bare = ouro.parent.parent.with_name("build-plain")  # which experiments/run makes
    return [PYTHON, script, "--build", ouro.parent.parent, *(["--bare", bare] if bare.exists() else []),
            "--runs", wanted["repetitions"], "--count", 200_000 if quick else 2_000_000,
            "--json", place / "extension.json"], ""


def interrupt(*_):
    raise KeyboardInterrupt


def measure(names, document, quick, ouro, directory):
    """Makes the results; {experiment: why it is not all there}."""
    problems = {}
    for name in names:
        place = directory / name
        command, why = steps(name, document["experiment"][name], quick, ouro, place)
        if command is None:
            problems[name] = f"experiment {name}: {why}"
            continue
        if any((place / f"{each}.json").exists() for each in ("micro", *ROWS_OF)):
            continue
        print(f"== {name}: {' '.join(map(str, command))}", flush=True)
        if "config" not in document["experiment"][name]:
            place.mkdir(parents=True, exist_ok=True)
        environment = {key: value for key, value in os.environ.items() if key != "OURO"}
        environment["OURO_BUILD"] = str(ouro.parent.parent)
        quiet = subprocess.DEVNULL if "micro" in document["experiment"][name] else None
        status = subprocess.run([str(each) for each in command], stdout=quiet, env=environment,
                                stdin=subprocess.DEVNULL, check=False).returncode
        if status:
            problems[name] = f"experiment {name}: its command ended with {status}"
            if status in (130, -2):
                raise KeyboardInterrupt
    return problems


def shown(outcome):
    """(found, interval, n) as texts."""
    if outcome is None or outcome.why_not:
        return "-", "-", "-"
    return (with_unit(number(outcome.median), outcome.claim),
            f"{number(outcome.low)} to {number(outcome.high)}", str(outcome.n))


HEAD = ("claimed", "asked", "here", "interval", "n", "reference", "")


def table(outcomes, references, needs):
    """[[text, ...]]: a row a claim. `needs`: {experiment: what it needs besides `ouro`}."""
    rows = []
    for each in outcomes:
        found, interval, n = shown(each)
        if each.worst:
            found += f" ({each.worst.split(':')[-1]})"
        asked = limit_text(each.claim) + (f" [{source_of(each.claim)}]" if each.published else "")
        verdict = each.verdict + (f": {each.why_not}" if each.why_not else "")
        if each.why_not and each.claim["experiment"] in needs:
            verdict += f"; it needs {needs[each.claim['experiment']]}"
        if each.verdict == "not reproduced":
            verdict += f": {each.claim['published']['why']}"
        rows.append([f"{each.claim['id']}: {each.sentence}", asked, found, interval, n,
                     shown(references.get(each.claim["id"]))[0], verdict])
    return rows


def as_text(rows):
    """For a terminal: cells are folded."""
    widths = (46, 22, 16, 18, 4, 12, 34)
    lines = []
    for row in [HEAD, *rows]:
        cells = [textwrap.wrap(cell, width) or [""] for cell, width in zip(row, widths)]
        for place in range(max(map(len, cells))):
            lines.append("  ".join((cell[place] if place < len(cell) else "").ljust(width)
                                   for cell, width in zip(cells, widths)).rstrip())
        lines.append("")
    return "\n".join(lines)


def as_markdown(rows, heading):
    lines = ["| " + " | ".join(cell.replace("|", "/") for cell in row) + " |"
             for row in [HEAD, ["---"] * len(HEAD), *rows]]
    return "\n".join([f"# {heading}\n", *lines, ""])


def draw(find, directory, suffix, note):
    """{name of a figure: file, or why there is none}."""
    apply()
    made = {}
    for name, make in figure.all().items():
        try:
            drawing = make(find)
            if note:
                drawing.text(0.998, 0.5, note, ha="right", va="center", fontsize=5, rotation=270)
            path = directory / f"{name}{suffix}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            save(drawing, path)
            made[name] = path
        except Missing as why:
            made[name] = str(why)
    return made


def page(rows, heading, here, reference, directory):
    def picture(found):
        if isinstance(found, Path):
            return f'<img src="{html.escape(str(found.relative_to(directory)))}" alt="">'
        return html.escape(found)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    pictures = "".join(
        f"<h3>{html.escape(name.replace('_', ' '))}</h3><div class=two><figure>{picture(here[name])}"
        f"<figcaption>here</figcaption></figure><figure>{picture(reference[name])}<figcaption>the paper's data"
        "</figcaption></figure></div>" for name in here)
    return f"""<!doctype html><meta charset="utf-8"><title>{html.escape(heading)}</title>
<style>body{{font:15px/1.4 sans-serif;margin:2em auto;max-width:75em;padding:0 1em}}
table{{border-collapse:collapse}}
td,th{{border-bottom:1px solid #ccc;padding:.3em .5em;text-align:left;vertical-align:top}}
.two{{display:flex;gap:1em;flex-wrap:wrap}}figure{{margin:0;flex:1 1 30em}}img{{max-width:100%}}</style>
<h1>{html.escape(heading)}</h1>
<table><tr>{"".join(f"<th>{each}</th>" for each in HEAD)}</tr>{body}</table>
<h2>Figures</h2>{pictures}
"""


def check(document, chosen, directory, output, problems, note):
    """Evaluates, prints and writes; the outcomes."""
    usual = document.get("usual", {})
    experiments, missing = read_all(directory, document["experiment"])
    missing |= {name: why for name, why in problems.items() if name in missing}
    outcomes = [claims.evaluate(each, experiments, missing, usual) for each in chosen]
    theirs, lacking = read_or_none(REFERENCE, document["experiment"])
    references = {each["id"]: claims.evaluate(each, theirs, lacking, usual) for each in chosen}
    machine = next((each.machine for each in experiments.values() if each.meta), "machine not recorded")
    heading = f"Claims of the paper, on {machine}" + (f"; {note}" if note else "")
    rows = table(outcomes, references, {name: plan["needs"] for name, plan in document["experiment"].items()
                                        if "needs" in plan})
    print(f"{heading}\n\n{as_text(rows)}")
    output.mkdir(parents=True, exist_ok=True)
    (output / "claims.md").write_text(as_markdown(rows, heading), encoding="utf-8")
    here = draw(Finder(experiments, missing, document), output / "figures", "", note)
    reference = draw(Finder(theirs, lacking, document), output / "figures", "-reference", "")
    (output / "reproduction.html").write_text(page(rows, heading, here, reference, output), encoding="utf-8")
    print(output / "reproduction.html")
    return outcomes


def main(arguments):
    parser = argparse.ArgumentParser(prog="ouro reproduce", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ouro", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--from", dest="source", type=Path, metavar="DIR")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR")
    parser.add_argument("--claims", type=Path, default=claims.FILE, help=argparse.SUPPRESS)
    parser.add_argument("claim", nargs="*")
    wanted = parser.parse_args(arguments)
    document = claims.read_claims(wanted.claims)
    known = {each["id"]: each for each in document["claim"]}
    unknown = [each for each in wanted.claim if each not in known]
    if unknown:
        parser.error(f"no claim is called {', '.join(unknown)}; there are {', '.join(known)}")
    if wanted.source and wanted.quick:
        parser.error("--quick and --from: nothing is measured with --from")
    if wanted.source and not wanted.source.is_dir():
        parser.error(f"--from {wanted.source}: is no directory")
    chosen = [known[each] for each in wanted.claim] or document["claim"]
    stamp = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    output = (wanted.output or wanted.source or Path("results") / f"{stamp}-reproduce").resolve()
    problems, note = {}, ""
    if not wanted.source:
        note = QUICK if wanted.quick else ""
        names = [name for name in document["experiment"] if any(each["experiment"] == name for each in chosen)]
        output.mkdir(parents=True, exist_ok=True)
        signal.signal(signal.SIGTERM, interrupt)  # what it has started ends with it
        try:
            problems = measure(names, document, wanted.quick, wanted.ouro.resolve(), output)
        except KeyboardInterrupt:
            print(f"interrupted; -o {output} goes on", file=sys.stderr)
            return 130
        if note:
            (output / "quick").write_text(f"{note}\n", encoding="utf-8")
    elif (wanted.source / "quick").exists():
        note = QUICK
    for problem in problems.values():
        print(f"ouro: reproduce: {problem}", file=sys.stderr)
    outcomes = check(document, chosen, (wanted.source or output).resolve(), output, problems, note)
    return int(any(each.verdict in ("not held", "not measured") for each in outcomes if not each.published))
