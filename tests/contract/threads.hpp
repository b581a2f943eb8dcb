// Objects and a fixture for what is proved with several threads: the record of containers.hpp is for
// one. A test that waits for ever ends the program.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/include/ouroboros.h"
#include "tests/support/attached.hpp"
#include "tests/support/runtimes.hpp"
#include "tests/support/tracked_objects.hpp"

namespace ouro::test {

// What happened to some cells.
struct Fate {
    std::atomic<long> finalized{0};
    std::atomic<long> died{0};
};

// A container that can be weakly referenced. A cookie tells whether it is alive.
struct Cell {
    PyObject ob_base;
    PyObject* slots[2];
    PyObject* weak_references;
    Fate* fate;
    std::atomic<uint64_t> cookie;
};
inline constexpr uint64_t kCookie = 0xA11'7E5'C0FFEE;

inline std::atomic<long> live_cells{0};
// Set before there are threads.
inline std::function<void(PyObject*)> on_cell_finalize;

inline Cell* cell(PyObject* op) {
    return reinterpret_cast<Cell*>(op);
}

inline int cell_traverse(PyObject* op, visitproc visit, void* arg) {
    for (PyObject*& slot : cell(op)->slots) {
        Py_VISIT(slot);
    }
    return 0;
}

inline int cell_clear(PyObject* op) {
    for (PyObject*& slot : cell(op)->slots) {
        Py_CLEAR(slot);
    }
    return 0;
}

inline void cell_finalize(PyObject* op) {
    ++cell(op)->fate->finalized;
    if (on_cell_finalize) {
        on_cell_finalize(op);
    }
}

inline void cell_dealloc(PyObject* op) {
    if (PyObject_CallFinalizerFromDealloc(op) < 0) {
        return;
    }
    PyObject_GC_UnTrack(op);
    PyObject_ClearWeakRefs(op);
    EXPECT_EQ(cell(op)->cookie.exchange(0), kCookie) << "a cell died twice";
    if (cell(op)->fate != nullptr) {
        ++cell(op)->fate->died;
    }
    cell_clear(op);
    --live_cells;
    Py_TYPE(op)->tp_free(op);
}

inline PyTypeObject CellType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Cell",
    .tp_basicsize = sizeof(Cell),
    .tp_dealloc = cell_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = cell_traverse,
    .tp_clear = cell_clear,
    .tp_weaklistoffset = offsetof(Cell, weak_references),
};

inline PyTypeObject FinalCellType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.FinalCell",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &CellType,
    .tp_finalize = cell_finalize,
};

// A new cell, tracked (new reference).
inline PyObject* new_cell(Fate* fate = nullptr, PyTypeObject* type = &CellType) {
    PyObject* op = type->tp_alloc(type, 0);
    cell(op)->fate = fate;
    cell(op)->cookie.store(kCookie);
    ++live_cells;
    return op;
}

inline bool is_whole(PyObject* op) {
    return cell(op)->cookie.load() == kCookie;
}

// Lets `from` refer to `to`. Does not steal.
inline void refer(PyObject* from, size_t slot, PyObject* to) {
    Py_XSETREF(cell(from)->slots[slot], Py_XNewRef(to));
}

// Threads, attached with states of their own. The maker's thread is attached and waits detached.
class Crew {
public:
    Crew() = default;
    ~Crew() { join(); }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    template <class Work>
    void add(Work work) {
        threads_.emplace_back([work] {
            const Attached attached;
            work();
        });
    }
    void join() {
        const Detached outside;
        for (std::thread& thread : threads_) {
            thread.join();
        }
        threads_.clear();
    }

private:
    std::vector<std::thread> threads_;
};

// Does it on another thread, attached, and returns when that has ended; the caller is detached all the
// time.
template <class Work>
void on_another_thread(Work work) {
    const Detached outside;
    std::thread([&work] {
        const Attached attached;
        work();
    }).join();
}

inline void sleep_ms(int ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

inline int64_t milliseconds() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// The runtime that is the parameter, every collection verified. When a test ends nothing of it may
// be left: no cell, no tracked object, no exception.
class Threads : public testing::TestWithParam<const char*> {
protected:
    static constexpr unsigned kSeconds = 240;

    void SetUp() override {
        alarm(kSeconds);
        const std::string settings = settings_for(GetParam(), "verify=on,generations=on");
        const char* error = nullptr;
        ASSERT_EQ(Ouro_Configure(settings.c_str(), &error), 0) << error;
        Py_Initialize();
        ASSERT_EQ(PyType_Ready(&CellType), 0);
        ASSERT_EQ(PyType_Ready(&FinalCellType), 0);
        on_cell_finalize = nullptr;
        PyGC_Collect();
        tracked_before_ = tracked_objects();
    }

    void TearDown() override {
        EXPECT_EQ(PyErr_Occurred(), nullptr) << "the test left an exception";
        PyErr_Clear();
        EXPECT_EQ(PyGC_Enable(), 1) << "the test left collection disabled";
        EXPECT_EQ(live_cells.load(), 0) << "the test left cells";
        EXPECT_EQ(tracked_objects(), tracked_before_) << "the test left tracked objects";
        on_cell_finalize = nullptr;
        Py_Finalize();
        alarm(0);
    }

    // Whether several threads can be attached at once.
    static bool is_free_threaded() {
        return !std::string_view(GetParam()).starts_with(kOwnedCounts);
    }

private:
    size_t tracked_before_ = 0;
};

#define EVERY_RUNTIME(suite) INSTANTIATE_TEST_SUITE_P(Counts, suite, every_runtime(), runtime_name)
// Where several threads are attached at once.
#ifdef OURO_REFCOUNT_PLAIN
#define EVERY_FREE_RUNTIME(suite) GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(suite)
#else
#define EVERY_FREE_RUNTIME(suite) \
    INSTANTIATE_TEST_SUITE_P(Counts, suite, testing::Values("atomic", "biased"), runtime_name)
#endif

}  // namespace ouro::test
