"""The numbers of README.md and paper/RESULTS.md, from results alone.

    /usr/bin/python3 plots/readme.py [--data paper/data] [--check] [FILE...]

Between a line `<!-- measured: NAME -->` and the next `<!-- end -->` stands the table of this name, which is made anew
of the paper's results; all else stays. --check writes nothing, and exits with 1 if something would change.
What the data lack, and a name that is none, ends this with a message.
"""
import argparse
import re
import sys
from pathlib import Path

from plots.claims.claims import read_claims
from plots.data.experiments import Missing, read_all
from plots.numbers.finder import Finder
from plots.publication.markdown import table

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?P<head><!-- measured: (?P<name>\S+) -->\n)(?P<body>.*?)(?P<end><!-- end -->\n)", re.DOTALL)


def made(text, find):
    """The text with its tables made anew. Missing if one cannot be made."""
    parts = table.all()

    def anew(block):
        name = block["name"]
        if name not in parts:
            raise Missing(f"there is no table '{name}'; allowed: {', '.join(sorted(parts))}")
        return block["head"] + "\n" + parts[name](find) + "\n" + block["end"]
    heads = text.count("<!-- measured:")
    found, count = BLOCK.subn(anew, text)
    if count != heads:
        raise Missing(f"of {heads} lines <!-- measured: NAME --> {heads - count} have no <!-- end --> of their own")
    return found


def renew(file, find, chosen):
    """The exit status that the file makes."""
    before = file.read_text(encoding="utf-8")
    try:
        after = made(before, find)
    except Missing as why:
        print(f"{file}: {why}", file=sys.stderr)
        return 1
    if chosen.check and after != before:
        print(f"{file}: its tables are not those of {chosen.data}; plots/readme.py makes them anew", file=sys.stderr)
        return 1
    if after != before:
        file.write_text(after, encoding="utf-8")
    return 0


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT / "paper" / "data")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("files", type=Path, nargs="*", metavar="FILE",
                        default=[ROOT / "README.md", ROOT / "paper" / "RESULTS.md"])
    chosen = parser.parse_args(arguments)
    document = read_claims()
    experiments, missing = read_all(chosen.data, document["experiment"])
    find = Finder(experiments, missing, document)
    return max([renew(file, find, chosen) for file in chosen.files])
