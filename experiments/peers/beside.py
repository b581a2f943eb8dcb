"""The same source in C, compiled against CPython and against Ouroboros."""

import datetime
import os
import pathlib
import platform
import shlex
import subprocess
import sys
import sysconfig


def flags_of(build):
    """How a C program is compiled and linked against the library in a build directory."""
    return shlex.split(subprocess.run([build / "bin" / "ouro", "config", "--cflags", "--libs"], check=True,
                                      capture_output=True, text=True).stdout)


def compiled(source, directory, **builds):
    """{runtime: program}, of the python3 that this runs under and of the libraries in build directories."""
    version = sysconfig.get_config_var("LDVERSION")
    flags = {"cpython": [f"-I{sysconfig.get_paths()['include']}", f"-L{sysconfig.get_config_var('LIBDIR')}",
                         f"-lpython{version}"]}
    flags |= {runtime: flags_of(build) for runtime, build in builds.items()}
    programs = {}
    for runtime, options in flags.items():
        programs[runtime] = pathlib.Path(directory) / runtime
        subprocess.run(["cc", "-O2", "-std=gnu11", source, *options, "-o", programs[runtime]], check=True)
    return programs


def described(title, build):
    """What must be known to judge the times, as meta.json of `ouro run` calls it."""
    version = subprocess.run([build / "bin" / "ouro", "--version"], check=True, capture_output=True,
                             text=True).stdout.strip()
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    return {"title": title, "ended": now, "command": sys.argv,
            "machine": {"kernel": platform.release(), "usable_cores": len(os.sched_getaffinity(0)),
                        "load_after": os.getloadavg()[0]},
            "build": {"ouro_version": version, "python": sys.version}}
