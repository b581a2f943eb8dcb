"""python = "auto" takes the system's interpreter and those without a lock, "all" every one on PATH."""
# not with a sanitizer: runs nothing of the runtime
import re
import unittest

import support

CONFIG = """noise-floor = false
[[workload]]
name = "graph"
objects = 10
[[subject]]
python = "WHICH"
"""
# A program that answers as an interpreter of this version would.
STAND_IN = "#!/bin/sh\nprintf '%s\\n' VERSION ok NAME LOCK 'what it says of itself'\n"


class Interpreters(support.ExperimentTest):
    def stand_in(self, folder, program, version, lock="default", name="cpython", mode=0o755):
        path = self.directory / folder / program
        path.parent.mkdir(exist_ok=True)
        path.write_text(STAND_IN.replace("VERSION", version).replace("LOCK", lock).replace("NAME", name))
        path.chmod(mode)

    def found(self, which, *folders):
        """Names and the programs that are run, of all but the system's."""
        path = ":".join(str(self.directory / each) for each in folders)
        done = self.ouro_run(self.config(CONFIG.replace("WHICH", which)), "--dry-run", PATH=path)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        names = re.search("runs of (.*); about", done.stdout).group(1).split(", ")
        self.assertRegex(names[0], r"^cpython-3\.\d+\.\d+$")
        return names[1:], re.findall(rf"{self.directory}/(\S+) -I", done.stdout)

    def test_by_names_that_have_a_version(self):
        self.stand_in("one", "python3.97", "3.97.2")
        self.stand_in("one", "python3.98t", "3.98.0", "free-threaded")
        self.stand_in("one", "python3.104", "3.104.0rc1")
        self.stand_in("two", "python3.97", "3.97.1")          # hidden by the one before
        self.stand_in("two", "python3.99t", "3.99.0b2", "free-threaded")
        self.stand_in("two", "python3.98", "3.98.0", name="pypy")
        self.stand_in("two", "python3.96", "3.96.0", mode=0o644)
        for other in ("python3", "python3.97-config", "python3.", "python3.t", "python3.97tt", "python2.7"):
            self.stand_in("two", other, "3.95.0")
        names, programs = self.found("all", "one", "gone", "two")
        self.assertEqual(names, ["cpython-3.97.2", "cpython-3.98.0t", "cpython-3.99.0b2t", "cpython-3.104.0rc1"])
        self.assertEqual(set(programs), {"one/python3.97", "one/python3.98t", "two/python3.99t", "one/python3.104"})
        names, _ = self.found("auto", "one", "gone", "two")
        self.assertEqual(names, ["cpython-3.98.0t", "cpython-3.99.0b2t"])

    def test_a_heap_that_none_of_them_captures_is_left_out_and_said(self):
        text = CONFIG.replace("WHICH", support.PYTHON) + '[[workload]]\nname = "heap"\nfree_threaded = [false, true]\n'
        done = self.ouro_run(self.config(text), "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("heap:ast_stdlib-free-threaded is left out", done.stderr)
        self.assertIn("heap:ast_stdlib: ", done.stdout)
        self.assertNotIn("free-threaded", done.stdout)


if __name__ == "__main__":
    unittest.main()
