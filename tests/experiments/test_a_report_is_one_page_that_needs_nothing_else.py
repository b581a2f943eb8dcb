# not with a sanitizer: runs nothing of the build
import base64
import csv
import hashlib
import json
import lzma
import re
import shutil
import statistics
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

from drawing import FIGURES, FORMS, SVG, DrawingTest
from plots.drawing import tables
from plots.page import report
from plots.stats import pairing
import support

VOID = {"meta", "img", "br", "link", "input"}


class Page(HTMLParser):
    """The tags with their attributes, the text, and whether every tag is closed in order."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.text, self.rows = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        self.text.append(data)
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data

    def attributes(self, tag):
        return [found for name, found in self.tags if name == tag]


class Report(DrawingTest):
    @classmethod
    def setUpClass(cls):
        """The recorded results, drawn once."""
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.whole = Path(scratch.name) / "whole"
        shutil.copytree(support.RECORDED, cls.whole)
        report.render(cls.whole, SVG)
        cls.source = (cls.whole / "report.html").read_text()

    def page(self, copy=None):
        """That of `copy`, which is drawn first; else the recorded one."""
        if copy is None:
            return Page(self.source)
        report.render(copy, SVG)
        return Page((copy / "report.html").read_text())

    def scripts(self):
        return re.findall(r"<script[^>]*>.*?</script>", self.source, re.S)

    def test_nothing_is_fetched_and_one_script_runs(self):
        page = self.page()
        self.assertEqual(page.open, [])
        names = {name for name, _ in page.tags}
        self.assertFalse(names & {"link", "iframe", "object", "embed", "video", "audio"})
        for name, attributes in page.tags:
            for key, value in attributes.items():
                self.assertFalse(key.startswith("on"), (name, key))
                if key in ("src", "srcset", "action", "data"):
                    self.assertRegex(value[:30], r"^data:image/", (name, key))
        style = re.search(r"<style>(.*?)</style>", self.source, re.S).group(1)
        self.assertNotIn("url(", style)
        self.assertNotIn("@import", style)
        script = (support.ROOT / "plots" / "page" / "page.js").read_text()
        self.assertEqual(self.scripts(), [f"<script>{script}</script>"])
        self.assertEqual([found for name, found in page.tags if name == "script"], [{}])
        for word in ("fetch(", "XMLHttpRequest", "import", "http", "innerHTML", "eval"):
            self.assertNotIn(word, script)

    def test_the_page_forbids_itself_all_else(self):
        [policy] = [found["content"] for found in self.page().attributes("meta") if "http-equiv" in found]
        style = re.search(r"<style>(.*?)</style>", self.source, re.S).group(1)
        script = re.search(r"<script>(.*?)</script>", self.source, re.S).group(1)
        hashes = ["sha256-" + base64.b64encode(hashlib.sha256(each.encode()).digest()).decode()
                  for each in (style, script)]
        self.assertEqual(policy.split(), ["default-src", "'none';", "img-src", "data:;", "style-src",
                                          f"'{hashes[0]}';", "script-src", f"'{hashes[1]}'"])

    def test_every_figure_is_in_it_with_words_for_it(self):
        pictures = self.page().attributes("img")
        self.assertEqual(len(pictures), len(FIGURES + FORMS))
        inlined = set()
        for each in pictures:
            self.assertGreater(len(each["alt"]), 20)
            head, _, data = each["src"].partition(",")
            self.assertEqual(head, "data:image/svg+xml;base64")
            inlined.add(base64.b64decode(data, validate=True))
        self.assertEqual(inlined, {(self.whole / f"{name}.svg").read_bytes() for name in FIGURES + FORMS})

    def test_it_says_what_was_measured_where_and_how(self):
        page = self.page()
        text = "".join(page.text)
        meta = json.loads((self.whole / "meta.json").read_text())
        machine, build = meta["machine"], meta["build"]
        for value in (machine["cpu"], machine["kernel"], machine["thp"], machine["system"],
                      build["commit"], build["compiler"], build["flags"], build["build_type"],
                      f"{machine['load_before']:g}", meta["started"],
                      " ".join(meta["command"]), meta["config"][0]["text"],
                      *(each["version"] for each in meta["subjects"])):
            self.assertIn(value, text)
        self.assertIn(["seed", str(meta["seed"])], page.rows)

    def test_every_link_leads_somewhere(self):
        page = self.page()
        places = {found["id"] for _, found in page.tags if "id" in found}
        links = {found["href"] for found in page.attributes("a")}
        inside = {each[1:] for each in links if each.startswith("#")}
        self.assertLessEqual(inside, places)
        self.assertLessEqual({each for each in places if not each.startswith("run")}, inside)
        beside = {each for each in links if not each.startswith("#")}
        for each in beside:
            self.assertTrue((self.whole / each).is_file(), each)
        self.assertLessEqual({"runs.jsonl", "meta.json", "percentiles.csv", "tables.md"}, beside)
        self.assertEqual({each for each in beside if "/" in each},
                         {f"events/{each.name}" for each in (self.whole / "events").iterdir()})
        self.assertEqual({each for each in beside if each.endswith((".svg", ".pdf", ".png"))},
                         {f"{name}.svg" for name in FIGURES + FORMS})

    def test_every_file_of_a_figure_is_linked(self):
        copy = self.recorded("files", lambda row: row["workload"] == "young")
        report.render(copy)
        files = {each.name for each in copy.glob("young_vs_old*")}
        self.assertEqual(len(files), 6)
        links = {found["href"] for found in Page((copy / "report.html").read_text()).attributes("a")}
        self.assertEqual({each for each in links if each.startswith("young_vs_old")}, files)

    def test_what_is_packed_is_linked_as_what_it_is(self):
        copy = self.recorded("packed", lambda row: row["workload"] == "young")
        rows = copy / "runs.jsonl"
        rows.with_name("runs.jsonl.xz").write_bytes(lzma.compress(rows.read_bytes()))
        rows.unlink()
        self.assertIn("runs.jsonl.xz", {found["href"] for found in self.page(copy).attributes("a")})

    def test_logs_and_names_that_need_quoting_are_linked_and_what_is_gone_is_not(self):
        def change(row):
            row["log"] = f"logs/{row['run']} a&b#.txt"
            return row
        copy = self.recorded("logs", lambda row: row["workload"] == "young", change)
        (copy / "logs").mkdir()
        (copy / "logs" / "3 a&b#.txt").write_text("x")
        (copy / "micro.json").write_text('{"benchmarks": []}')
        links = {found["href"] for found in self.page(copy).attributes("a")}
        self.assertEqual([each for each in links if each.startswith("logs/")], ["logs/3%20a%26b%23.txt"])
        self.assertIn("micro.json", links)

    def test_each_part_names_the_runs_that_it_was_made_of(self):
        rows = [json.loads(line) for line in (self.whole / "runs.jsonl").read_text().splitlines()]
        wanted = {row["run"] for row in rows if row["workload"] == "young" and not row["repeat"]}
        part = self.source[self.source.index(">Young collections</h2>"):]
        part = part[:part.index("<h2")]
        found = re.findall(r'class="runs quiet"><summary>Made of (\d+) runs</summary>(.*?)</details>', part)
        self.assertEqual(len(found), 4, "a figure and three tables")
        for number, text in found:
            spans = re.findall(r">(\d+)(?: to (\d+))?</a>", text)
            named = [run for first, last in spans for run in range(int(first), int(last or first) + 1)]
            self.assertEqual((sorted(wanted), len(wanted)), (named, int(number)))

    def test_the_percentiles_are_those_of_the_rows(self):
        with open(self.whole / "percentiles.csv", encoding="utf-8") as file:
            lines = {(int(each["run"]), each["of"]): each for each in csv.DictReader(file)}
        rows = [json.loads(line) for line in (self.whole / "runs.jsonl").read_text().splitlines()]
        rows = [row for row in rows if (row["result"]["pauses"] or {}).get("count")]
        self.assertGreater(len(rows), 50)
        self.assertEqual({run for run, _ in lines}, {row["run"] for row in rows})
        for row in rows:
            for clock in ("wall", "cpu"):
                found, wanted = lines[row["run"], f"pauses.{clock}"], row["result"]["pauses"][clock]
                self.assertEqual({key: int(found[key]) for key in wanted}, wanted)
                self.assertEqual((found["workload"], found["subject"]), (row["workload"], row["subject"]))

    def test_numbers_come_with_n_and_what_surrounds_them(self):
        page = self.page()
        heads = [row for row in page.rows if "median" in row and "subject" in row]
        self.assertGreater(len(heads), 8)
        for head in heads:
            if "pairs" not in head:  # the noise floor has pairs
                self.assertTrue({"n", "least", "greatest"} <= set(head), head)

    def test_the_median_of_a_table_is_that_of_the_rows(self):
        found = [json.loads(line) for line in (self.whole / "runs.jsonl").read_text().splitlines()]
        rows = self.page().rows

        def of(workload, objects, number):
            results = [row["result"] for row in found if row["workload"] == workload
                       and row["objects"] == objects and not row["repeat"]
                       and not row["shuffled"] and row["subject"] == "ouro-stw"]
            self.assertEqual(len(results), 2)
            numbers = [number(each) for each in results]
            return statistics.median(numbers), min(numbers), max(numbers)

        times = of("graph", 2_000, lambda result: result["live_collect_ns"] / 2_000)
        self.assertIn(["2 k", "in order", "Ouroboros stw", "2", *(f"{n:.1f}" for n in times)],
                      [row[:7] for row in rows])
        for key, form in (("ns_per_op", "{:.0f}"), ("backlog_max", "{:,.0f}")):
            numbers = of("churn", 2_000, lambda result, key=key: result[key])
            self.assertIn(["churn", "2 k", "Ouroboros stw", "2", *map(form.format, numbers)],
                          [row[:7] for row in rows])
        young = of("young", 10_000, lambda result: statistics.median(
            result["garbage_collect_samples_ns"]) / 1e3)
        self.assertIn(["10 k", "Ouroboros stw", "2", *(f"{n:.0f}" for n in young)],
                      [row[:6] for row in rows])
        heap = of("heap:ast_stdlib", 0, lambda result: result["container_bytes"]
                  / result["containers"])
        self.assertIn(["Ouroboros stw", "2", *(f"{n:.1f}" for n in heap)],
                      [row[3:8] for row in rows if row[0] == "ast_stdlib"])

    def test_a_ratio_is_the_median_of_the_pairs(self):
        found = [json.loads(line) for line in (self.whole / "runs.jsonl").read_text().splitlines()]
        times = {}
        for row in found:
            if row["workload"] == "heap:ast_stdlib" and not row["repeat"]:
                times.setdefault(row["invocation"], {})[row["kind"] if row["kind"] == "cpython"
                                                        else row["subject"]] = \
                    row["result"]["garbage_collect_ns"]
        ratios = [each["cpython"] / each["ouro-stw"] for each in times.values()]
        self.assertEqual(len(ratios), 2)
        form = "{:.2f}" if statistics.median(ratios) < 10 else "{:.1f}"
        expected = (f"{form} ({form} to {form})").format(statistics.median(ratios), min(ratios),
                                                         max(ratios))
        self.assertIn(expected, [cell for row in self.page().rows for cell in row
                                 if row[0] == "ast_stdlib"])

    def test_the_noise_floor_is_that_of_the_pairs(self):
        found = [json.loads(line) for line in (self.whole / "runs.jsonl").read_text().splitlines()]
        rows = self.page().rows
        for workload, key in (("graph", "live_collect_ns"), ("churn", "run_ns"),
                              ("gc-collect", "garbage_collect_ns")):
            times = {(row["invocation"], row["objects"], row["shuffled"], row["repeat"]):
                     row["result"][key] for row in found if row["workload"] == workload
                     and row["subject"] == "ouro-stw"}
            ratios = [times[*each[:3], 1] / ns for each, ns in times.items() if not each[3]]
            self.assertIn([workload, "Ouroboros stw", str(len(ratios)), *(
                f"{each:.2f}" for each in (statistics.median(ratios), min(ratios), max(ratios))),
                tables.show_ratio(pairing.summarize(ratios))], rows)

    def test_a_run_that_failed_is_a_row(self):
        failed = {1: ("failed", "was killed by SIGSEGV"), 2: ("timeout", "not done after 60 s"),
                  3: ("skipped", "needs 9 GB")}

        def fail(row):
            if row["row"] in failed:
                status, reason = failed[row["row"]]
                row.update(status=status, reason=reason, result=None)
            return row
        copy = self.recorded("failed", change=fail)
        page = self.page(copy)
        for status, reason in failed.values():
            found = [row for row in page.rows if row[-2:] == [status, reason]]
            self.assertEqual(len(found), 1, reason)
        rows = {row["row"]: row for row in map(
            json.loads, (copy / "runs.jsonl").read_text().splitlines())}
        self.assertIn(rows[1]["workload"], [row[0] for row in page.rows if "failed" in row])
        self.assertIn("3 runs without a result", "".join(page.text))
        self.assertRegex("".join(page.text), r"3 of \d+ runs have no result")
        self.assertIn("Runs without a result", "".join(page.text))
        self.assertNotIn("Runs without a result", "".join(self.page().text))

    def test_what_rows_say_is_text_and_no_markup(self):
        evil = '<script>alert("x")</script>&amp;|'

        def fail(row):
            if row["row"] == 1:
                row.update(status="failed", reason=evil, result=None)
            return row
        copy = self.recorded("evil", change=fail)
        meta = json.loads((copy / "meta.json").read_text())
        meta["title"] = meta["config"][0]["text"] = evil
        (copy / "meta.json").write_text(json.dumps(meta))
        page = self.page(copy)
        self.assertEqual([name for name, _ in page.tags].count("script"), 1)
        self.assertGreaterEqual("".join(page.text).count(evil), 4)


if __name__ == "__main__":
    unittest.main()
