"""Makes the wheel of the package `ouroboros` for the interpreter that runs this: what pip calls (PEP 517).

Compiles the sources that core/cmake/Bridge.cmake names, out of this tree, in a directory that is removed. $CXX names
the compiler (g++ if it does not), $CXXFLAGS adds to its flags.
"""
import base64
import concurrent.futures
import hashlib
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile
from pathlib import Path

BRIDGE = Path(__file__).resolve().parent
ROOT = BRIDGE.parents[1]
PACKAGE = BRIDGE / "python" / "ouroboros"
FLAGS = ("-std=c++20", "-O2", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", "-fvisibility-inlines-hidden",
         "-fno-strict-aliasing")
# What the collector of this project and that of CPython have in common.
SHARED = ("core/collector/components.cpp", "core/event/memory.cpp")


def get_requires_for_build_wheel(config_settings=None):
    """Nothing."""
    del config_settings
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Writes the .dist-info directory there; its name."""
    del config_settings
    directory = Path(metadata_directory) / dist_info()
    directory.mkdir()
    for name, text in metadata().items():
        (directory / name).write_bytes(text)
    return directory.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel there; its name."""
    del config_settings, metadata_directory
    name = f"ouroboros-{project()['version']}-{tag()}.whl"
    with tempfile.TemporaryDirectory() as scratch:
        module = compile_module(Path(scratch))
        files = {f"ouroboros/{path.name}": path.read_bytes() for path in sorted(PACKAGE.glob("*.py"))}
        files[f"ouroboros/{module.name}"] = module.read_bytes()
    files |= {f"{dist_info()}/{name}": text for name, text in metadata().items()}
    write_wheel(Path(wheel_directory) / name, files)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """There is none: the sources lie in several rooms of the project."""
    del sdist_directory, config_settings
    raise RuntimeError("ouroboros is built from a checkout of the whole project: pip install ./core/bridge")


def project():
    """The table `project` of pyproject.toml, with the project's version."""
    table = tomllib.loads((BRIDGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = re.search(r"^project\(\w+ VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)
    return table | {"version": version[1]}


def dist_info():
    return f"ouroboros-{project()['version']}.dist-info"


def tag():
    """Of this interpreter alone: the layout that the module relies on is that of a minor version."""
    minor = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{minor}-{minor}-{re.sub(r'[-.]', '_', sysconfig.get_platform())}"


def metadata():
    """{file of .dist-info: its bytes}, all but RECORD."""
    table = project()
    readme = (BRIDGE / table["readme"]).read_text(encoding="utf-8")
    heads = {
        "Metadata-Version": "2.1", "Name": table["name"], "Version": table["version"],
        "Summary": table["description"], "Requires-Python": table["requires-python"],
        "License-File": "LICENSE", "Description-Content-Type": "text/markdown",
    }
    wheel = {"Wheel-Version": "1.0", "Generator": "ouroboros", "Root-Is-Purelib": "false", "Tag": tag()}
    text = {
        "METADATA": "".join(f"{key}: {value}\n" for key, value in heads.items()) + f"\n{readme}",
        "WHEEL": "".join(f"{key}: {value}\n" for key, value in wheel.items()),
        "LICENSE": (BRIDGE / table["license"]["file"]).read_text(encoding="utf-8"),
    }
    return {name: each.encode() for name, each in text.items()}


def sources():
    return [*sorted(BRIDGE.glob("*.cpp")), *(ROOT / name for name in SHARED)]


def compile_module(scratch):
    """The path of the extension module, made in that directory."""
    compiler = shlex.split(os.environ.get("CXX", "g++"))
    headers = sysconfig.get_path("include")
    if not os.path.exists(os.path.join(headers, "Python.h")):
        raise RuntimeError(f"{sys.executable} has no {headers}/Python.h (Debian: python3-dev)")
    flags = [*FLAGS, f"-I{ROOT}", "-isystem", headers, *shlex.split(os.environ.get("CXXFLAGS", ""))]

    def compile_one(source):
        made = scratch / f"{source.parent.name}_{source.stem}.o"
        run(*compiler, *flags, "-c", str(source), "-o", str(made))
        return str(made)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, sources()))
    module = scratch / f"_bridge{sysconfig.get_config_var('EXT_SUFFIX')}"
    run(*compiler, "-shared", *objects, "-o", str(module), *shlex.split(os.environ.get("LDFLAGS", "")))
    return module


def run(*command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    except FileNotFoundError:
        raise RuntimeError(f"{command[0]}: no such compiler; a C++20 compiler is needed ($CXX names it)") from None
    if done.returncode != 0:
        raise RuntimeError(f"{shlex.join(command)}\n{done.stdout}")


def write_wheel(path, files):
    """`files`: {name: bytes}; .dist-info/RECORD is added."""
    lines = []
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).decode().rstrip("=")
        lines.append(f"{name},sha256={digest},{len(text)}\n")
    record = f"{dist_info()}/RECORD"
    files = files | {record: "".join([*lines, f"{record},,\n"]).encode()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # the same bytes each time
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            archive.writestr(entry, text, zipfile.ZIP_DEFLATED)
