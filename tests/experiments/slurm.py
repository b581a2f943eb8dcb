"""A Slurm of one node, for one test: munged, slurmctld and slurmd with files of their own, on ports of
their own, ended when the test ends."""
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo")
CONFIGURATION = '''
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
NodeName={host} NodeAddr=127.0.0.1 Port={node_port} CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={here}/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/linear
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,batch_sched_delay=0
MpiDefault=none
ReturnToService=2
StateSaveLocation={here}/state
SlurmdSpoolDir={here}/spool
SlurmctldPidFile={here}/slurmctld.pid
SlurmdPidFile={here}/slurmd.pid
SlurmctldLogFile={here}/slurmctld.log
SlurmdLogFile={here}/slurmd.log
'''


class Cluster:
    def __init__(self, here):
        self.here = here
        self.environment = {**os.environ, "SLURM_CONF": str(here / "slurm.conf")}
        self.processes = []

    def run(self, *command, **more):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True,
                              timeout=300, check=False, **more)

    def serve(self, *command):
        """Starts a daemon that stays a child of ours."""
        log = (self.here / f"{command[0]}.out").open("w")
        with log:
            self.processes.append(subprocess.Popen(
                [program(command[0]), *map(str, command[1:])], env=self.environment, stdout=log,
                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL))

    def wait_for(self, there, seconds):
        """Whether something comes true before a daemon ends or the time is over."""
        limit = time.monotonic() + seconds
        while time.monotonic() < limit:
            if there():
                return True
            if any(process.poll() is not None for process in self.processes):
                return False
            time.sleep(0.2)
        return False

    def empty_queue(self, seconds):
        """Waits until no job is left. (whether none is, what squeue said with the first jobs running)"""
        limit = time.monotonic() + seconds
        shown = ""
        while True:
            now = self.run("squeue", "--array").stdout
            if len(now.splitlines()) < 2:
                return bool(now), shown
            if " R " not in shown:
                shown = now
            if time.monotonic() > limit:
                return False, now
            time.sleep(0.5 if " R " in shown else 0.1)

    def said(self):
        """What the daemons have to say of why they do not run."""
        lines = [line for path in sorted(self.here.glob("*.out")) + sorted(self.here.glob("*.log"))
                 for line in path.read_text(errors="replace").splitlines()
                 if "error" in line.lower() or "fatal" in line.lower()]
        return "; ".join(lines[-3:]) or "no answer in time"

    def end(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.here, ignore_errors=True)


def program(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(test):
    """A cluster that can take jobs. Skips the test, with the reason, where there can be none; or, where one
    is required (OURO_CLUSTER=required), fails it."""
    def give_up(why):
        if os.environ.get("OURO_CLUSTER") == "required":
            test.fail(why)
        test.skipTest(why)
    lacking = [name for name in PROGRAMS if program(name) is None]
    if lacking:
        give_up("not installed: " + ", ".join(lacking))
    if os.geteuid() != 0:
        give_up("slurmd needs root to start jobs")
    here = Path(tempfile.mkdtemp(prefix="slurm-"))
    here.chmod(0o755)
    cluster = Cluster(here)
    test.addCleanup(cluster.end)
    for folder in ("state", "spool"):
        (here / folder).mkdir()
    key = here / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    cluster.serve("munged", "--foreground", "--force", "--key-file", key, "--socket", here / "munge.socket",
                  "--pid-file", here / "munge.pid", "--log-file", here / "munge.log",
                  "--seed-file", here / "munge.seed")
    if not cluster.wait_for((here / "munge.socket").exists, 20):
        give_up("munged does not start: " + cluster.said())
    (here / "slurm.conf").write_text(CONFIGURATION.format(
        host=socket.gethostname().split(".")[0], here=here, user="root", cpus=os.cpu_count(),
        controller_port=free_port(), node_port=free_port()))
    cluster.serve("slurmctld", "-D", "-i", "-f", here / "slurm.conf")
    cluster.serve("slurmd", "-D", "-f", here / "slurm.conf")
    if not cluster.wait_for(lambda: "idle" in cluster.run("sinfo", "--noheader", "-o", "%T").stdout, 90):
        give_up("no Slurm can run here: " + cluster.said())
    return cluster
