"""Checks values against the part of JSON Schema that experiments/schema uses: type, enum,
required, properties, additionalProperties, items, minimum and $ref to a file beside."""
import json
from pathlib import Path

SCHEMAS = Path(__file__).resolve().parent.parent / "schema"

TYPES = {
    "null": lambda v: v is None,
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "string": lambda v: isinstance(v, str),
    "array": lambda v: isinstance(v, list),
    "object": lambda v: isinstance(v, dict),
}


def load(name):
    return json.loads((SCHEMAS / name).read_text())


def problems(value, schema, where=""):
    """What is wrong with `value`, a sentence each; empty if nothing is."""
    if "$ref" in schema:
        return problems(value, load(schema["$ref"]), where)
    here = where or "the value"
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(TYPES[kind](value) for kind in kinds):
        return [f"{here} should be {' or '.join(kinds)}, is {json.dumps(value)[:60]}"]
    found = []
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{here} should be one of {schema['enum']}, is {json.dumps(value)[:60]}")
    if "minimum" in schema and TYPES["number"](value) and value < schema["minimum"]:
        found.append(f"{here} should be at least {schema['minimum']}, is {value}")
    if isinstance(value, dict):
        known = schema.get("properties", {})
        found += [f"{here} lacks {key}" for key in schema.get("required", []) if key not in value]
        for key, each in value.items():
            if key in known:
                found += problems(each, known[key], f"{where}.{key}".lstrip("."))
            elif schema.get("additionalProperties") is False:
                found.append(f"{here} has an unknown key {key}")
    if isinstance(value, list) and "items" in schema:
        for index, each in enumerate(value):
            found += problems(each, schema["items"], f"{where}[{index}]")
    return found
