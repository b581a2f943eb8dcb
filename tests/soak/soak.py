#!/usr/bin/env python3
"""Hours of random programs and stress tests, with faults from a seeded plan: `tests/run --soak HOURS`.

Rounds of two kinds take turns. One runs `program` under an engine, a count policy and settings that the plan chooses,
with faults inside it (program.cpp) and from outside: children killed or stopped, threads that get little time, the whole
process stopped, a log that cannot be written. The other runs a test of stress/, oracle/, systematic/ or fuzz/ with a
seed of its own. A round is repeated by its seed and number. A round that fails is kept and told; the rest goes on."""
import argparse
import collections
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import engines  # noqa: E402
import quota  # noqa: E402

LABELS = "^(stress|oracle|systematic|fuzz)$"
INSIDE = ("allocations", "limit", "clock", "signals")
OUTSIDE = ("children", "starved", "throttled", "stopped", "log")


# ---- the plan

def plan_of(seed, number, seconds):
    """What a round of the program is: the same for the same seed and number."""
    choose = random.Random(f"{seed}/{number}")
    engine = choose.choice(engines.engines("off"))
    settings = {"engine": engine, "refcount": choose.choice(("gil", "biased", "atomic"))}
    for key, values in (("pause-budget-us", (0, 20, 200, 5000)), ("growth-limit", (0, 50, 200, 1000)),
                        ("young-threshold", (0, 50, 500, 2000)), ("generations", ("on", "off")),
                        ("traverse", ("flagged", "optimistic")), ("suspects", (1, 16, 256)),
                        ("search-bound", (0, 8, 64)), ("trigger", ("quarter", "resident", "square-root")),
                        ("huge-pages", ("on", "off")), ("workers", (1, 2, 3)), ("verify", ("on",))):
        if choose.random() < 0.3:
            settings[key] = choose.choice(values)
    inside = [fault for fault in INSIDE if choose.random() < 0.5]
    outside = [fault for fault in OUTSIDE if choose.random() < 0.4]
    if "limit" in inside:  # what cannot be checked for want of memory ends the program
        settings.pop("verify", None)
    if engine.startswith("snapshot"):
        settings["snapshot-limit-ms"] = choose.choice((20, 500, 2000))
    elif "children" in outside:  # it has none but those that its test makes
        outside.remove("children")
    if "log" in outside:
        settings["log"] = "gc"
    return {"settings": settings, "seconds": seconds, "threads": choose.randint(1, 8), "inside": inside,
            "outside": outside, "log": choose.choice(("full", "closed")), "program_seed": choose.getrandbits(32)}


# ---- faults from outside

def hog():
    """Takes a processor's time, as long as this process lives, however that ends."""
    return subprocess.Popen(["sh", "-c", "while kill -0 $0 2>/dev/null; do"
                             " i=0; while [ $i -lt 10000 ]; do i=$((i + 1)); done; done",
                             str(os.getpid())])


class Outside(threading.Thread):
    """Does to a process what its plan says until it ends."""

    def __init__(self, pid, plan, seed):
        super().__init__(daemon=True)
        self.pid, self.kinds, self.choose = pid, plan["outside"], random.Random(seed)
        self.over = threading.Event()
        self.injected = collections.Counter()
        self.resume = []  # (when, pid)
        self.quota, self.held_until = None, 0.0

    def run(self):
        if "throttled" in self.kinds:
            with contextlib.suppress(OSError):  # where there is no permission the fault is not injected
                self.quota = quota.Quota(f"ouro-soak-{self.pid}")
        hogs = [hog() for _ in range(2) if "starved" in self.kinds]
        try:
            while not self.over.wait(self.choose.uniform(0.002, 0.05)):
                self.go_on_with(time.monotonic())
                for kind in self.kinds:
                    with contextlib.suppress(ProcessLookupError, PermissionError, FileNotFoundError):
                        getattr(self, kind)()
        finally:
            self.go_on_with(float("inf"))
            if self.quota:
                self.quota.close()
            for each in hogs:
                each.kill()
                each.wait()

    def go_on_with(self, now):
        due = [each for each in self.resume if each[0] <= now]
        self.resume = [each for each in self.resume if each[0] > now]
        for _, pid in due:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def tasks(self):
        return [int(task) for task in os.listdir(f"/proc/{self.pid}/task")]

    def children(self):
        for task in self.tasks():
            for child in map(int, Path(f"/proc/{self.pid}/task/{task}/children").read_text().split()):
                choice = self.choose.random()
                if choice < 0.3:
                    os.kill(child, signal.SIGKILL)
                    self.injected["child killed"] += 1
                elif choice < 0.6:
                    os.kill(child, signal.SIGSTOP)
                    self.injected["child stopped"] += 1
                    if self.choose.random() < 0.5:  # the others until the runtime gives them up
                        self.resume.append((time.monotonic() + self.choose.uniform(0, 1), child))

    def starved(self):
        task = self.choose.choice(self.tasks())
        os.setpriority(os.PRIO_PROCESS, task, self.choose.choice((0, 19)))
        self.injected["thread starved"] += 1

    def throttled(self):
        """One thread at a time, for some periods of its group."""
        if self.quota and time.monotonic() > self.held_until:
            self.quota.release()
            self.quota.hold(self.choose.choice(self.tasks()))
            self.held_until = time.monotonic() + self.choose.uniform(0.05, 0.5)
            self.injected["thread throttled"] += 1

    def stopped(self):
        if self.choose.random() < 0.1:
            os.kill(self.pid, signal.SIGSTOP)
            self.resume.append((time.monotonic() + self.choose.uniform(0.005, 0.2), self.pid))
            self.injected["process stopped"] += 1

    def log(self):
        """Is where the process writes from the beginning."""


def unwritable(how):
    """A file that refuses what is written to it."""
    if how == "full":
        return os.open("/dev/full", os.O_WRONLY)
    reading, writing = os.pipe()
    os.close(reading)
    return writing


# ---- rounds

def ended(process, limit):
    """(output, what is wrong with how it ended)."""
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGCONT)
        process.send_signal(signal.SIGABRT)
        output, _ = process.communicate()
        return output, f"did not end within {limit:.0f} s"
    except KeyboardInterrupt:
        process.kill()
        process.wait()
        raise
    if process.returncode < 0:
        return output, signal.Signals(-process.returncode).name
    return output, f"status {process.returncode}" if process.returncode else ""


def program_round(build, seed, number, seconds, kept):
    plan = plan_of(seed, number, seconds)
    command = [build / "tests/soak/program", "--seed", plan["program_seed"], "--seconds", plan["seconds"],
               "--threads", plan["threads"], "--faults", ",".join(plan["inside"])]
    if "children" in plan["outside"]:
        command.append("--no-forks")
    with open(kept, "wb") as file:
        errors = unwritable(plan["log"]) if "log" in plan["outside"] else file.fileno()
        process = subprocess.Popen(
            [str(each) for each in command], stdout=subprocess.PIPE, stderr=errors, text=True,
            env={**os.environ, "OURO": ",".join(f"{key}={value}" for key, value in plan["settings"].items())})
        if errors != file.fileno():
            os.close(errors)
    outside = Outside(process.pid, plan, f"{seed}/{number}/outside")
    outside.start()
    try:
        output, wrong = ended(process, 300 + 10 * seconds)
    finally:
        outside.over.set()
        outside.join()
    result = {}
    with contextlib.suppress(IndexError, ValueError):
        result = json.loads(output.splitlines()[-1])
    injected = collections.Counter(result.pop("injected", {}))
    injected.update(outside.injected)
    injected["log unwritable"] += "log" in plan["outside"]
    return {"kind": "program", "plan": plan, "result": result, "injected": +injected,
            "wrong": wrong or ("" if result else "no result")}


def tests_of(build):
    listing = subprocess.run(["ctest", "--test-dir", build, "-L", LABELS, "--show-only=json-v1"],
                             capture_output=True, text=True, check=True)
    tests = []
    for test in json.loads(listing.stdout)["tests"]:
        properties = {each["name"]: each["value"] for each in test["properties"]}
        if "command" in test:
            tests.append((test["name"], test["command"], properties.get("WORKING_DIRECTORY", str(ROOT)),
                          properties.get("ENVIRONMENT", [])))
    return sorted(tests)


def test_round(tests, seed, number, kept):
    choose = random.Random(f"{seed}/{number}")
    name, command, directory, environment = choose.choice(tests)
    test_seed = choose.getrandbits(32)
    with open(kept, "wb") as file:
        process = subprocess.Popen(
            command, cwd=directory, stdout=file, stderr=file,
            env={**os.environ, **dict(each.split("=", 1) for each in environment),
                 "OURO_TEST_SEED": str(test_seed)})
        _, wrong = ended(process, 1800)
    return {"kind": "test", "plan": {"name": name, "seed": test_seed}, "result": {}, "injected": {}, "wrong": wrong}


def table(rows):
    """What rows say in all, as Markdown."""
    injected, result = collections.Counter(), collections.Counter()
    for row in rows:
        injected.update(row["injected"])
        result.update(row["result"])
    programs = sum(row["kind"] == "program" for row in rows)
    lines = ["| | |", "|---|---:|", f"| hours | {sum(row['seconds'] for row in rows) / 3600:.1f} |",
             f"| programs, tests | {programs}, {len(rows) - programs} |",
             f"| of them failed | {sum(bool(row['wrong']) for row in rows)} |"]
    for name, key in (("objects made", "made"), ("finalizers run", "finalized"), ("threads", "threads"),
                      ("forks", "forks"), ("calls refused for want of memory", "refused")):
        lines.append(f"| {name} | {result[key]:,} |")
    lines += [f"| injected: {name} | {count:,} |" for name, count in sorted(injected.items())]
    lines += [f"| objects {name} | {result[key]:,} |" for name, key in (("lost", "lost"), ("leaked", "left"))]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--hours", type=float, default=1.0, help="how long (1)")
    parser.add_argument("--seed", type=int, default=1, help="of the plan (1)")
    parser.add_argument("--first", type=int, help="the number of the first round (the one after those kept)")
    parser.add_argument("--rounds", type=int, help="so many rounds, however long they take")
    parser.add_argument("--round-seconds", type=float, default=30, help="of a program (30)")
    parser.add_argument("--programs", action="store_true", help="rounds of the program alone")
    parser.add_argument("-o", "--output", type=Path, help="a folder for rows and failures (BUILD/soak)")
    options = parser.parse_args()
    engines.OURO = str(options.build / "bin/ouro")
    output = options.output or options.build / "soak"
    output.mkdir(parents=True, exist_ok=True)
    rows_file = output / "rows.jsonl"
    known = [json.loads(line) for line in rows_file.read_text().splitlines()] if rows_file.exists() else []
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                            check=False).stdout.strip()
    number = options.first
    if number is None:
        number = 1 + max((row["round"] for row in known if row["seed"] == options.seed), default=0)
    tests = [] if options.programs else tests_of(options.build)
    rows = []
    end = time.monotonic() + options.hours * 3600
    try:
        while len(rows) < options.rounds if options.rounds else time.monotonic() < end:
            kept = output / f"{options.seed}-{number}.log"
            begin = time.monotonic()
            if options.programs or number % 2:
                row = program_round(options.build, options.seed, number, options.round_seconds, kept)
            else:
                row = test_round(tests, options.seed, number, kept)
            row = {"commit": commit, "seed": options.seed, "round": number,
                   "seconds": round(time.monotonic() - begin, 1), **row}
            rows.append(row)
            with open(rows_file, "a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            if row["wrong"]:
                what = row["plan"].get("name") or ",".join(f"{k}={v}" for k, v in row["plan"]["settings"].items())
                print(f"round {number}: {what}: {row['wrong']}; {kept}; again: tests/soak/soak.py --build {options.build} "
                      f"--seed {options.seed} --first {number} --rounds 1 --round-seconds {options.round_seconds:g}",
                      flush=True)
            else:
                kept.unlink()
            number += 1
    except KeyboardInterrupt:
        print("interrupted; the next run goes on with this round", file=sys.stderr)
    print(table(rows))
    return int(any(row["wrong"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
