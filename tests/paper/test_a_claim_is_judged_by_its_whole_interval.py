"""A claim is held if its whole interval is within its limit, not held if none of it is, else open."""
# not with a sanitizer: runs nothing of the build
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import made
from plots.claims import claims, conditions
from plots.data.experiments import Experiment, read
from plots.publication import reproduce


def row(subject, invocation, value, workload="w", **params):
    return {"subject": subject, "workload": workload, "params": params, "invocation": invocation,
            "result": {"time": {"ns": value}, "of": 10}}


def claim(**more):
    return {"id": "a.claim", "sentence": "of {live}", "experiment": "e", "workload": "w",
            "subject": "ours", "metric": "time.ns", "source": "here", **more}


class AClaimIsJudgedByItsWholeInterval(unittest.TestCase):
    def outcome(self, asked, rows, usual=None):
        return claims.evaluate(asked, {"e": Experiment("e", None, rows)}, {}, usual or {})

    def ratio(self, factors, **limit):
        """The outcome where ours takes `factors` of theirs, invocation by invocation."""
        rows = [row("ours", i, 1000 * (i + 1) * factor) for i, factor in enumerate(factors)]
        rows += [row("theirs", i, 1000 * (i + 1)) for i in range(len(factors))]
        return self.outcome(claim(over="theirs", **limit), rows)

    def test_the_ratio_is_the_median_over_pairs(self):
        found = self.ratio([0.5, 0.4, 0.6, 0.5, 0.5], at_most=1)
        self.assertAlmostEqual(found.median, 0.5)
        self.assertEqual((found.n, found.verdict), (5, "held"))
        self.assertTrue(0.4 <= found.low <= 0.5 <= found.high <= 0.6)

    def test_a_limit_inside_the_interval_leaves_it_open(self):
        factors = [0.8, 0.9, 1.0, 1.1, 1.2, 0.85, 1.15, 0.95, 1.05, 1.0]
        self.assertEqual(self.ratio(factors, at_most=1.0).verdict, "open")
        self.assertEqual(self.ratio(factors, at_most=1.3).verdict, "held")
        self.assertEqual(self.ratio(factors, at_most=0.7).verdict, "not held")
        self.assertEqual(self.ratio(factors, at_least=1.3).verdict, "not held")
        self.assertEqual(self.ratio(factors, at_least=0.7).verdict, "held")

    def test_too_few_invocations_leave_it_open(self):
        self.assertEqual(self.ratio([0.5, 0.5], at_most=1).verdict, "open")
        self.assertEqual(self.ratio([0.5, 0.5, 0.5], at_most=1).verdict, "held")

    def test_what_was_published_is_reproduced_if_the_interval_has_it(self):
        factors = [0.8, 0.9, 1.0, 1.1, 1.2]
        for value, verdict in ((1.0, "reproduced"), ([1.15, 5], "reproduced"), (3, "not reproduced"),
                               ([2, 3], "not reproduced")):
            published = {"value": value, "source": "there", "why": "another"}
            self.assertEqual(self.ratio(factors, published=published).verdict, verdict, value)
        self.assertEqual(self.ratio(factors, published={"at_most": 0.5, "source": "", "why": ""}).verdict,
                         "not reproduced")

    def test_what_lacks_is_not_measured_and_named(self):
        found = self.outcome(claim(at_most=1), [row("theirs", 0, 1)])
        self.assertEqual(found.verdict, "not measured")
        self.assertIn("no run of ours", found.why_not)
        self.assertEqual(claims.evaluate(claim(at_most=1), {}, {"e": "gone"}, {}).why_not, "gone")
        self.assertIn("time.cpu", self.outcome(claim(at_most=1, metric="time.cpu"),
                                               [row("ours", 0, 1)]).why_not)

    def test_runs_of_two_kinds_are_never_mixed(self):
        rows = [row("ours", 0, 5, live=10), row("ours", 0, 50, live=100)]
        self.assertIn("differ in live", self.outcome(claim(at_most=1), rows).why_not)
        found = self.outcome(claim(at_most=100, select={"live": "largest"}), rows)
        self.assertEqual((found.median, found.sentence), (50, "of 100"))
        self.assertEqual(self.outcome(claim(at_most=100), rows, {"w": {"live": 10}}).median, 5)

    def test_one_is_divided_by_another_of_the_same_run(self):
        found = self.outcome(claim(at_most=1, per="of", scale=2), [row("ours", 0, 5)])
        self.assertEqual(found.median, 1.0)

    def test_across_workloads_it_is_the_worst_or_the_mean(self):
        rows = [row(name, i, value, workload) for i in range(3) for name, workload, value in (
            ("ours", "w1", 2), ("theirs", "w1", 1), ("ours", "w2", 8), ("theirs", "w2", 1),
            ("ours", "w3", 900), ("theirs", "w3", 1))]
        asked = claim(workload="w?", across="workload", only=["w1", "w2"], over="theirs", at_most=9)
        found = self.outcome(asked, rows)
        self.assertEqual((found.median, found.worst), (8, "w2"))
        self.assertAlmostEqual(self.outcome({**asked, "combine": "geometric mean"}, rows).median, 4)

    def test_of_several_subjects_it_is_the_hardest(self):
        rows = [row(name, i, value) for i in range(3) for name, value in (
            ("ours", 6), ("py-1", 10), ("py-2t", 8), ("py-3", 12))]
        found = self.outcome(claim(over="py-*", each="over", at_most=0.7), rows)
        self.assertEqual((found.median, found.worst, found.verdict), (0.75, "py-2t", "not held"))
        self.assertEqual(found.claim["over"], "py-*")
        found = self.outcome(claim(over="py-*", each="over", at_least=0.5), rows)
        self.assertEqual((found.median, found.worst), (0.5, "py-3"))
        found = self.outcome(claim(subject="py-*", over="ours", each="subject", at_least=1), rows)
        self.assertEqual((found.worst, found.verdict), ("py-2t", "held"))
        self.assertIn("several runs", self.outcome(claim(over="py-*", at_most=1), rows).why_not)

    def test_of_several_subjects_each_must_have_its_number(self):
        rows = [row("ours", i, 6) for i in range(3)] + [row("py-1", i, 10) for i in range(3)] + [row("py-2", 7, 10)]
        found = self.outcome(claim(over="py-*", each="over", at_most=1), rows)
        self.assertEqual((found.verdict, found.claim["over"]), ("not measured", "py-*"))
        self.assertIn("no invocation that both have", found.why_not)
        self.assertIn("no run of zz-*", self.outcome(claim(over="zz-*", each="over", at_most=1), rows).why_not)


class WhatFiguresSetAsideIsClaimedAllTheSame(unittest.TestCase):
    def test_a_parameter_that_no_figure_tells_apart_can_be_selected(self):
        rows = [{**row("ouro-local", each, 1000 + touches, "touch", touches=touches), "run": 10 * touches + each,
                 "status": "ok", "objects": 5, "repeat": 0, "shuffled": False}
                for touches, invocations in ((0, 3), (7, 2)) for each in range(invocations)]
        with tempfile.TemporaryDirectory() as place:
            (Path(place) / "e").mkdir()
            (Path(place) / "e/runs.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows))
            found = read(place, "e")
        self.assertEqual((len(found.results.rows), found.results.aside), (3, 2))
        asked = claim(workload="touch", subject="local", select={"touches": 7}, at_most=2000)
        self.assertEqual(claims.evaluate(asked, {"e": found}, {}, {}).median, 1007)


class TheFileOfClaimsIsWhole(unittest.TestCase):
    def test_every_claim_says_what_it_must(self):
        document = claims.read_claims()
        names = [each["id"] for each in document["claim"]]
        self.assertEqual(len(names), len(set(names)))
        for each in document["claim"]:
            with self.subTest(each["id"]):
                self.assertIn(each["experiment"], document["experiment"])
                published = each.get("published")
                limit = published or each
                self.assertTrue(limit["source"])
                self.assertIn(each.get("each", "subject"), ("subject", "over"))
                self.assertEqual(1, sum(key in limit for key in ("at_most", "at_least", "value")))
                self.assertEqual(published is not None, "at_most" not in each and "at_least" not in each)
                self.assertTrue(published is None or published["why"])

    def test_what_is_set_apart_is_a_condition_and_has_a_reason(self):
        known = {name for name, _, _ in conditions.CONDITIONS}
        for name, plan in claims.read_claims()["experiment"].items():
            for condition, reason in plan.get("apart", {}).items():
                self.assertIn(condition, known, name)
                self.assertTrue(reason)

    def test_the_readme_shows_what_was_measured(self):
        done = subprocess.run([made.PYTHON, made.ROOT / "plots/readme.py", "--check"], capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_every_experiment_can_be_made_quickly_too(self):
        for name, plan in claims.read_claims()["experiment"].items():
            for each in (plan, {**plan, **plan["quick"]}):
                if "config" in plan:
                    with self.subTest(name, config=each["config"]), tempfile.TemporaryDirectory() as place:
                        command, _ = reproduce.steps(name, each, False, Path(made.OURO), Path(place) / "results")
                        done = subprocess.run([*map(str, command), "--dry-run"], capture_output=True, text=True,
                                              check=False)
                        # A build or a peer that is not there is left out.
                        self.assertNotIn("allowed:", done.stderr)
                        self.assertNotIn("there already", done.stderr)

    def test_microbenchmarks_older_than_their_library_are_not_run(self):
        with tempfile.TemporaryDirectory() as directory:
            ouro, program, library = (Path(directory) / each for each in (
                "bin/ouro", "bin/ouro_micro", "lib/libouroboros.so"))
            for each in (ouro, program, library):
                each.parent.mkdir(exist_ok=True)
                each.touch()

            def said(seconds):
                os.utime(program, (seconds, seconds))
                os.utime(library, (1000, 1000))
                command, why = reproduce.steps("pairs", {"micro": "pair", "repetitions": 1}, False, ouro,
                                               Path(directory))
                return command is None, why
            self.assertEqual(said(1001), (False, ""))
            refused, why = said(999)
            self.assertTrue(refused)
            self.assertRegex(why, "ouro_micro is older than .*libouroboros.so.*: build it again$")


if __name__ == "__main__":
    unittest.main()
