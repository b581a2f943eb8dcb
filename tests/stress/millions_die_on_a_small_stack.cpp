// A chain of millions and a list of millions of containers die, each object once and nothing is left: dropped,
// dropped when the thread that made them has ended, as a garbage cycle that is asked for, and as one that a
// collection finds by itself. Under every engine and count policy, on stacks of 512 KiB, the collector's too.
//
// A chain of 250,000 and a list of 500,000, times OURO_TEST_SCALE: with 20 they are of 5 and 10 million.
// OURO_TEST_SCALE=20 tests/stress/millions_die_on_a_small_stack --gtest_filter=*biased_engine_concurrent

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "core/include/ouroboros.h"
#include "tests/support/attached.hpp"
#include "tests/support/runtimes.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/tracked_objects.hpp"

namespace ouro::test {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr size_t kStack = size_t{2} << 20;  // frames are larger
constexpr size_t kPart = 10;
#else
constexpr size_t kStack = size_t{512} << 10;
constexpr size_t kPart = 1;
#endif

std::atomic<size_t> died{0};

struct Link {
    PyObject ob_base;
    PyObject* next;
};

Link* link(PyObject* op) {
    return reinterpret_cast<Link*>(op);
}

int link_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(link(op)->next);
    return 0;
}

int link_clear(PyObject* op) {
    Py_CLEAR(link(op)->next);
    return 0;
}

void link_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    link_clear(op);
    died.fetch_add(1, std::memory_order_relaxed);
    Py_TYPE(op)->tp_free(op);
}

PyTypeObject LinkType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "millions.Link",
    .tp_basicsize = sizeof(Link),
    .tp_dealloc = link_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = link_traverse,
    .tp_clear = link_clear,
};

PyObject* new_link(PyObject* next) {
    PyObject* op = LinkType.tp_alloc(&LinkType, 0);
    OURO_STORE_FIELD(&link(op)->next, Py_XNewRef(next));
    return op;
}

// New references.
PyObject* chain(size_t length, bool closed) {
    PyObject* last = new_link(nullptr);
    PyObject* first = Py_NewRef(last);
    for (size_t i = 1; i < length; ++i) {
        PyObject* op = new_link(first);
        Py_DECREF(first);
        first = op;
    }
    if (closed) {
        OURO_STORE_FIELD(&link(last)->next, Py_NewRef(first));
    }
    Py_DECREF(last);
    return first;
}

// Where it is closed each item refers to the list.
PyObject* list(size_t length, bool closed) {
    PyObject* op = PyList_New(static_cast<Py_ssize_t>(length));
    for (size_t i = 0; i < length; ++i) {
        PyList_SET_ITEM(op, static_cast<Py_ssize_t>(i), new_link(closed ? op : nullptr));
    }
    return op;
}

using Make = PyObject* (*)(size_t length, bool closed);

struct Kind {
    const char* name;
    Make make;
    size_t length;
};

// Runs it on a thread with a small stack; those that are made meanwhile have such a one too.
void on_a_small_stack(const std::function<void()>& work) {
    pthread_attr_t before, small;
    ASSERT_EQ(pthread_getattr_default_np(&before), 0);
    ASSERT_EQ(pthread_attr_init(&small), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&small, kStack), 0);
    ASSERT_EQ(pthread_setattr_default_np(&small), 0);
    std::thread(work).join();
    pthread_setattr_default_np(&before);
    pthread_attr_destroy(&small);
    pthread_attr_destroy(&before);
}

class Millions : public testing::TestWithParam<const char*> {
protected:
    // `work` makes what it is told to, and lets it die.
    static void run(const std::function<void(const Kind&)>& work) {
        on_a_small_stack([&] {
            const std::string settings = settings_for(GetParam(), "verify=off,generations=on");
            ASSERT_EQ(Ouro_Configure(settings.c_str(), nullptr), 0);
            Py_Initialize();
            ASSERT_EQ(PyType_Ready(&LinkType), 0);
            const Kind chains = {"chain", chain, scaled(250'000 / kPart)};
            const Kind lists = {"list", list, scaled(500'000 / kPart)};
            for (const Kind& kind : {chains, lists}) {
                SCOPED_TRACE(kind.name);
                PyGC_Collect();
                const size_t tracked = tracked_objects();
                died = 0;
                const auto start = std::chrono::steady_clock::now();
                work(kind);
                const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
                rusage used;
                getrusage(RUSAGE_SELF, &used);
                std::printf("%s of %zu: %.2f s, peak %ld MiB\n", kind.name, kind.length,
                            took.count(), used.ru_maxrss >> 10);
                EXPECT_EQ(died.load(), kind.length);
                EXPECT_EQ(tracked_objects(), tracked);
            }
            EXPECT_EQ(Py_FinalizeEx(), 0);
        });
    }
};

TEST_P(Millions, DroppedDieEachOnce) {
    run([](const Kind& kind) { Py_DECREF(kind.make(kind.length, false)); });
}

TEST_P(Millions, OfAThreadThatEndedDieEachOnce) {
    run([](const Kind& kind) {
        PyObject* op = nullptr;
        {
            const Detached outside;
            std::thread([&] {
                const Attached attached;
                op = kind.make(kind.length, false);
            }).join();
        }
        Py_DECREF(op);
        safepoint();
    });
}

TEST_P(Millions, InACycleAreFoundOnRequest) {
    run([](const Kind& kind) {
        Py_DECREF(kind.make(kind.length, true));
        size_t found = died.load();
        for (int i = 0; i < 2 && found < kind.length; ++i) {
            found += static_cast<size_t>(PyGC_Collect());
        }
        EXPECT_GE(found, kind.length);
    });
}

// The program goes on and keeps what it makes: a full collection comes with what has become old.
TEST_P(Millions, InACycleAreFoundInTime) {
    run([](const Kind& kind) {
        Py_DECREF(kind.make(kind.length, true));
        PyObject* kept = PyList_New(0);
        size_t made = 0;
        for (const size_t most = 4 * kind.length + 2'000'000; died.load() < kind.length;) {
            PyObject* op = chain(2, true);
            PyList_Append(kept, op);
            Py_DECREF(op);
            ++made;
            ASSERT_LT(made, most) << "no collection has found it";
        }
        const size_t before = died.load();
        EXPECT_EQ(before, kind.length);
        Py_DECREF(kept);
        PyGC_Collect();
        EXPECT_EQ(died.load(), before + 2 * made);
        died = before;
    });
}

INSTANTIATE_TEST_SUITE_P(Engines, Millions, every_engine(), runtime_name);

}  // namespace
}  // namespace ouro::test
