// The state of an interpreter's collector, found without a header of CPython's internals and believed only when
// everything that the `gc` module tells of it has been found where it is expected.
#pragma once

#include <Python.h>

#include <array>
#include <string>

#include "core/bridge/gc_list.hpp"

namespace ouro::bridge {

inline constexpr int kGenerations = 3;

// As CPython 3.11 to 3.13, and 3.14 from 3.14.5 on, lay it out in builds with a lock.
struct GcState {
    static constexpr int kYoung = 0;
    static constexpr int kMiddle = 1;
    static constexpr int kOld = 2;

    struct Generation {
        GcHead head;
        int threshold;
        int count;  // young: allocations less deallocations; else collections of the one below
    };
    struct Statistics {
        Py_ssize_t collections, collected, uncollectable;
    };

    std::array<Generation, kGenerations> generations;
#if PY_VERSION_HEX < 0x030E0000
    GcHead* generation0;
#endif
    Generation permanent;  // what gc.freeze took out
    std::array<Statistics, kGenerations> statistics;
    int collecting;
    PyObject* garbage;
    PyObject* callbacks;
#if PY_VERSION_HEX >= 0x030E0000
    Py_ssize_t heap_size;
    Py_ssize_t unused_1;  // where 3.14.0 to 3.14.4 have what is theirs
    int unused_2, unused_3;
#endif
    Py_ssize_t long_lived_total;    // objects that survived the last full collection
    Py_ssize_t long_lived_pending;  // that became old since
#if PY_VERSION_HEX >= 0x030E0000
    GcHead* generation0;
#endif

    GcHead* list(int generation) { return &generations[static_cast<size_t>(generation)].head; }
    Generation& young() { return generations[kYoung]; }
    Generation& middle() { return generations[kMiddle]; }
};

// That of the calling interpreter; nullptr, and `why` says in a sentence what is in the way. Allocates objects.
// Never leaves an exception.
GcState* find_gc_state(std::string& why);

}  // namespace ouro::bridge
