"""core/include/API.md says of every name of the C API manual whether the headers declare it, what is declared is
exported, and what is absent has a reason; `ouro config --api` prints the page."""

import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = pathlib.Path(os.environ.get("OURO_BUILD", ROOT / "build"))
sys.path.insert(0, str(HERE))

import documented  # noqa: E402


class Page(unittest.TestCase):
    def test_it_is_what_headers_and_library_say(self):
        run = subprocess.run([sys.executable, str(HERE / "documented.py"), "check"], capture_output=True, text=True,
                             check=False)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_the_command_prints_it(self):
        command = BUILD / "bin" / "ouro"
        if not command.is_file():
            self.skipTest("the command is not built")
        run = subprocess.run([command, "config", "--api"], capture_output=True, text=True, check=True)
        self.assertEqual(run.stdout, documented.PAGE.read_text(encoding="utf-8"))

    def test_every_name_stands_in_it_once(self):
        names = [name for _, _, name in documented.index()]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreater(len(names), 1700)

    def test_a_declared_function_that_is_not_exported_is_noticed(self):
        everything = documented.exported
        documented.exported = lambda library: everything(library) - {"PyList_Append"}
        try:
            _, errors = documented.page(str(BUILD / "lib" / "libouroboros.so"))
        finally:
            documented.exported = everything
        self.assertEqual(errors, ["PyList_Append: declared, and not exported"])


if __name__ == "__main__":
    unittest.main()
