"""The paper's numbers are those of the results that it is built from, the same results give the same bytes,
what they lack is named; and `ouro reproduce` checks the same claims."""
import json
import lzma
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import unittest
from pathlib import Path

import made
from plots.claims.conditions import lacks_of_triple
from plots.data import packed
from plots.data.loads import pause_lengths
from plots.data.results import load
from plots.stats.distribution import quantile
from plots.stats.mmu import mmu_of_slices

TEX = all(shutil.which(each) for each in ("latexmk", "pdflatex", "kpsewhich")) and not subprocess.run(
    ["kpsewhich", "acmart.cls"], stdout=subprocess.DEVNULL, check=False).returncode
NEEDED = ("paper", "plots", "experiments/setup.sh", "experiments/packages.txt", "experiments/configs",
          "experiments/schema")


def lacks(row):
    return list(lacks_of_triple(row))


@unittest.skipUnless(os.access(made.OURO, os.X_OK) and os.access(made.MICRO, os.X_OK),
                     "the ouro command and the microbenchmarks are not built")
@unittest.skipIf(os.environ.get("OURO_SANITIZE"), "what is measured has no sanitizer")
class ThePaperIsMadeOfItsData(unittest.TestCase):
    values_of_data = None

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = Path(scratch.name)
        (cls.scratch / "data").mkdir()
        cls.data = made.make(cls.scratch / "data")
        cls.packed = cls.scratch / "packed"
        made.run([made.PYTHON, made.ROOT / "plots/pack.py", cls.data, cls.packed])

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)

    def copy_of_data(self):
        return Path(shutil.copytree(self.data, self.directory / "copy"))

    def change(self, data, experiment, keep):
        """Leaves of an experiment the rows that `keep` keeps."""
        path = data / experiment / "runs.jsonl"
        rows = map(json.loads, path.read_text().splitlines())
        path.write_text("".join(json.dumps(row) + "\n" for row in rows if keep(row)))

    def generate(self, data, *options):
        """(the process, where it wrote)."""
        into = self.directory / "generated"
        sources = [made.ROOT / "paper" / "paper.tex", *sorted((made.ROOT / "paper/sections").glob("*.tex"))]
        return subprocess.run([made.PYTHON, made.ROOT / "plots/paper.py", "--data", data, "--into", into,
                               *options, *sources], capture_output=True, text=True, check=False), into

    def values(self, data):
        done, into = self.generate(data, "--draft")
        self.assertEqual(done.returncode, 0, done.stderr)
        return dict(re.findall(r"\\csname val:(.+?)\\endcsname\{(.*)\}", (into / "values.tex").read_text()))

    @property
    def of_data(self):
        """The values of all of it, made once."""
        cls = type(self)
        if cls.values_of_data is None:
            cls.values_of_data = self.values(self.data)
        return cls.values_of_data

    def reproduce(self, *arguments):
        return subprocess.run([made.OURO, "reproduce", *map(str, arguments)], capture_output=True, text=True,
                              cwd=self.directory, check=False, stdin=subprocess.DEVNULL, timeout=300)

    def readme(self, text, *options, data=None):
        """(the process, the file's text after it)."""
        file = self.directory / "README.md"
        file.write_text(text)
        done = subprocess.run([made.PYTHON, made.ROOT / "plots/readme.py", "--data", data or self.data, *options,
                               file], capture_output=True, text=True, check=False)
        return done, file.read_text()

    # ---- the paper

    def test_a_number_is_that_of_the_rows(self):
        rows = list(map(json.loads, (self.data / "load/runs.jsonl").read_text().splitlines()))
        found = {}
        for row in rows:
            params = row["params"]
            if (params["live"] == 4000 and params["load"] == "300000/s" and not params["shuffled"]
                    and params["threads"] == 1 and params["unflagged"] == 0 and row["repeat"] == 0):
                engine = row["result"]["engine"]
                found.setdefault(engine, {})[row["invocation"]] = row["result"]
        self.assertEqual(len(found["concurrent"]), 3)
        pauses = [each["merged_pauses"]["cpu"]["p999_ns"] / 1e6 for each in found["concurrent"].values()]
        ratios = [found["concurrent"][i]["rss_peak_bytes"] / found["stw"][i]["rss_peak_bytes"] for i in range(3)]
        values = self.of_data
        shown = float(values["load.cpu"].removesuffix(" ms").replace(",", ""))
        self.assertAlmostEqual(shown / statistics.median(pauses), 1, delta=0.05)
        self.assertAlmostEqual(float(values["load.memory"]) / statistics.median(ratios), 1, delta=0.05)
        self.assertEqual(values["load.memory.n"], "3")
        self.assertEqual(values["load.cpu.live"], "4 k")

    def test_packed_data_give_the_same(self):
        copied = self.copy_of_data()
        for path in [*copied.glob("*/*.jsonl"), *copied.glob("*/*.json")]:
            path.with_name(path.name + ".xz").write_bytes(lzma.compress(path.read_bytes()))
            path.unlink()
        self.assertEqual(self.values(copied), self.of_data)

    def assert_packed_the_same(self, source):
        again = self.directory / "again"
        made.run([made.PYTHON, made.ROOT / "plots/pack.py", source, again])
        files = sorted(path.relative_to(self.packed) for path in self.packed.rglob("*.xz"))
        self.assertIn(Path("load/runs.jsonl.xz"), files)
        for each in files:
            self.assertEqual((self.packed / each).read_bytes(), (again / each).read_bytes())

    def test_what_is_kept_of_results_gives_the_same(self):
        self.assert_packed_the_same(self.data)
        self.assertEqual(self.values(self.packed), self.of_data)
        self.assertLess(len(lzma.decompress((self.packed / "load/runs.jsonl.xz").read_bytes())),
                        (self.data / "load/runs.jsonl").stat().st_size)

    def test_what_was_packed_is_packed_to_the_same(self):
        self.assert_packed_the_same(self.packed)

    def test_pauses_are_kept_whole_and_when_they_began_to_a_microsecond(self):
        rows, kept = (load(each / "load").rows for each in (self.data, self.packed))
        compared = 0
        for row, other in zip(rows, kept, strict=True):
            if row["repeat"] == 0 and row["invocation"] < packed.WHOLE:
                for (begin, ns), (kept_begin, kept_ns) in zip(row["result"]["pause_points"],
                                                              other["result"]["pause_points"], strict=True):
                    self.assertEqual(ns, kept_ns)
                    self.assertTrue(0 <= begin - kept_begin < 1000)
                    compared += 1
        self.assertGreater(compared, 100)

    def test_of_more_invocations_under_load_the_longest_pauses_are_kept(self):
        rows, kept = (load(each / "load").rows for each in (self.data, self.packed))
        compared = 0
        for row, other in zip(rows, kept, strict=True):
            if row["invocation"] < packed.WHOLE:
                continue
            self.assertFalse({"pause_points", "other_pause_points"} & other["result"].keys())
            before, after = (sorted(pause_lengths({0: each["result"]})) for each in (row, other))
            self.assertEqual(len(before), len(after))
            self.assertEqual(lacks(row), lacks(other))
            if before:
                least = quantile(before, 0.99)
                self.assertEqual([ns for ns in before if ns > least], [ns for ns in after if ns > least])
                for part in (0.25, 0.5, 0.9):
                    near = (quantile(before, part - 0.02), quantile(before, part + 0.02))
                    self.assertTrue(near[0] <= quantile(after, part) <= near[1], (part, near, quantile(after, part)))
                compared += 1
        self.assertGreater(compared, 10)

    def test_a_report_can_be_made_of_what_is_kept(self):
        for name in ("load", "components", "peers"):
            kept = shutil.copytree(self.packed / name, self.directory / name)
            made.run([made.OURO, "report", "--formats", "svg", kept])
            self.assertTrue((kept / "report.html").is_file())

    def test_the_longest_slices_are_kept(self):
        rows, kept = (load(each / "peers").rows for each in (self.data, self.packed))
        for row, other in zip(rows, kept, strict=True):
            samples = row["result"]["slice_samples_ns"][row["result"]["slices"]["warmup"]:]
            tail = other["result"]["slice_tail"]
            self.assertNotIn("slice_samples_ns", other["result"])
            self.assertEqual(tail["count"], len(samples))
            self.assertTrue(all(samples[i] == ns for i, ns in tail["points"]))
            self.assertEqual(max(ns for _, ns in tail["points"]), max(samples))
            self.assertLessEqual(len(tail["points"]), len(samples) / 100)
            self.assertEqual(len(other["result"]["slice_curve_ns"]), 100)
            self.assertEqual(packed.slice_lengths(row["result"]), samples)
            self.assertEqual(other["result"]["slice_mmu_10ms"], mmu_of_slices(samples))
            lengths, known = sorted(packed.slice_lengths(other["result"])), sorted(samples)
            self.assertEqual(len(lengths), len(known))
            for part in (0.999, 1):
                self.assertEqual(quantile(lengths, part), quantile(known, part))
            for part in (0.25, 0.5, 0.9):
                near = (quantile(known, part - 0.02), quantile(known, part + 0.02))
                self.assertTrue(near[0] <= quantile(lengths, part) <= near[1], (part, near, quantile(lengths, part)))

    def test_what_the_data_lack_is_named_and_nothing_is_written(self):
        data = self.copy_of_data()
        self.change(data, "load", lambda row: "snapshot" not in row["subject"])
        shutil.rmtree(data / "extension")
        done, into = self.generate(data, "--draft")
        self.assertEqual(done.returncode, 1)
        for name in ("value fork.pause:", "no run of snapshot", "table load:", "figure pauses:",
                     "value extension.calls:", "experiment extension: no result"):
            self.assertIn(name, done.stderr)
        self.assertNotIn("value pause.ordered", done.stderr)
        self.assertFalse(into.exists())

    def test_small_data_make_a_draft_and_no_paper(self):
        done, into = self.generate(self.data)
        self.assertEqual(done.returncode, 1)
        self.assertIn("paper: gate: experiment load: invocations", done.stderr)
        self.assertFalse(into.exists())

    def test_the_tables_of_the_readme_are_made_of_them(self):
        names = ("headline", "summary", "full", "load", "flat", "rates", "backlog", "verdicts")
        text = "before\n" + "".join(f"<!-- measured: {name} -->\nstale {name}\n<!-- end -->\n"
                                   for name in names) + "after\n"
        done, unchanged = self.readme(text, "--check")
        self.assertEqual((done.returncode, unchanged), (1, text), done.stderr)
        done, made_anew = self.readme(text)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(made_anew, r"(?s)^before\n.*\nafter\n$")
        self.assertNotIn("stale ", made_anew)
        rows = map(json.loads, (self.data / "load/runs.jsonl").read_text().splitlines())
        peaks = [row["result"]["rss_peak_bytes"] / 2**20 for row in rows
                 if row["subject"].startswith("ouro-stw+") and row["params"]["live"] == 4000
                 and row["params"]["load"] == "300000/s" and not row["shuffled"]
                 and row["params"]["threads"] == 1 and row["params"]["unflagged"] == 0]
        self.assertEqual(len(peaks), 3)
        shown = re.search(r"\n\| `stw` \| [^|]+ \| [^|]+ \| ([\d.]+) ", made_anew)
        self.assertAlmostEqual(float(shown[1]) / statistics.median(peaks), 1, delta=0.01)
        done, again = self.readme(made_anew, "--check")
        self.assertEqual((done.returncode, again), (0, made_anew), done.stderr)

    def test_who_reached_the_limit_of_what_may_wait_is_marked(self):
        text = "<!-- measured: backlog -->\n<!-- end -->\n"
        rows = list(map(json.loads, (self.data / "backlog/runs.jsonl").read_text().splitlines()))
        dead = [row["result"]["backlog_max"] / 1e3 for row in rows
                if row["subject"].startswith("ouro-stw+") and row["params"]["threads"] == 2]
        self.assertEqual(len(dead), 3)
        _, shown = self.readme(text)
        self.assertAlmostEqual(float(re.search(r"\n\| `stw` \| [^|]+ \| ([\d.]+)", shown)[1])
                               / statistics.median(dead), 1, delta=0.01)
        self.assertNotIn("stopped", shown)
        data = self.copy_of_data()
        for row in rows:
            row["result"]["stopped_at_limit"] = row["subject"].startswith("ouro-stw+") and row["invocation"] == 1
        (data / "backlog/runs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        _, shown = self.readme(text, data=data)
        self.assertEqual(re.findall(r"\n\| `([^`]+)`, stopped \|", shown), ["stw"])

    def test_a_readme_that_cannot_be_made_is_left_as_it_is(self):
        lacking = self.copy_of_data()
        shutil.rmtree(lacking / "load")
        for text, data, message in (
                ("<!-- measured: what -->\n<!-- end -->\n", self.data, "no table 'what'; allowed: "),
                ("<!-- measured: load -->\n", self.data, "1 have no <!-- end -->"),
                ("<!-- measured: load -->\n<!-- end -->\n", lacking, "experiment load: ")):
            with self.subTest(text=text):
                done, after = self.readme(text, data=data)
                self.assertEqual((done.returncode, after), (1, text))
                self.assertIn(message, done.stderr)

    def test_the_data_of_the_project_may_be_claimed(self):
        code = ("import sys; from pathlib import Path; from plots.claims import claims; "
                "from plots.data.experiments import read_all; from plots.numbers.finder import Finder; "
                "from plots.publication.paper import breaches; document = claims.read_claims(); "
                "found = read_all(Path('paper/data'), document['experiment']); "
                "print(*breaches(Finder(*found, document).judged, document), sep='\\n')")
        self.assertEqual(made.run([made.PYTHON, "-c", code], cwd=made.ROOT).strip(), "")

    def test_no_number_is_typed_in_the_evaluation(self):
        text = (made.ROOT / "paper/sections/evaluation.tex").read_text()
        text = re.sub(r"(?<!\\)%.*", "", text)
        text = re.sub(r"\\(?:val|found|asked|verdict|measured|drawn|ref|label|cite)\{[^}]*\}", "", text)
        text = text.replace("PEP~703", "").replace("{1pt}", "")
        self.assertEqual(re.findall(r".*\d.*", text), [])

    @unittest.skipUnless(TEX, "TeX with acmart is not installed (experiments/run --with paper)")
    def test_two_clones_give_the_same_bytes(self):
        made_of = []
        for name in ("one", "another, with a longer name"):
            clone = self.directory / name
            for each in NEEDED:
                source = made.ROOT / each
                (clone / each).parent.mkdir(parents=True, exist_ok=True)
                copy = shutil.copytree if source.is_dir() else shutil.copy
                copy(source, clone / each)
            shutil.copytree(self.data, clone / "data")
            made.run([clone / "paper/build", "--draft", "--data", clone / "data", "-o", clone / "it.pdf"],
                     env={**os.environ, "OURO_NO_INSTALL": "1"})
            made_of.append((clone / "it.pdf").read_bytes())
        self.assertTrue(made_of[0].startswith(b"%PDF"))
        self.assertEqual(made_of[0], made_of[1])
        self.assertNotIn(str(self.directory).encode(), made_of[0])

    # ---- ouro reproduce

    def test_every_claim_is_checked_and_shown(self):
        done = self.reproduce("--from", self.data, "-o", "out")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        document = (self.directory / "out/claims.md").read_text()
        for name in re.findall(r'^id = "(.*)"', (made.ROOT / "paper/claims.toml").read_text(), re.M):
            self.assertIn(f"| {name}: ", document)
            self.assertIn(f"{name}:", done.stdout)
        self.assertNotIn("not measured", document)
        for name in ("pause_vs_heap", "pauses", "triangle"):
            self.assertTrue((self.directory / f"out/figures/{name}.png").is_file())
        self.assertIn("figures/pauses.png", (self.directory / "out/reproduction.html").read_text())
        self.assertEqual(done.returncode, int("| not held |" in document))

    def test_the_status_is_that_of_the_chosen_claims(self):
        text = (made.ROOT / "paper/claims.toml").read_text()
        limits = self.directory / "claims.toml"
        for limit, status in (("1e-9", 1), ("1e9", 0)):
            limits.write_text(re.sub(r'(?s)(id = "load.memory".*?at_most = )1.25', rf"\g<1>{limit}", text))
            done = self.reproduce("--claims", limits, "--from", self.data, "-o", "out", "load.memory")
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
            self.assertIn("not held" if status else "held", done.stdout)

    def test_what_is_not_there_is_not_measured(self):
        data = self.copy_of_data()
        shutil.rmtree(data / "load")
        done = self.reproduce("--from", data, "-o", "out", "load.memory")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout.replace("\n", " "), r"not measured:.*experiment")

    def test_an_experiment_is_run_and_gone_on_with(self):
        config = self.directory / "tiny.toml"
        config.write_text('title = "tiny"\nnoise-floor = false\ninvocations = 3\n[[workload]]\nname = "graph"\n'
                          'objects = 100_000\ncollections = 2\n[[subject]]\nengine = ["stw", "stw-parallel"]\n')
        claims = self.directory / "claims.toml"
        claims.write_text(f'''
[experiment.tiny]
config = "{config}"
quick = {{ set = ["workload.graph.objects=300"] }}
[[claim]]
id = "tiny.ratio"
sentence = "Of {{objects}} objects."
experiment = "tiny"
workload = "graph"
subject = "stw"
over = "stw-parallel"
metric = "live_collect_ns"
at_most = 1e9
source = "the test"
''')
        # One that was ended in its first second has left this, and nothing to go on with.
        (self.directory / "out/tiny").mkdir(parents=True)
        (self.directory / "out/tiny/runs.jsonl").touch()
        done = self.reproduce("--claims", claims, "--quick", "-o", "out")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("Of 300 objects", done.stdout)
        self.assertIn("quick run", done.stdout)
        rows = (self.directory / "out/tiny/runs.jsonl").read_text()
        self.assertEqual(len(rows.splitlines()), 6)
        again = self.reproduce("--claims", claims, "--quick", "-o", "out")
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        self.assertNotIn("ended with", again.stderr)
        self.assertEqual((self.directory / "out/tiny/runs.jsonl").read_text(), rows)
        self.assertIn("quick run", self.reproduce("--claims", claims, "--from", "out").stdout)

    def test_arguments_that_mean_nothing_are_refused(self):
        for arguments in (["no.such.claim"], ["--from", "nowhere"], ["--from", self.data, "--quick"]):
            self.assertEqual(self.reproduce(*arguments).returncode, 2, arguments)


if __name__ == "__main__":
    unittest.main()
