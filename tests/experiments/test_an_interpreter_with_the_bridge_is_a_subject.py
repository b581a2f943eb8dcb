import subprocess
import unittest

import support
from support import ExperimentTest

COLLECTING = support.ROOT / "experiments" / "peers" / "cpython" / "collecting.py"
CONFIG = f'''
noise-floor = false
[[workload]]
name = "slices"
live = 40_000
slices = 1_000
warmup = 100
[[subject]]
python = "{support.PYTHON}"
collecting = ["stock", "bridge"]
'''


@unittest.skipIf(support.os.environ.get("OURO_SANITIZE"), "an interpreter loads no module that has a sanitizer")
class Bridge(ExperimentTest):
    def test_the_same_work_is_done_with_it_and_without(self):
        done = self.ouro_run(self.config(CONFIG))
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        rows = {row["subject"]: row["result"] for row in self.rows()}
        self.assertEqual(len(rows), 2)
        stock, bridged = (rows[name] for name in sorted(rows))
        self.assertEqual(bridged["engine"], stock["engine"] + "-bridge")
        for key in ("places_checksum", "live_objects", "mutator_ops"):
            self.assertEqual(bridged[key], stock[key], key)
        self.assertLess(bridged["backlog_max"], bridged["mutator_ops"] * 4)  # something was found
        # It is not gone on with when one of these is another.
        digests = self.meta()["build"]["fingerprint"]
        for name in (r"peers/cpython/slices\.py", r"peers/cpython/collecting\.py", r"capture/heapgraph\.py",
                     r"ouroboros/_bridge\.[^/]*\.so", r"ouroboros/control\.py"):
            self.assertRegex(digests, rf"(?m)^[0-9a-f]{{64}}  /.*/{name}$")

    def test_where_it_is_not_built_that_is_said(self):
        done = subprocess.run([support.PYTHON, "-I", "-S", COLLECTING, "bridge", self.directory], capture_output=True, text=True,
                              check=False, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("ouroboros", done.stderr)


if __name__ == "__main__":
    unittest.main()
