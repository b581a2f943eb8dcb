"""What `cmake --install` leaves behind is enough to compile, link and run another program."""

import os
import shlex
import shutil
import subprocess
import tempfile
import unittest

BUILD = os.environ.get("OURO_BUILD")
CC = os.environ.get("OURO_CC", "cc")
HERE = os.path.dirname(os.path.abspath(__file__))


def run(*command, **environment):
    """The standard output of a command that must succeed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, **environment}, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{shlex.join(command)}: status {done.returncode}\n{done.stdout}")
    return done.stdout


@unittest.skipUnless(BUILD, "OURO_BUILD does not name a build directory")
@unittest.skipIf(os.environ.get("OURO_SANITIZE"), "a stranger's program has no sanitizer")
class AnInstalledLibraryCanBeUsed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.scratch = directory.name
        first = os.path.join(cls.scratch, "installed here")
        run("cmake", "--install", BUILD, "--prefix", first)
        # Nothing in the tree may depend on where it was first put.
        cls.prefix = os.path.join(cls.scratch, "moved")
        os.rename(first, cls.prefix)
        cls.library_dir = next(os.path.join(path) for path, _, names in os.walk(cls.prefix)
                               if "libouroboros.so" in names)

    def check(self, program, **environment):
        output = run(program, **environment)
        self.assertRegex(output, r"^Ouroboros \d+\.\d+\.\d+, built from (unknown|[0-9a-f]{12})")

    def compile(self, name, flags):
        program = os.path.join(self.scratch, name)
        run(CC, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
            os.path.join(HERE, "stranger.c"), "-o", program, *shlex.split(flags))
        return program

    def test_by_find_package(self):
        build = os.path.join(self.scratch, "find_package")
        run("cmake", "-S", HERE, "-B", build, "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={CC}")
        run("cmake", "--build", build)
        self.check(os.path.join(build, "stranger"))

    @unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not installed")
    def test_by_pkg_config(self):
        flags = run("pkg-config", "--cflags", "--libs", "ouroboros",
                    PKG_CONFIG_PATH=os.path.join(self.library_dir, "pkgconfig"))
        self.check(self.compile("by_pkg_config", flags), LD_LIBRARY_PATH=self.library_dir)

    def test_by_ouro_config(self):
        ouro = os.path.join(self.prefix, "bin", "ouro")
        if not os.path.exists(ouro):
            self.skipTest("the ouro command is not part of this build")
        flags = run(ouro, "config", "--cflags") + " " + run(ouro, "config", "--libs")
        self.check(self.compile("by_ouro_config", flags), LD_LIBRARY_PATH=self.library_dir)

    def test_reports_are_drawn_by_what_was_installed(self):
        ouro = os.path.join(self.prefix, "bin", "ouro")
        if not os.path.exists(ouro):
            self.skipTest("the ouro command is not part of this build")
        done = subprocess.run([ouro, "report", self.scratch], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is not a results directory", done.stderr)
        results = os.path.join(self.scratch, "recorded")
        shutil.copytree(os.path.join(HERE, "..", "experiments", "recorded"), results)
        run(ouro, "report", results)
        self.assertTrue(os.path.exists(os.path.join(results, "report.html")))
        self.assertIn("Gate: ", run(ouro, "report", "--gate", results))

    @unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not installed")
    def test_by_an_extension_module(self):
        ouro = os.path.join(self.prefix, "bin", "ouro")
        if not os.path.exists(ouro):
            self.skipTest("the ouro command is not part of this build")
        source = os.path.join(HERE, "..", "support", "modules", "two_phases.c")
        module = os.path.join(self.scratch, "two_phases.so")
        flags = run("pkg-config", "--cflags", "ouroboros",
                    PKG_CONFIG_PATH=os.path.join(self.library_dir, "pkgconfig"))
        run(CC, "-shared", "-fPIC", *shlex.split(flags), source, "-o", module)
        self.assertEqual(run(ouro, "ext", module, "--call", "echo", "1"), "(1,)\n")

    def test_the_claims_of_the_paper_are_checked_there(self):
        ouro = os.path.join(self.prefix, "bin", "ouro")
        if not os.path.exists(ouro):
            self.skipTest("the ouro command is not part of this build")
        empty = os.path.join(self.scratch, "no results")
        os.makedirs(empty)
        done = subprocess.run([ouro, "reproduce", "--from", empty, "-o", empty, "pause.ordered"],
                              stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("pause.ordered:", done.stdout)
        self.assertRegex(done.stdout, "not measured")

    def test_by_ouro_config_in_the_build_tree(self):
        ouro = os.environ.get("OURO_BINARY", "")
        if not os.path.exists(ouro):
            self.skipTest("the ouro command is not part of this build")
        flags = run(ouro, "config", "--cflags") + " " + run(ouro, "config", "--libs")
        self.check(self.compile("in_the_build_tree", flags),
                   LD_LIBRARY_PATH=os.path.join(BUILD, "lib"))


if __name__ == "__main__":
    unittest.main()
