# not with a sanitizer: hundreds of processes that run what other tests do
import re
import shutil
import subprocess
import unittest

import support
from support import ExperimentTest, OURO

GOOD = '''
[[workload]]
name = "graph"
objects = 10
[[subject]]
engine = "stw"
'''


class BadInput(ExperimentTest):
    def refused(self, text, *arguments):
        """The lines on standard error, less the file's name, of an experiment that is refused."""
        config = self.config(text)
        done = self.ouro_run(config, *arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), (text, done.stderr))
        self.assertFalse(self.results.exists(), "something was written")
        return done.stderr.replace(str(config), "FILE").splitlines()

    def test_each_mistake_is_placed_with_what_was_found_and_what_is_allowed(self):
        for text, place, parts in (
                ('titel = "x"' + GOOD, "1:1", ("unknown key 'titel'", "did you mean 'title'?")),
                ("  sed = 1" + GOOD, "1:3", ("unknown key 'sed'", "did you mean 'seed'?")),
                ("seed = -5" + GOOD, "1:8", ("seed", "found -5", "from 0 to 2147483647")),
                ("seed = 99999999999999999999" + GOOD, "1:8", ("found 99999999999999999999",)),
                ('invocations = "five"' + GOOD, "1:15", ('found "five"', "1 to 1000")),
                ("timeout = 0" + GOOD, "1:11", ("timeout", "found 0", "from 1")),
                ("noise-floor = 1" + GOOD, "1:15", ("found 1", "true, false, 2 to 1000")),
                ("noise-floor = 1001" + GOOD, "1:15", ("found 1001", "true, false, 2 to 1000")),
                ("title = 5" + GOOD, "1:9", ("title", "found 5", "quotation marks")),
                (GOOD + 'enginee = "stw"', "7:1", ("unknown key 'enginee'", "'engine'?")),
                (GOOD.replace("stw", "stv"), "6:10", ("found 'stv'", "allowed: stw", "'stw'?")),
                (GOOD.replace("graph", "grap"), "3:8", ("found 'grap'", "graph, heap", "'graph'?")),
                (GOOD.replace("objects", "object"), "4:1", ("'object'", "'objects'?")),
                (GOOD.replace("10", "[10, 0]"), "4:16", ("objects", "found 0", "from 1")),
                (GOOD.replace("10", "[10, 'many']"), "4:16", ("found 'many'", "from 1")),
                (GOOD.replace("10", "[]"), "4:11", ("empty list", "at least one value")),
                (GOOD.replace("10", "[[10]]"), "4:12", ("found [10]", "from 1")),
                (GOOD.replace("10", "10.5"), "4:11", ("found 10.5", "whole number")),
                (GOOD.replace('name = "graph"', ""), "2:1", ("name is missing", "graph, heap")),
                (GOOD + "refcount = true", "7:12", ("refcount", "found true", '"gil"')),
                (GOOD + "workers = 1000", "7:11", ("workers", "found 1000", "from 0 to 256")),
                (GOOD + "[[subject]]", "7:1", ("[[subject]]", "is empty")),
                (GOOD + '[[subject]]\nengine = "stw"', "7:1", ("ouro-stw is there already",)),
                (GOOD + '[[subject]]\nname = "a b"\nengine = "off"', "8:8", ("'a b'", "letters")),
                (GOOD + 'name = "x"\nrefcount = ["gil", "atomic"]', "7:1", ("several subjects",)),
                (GOOD + '[[subject]]\npython = "/no/python"', "8:10", ("'/no/python'", '"auto"')),
                (GOOD + '[[subject]]\npython = "/bin/true"', "8:10", ("'/bin/true'", "3.8")),
                (GOOD + '[[subject]]\nouro = "/bin/false"', "8:8", ("/bin/false", "--version")),
                (GOOD + '[[workload]]\nname = "heap"\nprogram = "ast_stlib"\n', "9:11",
                 ("'ast_stlib'", "did you mean 'ast_stdlib'?")),
                (GOOD + '[[workload]]\nname = "heap"\n', "5:1", ("needs a [[subject]] with python",)),
                (GOOD + '[[workload]]\nname = "graph"\nobjects = [5, 10]\n', "7:1",
                 ("is there already",)),
                (GOOD + '[[workload]]\nname = "churn"\nlive = 3\ncycle-size = 4\n', "7:1",
                 ("live: found 3", "at least cycle-size, 4")),
                (GOOD + '[[workload]]\nname = "cyclotron"\nlive-objects = 3\n', "7:1",
                 ("live-objects: found 3", "at least cycle-size, 4")),
                (GOOD + '[[workload]]\nname = "cyclotron"\ncyclic-fraction = 1.5\n', "9:19",
                 ("cyclic-fraction: found 1.5", "0 to 1")),
                (GOOD + '[[workload]]\nname = "cyclotron"\nshape = "knot"\n', "9:9",
                 ("'knot'", "chain, tree, queue")),
                (GOOD + '[[workload]]\nname = "ggauss"\nlive = 3\nnodes = 4\n', "7:1",
                 ("live: found 3", "at least nodes, 4")),
                (GOOD + '[[workload]]\nname = "lru"\nload = "5/m"\n', "9:8",
                 ("load: found \"5/m\"", "saturated", "300000/s")),
                (GOOD + '[[workload]]\nname = "lru"\nload = ["50", 50]\n', "9:15",
                 ("load: found 50;",)),
                (GOOD + '[[subject]]\nengine = "off"\nworkloads = ["graph", "grph"]', "9:23",
                 ("workloads: found 'grph'", "graph")),
                ('[[subject]]\nengine = "stw"', "1:1", ("no [[workload]]", "graph, heap")),
                ('[[workload]]\nname = "graph"', "1:1", ("no [[subject]]",)),
                ("workload = 5", "1:1", ("[[workload]] tables",)),
                ('include = ["missing.toml"]' + GOOD, "1:12", ("missing.toml", "No such file")),
                ('include = ["experiment.toml"]' + GOOD, "1:12", ("included by itself",)),
                ("seed = 1\nseed = 2" + GOOD, "2:8", ("already exists",)),
                ("seed = " + GOOD, "1:8", ("expected value",)),
                ("seed 5" + GOOD, "1:", ("=",))):
            with self.subTest(text=text):
                lines = self.refused(text)
                message = "\n".join(lines)
                self.assertTrue(lines[0].startswith(f"FILE:{place}"), message)
                for part in parts:
                    self.assertIn(part, message)

    def test_all_mistakes_of_a_file_are_told_in_order(self):
        lines = self.refused('seed = "x"\n[[workload]]\nname = "grph"\n[[workload]]\nname = "graph"\n'
                             'objects = 0\nshufled = true\n[[subject]]\nengine = "stv"\n'
                             '[[subject]]\npython = "/no/python"\nmore = 1\n')
        self.assertEqual([re.match(r"FILE:(\d+):", line).group(1) for line in lines],
                         ["1", "3", "6", "7", "9", "11", "12"])

    def test_a_mistake_in_an_included_file_names_that_file(self):
        included = self.config("seed = 'x'\n", "base.toml")
        done = self.ouro_run(self.config('include = ["base.toml"]' + GOOD))
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stderr.startswith(f"{included}:1:8: seed"), done.stderr)

    def test_a_mistake_on_the_command_line_names_the_option(self):
        for arguments, parts in (
                (("--set", "sed=3"), ("--set sed=3: ", "unknown key 'sed'", "'seed'?")),
                (("--set", "seed"), ("--set seed: ", "key=value")),
                (("--set", "a.b=3"), ("--set a.b=3: ", "workload.NAME.key=value")),
                (("--set", "seed=x"), ("--set seed=x: ", "seed: found", "2147483647")),
                (("--set", "workload.grph.objects=5"), ("no [[workload]]", "'grph'")),
                (("--set", "workload.graph.objects=0"), ("objects: found 0",)),
                (("--python", "/no/python"), ("--python: ", "'/no/python'")),
                (("--resum",), ("'--resum'", "did you mean '--resume'?")),
                (("--retry",), ("--retry", "--resume"))):
            with self.subTest(arguments=arguments):
                message = "\n".join(self.refused(GOOD, *arguments))
                for part in parts:
                    self.assertIn(part, message)

    def test_a_file_that_cannot_be_read_is_named(self):
        for path, why in ((self.directory / "none.toml", "No such file"),
                          (self.directory, "is a directory")):
            done = self.ouro_run(path)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(str(path), done.stderr)
            self.assertIn(why, done.stderr)
        done = subprocess.run([OURO, "run"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("CONFIG", done.stderr)
        done = self.ouro_run(self.config(GOOD), "--resume", results=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("-o DIR", done.stderr)

    def test_a_bad_setting_in_the_environment_is_named(self):
        done = self.ouro_run(self.config(GOOD), OURO="engine=stv")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("'stv'", done.stderr)


class Plans(ExperimentTest):
    """What --dry-run shows."""

    def plan(self, text, *arguments):
        done = self.ouro_run(self.config(text), "--dry-run", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stderr)
        self.assertFalse(self.results.exists())
        head, *lines = done.stdout.splitlines()
        return head, lines

    def test_a_dry_run_shows_the_commands_and_writes_nothing(self):
        done = self.ouro_run(support.CONFIGS / "quick.toml", "--dry-run")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, f"{OURO} bench graph --engine stw .*--objects 1000000")
        self.assertRegex(done.stdout, r"edges --objects \d+ --degree 3 .* \| /usr/bin/python3 -I -S")
        self.assertIn("heapgraph.py", done.stdout)
        self.assertFalse(self.results.exists())

    def test_every_experiment_of_ours_can_be_read(self):
        names = sorted(path.name for path in support.CONFIGS.glob("*.toml"))
        self.assertLessEqual({"smoke.toml", "quick.toml", "large.toml", "full.toml"}, set(names))
        for name in names:
            done = self.ouro_run(support.CONFIGS / name, "--dry-run", "--force")
            self.assertEqual(done.returncode, 0, name)
            for line in done.stderr.splitlines():  # what another script makes, or not with a sanitizer
                self.assertRegex(line, r'warning: (build = "plain"|bridge: cpython-[0-9.]+-bridge|heap:\w+-free-threaded) is left out', name)

    def test_a_build_beside_this_one_is_a_subject_for_one_thread(self):
        text = ('noise-floor = false\n[[workload]]\nname = "rc-storm"\nthreads = [1, 2]\n'
                '[[subject]]\nbuild = "plain"\n[[subject]]\nengine = "stw"\n')
        config = self.config(text)
        # The command, as if it lay in a build directory, with another build beside it or not.
        ours, other = (self.directory / name / "bin" / "ouro" for name in ("build", "build-plain"))
        for path in (ours, other):
            path.parent.mkdir(parents=True)
            shutil.copy(OURO, path)

        def dry_run():
            return subprocess.run([ours, "run", config, "--dry-run"], capture_output=True,
                                  text=True, env=support.environment(), check=False, timeout=60)
        done = dry_run()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        head, *lines = done.stdout.splitlines()
        self.assertIn("ouro-stw+build=plain", head)
        self.assertEqual(sum("--threads 1" in line for line in lines), 2)
        self.assertEqual(sum("--threads 2" in line for line in lines), 1)
        self.assertEqual(sum(f"{other} bench" in line for line in lines), 1)
        other.unlink()
        done = dry_run()
        self.assertEqual(done.returncode, 0)
        self.assertIn("is not there; experiments/run builds it", done.stderr)
        self.assertNotIn("plain", done.stdout)
        done = self.ouro_run(self.config(text.replace('"plain"', '"plane"')), "--dry-run")
        self.assertEqual(done.returncode, 2)
        self.assertIn("found 'plane'", done.stderr)

    def test_lists_are_crossed(self):
        text = ('noise-floor = false\n[[workload]]\nname = "graph"\nobjects = [10, 20, 30]\n'
                'shuffled = [false, true]\n[[subject]]\nengine = ["stw", "off"]\n'
                'refcount = ["gil", "atomic"]\n')
        head, lines = self.plan(text)
        self.assertEqual(len(lines), 3 * 2 * 2 * 2)
        self.assertEqual(len(set(lines)), len(lines))
        for name in ("ouro-stw+refcount=gil", "ouro-off+refcount=atomic"):
            self.assertIn(name, head)
        self.assertEqual(sum("--engine off --refcount atomic" in line for line in lines), 6)
        self.assertEqual(sum("--objects 20" in line and "--shuffled" in line for line in lines), 4)

    def test_an_a_a_pair_is_made_of_each_run_of_ours(self):
        _, lines = self.plan(GOOD)
        self.assertEqual(len(lines), 2)
        self.assertEqual(sum("  again: " in line for line in lines), 1)
        self.assertEqual(len({line.split(": ", 1)[1] for line in lines}), 1, "the same command")
        _, lines = self.plan("noise-floor = false" + GOOD)
        self.assertEqual(len(lines), 1)

    def test_what_is_included_gives_way_to_what_includes_it(self):
        self.config("seed = 5\ninvocations = 2\n[[subject]]\nengine = 'off'\n", "base.toml")
        head, lines = self.plan('include = ["base.toml"]\nseed = 6\n' + GOOD)
        self.assertIn("seed 6", head)
        self.assertIn("ouro-off, ouro-stw", head)
        self.assertEqual(len(lines), 2 * 2 * 2)

    def test_a_subject_may_run_some_workloads_alone(self):
        head, lines = self.plan(GOOD + '[[workload]]\nname = "churn"\n[[subject]]\nengine = "off"\n'
                                'workloads = "churn"\n')
        self.assertIn("ouro-off", head)
        self.assertEqual(len(lines), 2 * 3)
        self.assertEqual(sum("--engine off" in line for line in lines), 2)
        self.assertTrue(all("bench churn" in line for line in lines if "--engine off" in line))

    def test_an_interpreter_may_run_some_workloads_alone(self):
        _, lines = self.plan(GOOD + '[[workload]]\nname = "churn"\n[[subject]]\n'
                             f'python = "{support.PYTHON}"\nworkloads = "churn"\n')
        self.assertEqual(len(lines), 2 * 2 + 1)
        self.assertEqual(["churn" in line for line in lines if "cpython-" in line], [True])

    def test_the_command_line_overrides_the_file(self):
        head, lines = self.plan(GOOD, "--set", "seed=9", "--set", "workload.graph.objects=[7, 8]",
                                "--set", "title=other words", "--python", support.PYTHON)
        self.assertTrue(head.startswith("other words: "), head)
        self.assertIn("seed 9", head)
        self.assertEqual(len(lines), 2 * 2 + 2)
        self.assertTrue(all("--seed 9" in line for line in lines))
        self.assertFalse(any("--objects 10 " in line for line in lines))

    def test_the_same_interpreter_twice_is_one(self):
        text = GOOD + f'[[subject]]\npython = ["auto", "{support.PYTHON}"]\n'
        head, _ = self.plan(text, "--python", support.PYTHON)
        found = re.search("runs of (.*); about", head).group(1).split(", ")
        self.assertEqual(len(found), len(set(found)))
        self.assertTrue(any(name.startswith("cpython-3") for name in found), head)

    def test_events_are_kept_where_the_row_says(self):
        text = ("events = true" + GOOD + f'[[subject]]\npython = "{support.PYTHON}"\n'
                ).replace("objects = 10", "objects = 2000")
        done = self.ouro_run(self.config(text))
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        rows = self.rows()
        self.assertEqual({row["kind"] for row in rows if row["events"]}, {"ouro"})
        for row in rows:
            if row["events"]:
                lines = (self.results / row["events"]).read_text().splitlines()
                self.assertEqual(sum('"pause"' in line for line in lines),
                                 row["result"]["pauses"]["count"])

    def test_a_workload_can_have_its_own_word_on_events(self):
        text = "".join(f'[[workload]]\nname = "graph"\nobjects = {objects}\n{events}\n'
                       for objects, events in ((1000, ""), (2000, "events = true"),
                                               (3000, "events = false")))
        for whole, expected in (("", {2000}), ("events = true\n", {1000, 2000})):
            done = self.ouro_run(self.config(whole + text + '[[subject]]\nengine = "stw"\n'),
                                 "--set", "noise-floor=false")
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            self.assertEqual({row["objects"] for row in self.rows() if row["events"]}, expected)
            self.assertEqual({each["parameters"]["objects"] for each
                              in self.meta()["configurations"] if each["events"]}, expected)
            shutil.rmtree(self.results)


if __name__ == "__main__":
    unittest.main()
