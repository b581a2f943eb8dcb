// Instances with slots: what a Python class with __slots__ makes.
#pragma once

#include <string>

#include "Python.h"

namespace ouro::workloads {

// What a type has beside its slots.
struct InstanceTraits {
    bool flagged = true;  // OURO_TPFLAGS_CONCURRENT_TRAVERSE
    bool weakly_referenced = false;
    auto operator<=>(const InstanceTraits&) const = default;
};

// A type whose instances have a number of reference slots after the header. The result lives as
// long as the process; nullptr with an exception. Calls with the same arguments give the same type.
PyTypeObject* instance_type(size_t slots, const std::string& name = "workload.Instance",
                            InstanceTraits traits = {});

// A new instance with empty slots, tracked. New reference; nullptr with MemoryError.
PyObject* new_instance(PyTypeObject* type);

inline PyObject** slots_of(PyObject* instance) {
    return reinterpret_cast<PyObject**>(instance + 1);
}

// Stores a reference, which it steals, or nullptr in a slot, and does not drop what was there. A collector
// may be reading it.
inline void fill_slot(PyObject* instance, size_t slot, PyObject* op) {
    OURO_STORE_FIELD(&slots_of(instance)[slot], op);
}

// How many instances of these types were deallocated so far, by all threads.
size_t instances_deallocated();
// For types of other workloads: one more, on the calling thread.
void note_deallocation();

}  // namespace ouro::workloads
