"""What the tests of shards share: a small experiment, and what its parts are measured against."""
import json
import shlex
import subprocess

import support
from support import OURO, ExperimentTest

SHARDS = 3
EXPERIMENT = '''
seed = 5
invocations = 7
[[workload]]
name = "graph"
objects = [100, 200]
[[workload]]
name = "graph"
objects = 300
invocations = 2
[[subject]]
name = "one"
ouro = "{one}"
[[subject]]
name = "the other"
ouro = "{other}"
'''.replace("the other", "other")
PLANNED = 7 * 2 * 2 * 2 + 2 * 2 * 2


def key(row):
    return row["invocation"], row["objects"], row["subject"], row["repeat"]


class ShardTest(ExperimentTest):
    def setUp(self):
        super().setUp()
        self.folder = self.directory / "a folder"  # a script quotes what it names
        self.folder.mkdir()
        one = support.stand_in(self.directory)
        other = self.directory / "other"
        other.write_text(one.read_text())
        other.chmod(0o755)
        self.experiment = self.folder / "experiment.toml"
        self.experiment.write_text(EXPERIMENT.format(one=one, other=other))
        self.plan_directory = self.folder / "out"

    def ouro(self, *arguments, **more):
        return subprocess.run([OURO, *map(str, arguments)], capture_output=True, text=True,
                              timeout=300, cwd=self.directory, stdin=subprocess.DEVNULL,
                              env=support.environment(**more), check=False)

    def script(self, form, shards=SHARDS):
        """(the script, what is said beside it)"""
        done = self.ouro("plan", self.experiment, "--format", form, "--shards", shards,
                         "-o", self.plan_directory)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(self.plan_directory.exists(), "to plan writes nothing")
        return done.stdout, done.stderr

    def shard(self, number, of=SHARDS, *more):
        """Runs one; its directory."""
        self.results = self.directory / f"shard-{number}"
        done = self.ouro_run(self.experiment, "--shard", f"{number}/{of}", *more)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return self.results

    def merge(self, *directories, to="merged"):
        self.results = self.directory / to
        return self.ouro("merge", *directories, "-o", self.results)

    def merged_as_told(self, text):
        """Joins by the command that a script tells: the last line with one."""
        line = [each for each in text.splitlines() if " merge " in each][-1]
        words = shlex.split(line[line.index(OURO):])
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.results = self.plan_directory / "merged"

    def check_whole(self):
        """That self.results has each run of the experiment once, each invocation of one machine."""
        rows = self.rows()
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        self.assertEqual(sorted(row["run"] for row in rows), list(range(PLANNED)))
        self.assertEqual(len(set(map(key, rows))), PLANNED)
        self.assertEqual([row["row"] for row in rows], list(range(PLANNED)))
        for row in rows:
            self.assertEqual(row["machine"], row["invocation"] % SHARDS)
        meta = self.meta()
        self.assertEqual([entry["shard"]["number"] for entry in meta["machines"]],
                         list(range(1, SHARDS + 1)))
        self.assertEqual((meta["complete"], meta["runs_planned"], meta["shard"]), (True, PLANNED, None))
        return rows, meta


def changed(directory, change):
    """Rewrites a directory's meta.json."""
    path = directory / "meta.json"
    meta = json.loads(path.read_text())
    change(meta)
    path.write_text(json.dumps(meta))
