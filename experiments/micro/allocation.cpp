// Allocating and freeing, tracking and untracking.
#include <vector>

#include "experiments/micro/fixture.hpp"
#include "experiments/workloads/instance.hpp"

namespace {

void memory_pair(benchmark::State& state) {
    Py_Initialize();
    const auto bytes = static_cast<size_t>(state.range(0));
    for (auto _ : state) {
        void* p = PyMem_Malloc(bytes);
        benchmark::DoNotOptimize(p);
        PyMem_Free(p);
    }
}
BENCHMARK(memory_pair)->Name("memory/pair")->Arg(32)->Arg(512)->Arg(16384)->Arg(1 << 20);

void container_pair(benchmark::State& state) {
    Py_Initialize();
    PyTypeObject* type = ouro::workloads::instance_type(3);
    for (auto _ : state) {
        PyObject* op = ouro::workloads::new_instance(type);
        benchmark::DoNotOptimize(op);
        Py_DECREF(op);
    }
}
BENCHMARK(container_pair)->Name("container/new_and_die");

// Many at a time: memory that is not in the cache.
void container_batch(benchmark::State& state) {
    Py_Initialize();
    PyTypeObject* type = ouro::workloads::instance_type(3);
    std::vector<PyObject*> objects(static_cast<size_t>(state.range(0)));
    for (auto _ : state) {
        for (PyObject*& op : objects) {
            op = ouro::workloads::new_instance(type);
        }
        for (PyObject* op : objects) {
            Py_DECREF(op);
        }
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(container_batch)->Name("container/new_and_die_batch")->Arg(1 << 16);

void track_pair(benchmark::State& state) {
    Py_Initialize();
    PyObject* op = PyList_New(0);
    for (auto _ : state) {
        PyObject_GC_UnTrack(op);
        PyObject_GC_Track(op);
    }
    Py_DECREF(op);
}
BENCHMARK(track_pair)->Name("container/untrack_and_track");

}  // namespace
