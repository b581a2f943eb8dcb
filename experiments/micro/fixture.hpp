// The runtime, started once for all benchmarks.
#pragma once

#include <benchmark/benchmark.h>

#include "ouroboros.h"

namespace ouro::micro {

// An object with one reference of the caller's and one that keeps it alive throughout.
inline PyObject* runtime_list(Py_ssize_t size) {
    Py_Initialize();
    return PyList_New(size);
}

}  // namespace ouro::micro
