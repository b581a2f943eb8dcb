"""Test suites that others wrote, under CPython's own collector and with full collections in slices: the same results?

    /usr/bin/python3 tests/bridge/suites.py [--python PATH] [--jobs N] [SUITE [PART...]]

Without a suite: all of them, which takes hours. In both runs the thresholds are low, so that full collections come
often, and under the bridge a slice is a few microseconds, so that a cycle is nearly always in flight. Prints how many tests
there are, how many cycles the bridge ended meanwhile, and each test whose result differs; ends with status 1 if one does.
"""

import argparse
import dataclasses
import glob
import json
import os
import re
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
    from ouroboros import _bridge
    if _bridge.supported() is None:
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
    folder: str = ""  # of the tests in the sources, a pattern; it is put where the command runs, as `tests`


def regrtest(python, jobs, parts, results):
    return [python, "-m", "test", "-j", str(jobs), "--timeout", "900", "--junit-xml", results, *parts]


def pytest(python, jobs, parts, results):
    return [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml", results, *parts]


def installed_pytest(python, jobs, parts, results):
    return pytest(python, jobs, ["--pyargs", *parts], results)


def django(python, jobs, parts, results):
    return [python, os.path.join("tests", "runtests.py"), "--settings=test_sqlite", "--parallel", str(jobs), "-v", "2", *parts]


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
    "django": Suite("python3-django", "django", django, (), "python-django", "*jango-*/tests"),
}


def prepared(python, directory, suite):
    """The directory in which the suite runs; None if it cannot be had here."""
    known = subprocess.run([python.path, "-c", "import " + suite.imports], check=False, stderr=subprocess.DEVNULL)
    if known.returncode != 0:
        return None
    if not suite.source:
        return directory
    fetch_source(directory, suite.source)
    found = glob.glob(os.path.join(directory, suite.folder))
    if not found:
        return None
    # What is installed is tested, not the sources beside the tests.
    home = os.path.join(directory, "alone")
    shutil.move(found[0], os.path.join(home, "tests"))
    return home


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


def outcomes(path, text):
    """{name of a test: "passed", "failed" or "skipped"}"""
    if not os.path.exists(path):  # unittest with two -v
        words = {"ok": "passed", "expected failure": "passed", "skipped": "skipped"}
        return {f"{match[2]}.{match[1]}": words.get(match[3], "failed") for match in re.finditer(
            r"^(\w+) \(([\w.]+)\).*?\.\.\. (ok|expected failure|skipped|FAIL|ERROR|unexpected success)", text, re.M | re.S)}
    result = {}
    for case in ElementTree.parse(path).iter("testcase"):
        kinds = {each.tag for each in case}
        name = ".".join(filter(None, (case.get("classname"), case.get("name"))))
        result[name] = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
    return result


def run_once(python, suite, how, jobs, parts, directory, home):
    """What the tests came to, and what the bridge says of each process."""
    results, log = (os.path.join(directory, f"{how}.{kind}") for kind in ("xml", "log"))
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environment.update({"OURO_SUITE": how, "OURO_SUITE_LOG": log,
                        "PYTHONPATH": os.pathsep.join([directory, python.module()])})
    with open(os.path.join(directory, f"{how}.txt"), "w+", encoding="utf-8", errors="replace") as output:
        subprocess.run(suite.command(python.path, jobs, parts, results), cwd=home, env=environment, check=False,
                       stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        output.seek(0)
        found = outcomes(results, output.read())
    if not found:
        raise SystemExit(f"suites.py: the suite ran no test: {output.name}")
    done = [0, 0, 0, 0]
    if os.path.exists(log):
        with open(log, encoding="ascii") as lines:
            done = [sum(column) for column in zip(done, *(map(int, line.split()) for line in lines))]
    return found, dict(zip(("cycles", "given_up", "slices", "found"), done))


def compare(python, name, jobs, parts, directory):
    """Runs a suite both ways in an empty directory: what is said of it, None if it cannot be had here."""
    suite = SUITES[name]
    home = prepared(python, directory, suite)
    if home is None:
        return None
    with open(os.path.join(directory, "sitecustomize.py"), "w", encoding="utf-8") as file:
        file.write(START.format(budget_ns=BUDGET_NS))
    parts = parts or suite.parts
    stock, _ = run_once(python, suite, "stock", jobs, parts, directory, home)
    under, did = run_once(python, suite, "bridge", jobs, parts, directory, home)
    different = {test: (stock.get(test, "none"), under.get(test, "none")) for test in sorted({*stock, *under})
                 if stock.get(test) != under.get(test)}
    return {"suite": name, "python": python.version, "tests": len(stock), "failed": sum(
        1 for outcome in stock.values() if outcome == "failed"), "different": different, **did}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default="/usr/bin/python3", help="default: %(default)s")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", action="store_true", help="leave what the suites printed, and say where")
    parser.add_argument("suite", nargs="?", choices=SUITES)
    parser.add_argument("part", nargs="*")
    wanted = parser.parse_args()
    python = bridge_support.interpreter(wanted.python)
    if python is None:
        parser.error(f"{wanted.python} is no CPython 3.11 to 3.14 with headers")
    status = 0
    for name in [wanted.suite] if wanted.suite else SUITES:
        directory = tempfile.mkdtemp(prefix="ouroboros-suite-")
        result = compare(python, name, wanted.jobs, wanted.part, directory)
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
