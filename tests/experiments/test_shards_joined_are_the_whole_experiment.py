# not with a sanitizer: runs what other tests do
import json
import shutil
import unittest

from shards import PLANNED, SHARDS, ShardTest, changed, key

from plots.data import names


class Shards(ShardTest):
    def whole(self):
        self.results = self.directory / "whole"
        self.assertEqual(self.ouro_run(self.experiment).returncode, 0)
        return self.rows()

    def test_a_shard_has_whole_invocations_in_the_order_of_the_plan(self):
        whole = {row["run"]: row for row in self.whole()}
        seen = []
        for number in range(1, SHARDS + 1):
            self.shard(number)
            rows, meta = self.rows(), self.meta()
            seen += [row["run"] for row in rows]
            self.assertEqual([row["run"] for row in rows],
                             [place for place, row in sorted(whole.items())
                              if row["invocation"] % SHARDS == number - 1])
            for row in rows:
                theirs = whole[row["run"]]
                self.assertEqual((key(row), row["seed"]), (key(theirs), theirs["seed"]))
            self.assertEqual(meta["shard"], {"number": number, "of": SHARDS})
            self.assertEqual((meta["complete"], meta["runs_planned"]), (True, len(rows)))
        self.assertEqual(sorted(seen), list(range(PLANNED)))

    def test_joined_they_lack_nothing_and_each_row_names_its_machine(self):
        shards = [self.shard(number, SHARDS, "--set", "events=true") for number in (3, 1, 2)]
        changed(shards[0], lambda meta: meta["machine"].update(cpu="another", load_before=77.0))
        before = {each: (each / "runs.jsonl").read_text() for each in shards}
        (shards[1] / "events").mkdir(exist_ok=True)
        (shards[1] / "events" / "00000-ouro-one.jsonl").write_text("{}\n")
        done = self.merge(*shards)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn(f"{PLANNED} of {PLANNED} runs have a result", done.stdout)
        rows, meta = self.check_whole()
        self.assertEqual(meta["machines"][2]["machine"]["cpu"], "another")
        self.assertNotEqual(meta["machine"]["cpu"], "another")
        self.assertEqual(meta["machine"]["load_before"], 77.0)
        drawn = names.machine_line(meta).split("; ")
        self.assertEqual((len(drawn), drawn[1].startswith("another, ")), (2, True), drawn)
        self.assertEqual(len(meta["sessions"]), SHARDS)
        self.assertEqual((self.results / "events" / "00000-ouro-one.jsonl").read_text(), "{}\n")
        for each, text in before.items():
            self.assertEqual((each / "runs.jsonl").read_text(), text, "shards stay as they were")
        # What a row says is what its shard's says.
        theirs = [json.loads(line) for line in before[shards[0]].splitlines()]
        ours = [row for row in rows if row["machine"] == 2]
        for row, other in zip(ours, theirs, strict=True):
            self.assertEqual({**row, "row": other["row"]}, {**other, "machine": 2})

    def test_what_does_not_fit_is_refused_in_words_and_nothing_is_written(self):
        one, two = self.shard(1), self.shard(2)

        def refused(*directories, words):
            done = self.merge(*directories)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(words, done.stderr)
            self.assertEqual([each.name for each in self.directory.glob("merged*")], [])

        def with_meta(words, change):
            other = self.directory / "changed"
            shutil.copytree(two, other)
            changed(other, change)
            refused(one, other, words=words)
            shutil.rmtree(other)

        with_meta(f"its seed is 9, that of {one} is 5", lambda meta: meta.update(seed=9))
        with_meta('its overrides are ["x=1"]', lambda meta: meta.update(overrides=["x=1"]))
        with_meta("its configuration file is another",
                  lambda meta: meta["config"][0].update(text="seed = 5"))
        with_meta("its subjects are others", lambda meta: meta["subjects"][0].update(version="0"))
        with_meta("its configurations are others",
                  lambda meta: meta["configurations"][0].update(timeout=1))
        with_meta('its build has the compiler "cc"', lambda meta: meta["build"].update(compiler="cc"))
        with_meta("copies of one build",
                  lambda meta: meta["build"].update(fingerprint="00  /build/bin/ouro"))
        with_meta("it is one of 4 shards", lambda meta: meta["shard"].update(of=4))
        with_meta("it has a row of invocation 1, which is not shard 1/3's",
                  lambda meta: meta["shard"].update(number=1))
        refused(one, two, one, words="is shard 1/3, as")
        with_meta("it has a row of invocation 1, which is not shard 3/3's",
                  lambda meta: meta["shard"].update(number=3))
        with_meta("is no shard", lambda meta: meta.update(shard=None))
        with_meta("was merged already", lambda meta: meta.update(shard=None, machines=[]))
        refused(one, self.directory / "nothing", words="holds no results (no meta.json)")
        # Where its programs lie is the machine's matter, and so are the machine, and the tree beside
        # the build.
        changed(two, lambda meta: [meta["subjects"][0].update(program="/elsewhere"),
                                   meta["build"].update(fingerprint=meta["build"]["fingerprint"]
                                                        .replace("  /", "  /elsewhere/")),
                                   meta["build"].update(commit="0"),
                                   meta["machine"].update(kernel="0.1")])
        self.assertEqual(self.merge(one, two).returncode, 1, "one of three is missing")

    def test_a_missing_shard_and_runs_without_a_result_are_told(self):
        one, three = self.shard(1), self.shard(3)
        rows = (three / "runs.jsonl").read_text().splitlines(keepends=True)
        (three / "runs.jsonl").write_text("".join(rows[:-1]) + rows[-1][:30])
        done = self.merge(one, three)
        self.assertEqual(done.returncode, 1)
        self.assertIn("warning: shard 2 is not among them", done.stderr)
        made = len((one / "runs.jsonl").read_text().splitlines()) + len(rows)
        self.assertIn(f"{made - 1} of {made} runs have a result", done.stdout)
        self.assertFalse(self.meta()["complete"])
        self.assertEqual(len(self.rows()), made - 1)
        self.assertTrue((three / "runs.jsonl").read_text().endswith(rows[-1][:30]))
        # A directory with something in it is left alone.
        done = self.merge(one, three)
        self.assertEqual(done.returncode, 2)
        self.assertIn("is there already", done.stderr)
        # What was merged is no shard to go on with.
        done = self.ouro_run(self.experiment, "--resume")
        self.assertEqual(done.returncode, 2)
        self.assertIn("merged from shards", done.stderr)

    def test_a_shard_is_resumed_as_that_shard_alone(self):
        self.shard(2)
        rows = (self.results / "runs.jsonl").read_text().splitlines(keepends=True)
        (self.results / "runs.jsonl").write_text("".join(rows[:3]))
        for other, words in (((), "begun as shard 2/3, now it is the whole"),
                             (("--shard", "1/3"), "begun as shard 2/3, now it is shard 1/3")):
            done = self.ouro_run(self.experiment, "--resume", *other)
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)
        done = self.ouro_run(self.experiment, "--resume", "--shard", "2/3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row["run"] for row in self.rows()],
                         [json.loads(row)["run"] for row in rows])

    def test_a_shard_that_cannot_be_is_refused(self):
        for text in ("0/3", "4/3", "1/0", "3", "1/", "a/b", "-1/2", "1/2/3", "1/1001"):
            done = self.ouro_run(self.experiment, "--shard", text)
            self.assertEqual((done.returncode, done.stdout), (2, ""), text)
            self.assertIn(f"found '{text}'; allowed: I/N", done.stderr)
        done = self.ouro_run(self.experiment, "--shard", "1/8")
        self.assertEqual(done.returncode, 2)
        self.assertIn("8 shards for 7 invocations", done.stderr)
        self.assertFalse(self.results.exists())

    def test_a_dry_run_shows_the_shard_alone(self):
        done = self.ouro_run(self.experiment, "--shard", "3/3", "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("shard 3/3", done.stdout)
        self.assertEqual({line[0] for line in done.stdout.splitlines()[1:]}, {"2", "5"})


if __name__ == "__main__":
    unittest.main()
