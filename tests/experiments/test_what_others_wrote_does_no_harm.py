"""Configurations, result files and captured heaps may be anybody's: whatever is in them is refused with its place, or is
text. It ends no process, becomes no script, and reaches no file outside of the results directory."""
# not with a sanitizer: runs what other tests do
import json
import struct
import subprocess
import unittest
import zlib
from pathlib import Path

import support
from drawing import DrawingTest
from plots.data.events import cycles
from plots.data.foreign import inside
from plots.data.results import Unusable, load
from plots.page import raw, report
from shards import ShardTest
from support import OURO, ExperimentTest

DEEP = 300_000  # levels: far more than a stack of eight megabytes has frames for
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'"


def nested(opened, closed, levels=DEEP):
    return opened * levels + closed * levels


class Configurations(ExperimentTest):
    def refused(self, text, *parts, name="experiment.toml"):
        done = self.ouro_run(self.config(text, name))
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr[-300:])
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertLess(len(done.stderr), 2000)

    def test_one_that_is_nested_too_deep_is_refused_where_it_is(self):
        for text in (nested("[", "]"), nested("{a=", "}", DEEP // 2), "[" * DEEP):
            self.refused('title = "[[[["\nx = ' + text, "experiment.toml:2:", "nested too deep", "100 levels")
        self.refused("a" + ".a" * DEEP + " = 1", "experiment.toml:1:", "nested too deep")
        done = self.ouro_run(self.config(""), "--set", "title=" + "[" * 1000)
        self.assertEqual(done.returncode, 2)

    def test_brackets_and_dots_in_texts_and_comments_are_none(self):
        many = "[{." * 1000
        title = f'title = """\n{many}"""  # {many}\n[[workload]]\nname = "graph"\n[[subject]]\nname = \'{many}\'\n'
        done = self.ouro_run(self.config(title))
        self.assertNotIn("nested", done.stderr)
        self.assertIn(":6:", done.stderr, "only the subject's name is wrong")

    def test_one_without_an_end_is_refused(self):
        self.refused('include = "/dev/zero"', "experiment.toml:1:11", "include: /dev/zero", "longer than 1 MiB")
        self.refused("x = 1\n" * 200_000, "longer than 1 MiB")

    def test_its_names_are_words_in_a_script_of_a_plan(self):
        trap = self.directory / "trap"
        folder = self.directory / f"$(touch {trap.name}) `touch {trap.name}` ' \" ;touch {trap.name};"
        folder.mkdir()
        config = folder / "x.toml"
        config.write_text(f'title = "$(touch {trap})"\n[[workload]]\nname = "graph"\nobjects = 10\n'
                          f'[[subject]]\nouro = "{support.stand_in(self.directory)}"\n')
        for form in ("sh", "parallel", "slurm"):
            done = subprocess.run([OURO, "plan", str(config), "--format", form, "--shards", "1", "-o", str(folder / "out")],
                                  capture_output=True, text=True, timeout=60, cwd=self.directory, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            subprocess.run(["bash"], input=done.stdout, capture_output=True, text=True, timeout=60, cwd=self.directory,
                           env=support.environment(SLURM_ARRAY_TASK_ID="1"), check=False)
            self.assertFalse(trap.exists(), done.stdout)


class Rows(DrawingTest):
    def wrong(self, change, *parts):
        """What load() says of the recorded rows after a change of the first."""
        copy = self.recorded(f"rows{len(list(self.directory.iterdir()))}")
        rows = (copy / "runs.jsonl").read_text().splitlines()
        rows[0] = change(rows[0])
        (copy / "runs.jsonl").write_text("\n".join(rows) + "\n")
        with self.assertRaises(Unusable) as caught:
            load(copy)
        for part in ("runs.jsonl, line 1", *parts):
            self.assertIn(part, str(caught.exception))
        self.assertLess(len(str(caught.exception)), 1000)

    def test_a_row_that_is_none_is_refused(self):
        def with_value(key, value):
            return lambda line: json.dumps({**json.loads(line), key: value})
        self.wrong(lambda line: f'{line[:-1]}, "x": {nested("[", "]")}}}', "nested too deep")
        self.wrong(lambda line: "[]", "no object")
        self.wrong(lambda line: "{}", "the row lacks 'run'")
        self.wrong(with_value("run", "1"), "the row.run", "integer")
        self.wrong(with_value("params", []), "the row.params", "object")
        self.wrong(with_value("status", SCRIPT), "the row.status")
        self.wrong(with_value("result", 5), "the row.result")
        self.wrong(with_value("result", {"pauses": 1}), "its result.pauses", "object")
        self.wrong(lambda line: json.dumps({**json.loads(line), "result": {
            **json.loads(line)["result"], "live_collect_ns": "much"}}), "its result.live_collect_ns")

    def test_a_text_of_a_row_is_a_text_on_the_page(self):
        def change(row):
            return {**row, "reason": SCRIPT, "stderr": SCRIPT, "command": SCRIPT, "log": "javascript:alert(1)",
                    "subject": row["subject"] + SCRIPT, "workload": row["workload"] + SCRIPT * (row["run"] % 2)}
        copy = self.recorded("rows", change=change)
        meta = json.loads((copy / "meta.json").read_text())
        (copy / "meta.json").write_text(json.dumps(meta).replace("Linux", "Linux<script>alert(1)</script>"))
        report.render(copy, ["svg"])
        page = (copy / "report.html").read_text()
        self.assertIn("&lt;script&gt;alert(1)", page)
        for part in ("<script>alert", "<img src=x", 'href="javascript:'):
            self.assertNotIn(part, page)
        self.assertEqual([each for each in self.directory.iterdir() if each != copy], [], "files outside")

    def test_its_paths_stay_in_the_directory(self):
        self.assertEqual(inside(Path("a"), "events/x.jsonl"), Path("a/events/x.jsonl"))
        secret = self.directory / "secret.jsonl"
        secret.write_text('{"phase": "cycle"}\n')
        copy = self.recorded("rows")
        found = load(copy)
        for name in ("../secret.jsonl", str(secret), "events/../../secret.jsonl"):
            self.assertIsNone(inside(copy, name))
            self.assertIsNone(raw.place(found, name))
            self.assertEqual(cycles(found, {"events": name}), [])

    def test_what_it_writes_is_not_written_through_links(self):
        precious = self.directory / "precious"
        precious.write_text("mine")
        copy = self.recorded("rows")
        before = set(copy.iterdir())
        report.render(copy, ["svg"])
        written = set(copy.iterdir()) - before
        self.assertLess({copy / "report.html", copy / "tables.md", copy / "percentiles.csv"}, written)
        for each in written:
            each.unlink()
            each.symlink_to(precious)
        report.render(copy, ["svg"])
        self.assertEqual(precious.read_text(), "mine")
        self.assertFalse(any(each.is_symlink() for each in written))


class Shards(ShardTest):
    def test_rows_and_what_is_said_of_them_are_refused_if_too_deep(self):
        first, second = (self.shard(number, 2) for number in (1, 2))
        whole = (first / "runs.jsonl").read_text()
        (first / "runs.jsonl").write_text(f'{{"x": {nested("[", "]")}}}\n' + whole)
        done = self.merge(first, second)
        self.assertEqual(done.returncode, 2, done.stderr[-300:])
        self.assertIn("runs.jsonl:1: is not a row", done.stderr)
        (first / "runs.jsonl").write_text(whole)
        (first / "meta.json").write_text(f'{{"x": {nested("[", "]")}}}\n')
        done = self.merge(first, second)
        self.assertEqual(done.returncode, 2, done.stderr[-300:])
        self.assertIn("meta.json: nested too deep at byte", done.stderr)


class Heaps(ExperimentTest):
    def test_metadata_that_is_nested_too_deep_is_refused(self):
        metadata = b'{"x": ' + nested("[", "]").encode() + b"}"
        head = struct.pack("<IQ", 1, len(metadata))
        section = head + struct.pack("<I", zlib.crc32(metadata, zlib.crc32(head))) + metadata
        header = b"OUROHEAP" + struct.pack("<IIQ", 1, 9, 28 + len(section))
        path = self.directory / "x.heap"
        path.write_bytes(header + struct.pack("<I", zlib.crc32(header)) + section)
        done = subprocess.run([OURO, "bench", "graph", "--file", str(path)], capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, 2, done.stderr[-300:])
        self.assertIn("found metadata nested too deep", done.stderr)


if __name__ == "__main__":
    unittest.main()
