"""Processors that runs are bound to, what else took the machine meanwhile, and each run's log."""
# not with a sanitizer: hundreds of processes that run what other tests do
import json
import os
import subprocess
import sys
import unittest

import support
from support import ExperimentTest

SUBJECT = '[[subject]]\nname = "{name}"\nouro = "{ouro}"\n'
GRAPH = 'noise-floor = false\n[[workload]]\nname = "graph"\nobjects = 100\n'


class Where(ExperimentTest):
    def setUp(self):
        super().setUp()
        self.ouro = self.directory / "ouro"
        # It says which processors it has, and takes a moment.
        self.ouro.write_text(support.STAND_IN.replace("BEHAVIOUR", "ok").replace(
            'elif sys.argv[1] == "bench":\n',
            'elif sys.argv[1] == "bench":\n    print(sorted(os.sched_getaffinity(0)), file=sys.stderr)\n'
            '    time.sleep(0.5)\n'))
        self.ouro.chmod(0o755)
        self.usable = sorted(os.sched_getaffinity(0))

    def subject(self, name, more=""):
        return SUBJECT.format(name=name, ouro=self.ouro) + more + "\n"

    def test_a_run_is_bound_to_its_processors_and_its_row_says_so(self):
        first, last = self.usable[0], self.usable[-1]
        done = self.ouro_run(self.config(f'pin = "{first}"\n' + GRAPH + self.subject("one")
                                         + self.subject("two", f"pin = [{last}]")))
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        rows = {row["subject"]: row for row in self.rows()}
        self.assertEqual(rows["ouro-one"]["pin"], str(first))
        self.assertEqual(rows["ouro-one"]["stderr"], f"[{first}]\n")
        self.assertEqual(rows["ouro-two"]["pin"], str(last))
        self.assertEqual(rows["ouro-two"]["stderr"], f"[{last}]\n")

    def test_an_interpreter_tells_how_it_was_configured(self):
        config = self.config(GRAPH + f'[[subject]]\npython = "{support.PYTHON}"\n')
        self.assertEqual(self.ouro_run(config).returncode, 0)
        row, = self.rows()
        told = subprocess.run([support.PYTHON, "-c", "import sysconfig; print(sysconfig.get_config_var('CONFIG_ARGS'))"],
                              capture_output=True, text=True, check=True).stdout.strip()
        self.assertIn("--enable-", told)
        self.assertEqual(row["configured"], told)
        self.assertEqual(self.meta()["subjects"][0]["configured"], told)
        self.assertIn(f"configured: {told}", (self.results / row["log"]).read_text())

    def test_without_a_pin_it_may_use_all(self):
        self.assertEqual(self.ouro_run(self.config(GRAPH + self.subject("one"))).returncode, 0)
        row, = self.rows()
        self.assertEqual((row["pin"], row["stderr"]), (None, f"{self.usable}\n"))

    def test_a_processor_that_is_not_there_is_refused_with_those_that_are(self):
        for pin, words in (('"900"', "no processor 900"), ('[900, 901]', "no processor 900-901"),
                           ('"x"', 'pin: found "x"; allowed: processors'),
                           ('[]', "at least one"), ('"3-1"', 'found "3-1"'), ('1.5', "found 1.5")):
            done = self.ouro_run(self.config(f"pin = {pin}\n" + GRAPH + self.subject("one")))
            self.assertEqual((done.returncode, done.stdout), (2, ""), pin)
            self.assertIn("experiment.toml:1:7: pin: ", done.stderr)
            self.assertIn(words, done.stderr)
        self.assertIn("processors, as in", done.stderr)

    def test_what_else_ran_is_in_the_row_and_told(self):
        busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        try:
            done = self.ouro_run(self.config(GRAPH + self.subject("one")))
        finally:
            busy.kill()
            busy.wait()
        row, = self.rows()
        self.assertGreater(row["others"]["cores"], 0.05)
        self.assertIn("python3", [each["name"][:7] for each in row["others"]["processes"]])
        self.assertIn("others ", done.stdout)
        self.assertIn("warning: during 1 of these runs other processes", done.stdout)
        self.assertIsNotNone(self.meta()["sessions"][0]["others_before"])

    def test_what_a_run_takes_itself_is_not_others(self):
        # Children of its own keep every processor busy: what they took the others cannot have taken.
        busy, cores = 0.4, os.cpu_count()
        child = f"while __import__('time').process_time() < {busy}: pass"
        self.ouro.write_text(self.ouro.read_text().replace(
            "time.sleep(0.5)", f'[each.wait() for each in [subprocess.Popen(["/usr/bin/python3", "-c", '
            f'"{child}"]) for _ in range({cores})]]'))
        self.assertEqual(self.ouro_run(self.config(GRAPH + self.subject("one"))).returncode, 0)
        row, = self.rows()
        own = busy * cores / row["seconds"]
        self.assertLess(row["others"]["cores"], cores - own + 0.2, row["others"])

    def test_a_log_begins_with_what_must_be_known_and_keeps_all_that_was_said(self):
        self.ouro.write_text(self.ouro.read_text().replace(
            "time.sleep(0.5)", 'sys.stderr.write("x" * 10_000 + "\\n")'))
        self.assertEqual(self.ouro_run(self.config("seed = 4\n" + GRAPH + self.subject("one"))).returncode, 0)
        row, = self.rows()
        lines = (self.results / row["log"]).read_text().splitlines()
        facts = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
        meta = self.meta()
        self.assertEqual(facts["command"], row["command"])
        self.assertEqual(facts["seed"], "4, of the order 4")
        self.assertTrue(facts["kernel"].startswith(meta["machine"]["kernel"]))
        self.assertIn(meta["machine"]["cpu"], facts["processor"])
        self.assertIn(meta["build"]["flags"], facts["flags"])
        for name in ("commit", "compiler", "huge pages", "load", "start", "version", "bound to"):
            self.assertTrue(facts[name], name)
        self.assertIn("x" * 10_000, lines)
        self.assertLess(len(row["stderr"]), 10_000)
        self.assertTrue(facts["end"].startswith("ok after "), lines[-1])

    def test_a_failed_run_keeps_what_it_said_in_its_log(self):
        stand_in = support.stand_in(self.directory, "status")
        config = self.config(GRAPH + SUBJECT.format(name="one", ouro=stand_in))
        self.assertEqual(self.ouro_run(config).returncode, 1)
        row, = self.rows()
        text = (self.results / row["log"]).read_text()
        self.assertEqual(row["stderr"], "no such thing\n", "and nothing of the log before it")
        self.assertIn("\nno such thing\n", text)
        self.assertIn("# end: failed: ", text)


class Options(ExperimentTest):
    def setUp(self):
        super().setUp()
        self.experiment = self.config("seed = 1\ninvocations = 3\n" + GRAPH.replace(
            "100", "[100, 200]") + SUBJECT.format(name="one", ouro=support.stand_in(self.directory)))

    def shown(self, *arguments, **variables):
        done = self.ouro_run(self.experiment, "--dry-run", *arguments, **variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_a_flag_wins_over_the_environment_and_that_over_the_file(self):
        self.assertIn("6 runs of", self.shown())
        self.assertIn("seed 1", self.shown())
        self.assertIn("seed 2", self.shown(OURO_RUN_SEED="2"))
        self.assertIn("seed 3", self.shown("--seed", "3", OURO_RUN_SEED="2"))
        self.assertIn("12 runs of", self.shown(OURO_RUN_NOISE_FLOOR="true"))
        self.assertIn("8 runs of", self.shown("--invocations", "4"))
        self.assertIn("2 runs of", self.shown(OURO_RUN_SHARD="2/3"))
        self.assertIn("3 runs of", self.shown(OURO_RUN_SLICE="objects=200"))

    def test_what_the_environment_said_is_recorded_and_bad_values_are_refused(self):
        done = self.ouro_run(self.experiment, OURO_RUN_INVOCATIONS="1", OURO_RUN_OUTPUT=str(self.results),
                             results=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.meta()["overrides"], ["invocations=1"])
        done = self.ouro_run(self.experiment, results=False, OURO_RUN_OUTPUT=str(self.results),
                             OURO_RUN_RESUME="true", OURO_RUN_INVOCATIONS="1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.ouro_run(self.experiment, "--dry-run", OURO_RUN_ORDER="fillin")
        self.assertEqual(done.returncode, 2)
        self.assertIn("order: found 'fillin'; allowed: random, fill-in; did you mean 'fill-in'?", done.stderr)


if __name__ == "__main__":
    unittest.main()
