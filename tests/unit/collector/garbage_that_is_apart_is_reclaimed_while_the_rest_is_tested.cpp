// Garbage that no reference connects with candidates that are yet to be tested is cleared and released between two
// pauses of the test. What is connected with such candidates, or runs a finalizer, waits until all is tested: a
// finalizer finds all that it can reach as it was.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/include/ouroboros.h"

namespace {

void hear(const OuroEvent* event, void* arg) {
    static_cast<std::vector<OuroEvent>*>(arg)->push_back(*event);
}

class Apart : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        ASSERT_EQ(
            Ouro_Configure("engine=incremental,pause-budget-us=20,young-threshold=0,verify=off",
                           nullptr),
            0);  // nothing is collected but on request
        ASSERT_EQ(Ouro_Configure(GetParam(), nullptr), 0);
        Py_Initialize();
        ASSERT_EQ(Ouro_AddListener(hear, &heard_), 0);
    }
    void TearDown() override {
        EXPECT_EQ(Ouro_RemoveListener(hear, &heard_), 0);
        Py_Finalize();
    }
    // Events of the test that began after something was cleared.
    int tests_after_clearing() const {
        int64_t cleared_ns = INT64_MAX;
        for (const OuroEvent& event : heard_) {
            cleared_ns =
                event.phase == OURO_PHASE_CLEAR ? std::min(cleared_ns, event.start_ns) : cleared_ns;
        }
        return static_cast<int>(std::ranges::count_if(heard_, [&](const OuroEvent& event) {
            return event.phase == OURO_PHASE_TEST && event.start_ns > cleared_ns;
        }));
    }
    uint64_t freed() const {
        uint64_t sum = 0;
        for (const OuroEvent& event : heard_) {
            sum += event.phase == OURO_PHASE_RELEASE ? event.freed : 0;
        }
        return sum;
    }
    std::vector<OuroEvent> heard_;
};

constexpr int kMany = 20'000;

// A list that holds itself, and `other` if that is not null. A new reference.
PyObject* ring(PyObject* other) {
    PyObject* list = PyList_New(0);
    PyList_Append(list, list);
    if (other != nullptr) {
        PyList_Append(list, other);
    }
    return list;
}

TEST_P(Apart, IsReleasedBeforeTheTestIsOver) {
    for (int i = 0; i < kMany; ++i) {
        Py_DECREF(ring(nullptr));
    }
    EXPECT_EQ(PyGC_Collect(), kMany);
    EXPECT_GT(tests_after_clearing(), 0);
    EXPECT_EQ(freed(), static_cast<uint64_t>(kMany));
    for (const OuroEvent& event : heard_) {
        if (event.phase == OURO_PHASE_CYCLE) {
            EXPECT_EQ(event.condemned, static_cast<uint64_t>(kMany));
            EXPECT_EQ(event.freed, static_cast<uint64_t>(kMany));
        }
    }
}

TEST_P(Apart, ButAChainWaitsForItsEnd) {
    PyObject* next = ring(nullptr);
    for (int i = 1; i < kMany; ++i) {
        PyObject* list = ring(next);
        Py_DECREF(next);
        next = list;
    }
    Py_DECREF(next);
    EXPECT_EQ(PyGC_Collect(), kMany);
    EXPECT_EQ(tests_after_clearing(), 0);
    EXPECT_EQ(freed(), static_cast<uint64_t>(kMany));
}

// One that holds a list, and looks at it when it is finalized.
struct Looking {
    PyObject_HEAD
    PyObject* self;
    PyObject* list;
};

int whole = 0;

PyTypeObject looking_type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "Looking",
    .tp_basicsize = sizeof(Looking),
    .tp_dealloc =
        [](PyObject* op) {
            PyObject_GC_UnTrack(op);
            Py_CLEAR(reinterpret_cast<Looking*>(op)->list);
            PyObject_GC_Del(op);
        },
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse =
        [](PyObject* op, visitproc visit, void* arg) {
            Py_VISIT(reinterpret_cast<Looking*>(op)->self);
            Py_VISIT(reinterpret_cast<Looking*>(op)->list);
            return 0;
        },
    .tp_clear =
        [](PyObject* op) {
            Py_CLEAR(reinterpret_cast<Looking*>(op)->self);
            return 0;
        },
    .tp_finalize =
        [](PyObject* op) {
            PyObject* list = reinterpret_cast<Looking*>(op)->list;
            whole += PyList_Size(list) == 2 && PyList_Size(PyList_GetItem(list, 1)) == 1 ? 1 : 0;
        },
};

TEST_P(Apart, ButWhatAFinalizerReachesWaitsForIt) {
    constexpr int kFinalizers = 2'000;
    ASSERT_EQ(PyType_Ready(&looking_type), 0);
    whole = 0;
    for (int i = 0; i < kFinalizers; ++i) {
        PyObject* op = PyType_GenericAlloc(&looking_type, 0);
        PyObject* below = ring(nullptr);
        reinterpret_cast<Looking*>(op)->list = ring(below);
        reinterpret_cast<Looking*>(op)->self = op;  // the only reference, owned by itself
        Py_DECREF(below);
        Py_DECREF(ring(nullptr));
    }
    EXPECT_EQ(PyGC_Collect(), 4 * kFinalizers);
    EXPECT_EQ(whole, kFinalizers);
    EXPECT_GT(tests_after_clearing(), 0) << "the other rings did not wait";
}

INSTANTIATE_TEST_SUITE_P(Counts, Apart,
                         testing::Values("refcount=gil", "refcount=biased", "refcount=atomic",
                                         "refcount=biased,engine=concurrent"));

}  // namespace
