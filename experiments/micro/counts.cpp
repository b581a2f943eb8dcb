// Increments and decrements, a pair each.
#include "experiments/micro/fixture.hpp"

namespace {

void pair(benchmark::State& state, PyObject* op) {
    for (auto _ : state) {
        Py_INCREF(op);
        benchmark::ClobberMemory();
        Py_DECREF(op);
        benchmark::ClobberMemory();
    }
}

void owner(benchmark::State& state) {
    PyObject* op = ouro::micro::runtime_list(0);
    pair(state, op);
    Py_DECREF(op);
}
BENCHMARK(owner)->Name("count/owner_pair");

void owner_call(benchmark::State& state) {
    PyObject* op = ouro::micro::runtime_list(0);
    for (auto _ : state) {
        Py_IncRef(op);
        Py_DecRef(op);
    }
    Py_DECREF(op);
}
BENCHMARK(owner_call)->Name("count/owner_pair_by_calls");

void immortal(benchmark::State& state) {
    Py_Initialize();
    pair(state, Py_None);
}
BENCHMARK(immortal)->Name("count/immortal_pair");

void merged(benchmark::State& state) {
    // What policy atomic makes: no owner, all of the count shared.
    PyObject* op = ouro::micro::runtime_list(0);
    op->ob_biased = OURO_OWNER_WORD(OURO_OWNER_NONE);
    op->ob_shared = OURO_SHARED_ONE | OURO_SHARED_MERGED;
    pair(state, op);
    Py_DECREF(op);
}
BENCHMARK(merged)->Name("count/merged_pair");

// The floor: what an unconditional count in the same place would cost.
void plain(benchmark::State& state) {
    volatile uint32_t count = 1;
    for (auto _ : state) {
        count = count + 1;
        count = count - 1;
    }
}
BENCHMARK(plain)->Name("count/plain_pair");

}  // namespace
