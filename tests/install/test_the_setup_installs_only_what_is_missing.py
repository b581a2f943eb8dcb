"""What experiments/setup.sh asks of the package system, seen through stand-ins for its commands."""
# not with a sanitizer: runs nothing of the build

import os
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.path.realpath(os.environ.get("OURO_SOURCE")
                          or os.path.join(os.path.dirname(__file__), "..", ".."))

PACKAGES = """# a comment
[run]   # to build
alpha
beta    # the second

[test]
gamma
[peers]
delta
epsilon
[browser]
zeta
"""

# Says that the packages in $INSTALLED are installed, as dpkg-query would.
DPKG_QUERY = """#!/bin/bash
echo "dpkg-query" >>"$CALLS"
for name in $INSTALLED; do echo "installed $name"; done
echo "config-files gamma"
"""
# Refuses the packages in $REFUSED.
APT_GET = """#!/bin/bash
echo "apt-get $*" >>"$CALLS"
for name in $REFUSED; do [[ " $* " == *" $name "* ]] && echo "E: no $name" && exit 100; done
exit 0
"""
SUDO = '#!/bin/bash\nexec "$@"\n'


class TheSetupInstallsOnlyWhatIsMissing(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = directory.name
        os.makedirs(os.path.join(self.root, "experiments"))
        shutil.copy(os.path.join(SOURCE, "experiments", "setup.sh"),
                    os.path.join(self.root, "experiments"))
        self.write("experiments/packages.txt", PACKAGES)
        for tool in ("bash", "dirname", "nproc", "sed", "mkdir", "tail", "env"):
            os.makedirs(os.path.join(self.root, "bin"), exist_ok=True)
            os.symlink(shutil.which(tool), os.path.join(self.root, "bin", tool))
        self.write("bin/dpkg-query", DPKG_QUERY)
        self.write("bin/apt-get", APT_GET)
        self.write("bin/sudo", SUDO)

    def write(self, name, text):
        path = os.path.join(self.root, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def install(self, *groups, installed="", refused="", **environment):
        """(status, messages, calls of package commands that change or fetch something)"""
        calls = os.path.join(self.root, "calls")
        with open(calls, "w", encoding="utf-8"):
            pass
        done = subprocess.run(
            [shutil.which("bash"), "-c",
             'set -euo pipefail; source "$0"; install_groups "$@"',
             os.path.join(self.root, "experiments", "setup.sh"), *groups],
            env={"PATH": os.path.join(self.root, "bin"), "CALLS": calls, "INSTALLED": installed,
                 "REFUSED": refused, **environment},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        with open(calls, encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertLessEqual(lines.count("dpkg-query"), 1)
        return done.returncode, done.stdout, [line for line in lines if line != "dpkg-query"]

    def test_with_nothing_missing_no_package_command_runs(self):
        self.assertEqual(self.install("run", installed="alpha beta"), (0, "", []))

    def test_only_what_is_missing_is_installed_and_named(self):
        status, messages, calls = self.install("run", installed="beta")
        self.assertEqual(status, 0)
        self.assertIn("installing 1 packages from Debian: alpha", messages)
        self.assertEqual(len(calls), 2)
        self.assertTrue(calls[0].endswith(" update"))
        self.assertTrue(calls[1].endswith(" install --no-install-recommends alpha"))

    def test_run_and_test_are_the_groups_if_none_is_named(self):
        _, _, calls = self.install(installed="beta")
        self.assertTrue(calls[1].endswith(" alpha gamma"), calls)

    def test_a_package_that_was_removed_is_missing(self):
        _, _, calls = self.install("test")
        self.assertTrue(calls[1].endswith(" gamma"), calls)

    def test_a_needed_package_that_cannot_be_had_is_the_end(self):
        status, messages, _ = self.install("run", refused="alpha")
        self.assertEqual(status, 1)
        self.assertIn("E: no alpha", messages)
        self.assertIn("could not install: alpha beta", messages)

    def test_a_peer_that_cannot_be_had_is_a_warning(self):
        status, messages, calls = self.install("run", "peers", installed="alpha beta",
                                               refused="delta")
        self.assertEqual(status, 0)
        self.assertIn("warning: peer delta", messages)
        self.assertTrue(calls[-1].endswith(" epsilon"), calls)

    def test_a_browser_that_cannot_be_had_is_a_warning(self):
        status, messages, calls = self.install("run", "browser", installed="alpha", refused="zeta")
        self.assertEqual(status, 0)
        self.assertIn("warning: browser zeta cannot be installed", messages)
        self.assertTrue(calls[1].endswith(" beta"), calls)
        self.assertTrue(calls[2].endswith(" zeta"), calls)

    def test_package_lists_that_cannot_be_renewed_are_a_warning(self):
        status, messages, _ = self.install("run", refused="update")
        self.assertEqual(status, 0)
        self.assertIn("warning: apt-get update failed", messages)

    def test_nothing_is_installed_if_so_told(self):
        status, messages, calls = self.install("run", OURO_NO_INSTALL="1")
        self.assertEqual((status, calls), (0, []))
        self.assertIn("alpha beta", messages)

    def test_an_unknown_group_is_refused(self):
        status, messages, calls = self.install("nosuch")
        self.assertEqual((status, calls), (1, []))
        self.assertIn("[nosuch]", messages)

    def test_without_apt_the_packages_are_listed(self):
        os.remove(os.path.join(self.root, "bin", "apt-get"))
        status, messages, _ = self.install("run")
        self.assertEqual(status, 1)
        self.assertIn("no apt", messages)
        self.assertIn("    alpha\n    beta\n", messages)


if __name__ == "__main__":
    unittest.main()
