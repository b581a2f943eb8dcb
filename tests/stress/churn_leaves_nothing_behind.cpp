// However long a program makes cycles and lets go of them, nothing piles up under automatic
// collection and nothing is left in the end: every object dies once, every finalizer and callback
// that is due runs once, and the heap is as large as it was.
//
// Each test takes a second or so, times OURO_TEST_SCALE; OURO_SOAK_SECONDS=60 makes it a minute.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/workloads/churn.hpp"
#include "experiments/workloads/instance.hpp"
#include "tests/oracle/runtime_test.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

using Clock = std::chrono::steady_clock;

std::chrono::duration<double> soak_time() {
    const char* text = std::getenv("OURO_SOAK_SECONDS");
    if (text == nullptr || *text == '\0') {
        return std::chrono::duration<double>(scale());
    }
    char* end = nullptr;
    const double seconds = std::strtod(text, &end);
    if (*end != '\0' || !(seconds > 0)) {
        std::fprintf(stderr, "OURO_SOAK_SECONDS: '%s' is not a number above 0\n", text);
        std::exit(2);
    }
    return std::chrono::duration<double>(seconds);
}

OuroHeapStatistics statistics() {
    OuroHeapStatistics now;
    Ouro_GetHeapStatistics(&now);
    return now;
}

// Calls step(), a thousand times between two looks at the clock, for as long as a soak is to last, in
// quarters; returns the heap's size after a full collection at the end of each.
template <class Step>
std::vector<size_t> soak(Step step) {
    std::vector<size_t> heap_bytes;
    for (int quarter = 0; quarter < 4; ++quarter) {
        const auto end = Clock::now() + soak_time() / 4;
        do {
            for (int i = 0; i < 1000; ++i) {
                step();
            }
        } while (Clock::now() < end);
        PyGC_Collect();
        heap_bytes.push_back(statistics().heap_bytes);
    }
    return heap_bytes;
}

// A short run has hardly filled its blocks when the first quarter ends. What is lost block by block
// shows when all is dropped; this is for what grows without being lost.
void expect_no_growth(const std::vector<size_t>& heap_bytes) {
    EXPECT_LE(heap_bytes.back(), 2 * heap_bytes.front() + (4u << 20));
}

class Soak : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        restart(std::string("engine=stw,verify=off,generations=on,refcount=") + GetParam());
        PyGC_Collect();
        before_ = statistics();
    }
    void TearDown() override {
        PyGC_Collect();
        EXPECT_EQ(statistics().tracked, before_.tracked) << "objects were left behind";
        EXPECT_LE(statistics().heap_bytes, before_.heap_bytes + (1u << 20));
        Py_Finalize();
    }

private:
    OuroHeapStatistics before_{};
};

// The workload that is measured (ouro bench churn).
TEST_P(Soak, RingsThatAreReplaced) {
    const size_t deallocated_before = workloads::instances_deallocated();
    workloads::ChurnParameters parameters;
    parameters.live = static_cast<uint32_t>(scaled(20'000, 2000));
    parameters.seed = seed();
    workloads::Churn churn(parameters);
    size_t backlog_max = 0;
    const std::vector<size_t> heap_bytes = soak([&] {
        churn.step();
        backlog_max = std::max(backlog_max, churn.backlog());
    });
    EXPECT_EQ(churn.backlog(), 0u) << "a full collection has just ended";
    expect_no_growth(heap_bytes);
    // A full collection comes when what became old since the last one is a quarter of what it left,
    // and no sooner than after some 250,000 allocations, of which a tenth became old. Where the program goes
    // on meanwhile, it may make twice as much as survived the last one.
    const std::string_view runtime = GetParam();
    const bool goes_on = runtime.ends_with("=concurrent") || runtime.ends_with("=snapshot") ||
                         runtime.find("=incremental") != std::string_view::npos;
    EXPECT_LT(backlog_max, (goes_on ? parameters.live * 2 : parameters.live / 2) + 60'000);
    EXPECT_GT(backlog_max, 1000u) << "nothing ever waited: what was tested?";

    const size_t made = churn.made();
    EXPECT_EQ(churn.live() + churn.unreachable(), made);
    churn.drop();
    PyGC_Collect();
    EXPECT_EQ(churn.backlog(), 0u);
    EXPECT_EQ(workloads::instances_deallocated() - deallocated_before, made);
    std::printf("%zu objects made and deallocated; backlog at most %zu\n", made, backlog_max);
}

// An instance with a finalizer that can revive it, and that can be weakly referenced.
struct Member {
    PyObject ob_base;
    PyObject* slots[2];
    PyObject* weak_references;
};

// What a program does in a finalizer, a callback or a dealloc may run on a collector's thread.
struct Counts {
    size_t made = 0, watched = 0;
    std::atomic<size_t> finalized = 0, deallocated = 0, called = 0, revived = 0;
    PyMutex mutex{};
    PyObject* revived_list = nullptr;  // owned by the test, guarded by `mutex`
};
Counts* counts;

Member* member(PyObject* op) {
    return reinterpret_cast<Member*>(op);
}

int member_traverse(PyObject* op, visitproc visit, void* arg) {
    for (PyObject*& slot : member(op)->slots) {
        Py_VISIT(slot);
    }
    return 0;
}

int member_clear(PyObject* op) {
    for (PyObject*& slot : member(op)->slots) {
        Py_CLEAR(slot);
    }
    return 0;
}

void member_finalize(PyObject* op) {
    if (++counts->finalized % 50 == 0) {
        ++counts->revived;
        PyMutex_Lock(&counts->mutex);
        PyList_Append(counts->revived_list, op);
        PyMutex_Unlock(&counts->mutex);
    }
}

void member_dealloc(PyObject* op) {
    if (PyObject_CallFinalizerFromDealloc(op) < 0) {
        return;
    }
    PyObject_GC_UnTrack(op);
    PyObject_ClearWeakRefs(op);
    member_clear(op);
    ++counts->deallocated;
    PyObject_GC_Del(op);
}

PyTypeObject MemberType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "soak.Member",
    .tp_basicsize = sizeof(Member),
    .tp_dealloc = member_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = member_traverse,
    .tp_clear = member_clear,
    .tp_weaklistoffset = offsetof(Member, weak_references),
    .tp_finalize = member_finalize,
};

PyObject* new_member() {
    ++counts->made;
    return MemberType.tp_alloc(&MemberType, 0);
}

void let_revived_go() {
    PyObject* list = PyList_New(0);
    PyMutex_Lock(&counts->mutex);
    std::swap(list, counts->revived_list);
    PyMutex_Unlock(&counts->mutex);
    Py_DECREF(list);
}

PyObject* count_call(PyObject*, PyObject*) {
    ++counts->called;
    return Py_NewRef(Py_None);
}
PyMethodDef count_call_method = {"count_call", count_call, METH_O, nullptr};

// Two members with a list, a dict and a tuple between them, all in one cycle.
PyObject* new_mixed_ring() {
    PyObject* first = new_member();
    PyObject* second = new_member();
    PyObject* list = PyList_New(0);
    PyList_Append(list, second);
    PyObject* dict = PyDict_New();
    PyDict_SetItem(dict, Py_None, first);
    PyObject* tuple = PyTuple_New(2);
    PyTuple_SetItem(tuple, 0, dict);
    PyTuple_SetItem(tuple, 1, Py_NewRef(first));
    OURO_STORE_FIELD(&member(first)->slots[0], list);
    OURO_STORE_FIELD(&member(second)->slots[0], tuple);
    Py_DECREF(second);
    return first;
}

TEST_P(Soak, EveryKindOfContainer) {
    ASSERT_EQ(PyType_Ready(&MemberType), 0);
    Counts all;
    counts = &all;
    workloads::Random random(seed());
    counts->revived_list = PyList_New(0);
    PyObject* callback = PyCFunction_New(&count_call_method, nullptr);
    constexpr uint32_t kLive = 2000;
    PyObject* live = PyDict_New();  // int -> ring
    std::deque<PyObject*> watches;  // weak references to these, until they are dead
    std::vector<PyObject*> keys;
    for (uint32_t i = 0; i < kLive; ++i) {
        keys.push_back(PyLong_FromLong(static_cast<long>(i)));
    }
    const std::vector<size_t> heap_bytes = soak([&] {
        PyObject* ring = new_mixed_ring();
        if (random.below(100) < 20) {
            PyObject* key = keys[random.below(kLive)];
            watches.push_back(PyWeakref_NewRef(ring, callback));
            ++counts->watched;
            PyDict_SetItem(live, key, ring);
        }
        Py_DECREF(ring);
        while (!watches.empty() && PyWeakref_IsDead(watches.front()) == 1) {
            Py_DECREF(watches.front());
            watches.pop_front();
        }
        if (PyList_Size(counts->revived_list) > 100) {
            let_revived_go();
        }
    });
    expect_no_growth(heap_bytes);

    Py_DECREF(live);
    for (int i = 0; i < 3; ++i) {  // what finalizers revive dies later
        PyGC_Collect();
        let_revived_go();
    }
    PyGC_Collect();
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    EXPECT_EQ(counts->deallocated, counts->made);
    EXPECT_EQ(counts->finalized, counts->made);
    EXPECT_GT(counts->revived, 0u);
    EXPECT_EQ(counts->called, counts->watched);
    for (PyObject* watch : watches) {
        EXPECT_EQ(PyWeakref_IsDead(watch), 1);
        Py_DECREF(watch);
    }
    Py_DECREF(callback);
    Py_CLEAR(counts->revived_list);
    for (PyObject* key : keys) {
        Py_DECREF(key);
    }
    std::printf("%zu members made, %zu revived, %zu callbacks\n", counts->made,
                counts->revived.load(), counts->called.load());
}
OURO_TEST_EACH_POLICY(Soak);

}  // namespace
}  // namespace ouro::test
