# not with a sanitizer: hundreds of processes that run what other tests do
import struct
import unittest

from command import BINARY, CommandTest, ouro

SMALL = ("--objects", "10", "--collections", "1")


class BadArguments(CommandTest):
    def test_an_unknown_word_is_named_with_what_is_allowed_and_the_nearest(self):
        for arguments, names in (
                (("bensh",), ("'bensh'", "bench, run, search, plan, merge, edges, places, numbers, list, config",
                              "did you mean 'bench'?")),
                (("lst",), ("'lst'", "did you mean 'list'?")),
                (("bench", "grph"), ("'grph'", "allowed: adversary, ", ", graph, ", "did you mean 'graph'?")),
                (("bench", "graph", "--engin", "stw"), ("'--engin'", "--objects, --degree",
                                                       "did you mean '--engine'?")),
                (("edges", "--seeed", "1"), ("'--seeed'", "did you mean '--seed'?")),
                (("config", "--cflag"), ("'--cflag'", "--prefix", "did you mean '--cflags'?")),
                (("--versio",), ("'--versio'", "did you mean '--version'?")),
                (("bench", "graph", "--engine", "stv"), ("--engine", "'stv'", "allowed: stw, ",
                                                        "did you mean 'stw'?")),
                (("bench", "graph", "--refcount", "gill"), ("--refcount", "'gill'", "gil, biased, atomic",
                                                           "did you mean 'gil'?")),
                (("bench", "graph", "--verify", "onn"), ("--verify", "'onn'", "off, on",
                                                        "did you mean 'on'?"))):
            with self.subTest(arguments=arguments):
                self.refused(*arguments, names=names)

    def test_a_word_like_no_other_is_guessed_at_by_nobody(self):
        done = ouro("bench", "xylophones")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'xylophones'", done.stderr)
        self.assertNotIn("did you mean", done.stderr)

    def test_a_workload_is_asked_for(self):
        self.refused("bench", names=("workload", "graph"))

    def test_a_word_too_many_is_named(self):
        self.refused("bench", "graph", *SMALL, "extra", names=("'extra'",))
        self.refused("list", "extra", names=("'extra'",))
        self.refused("bench", "graph", *SMALL, "--objects", "20", names=("--objects",))

    def test_a_value_out_of_range_is_named_with_the_range(self):
        for option, value, limits in (("--objects", "0", ("1", "1073741824")),
                                      ("--objects", "-5", ("1", "1073741824")),
                                      ("--objects", "1073741825", ("1", "1073741824")),
                                      ("--objects", "4294967297", ("1", "1073741824")),
                                      ("--objects", "many", ("1", "1073741824")),
                                      ("--objects", "10.5", ("1", "1073741824")),
                                      ("--degree", "2001", ("0", "2000")),
                                      ("--degree", "-1", ("0", "2000"))):
            for command in (("bench", "graph"), ("edges",)):
                with self.subTest(command=command, option=option, value=value):
                    self.refused(*command, option, value, names=(option, value, *limits))
        for value in ("0", "1000001", "-1"):
            self.refused("bench", "graph", "--collections", value,
                         names=("--collections", value, "1000000"))

    def test_a_seed_that_64_bits_cannot_hold_is_refused_and_not_made_another(self):
        for command in (("bench", "graph", *SMALL), ("edges", "--objects", "10")):
            for seed in ("-1", "18446744073709551616", "99999999999999999999", "1.5", "one"):
                with self.subTest(command=command, seed=seed):
                    self.refused(*command, "--seed", seed, names=("--seed", seed))

    def test_churn_and_young_name_what_is_out_of_range(self):
        for command, option, value, limits in (
                (("bench", "churn"), "--replace", "101", ("0", "100")),
                (("bench", "churn"), "--cycle-size", "0", ("1", "1048576")),
                (("bench", "churn"), "--seconds", "0", ("1", "1000000")),
                (("bench", "churn"), "--objects", "0", ("1",)),
                (("places",), "--replace", "-1", ("0", "100")),
                (("places",), "--objects", "ten", ("1",)),
                (("bench", "young"), "--old", "3", ("4", "1073741824")),
                (("bench", "young"), "--young", "0", ("4", "1073741824")),
                (("bench", "young"), "--collections", "0", ("1", "1000000"))):
            with self.subTest(command=command, option=option):
                self.refused(*command, option, value, names=(option, value, *limits))
        for command in (("bench", "churn"), ("places",)):
            self.refused(*command, "--live", "7", "--cycle-size", "8",
                         names=("--live", "'7'", "--cycle-size, 8"))
        self.refused("bench", "churn", "--seconds", "1", "--objects", "10",
                     names=("--seconds", "--objects"))

    def test_a_number_is_decimal(self):
        for text in ("010", "0x10"):
            done = ouro("edges", "--objects", text, "--degree", "0", text=False)
            if done.returncode == 0:
                self.assertEqual(len(done.stdout), 4 * int(text), f"--objects {text}")
            else:
                self.refused("edges", "--objects", text, "--degree", "0", names=(f"{text}",))

    def test_a_missing_value_is_asked_for(self):
        for option in ("--objects", "--degree", "--engine", "--seed", "--json", "--events",
                       "--file"):
            with self.subTest(option=option):
                self.refused("bench", "graph", option, names=(option, "missing"))

    def test_a_bad_setting_in_the_environment_is_named(self):
        for settings, names in (("engine=stv", ("OURO", "'stv'", "allowed: stw, ", "'stw'?")),
                                ("engin=stw", ("OURO", "'engin'", "allowed: engine, ", "'engine'?")),
                                ("stw", ("OURO", "'stw'", "key=value")),
                                ("verify=on,refcount=atomci", ("OURO", "'atomci'", "'atomic'?"))):
            with self.subTest(settings=settings):
                self.refused("bench", "graph", *SMALL, names=names, settings=settings)

    def test_a_place_that_cannot_be_written_is_refused_before_the_workload_runs(self):
        events = self.directory / "events.jsonl"
        for place in (self.directory / "missing" / "row.json", self.directory):
            for other, arguments in (("--json", ("--events", events)), ("--events", ())):
                with self.subTest(option=other, place=place):
                    self.refused("bench", "graph", *SMALL, *arguments, other, place,
                                 names=(other, str(place)))
        self.assertEqual(events.stat().st_size if events.exists() else 0, 0, "the workload ran")


class BadHeapFiles(CommandTest):
    def test_a_file_that_is_none_is_named(self):
        missing = self.directory / "nothing.heap"
        self.refused("bench", "graph", "--file", missing, names=(str(missing), "No such file"))
        self.refused("bench", "graph", "--file", self.directory,
                     names=(str(self.directory), "regular file"))
        self.refused("bench", "graph", "--file", BINARY, names=(BINARY, "offset 0", "OUROHEAP"))
        empty = self.directory / "empty.heap"
        empty.touch()
        self.refused("bench", "graph", "--file", empty, names=(str(empty), "offset 0"))

    def test_a_damaged_file_is_named_with_the_offset(self):
        damaged = self.directory / "damaged.heap"
        header = b"OUROHEAP" + struct.pack("<IIQ", 7, 9, 28)
        damaged.write_bytes(header + b"\0\0\0\0")
        done = ouro("bench", "graph", "--file", damaged)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"damaged\.heap: offset (8|16|24): found .*, expected ")


if __name__ == "__main__":
    unittest.main()
