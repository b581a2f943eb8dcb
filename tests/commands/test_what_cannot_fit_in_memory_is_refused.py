import json
import os
import resource
import struct
import subprocess
import unittest
import zlib

from command import BINARY, HEAPGRAPH, PYTHON, CommandTest

# Each workload at its largest, and GiB that this takes at least.
LARGEST = (("graph --objects 1073741824 --degree 2000", 10_000),
           ("churn --live 1073741824", 36),
           ("young --old 1073741824 --young 1073741824", 90),
           ("gc-collect --cycles 16777216 --links 1048576", 10_000),
           ("gc-traversal --levels 100000", 35),
           ("rc-storm --objects 1073741824 --threads 1024", 10_000),
           ("gcbench --depth 24 --threads 1024", 4_000),
           ("slices --live 1073741824", 36),
           ("btree --nodes 67108864", 22),
           ("cycles --objects 1073741824 --live 1073741824", 70),
           ("lru --live 1073741824", 36),
           ("server --live 1073741824", 190),
           ("adversary --kind graph --live 1073741824", 45),
           ("cyclotron --live-objects 1073741824 --extra-bytes 1073741824", 10_000),
           ("ggauss --live 1073741824", 80),
           ("lru --live 1000 --engine off --seconds 1000000", 40_000))


def larger_sizes(heap):
    """A heap file, each of its objects as large as the format allows."""
    data = bytearray(heap)
    at = 28
    while at < len(data):
        identifier, length = struct.unpack_from("<IQ", data, at)
        if identifier == 6:
            data[at + 16:at + 16 + length] = b"\xff" * length
            crc = zlib.crc32(bytes(data[at:at + 12]) + bytes(data[at + 16:at + 16 + length]))
            struct.pack_into("<I", data, at + 12, crc)
        at += 16 + length
    return bytes(data)


class TooLarge(CommandTest):
    def setUp(self):
        super().setUp()
        self.gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30

    def test_each_workload_says_what_it_needs_and_what_there_is(self):
        refused = 0
        for arguments, gib in LARGEST:
            if gib > self.gib:
                with self.subTest(arguments=arguments):
                    self.refused("bench", *arguments.split(),
                                 names=(f"bench {arguments.split()[0]}: needs at least ", " MiB, there are ",
                                        "allowed: what fits, or --force"))
                    refused += 1
        self.assertGreater(refused, 4)

    def test_a_result_file_is_not_touched(self):
        result = self.directory / "row.json"
        result.write_text("old")
        self.refused("bench", "graph", "--objects", 10**9, "--degree", 2000, "--json", result, names=("MiB",))
        self.assertEqual(result.read_text(), "old")

    def test_a_heap_file_whose_objects_cannot_fit_is_refused(self):
        program = self.directory / "program.py"
        program.write_text("kept = [[] for _ in range(10)]\n")
        heap = self.directory / "program.heap"
        subprocess.run([PYTHON, str(HEAPGRAPH), "-o", str(heap), str(program)], check=True, timeout=120)
        self.bench("--file", heap, "--collections", 1)
        heap.write_bytes(larger_sizes(heap.read_bytes()))
        self.refused("bench", "graph", "--file", heap, names=("needs at least ", "there are ", "--force"))

    def test_what_fits_is_run_with_and_without_force(self):
        for arguments in ((), ("--force",)):
            self.bench("--objects", 10, "--collections", 1, *arguments)
        self.output_of("bench", "lru", "--live", 1000, "--seconds", 1, "--json", "-", "--force")

    @unittest.skipIf(os.environ.get("OURO_SANITIZE"), "a sanitizer takes memory of its own")
    def test_what_cannot_fit_is_begun_if_that_is_asked_for(self):
        done = subprocess.run(
            [BINARY, "bench", "graph", "--objects", str(2**30), "--degree", "2000", "--force"],
            capture_output=True, text=True, timeout=300, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (2**28, 2**28)))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "ouro: bench graph: out of memory\n")


if __name__ == "__main__":
    unittest.main()
