"""`ouro plan CONFIG --needs`: what an experiment needs, read from its TOML by the program alone."""
# not with a sanitizer: runs what other tests do
import itertools
import json
import os
import subprocess
import unittest

import support
from support import ExperimentTest, OURO

GRAPH = '''
[[workload]]
name = "graph"
objects = [10, 200_000]
[[subject]]
engine = "stw"
'''
SLICES = '''
[[workload]]
name = "slices"
[[subject]]
peer = [
    "ocaml",
    'chez',  # and no "cppgc"
    "ocaml",
]
'''
# Each workload, and the parameter that is its size; of heap and rings none is.
SIZES = {"graph": "objects", "churn": "live", "young": "old", "gc-collect": "cycles", "gc-traversal": "levels",
         "rc-storm": "objects", "gcbench": "depth", "btree": "nodes", "cycles": "objects", "slices": "live",
         "lru": "live", "server": "live", "adversary": "live", "cyclotron": "live-objects", "binary-trees": "depth",
         "ggauss": "live", "touch": "live", "heap": None, "program": None, "rings": None}
# A workload each, whose estimate is compared with what it takes.
MEASURED = ("graph --objects 300000", "graph --objects 100000 --degree 10 --shuffled", "churn --live 300000",
            "young --old 300000 --collections 2", "gc-collect --cycles 20000 --collections 2",
            "gc-traversal --levels 2000 --collections 1", "btree --nodes 50000 --collections 1",
            "cycles --objects 300000 --live 100000 --collections 1", "lru --live 300000 --seconds 1 --load 1000/s",
            "server --live 200000 --seconds 1 --load 1000/s", "gcbench --depth 16 --rounds 1",
            "rc-storm --objects 200000 --operations 100000", "binary-trees --depth 16 --parents",
            "ggauss --live 200000 --objects 300000")


class Needs(ExperimentTest):
    def needs(self, config, *arguments):
        done = subprocess.run([OURO, "plan", config, "--needs", *map(str, arguments)], capture_output=True, text=True,
                              env=support.environment(), check=False, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [tuple(line.split(" ", 1)) for line in done.stdout.splitlines()]

    def memory(self, config, *arguments):
        *packages, (key, value) = self.needs(config, *arguments)
        self.assertLessEqual({each for each, _ in packages}, {"packages"})
        self.assertEqual(key, "memory")
        return int(value)

    def test_an_experiment_that_needs_nothing_else_needs_memory(self):
        config = self.config("# micro = 'no'\n" + GRAPH + '# build = "plain"\n')
        large = self.memory(config)
        self.assertGreater(large, self.memory(config, "--set", "workload.graph.objects=10"))

    def test_a_workload_needs_the_more_the_larger_it_is(self):
        listed = subprocess.run([OURO, "list"], capture_output=True, text=True, check=True, timeout=60).stdout
        limits = {}  # workload: {parameter: its greatest value}
        for line in itertools.takewhile(lambda line: line.startswith(" "), listed.splitlines()[1:]):
            name, *rest = line.split()
            if line.startswith("    "):
                limits[workload][name] = rest[0].split("..")[-1] if rest else ""
            else:
                workload = name
                limits[workload] = {}
        self.assertEqual(set(limits), set(SIZES))
        for workload, size in SIZES.items():
            with self.subTest(workload):
                text = f'[[workload]]\nname = "{workload}"\n[[subject]]\nengine = "stw"\n'
                if workload in ("heap", "program"):
                    text += f'[[subject]]\npython = "{support.PYTHON}"\n'
                config = self.config(text)
                usual = self.memory(config)
                self.assertGreater(usual, 8)
                if size is not None:
                    self.assertGreater(self.memory(config, "--set", f"workload.{workload}.{size}="
                                                   f"{limits[workload][size]}"), 2 * usual)

    def test_a_workload_under_load_needs_more_without_a_collector(self):
        text = '[[workload]]\nname = "lru"\nload = "LOAD"\n[[subject]]\nengine = "ENGINE"\n'

        def memory(engine, load):
            return self.memory(self.config(text.replace("LOAD", load).replace("ENGINE", engine)))
        self.assertGreater(memory("off", "saturated"), 10 * memory("stw", "saturated"))
        self.assertGreater(memory("off", "100000/s"), memory("stw", "100000/s"))
        self.assertLess(memory("off", "100000/s"), memory("off", "saturated"))
        self.assertLess(memory("off", "10"), memory("off", "saturated"))

    def test_what_is_to_be_built_is_named_wherever_it_stands(self):
        self.config('micro = "^(pair|stop)/ .*=.*$"\n[[subject]]\nbuild = "plain"\n', "base.toml")
        found = self.needs(self.config('include = ["base.toml"]\n' + GRAPH))
        self.assertEqual(found[:-1], [("build", "plain"), ("micro", "^(pair|stop)/ .*=.*$")])
        self.assertEqual(found[-1][0], "memory")

    def test_an_interpreter_with_the_bridge_needs_its_module(self):
        text = SLICES.split("peer")[0] + f'python = "{support.PYTHON}"\n'
        self.assertEqual([key for key, _ in self.needs(self.config(text))], ["memory"])
        self.assertEqual(self.needs(self.config(text + 'collecting = ["off", "bridge"]\n'))[:-1], [("module", "bridge")])

    def test_a_workload_of_other_packages_names_their_group(self):
        text = f'[[workload]]\nname = "program"\n[[subject]]\npython = "{support.PYTHON}"\n'
        self.assertEqual(self.needs(self.config(text))[0], ("packages", "programs"))

    def test_the_command_line_overrides_the_file(self):
        config = self.config("micro = 'a'\n" + GRAPH)
        self.assertEqual(self.needs(config)[0], ("micro", "a"))
        self.assertEqual(self.needs(config, "--set", "micro='b'")[0], ("micro", "b"))

    def test_an_experiment_of_peers_alone_can_be_asked_before_they_are_built(self):
        names = sorted(path.parent.name for path in (support.ROOT / "experiments" / "peers").glob("*/peer.toml"))
        text = SLICES.replace("ocaml", names[0]).replace("chez", names[1])
        self.assertEqual(self.needs(self.config(text))[:-1], [("peer", names[0]), ("peer", names[1])])
        self.assertEqual(self.needs(self.config(SLICES.split("peer")[0] + 'peer = "auto"\n'))[:-1],
                         [("peer", "auto")])

    def test_an_experiment_with_mistakes_is_refused(self):
        for text, words in ((GRAPH.replace("stw", "stv"), "found 'stv'"), ("nonsense", "experiment.toml"),
                            (SLICES.replace("ocaml", "ocalm"), "found 'ocalm'")):
            done = subprocess.run([OURO, "plan", self.config(text), "--needs"], capture_output=True, text=True,
                                  check=False, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(words, done.stderr)

    def test_scripts_ask_for_it_and_read_no_toml(self):
        script = (support.ROOT / "experiments" / "run").read_text()
        self.assertIn('plan "$config" --needs', script)
        for name in ("run", "setup.sh"):
            for line in (support.ROOT / "experiments" / name).read_text().splitlines():
                if '"$config"' in line and not line.lstrip().startswith("#"):
                    self.assertRegex(line, r'"\$ouro" (run|plan) |basename ', line)

    @unittest.skipIf(os.environ.get("OURO_SANITIZE"), "a sanitizer takes memory of its own")
    def test_estimates_of_memory_are_within_a_factor_of_two_of_what_is_taken(self):
        for each in MEASURED:
            name, *flags = each.split()
            values = {}
            for flag in flags:
                if flag.startswith("--"):
                    key = flag[2:]
                    values[key] = "true"
                else:
                    values[key] = flag if flag.isdigit() else json.dumps(flag)
            table = "".join(f"{key} = {value}\n" for key, value in values.items())
            if name in ("gcbench", "rc-storm"):
                table += "threads = 1\n"
            estimate = self.memory(self.config(f'[[workload]]\nname = "{name}"\n{table}'
                                               '[[subject]]\nengine = "stw"\n'))
            with self.subTest(each):
                done = subprocess.run([OURO, "bench", *each.split(), "--json", "-"], capture_output=True, text=True,
                                      env=support.environment(), check=True, timeout=100)
                taken = json.loads(done.stdout)["rss_peak_bytes"] / 2**20
                print(f"{each}: {estimate} MiB estimated, {taken:.0f} MiB taken")
                self.assertLess(taken / 2, estimate)
                self.assertLess(estimate, taken * 2)


if __name__ == "__main__":
    unittest.main()
