"""Test suites that others wrote, under CPython's own collector and with full collections in slices: the same results?

    /usr/bin/python3 tests/bridge/suites.py [--python PATH] [--jobs N] [--runs N] [--tests FOLDER] [SUITE [PART...]]

Without a suite: all of them, which takes hours. In both runs the thresholds are low, so that full collections come
often, and under the bridge a slice is a few microseconds, so that a cycle is nearly always in flight. Prints how many tests
there are, how many cycles the bridge ended meanwhile, and each test whose result differs; ends with status 1 if one does.
With more than one run each way, a test differs if no result of it was seen both ways; those with more than one result in
the runs of one way are told apart, as unsteady.
"""

import argparse
import dataclasses
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

import bridge_support

# Every interpreter of a suite begins with this, and says at its end what the bridge did.
START = """
import atexit, gc, os
gc.set_threshold(100, 4, 4)
if os.environ["OURO_SUITE"] == "bridge":
    try:
        from ouroboros import _bridge
    except ImportError:  # in a subinterpreter
        _bridge = None
    if _bridge is not None and _bridge.supported() is None:
        _bridge.enable({budget_ns})
        @atexit.register
        def _tell(pid=os.getpid(), open=open, os=os, log=os.environ["OURO_SUITE_LOG"]):
            if os.getpid() == pid:
                stats = _bridge.stats()
                with open(log, "a", encoding="ascii") as file:
                    print(stats["cycles"], stats["given_up"], stats["slices"], stats["found"], file=file)
"""
BUDGET_NS = 20_000


@dataclasses.dataclass(frozen=True)
class Suite:
    packages: str  # of Debian's archive
    imports: str  # what must be there
    command: object  # of (python, jobs, parts, where its results are wanted): words
    parts: tuple = ()  # those that are run if none is named
    source: str = ""  # Debian's source package, if the tests are in that alone
    folder: str = ""  # of the tests in the sources, a pattern; the command runs beside it, and there it is `tests`
    inside: bool = False  # the command runs in it


def regrtest(python, jobs, parts, results):
    return [python, "-m", "test", "-j", str(jobs), "--timeout", "900", "--junit-xml", results, *parts]


def pytest(python, jobs, parts, results):
    return [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml", results, *parts]


def installed_pytest(python, jobs, parts, results):
    return pytest(python, jobs, ["--pyargs", *parts], results)


def django(python, jobs, parts, results):
    home = os.path.dirname(results)
    shutil.copy(os.path.join(bridge_support.HERE, "django_results.py"), home)
    with open(os.path.join(home, "django_settings.py"), "w", encoding="ascii") as file:
        file.write("from test_sqlite import *\nTEST_RUNNER = 'django_results.Runner'\n")
    # One after the other: in parallel it gives up at an exception that cannot be sent to another process.
    return [python, "runtests.py", "--settings=django_settings", "--parallel", "1", "-v", "2", *parts]


SUITES = {
    "cpython": Suite("libpython3.11-testsuite", "test.test_gc", regrtest),
    "networkx": Suite("python3-networkx python3-pytest", "networkx, pytest", installed_pytest, ("networkx",)),
    "sympy": Suite("python3-sympy python3-pytest", "sympy, pytest", installed_pytest, (
        "sympy.assumptions", "sympy.core", "sympy.logic", "sympy.matrices", "sympy.polys.tests.test_polytools",
        "sympy.series", "sympy.sets", "sympy.simplify", "sympy.tensor", "sympy.utilities")),
    "numpy": Suite("python3-numpy python3-pytest python3-hypothesis", "numpy, pytest, hypothesis", installed_pytest, (
        "numpy.core", "numpy.lib", "numpy.linalg", "numpy.ma", "numpy.polynomial", "numpy.random")),
    "attrs": Suite("python3-attr python3-pytest python3-hypothesis", "attr, pytest, hypothesis", pytest, ("tests",),
                   "python-attrs", "*attrs-*/tests"),
    "lxml": Suite("python3-lxml python3-pytest", "lxml, pytest", pytest, ("tests",), "lxml", "lxml-*/src/lxml/tests"),
    "django": Suite("python3-django", "django", django, (), "python-django", "*jango-*/tests", True),
}


def prepared(python, directory, suite, tests):
    """Whether the suite can be had here. What it has in sources alone is then in the directory `source`."""
    known = subprocess.run([python.path, "-c", "import " + suite.imports], check=False, stderr=subprocess.DEVNULL)
    if known.returncode != 0:
        return False
    if not suite.source:
        return True
    if tests is None:
        fetch_source(directory, suite.source)
        tests = next(glob.iglob(os.path.join(directory, suite.folder)), None)
    if tests is not None:
        # What is installed is tested, not the sources beside the tests.
        shutil.copytree(tests, os.path.join(directory, "source", "tests"), symlinks=True)
        settings = os.path.join(os.path.dirname(tests), "conftest.py")
        if os.path.exists(settings):
            shutil.copy(settings, os.path.join(directory, "source"))
    return tests is not None


def fetch_source(directory, package):
    """Unpacks its authors' sources there, as far as they can be had. The system's lists of packages stay as they are."""
    lists, sources = os.path.join(directory, "lists"), os.path.join(directory, "sources.list")
    os.makedirs(os.path.join(lists, "partial"))
    apt = ["apt-get", "-qq", "-o", "APT::Sandbox::User=", "-o", f"Dir::State::Lists={lists}",
           "-o", f"Dir::Etc::SourceList={sources}", "-o", "Dir::Etc::SourceParts=-"]
    options = {"cwd": directory, "check": False, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with open(sources, "w", encoding="ascii") as file:
        subprocess.run(["apt-get", "indextargets", "--format", "deb-src $(SITE) $(RELEASE) main", "Created-By: Packages"],
                       stdout=file, check=False)
    subprocess.run([*apt, "update"], **options)
    subprocess.run([*apt, "source", "--download-only", package], **options)
    for archive in glob.glob(os.path.join(directory, "*.orig.tar.*")):
        subprocess.run(["tar", "-xf", archive], **options)


def outcomes(path):
    """{name of a test: "passed", "failed" or "skipped"} of a file of JUnit's XML"""
    result = {}
    for case in ElementTree.parse(path).iter("testcase"):
        kinds = {each.tag for each in case}
        name = ".".join(filter(None, (case.get("classname"), case.get("name"))))
        result[name] = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
    return result


def run_once(python, suite, how, jobs, parts, directory):
    """What the tests came to, and what the bridge says of each process."""
    results, log, text = (os.path.join(directory, f"{how}.{kind}") for kind in ("xml", "log", "txt"))
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environment.update({"OURO_SUITE": how, "OURO_SUITE_LOG": log, "OURO_SUITE_RESULTS": results,
                        "PYTHONPATH": os.pathsep.join([directory, python.module()])})
    # Each run has its own copy of the sources, under the same name: tests leave files behind.
    home = os.path.join(directory, "home")
    if suite.source:
        shutil.copytree(os.path.join(directory, "source"), home, symlinks=True)
    else:
        os.makedirs(home)
    with open(text, "a", encoding="utf-8", errors="replace") as output:
        subprocess.run(suite.command(python.path, jobs, parts, results), env=environment, check=False,
                       cwd=os.path.join(home, "tests") if suite.inside else home,
                       stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
    shutil.rmtree(home)
    if not os.path.exists(results):
        raise SystemExit(f"suites.py: the suite did not come to its end: {text}")
    found = outcomes(results)
    if not found:
        raise SystemExit(f"suites.py: the suite ran no test: {text}")
    os.rename(results, results + ".last")
    return found


def did(log):
    """What the bridge did in all processes."""
    done = [0, 0, 0, 0]
    if os.path.exists(log):
        with open(log, encoding="ascii") as lines:
            done = [sum(column) for column in zip(done, *(map(int, line.split()) for line in lines))]
    return dict(zip(("cycles", "given_up", "slices", "found"), done))


def compare(python, name, jobs, parts, directory, runs=1, tests=None):
    """Runs a suite both ways in an empty directory: what is said of it, None if it cannot be had here."""
    suite = SUITES[name]
    if not prepared(python, directory, suite, tests):
        return None
    with open(os.path.join(directory, "sitecustomize.py"), "w", encoding="utf-8") as file:
        file.write(START.format(budget_ns=BUDGET_NS))
    parts = parts or suite.parts
    seen = {"stock": {}, "bridge": {}}  # {how: {test: its outcomes}}
    for _ in range(runs):
        for how, results in seen.items():
            for test, outcome in run_once(python, suite, how, jobs, parts, directory).items():
                results.setdefault(test, set()).add(outcome)
    different, unsteady = {}, {}
    for test in sorted({*seen["stock"], *seen["bridge"]}):
        stock, under = (seen[how].get(test, {"none"}) for how in ("stock", "bridge"))
        told = [", ".join(sorted(each)) for each in (stock, under)]
        if not stock & under:
            different[test] = told
        elif len(stock | under) > 1:
            unsteady[test] = told
    return {"suite": name, "python": python.version, "tests": len(seen["stock"]),
            "failed": sum(1 for outcome in seen["stock"].values() if "failed" in outcome),
            "different": different, "unsteady": unsteady, **did(os.path.join(directory, "bridge.log"))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default="/usr/bin/python3", help="default: %(default)s")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--runs", type=int, default=1, help="each way, in turn (default: %(default)s)")
    parser.add_argument("--tests", help="the suite's folder of tests, where its sources cannot be fetched")
    parser.add_argument("--keep", action="store_true", help="leave what the suites printed, and say where")
    parser.add_argument("suite", nargs="?", choices=SUITES)
    parser.add_argument("part", nargs="*")
    wanted = parser.parse_args()
    python = bridge_support.interpreter(wanted.python)
    if python is None:
        parser.error(f"{wanted.python} is no CPython 3.11 to 3.15 with headers")
    status = 0
    for name in [wanted.suite] if wanted.suite else SUITES:
        directory = tempfile.mkdtemp(prefix="ouroboros-suite-")
        result = compare(python, name, wanted.jobs, wanted.part, directory, wanted.runs, wanted.tests)
        if wanted.keep:
            print(directory, file=sys.stderr)
        else:
            shutil.rmtree(directory)
        if result is None:
            sources = SUITES[name].source and f" and Debian's sources of {SUITES[name].source}"
            print(f"{name}: needs {SUITES[name].packages}{sources}", file=sys.stderr)
        else:
            print(json.dumps(result, indent=1), flush=True)
            status |= bool(result["different"])
    return status


if __name__ == "__main__":
    sys.exit(main())
