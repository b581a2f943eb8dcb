// Who is told of changes of dicts. Source: "Dictionary Objects" in the C API documentation.
//
// Which dicts are watched stands in a table beside them: a dict is no larger for it, and where none is watched a change
// costs a load and a branch.
//
// Each function is called before the change, without the dict's lock, and does nothing to a dict that is not watched.
// Where several threads change a dict at once, what is told may be what another has done meanwhile.
#pragma once

#include <atomic>

#include "core/builtins/container/dict.hpp"

namespace ouro::container {

// How many are watched.
extern constinit std::atomic<size_t> watched_dicts;

inline bool are_dicts_watched() {
    return watched_dicts.load(std::memory_order_relaxed) != 0;
}

// Of a value for a key with that hash; of one that is there already only with `replace`.
void tell_of_store(PyObject* dict, PyObject* key, Py_hash_t hash, PyObject* value, bool replace);
// Of a removal, if the key is there; of that of the first or the last item; of all.
void tell_of_removal(PyObject* dict, PyObject* key, Py_hash_t hash);
void tell_of_pop(PyObject* dict, End end);
void tell_of_clear(PyObject* dict);
// Of all items of another at once, by which the dict, which was empty, becomes its copy. False if it is not told so, and
// each item must be.
bool tell_of_clone(PyObject* dict, PyObject* other);
// Of its end, whose count is zero. False if somebody took a reference to it: it lives on, and is watched still.
bool tell_of_end(PyObject* dict);

// At the end of the runtime.
void forget_dict_watchers();

}  // namespace ouro::container
