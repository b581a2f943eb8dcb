import array
import unittest

from command import CommandTest, left_by_counting, ouro


class Graph(CommandTest):
    def test_the_collected_are_those_that_counting_leaves(self):
        for objects, degree, seed in ((1, 0, 1), (1, 1, 1), (2, 1, 3), (10, 1, 1), (100, 1, 2),
                                      (100, 3, 1), (1000, 1, 7), (1000, 2, 5), (3000, 3, 1)):
            targets, _ = self.edges(objects, degree, "--seed", seed)
            expected = left_by_counting(objects, degree, targets)
            for more in ((), ("--shuffled",), ("--refcount", "atomic"), ("--verify", "on")):
                with self.subTest(objects=objects, degree=degree, seed=seed, more=more):
                    row = self.bench("--objects", objects, "--degree", degree, "--seed", seed,
                                     "--collections", 1, *more)
                    self.assertEqual(row["collected"], expected)
                    self.assertEqual(row["backlog_max"], expected)
                    self.assertEqual(row["live_objects"], objects + 1)

    def test_what_mutation_leaves_is_what_its_changes_say(self):
        for objects, degree, percent, rounds, more in (
                (1000, 2, 30, 3, ()), (1000, 2, 30, 3, ("--shuffled",)), (500, 1, 100, 2, ()),
                (100, 3, 1, 5, ("--shuffled",)), (10, 1, 5, 3, ())):
            with self.subTest(objects=objects, degree=degree, percent=percent, more=more):
                arguments = ("--objects", objects, "--degree", degree, "--seed", 4, *more,
                             "--mutate", percent, "--collections", rounds)
                targets, order, changes = self.mutations(objects, degree, *arguments)
                self.assertEqual(len(changes), rounds * (objects * degree * percent // 100))
                plain = self.edges(objects, degree, "--seed", 4, *more)
                self.assertEqual((targets, order), plain, "before the first it is the plain graph")
                for source, slot, target in changes:
                    targets[order[source] * degree + slot] = order[target]
                row = self.bench(*arguments)
                self.assertEqual(row["collected"], left_by_counting(objects, degree, targets))
                self.assertEqual(row["live_objects"], objects + 1)
                self.assertEqual(row["params"]["mutate"], percent)
                # Every slot and every object has its turn, and changes it is that are counted.
                if len(changes) > 500:
                    self.assertEqual({slot for _, slot, _ in changes}, set(range(degree)))
                    self.assertGreater(len({source for source, _, _ in changes}), objects // 4)

    def mutations(self, objects, degree, *arguments):
        """(targets, order, [(source, slot, target)]) as `ouro edges` writes them."""
        done = ouro("edges", *arguments, text=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        words = array.array("I")
        words.frombytes(done.stdout)
        edges, rest = objects * degree, list(words[objects * (degree + 1):])
        return (list(words[:edges]), list(words[edges:edges + objects]),
                list(zip(rest[0::3], rest[1::3], rest[2::3])))

    def test_some_of_these_are_not_all_and_not_none(self):
        # Or the test above would prove little.
        targets, _ = self.edges(1000, 1, "--seed", 7)
        self.assertLess(left_by_counting(1000, 1, targets), 900)
        self.assertGreater(left_by_counting(1000, 1, targets), 10)

    def test_engine_off_collects_nothing(self):
        for arguments, settings in ((("--engine", "off"), None), ((), "engine=off")):
            row = self.bench("--objects", 500, "--degree", 3, *arguments, settings=settings)
            targets, _ = self.edges(500, 3)
            self.assertEqual(row["engine"], "off")
            self.assertEqual(row["collected"], 0)
            self.assertEqual(row["backlog_max"], left_by_counting(500, 3, targets))
            self.assertEqual(row["pauses"]["count"], 0)
            self.assertEqual(row["collector_cpu_ns"], 0)


class Edges(CommandTest):
    def test_the_same_seed_gives_the_same_graph(self):
        first = self.edges(1000, 3, "--seed", 9, "--shuffled")
        self.assertEqual(first, self.edges(1000, 3, "--seed", 9, "--shuffled"))
        self.assertNotEqual(first[0], self.edges(1000, 3, "--seed", 10, "--shuffled")[0])
        self.assertNotEqual(first[1], self.edges(1000, 3, "--seed", 10, "--shuffled")[1])

    def test_targets_are_nodes_and_spread_over_all(self):
        targets, _ = self.edges(1000, 20, "--seed", 1)
        self.assertGreaterEqual(min(targets), 0)
        self.assertLess(max(targets), 1000)
        self.assertGreater(len(set(targets)), 990)
        tenths = [sum(1 for t in targets if t // 100 == tenth) for tenth in range(10)]
        self.assertGreater(min(tenths), 1700)  # 2000 are expected of 20,000, give or take 45

    def test_the_order_is_a_permutation_and_identity_unless_shuffled(self):
        for objects in (1, 2, 1000, 70_000):
            plain = self.edges(objects, 1)
            shuffled = self.edges(objects, 1, "--shuffled")
            self.assertEqual(plain[1], list(range(objects)))
            self.assertEqual(sorted(shuffled[1]), plain[1])
            self.assertEqual(shuffled[0], plain[0], "the targets do not depend on the order")
            if objects > 2:
                stay = sum(1 for k, node in enumerate(shuffled[1]) if k == node)
                self.assertLess(stay, 20)  # 1 is expected

    def test_without_references_there_is_the_order_alone(self):
        self.assertEqual(self.edges(5, 0), ([], [0, 1, 2, 3, 4]))

    def test_the_defaults_are_those_of_the_workload(self):
        self.assertEqual(self.edges(100, 3), self.edges(100, 3, "--seed", 1))
        self.assertEqual(self.bench("--objects", 100)["params"]["degree"], 3)
        self.assertEqual(self.bench("--objects", 100)["seed"], 1)

    def test_the_first_numbers_of_a_seed_are_for_ever(self):
        # SplitMix64 from 1: what other programs and older results rely on.
        def splitmix(state):
            while True:
                state = (state + 0x9E3779B97F4A7C15) % 2**64
                z = state
                z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) % 2**64
                z = ((z ^ z >> 27) * 0x94D049BB133111EB) % 2**64
                yield z ^ z >> 31
        for seed in (1, 0, 2**64 - 1):
            numbers = splitmix(seed)
            self.assertEqual(self.edges(1000, 3, "--seed", seed)[0],
                             [(next(numbers) >> 32) * 1000 >> 32 for _ in range(3000)])


if __name__ == "__main__":
    unittest.main()
