# not with a sanitizer: runs what other tests do
import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import support

SOURCES = support.ROOT / "experiments"
FOLDERS = (SOURCES / "workloads", SOURCES / "runner" / "bench")
# Names that are other words, too: of a configuration in a help text and a kind of adversary; of a generation; a
# parameter of another; a shape.
COMMON = {"graph", "young", "cycles", "rings"}


def described():
    """{name: its file} of the workloads that describe themselves."""
    found = {}
    for folder in FOLDERS:
        for path in folder.glob("*.cpp"):
            for name in re.findall(r'const Described \w+\(\{\s*\.name = "([^"]+)"', path.read_text()):
                found[name] = path
    return found


def output_of(*arguments):
    return subprocess.run([str(each) for each in (support.OURO, *arguments)], text=True, check=True,
                          capture_output=True, env=support.environment()).stdout


class DescribedWorkloads(unittest.TestCase):
    def test_they_are_there(self):
        listed = re.findall(r"(?m)^  (\S+)", output_of("list").split("engines\n")[0])
        self.assertEqual(listed, sorted({*described(), "heap", "program"}))
        self.assertLessEqual({"cyclotron", "binary-trees", "lru", "graph", "churn", "gc-collect"}, set(described()))

    def test_no_other_source_names_them(self):
        quoted = {f'"{name}"': path for name, path in described().items() if name not in COMMON}
        for path in [*SOURCES.rglob("*.cpp"), *SOURCES.rglob("*.hpp")]:
            text = path.read_text()
            for name, own in quoted.items():
                if path != own:
                    self.assertNotIn(name, text, path)

    def test_the_command_and_experiments_have_the_same_parameters(self):
        listed = output_of("list").split("settings\n")[0]
        for name in described():
            entry = re.search(rf"(?m)^  {name} .*\n((?:    .*\n)+)", listed)
            self.assertTrue(entry, name)
            text = output_of("bench", name, "--help")
            for parameter, values in re.findall(r"(?m)^    (\S+) +(\S+)", entry[1]):
                if parameter == "heap-factor":  # for peers alone
                    continue
                flag = re.search(rf"--{parameter}\b(.*)", text)
                self.assertTrue(flag, f"{name} --{parameter}")
                if ".." in values and "|" not in values:
                    kind = "FLOAT" if parameter == "cyclic-fraction" else "UINT"
                    self.assertIn(kind, flag[1], f"{name} --{parameter}")

    def test_what_they_do_not_cover_is_in_results(self):
        for name, words in (("ggauss", ["live = 1000", "objects = 2000"]),
                            ("binary-trees", ["depth = 4"]),
                            ("lru", ["live = 1000", "seconds = 1"])):
            with self.subTest(name), tempfile.TemporaryDirectory() as made:
                config = Path(made) / "tiny.toml"
                config.write_text("\n".join(['invocations = 1', '[[workload]]', f'name = "{name}"', *words,
                                             '[[subject]]', 'engine = "stw"', '']))
                output_of("run", config, "-o", Path(made) / "results")
                meta = json.loads((Path(made) / "results" / "meta.json").read_text())
                told = meta["configurations"][0]["not_covered"]
                text = " ".join(re.findall(r'"([^"]*)"', described()[name].read_text()))
                self.assertIn(told.split("; ")[0], text.replace("  ", " "))

    def test_every_workload_says_what_it_does_not_cover(self):
        captured = SOURCES / "runner" / "run" / "captured.cpp"
        for path in [*(path for folder in FOLDERS for path in folder.glob("*.cpp")), captured]:
            text = path.read_text()
            self.assertEqual(text.count(".not_covered ="), text.count(".summary ="), path)


if __name__ == "__main__":
    unittest.main()
