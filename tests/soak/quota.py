"""Threads that a control group gives little of a processor: 2 of 100 ms to all of them (the kernel's sched-bwc.rst and
cgroup-v1/cgroups.rst; in version 2 a thread may not leave the groups of its process)."""
import contextlib
from pathlib import Path

HOME = Path("/sys/fs/cgroup/cpu")
PERIOD_US = 100_000
QUOTA_US = 2_000


class Quota:
    """Holds threads to their share. To be closed. OSError where no group can be made: by users other than root, in most
    containers, and where version 2 of control groups is in use."""

    def __init__(self, name):
        self.group = HOME / name
        self.group.mkdir()
        try:
            (self.group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (self.group / "cpu.cfs_quota_us").write_text(str(QUOTA_US))
        except OSError:
            self.group.rmdir()
            raise

    def hold(self, task):
        (self.group / "tasks").write_text(str(task))

    def release(self):
        """All of them."""
        for task in (self.group / "tasks").read_text().split():
            with contextlib.suppress(ProcessLookupError):  # it has ended
                (HOME / "tasks").write_text(task)

    def throttled(self):
        """How often threads that were held had to wait."""
        stat = dict(line.split() for line in (self.group / "cpu.stat").read_text().splitlines())
        return int(stat["nr_throttled"])

    def close(self):
        self.release()
        self.group.rmdir()
