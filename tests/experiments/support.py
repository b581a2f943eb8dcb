"""What the tests of this folder share: the command, experiments, and a stand-in for the command."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RECORDED = HERE / "recorded"
CONFIGS = ROOT / "experiments" / "configs"
PYTHON = "/usr/bin/python3"
OURO = os.environ.get("OURO_BINARY") or str(ROOT / "build" / "bin" / "ouro")

for place in (ROOT / "tests" / "support", ROOT):
    if str(place) not in sys.path:
        sys.path.insert(0, str(place))
import schema_check  # noqa: E402

# Bench prints the result of a graph of 100 objects; what it does besides is its BEHAVIOUR.
STAND_IN = '''#!/usr/bin/python3
import array, json, os, signal, subprocess, sys, time
def given(name, default=0):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else default
objects = given("--objects", 100)
behaviour = "BEHAVIOUR"
if sys.argv[1] == "--version":
    print("ouro stand-in")
    if behaviour == "gone":
        os.unlink(sys.argv[0])
elif sys.argv[1] == "bench":
    if behaviour == "status":
        sys.exit("no such thing")
    if behaviour == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if behaviour == "hangs":
        with open(sys.argv[0] + ".pids", "a") as pids:
            child = subprocess.Popen(["/bin/sleep", "60"])
            pids.write("%d %d\\n" % (os.getpid(), child.pid))
        time.sleep(60)
    if behaviour == "leaves":
        subprocess.Popen(["/bin/sleep", "60"])
    if behaviour == "environment":
        sys.exit("OURO is %s" % os.environ.get("OURO"))
    if behaviour == "bytes":
        os.write(2, bytes([0xff, 0xfe]) * 10)
        sys.exit(3)
    if behaviour == "rubbish":
        print("hello")
        sys.exit()
    if behaviour == "list":
        print("[]")
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
    if behaviour == "type":
        result["live_objects"] = "many"
    print(json.dumps(result))
'''


def stand_in(directory, behaviour="ok"):
    """The path of an executable that answers as `ouro --version` and `ouro bench` do."""
    path = Path(directory) / f"ouro-{behaviour}"
    path.write_text(STAND_IN.replace("BEHAVIOUR", behaviour))
    os.chmod(path, 0o755)
    return path


def environment(**more):
    """This environment without settings of ours."""
    return {**{key: value for key, value in os.environ.items() if key != "OURO"}, **more}


def is_running(pid):
    """Whether a process is there and not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@unittest.skipUnless(os.access(OURO, os.X_OK), "the ouro command is not built")
class ExperimentTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)
        self.results = self.directory / "results"

    def config(self, text, name="experiment.toml"):
        path = self.directory / name
        path.write_text(text)
        return path

    def ouro_run(self, *arguments, results=True, **more):
        """The end of `ouro run`, in the scratch directory."""
        where = ("-o", self.results) if results else ()
        return subprocess.run([OURO, "run", *map(str, arguments), *map(str, where)],
                              capture_output=True, text=True, timeout=300, cwd=self.directory,
                              stdin=subprocess.DEVNULL, env=environment(**more), check=False)

    def start_run(self, *arguments):
        return subprocess.Popen([OURO, "run", *map(str, arguments), "-o", str(self.results)],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                stdin=subprocess.DEVNULL, env=environment())

    def rows(self):
        """The rows there are, each checked."""
        schema = schema_check.load("run.schema.json")
        result_schema = schema_check.load("result.schema.json")
        rows = [json.loads(line)
                for line in (self.results / "runs.jsonl").read_text().splitlines()]
        for row in rows:
            self.assertEqual(schema_check.problems(row, schema), [])
            if row["status"] == "ok":
                self.assertEqual(schema_check.problems(row["result"], result_schema), [])
        return rows

    def meta(self):
        """meta.json, checked."""
        meta = json.loads((self.results / "meta.json").read_text())
        self.assertEqual(schema_check.problems(meta, schema_check.load("meta.schema.json")), [])
        return meta
