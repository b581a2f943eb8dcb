"""An older build of the command is a subject like any other: here a script that says so of itself and hands its
work to the real one."""
# not with a sanitizer: runs what other tests do
import json
import os
import unittest

import support
from drawing import SVG
from support import OURO, ExperimentTest
from plots.page import report

OLDER = "0.0.7 (0123456789ab)"
CANARY = '''#!/usr/bin/python3
import json, subprocess, sys
if sys.argv[1] == "--version":
    print("ouro VERSION")
    sys.exit()
done = subprocess.run(["OURO", *sys.argv[1:]], stdout=subprocess.PIPE, text=True)
if done.returncode == 0:
    row = json.loads(done.stdout)
    row["version"] = "VERSION"
    row["live_collect_ns"] *= 3
    print(json.dumps(row))
sys.exit(done.returncode)
'''


class Canary(ExperimentTest):
    def setUp(self):
        super().setUp()
        self.canary = self.directory / "older" / "bin" / "ouro"
        self.canary.parent.mkdir(parents=True)
        self.canary.write_text(CANARY.replace("VERSION", OLDER).replace("OURO", OURO))
        self.canary.chmod(0o755)
        self.experiment = self.config(f'''
invocations = 4
noise-floor = false
[[workload]]
name = "graph"
objects = [2000, 4000]
collections = 3
[[subject]]
engine = "stw"
[[subject]]
name = "canary"
engine = "stw"
ouro = "{self.canary}"
''')

    def test_it_is_interleaved_named_by_itself_and_compared(self):
        done = self.ouro_run(self.experiment)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        rows = self.rows()
        for invocation in range(4):
            block = [row for row in rows[4 * invocation:4 * invocation + 4]]
            self.assertEqual({row["invocation"] for row in block}, {invocation})
            self.assertEqual(sorted((row["subject"], row["objects"]) for row in block),
                             sorted((name, size) for name in ("ouro-stw", "ouro-canary")
                                    for size in (2000, 4000)))
        versions = {row["subject"]: row["result"]["version"] for row in rows}
        self.assertEqual(versions["ouro-canary"], OLDER)
        self.assertNotEqual(versions["ouro-stw"], OLDER)
        subjects = {each["name"]: each for each in self.meta()["subjects"]}
        self.assertEqual(subjects["ouro-canary"]["version"], f"ouro {OLDER}")
        self.assertEqual(subjects["ouro-canary"]["program"], str(self.canary))
        self.assertNotEqual(subjects["ouro-stw"]["version"], f"ouro {OLDER}")
        for row in rows:
            log = (self.results / row["log"]).read_text()
            self.assertEqual(f"# subject: {self.canary} (ouro {OLDER})" in log,
                             row["subject"] == "ouro-canary")
        # The tables have its ratio, about the third that was made up.
        report.render(self.results, SVG)
        tables = (self.results / "tables.md").read_text()
        self.assertIn(OLDER, tables)
        cells = [line.strip("| ").split(" | ") for line in tables.splitlines() if line.startswith("| ")]
        head = next(line for line in cells if line[0] == "objects")
        row = next(line for line in cells if line[0] == "4 k" and line[2] == "Ouroboros canary")
        ratio = row[head.index("stw ×")]
        self.assertRegex(ratio, r"^0\.\d+ \(95 %: ")
        self.assertLess(float(ratio.split()[0]), 0.8)

    def test_another_version_of_it_is_another_experiment(self):
        self.assertEqual(self.ouro_run(self.experiment).returncode, 0)
        with open(self.canary, "a", encoding="utf-8") as more:
            more.write("# rebuilt\n")
        done = self.ouro_run(self.experiment, "--resume")
        self.assertEqual(done.returncode, 2)
        self.assertIn("rebuilt since", done.stderr)
        self.canary.write_text(self.canary.read_text().replace(OLDER, "0.0.8 (ba9876543210)"))
        done = self.ouro_run(self.experiment, "--resume")
        self.assertEqual(done.returncode, 2)
        self.assertIn("another version", done.stderr)

    def test_one_that_is_not_there_is_refused(self):
        os.unlink(self.canary)
        done = self.ouro_run(self.experiment)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn(f"{self.canary} is not a program that answers --version", done.stderr)


if __name__ == "__main__":
    unittest.main()
