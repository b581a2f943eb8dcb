"""What must be known about the machine and the programs to judge a figure: meta.json."""
import hashlib
import os
import platform
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROBE = """
import sys
print("%d.%d.%d" % sys.version_info[:3])
print(sys.implementation.name)
print("t" if "t" in getattr(sys, "abiflags", "") else "")
print(" ".join(sys.version.split()))
"""
FREE_THREADED = ("python3.13t", "python3.14t", "python3.15t", "python3.16t")


def read(path):
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None


def output_of(command):
    """stdout of a command, None if it cannot be run or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30,
                              stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def field(text, name):
    found = re.search(rf"^{name}\s*:\s*(.+)$", text or "", re.MULTILINE)
    return found.group(1).strip() if found else None


def memory_bytes(name):
    value = field(read("/proc/meminfo"), name)
    return int(value.split()[0]) * 1024 if value else None


def load():
    try:
        return round(os.getloadavg()[0], 2)
    except OSError:
        return None


def chosen(path):
    """The word in brackets of a setting such as 'always [madvise] never'."""
    found = re.search(r"\[(\w+)\]", read(path) or "")
    return found.group(1) if found else None


def describe_machine():
    return {
        "cpu": field(read("/proc/cpuinfo"), "model name") or platform.machine(),
        "cores": os.cpu_count(),
        "usable_cores": len(os.sched_getaffinity(0)),
        "l3_cache": read("/sys/devices/system/cpu/cpu0/cache/index3/size"),
        "governor": read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "hypervisor": "hypervisor" in (field(read("/proc/cpuinfo"), "flags") or "").split(),
        "kernel": platform.release(),
        "system": field((read("/etc/os-release") or "").replace("=", ":").replace('"', ""),
                        "PRETTY_NAME"),
        "thp": chosen("/sys/kernel/mm/transparent_hugepage/enabled"),
        "memory_bytes": memory_bytes("MemTotal"),
        "memory_available_bytes": memory_bytes("MemAvailable"),
        "load_before": load(),
        "environment": {key: value for key, value in os.environ.items()
                        if key.startswith(("OURO", "MALLOC_", "GLIBC_", "LD_", "PYTHON"))},
    }


def packages():
    """Installed versions of the packages that experiments/packages.txt names."""
    text = read(ROOT / "experiments" / "packages.txt") or ""
    names = [word for line in text.splitlines() if not line.startswith("[")
             for word in line.split("#")[0].split()]
    listed = output_of(["dpkg-query", "-W", "-f", "${Package} ${Version}\n"]) or ""
    versions = dict(line.split(" ", 1) for line in listed.splitlines() if " " in line)
    return {name: versions[name] for name in names + ["libc6"] if name in versions}


def fingerprint(ouro):
    """A digest of the command and the library beside it: a rebuild between runs changes it."""
    digest = hashlib.sha256()
    for path in (Path(ouro), Path(ouro).parent.parent / "lib" / "libouroboros.so"):
        try:
            digest.update(path.read_bytes())
        except OSError:
            pass  # linked in, or installed elsewhere
    return digest.hexdigest()


def describe_build(ouro):
    """Commit of the tree, and what the command says of itself."""
    def git(*arguments):
        return output_of(["git", "-C", str(ROOT), *arguments])
    return {
        "ouro": str(ouro),
        "ouro_version": output_of([str(ouro), "--version"]),
        "ouro_cflags": output_of([str(ouro), "config", "--cflags"]),
        "commit": git("rev-parse", "HEAD"),
        "tree_changed": bool(git("status", "--porcelain")),
        "packages": packages(),
    }


def probe(interpreter):
    """(name, version text) of a CPython; None if it cannot run or is another implementation."""
    answer = output_of([interpreter, "-I", "-S", "-c", PROBE])
    lines = answer.splitlines() if answer else []
    # A build without a letter in sys.abiflags leaves that line empty, not away.
    if len(lines) != 4 or lines[1] != "cpython":
        return None
    version, suffix = lines[0], lines[2]
    if tuple(map(int, version.split("."))) < (3, 8, 0):
        return None
    return f"cpython-{version}{suffix}", lines[3]


def find_interpreters(named, warn):
    """[(name, path, version text)]: /usr/bin/python3, free-threaded ones on PATH, those named.

    The same version twice is one. What was named but is no usable CPython is warned about.
    """
    from shutil import which
    found = {}
    for each in ["/usr/bin/python3", *filter(None, map(which, FREE_THREADED)), *named]:
        path = which(each)
        known = probe(path) if path else None
        if known:
            found.setdefault(known[0], (known[0], path, known[1]))
        elif each in named or each == "/usr/bin/python3":
            warn(f"{each} is left out: " + ("not found" if not path else
                                            "it does not run, or is no CPython from 3.8 on"))
    return list(found.values())
