"""Results of every experiment of the paper, made here at a small size: what the tests of this folder read."""
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = Path(os.environ.get("OURO_SOURCE") or HERE.parent.parent)
BUILD = Path(os.environ.get("OURO_BUILD") or ROOT / "build")
OURO = Path(os.environ.get("OURO_BINARY") or BUILD / "bin" / "ouro")
MICRO = BUILD / "bin" / "ouro_micro"
PYTHON = "/usr/bin/python3"

for place in (ROOT / "tests" / "support", ROOT):
    if str(place) not in sys.path:
        sys.path.insert(0, str(place))

# The interpreter as a peer, at the end of a configuration.
CPYTHON = '''
[[subject]]
python = "/usr/bin/python3"
'''
# A name for what is free-threaded, which is not there where tests run.
FREE_THREADED = '''
[[subject]]
name = "cpython-0.0.0t"
engine = "stw"
refcount = "biased"
'''
OURS = '''
[[subject]]
engine = ["stw", "incremental", "concurrent", "snapshot"]
refcount = "biased"
'''
# The experiments of paper/claims.toml that `ouro run` makes, of the same kinds of runs.
CONFIGS = {
    "pause": '''
noise-floor = true
[[workload]]
name = "graph"
objects = [500, 2_000]
shuffled = [false, true]
collections = 3
[[workload]]
name = "heap"
program = "imports"
collections = 3
[[subject]]
engine = ["stw", "stw-parallel"]
''' + CPYTHON,
    "bridge": '''
noise-floor = false
[[workload]]
name = "program"
program = "json_documents"
size = 20_000
operations = 20_000
rate = [0, 20_000]
[[subject]]
python = "/usr/bin/python3"
collecting = ["stock", "bridge", "tuned", "freeze", "off"]
''',
    "load": '''
noise-floor = false
[[workload]]
name = "lru"
live = [1_000, 4_000]
load = "300000/s"
seconds = 1
[[workload]]
name = "lru"
live = 4_000
load = "saturated"
seconds = 1
[[workload]]
name = "lru"
live = 4_000
shuffled = true
load = "300000/s"
seconds = 1
[[workload]]
name = "lru"
live = 4_000
threads = 2
load = "300000/s"
seconds = 1
[[workload]]
name = "lru"
live = 4_000
unflagged = 100
load = "300000/s"
seconds = 1
''' + OURS,
    "rates": '''
noise-floor = false
[[workload]]
name = "lru"
live = 4_000
load = ["600000/s", "1200000/s"]
seconds = 1
[[workload]]
name = "lru"
live = 4_000
unflagged = 50
load = "300000/s"
seconds = 1
[[workload]]
name = "server"
live = 4_000
load = "saturated"
seconds = 1
[[workload]]
name = "slices"
live = 4_000
slices = 200
warmup = 50
[[subject]]
engine = ["stw", "concurrent"]
refcount = "biased"
workloads = ["lru", "server"]
''' + CPYTHON + '''workloads = "slices"
''',
    "cores": '''
noise-floor = false
[[workload]]
name = "graph"
objects = 2_000
shuffled = [false, true]
collections = 2
[[workload]]
name = "lru"
live = 4_000
threads = [1, 2]
seconds = 1
[[workload]]
name = "lru"
live = 4_000
load = "300000/s"
seconds = 1
[[workload]]
name = "rc-storm"
owner = "blocked"
shared = [0, 100]
operations = 10_000
rounds = 2
threads = [1, 2]
[[workload]]
name = "churn"
live = 1_000
threads = [1, 2]
[[subject]]
engine = "stw"
refcount = "biased"
[[subject]]
engine = "stw"
refcount = "atomic"
workloads = ["rc-storm"]
[[subject]]
engine = "stw-parallel"
refcount = "biased"
workers = 2
workloads = ["graph"]
[[subject]]
engine = "stw-parallel"
refcount = "biased"
workers = 0
workloads = ["lru"]
[[subject]]
engine = "concurrent"
refcount = "biased"
workers = [1, 2, 4]
workloads = ["lru"]
''',
    "backlog": '''
noise-floor = false
[[workload]]
name = "rings"
threads = [1, 2]
rings = 3_000
[[subject]]
engine = ["stw", "concurrent"]
refcount = "biased"
[[subject]]
name = "stw-atomic"
engine = "stw"
refcount = "atomic"
''' + FREE_THREADED + CPYTHON,
    # Nim is a name here, too.
    "local": '''
noise-floor = false
[[workload]]
name = "slices"
live = [1_000, 4_000]
slices = 200
warmup = 50
[[workload]]
name = "lru"
live = 4_000
load = ["300000/s", "600000/s", "1200000/s", "saturated"]
seconds = 1
[[workload]]
name = "server"
live = 4_000
cyclic = [0, 100]
seconds = 1
[[workload]]
name = "touch"
live = 1_000
touches = [0, 10]
seconds = 1
[[workload]]
name = "adversary"
kind = "types"
live = 1_000
seconds = 1
[[workload]]
name = "ggauss"
live = 1_000
objects = 5_000
[[subject]]
engine = ["stw", "incremental", "local"]
refcount = "biased"
[[subject]]
name = "local-unbounded"
engine = "local"
refcount = "biased"
search-bound = 0
workloads = ["slices", "touch"]
''' + FREE_THREADED + '''workloads = "slices"
[[subject]]
name = "nim-orc"
engine = "stw"
refcount = "biased"
workloads = "slices"
''',
    "young": '''
noise-floor = false
[[workload]]
name = "young"
old = [1_000, 4_000]
young = 500
collections = 5
[[subject]]
engine = "stw"
''' + CPYTHON,
    "peers": '''
noise-floor = false
[[workload]]
name = "slices"
live = [1_000, 4_000]
shuffled = [false, true]
slices = 200
warmup = 50
[[subject]]
engine = "concurrent"
refcount = "biased"
''' + CPYTHON,
    "components": '''
noise-floor = false
[[workload]]
name = "adversary"
kind = ["graph", "moves", "weakrefs", "deep", "types"]
live = 1_000
depth = 100
seconds = 1
load = "20000/s"
[[workload]]
name = "cycles"
shape = ["ring", "chain", "rings"]
objects = 2_000
live = 1_000
''' + OURS,
    # `plain` is a name here: the build with bare counts is not there where tests run.
    "programs": '''
noise-floor = false
[[workload]]
name = "rc-storm"
shared = [0, 50]
operations = 200_000
rounds = 1
threads = [1, 2]
[[workload]]
name = "gcbench"
depth = 6
array = 1_000
rounds = 1
threads = [1, 2]
[[workload]]
name = "churn"
live = 2_000
threads = [1, 2]
[[subject]]
refcount = "gil"
name = "plain"
[[subject]]
refcount = "biased"
name = "biased"
[[subject]]
refcount = "atomic"
name = "atomic"
''',
}


def run(command, **more):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command}: status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def three_of_each(path):
    """Each row twice more, as if in two more invocations, with its numbers a little apart: intervals are of
    several invocations."""
    def apart(value, factor):
        if isinstance(value, dict):
            return {key: apart(each, factor) if key != "params" else each for key, each in value.items()}
        if isinstance(value, list):
            return [apart(each, factor) for each in value]
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return value
        return round(value * factor) if isinstance(value, int) else value * factor  # of a 1 not a 0
    rows = list(map(json.loads, path.read_text().splitlines()))
    many = []
    for more in range(3):
        for place, row in enumerate(rows):
            many.append({**row, "run": row["run"] + more * len(rows), "invocation": more,
                         "result": apart(row["result"], 1 + more * (place % 5 - 2) / 50)})
    path.write_text("".join(json.dumps(row) + "\n" for row in many))


def make(directory):
    """A tree of results, by experiment."""
    environment = {key: value for key, value in os.environ.items() if key != "OURO"}
    for name, text in CONFIGS.items():
        config = directory / f"{name}.toml"
        config.write_text(f'title = "small {name}"\nseed = 1\ninvocations = 1\n{text}')
        command = [OURO, "run", config, "-o", directory / name]
        # A run without a result is made once more: what engines do is judged by other tests.
        if subprocess.run(command, env=environment, cwd=directory, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, check=False).returncode == 1:
            command += ["--resume", "--retry"]
            run(command, env=environment, cwd=directory)
        three_of_each(directory / name / "runs.jsonl")
    (directory / "pairs").mkdir()
    run([MICRO, "--benchmark_filter=^(pair/.*/(1|64)/(program|module)|stop/running/1/)",
         "--benchmark_repetitions=3", "--benchmark_min_time=0.001",
         f"--benchmark_out={directory / 'pairs' / 'micro.json'}", "--benchmark_out_format=json"])
    (directory / "extension").mkdir()
    run([PYTHON, ROOT / "experiments/peers/extension/compare", "--build", BUILD, "--runs", 3,
         "--count", 2_000, "--json", directory / "extension" / "extension.json"])
    (directory / "wild").mkdir()
    run([PYTHON, ROOT / "experiments/peers/wild/compare", "--build", BUILD, "--runs", 3, "--container", "dict",
         "--entries", 2_000, "--seconds", 0.02, "--json", directory / "wild" / "wild.json"])
    (directory / "modules").mkdir()
    (directory / "modules" / "modules.json").write_text(json.dumps(
        {"modules": [{"package": "one", "module": name, "state": state, "why": ""}
                     for name, state in (("a", "works"), ("b", "imported"), ("c", "no"))],
         "threads": [{"package": "one", "declared": True, "rounds": 2, "biased": 2, "atomic": 1}]}))
    (directory / "instructions").mkdir()
    (directory / "instructions" / "instructions.json").write_text(json.dumps(
        {"meta": {}, "runs": [{"ouroboros": {"list append": 30.5}, "untraversed": {"list append": 30.25}}] * 3}))
    return directory


if __name__ == "__main__":
    make(Path(sys.argv[1]))
