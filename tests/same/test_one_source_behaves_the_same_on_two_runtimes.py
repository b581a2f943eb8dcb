"""Every case prints the same lines with CPython 3.11 and with Ouroboros, under each engine and count policy."""

import difflib
import os
import subprocess
import sys
import unittest

BUILD = os.environ.get("OURO_BUILD")
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(HERE), "support"))
from engines import engines  # noqa: E402

POLICIES = ("gil", "biased", "atomic")
LEAST = 300
END = "the end"


def program(runtime):
    return os.path.join(BUILD, "tests", "same", f"same_{runtime}")


def cases_in(text):
    """{name: [line...]} in the order of the text."""
    cases = {}
    lines = []
    for line in text.splitlines():
        if line.startswith("== "):
            lines = cases.setdefault(line[3:], [])
        else:
            lines.append(line)
    return cases


def run(runtime, **environment):
    """What each case prints. A case that ends the program has that as its last line; the rest go on."""
    cases, after = {}, []
    while True:
        done = subprocess.run([program(runtime), *after], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={**os.environ, "PYTHONHASHSEED": "0", **environment},
                              timeout=300, check=False)
        part = cases_in(done.stdout.decode("utf-8", "replace"))
        cases.update(part)
        last = list(part)[-1] if part else END
        if last == END:
            cases.setdefault(END, [])
            if done.returncode != 0:
                cases[END] += [f"exit status {done.returncode}", *done.stderr.decode().splitlines()[-8:]]
            return cases
        cases[last] += [f"the program ends with status {done.returncode}",
                        *done.stderr.decode("utf-8", "replace").splitlines()[-8:]]
        after = ["--after", last]


def differences(expected, found):
    """One text for each case that is not as expected, its lines beside the expected ones."""
    for name in expected:
        if name not in found:
            yield f"{name}: did not run"
        elif found[name] != expected[name]:
            yield "\n".join(difflib.unified_diff(expected[name], found[name], f"{name}: CPython", f"{name}: Ouroboros",
                                                 lineterm="", n=1))
    for name in found:
        if name not in expected:
            yield f"{name}: ran with Ouroboros alone, and newer.txt does not say what it prints"


@unittest.skipUnless(BUILD, "OURO_BUILD does not name a build directory")
class OneSourceBehavesTheSameOnTwoRuntimes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.expected = run("cpython")
        with open(os.path.join(HERE, "newer.txt"), encoding="utf-8") as file:
            cls.newer = cases_in(file.read())
        listing = subprocess.run([program("ouroboros"), "--left-out"], stdout=subprocess.PIPE, text=True,
                                 check=True).stdout
        cls.left_out = dict(line.split(": ", 1) for line in listing.splitlines())
        cls.compared = [name for name in cls.expected if name not in cls.left_out and name != END]
        print(f"\n{len(cls.compared)} cases compared with CPython, {len(cls.newer)} with newer.txt, "
              f"{len(cls.left_out)} left out:", *(f"  {name}: {reason}" for name, reason in cls.left_out.items()),
              sep="\n", file=sys.stderr)

    def test_there_are_enough_cases(self):
        self.assertGreaterEqual(len(self.compared), LEAST)

    def test_cpython_runs_each_case_to_its_end(self):
        for name, lines in self.expected.items():
            for line in lines:
                self.assertFalse(line.startswith(("the program ends", "exit status", "T() is given")), f"{name}: {line}")

    def test_what_is_newer_is_not_in_cpython(self):
        self.assertEqual(set(self.newer) & set(self.expected), set())

    def test_every_case_prints_the_same_lines(self):
        expected = {name: lines for name, lines in {**self.expected, **self.newer}.items()
                    if name not in self.left_out}
        for engine in engines("off"):
            for policy in POLICIES:
                with self.subTest(engine=engine, refcount=policy):
                    found = run("ouroboros", OURO=f"engine={engine},refcount={policy}")
                    found = {name: lines for name, lines in found.items() if name not in self.left_out}
                    wrong = list(differences(expected, found))
                    if wrong:
                        self.fail(f"{len(wrong)} of {len(expected)} cases differ\n" + "\n".join(wrong))


if __name__ == "__main__":
    unittest.main()
