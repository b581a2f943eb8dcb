# not with a sanitizer: hundreds of processes that run what other tests do
import unittest

import support
from support import ExperimentTest

SIZES = [100, 200, 300, 400, 500, 600, 700, 800, 900]
# The ends and the middle, then the middles between those, then the rest.
LEVELS = [{100, 500, 900}, {300, 700}, {200, 400, 600, 800}]


class Sweep(ExperimentTest):
    def setUp(self):
        super().setUp()
        self.ouro = support.stand_in(self.directory)

    def experiment(self, order="", sizes=None):
        return self.config(f'''
invocations = 2
noise-floor = false
{order}
[[workload]]
name = "graph"
objects = {sizes or SIZES}
[[subject]]
name = "one"
ouro = "{self.ouro}"
[[subject]]
name = "other"
ouro = "{self.ouro}"
''')

    def order(self):
        return [(row["objects"], row["invocation"]) for row in self.rows()]

    def test_levels_are_outermost_and_invocations_inside_them(self):
        experiment = self.experiment('order = "fill-in"')
        self.assertEqual(self.ouro_run(experiment).returncode, 0)
        made = self.order()
        self.assertEqual(self.meta()["order"], "fill-in")
        at = 0
        for level in LEVELS:
            for invocation in range(2):
                block = made[at:at + 2 * len(level)]
                self.assertEqual({size for size, _ in block}, level)
                self.assertEqual({each for _, each in block}, {invocation})
                at += len(block)
        self.assertEqual(at, len(made))
        shown = self.ouro_run(experiment, "--dry-run").stdout.splitlines()[1:]
        self.assertEqual([int(line.split("--objects ")[1].split()[0]) for line in shown],
                         [size for size, _ in made], "a dry run shows this order")

    def test_else_a_sweep_is_in_random_order_inside_each_invocation(self):
        self.assertEqual(self.ouro_run(self.experiment()).returncode, 0)
        made = self.order()
        self.assertEqual({size for size, _ in made[:len(made) // 2]}, set(SIZES))
        self.assertEqual(self.meta()["order"], "random")

    def test_short_sweeps_have_one_level(self):
        for sizes in ([100], [100, 200], [100, 200, 300]):
            shown = self.ouro_run(self.experiment('order = "fill-in"', sizes), "--dry-run").stdout
            self.assertEqual([line[0] for line in shown.splitlines()[1:]],
                             ["0"] * 2 * len(sizes) + ["1"] * 2 * len(sizes))

    def test_a_slice_is_a_part_of_the_plan_and_the_rest_can_follow(self):
        experiment = self.experiment()
        done = self.ouro_run(experiment, "--slice", "objects=300,100", "--slice", "workload=graph")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("8 of 8 runs have a result", done.stdout)
        self.assertEqual({size for size, _ in self.order()}, {100, 300})
        self.assertFalse(self.meta()["complete"])
        done = self.ouro_run(experiment, "--resume")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = self.rows()
        self.assertEqual(sorted(row["run"] for row in rows), list(range(2 * 2 * len(SIZES))))
        self.assertTrue(self.meta()["complete"])

    def test_a_slice_that_is_none_is_refused_with_what_there_is(self):
        for text, words in (("objects=101", "objects: found '101'; allowed: 100, 200"),
                            ("object=100", "found 'object'; allowed: workload, "),
                            ("objects", "allowed: PARAMETER=VALUE,..."), ("=3", "allowed: PARAMETER="),
                            ("objects=", "allowed: PARAMETER=VALUE"),
                            ("workload=churn", "workload: found 'churn'; allowed: graph")):
            done = self.ouro_run(self.experiment(), "--slice", text)
            self.assertEqual((done.returncode, done.stdout), (2, ""), text)
            self.assertIn("ouro: run --slice: ", done.stderr)
            self.assertIn(words, done.stderr)
        done = self.ouro_run(self.experiment(), "--slice", "objects=100", "--slice", "objects=200")
        self.assertIn("no run that is in all", done.stderr)


if __name__ == "__main__":
    unittest.main()
