#!/usr/bin/env python3
"""The packages of manifest.toml.

    wild.py fetch DIRECTORY     downloads their sources from Debian's archive (apt with deb-src), checks and unpacks them
"""

import argparse
import hashlib
import pathlib
import subprocess
import sys
import tarfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent


def packages():
    """The rows of the manifest."""
    with open(HERE / "manifest.toml", "rb") as file:
        return tomllib.load(file)["package"]


def source_of(package, directory):
    """Where a package is unpacked."""
    return pathlib.Path(directory) / package["name"]


def unpack(package, directory):
    """Checks an archive and unpacks it; what is wrong, or ""."""
    archive = pathlib.Path(directory) / package["archive"]
    if not archive.is_file():
        return "the archive does not have it"
    if hashlib.sha256(archive.read_bytes()).hexdigest() != package["sha256"]:
        return "its checksum is another"
    target = source_of(package, directory)
    with tarfile.open(archive) as file:
        for member in file.getmembers():
            member.name = member.name.partition("/")[2]
            if member.isfile() and member.name and ".." not in pathlib.PurePosixPath(member.name).parts:
                file.extract(member, target)
    return ""


def fetch(directory):
    """All of them; how many are missing."""
    pathlib.Path(directory).mkdir(parents=True, exist_ok=True)
    missing = 0
    for package in packages():
        # Debian's own part may be gone where the upstream source, the only one needed, is still there.
        subprocess.run(["apt-get", "source", "--download-only", "--yes", package["name"]], cwd=directory,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        wrong = unpack(package, directory)
        missing += bool(wrong)
        print(f"{package['name']}: {wrong or 'ready'}")
    return missing


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("fetch",))
    parser.add_argument("directory")
    missing = fetch(parser.parse_args().directory)
    sys.exit(f"{missing} missing" if missing else 0)


if __name__ == "__main__":
    main()
