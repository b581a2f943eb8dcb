"""Packs results for keeping beside the paper: what its numbers, figures and conditions are made of, and no more.

    /usr/bin/python3 plots/pack.py FROM TO

FROM is a tree of results as `ouro reproduce -o FROM` leaves it; TO/EXPERIMENT gets its files, packed: what is left
out of rows, packed.py says. Equal results give equal bytes.
"""
import json
import lzma
import sys
from pathlib import Path

from plots.data.experiments import ROWS_OF
from plots.data.packed import packed
from plots.data.results import text_of


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lzma.compress(text.encode(), preset=9))


def pack(source, target):
    """[files written]"""
    written = []
    for directory in sorted(path for path in source.iterdir() if path.is_dir()):
        for name in ("runs.jsonl", "meta.json", "micro.json", *(f"{kind}.json" for kind in ROWS_OF)):
            text = text_of(directory / name)
            if text is None:
                continue
            if name == "runs.jsonl":
                text = "".join(json.dumps(packed(json.loads(line)), separators=(",", ":")) + "\n"
                               for line in text.splitlines())
            written.append(target / directory.name / f"{name}.xz")
            write(written[-1], text)
    return written


def main(arguments):
    if len(arguments) != 2 or arguments[0].startswith("-") or not Path(arguments[0]).is_dir():
        print("usage: pack.py FROM TO", file=sys.stderr)
        return 2
    for path in pack(*map(Path, arguments)):
        print(f"{path} {path.stat().st_size:,} bytes")
    return 0
