# not with a sanitizer: runs what other tests do
import json
import os
import shutil
import subprocess
import unittest

import support
from support import ExperimentTest, OURO

BUILD = support.ROOT / "experiments" / "peers" / "build"
# Prints the row of a workload that did nothing, with its arguments and what its environment says; or not.
RUN = '''#!/usr/bin/python3
import json, os, sys
if "--crash" in sys.argv:
    os.abort()
if "--rubbish" in sys.argv:
    print("hello")
    sys.exit()
given = dict(zip(sys.argv, sys.argv[1:]))
some = dict.fromkeys(("p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns"), 5)
row = dict.fromkeys("""refcount collected live_collect_ns live_first_collect_ns garbage_collect_ns pauses backlog_max
    rss_before_bytes rss_after_bytes rss_peak_bytes heap_bytes wall_ns cpu_ns collector_cpu_ns""".split())
row.update(workload="slices", params={"arguments": sys.argv[1:], "word": os.environ.get("FAKE_WORD")},
           engine="fake-1.2", seed=int(given["--seed"]), live_objects=int(given["--live"]),
           live_collect_samples_ns=[], mutator_ops=500, version="fake 1.2",
           slices={"operations": 250, "warmup": 1, "wall": some}, slice_samples_ns=[5, 5, 5],
           own_pauses={"source": "nothing", "count": 0, "total_ns": 0, "wall": dict.fromkeys(some)},
           heap_limit_bytes=None)
if "--lacks" in sys.argv:
    del row["slices"]["warmup"]
print(json.dumps(row))
'''
MAKE = '''#!/usr/bin/env bash
set -e
echo x >>"$1.times"
install -m 755 "${BASH_SOURCE[0]%/*}/program" "$1/run"
echo "talk of a compiler"
echo "fake 1.2"
'''
PEER = 'title = "Fake"\npackages = []\n[variants]\n'
SLICES = '''
noise-floor = false
[[workload]]
name = "slices"
live = 400
slices = 3
warmup = 1
'''


class PeerTest(ExperimentTest):
    """A command as if it lay in a build directory, with a tree of its own for what it looks for."""

    def setUp(self):
        super().setUp()
        self.ouro = self.directory / "build" / "bin" / "ouro"
        self.ouro.parent.mkdir(parents=True)
        shutil.copy(OURO, self.ouro)
        share = self.directory / "build" / "share" / "ouroboros"
        self.peers, self.out = share / "peers", self.directory / "build" / "peers"
        self.peers.mkdir(parents=True)
        (share / "schema").symlink_to(support.ROOT / "experiments" / "schema")

    def peer(self, name="fake", toml=PEER + 'fake-plain = []\n', build=MAKE):
        folder = self.peers / name
        folder.mkdir(exist_ok=True)
        (folder / "peer.toml").write_text(toml)
        (folder / "program").write_text(RUN)
        (folder / "build").write_text(build)
        (folder / "build").chmod(0o755)
        return folder

    def build(self, *names, status=0, **environment):
        done = subprocess.run([BUILD, "--from", self.peers, "--to", self.out, *names], capture_output=True,
                              text=True, check=False, timeout=120, env=os.environ | environment)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def start(self, text, *arguments):
        return subprocess.run([self.ouro, "run", self.config(text), "-o", self.results, *map(str, arguments)],
                              capture_output=True, text=True, check=False, timeout=120, env=support.environment())


class Subjects(PeerTest):
    def test_its_variants_run_with_their_arguments_and_environment(self):
        self.peer(toml=PEER + 'fake-plain = []\nfake-more = ["--mode", "more"]\n'
                              '[environment]\nfake-more = {FAKE_WORD = "a word"}\n')
        self.build()
        done = self.start(SLICES + 'heap-factor = 2.5\nshuffled = [false, true]\n[[subject]]\npeer = "fake"\n'
                                   '[[subject]]\nengine = "stw"\n')
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        rows = {(row["subject"], row["shuffled"]): row for row in self.rows()}
        self.assertEqual({name for name, _ in rows}, {"fake-plain", "fake-more", "ouro-stw"})
        plain, more, ours = (rows[name, True] for name in ("fake-plain", "fake-more", "ouro-stw"))
        flags = ["--live", "400", "--slices", "3", "--warmup", "1", "--slice", "250", "--shuffled",
                 "--heap-factor", "2.5", "--seed", "1"]
        self.assertEqual(plain["result"]["params"], {"arguments": flags, "word": None})
        self.assertEqual(more["result"]["params"], {"arguments": ["--mode", "more", *flags], "word": "a word"})
        self.assertIn("FAKE_WORD=a word", more["command"].replace("'", ""))
        self.assertNotIn("--shuffled", rows["fake-plain", False]["result"]["params"]["arguments"])
        self.assertEqual((plain["kind"], ours["kind"], plain["objects"]), ("peer", "ouro", 400))
        self.assertNotIn("--heap-factor", ours["command"])
        subjects = {each["name"]: each for each in self.meta()["subjects"]}
        self.assertEqual(subjects["fake-more"]["version"], "fake 1.2")
        self.assertEqual(subjects["fake-more"]["arguments"], ["--mode", "more"])
        self.assertEqual(subjects["fake-more"]["environment"], {"FAKE_WORD": "a word"})
        self.assertEqual(self.meta()["skipped"], [])

    def test_it_is_asked_for_by_name_by_variant_or_as_all_there_are(self):
        self.peer(toml=PEER + 'fake-a = []\nfake-b = []\n')
        self.peer("other", PEER + 'other = []\n')
        self.build()
        for asked, names in (('"fake"', "fake-a, fake-b"), ('"fake/fake-b"', "fake-b"),
                             ('"auto"', "fake-a, fake-b, other"), ('["other", "fake/fake-a"]', "other, fake-a"),
                             ('["other", "auto"]', "other, fake-a, fake-b")):
            done = self.start(SLICES + f"[[subject]]\npeer = {asked}\n", "--dry-run")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f" runs of {names}; about", done.stdout)

    def test_it_runs_nothing_but_what_peers_have(self):
        self.peer()
        self.build()
        done = self.start(SLICES + '[[workload]]\nname = "graph"\n[[subject]]\npeer = "fake"\n'
                                   '[[subject]]\nengine = "stw"\n', "--dry-run")
        self.assertEqual((done.returncode, sum(": " in line for line in done.stdout.splitlines()[1:])), (0, 3))
        self.assertEqual(done.stdout.count("fake-plain  slices"), 1)
        self.assertNotIn("fake-plain  graph", done.stdout)

    def test_one_that_is_not_built_is_skipped_with_the_reason(self):
        self.peer(toml=PEER + 'fake-a = []\nfake-b = []\n')
        self.peer("lacking", PEER + "lacking = []\n", '#!/bin/sh\necho "lacking: no x: install libx" >&2\nexit 69\n')
        self.build("lacking")
        text = SLICES + '[[subject]]\npeer = "auto"\n[[subject]]\nengine = "stw"\n'
        reasons = {"fake-a": "not built; experiments/peers/build fake does",
                   "fake-b": "not built; experiments/peers/build fake does", "lacking": "no x: install libx"}
        plan = self.start(text, "--dry-run")
        done = self.start(text)
        for each in (plan, done):
            self.assertEqual((each.returncode, each.stderr), (0, ""), each.stdout)
            for name, reason in reasons.items():
                self.assertIn(f"skipped: {name}: {reason}\n", each.stdout)
        self.assertEqual([row["subject"] for row in self.rows()], ["ouro-stw"])
        meta = self.meta()
        self.assertEqual({each["name"]: each["reason"] for each in meta["skipped"]}, reasons)
        self.assertEqual([each["name"] for each in meta["subjects"]], ["ouro-stw"])
        self.assertTrue(meta["complete"])

    def test_whatever_it_does_is_a_row(self):
        self.peer(toml=PEER + "".join(f'fake-{name} = ["--{name}"]\n'
                                      for name in ("crash", "rubbish", "lacks", "ok")))
        self.build()
        done = self.start(SLICES + '[[subject]]\npeer = "fake"\n')
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        rows = {row["subject"]: row for row in self.rows()}
        for name, status, reason in (("crash", "failed", "SIGABRT"), ("rubbish", "failed", "not JSON"),
                                     ("lacks", "failed", "slices lacks warmup"), ("ok", "ok", "")):
            self.assertEqual(rows[f"fake-{name}"]["status"], status)
            self.assertIn(reason, rows[f"fake-{name}"]["reason"])

    def test_a_rebuilt_one_is_not_resumed(self):
        self.peer()
        self.build()
        text = SLICES + '[[subject]]\npeer = "fake"\n'
        self.assertEqual(self.start(text).returncode, 0)
        self.assertEqual(self.start(text, "--resume").returncode, 0)
        (self.out / "fake" / "run").write_text(RUN + "# changed\n")
        done = self.start(text, "--resume")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot be resumed", done.stderr)


class Mistakes(PeerTest):
    def refused(self, text):
        done = self.start(text)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertFalse(self.results.exists())
        return done.stderr

    def test_each_is_placed_with_what_is_allowed(self):
        self.peer(toml=PEER + "fake-a = []\nfake-b = []\n")
        self.build()
        subject = SLICES + "[[subject]]\npeer = "
        for text, place, parts in (
                (subject + '"fak"', "9:8", ("found 'fak'", "allowed: auto, fake", "did you mean 'fake'?")),
                (subject + '"fake/fake-c"', "9:8", ("'fake/fake-c'", "fake/fake-a, fake/fake-b")),
                (subject + '"fake/"', "9:8", ("'fake/'", "fake/fake-a")),
                (subject + '["fake", 5]', "9:17", ("peer: found 5", "quotation marks")),
                (subject + "[]", "9:8", ("empty list",)),
                (subject + '"fake"\nengine = "stw"', "10:1", ("unknown key 'engine'", "allowed: pin, workloads, python, peer")),
                (SLICES + 'heap-factor = "x"\n[[subject]]\npeer = "fake"', "8:15",
                 ('heap-factor: found "x"', "a number from 1 to 100")),
                (SLICES + 'heap-factor = 0.5\n[[subject]]\npeer = "fake"', "8:15", ("found 0.5", "from 1 to 100")),
                (SLICES + 'heap-factor = 1\n[[subject]]\npeer = "fake"', "3:1", ("found 1.0", "more than 1")),
                (SLICES.replace("warmup = 1", "warmup = 3") + '[[subject]]\npeer = "fake"', "3:1",
                 ("warmup: found 3", "less than slices, 3")),
                ('[[workload]]\nname = "graph"\n[[subject]]\npeer = "fake"', "1:1",
                 ("no [[workload]] that peers run", "allowed: slices"))):
            with self.subTest(text=text):
                message = self.refused(text)
                self.assertIn(f"experiment.toml:{place}: ", message)
                for part in parts:
                    self.assertIn(part, message)

    def test_those_of_its_own_file_are_placed_there(self):
        for toml, place, parts in (
                ('title = "x"\n', "1:1", ("[variants]", "VARIANT = [arguments]")),
                ("titel = 1\n" + PEER + "fake = []", "1:1", ("unknown key 'titel'", "did you mean 'title'?")),
                (PEER + "fake-a = 5", "4:10", ("fake-a", "a list of arguments")),
                (PEER + "fake-a = ['x', 5]", "4:16", ("fake-a: found 5", "quotation marks")),
                (PEER + "fale-a = []", "4:1", ("found 'fale-a'", "fake-WORD")),
                (PEER + "fake-a = []\n[environment]\nfake-b = {A = '1'}", "6:1", ("found 'fake-b'", "VARIANT")),
                (PEER + "fake-a = []\n[environment]\nfake-a = {A = 1}", "6:15", ("A: found 1", "quotation marks")),
                ("variants = 5\n" + PEER.replace("[variants]", "[x]"), "1:1", ("variants", "a table")),
                ("title = ", "1:9", ("expected value",))):
            with self.subTest(toml=toml):
                self.peer(toml=toml)
                message = self.refused(SLICES + '[[subject]]\npeer = "auto"')
                self.assertIn(f"fake/peer.toml:{place}: ", message)
                for part in parts:
                    self.assertIn(part, message)

    def test_an_experiment_of_which_nothing_can_run_is_refused(self):
        self.peer()
        message = self.refused(SLICES + '[[subject]]\npeer = "fake"')
        self.assertIn("no [[subject]] that can run: fake-plain: not built", message)


class Building(PeerTest):
    def times(self, name="fake"):
        return len((self.out / f"{name}.times").read_text().split())

    def test_it_is_built_once_until_its_sources_change(self):
        folder = self.peer()
        self.assertEqual(self.build().stdout, "fake: built fake 1.2\n")
        self.assertEqual((self.out / "fake" / "version").read_text(), "fake 1.2\n")
        self.assertEqual(self.build().stdout, "fake: built fake 1.2\n")
        self.assertEqual(self.times(), 1)
        (folder / "program").write_text(RUN + "# another\n")
        self.build()
        self.assertEqual(self.times(), 2)
        (self.peers / "shared.py").write_text("what all of them have\n")
        self.build()
        self.assertEqual(self.times(), 3)

    def test_one_that_lacks_something_or_fails_leaves_nothing_to_run(self):
        self.peer()
        self.build()
        for script, status, said, reason in (
                ('echo "fake: no y: install liby" >&2; exit 69', 0, "fake: skipped: no y: install liby\n",
                 "no y: install liby"),
                ("exit 69", 0, "fake: skipped: something is missing\n", "something is missing"),
                ("echo oh >&2; exit 3", 1, f"fake: failed with status 3: {self.out}/fake.errors\n",
                 f"its build failed, see {self.out}/fake.errors"),
                ("echo fake 1.2", 1, f"fake: failed with status 1: {self.out}/fake.errors\n", "its build failed"),
                ('echo >"$1/run"; chmod +x "$1/run"', 1, "fake: failed with status 1", "its build failed")):
            with self.subTest(script=script):
                self.peer(build=f"#!/bin/bash\n{script}\n")
                done = self.build(status=status)
                self.assertTrue(done.stdout.startswith(said), done.stdout)
                self.assertFalse((self.out / "fake" / "run").exists())
                self.assertIn(reason, (self.out / "fake" / "skipped").read_text())
                self.peer()
                self.assertEqual(self.build().stdout, "fake: built fake 1.2\n")
                self.assertFalse((self.out / "fake" / "skipped").exists())

    def test_one_failure_does_not_keep_the_others_from_being_built(self):
        self.peer("bad", PEER + "bad = []\n", "#!/bin/sh\nexit 1\n")
        self.peer()
        self.assertIn("fake: built fake 1.2\n", self.build(status=1).stdout)

    def test_packages_are_installed_for_those_that_lack_some(self):
        tools = self.directory / "tools"
        tools.mkdir()
        for name, script in (("apt-get", f'echo "${{@:$#}}" >>{self.directory}/asked'), ("sudo", 'exec "$@"')):
            (tools / name).write_text(f"#!/bin/bash\n{script}\n")
            (tools / name).chmod(0o755)
        self.peer("none")
        self.peer("some", PEER.replace("[]", '["bash", "no-such-package"]') + "some = []\n")
        done = self.build("--install", PATH=f"{tools}:{os.environ['PATH']}")
        self.assertEqual(done.stdout, "none: built fake 1.2\nsome: built fake 1.2\n")
        self.assertEqual(done.stderr, "== installing for some: no-such-package\n")
        self.assertEqual((self.directory / "asked").read_text(), "update\nno-such-package\n")

    def test_a_name_that_is_none_is_refused(self):
        self.peer()
        for arguments, message in ((("fak",), "no peer 'fak'; allowed: fake"), (("--what",), "--what"),
                                   (("--to",), "--to needs a value")):
            done = self.build(*arguments, status=2)
            self.assertEqual(done.stdout, "")
            self.assertIn(message, done.stderr)


class OurPeers(unittest.TestCase):
    @unittest.skipUnless(os.access(OURO, os.X_OK), "the ouro command is not built")
    def test_their_files_can_be_read(self):
        done = subprocess.run([OURO, "run", support.CONFIGS / "peers.toml", "--dry-run"], capture_output=True,
                              text=True, check=False, env=support.environment())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for folder in (support.ROOT / "experiments" / "peers").glob("*/peer.toml"):
            self.assertRegex(done.stdout, rf"(runs of .*|\nskipped: ){folder.parent.name}")


if __name__ == "__main__":
    unittest.main()
