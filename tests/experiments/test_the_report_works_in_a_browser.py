"""The page of the recorded results in a headless Chromium. Where there is none these are skipped."""
# not with a sanitizer: runs nothing of the build
import json
import re
import shutil
import tempfile
import unittest
from pathlib import Path
from urllib.parse import unquote, urlparse

import browser
from drawing import FORMS, SVG
from plots.drawing.section import Table
from plots.page import page, report
import support

FACTORS = {"k": 1e3, "M": 1e6, "ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1, "%": 1, "MiB": 2 ** 20, "KiB": 2 ** 10}
# What each figure with a switch shows: [[form, whether it is seen and has a picture]].
SEEN = """[...document.querySelectorAll("figure")].filter((each) => each.querySelector(".switch")).map(
    (figure) => [...figure.querySelectorAll(".form")].map((form) => [form.dataset.form,
        form.checkVisibility() && form.querySelector("img").naturalWidth > 0]))"""
# For each table and column: [class of its head, cells, [[aria-sort, order of rows] after each of three clicks]].
SORTED = """[...document.querySelectorAll("table.sorted")].map((table) => {
    const body = table.tBodies[0], made = [...body.rows];
    return [...table.tHead.rows[0].cells].map((head, column) => [
        head.className, made.map((row) => row.cells[column].textContent),
        [1, 2, 3].map(() => {
            head.querySelector("button").click();
            const others = [...table.tHead.rows[0].cells].filter((each) => each !== head);
            return [head.getAttribute("aria-sort"), [...body.rows].map((row) => made.indexOf(row)),
                    others.every((each) => each.getAttribute("aria-sort") === "none")];
        })]);
})"""
HEADS = 'document.querySelector("table.sorted").tHead.rows[0].cells'


def value_of(text):
    """The number that a cell says, None if it says none."""
    number, *unit = text.split(" (")[0].replace(",", "").split(" ")
    if not re.fullmatch(r"-?\d+(\.\d+)?", number) or unit and (len(unit) > 1 or unit[0] not in FACTORS):
        return None
    return float(number) * FACTORS[unit[0]] if unit else float(number)


def word_of(text):
    """By which words are in order: numbers in them by their value."""
    return [(0, int(each), "") if each.isdigit() else (1, 0, each)
            for each in re.findall(r"\d+|[a-z]+", text.casefold())]


def wanted_order(kind, cells, direction):
    """[places of the cells] as they should be: what is missing last, what is equal as it was."""
    values = list(map(value_of, cells))
    filled = [place for place, text in enumerate(cells) if text not in ("", "-")]
    known = [place for place in filled if values[place] is not None]
    if not (known and (kind == "number" or known == filled)):
        values, known = list(map(word_of, cells)), filled
    rest = [place for place in range(len(cells)) if place not in known]
    return sorted(known, key=lambda place: values[place], reverse=direction == "descending") + rest


@unittest.skipUnless(browser.find(), f"no browser is installed ({' or '.join(browser.NAMES)})")
class InABrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The recorded results, with a log, drawn once; and one browser."""
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.directory = Path(scratch.name) / "a directory"
        shutil.copytree(support.RECORDED, cls.directory)
        rows = [json.loads(line) for line in (cls.directory / "runs.jsonl").read_text().splitlines()]
        rows[0]["log"] = "logs/a log.txt"
        (cls.directory / "runs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (cls.directory / "logs").mkdir()
        (cls.directory / "logs" / "a log.txt").write_text("said\n")
        report.render(cls.directory, SVG)
        cls.address = (cls.directory / "report.html").as_uri()
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.scripts(True)
        self.browser.media()
        self.browser.size(1100)
        self.browser.requests.clear()
        self.browser.errors.clear()
        self.browser.open(self.address)

    def value(self, expression):
        return self.browser.value(expression)

    def seen(self):
        """[the one form that is seen] of the figures with a switch."""
        found = []
        for forms in self.value(SEEN):
            there = [form for form, is_seen in forms if is_seen]
            self.assertEqual((len(forms), len(there)), (2, 1), forms)
            found += there
        return found

    def other(self, path, text):
        """Opens another page, of this text."""
        place = self.directory / path
        place.write_text(text, encoding="utf-8")
        self.browser.open(place.as_uri())

    def test_it_asks_for_nothing_and_nothing_goes_wrong(self):
        self.value(SORTED)
        self.seen()
        self.assertEqual(self.browser.errors, [])
        beside = [each for each in self.browser.requests if not each.startswith("data:image/svg+xml;base64,")]
        self.assertEqual(beside, [self.address])
        self.assertEqual(self.value("[...document.images].filter((each) => !each.naturalWidth).length"), 0)
        self.assertGreater(self.value("document.images.length"), len(FORMS))

    def test_what_goes_wrong_or_is_fetched_would_be_noticed(self):
        bad = '<img src="beside.png"><script>console.error("no"); throw new Error("thrown")</script>'
        self.other("bad.html", f"<!DOCTYPE html><title>bad</title>{bad}")
        self.assertTrue(any(each.endswith("/beside.png") for each in self.browser.requests))
        self.assertIn("thrown", json.dumps(self.browser.errors))
        self.assertIn('"no"', json.dumps(self.browser.errors))
        self.browser.requests.clear()
        self.browser.errors.clear()
        self.other("worse.html", (self.directory / "report.html").read_text().replace("</body>", bad + "</body>"))
        [picture] = [each for each in self.browser.requests if each.endswith("/beside.png")]
        self.assertEqual(self.browser.forbidden, [picture])
        self.assertIn("Content Security Policy", json.dumps(self.browser.errors))
        self.assertNotIn("thrown", json.dumps(self.browser.errors))

    def test_the_switch_flips_each_figure_and_back(self):
        before = self.seen()
        self.assertEqual(len(before), len(FORMS))
        self.assertEqual(set(before), {"absolute", "ratio"}, "one was drawn as ratios")
        figure = 'document.querySelectorAll("figure:has(.switch)")'
        for place, form in enumerate(before):
            opposite = {"absolute": "ratio", "ratio": "absolute"}[form]
            for wanted in (opposite, form):
                self.browser.click(f"{figure}[{place}].querySelector('input[value={wanted}]').parentElement")
                self.assertEqual(self.seen(), [*before[:place], wanted, *before[place + 1:]])

    def test_the_switch_names_what_the_ratios_are_to(self):
        texts = self.value('[...document.querySelectorAll(".switch")].map((each) => each.textContent.trim())')
        self.assertEqual(set(texts), {"absolute ratio to stw", "ratio to the lower bound absolute"})

    def test_the_switch_is_turned_by_keys(self):
        self.value('document.querySelector(".switch input").focus()')
        self.browser.press("ArrowRight")
        self.assertEqual(self.seen()[0], "ratio")
        self.assertEqual(self.value("document.activeElement.value"), "ratio")
        self.browser.press("ArrowLeft")
        self.assertEqual(self.seen()[0], "absolute")

    def test_all_figures_are_switched_at_once(self):
        for form in ("ratio", "absolute"):
            self.browser.click(f'document.querySelector(".all button[value={form}]")')
            self.assertEqual(set(self.seen()), {form})
            self.assertEqual(set(self.value('[...document.querySelectorAll(".switch :checked")].map((e) => e.value)')),
                             {form})

    def test_each_table_is_sorted_up_down_and_back_by_each_column(self):
        tables = self.value(SORTED)
        self.assertEqual(len(tables), (self.directory / "report.html").read_text().count('<table class="sorted">'))
        self.assertGreater(len(tables), 25)
        moved = 0
        for place, table in enumerate(tables):
            for column, (kind, cells, clicks) in enumerate(table):
                made = list(range(len(cells)))
                self.assertEqual([direction for direction, _, _ in clicks], ["ascending", "descending", "none"])
                self.assertTrue(all(others for _, _, others in clicks))
                for direction, found, _ in clicks:
                    wanted = made if direction == "none" else wanted_order(kind, cells, direction)
                    self.assertEqual([cells[each] for each in found], [cells[each] for each in wanted],
                                     (place, column, direction))
                    self.assertEqual(found, wanted, ("stable", place, column, direction, cells))
                    moved += found != made
        self.assertGreater(moved, 100)

    def test_numbers_are_sorted_by_what_they_say(self):
        head = ["name", "size", "word", "time", "ratio", "share", "mixed"]
        rows = [["A", "10 k", "stw", "1.5 ms", "1.52 (95 %: 1.40 to 1.60)", "12.5 %", "never"],
                ["B", "900", "CPython 3.11.2", "300 µs", "10.1 (1 pair)", "100.0 %", "40"],
                ["C", "1 M", "stw-parallel", "2 s", "-", "0.0 %", "7.5"],
                ["D", "1,234", "CPython 3.9.1", "45 ns", "0.98 (always)", "5.0 %", "-"],
                ["E", "10 k", "", "1 ms", "1.52 (1.1 to 2.3)", "-2.5 %", ""],
                ["geometric mean", "", "", "", "1", "", ""]]
        table = page.table_of(Table("mine", head, rows, words=3, means=1), False, "")
        self.other("mine.html", f'<!DOCTYPE html><meta charset="utf-8">{table}<script>{page.SCRIPT}</script>')
        wanted = {"name": ("ABCDE", "EDCBA"), "size": ("BDAEC", "CAEDB"), "word": ("DBACE", "CABDE"),
                  "time": ("DBEAC", "CAEBD"), "ratio": ("DAEBC", "BAEDC"), "share": ("ECDAB", "BADCE"),
                  "mixed": ("CBADE", "BCADE")}
        [found] = self.value(SORTED)
        for name, (_, _, clicks) in zip(head, found):
            orders = ["".join("ABCDE"[each] for each in order) for _, order, _ in clicks]
            self.assertEqual((name, orders), (name, [*wanted[name], "ABCDE"]))
        self.assertEqual(self.value("document.querySelector('tfoot').textContent.trim().split('1')[0]"),
                         "geometric mean")
        self.assertEqual(self.browser.errors, [])

    def test_a_head_is_clicked_with_the_mouse_or_by_keys(self):
        self.value('document.querySelector("table.sorted").closest("details").open = true')
        sort = f"[...{HEADS}].map((each) => each.getAttribute('aria-sort'))"
        number = len(self.value(sort))
        self.browser.click(f"{HEADS}[1].querySelector('button')")
        self.assertEqual(self.value(sort), ["none", "ascending", *["none"] * (number - 2)])
        self.browser.press("Enter")
        self.assertEqual(self.value(sort)[:3], ["none", "descending", "none"])
        self.browser.press("Tab")
        self.assertTrue(self.value(f"document.activeElement === {HEADS}[2].querySelector('button')"))
        self.browser.press(" ")
        self.assertEqual(self.value(sort)[:3], ["none", "none", "ascending"])
        self.assertTrue(self.value("document.activeElement.matches(':focus-visible')"))
        self.assertNotEqual(self.value("getComputedStyle(document.activeElement).outlineStyle"), "none")

    def test_every_link_leads_to_a_file_or_a_place(self):
        links = self.value("[...document.links].map((each) => [each.href, each.getAttribute('href')])")
        self.assertGreater(len(links), 100)
        for whole, given in links:
            if given.startswith("#"):
                self.assertTrue(self.value(f"!!document.getElementById({json.dumps(given[1:])})"), given)
            else:
                self.assertEqual(urlparse(whole).scheme, "file")
                self.assertTrue(Path(unquote(urlparse(whole).path)).is_file(), whole)
        given = {each for _, each in links}
        self.assertLessEqual({"runs.jsonl", "meta.json", "percentiles.csv", "logs/a%20log.txt",
                              "events/00004-ouro-stw.jsonl", "pause_vs_heap_ratio.svg"}, given)

    def test_a_run_that_is_followed_is_shown(self):
        link = "document.querySelector('details.runs a')"
        self.value(f"{link}.closest('details').open = true")
        row = self.value(f"{link}.hash")[1:]
        self.assertFalse(self.value(f"document.getElementById('{row}').checkVisibility()"))
        self.browser.click(link)
        shown = self.value(f"""new Promise((done) => {{
            const look = () => {{
                const box = document.getElementById("{row}").getBoundingClientRect();
                if (box.height > 0 && box.top >= 0 && box.bottom <= innerHeight) done(true);
                else requestAnimationFrame(look);
            }};
            look();
        }})""")
        self.assertTrue(shown)
        # And where a browser opens nothing by itself.
        self.value("document.querySelectorAll('details').forEach((each) => { each.open = false; })")
        self.value("dispatchEvent(new HashChangeEvent('hashchange'))")
        self.assertTrue(self.value(f"document.getElementById('{row}').checkVisibility()"))

    def test_a_phone_is_wide_enough(self):
        self.browser.size(400, 800, phone=True)
        self.browser.open(self.address)
        self.value("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        self.assertEqual(self.value("document.documentElement.scrollWidth"), 400)
        outside = self.value("""[...document.querySelectorAll("body *")].filter((each) => !each.closest(".wide, pre")
            && each.getBoundingClientRect().right > 400.5).map((each) => each.outerHTML.slice(0, 80))""")
        self.assertEqual(outside, [])
        self.browser.click('document.querySelector(".switch input[value=ratio]")')
        self.assertEqual(self.seen()[0], "ratio")
        self.browser.click(f"{HEADS}[3].querySelector('button')")
        self.assertEqual(self.value(f"{HEADS}[3].getAttribute('aria-sort')"), "ascending")
        self.assertEqual(self.browser.errors, [])

    def test_without_scripts_everything_is_shown(self):
        self.browser.scripts(False)
        self.browser.open(self.address)
        self.assertEqual(self.value("document.querySelectorAll('th button').length"), 0)
        forms = self.value(SEEN)
        self.assertEqual(len(forms), len(FORMS))
        self.assertTrue(all(is_seen for each in forms for _, is_seen in each))
        self.assertFalse(self.value("[...document.querySelectorAll('.switch, .all')].some((e) => e.checkVisibility())"))

    def test_printed_it_has_its_tables_and_no_controls(self):
        table = "document.querySelector('details:not(.gate) > .wide > table.sorted')"
        self.assertFalse(self.value(f"{table}.checkVisibility()"), "folded away")
        self.browser.media(kind="print")
        self.assertTrue(self.value(f"{table}.checkVisibility()"))
        self.assertFalse(self.value("[...document.querySelectorAll('.switch, .all')].some((e) => e.checkVisibility())"))
        self.assertEqual(len(self.seen()), len(FORMS), "as they were switched")

    def test_in_the_dark_all_but_the_figures_is_dark(self):
        light = """(() => {
            const luma = (text) => text.match(/[\\d.]+/g).slice(0, 3).reduce((sum, each) => sum + Number(each) / 3, 0);
            const back = (each) => {
                const colour = each ? getComputedStyle(each).backgroundColor : "rgb(255, 255, 255)";
                return colour === "rgba(0, 0, 0, 0)" ? back(each.parentElement) : luma(colour);
            };
            return [...document.querySelectorAll("p, li, td, th, h2, summary, button, label")].filter((each) =>
                Math.abs(back(each) - luma(getComputedStyle(each).color)) < 80 ||
                BRIGHT(back(each))).map((each) => each.outerHTML.slice(0, 80));
        })()"""
        for scheme, bright in (("light", "(n) => n < 128"), ("dark", "(n) => n > 128")):
            self.browser.media(scheme)
            self.assertEqual(self.value(light.replace("BRIGHT", f"({bright})")), [], scheme)


if __name__ == "__main__":
    unittest.main()
