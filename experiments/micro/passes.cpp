// What a collection's passes cost an object: one with three references, in a heap of the size given.
#include <array>

#include "experiments/micro/fixture.hpp"
#include "experiments/workloads/graph.hpp"

namespace {

int count_visit(PyObject*, void* arg) {
    ++*static_cast<size_t*>(arg);
    return 0;
}

// A traversal with a visitor that only counts: three references an object.
void visit(benchmark::State& state) {
    Py_Initialize();
    const auto objects = static_cast<uint32_t>(state.range(0));
    const ouro::workloads::BuiltHeap heap =
        ouro::workloads::build_random_graph({objects, 3, false, 1});
    size_t visited = 0;
    for (auto _ : state) {
        for (uint32_t i = 0; i < objects; ++i) {
            PyObject* op = PyList_GET_ITEM(heap.root, i);
            Py_TYPE(op)->tp_traverse(op, count_visit, &visited);
        }
    }
    benchmark::DoNotOptimize(visited);
    state.SetItemsProcessed(state.iterations() * objects);
    Py_DECREF(heap.root);
    PyGC_Collect();
}
BENCHMARK(visit)->Name("pass/traverse_only")->Arg(100'000)->Arg(1'000'000);

struct PhaseTimes {
    std::array<int64_t, OURO_PHASE_COUNT_> ns{};
    static void listen(const OuroEvent* event, void* arg) {
        static_cast<PhaseTimes*>(arg)->ns[event->phase] += event->end_ns - event->start_ns;
    }
};

// A collection with everything alive, its passes apart, in ns an object.
void passes(benchmark::State& state) {
    Py_Initialize();
    const auto objects = static_cast<uint32_t>(state.range(0));
    const ouro::workloads::BuiltHeap heap =
        ouro::workloads::build_random_graph({objects, 3, false, 1});
    PhaseTimes times;
    Ouro_AddListener(PhaseTimes::listen, &times);
    for (auto _ : state) {
        PyGC_Collect();
    }
    Ouro_RemoveListener(PhaseTimes::listen, &times);
    const double collected = static_cast<double>(state.iterations()) * objects;
    for (const OuroPhase phase :
         {OURO_PHASE_COUNT, OURO_PHASE_ROOTS, OURO_PHASE_MARK, OURO_PHASE_CANDIDATES}) {
        state.counters[Ouro_PhaseName(phase)] = static_cast<double>(times.ns[phase]) / collected;
    }
    state.SetItemsProcessed(state.iterations() * objects);
    Py_DECREF(heap.root);
    PyGC_Collect();
}
BENCHMARK(passes)
    ->Name("pass/collection")
    ->Arg(10'000)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
