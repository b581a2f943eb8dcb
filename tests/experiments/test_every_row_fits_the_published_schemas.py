"""A run of every workload by every kind of subject that this machine has, as small as it gets: what it leaves is what
experiments/schema says, and what the schemas say is asked of each place of it."""
import copy
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import support
import schema_check

# Beside the smoke run: the workloads that it leaves out, and all peers.
CONFIG = f"""
include = "{support.CONFIGS / 'smoke.toml'}"
title = "schemas"
noise-floor = false

[[workload]]
name = "server"
live = 5_000
seconds = 1
load = "2000/s"
events = true

[[workload]]
name = "adversary"
live = 5_000
kind = ["graph", "moves", "weakrefs", "deep", "types"]
depth = 100
seconds = 1

[[workload]]
name = "touch"
live = 5_000
seconds = 1

[[workload]]
name = "slices"
live = 20_000
slices = 3_000
warmup = 500

[[workload]]
name = "rings"
threads = 2
rings = 2_000

[[workload]]
name = "program"
program = "json_documents"
size = 500
operations = 500
rate = [0, 10_000]

[[subject]]
peer = "auto"
"""


def wrong_for(part):
    """A value that is not of the type that a part of a schema asks for."""
    return ["no such"] if "object" in part["type"] else {"no": "such"}


def places(value, schema, path=()):
    """[(path, part of the schema)] of all values in it that the schema has a type for, those of a list by its first;
    and of those that it says nothing of, with None."""
    if "$ref" in schema:
        schema = schema_check.load(schema["$ref"])
    yield path, schema if "type" in schema else None
    if isinstance(value, dict) and "properties" in schema:
        for key, each in value.items():
            yield from places(each, schema["properties"].get(key, {}), (*path, key))
    elif isinstance(value, list) and value and "items" in schema:
        yield from places(value[0], schema["items"], (*path, 0))


def shortened(value):
    """With no more than four of each list: what holds for those holds for more."""
    if isinstance(value, dict):
        return {key: shortened(each) for key, each in value.items()}
    return [shortened(each) for each in value[:4]] if isinstance(value, list) else value


def changed(value, path, to):
    """A copy with another value at a place; None: without that place."""
    found = copy.deepcopy(value)
    inner = found
    for key in path[:-1]:
        inner = inner[key]
    if to is None:
        del inner[path[-1]]
    else:
        inner[path[-1]] = to
    return found


@unittest.skipIf(os.environ.get("OURO_SANITIZE"), "what is measured has no sanitizer")
class Rows(support.ExperimentTest):
    @classmethod
    def setUpClass(cls):
        """One run for all."""
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.there = Path(scratch.name)
        (cls.there / "schemas.toml").write_text(CONFIG)
        cls.done = subprocess.run([support.OURO, "run", "schemas.toml", "-o", "results"], cwd=cls.there, check=False,
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL,
                                  env=support.environment(), timeout=500)
        results = cls.there / "results"
        cls.lines = [json.loads(line) for line in (results / "runs.jsonl").read_text().splitlines()]
        cls.about = json.loads((results / "meta.json").read_text())
        cls.schemas = {name: schema_check.load(f"{name}.schema.json") for name in ("run", "result", "meta", "event")}

    def each_kind(self):
        """A row of each workload by each kind of subject."""
        found = {}
        for row in self.lines:
            program = row["subject"].split("-")[0] if row["kind"] == "peer" else row["kind"]
            found.setdefault((row["workload"], program), row)
        return found

    def test_every_row_fits(self):
        self.assertEqual((self.done.returncode, [(row["command"], row["reason"], row["stderr"]) for row in self.lines
                                                 if row["status"] != "ok"]), (0, []), self.done.stderr)
        for row in self.lines:
            self.assertEqual(schema_check.problems(row, self.schemas["run"]), [], row["command"])
            self.assertEqual(schema_check.problems(row["result"], self.schemas["result"]), [], row["command"])
        self.assertEqual(schema_check.problems(self.about, self.schemas["meta"]), [])

    def test_every_workload_and_every_peer_that_is_here_is_among_them(self):
        listed = subprocess.run([support.OURO, "list"], capture_output=True, text=True, check=True).stdout
        names = set(re.findall(r"(?m)^  (\S+) ", listed.split("\nengines\n")[0]))
        self.assertGreater(len(names), 12)
        self.assertEqual(names - {row["workload"].split(":")[0] for row in self.lines}, set())
        peers = {path.parent.name for path in (support.ROOT / "experiments" / "peers").glob("*/peer.toml")}
        self.assertGreater(len(peers), 4)
        here = {row["subject"].split("-")[0] for row in self.lines if row["kind"] == "peer"}
        skipped = {each["name"].split("-")[0] for each in self.about.get("skipped", [])}
        self.assertEqual(peers - here - skipped, set())
        self.assertTrue(any(row["kind"] == "cpython" for row in self.lines))

    def test_every_event_fits(self):
        files = {row["events"] for row in self.lines if row["events"]}
        self.assertGreater(len(files), 4)
        for name in files:
            for line in (self.there / "results" / name).read_text().splitlines():
                self.assertEqual(schema_check.problems(json.loads(line), self.schemas["event"]), [], line)

    def test_nothing_that_a_row_has_is_left_out_of_the_schemas(self):
        unknown = {(name, path): key for key, row in self.each_kind().items()
                   for name, value in (("run", row), ("result", row["result"]))
                   for path, part in places(value, self.schemas[name]) if part is None}
        self.maxDiff = None
        self.assertEqual(unknown, {})

    def test_a_row_that_is_broken_in_one_place_is_refused(self):
        broken = 0
        for key, row in self.each_kind().items():
            for name, value in (("run", row), ("result", row["result"])):
                schema, value = self.schemas[name], shortened(value)
                self.assertEqual(schema_check.problems(value, schema), [])
                for path, part in places(value, schema):
                    if path and part:
                        self.refused(changed(value, path, wrong_for(part)), schema, (key, path))
                        broken += 1
                        if "minimum" in part:
                            self.refused(changed(value, path, part["minimum"] - 1), schema, (key, path))
                for one in schema["required"]:
                    self.refused(changed(value, (one,), None), schema, (key, one))
        self.assertGreater(broken, 1000)
        self.refused({**self.lines[0], "more": 1}, self.schemas["run"], "a key that is not known")

    def test_an_event_that_is_broken_in_one_place_is_refused(self):
        name = next(row["events"] for row in self.lines if row["events"])
        for line in (self.there / "results" / name).read_text().splitlines():
            event = json.loads(line)
            for key in event:
                self.refused({**event, key: {"no": "such"}}, self.schemas["event"], (line, key))
                if key.endswith("_ns"):
                    self.refused({**event, key: -1}, self.schemas["event"], (line, key))
            for key in self.schemas["event"]["required"]:
                self.refused(changed(event, (key,), None), self.schemas["event"], (line, key))

    def refused(self, value, schema, what):
        self.assertNotEqual(schema_check.problems(value, schema), [], what)


if __name__ == "__main__":
    unittest.main()
