"""running-ng runs a native program so: the words of the program, its arguments and those of modifiers,
variables of the environment beside its own, standard output and error in one pipe, killed when its
time is over. Whatever was printed is the log. This test starts `ouro bench` in that way."""
import json
import os
import re
import subprocess
import unittest

import support
from support import OURO, ExperimentTest


class Worker(ExperimentTest):
    def started(self, *arguments, seconds=120, **variables):
        """What such a runner has afterwards: (exit status, or None after its time; the log)."""
        try:
            done = subprocess.run([OURO, "bench", *arguments], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, cwd=self.directory, timeout=seconds,
                                  env=support.environment(**variables), check=False)
        except subprocess.TimeoutExpired as late:
            return None, (late.stdout or b"").decode()
        return done.returncode, done.stdout.decode()

    def test_settings_come_as_a_variable_and_the_result_is_one_line_of_the_log(self):
        for engine in ("stw", "incremental"):
            status, log = self.started("graph", "--objects", "2000", "--collections", "2", "--json", "-",
                                       OURO=f"engine={engine},log=gc")
            self.assertEqual(status, 0, log)
            found = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
            self.assertEqual([row["engine"] for row in found], [engine])
            self.assertEqual(found[0]["params"]["objects"], 2000)
            self.assertGreater(len(log.splitlines()), 1, "the log of collections is there beside it")

    def test_arguments_of_modifiers_stand_behind_the_programs_own(self):
        status, log = self.started("graph", "--objects", "500", "--json", "-", "--seed", "3")
        self.assertEqual((status, json.loads(log)["seed"]), (0, 3), log)

    def test_what_means_nothing_ends_with_2_and_says_so(self):
        for arguments, variables in ((("graph", "--object", "5"), {}), (("grap",), {}),
                                     (("graph",), {"OURO": "engine=none"})):
            status, log = self.started(*arguments, **variables)
            self.assertEqual(status, 2, log)
            self.assertRegex(log, re.compile("allowed|did you mean", re.I))

    def test_when_its_time_is_over_nothing_of_it_is_left(self):
        status, _ = self.started("graph", "--objects", "3000000", "--collections", "1000", seconds=1)
        self.assertIsNone(status)
        listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
        self.assertNotIn(f"{OURO} bench graph --objects 3000000 --collections 1000", listed.stdout)

    def test_it_needs_no_input_no_home_and_writes_nothing(self):
        done = subprocess.run([OURO, "bench", "graph", "--objects", "500"], cwd=self.directory,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                              env={"PATH": os.environ["PATH"]}, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(list(self.directory.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
