// The runtime, started once for all benchmarks.
#pragma once

#include <benchmark/benchmark.h>

#include <string>

#include "ouroboros.h"

namespace ouro::micro {

// An object with one reference of the caller's and one that keeps it alive throughout.
inline PyObject* runtime_list(Py_ssize_t size) {
    Py_Initialize();
    return PyList_New(size);
}

// The runtime with other counts, as long as one lives.
class Counts {
public:
    Counts(benchmark::State& state, const char* refcount) {
        Py_FinalizeEx();
        is_there_ = Ouro_Configure((std::string("refcount=") + refcount).c_str(), nullptr) == 0;
        Py_Initialize();
        if (!is_there_) {
            state.SkipWithError("this build has no such counts");
        }
    }
    ~Counts() {
        Py_FinalizeEx();
        Ouro_Configure("refcount=gil", nullptr);
        Py_Initialize();
    }
    Counts(const Counts&) = delete;
    Counts& operator=(const Counts&) = delete;
    explicit operator bool() const { return is_there_; }

private:
    bool is_there_;
};

}  // namespace ouro::micro
