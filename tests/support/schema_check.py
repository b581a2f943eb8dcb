"""Checks values against experiments/schema, with Debian's python3-jsonschema."""
import json
import os
from pathlib import Path

import jsonschema

ROOT = Path(os.environ.get("OURO_SOURCE") or Path(__file__).resolve().parents[2])
SCHEMAS = ROOT / "experiments" / "schema"


def load(name):
    return json.loads((SCHEMAS / name).read_text())


def problems(value, schema):
    """What is wrong with `value`, a sentence each; empty if nothing is."""
    files = jsonschema.RefResolver(base_uri=SCHEMAS.as_uri() + "/", referrer=schema)
    checker = jsonschema.Draft202012Validator(schema, resolver=files)
    return [f"{error.json_path}: {error.message}" for error in checker.iter_errors(value)]
