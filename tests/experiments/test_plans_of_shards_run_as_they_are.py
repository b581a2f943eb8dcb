"""The scripts of `ouro plan`, run: by sh, by GNU parallel, and by a Slurm of one node that this test
starts and stops. What is not installed, or cannot start here, is skipped with the reason."""
# not with a sanitizer: runs what other tests do
import shutil
import subprocess
import unittest

import slurm
import support
from shards import PLANNED, SHARDS, ShardTest


class Plans(ShardTest):
    def run_script(self, command, script, **more):
        return subprocess.run(command, input=script, capture_output=True, text=True, timeout=300,
                              cwd=self.directory, env=support.environment(), check=False, **more)

    def test_a_shell_script_runs_each_shard_and_goes_on_where_it_stopped(self):
        script, said = self.script("sh")
        self.assertEqual(said, "")
        done = self.run_script(["sh"], script)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        first = (self.plan_directory / "shard-1" / "runs.jsonl").read_text()
        # As after a crash: half of a shard, another that is gone.
        rows = first.splitlines(keepends=True)
        (self.plan_directory / "shard-1" / "runs.jsonl").write_text("".join(rows[:4]) + rows[4][:9])
        shutil.rmtree(self.plan_directory / "shard-2")
        done = self.run_script(["sh"], script)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.merged_as_told(done.stdout)
        self.check_whole()

    def test_a_shell_script_ends_as_its_shards_do(self):
        script, _ = self.script("sh")
        stand_in = self.directory / "other"
        stand_in.write_text(stand_in.read_text().replace('behaviour = "ok"', 'behaviour = "status"'))
        done = self.run_script(["sh"], script)
        self.assertEqual(done.returncode, 1, "some runs have no result, the others were made")
        self.assertEqual(len(list(self.plan_directory.glob("shard-*/runs.jsonl"))), SHARDS)
        self.experiment.write_text("nonsense")
        self.assertEqual(self.run_script(["sh"], script).returncode, 2)

    @unittest.skipUnless(shutil.which("parallel"), "GNU parallel is not installed")
    def test_gnu_parallel_runs_a_line_a_shard(self):
        lines, said = self.script("parallel")
        self.assertEqual(len(lines.splitlines()), SHARDS)
        done = self.run_script(["parallel", "--jobs", "1"], lines)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_script(["parallel", "--jobs", "1"], lines)
        self.assertEqual(done.returncode, 0, "again, it goes on where it stopped: " + done.stderr)
        self.merged_as_told(said)
        self.check_whole()

    def test_slurm_runs_an_array_of_shards(self):
        script, _ = self.script("slurm")
        self.plan_directory.mkdir(parents=True)
        cluster = slurm.start(self)
        done = cluster.run("sbatch", "--parsable", input=script)
        self.assertEqual(done.returncode, 0, done.stderr)
        done_with, queue = cluster.empty_queue(240)
        for line in queue.splitlines():
            print("squeue:", line, flush=True)
        logs = "".join(path.read_text() for path in sorted(self.plan_directory.glob("shard-*.log")))
        self.assertTrue(done_with, queue + logs + cluster.said())
        self.assertRegex(queue, r"_[1-3] .* R ", "a shard was seen running")
        self.merged_as_told(script)
        rows, _ = self.check_whole()
        self.assertEqual(len(rows), PLANNED)
        # A second time, every shard goes on where it stopped, which is at its end.
        self.assertEqual(cluster.run("sbatch", input=script).returncode, 0)
        self.assertTrue(cluster.empty_queue(240)[0], cluster.said())
        self.assertEqual(
            sum(len(path.read_text().splitlines())
                for path in self.plan_directory.glob("shard-*/runs.jsonl")), PLANNED)

    def test_a_plan_that_cannot_be_is_refused(self):
        for arguments, words in (
                (("--format", "pbs", "--shards", 2), "plan --format: found 'pbs'; allowed: slurm"),
                (("--format", "sh", "--shards", 8), "8 shards for 7 invocations"),
                (("--format", "sh", "--shards", 0), "plan --shards: found 0; allowed: 1 to 1000")):
            done = self.ouro("plan", self.experiment, *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
