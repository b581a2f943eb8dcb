"""Packs results for keeping beside the paper: what its numbers, figures and conditions are made of, and no more.

    /usr/bin/python3 plots/pack.py FROM TO

FROM is a tree of results as `ouro reproduce -o FROM` leaves it; TO/EXPERIMENT gets its files, packed. Left out
of rows: times of single pauses of the second run of an A/A pair, CPU samples and gaps, memory over time where pauses
over time are kept, and the end of what a run said. Equal results give equal bytes.
"""
import gzip
import json
import sys
from pathlib import Path

from results import text_of

BULK = ("pause_cpu_samples_ns", "live_collect_cpu_samples_ns", "garbage_collect_cpu_samples_ns")
OF_TWINS = ("pause_points", "other_pause_points", "backlog_points", "rss_points")


def slim(row):
    """The row without what nothing reads."""
    result = row["result"]
    if result:
        left_out = {*BULK, *(OF_TWINS if row["repeat"] else ())}
        if "pause_points" in result:
            left_out.add("rss_points")
        result = {key: value for key, value in result.items() if key not in left_out}
        if "gaps" in result:
            result["gaps"] = {key: value for key, value in result["gaps"].items() if key != "points"}
    return {**row, "stderr": "", "result": result}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def pack(source, target):
    """[files written]"""
    written = []
    for directory in sorted(path for path in source.iterdir() if path.is_dir()):
        for name in ("runs.jsonl", "meta.json", "micro.json", "extension.json"):
            text = text_of(directory / name)
            if text is None:
                continue
            if name == "runs.jsonl":
                text = "".join(json.dumps(slim(json.loads(line)), separators=(",", ":")) + "\n"
                               for line in text.splitlines())
            written.append(target / directory.name / f"{name}.gz")
            write(written[-1], text)
    return written


def main(arguments):
    if len(arguments) != 2 or arguments[0].startswith("-") or not Path(arguments[0]).is_dir():
        print("usage: pack.py FROM TO", file=sys.stderr)
        return 2
    for path in pack(*map(Path, arguments)):
        print(f"{path} {path.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
