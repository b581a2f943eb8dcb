// The state of an interpreter's collector, found without a header of CPython's internals and believed only when
// everything that the `gc` module tells of it has been found where it is expected.
#pragma once

#include <Python.h>

#include <array>
#include <string>

#include "core/bridge/gc_list.hpp"

namespace ouro::bridge {

inline constexpr int kGenerations = 3;

// As CPython 3.11 to 3.13, 3.14 from 3.14.5 on, and 3.15 lay it out in builds with a lock.
struct GcState {
    static constexpr int kYoung = 0;
    static constexpr int kMiddle = 1;
    static constexpr int kOld = 2;

    struct Generation {
        GcHead head;
        int threshold;
        int count;  // young: allocations less deallocations; else collections of the one below
    };
#if PY_VERSION_HEX < 0x030F0000
    struct Statistics {
        Py_ssize_t collections, collected, uncollectable;
    };
#else
    struct Statistics {
        PyTime_t start, stop;
        Py_ssize_t collections, collected, uncollectable, candidates;
        double duration;
        Py_ssize_t heap_size;
    };
    // What was so after each of the last collections.
    template <size_t kCount>
    struct Last {
        std::array<Statistics, kCount> of;
        int8_t newest;
    };
    struct History {
        Last<11> young;
        std::array<Last<3>, 2> others;
    };
#endif

    std::array<Generation, kGenerations> generations;
#if PY_VERSION_HEX < 0x030E0000
    GcHead* generation0;
#endif
    Generation permanent;  // what gc.freeze took out
#if PY_VERSION_HEX < 0x030F0000
    std::array<Statistics, kGenerations> of_generation;
    int collecting;
#else
    History* history;
    int collecting;
    void* frame;  // that runs while a collection is made
#endif
    PyObject* garbage;
    PyObject* callbacks;
#if PY_VERSION_HEX >= 0x030E0000
    Py_ssize_t heap_size;
#endif
#if PY_VERSION_HEX >= 0x030E0000 && PY_VERSION_HEX < 0x030F0000
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

    // Since the interpreter began.
#if PY_VERSION_HEX < 0x030F0000
    Statistics& statistics(int generation) {
        return of_generation[static_cast<size_t>(generation)];
    }
#else
    Statistics& statistics(int generation) {
        if (generation == kYoung) {
            return history->young.of[static_cast<size_t>(history->young.newest)];
        }
        auto& last = history->others[static_cast<size_t>(generation - 1)];
        return last.of[static_cast<size_t>(last.newest)];
    }
#endif
};

// That of the calling interpreter; nullptr, and `why` says in a sentence what is in the way. Allocates objects.
// Never leaves an exception.
GcState* find_gc_state(std::string& why);

}  // namespace ouro::bridge
