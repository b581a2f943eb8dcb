"""What the tests of this folder share: paths, and a command that stands in for `ouro`."""
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RECORDED = HERE / "recorded"
PYTHON = "/usr/bin/python3"

for room in ("experiments/runner", "plots"):
    if str(ROOT / room) not in sys.path:
        sys.path.insert(0, str(ROOT / room))

# Bench prints the result of a graph of 100 objects; what it does besides is its BEHAVIOUR.
STAND_IN = '''#!/usr/bin/python3
import array, json, os, signal, sys, time
def given(name, default=0):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else default
objects = given("--objects", 100)
behaviour = "BEHAVIOUR"
if sys.argv[1] == "edges":
    ring = [(i + 1) % objects for i in range(objects) for _ in range(given("--degree"))]
    sys.stdout.buffer.write(array.array("I", ring + list(range(objects))).tobytes())
elif sys.argv[1] == "bench":
    if behaviour == "status":
        sys.exit("no such thing")
    if behaviour == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if behaviour == "hangs":
        time.sleep(60)
    if behaviour == "rubbish":
        print("hello")
        sys.exit()
    some = {"p50_ns": 5, "p90_ns": 5, "p99_ns": 5, "p999_ns": 5, "max_ns": 5}
    result = dict.fromkeys("""collected garbage_collect_ns backlog_max rss_before_bytes
        rss_after_bytes rss_peak_bytes heap_bytes wall_ns cpu_ns collector_cpu_ns
        mutator_ops""".split(), objects)
    result.update(workload="graph", params={}, engine="stw", refcount="gil", seed=1,
                  live_objects=objects, live_collect_ns=objects * 50,
                  live_first_collect_ns=objects * 60, live_collect_samples_ns=[objects * 50] * 3,
                  pauses={"count": 5, "total_ns": 5, "wall": some, "cpu": some}, version="1")
    if behaviour == "lacks":
        del result["live_collect_ns"]
    print(json.dumps(result))
'''


def stand_in(directory, behaviour="ok"):
    """The path of an executable that answers as `ouro bench` and `ouro edges` do."""
    path = Path(directory) / f"ouro-{behaviour}"
    path.write_text(STAND_IN.replace("BEHAVIOUR", behaviour))
    os.chmod(path, 0o755)
    return path
