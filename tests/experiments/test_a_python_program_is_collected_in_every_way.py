# not with a sanitizer: runs what other tests do
"""The `program` workload: the same work is done however garbage is collected, and its rows are drawn. Programs of
packages that are not installed say so."""
import importlib.util
import json
import subprocess
import unittest
import urllib.request

import support
from plots.data import results
from plots.drawing import style
from plots.page import parts
from support import ExperimentTest

PEERS = support.ROOT / "experiments" / "peers" / "cpython"
CONFIG = f'''
noise-floor = false
invocations = 2
[[workload]]
name = "program"
program = "json_documents"
size = 2_000
operations = 3_000
[[workload]]
name = "program"
program = "json_documents"
size = 2_000
operations = 300
rate = 1_000
[[subject]]
python = "{support.PYTHON}"
collecting = ["stock", "tuned", "freeze", "off"]
'''


class Programs(ExperimentTest):
    def test_the_same_work_is_done(self):
        done = self.ouro_run(self.config(CONFIG))
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        rows = self.rows()
        self.assertEqual(len(rows), 16)
        self.assertEqual({row["workload"] for row in rows}, {"program:json_documents"})
        stock = min({row["subject"] for row in rows}, key=len)
        self.assertEqual({row["subject"].removeprefix(stock) for row in rows}, {"", "-tuned", "-freeze", "-off"})
        for row in rows:
            result = row["result"]
            way, rate = row["subject"].removeprefix(stock), row["params"]["rate"]
            self.assertEqual(result["mutator_ops"], row["params"]["operations"])
            self.assertEqual(result["rate_per_s"], rate or None)
            self.assertGreaterEqual(result["latency"]["max_ns"], result["simple_latency"]["p50_ns"])
            self.assertEqual(result["mmu"]["10ms"] == 1, result["stopped_fraction"] == 0)
            if way == "-off":
                self.assertEqual(result["pauses"]["count"], 0)
            elif way == "" and not rate:
                self.assertGreater(result["collections"]["young"]["count"], 0)
            if rate:
                self.assertGreater(result["run_ns"], 0.29e9)
        style.apply()
        sections, _ = parts.parts_of(results.load(self.results))
        self.assertLessEqual({"programs", "programs_latency"},
                             {each.name for section in sections for each in section.drawings})
        self.assertNotIn("Other workloads", [section.title for section in sections])

    def test_a_program_that_is_none_is_refused_with_those_that_are(self):
        done = self.ouro_run(self.config(CONFIG.replace('"json_documents"', '"spiral"')))
        self.assertEqual(done.returncode, 2)
        for name in sorted(path.stem for path in (PEERS / "programs").glob("*.py")):
            self.assertIn(name, done.stderr)

    def test_ours_cannot_run_it_and_the_plan_has_no_such_run(self):
        done = self.ouro_run(self.config(CONFIG + '[[subject]]\nengine = "stw"\n'), "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(" bench program", done.stdout)

    def test_a_package_that_is_missing_is_named(self):
        code = ("import sys; sys.modules['django'] = None; sys.argv = ['program.py', '--program', 'django_admin'];"
                f"sys.path[:0] = [{str(PEERS)!r}]; import program; program.main()")
        done = subprocess.run([support.PYTHON, "-I", "-S", "-c", code], capture_output=True, text=True, check=False,
                              timeout=60)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("python3-django", done.stderr)

    def test_a_way_that_is_none_is_refused(self):
        done = self.ouro_run(self.config(CONFIG.replace('"tuned"', '"faster"')))
        self.assertEqual(done.returncode, 2)
        self.assertIn("collecting: found 'faster'; allowed: stock, bridge, tuned, freeze, off", done.stderr)

    @unittest.skipUnless(importlib.util.find_spec("django"), "Django is not installed")
    def test_the_site_behind_a_socket_answers_and_says_what_it_used(self):
        with subprocess.Popen([support.PYTHON, "-I", "-S", PEERS / "django_server.py", "--size", "500", "--port", "0"],
                              stdout=subprocess.PIPE, text=True) as server:
            address = server.stdout.readline().strip()
            for path in ("auth/user/?q=user7", "auth/user/17/password/", "auth/group/3/change/"):
                with urllib.request.urlopen(address + path, timeout=60) as answer:
                    self.assertIn(b"Log out", answer.read())
            server.terminate()
            row = json.loads(server.stdout.readline())
        self.assertEqual((server.returncode, row["requests"]), (0, 3))
        self.assertGreater(row["run_cpu_ns"], 0)


if __name__ == "__main__":
    unittest.main()
