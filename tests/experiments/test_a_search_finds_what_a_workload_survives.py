"""`ouro search`: a stand-in whose edge is known, and small real runs."""
# not with a sanitizer: runs what other tests do
import json
import subprocess
import sys
import time
import unittest

import support
from support import OURO, ExperimentTest

# It fails with more than EDGE objects, and with less than EDGE MiB of data where that is limited. With a young
# threshold below 777 a tenth of the operations is left undone; each costs more the less the threshold is.
# HANG: with so many objects it hangs as long as there is a file for it.
STAND_IN = support.STAND_IN.replace('behaviour = "BEHAVIOUR"', '''behaviour = "ok"
import resource
data = resource.getrlimit(resource.RLIMIT_DATA)[0] >> 20
with open(sys.argv[0] + ".calls", "a") as calls:
    calls.write("%s\\n" % " ".join(sys.argv[1:]))
if sys.argv[1] == "bench" and (objects > EDGE or 0 < data < EDGE):
    sys.exit("no more than EDGE")
if os.path.exists(sys.argv[0] + ".hang") and objects == HANG:
    open(sys.argv[0] + ".hangs", "w").close()
    time.sleep(60)
''').replace('    print(json.dumps(result))', '''    due = 1000
    threshold = given("--young-threshold", 2000)
    result.update(operations_due=due, mutator_ops=due if threshold >= 777 else 900,
                  cpu_ns=1000 * (1000 + 100000 // max(threshold, 1)))
    print(json.dumps(result))''')


class Search(ExperimentTest):
    def stand_in(self, edge, hang=0):
        path = self.directory / "worker"
        path.write_text(STAND_IN.replace("EDGE", str(edge)).replace("HANG", str(hang)))
        path.chmod(0o755)
        return path

    def experiment(self, worker, workload="graph", more="", invocations=2):
        return self.config(f'''
title = "edge"
invocations = {invocations}
[[workload]]
name = "{workload}"
{more}
[[subject]]
name = "worker"
ouro = "{worker}"
engine = "stw"
''')

    def search(self, *arguments, results=True):
        where = ("-o", self.results) if results else ()
        return subprocess.run([OURO, "search", *map(str, arguments), *map(str, where)], timeout=300,
                              capture_output=True, text=True, cwd=self.directory, check=False,
                              stdin=subprocess.DEVNULL, env=support.environment())

    def found(self, done, status=0):
        """The answers of a search that ended so; probes and metadata are checked."""
        self.assertEqual((done.returncode, done.stderr), (status, ""), done.stdout)
        schema = support.schema_check.load("probe.schema.json")
        result_schema = support.schema_check.load("result.schema.json")
        self.probes = [json.loads(line)
                       for line in (self.results / "probes.jsonl").read_text().splitlines()]
        for number, row in enumerate(self.probes):
            self.assertEqual(support.schema_check.problems(row, schema), [])
            self.assertEqual(row["row"], number)
            if row["status"] == "ok":
                self.assertEqual(support.schema_check.problems(row["result"], result_schema), [])
        meta = json.loads((self.results / "meta.json").read_text())
        self.assertEqual(
            support.schema_check.problems(meta, support.schema_check.load("search.schema.json")), [])
        return meta["answers"]

    def test_the_edge_of_a_parameter_is_found_exactly(self):
        worker = self.stand_in(edge=4321)
        done = self.search(self.experiment(worker), "--largest", "objects", "--from", 100, "--to", 100_000,
                           "--within", 0)
        answer, = self.found(done)
        self.assertEqual((answer["passes"], answer["fails"], answer["times"]), (4321, 4322, 2))
        self.assertIn("no more than 4321", answer["reason"])
        self.assertNotIn("objects", answer["params"])
        self.assertIn("largest objects: 4321 (2 of 2); 4322 fails", done.stdout)
        # Each run that passes is made as often as it must pass; one that fails is enough.
        tried = {}
        for row in self.probes:
            self.assertEqual(row["params"]["objects"], row["value"])
            self.assertIn(f"--objects {row['value']} ", row["command"])
            tried.setdefault(row["value"], []).append(row["passes"])
        for value, passes in tried.items():
            self.assertEqual(passes, [True, True] if value <= 4321 else [False], value)
        self.assertEqual({row["seed"] for row in self.probes if row["value"] == 4321}, {1, 2})
        calls = (self.directory / "worker.calls").read_text().splitlines()
        self.assertEqual(sum(call.startswith("bench") for call in calls), len(self.probes))

    def test_the_limit_of_memory_is_the_childs_alone(self):
        worker = self.stand_in(edge=300)
        experiment = self.experiment(worker, more="objects = 50")
        answer, = self.found(self.search(experiment, "--smallest", "data", "--to", 5000, "--within", 0))
        self.assertEqual((answer["passes"], answer["fails"]), (300, 299))
        self.assertIn("prlimit --data=", self.probes[0]["command"])

    def test_a_bound_that_fails_is_no_answer_and_one_that_passes_is_one(self):
        worker = self.stand_in(edge=300)
        experiment = self.experiment(worker)
        done = self.search(experiment, "--largest", "objects", "--from", 400, "--to", 500)
        answer, = self.found(done, status=1)
        self.assertEqual((answer["passes"], answer["fails"], len(self.probes)), (None, 400, 1))
        self.assertIn("none up to the bound: 400 fails", done.stdout)
        self.results = self.directory / "others"
        done = self.search(experiment, "--largest", "objects", "--from", 100, "--to", 200)
        answer, = self.found(done)
        self.assertEqual((answer["passes"], answer["fails"]), (200, None))
        self.assertIn("200 (2 of 2), which is the bound", done.stdout)

    def test_what_is_due_must_be_done(self):
        worker = self.stand_in(edge=10**9)
        experiment = self.experiment(worker, "lru", 'load = "1000/s"')
        answer, = self.found(self.search(experiment, "--smallest", "young-threshold", "--to", 100_000,
                                         "--within", 0, "--criterion", "keeps-up"))
        self.assertEqual((answer["passes"], answer["fails"], answer["measured"]), (777, 776, 100))
        self.assertIn("90 % of the operations due", answer["reason"])
        self.results = self.directory / "others"
        answer, = self.found(self.search(experiment, "--smallest", "young-threshold", "--criterion",
                                         "keeps-up=90"))
        self.assertEqual((answer["passes"], answer["fails"]), (1, None))

    def test_processor_time_is_compared_with_that_at_the_bound(self):
        worker = self.stand_in(edge=10**9)
        experiment = self.experiment(worker, "churn", "objects = 1000")
        answer, = self.found(self.search(experiment, "--smallest", "young-threshold", "--from", 778, "--to",
                                         100_000, "--within", 0, "--criterion", "cpu=1.1"))
        self.assertAlmostEqual(answer["passes"], 995, delta=30)
        self.assertEqual(answer["fails"], answer["passes"] - 1)
        self.assertIn("times the CPU time at the bound", answer["reason"])

    def test_each_workload_has_an_answer_with_each_subject(self):
        worker = self.stand_in(edge=300)
        experiment = self.experiment(worker, more="objects = [10, 20]\ndegree = [1, 2]")
        experiment.write_text(experiment.read_text() + '[[subject]]\nengine = "stw"\n')
        done = self.search(experiment, "--largest", "objects", "--from", 10, "--to", 2000)
        answers = self.found(done)
        # The two numbers of objects are one search.
        self.assertEqual([(each["params"]["degree"], each["subject"]) for each in answers],
                         [(1, "ouro-worker"), (1, "ouro-stw"), (2, "ouro-worker"), (2, "ouro-stw")])
        self.assertEqual([each["fails"] is None for each in answers], [False, True] * 2)

    def test_an_interrupted_search_goes_on(self):
        worker = self.stand_in(edge=4321, hang=1000)
        hang, hangs = (self.directory / f"worker.{name}" for name in ("hang", "hangs"))
        hang.touch()
        arguments = (self.experiment(worker), "--largest", "objects", "--from", 100, "--to", 10_000)
        running = subprocess.Popen([OURO, "search", *map(str, arguments), "-o", str(self.results)],
                                   stdout=subprocess.PIPE, text=True, env=support.environment())
        limit = time.monotonic() + 60
        while not hangs.exists() and time.monotonic() < limit:
            time.sleep(0.05)
        running.terminate()
        printed, _ = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 130, printed)
        self.assertIn("--resume goes on", printed)
        hang.unlink()
        before = (self.results / "probes.jsonl").read_text().splitlines()
        self.assertEqual(json.loads(before[-1])["status"], "interrupted")
        done = self.search(*arguments, "--resume")
        answer, = self.found(done)
        self.assertLessEqual(answer["passes"], 4321)
        self.assertGreater(answer["fails"], 4321)
        self.assertEqual((self.results / "probes.jsonl").read_text().splitlines()[:len(before)], before)
        made = [(row["value"], row["number"]) for row in self.probes if row["status"] != "interrupted"]
        self.assertEqual(len(made), len(set(made)), "nothing was made twice")
        # Something else is not mixed in.
        for other, words in ((("--within", 1), "something else"), (("--set", "seed=3"), "seed differs")):
            done = self.search(*arguments, *other, "--resume")
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)

    def test_a_bound_that_the_machine_gave_is_that_of_the_beginning(self):
        arguments = (self.experiment(self.stand_in(edge=300), more="objects = 50"), "--smallest", "data", "--within", 50)
        self.found(self.search(*arguments))
        path = self.results / "meta.json"
        meta = json.loads(path.read_text())
        meta["search"]["to"] += 1  # as if so much memory had been available
        path.write_text(json.dumps(meta))
        self.found(self.search(*arguments, "--resume"))
        self.assertEqual(json.loads(path.read_text())["search"], meta["search"])
        self.assertIn(meta["search"]["to"], [row["value"] for row in self.probes])
        done = self.search(*arguments, "--to", 5000, "--resume")
        self.assertEqual(done.returncode, 2)
        self.assertIn("between other bounds", done.stderr)

    def test_probes_of_two_machines_are_not_compared(self):
        arguments = (self.experiment(self.stand_in(edge=300)), "--largest", "objects", "--from", 100, "--to", 200)
        self.found(self.search(*arguments))
        path = self.results / "meta.json"
        meta = json.loads(path.read_text())
        meta["machine"]["kernel"] = "0.1"
        path.write_text(json.dumps(meta))
        done = self.search(*arguments, "--resume")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("cannot be resumed: it was begun on another machine (kernel differs)", done.stderr)

    @unittest.skipIf(support.os.environ.get("OURO_SANITIZE"), "a sanitizer's shadow memory is more than any limit")
    def test_a_real_program_is_searched_by_its_workloads_name(self):
        done = self.search("graph", "--objects", 20_000, "--collections", 2, "--engine", "stw,off", "--smallest",
                           "data", "--to", 4000, "--invocations", 1, "--python", support.PYTHON)
        answers = self.found(done)
        self.assertEqual([each["subject"].split("-")[0] for each in answers], ["ouro", "ouro", "cpython"])
        for each in answers:
            self.assertGreater(each["passes"], each["fails"])
            self.assertLess(each["passes"], 1000)
        failed = [row for row in self.probes if row["status"] == "failed"]
        self.assertTrue(failed)
        self.assertEqual({row["result"] is None for row in failed}, {True})

    def test_a_dry_run_shows_what_would_be_tried(self):
        done = self.search("lru", "--engine", "stw,concurrent", "--load", "1000/s", "--smallest", "data", "--to",
                           500, "--dry-run", results=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        head, *lines = done.stdout.splitlines()
        self.assertIn("smallest data from 1 MiB to 500 MiB, survives: 2 searches", head)
        self.assertEqual(len(lines), 2)
        for line, engine in zip(lines, ("stw", "concurrent")):
            self.assertRegex(line, f"3 times prlimit --data=524288000 {OURO} bench lru --engine {engine} ")
        self.assertEqual(sorted(path.name for path in self.directory.iterdir()), [])

    def test_what_cannot_be_searched_is_refused_before_anything_runs(self):
        worker = self.stand_in(edge=300)
        experiment = self.experiment(worker)
        for arguments, parts in (
                (("lru",), ("allowed: one of --smallest and --largest",)),
                (("lru", "--smallest", "data", "--largest", "live"), ("one of --smallest and --largest",)),
                (("lru", "--smallest", "dat"), ("found 'dat'", "growth-limit", "did you mean 'data'?")),
                (("lru", "--smallest", "engine"), ("found 'engine'", "young-threshold")),
                (("lru", "--smallest", "objects"), ("found 'objects'", "live")),
                (("lrx", "--smallest", "data"), ("found 'lrx'", "CONFIG.toml", "did you mean 'lru'?")),
                (("no.toml", "--smallest", "data"), ("found 'no.toml'", "CONFIG.toml")),
                (("lru", "--smalest", "data"), ("'--smalest'", "did you mean '--smallest'?")),
                (("lru", "--engine", "stv", "--smallest", "data"), ("search lru --engine: found 'stv'", "'stw'?")),
                (("lru", "--live", "0", "--smallest", "data"), ("search lru --live: found 0", "from 2")),
                (("lru", "--objects", "5", "--smallest", "data"), ("search lru --unknown key 'objects'",)),
                (("lru", "--smallest", "live", "--from", "9", "--to", "8"), ("--from: found 9", "less than --to")),
                (("lru", "--smallest", "live", "--to", "2000000000"), ("--to: found 2000000000", "at most")),
                (("lru", "--smallest", "data", "--to", "-3"), ("--to: found '-3'", "whole number")),
                (("lru", "--smallest", "live", "--from", "2", "--to", "9"), ("--from: lru: live", "at least cycle-size, 4")),
                (("lru", "--smallest", "data", "--within", "101"), ("--within: found 101", "0 to 100")),
                (("lru", "--smallest", "data", "--criterion", "keep"), ("found 'keep'", "keeps-up=PERCENT")),
                (("lru", "--smallest", "data", "--criterion", "cpu=0.5"), ("found 'cpu=0.5'", "cpu=FACTOR")),
                (("lru", "--smallest", "data", "--criterion", "keeps-up"), ("no operation of lru is due",)),
                (("graph", "--smallest", "data", "--criterion", "keeps-up"), ("workloads with a load",)),
                (("lru", "--load", "5/s", "--smallest", "data", "--criterion", "cpu=2"), ("a saturated load",)),
                (("heap", "--python", support.PYTHON, "--smallest", "data"), ("captured heaps",)),
                (("lru", "--smallest", "data", "--resume"), ("--resume: needs -o DIR",)),
                ((experiment, "--live", "5", "--smallest", "data"), ("--live", "--set")),
                ((experiment, "--smallest", "data", "--set", "seed=x"), ("--set seed=x", "2147483647"))):
            with self.subTest(arguments=arguments):
                done = self.search(*arguments, results=False)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                for part in parts:
                    self.assertIn(part, done.stderr)
        calls = (self.directory / "worker.calls").read_text().split()
        self.assertEqual(set(calls), {"--version"})
        self.assertFalse((self.directory / "results").exists())
        done = self.search("lru", "--smallest", "data", "--resume")
        self.assertEqual(done.returncode, 2)
        self.assertIn("holds no search to go on with", done.stderr)


if __name__ == "__main__":
    unittest.main()
