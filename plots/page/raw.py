"""Where the raw data lie, and which runs a figure or a table was made of; percentiles.csv."""
import csv
import io
from urllib.parse import quote

from plots.data.foreign import inside
from plots.data.results import file_of

QUANTILES = ("p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns")
# What may lie beside the page, and what it is.
FILES = (("runs.jsonl", "the rows, one a run"), ("meta.json", "experiment, machine, build"),
         ("micro.json", "microbenchmarks, as Google Benchmark writes them"),
         ("percentiles.csv", "all percentiles of all runs"), ("tables.md", "the tables of this page"))


def place(results, name):
    """The link to a file of the results directory, or to its packed like; None if there is neither."""
    path = inside(results.directory, name) if name else None
    found = file_of(path) if path else None
    return quote(found.relative_to(results.directory).as_posix()) if found else None


def files(results):
    """[(link, name, what it is)] of the files there are."""
    found = [(place(results, name), name, what) for name, what in FILES]
    return [each for each in found if each[0]]


def percentiles_in(value, path=()):
    """[(where, {quantile: ns})] of all that a result has percentiles of; `where` is the path of keys."""
    if isinstance(value, dict):
        if set(QUANTILES) <= value.keys():
            yield ".".join(path), value
        for key, each in value.items():
            yield from percentiles_in(each, (*path, key))


def percentiles(results):
    """The text of percentiles.csv: a line for each that a run has; as in its row, from all its samples."""
    text = io.StringIO()
    file = csv.writer(text, lineterminator="\n")
    file.writerow(["run", "invocation", "repeat", "workload", "objects", "shuffled", "subject", "of", *QUANTILES])
    for row in sorted(results.rows, key=lambda row: row["run"]):
        for where, found in percentiles_in(row["result"]):
            if any(found[each] is not None for each in QUANTILES):
                file.writerow([*(row[key] for key in ("run", "invocation", "repeat", "workload", "objects")),
                               "yes" if row["shuffled"] else "no", row["subject"], where,
                               *("" if found[each] is None else found[each] for each in QUANTILES)])
    return text.getvalue()


def spans(rows):
    """[(first, last)] of the numbers of runs, ascending, neighbours together."""
    found = []
    for number in sorted({row["run"] for row in rows}):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return [tuple(each) for each in found]
