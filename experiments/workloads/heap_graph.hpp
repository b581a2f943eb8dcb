// A captured heap, rebuilt as objects of this runtime.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "experiments/workloads/graph.hpp"
#include "experiments/workloads/heap_file.hpp"

namespace ouro::workloads {

struct RebuildParameters {
    bool shuffled =
        false;          // objects are made in random order, not in that of the captured addresses
    uint64_t seed = 1;  // of that order
};

// What was made, every figure counted on the objects that are there now.
struct RebuiltHeap {
    BuiltHeap heap;
    std::array<size_t, kHeapKinds> objects_of_kind{};  // by HeapKind
    size_t visited = 0;  // references that traversals visit: all but leaves that are keys
    size_t tracked = 0;
    std::vector<PyObject*> untracked{};  // the containers among the others, borrowed from the root
    size_t types = 0;  // of instances: one for each of the file's types and number of slots
};

// Makes each object of the file anew: a list as a list, a dict as a dict, and so tuple, set and
// frozenset; any other container (functions, frames, modules, types among them) as an instance with
// as many slots, of a type with its type's name; a leaf as an object of its size without references.
// Containers that the interpreter had untracked are untracked. The root holds one reference to each
// object that was referenced from outside.
//
// Then compares what is there with the file: each object's type, whether it is tracked, its count,
// and what its traversal visits, one by one.
// Throws std::runtime_error if anything differs (a file may say what no heap can be: a dict with one
// key twice, a frozenset that contains itself); std::bad_alloc when memory is out.
RebuiltHeap rebuild_heap(const HeapFile& file, const RebuildParameters& parameters = {});

}  // namespace ouro::workloads
