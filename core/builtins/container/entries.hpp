// The references of a dict or set in parts, so that the traversal of a large one can be interrupted.
#pragma once

#include <cstddef>

#include "core/include/Python.h"

namespace ouro::container {

// Positions in op's table: those of deleted entries count, too. Both may be called concurrently with a mutator, by a
// thread that may traverse there. Between two calls the table may have been replaced, and entries moved:
// then some are visited twice or not at all. Of a container that nobody writes to all are visited once.
struct Entries {
    size_t (*count)(PyObject* op);
    // Those at [begin, end) that there are. As tp_traverse: ends when visit returns non-zero, with that.
    int (*visit)(PyObject* op, size_t begin, size_t end, visitproc visit, void* arg);
};

extern const Entries dict_entries;
extern const Entries ordered_dict_entries;
extern const Entries set_entries;

// nullptr if `handler`, an object's own, is not that of dict, OrderedDict or set.
inline const Entries* entries_of(traverseproc handler) {
    return handler == PyDict_Type.tp_traverse    ? &dict_entries
           : handler == PySet_Type.tp_traverse   ? &set_entries
           : handler == PyODict_Type.tp_traverse ? &ordered_dict_entries
                                                 : nullptr;
}

}  // namespace ouro::container
