"""Every name of the documents has a header and a test that names it, and a test fails without its function.

Eight functions a day have their bodies replaced here; `api.py mutate` takes all of them, in a few minutes.
"""

import os
import pathlib
import subprocess
import sys
import unittest

COMMAND = [sys.executable, str(pathlib.Path(__file__).with_name("api.py"))]


class Names(unittest.TestCase):
    def run_command(self, *arguments):
        run = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout

    def test_the_table_is_whole_and_up_to_date(self):
        self.run_command("check")

    @unittest.skipIf(os.environ.get("OURO_SANITIZE"), "the sanitizers' own checks would notice anything")
    def test_a_function_that_does_nothing_is_noticed(self):
        output = self.run_command("mutate", "--sample", "8")
        self.assertEqual(output.count("noticed: "), 8, output)

    @unittest.skipIf(os.environ.get("OURO_SANITIZE"), "see above")
    def test_a_test_that_does_not_call_it_notices_nothing(self):
        # The control: a function that the test of another does not need.
        run = subprocess.run([*COMMAND, "control", "PyGC_IsEnabled", "none_is_hashable"], capture_output=True,
                             text=True, check=False)
        self.assertNotEqual(run.returncode, 0, run.stdout)


if __name__ == "__main__":
    unittest.main()
