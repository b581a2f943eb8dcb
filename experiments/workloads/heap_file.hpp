// The heap of a Python program as a file: experiments/capture/FORMAT.md in C++.
//
//     HeapFile heap = read_heap_file("ast_stdlib.heap");
//     for (uint32_t i = 0; i < heap.object_count(); ++i)
//         if (heap.kinds[i] == HeapKind::kDict)
//             for (uint32_t target : heap.references_of(i)) ...   // key, value, key, value
//
// What read_heap_file returns has passed every check of the format: an index is below its table's
// size, a dict has pairs, a leaf has no references and is not tracked, and all can be reached from
// the roots. Nothing more has to be checked, and nothing is known of the runtime here.
//
// Cost: 18 bytes of memory an object and 4 a reference, as in the file; 950,000 objects with 4
// million references (33 MB) are read in 0.12-0.15 s.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ouro::workloads {

// What an object is to whoever rebuilds it. list, dict, tuple, set and frozenset are these types
// exactly; an object of a subclass is an instance.
enum class HeapKind : uint8_t {
    kLeaf,       // no container: it has no references and is never tracked
    kList,       // references: the items in order
    kDict,       // references: key, value, key, value, in the dict's order
    kTuple,      // references: the items in order
    kSet,        // references: the elements
    kFrozenset,  // references: the elements
    kInstance,   // any other container; references: what its tp_traverse visits
};
inline constexpr size_t kHeapKinds = 7;
inline constexpr std::array<std::string_view, kHeapKinds> kHeapKindNames = {
    "leaf", "list", "dict", "tuple", "set", "frozenset", "instance"};

// Where the heap comes from, and how long its own interpreter took to collect it.
struct HeapMetadata {
    std::string python_version;         // "3.11.2"
    std::string python_implementation;  // "CPython"
    bool free_threaded = false;
    std::string program;  // a path, or "-m MODULE"
    std::vector<std::string> arguments;
    uint64_t first_collect_ns = 0;             // the first gc.collect() after the program's end
    std::vector<uint64_t> collect_samples_ns;  // at least one: the collections after it
    uint64_t median_collect_ns = 0;            // of the samples
    uint64_t tracked_objects = 0;              // equals the objects with kTracked
    std::string json;                          // the whole section, for what has no field here
};

// Not a heap file, or a damaged one: "FILE: offset N: found ..., expected ...".
class HeapFileError : public std::runtime_error {
public:
    HeapFileError(const std::string& file, uint64_t offset, const std::string& what);
    uint64_t offset() const { return offset_; }

private:
    uint64_t offset_;  // bytes from the file's start
};

// A structure of arrays. Objects are numbered in the order of their addresses in the captured
// process; kinds[i], flags[i], type_of[i], sizes[i] and external[i] are those of object i.
struct HeapFile {
    static constexpr uint8_t kTracked = 1;   // the interpreter's collector examined it
    static constexpr uint8_t kImmortal = 2;  // no count says who refers to it: it lives for ever
    static constexpr uint8_t kDeferred = 4;  // stacks may refer to it without a count
    static constexpr uint8_t kKnownFlags = kTracked | kImmortal | kDeferred;

    HeapMetadata metadata;
    std::vector<std::string> types;  // names, printable ASCII: "dict", "ast.Name", "__main__.Node"
    std::vector<HeapKind> kinds;
    std::vector<uint8_t> flags;
    std::vector<uint32_t> type_of;   // index into types
    std::vector<uint32_t> sizes;     // bytes, sys.getsizeof: with the interpreter's own GC head
    std::vector<uint32_t> external;  // references to it that no object of the file holds
    std::vector<uint32_t> first_reference;  // object_count() + 1 positions in references
    std::vector<uint32_t> references;       // object numbers

    uint32_t object_count() const { return static_cast<uint32_t>(kinds.size()); }
    std::span<const uint32_t> references_of(uint32_t object) const {
        return {references.data() + first_reference[object],
                references.data() + first_reference[object + 1]};
    }
    bool is_container(uint32_t object) const { return kinds[object] != HeapKind::kLeaf; }
    bool is_tracked(uint32_t object) const { return (flags[object] & kTracked) != 0; }
    // What the containers cost the interpreter: their sizes, each rounded up to 16, as its allocator
    // does; without what sys.getsizeof does not see (FORMAT.md).
    uint64_t container_bytes() const;
    // Is it kept alive by something that is no object of the file? Then external[object] says by
    // how many references, unless it is 0: what keeps an immortal or deferred object alive is not
    // counted. Every object can be reached from the roots.
    bool is_root(uint32_t object) const {
        return external[object] != 0 || (flags[object] & (kImmortal | kDeferred)) != 0;
    }
};

// Throws HeapFileError if the file cannot be read or is not a whole, undamaged heap file; never
// allocates more than the file's own size allows for (a small multiple of that size).
HeapFile read_heap_file(const std::string& path);
// What the file and the objects in it take in memory at least, by their sizes; reads no more than these. Throws
// HeapFileError.
uint64_t heap_file_bytes(const std::string& path);
// So too from a stream at the beginning of `size` bytes; `name` is what messages call it.
HeapFile read_heap_file(std::istream& stream, uint64_t size, const std::string& name);

}  // namespace ouro::workloads
