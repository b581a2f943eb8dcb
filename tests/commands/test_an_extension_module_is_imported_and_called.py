"""`ouro ext` imports a module and calls a function of it, under every engine and count policy; what it raises is
printed as CPython prints it, with status 1; and the row has what the calls cost."""
import json
import os
import shutil
import subprocess
import unittest

import command
from command import ROOT, CommandTest, ouro, schema_check
from engines import engines

POLICIES = ("gil", "biased", "atomic")
SOURCES = ROOT / "tests" / "support" / "modules"


class ExtensionTest(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.flags = ouro("config", "--cflags").stdout.split()

    def compiled(self, name):
        """The module, by the line of the README."""
        target = self.directory / f"{name}.so"
        compiler = os.environ.get("OURO_CC") or "cc"
        subprocess.run([compiler, "-shared", "-fPIC", *self.flags, SOURCES / f"{name}.c", "-o", target],
                       check=True, timeout=120)
        return target

    def failed(self, *arguments, settings=None):
        """Standard error of a call that must fail, silent otherwise."""
        done = ouro("ext", *arguments, settings=settings)
        self.assertEqual((done.returncode, done.stdout), (1, ""), arguments)
        return done.stderr

    def row(self, *arguments):
        text = self.output_of("ext", *arguments, "--json", "-")
        row = json.loads(text)
        self.assertEqual(schema_check.problems(row, command.RESULT), [], arguments)
        return row

    def test_the_result_is_shown(self):
        module = self.compiled("two_phases")
        for engine in engines():
            for policy in POLICIES:
                settings = ("--engine", engine, "--refcount", policy)
                self.assertEqual(self.output_of("ext", module, "--call", "echo", 1, "2.5", "text", "-3", "1e3", *settings),
                                 "(1, 2.5, 'text', -3, 1000.0)\n")
        self.assertEqual(self.output_of("ext", module), f"<module 'two_phases' from '{module}'>\n")
        self.assertEqual(self.output_of("ext", module, "--call", "echo"), "()\n")
        self.assertRegex(self.output_of("ext", module, "--call", "Node"), "^<two_phases.Node object at 0x[0-9a-f]+>\n$")

    def test_an_exception_is_printed(self):
        module = self.compiled("two_phases")
        self.assertEqual(self.failed(module, "--call", "fail", "what went wrong"), "ValueError: what went wrong\n")
        self.assertEqual(self.failed(module, "--call", "nothing"),
                         "AttributeError: module 'two_phases' has no attribute 'nothing'\n")
        self.assertEqual(self.failed(module, "--call", "fail"),
                         "TypeError: two_phases.fail() takes exactly one argument (0 given)\n")
        self.assertEqual(self.failed(module, "--call", "version"), "TypeError: 'str' object is not callable\n")
        self.assertEqual(self.failed(module, "--call", "fail", "x", "--threads", 3, "--repeat", 5,
                                     settings="refcount=biased"), "ValueError: x\n")

    def test_what_is_no_module_is_an_error(self):
        missing = self.directory / "missing.so"
        self.assertEqual(self.failed(missing), f"ImportError: {missing}: cannot open shared object file: "
                                               "No such file or directory\n")
        text = self.directory / "text.so"
        text.write_text("no shared object")
        self.assertEqual(self.failed(text), f"ImportError: {text}: invalid ELF header\n")
        module = self.compiled("no_mark")
        self.assertEqual(self.failed(module), f"ImportError: {module}: built for another runtime: it lacks the mark "
                                              "that the Python.h of Ouroboros leaves in every module\n")
        module = self.compiled("missing_symbols")
        self.assertEqual(self.failed(module), f"ImportError: {module}: undefined symbols: PyNot_There, "
                                              "PyNot_ThereEither\n")
        other = self.directory / "other.so"
        shutil.copy(self.compiled("one_phase"), other)
        self.assertEqual(self.failed(other), "ImportError: dynamic module does not define module export function "
                                             "(PyInit_other)\n")
        bad = self.compiled("bad_inits")
        for name, message in (("init_null", "initialization of init_null failed without raising an exception"),
                              ("init_both", "initialization of init_both raised unreported exception"),
                              ("init_uninitialised", "init function of init_uninitialised returned uninitialized object")):
            shutil.copy(bad, self.directory / f"{name}.so")
            self.assertTrue(self.failed(self.directory / f"{name}.so").endswith(f"SystemError: {message}\n"))

    def test_a_module_of_cpython_is_refused(self):
        headers = "/usr/include/python3.11"
        if not os.path.exists(f"{headers}/Python.h"):
            self.skipTest("there is no CPython to compile for")
        module = self.directory / "one_phase.so"
        subprocess.run([os.environ.get("OURO_CC") or "cc", "-shared", "-fPIC", f"-I{headers}", SOURCES / "one_phase.c",
                        "-o", module], check=True, timeout=120)
        self.assertIn(f"ImportError: {module}: built for another runtime", self.failed(module))

    def test_the_row_says_what_the_calls_cost(self):
        module = self.compiled("two_phases")
        row = self.row(module, "--call", "loops", 1000, "--repeat", 50, "--engine", "stw")
        self.assertEqual((row["workload"], row["result"], row["mutator_ops"]), ("ext", "1000", 50))
        self.assertEqual(row["latency"]["count"], 50)
        self.assertGreater(row["pauses"]["count"], 0, "fifty thousand objects are collected on the way")
        self.assertGreater(row["freed"], 20_000)
        row = self.row(module, "--call", "loops", 100, "--repeat", 20, "--threads", 3, "--refcount", "biased")
        self.assertEqual((row["mutator_ops"], row["threads"]), (60, 3))
        self.assertEqual(self.row(module)["mutator_ops"], 0)

    def test_events_and_trace_are_written(self):
        module = self.compiled("two_phases")
        events, trace = self.directory / "events.jsonl", self.directory / "trace.json"
        self.output_of("ext", module, "--call", "loops", 10_000, "--events", events, "--trace", trace)
        cycles = [event for event in map(json.loads, events.read_text().splitlines()) if event["phase"] == "cycle"]
        ends = [event for event in json.loads(trace.read_text()) if (event["name"], event["ph"]) == ("cycle", "e")]
        self.assertGreater(len(cycles), 0)
        self.assertEqual([event["args"]["freed"] for event in ends], [event.get("freed", 0) for event in cycles])

    def test_what_is_left_is_told_by_type(self):
        module = self.compiled("two_phases")
        for policy in POLICIES:
            settings = f"leaks=on,refcount={policy}"
            done = ouro("ext", module, "--call", "keep", "--repeat", 3, settings=settings)
            self.assertEqual((done.returncode, done.stderr), (0, "ouro leaks: 3 two_phases.Node\n"))
            done = ouro("ext", module, "--call", "loops", 10, settings=settings)
            self.assertEqual((done.returncode, done.stderr), (0, "ouro leaks: none\n"))

    def test_a_module_that_needs_the_lock_is_warned_of(self):
        module = self.compiled("one_phase")
        warning = ("RuntimeWarning: The global interpreter lock (GIL) has been enabled to load module 'one_phase', which "
                   "has not declared that it can run safely without the GIL.")
        for policy, warned in (("gil", False), ("biased", True), ("atomic", True)):
            done = ouro("ext", module, "--call", "add", 2, 3, "--refcount", policy)
            self.assertEqual((done.returncode, done.stdout), (0, "5\n"))
            self.assertEqual(warning in done.stderr, warned)

    def test_bad_arguments_are_refused(self):
        self.refused("ext", names=["module"])
        self.refused("ext", "x.so", "--repeat", "0", names=["--repeat"])
        self.refused("ext", "x.so", "--engine", "none", names=["ext --engine", "none"])


if __name__ == "__main__":
    unittest.main()
