// A captured heap, rebuilt as objects of this runtime.
#pragma once

#include <string>

#include "experiments/workloads/graph.hpp"

namespace ouro::workloads {

struct RebuiltHeap {
    BuiltHeap heap;
    std::string metadata;  // of the capture, JSON
};

// Reads a file that experiments/capture/heapgraph.py wrote and makes each object anew, in the
// capture's address order: a list as a list, a dict as a dict, a tuple as a tuple, another container
// as an instance with as many slots, a leaf as an object of its size without references. Containers
// that the interpreter had untracked are untracked. The root holds one reference to each object that
// was referenced from outside.
// Throws HeapFileError, naming file and offset, if the file cannot be used; std::runtime_error if
// what was built differs from it in number of objects, references or counts; std::bad_alloc when
// memory is out.
RebuiltHeap rebuild_heap(const std::string& path);

}  // namespace ouro::workloads
