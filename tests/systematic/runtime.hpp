// What the tests of the whole runtime share: threads that attach to it, objects that tell whether they
// are alive, and, after each run, that nothing is left.
//
//     TEST_P(ADrop, OfAnothersObject) {
//         explore_runtime(500, [](Execution& run) {
//             auto made = std::make_shared<PyObject*>(new_witness(1));
//             run.thread("drops", [made] {
//                 const Attached here;
//                 Py_DECREF(*made);
//             });
//         });
//     }
//     FREE_RUNTIMES(ADrop);
//
// The caller of explore_runtime is attached while it prepares and checks a run, and detached while the
// threads run: what it has made belongs to a thread that is outside.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/include/ouroboros.h"
#include "tests/support/attached.hpp"
#include "tests/support/both_builds.hpp"
#include "tests/support/runtimes.hpp"
#include "tests/support/tracked_objects.hpp"

namespace ouro::test {

// A container with a number, which can be weakly referenced. A cookie tells whether it is alive.
struct Witness {
    PyObject ob_base;
    PyObject* other;
    PyObject* weak_references;
    std::atomic<uint64_t> cookie;
    long number;
};
inline constexpr uint64_t kAlive = 0xA11'7E5'7A11'7E57;

inline std::atomic<long> living{0};  // witnesses
inline std::atomic<long> died{0};    // in this run

inline Witness* witness(PyObject* op) {
    return reinterpret_cast<Witness*>(op);
}

inline int witness_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(witness(op)->other);
    return 0;
}

inline int witness_clear(PyObject* op) {
    Py_CLEAR(witness(op)->other);
    return 0;
}

inline void witness_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    PyObject_ClearWeakRefs(op);
    point("a witness dies");
    EXPECT_EQ(witness(op)->cookie.exchange(0), kAlive) << "it died twice";
    witness_clear(op);
    --living;
    ++died;
    Py_TYPE(op)->tp_free(op);
}

inline PyTypeObject WitnessType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "systematic.Witness",
    .tp_basicsize = sizeof(Witness),
    .tp_dealloc = witness_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = witness_traverse,
    .tp_clear = witness_clear,
    .tp_weaklistoffset = offsetof(Witness, weak_references),
};

// New, tracked (new reference).
inline PyObject* new_witness(long number) {
    PyObject* op = WitnessType.tp_alloc(&WitnessType, 0);
    witness(op)->number = number;
    witness(op)->cookie.store(kAlive);
    ++living;
    return op;
}

// One of which any thread may take a reference without a lock.
inline PyObject* new_shared_witness(long number) {
    PyObject* op = new_witness(number);
    PyUnstable_EnableTryIncRef(op);
    return op;
}

// The number of a witness to which the caller has a reference; fails if it is dead.
inline long number_of(PyObject* op) {
    EXPECT_EQ(Py_TYPE(op), &WitnessType);
    EXPECT_EQ(witness(op)->cookie.load(), kAlive) << "a reference to a dead object";
    return witness(op)->number;
}

// The same; drops the reference.
inline long take_number(PyObject* op) {
    const long number = number_of(op);
    Py_DECREF(op);
    return number;
}

// What the main thread has of a run, dropped by it at the end.
class Held {
public:
    explicit Held(PyObject* op) : op_(op) {}
    ~Held() { Py_XDECREF(op_); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    PyObject* get() const { return op_; }

private:
    PyObject* const op_;
};
inline std::shared_ptr<Held> hold(PyObject* op) {
    return std::make_shared<Held>(op);
}

// The runtime that is the parameter, started once for all runs of a test. Collections are those that a
// test asks for.
class Runtime : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        const std::string settings = settings_for(GetParam(), "verify=on,generations=on");
        const char* error = nullptr;
        ASSERT_EQ(Ouro_Configure(settings.c_str(), &error), 0) << error;
        Py_Initialize();
        ASSERT_EQ(PyType_Ready(&WitnessType), 0);
        PyGC_Collect();
    }
    void TearDown() override { Py_Finalize(); }
};

#ifdef OURO_REFCOUNT_PLAIN
#define FREE_RUNTIMES(suite) GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(suite)
#else
#define FREE_RUNTIMES(suite) \
    INSTANTIATE_TEST_SUITE_P(Counts, suite, testing::Values("biased", "atomic"), runtime_name)
#endif

// Each run begins and ends with the same: no witness, no tracked object more, nothing that waits.
template <class Setup>
auto with_runtime(const Setup& setup) {
    return [&setup](Execution& run) {
        run.use_system_threads();
        run.around([](const auto& run_them) {
            const Detached outside;
            run_them();
        });
        died = 0;
        const size_t tracked = tracked_objects();
        {
            Execution prepared;
            setup(prepared);
            run.threads_ = std::move(prepared.threads_);
            run.after_ = [check = std::move(prepared.after_), tracked, &run]() mutable {
                check();
                // What the threads shared goes with their bodies.
                check = nullptr;
                run.threads_.clear();
                PyGC_Collect();
                EXPECT_EQ(living.load(), 0) << "witnesses are left";
                EXPECT_EQ(tracked_objects(), tracked) << "tracked objects are left";
                OuroHeapStatistics statistics;
                Ouro_GetHeapStatistics(&statistics);
                EXPECT_EQ(statistics.queued, 0u);
            };
        }
    };
}

template <class Setup>
void explore_runtime(size_t runs, const Setup& setup) {
    explore(runs, with_runtime(setup));
}

template <class Setup>
void exhaust_runtime(unsigned preemptions, const Setup& setup) {
    exhaust(preemptions, with_runtime(setup));
}

}  // namespace ouro::test
