// Reads any bytes as a heap file: each is refused by a message that names file and offset, or is a
// heap that keeps the promises of heap_file.hpp. Small heaps are rebuilt and collected too.
//
// An input that begins with OUROHEAP is a file; it is read as it is, and again with its lengths and
// CRCs put right, which no mutation gets right by itself. Any other input is the contents of the nine
// sections, framed here: for each but the last a u16 length and as many bytes; the last has the rest.
// An empty first section stands for sound metadata, whose number of tracked objects is counted.

#include <algorithm>
#include <boost/crc.hpp>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "experiments/workloads/heap_graph.hpp"
#include "tests/fuzz/checks.hpp"

namespace ouro {
namespace {

using fuzz::expect;
using test::tracked_objects;
using workloads::HeapFile;
using workloads::HeapKind;

constexpr std::string_view kMagic = "OUROHEAP";
constexpr size_t kHeaderBytes = 28;
constexpr size_t kSectionHeadBytes = 16;
constexpr uint32_t kSections = 9;
constexpr size_t kFlagsSection = 3;

template <class Number>
void put(std::string& bytes, size_t at, Number number) {
    std::memcpy(&bytes[at], &number, sizeof number);
}

template <class Number>
Number get(std::string_view bytes, size_t at) {
    Number number;
    std::memcpy(&number, &bytes[at], sizeof number);
    return number;
}

uint32_t crc_of(std::string_view first, std::string_view second = {}) {
    boost::crc_32_type crc;
    crc.process_bytes(first.data(), first.size());
    crc.process_bytes(second.data(), second.size());
    return crc.checksum();
}

// The header's length and CRC and each section's CRC made to fit; a section that is longer than the
// file ends with it.
std::string repaired(std::string file) {
    if (file.size() < kHeaderBytes) {
        return file;
    }
    put<uint64_t>(file, 16, file.size());
    put(file, 24, crc_of(std::string_view(file).substr(0, 24)));
    for (size_t at = kHeaderBytes; at + kSectionHeadBytes <= file.size();) {
        const size_t left = file.size() - at - kSectionHeadBytes;
        const auto length = std::min<uint64_t>(get<uint64_t>(file, at + 4), left);
        put<uint64_t>(file, at + 4, length);
        const std::string_view view = file;
        put(file, at + 12,
            crc_of(view.substr(at, 12), view.substr(at + kSectionHeadBytes, length)));
        at += kSectionHeadBytes + length;
    }
    return file;
}

std::string sound_metadata(std::string_view flags) {
    const auto tracked =
        std::ranges::count_if(flags, [](char flag) { return (flag & HeapFile::kTracked) != 0; });
    return R"({"python": {"version": "3.11.2", "implementation": "CPython", "free_threaded": false},
        "program": {"path": "p.py", "module": null, "args": []},
        "collect": {"first_ns": 1, "samples_ns": [1], "median_ns": 1}, "tracked_objects": )" +
           std::to_string(tracked) + "}";
}

std::string framed(std::string_view input) {
    std::string contents[kSections];
    for (std::string& content : contents) {
        const bool last = &content == &contents[kSections - 1];
        size_t length = input.size();
        if (!last) {
            length = input.size() < 2 ? 0 : get<uint16_t>(input, 0);
            input.remove_prefix(std::min<size_t>(input.size(), 2));
        }
        content = input.substr(0, length);
        input.remove_prefix(std::min(input.size(), length));
    }
    if (contents[0].empty()) {
        contents[0] = sound_metadata(contents[kFlagsSection]);
    }
    std::string file(kHeaderBytes, '\0');
    file.replace(0, kMagic.size(), kMagic);
    put<uint32_t>(file, 8, 1);
    put<uint32_t>(file, 12, kSections);
    for (uint32_t number = 0; number < kSections; ++number) {
        std::string head(kSectionHeadBytes, '\0');
        put<uint32_t>(head, 0, number + 1);
        put<uint64_t>(head, 4, contents[number].size());
        file += head + contents[number];
    }
    return repaired(file);
}

// What heap_file.hpp promises of every heap that is returned.
void check(const HeapFile& heap) {
    const uint32_t objects = heap.object_count();
    expect(heap.flags.size() == objects && heap.type_of.size() == objects &&
               heap.sizes.size() == objects && heap.external.size() == objects &&
               heap.first_reference.size() == size_t{objects} + 1,
           "arrays of different lengths");
    expect(heap.first_reference.front() == 0 &&
               heap.first_reference.back() == heap.references.size() &&
               std::ranges::is_sorted(heap.first_reference),
           "references that do not add up");
    expect(std::ranges::all_of(heap.references, [&](uint32_t i) { return i < objects; }),
           "a reference to nothing");
    expect(std::ranges::all_of(heap.type_of, [&](uint32_t i) { return i < heap.types.size(); }),
           "a type that is none");
    for (uint32_t i = 0; i < objects; ++i) {
        const size_t degree = heap.references_of(i).size();
        expect(heap.kinds[i] <= HeapKind::kInstance, "an unknown kind");
        expect(heap.is_container(i) || (degree == 0 && !heap.is_tracked(i)), "a leaf that holds");
        expect(heap.kinds[i] != HeapKind::kDict || degree % 2 == 0, "half a pair");
    }
    expect(heap.metadata.tracked_objects ==
               static_cast<size_t>(std::ranges::count_if(
                   heap.flags, [](uint8_t flag) { return (flag & HeapFile::kTracked) != 0; })),
           "another number of tracked objects");
}

// Of a heap that was built and dropped nothing is left, and of one that could not be built.
void rebuild(HeapFile heap) {
    fuzz::begin();
    std::ranges::fill(heap.types, "fuzz.Thing");  // types are never freed: few of them, then
    for (uint32_t& size : heap.sizes) {
        size %= 4096;
    }
    const size_t before = tracked_objects();
    try {
        const workloads::RebuiltHeap rebuilt =
            workloads::rebuild_heap(heap, {true, heap.sizes.size()});
        expect(rebuilt.heap.references == heap.references.size(), "references were dropped");
        expect(tracked_objects() == before + heap.metadata.tracked_objects + 1, "tracked objects");
        PyGC_Collect();
        expect(tracked_objects() == before + heap.metadata.tracked_objects + 1, "alive objects");
        Py_DECREF(rebuilt.heap.root);
    } catch (const std::runtime_error& error) {
        expect(std::string_view(error.what()).starts_with("object "), error.what());
    }
    PyGC_Collect();
    expect(tracked_objects() == before, "something is left");
}

void read(const std::string& bytes) {
    HeapFile heap;
    std::istringstream stream(bytes);
    try {
        heap = workloads::read_heap_file(stream, bytes.size(), "x.heap");
    } catch (const workloads::HeapFileError& error) {
        const std::string_view message = error.what();
        expect(
            message.starts_with("x.heap: offset " + std::to_string(error.offset()) + ": found ") &&
                message.find(", expected ") != message.npos,
            "a message that does not say where and what");
        expect(error.offset() <= bytes.size(), "an offset beyond the end");
        return;
    }
    check(heap);
    const bool untracked_garbage = std::ranges::any_of(heap.kinds, [&](const HeapKind& kind) {
        const auto i = static_cast<uint32_t>(&kind - heap.kinds.data());
        return heap.is_container(i) && !heap.is_tracked(i);
    });
    if (heap.object_count() < 2000 && heap.references.size() < 20000 && !untracked_garbage) {
        rebuild(std::move(heap));
    }
}

}  // namespace
}  // namespace ouro

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string input(reinterpret_cast<const char*>(data), size);
    if (input.starts_with(ouro::kMagic)) {
        ouro::read(input);
        ouro::read(ouro::repaired(input));
    } else {
        ouro::read(ouro::framed(input));
    }
    return 0;
}
