"""Result files may come from others: texts that are too deep are refused, rows are checked against their schema, paths
stay in the results directory, and links that lie there are not written through."""
import json
from functools import cache
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[2]
# The first items of a list are looked at: there may be a hundred thousand, made by one loop.
ITEMS = 4
# What is read of every row; the rest tells people how it was made.
NEEDED = ("run", "invocation", "repeat", "workload", "params", "objects", "shuffled", "subject", "status", "result")


def parsed(text):
    """The value of a JSON text; ValueError if it is none."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


@cache
def checker(name):
    """Of the sources' schemas, or of those that were installed."""
    folder = next(each for each in (ROOT / "experiments" / "schema", ROOT / "schema") if each.is_dir())
    schema = json.loads((folder / name).read_text(encoding="utf-8"))
    files = jsonschema.RefResolver(base_uri=folder.as_uri() + "/", referrer=schema)
    return jsonschema.Draft202012Validator(schema, resolver=files)


def begun(value):
    if isinstance(value, dict):
        return {key: begun(each) for key, each in value.items()}
    return [begun(each) for each in value[:ITEMS]] if isinstance(value, list) else value


def first_problem(name, value, where):
    """The first thing that is wrong by a schema, with its place. To lack something, or to have null for it, is nothing
    wrong: rows that were packed lack some, and what is drawn says what it lacks."""
    for error in checker(name).iter_errors(value):
        if error.validator != "required" and error.instance is not None:
            place = "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in error.absolute_path)
            found = error.message if len(error.message) < 200 else f"{error.message[:200]}..."
            return f"{where}{place}: {found} (experiments/schema/{name})"
    return None


def problem_of(row):
    """What is wrong with a row of runs.jsonl; None if nothing is."""
    if not isinstance(row, dict):
        return "it is no object"
    result = row.get("result")
    alone = {**row, "result": {}} if isinstance(result, dict) else row
    return (next((f"the row lacks {key!r}" for key in NEEDED if key not in row), None)
            or first_problem("run.schema.json", alone, "the row")
            or (first_problem("result.schema.json", begun(result), "its result") if result else None))


def inside(directory, name):
    """A file that a row names, from the results directory; None if it would lie outside."""
    path = Path(name)
    return None if path.is_absolute() or ".." in path.parts else directory / path


def fresh(path):
    """The path of a file that is written anew. A link with that name is taken away, not followed."""
    if path.is_symlink():
        path.unlink()
    return path
