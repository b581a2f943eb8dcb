#!/usr/bin/env python3
"""The packages of manifest.toml: modules that others wrote, for CPython 3.11 and for this runtime.

    wild.py fetch DIRECTORY [NAME ...]   their sources, from Debian's archive (apt with deb-src) or their repositories (git)
    wild.py table DIRECTORY [NAME ...]   compiles, imports and works each module, and prints how far it comes
    wild.py threads DIRECTORY [NAME ...] works those that work by several threads at once without a global lock, and counts
                                         what breaks
    wild.py compile DIRECTORY [NAME ...] --to TARGET   their modules, as releases are: TARGET/RUNTIME/PACKAGE/,
                                         which is what a path must name; RUNTIME: cpython or ouroboros
    wild.py report DIRECTORY [NAME ...] --json FILE    table and threads, and what they found as a file
"""

import argparse
import collections
import concurrent.futures
import contextlib
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = pathlib.Path(os.environ.get("OURO_BUILD", ROOT / "build"))
SECONDS = 120
THREADS = 4
ROUNDS = 10


def packages(names=()):
    """The rows of the manifest, or those of these names."""
    with open(HERE / "manifest.toml", "rb") as file:
        rows = tomllib.load(file)["package"]
    unknown = set(names) - {row["name"] for row in rows}
    if unknown:
        sys.exit(f"wild.py: the manifest has no {', '.join(sorted(unknown))}")
    return [row for row in rows if not names or row["name"] in names]


def source_of(package, directory):
    """Where a package is unpacked."""
    return pathlib.Path(directory) / package["name"]


def lines_of(package):
    """The file of lines that works its modules; there may be none."""
    return HERE / "lines" / f"{package['name']}.lines"


# ---- Fetching. Each function returns what is wrong, or "".

def from_archive(package, directory):
    """Downloads, checks and unpacks a package of Debian."""
    # Debian's own part may be gone where the upstream source, the only one needed, is still there.
    subprocess.run(["apt-get", "source", "--download-only", "--yes", package["name"]], cwd=directory,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    archive = pathlib.Path(directory) / package["archive"]
    if not archive.is_file():
        return "the archive does not have it"
    if hashlib.sha256(archive.read_bytes()).hexdigest() != package["sha256"]:
        return "its checksum is another"
    target = source_of(package, directory)
    with tarfile.open(archive) as file:
        for member in file.getmembers():
            member.name = member.name.partition("/")[2]
            if member.isfile() and member.name and ".." not in pathlib.PurePosixPath(member.name).parts:
                file.extract(member, target)
    return ""


def from_repository(package, directory):
    """Checks one commit out, and one of each submodule."""
    for row in (package, *package.get("also", ())):
        target = source_of(package, directory) / row.get("folder", "")
        target.mkdir(parents=True, exist_ok=True)
        for command in (["init", "--quiet", "."], ["fetch", "--quiet", "--depth", "1", row["repository"], row["commit"]],
                        ["checkout", "--quiet", "--force", "FETCH_HEAD"]):
            run = subprocess.run(["git", *command], cwd=target, capture_output=True, text=True, check=False)
            if run.returncode:
                return run.stderr.strip().splitlines()[-1]
    return ""


def fetch(directory, names):
    """All of them; how many are missing."""
    pathlib.Path(directory).mkdir(parents=True, exist_ok=True)
    missing = 0
    for package in packages(names):
        wrong = (from_archive if "archive" in package else from_repository)(package, directory)
        missing += bool(wrong)
        print(f"{package['name']}: {wrong or 'ready'}")
    return missing


# ---- Compiling

def flags(*options):
    """What a compiler needs for CPython 3.11."""
    return subprocess.run(["pkg-config", *options, "python-3.11-embed"], capture_output=True, text=True,
                          check=True).stdout.split()


class Runtime:
    """Where modules and the driver are compiled to, for one of the two."""

    def __init__(self, name, directory, options=("-O1",)):
        self.name = name
        self.options = options
        self.place = pathlib.Path(directory) / name
        self.place.mkdir()
        if name == "cpython":
            self.includes, self.links, self.suffix = flags("--cflags"), flags("--libs"), ".so"
        else:
            self.includes = [f"-I{ROOT / 'core' / 'include'}", f"-I{BUILD / 'generated' / 'public'}", f"-I{ROOT}"]
            self.links = [f"-L{BUILD / 'lib'}", "-louroboros", f"-Wl,-rpath,{BUILD / 'lib'}"]
            self.suffix = ".ouro.so"
        wrong = self.compile(f"-I{ROOT}", HERE / "drive.c", HERE / "value.c", "-o", self.place / "drive", *self.links)
        if wrong:
            raise RuntimeError(wrong)

    def compile(self, *arguments):
        """The first error, or ""."""
        run = subprocess.run(["cc", "-w", *self.options, *self.includes, *map(str, arguments)], capture_output=True, text=True,
                             check=False)
        errors = [line for line in run.stderr.splitlines() if "error" in line or "undefined" in line]
        return "" if run.returncode == 0 else (errors or run.stderr.splitlines())[0]

    def compile_module(self, package, name, files, source):
        """The first error, or ""."""
        target = self.place / package["name"] / (name.replace(".", "/") + self.suffix)
        target.parent.mkdir(parents=True, exist_ok=True)
        for folder in target.relative_to(self.place / package["name"]).parents[:-1]:
            (self.place / package["name"] / folder / "__init__.py").touch()  # or CPython prefers a package installed here
        sources = [path for file in files for path in sorted(source.glob(file))] or [source / files[0]]
        return self.compile("-shared", "-fPIC", *(f"-I{source / folder}" for folder in package.get("include", ())),
                            *(f"-D{define}" for define in package.get("define", ())), *sources, *package.get("link", ()),
                            "-o", target)

    def run(self, package, lines, settings="", threads=1):
        """The driver with this file of lines."""
        path = ":".join(str(self.place / name) for name in (package["name"], *package.get("needs", ())))
        environment = dict(os.environ, WILD_PATH=path, OURO=settings, PYTHONHASHSEED="0", WILD_THREADS=str(threads))
        command = ["timeout", "--signal=ABRT", str(SECONDS), self.place / "drive", lines]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def compile_all(rows, directory, runtimes):
    """The first error of each module that does not compile, by (package, module)."""
    def wrong(job):
        package, name, files = job
        if not source_of(package, directory).is_dir():
            return "its source was not fetched"
        for runtime in runtimes:
            error = runtime.compile_module(package, name, files, source_of(package, directory))
            if error:
                return f"{runtime.name}: {error}"
        return ""

    jobs = [(package, name, files) for package in rows for name, files in package["modules"].items()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return {(package["name"], name): error for (package, name, _), error in zip(jobs, pool.map(wrong, jobs)) if error}


def compile_to(directory, target, names):
    """Compiles the modules; how many cannot be."""
    pathlib.Path(target).mkdir(parents=True, exist_ok=True)
    try:
        runtimes = [Runtime(name, target, ("-O2", "-DNDEBUG")) for name in ("cpython", "ouroboros")]
    except FileExistsError as error:
        sys.exit(f"wild.py: --to: {error.filename} is there already")
    errors = compile_all(packages(names), directory, runtimes)
    for (package, name), error in errors.items():
        print(f"{package} {name}: {error}", file=sys.stderr)
    return len(errors)


# ---- How far each comes

def prepared(package):
    """What its lines provide before they import the first of its modules."""
    lines = lines_of(package).read_text(encoding="utf-8").splitlines() if lines_of(package).is_file() else []
    own = [k for k, line in enumerate(lines) if line.split()[:1] == ["import"] and line.split()[1] in package["modules"]]
    return lines[:own[0] if own else 0]


def not_imported(package, name, runtimes):
    """What this runtime says where a module cannot be imported, or ""."""
    lines = runtimes[0].place / "import.lines"
    lines.write_text("\n".join((*prepared(package), f"import {name} as m", "m.__name__")) + "\n", encoding="utf-8")
    theirs, ours = (runtime.run(package, lines).stdout for runtime in runtimes)
    raised = [line.strip() for line in ours.splitlines() if "raises" in line]
    if not raised and "m.__name__" in ours:
        return ""
    return (raised or ["no output"])[0] + (" (CPython, too)" if ours == theirs else "")


@contextlib.contextmanager
def compiled(directory, names):
    """The rows of these names, the two runtimes, and what does not compile of them and of what they need."""
    rows = packages(names)
    needed = packages(sorted({need for row in rows for need in row.get("needs", ())} | {row["name"] for row in rows}))
    with tempfile.TemporaryDirectory() as place:
        runtimes = [Runtime(name, place) for name in ("cpython", "ouroboros")]
        yield rows, runtimes, compile_all(needed, directory, runtimes)


def table(rows, runtimes, errors):
    """Prints a line for each module, and how many there are of each kind; the rows."""
    states = []
    for package in rows:
        lines = lines_of(package)
        works = False
        if lines.is_file() and not any((package["name"], name) in errors for name in package["modules"]):
            theirs, ours = (runtime.run(package, lines) for runtime in runtimes)
            works = theirs.returncode == ours.returncode == 0 and theirs.stdout == ours.stdout
        for name in package["modules"]:
            error = errors.get((package["name"], name), "")
            state = "no"
            if not error:
                error = not_imported(package, name, runtimes)
                state = "compiles" if error else "works" if works else "imported"
            states.append({"package": package["name"], "module": name, "state": state, "why": error})
            print(f"{package['name']:<18} {name:<32} {state:<9} {error}", flush=True)
    count = collections.Counter(row["state"] for row in states)
    print(f"{len(states)} modules: {len(states) - count['no']} compile, {count['imported'] + count['works']} of them are "
          f"imported, {count['works']} do the same as in CPython")
    return states


# ---- Without a global lock

def declares(package, directory):
    """Whether any of its sources says that it does without the lock."""
    return any(b"Py_MOD_GIL_NOT_USED" in path.read_bytes() for files in package["modules"].values() for file in files
               for path in source_of(package, directory).glob(file))


def threads(rows, runtimes, errors, directory):
    """Prints how many of the rounds of each package ended well, for each count policy that has no lock; the rows."""
    policies = ("biased", "atomic")
    found = []
    print(f"{'package':<18} {'declared':<8} " + " ".join(f"{policy:<8}" for policy in policies) + f" of {ROUNDS}")
    for package in rows:
        if not lines_of(package).is_file() or any((package["name"], name) in errors for name in package["modules"]):
            continue
        well, ends = [], set()
        for policy in policies:
            runs = [runtimes[1].run(package, lines_of(package), f"engine=concurrent,refcount={policy},verify=on", THREADS)
                    for _ in range(ROUNDS)]
            well.append(sum(run.returncode == 0 for run in runs))
            ends |= {(run.stderr.strip().splitlines() or [f"signal {-run.returncode}"])[0] for run in runs if run.returncode}
        declared = declares(package, directory)
        print(f"{package['name']:<18} {'yes' if declared else 'no':<8} "
              + " ".join(f"{count:<8}" for count in well) + " " + "; ".join(sorted(ends))[:160], flush=True)
        found.append({"package": package["name"], "declared": declared, "rounds": ROUNDS,
                      **dict(zip(policies, well))})
    return found


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("fetch", "table", "threads", "compile", "report"))
    parser.add_argument("directory")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--to", metavar="TARGET")
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()
    if (arguments.to is None) != (arguments.command != "compile"):
        parser.error("--to belongs to compile")
    if (arguments.json is None) != (arguments.command != "report"):
        parser.error("--json belongs to report")
    if arguments.command in ("table", "threads", "report"):
        found = {}
        with compiled(arguments.directory, arguments.names) as tried:
            if arguments.command != "threads":
                found["modules"] = table(*tried)
            if arguments.command != "table":
                found["threads"] = threads(*tried, arguments.directory)
        if arguments.json:
            pathlib.Path(arguments.json).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    elif arguments.command == "compile":
        sys.exit(bool(compile_to(arguments.directory, arguments.to, arguments.names)))
    else:
        missing = fetch(arguments.directory, arguments.names)
        sys.exit(f"{missing} missing" if missing else 0)


if __name__ == "__main__":
    main()
