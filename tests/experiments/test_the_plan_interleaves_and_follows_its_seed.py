import unittest

import support  # noqa: F401  (sets the path)
from plan import HEAP, MODES, Subject, capture_first, make_plan
from progress import Progress

SUBJECTS = [Subject("ouro-stw", "ouro", "ouro", "stw"),
            Subject("cpython-3.11.2", "cpython", "/usr/bin/python3"),
            Subject("cpython-3.14.0t", "cpython", "python3.14t")]


class Plan(unittest.TestCase):
    def test_the_same_seed_gives_the_same_plan(self):
        self.assertEqual(make_plan("quick", SUBJECTS, 7), make_plan("quick", SUBJECTS, 7))
        self.assertNotEqual([run.title for run in make_plan("quick", SUBJECTS, 7)],
                            [run.title for run in make_plan("quick", SUBJECTS, 8)])

    def test_invocations_are_outermost(self):
        invocations = [run.invocation for run in make_plan("full", SUBJECTS, 1)]
        self.assertEqual(invocations, sorted(invocations))

    def test_every_configuration_comes_once_an_invocation(self):
        for mode, wanted in MODES.items():
            plan = make_plan(mode, SUBJECTS, 1)
            keys = [(run.pair, run.subject, run.repeat) for run in plan]
            self.assertEqual(len(keys), len(set(keys)))
            for objects, invocations in wanted.invocations.items():
                for subject in SUBJECTS:
                    for shuffled in (False, True):
                        found = [run.invocation for run in plan if run.subject == subject.name
                                 and run.objects == objects and run.shuffled == shuffled
                                 and run.repeat == 0 and run.workload == "graph"]
                        self.assertEqual(found, list(range(invocations)))

    def test_churn_and_young_come_for_every_subject_with_equal_work(self):
        for mode, wanted in MODES.items():
            plan = make_plan(mode, SUBJECTS, 1)
            for workload, sizes in (("churn", wanted.churn), ("young", wanted.young)):
                self.assertTrue(sizes)
                runs = [run for run in plan if run.workload == workload]
                found = sorted((run.invocation, run.objects, run.subject) for run in runs)
                self.assertEqual(found, sorted((i, size, subject.name) for subject in SUBJECTS
                                               for size in sizes
                                               for i in range(wanted.other_invocations)))
                for pair in {run.pair for run in runs}:
                    self.assertEqual(len({(run.seed, run.collections) for run in runs
                                          if run.pair == pair}), 1)

    def test_subjects_interleave(self):
        # Were they run one after the other there would be two changes of subject, not dozens.
        names = [run.subject for run in make_plan("quick", SUBJECTS, 1)]
        changes = sum(a != b for a, b in zip(names, names[1:]))
        self.assertGreater(changes, len(names) // 3)

    def test_paired_runs_have_the_same_graph(self):
        graphs = {}
        for run in make_plan("quick", SUBJECTS, 5):
            graphs.setdefault(run.pair, set()).add((run.seed, run.collections))
        self.assertTrue(all(len(each) == 1 for each in graphs.values()))

    def test_a_capture_comes_before_the_run_that_reads_its_file(self):
        for seed in range(20):
            heap = [run for run in make_plan("quick", SUBJECTS, seed) if run.workload == HEAP]
            self.assertEqual([run.subject for run in heap],
                             ["cpython-3.11.2", "ouro-stw"] * MODES["quick"].heap_invocations)

    def test_putting_the_capture_first_moves_nothing_else(self):
        plan = make_plan("smoke", SUBJECTS, 3)
        self.assertEqual(capture_first(list(plan)), plan)


class TimeLeft(unittest.TestCase):
    def test_it_learns_from_finished_runs(self):
        now = [0.0]
        plan = [run for run in make_plan("smoke", SUBJECTS, 1) if run.repeat == 0]
        with open("/dev/null", "w", encoding="utf-8") as nowhere:
            progress = Progress(plan, lambda run: "all", nowhere, lambda: now[0])
            planned = progress.left()
            for done, run in enumerate(plan):
                progress.start(run)
                now[0] += 100 * run.estimate  # a machine a hundred times slower than the estimates
                progress.finish(run, "ok")
                if done == len(plan) // 2:
                    rest = sum(each.estimate for each in plan[done + 1:])
                    self.assertGreater(progress.left(), 20 * rest)
            self.assertAlmostEqual(planned, sum(run.estimate for run in plan))
            self.assertEqual(progress.left(), 0)


if __name__ == "__main__":
    unittest.main()
