"""Every shell script of the project passes shellcheck."""
# not with a sanitizer: runs nothing of the build

import os
import shutil
import subprocess
import unittest

import layout

ROOT = os.path.realpath(os.environ.get("OURO_SOURCE")
                        or os.path.join(os.path.dirname(__file__), "..", ".."))


def is_script(name):
    with open(os.path.join(ROOT, name), "rb") as file:
        head = file.read(64)
    return name.endswith(".sh") or (head.startswith(b"#!") and b"bash" in head.split(b"\n")[0])


@unittest.skipUnless(shutil.which("shellcheck"), "shellcheck is not installed")
class ScriptsPassShellcheck(unittest.TestCase):
    def test_every_script(self):
        scripts = [name for name in layout.tracked_files(ROOT) if is_script(name)]
        self.assertIn("tests/run", scripts)
        check = subprocess.run(["shellcheck", "-x", "-P", ROOT, *scripts], cwd=ROOT, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual(check.returncode, 0, "\n" + check.stdout)


if __name__ == "__main__":
    unittest.main()
