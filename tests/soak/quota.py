"""Threads that a control group gives little of a processor: 2 of 100 ms to all of them (the kernel's sched-bwc.rst,
cgroup-v1/cgroups.rst and cgroup-v2.rst)."""
import contextlib
from pathlib import Path

MOUNTS = Path("/sys/fs/cgroup")
PERIOD_US = 100_000
QUOTA_US = 2_000


def quota_of(pid, name):
    """A Quota for threads of process `pid`, in groups called `name`; OSError where none can be made, as by users other
    than root and in most containers."""
    if (MOUNTS / "cgroup.controllers").exists():
        return Quota(Version2(pid, name))
    return Quota(Version1(name))


class Version1:
    """The hierarchy of the processor's controller alone: a thread may be in any of its groups."""

    list_of_threads = "tasks"

    def __init__(self, name):
        self.home = MOUNTS / "cpu"
        self.held = self.home / name

    def make(self):
        self.held.mkdir()
        (self.held / "cpu.cfs_period_us").write_text(str(PERIOD_US))
        (self.held / "cpu.cfs_quota_us").write_text(str(QUOTA_US))

    def remove(self):
        self.held.rmdir()


class Version2:
    """The one hierarchy: a thread may be in a threaded group below that of its process alone."""

    list_of_threads = "cgroup.threads"

    def __init__(self, pid, name):
        self.pid = pid
        self.home = MOUNTS / name
        self.held = self.home / "held"

    def make(self):
        (MOUNTS / "cgroup.subtree_control").write_text("+cpu")
        self.home.mkdir()
        self.held.mkdir()
        (self.held / "cgroup.type").write_text("threaded")
        (self.home / "cgroup.subtree_control").write_text("+cpu")
        (self.held / "cpu.max").write_text(f"{QUOTA_US} {PERIOD_US}")
        (self.home / "cgroup.procs").write_text(str(self.pid))

    def remove(self):
        move(self.home / "cgroup.procs", MOUNTS / "cgroup.procs")
        for group in (self.held, self.home):
            group.rmdir()


def move(listing, to):
    """All that one group lists to another."""
    for number in listing.read_text().split():
        with contextlib.suppress(ProcessLookupError):  # it has ended
            to.write_text(number)


class Quota:
    """Holds threads of a process to their share. To be closed."""

    def __init__(self, groups):
        self.groups = groups
        try:
            groups.make()
        except OSError:
            with contextlib.suppress(OSError):
                groups.remove()
            raise

    def hold(self, task):
        (self.groups.held / self.groups.list_of_threads).write_text(str(task))

    def release(self):
        """All of them."""
        move(self.groups.held / self.groups.list_of_threads, self.groups.home / self.groups.list_of_threads)

    def throttled(self):
        """How often threads that were held had to wait."""
        stat = dict(line.split() for line in (self.groups.held / "cpu.stat").read_text().splitlines())
        return int(stat["nr_throttled"])

    def close(self):
        self.release()
        self.groups.remove()
