// Threads make objects, hand them to each other through lists, dicts, sets and fields, upgrade weak
// references to them, tie them into cycles, drop them, collect, block and come back, end and are
// replaced by others: under every count policy. Each object carries a cookie, which whoever takes a
// reference checks. When all is dropped and collected no object is left, and nothing waits.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/include/ouroboros.h"
#include "core/mutator/world.hpp"
#include "core/object/merge_queues.hpp"
#include "tests/support/revived.hpp"
#include "tests/support/runtimes.hpp"
#include "tests/support/scale.hpp"

namespace ouro {
namespace {

constexpr uint64_t kCookie = 0xC00C'1EC0'0C1E'C00C;
std::atomic<long> live{0};
std::atomic<long> spoiled{0};
std::atomic<long> upgraded{0};
std::atomic<long> called{0};

struct Node {
    PyObject ob_base;
    uint64_t cookie;
    PyObject* next;
    PyObject* weak_references;
};

Node* node(PyObject* op) {
    return reinterpret_cast<Node*>(op);
}

int node_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(node(op)->next);
    return 0;
}

int node_clear(PyObject* op) {
    Py_CLEAR(node(op)->next);
    return 0;
}

test::RevivedList revived;

void node_finalize(PyObject* op) {
    if (node(op)->cookie != kCookie) {
        ++spoiled;
    }
    static std::atomic<unsigned> calls{0};
    if (const unsigned call = calls++; call % 4 == 0) {
        if (PyObject* list = revived.get()) {
            PyList_SetItem(list, static_cast<Py_ssize_t>(call / 4 % 32), Py_NewRef(op));
            Py_DECREF(list);
        }
    }
}

void node_dealloc(PyObject* op) {
    if (PyObject_CallFinalizerFromDealloc(op) < 0) {
        return;
    }
    PyObject_GC_UnTrack(op);
    PyObject_ClearWeakRefs(op);
    node_clear(op);
    node(op)->cookie = 0;
    --live;
    Py_TYPE(op)->tp_free(op);
}

PyTypeObject node_type = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "Node",
    .tp_basicsize = sizeof(Node),
    .tp_dealloc = node_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = node_traverse,
    .tp_clear = node_clear,
    .tp_weaklistoffset = offsetof(Node, weak_references),
};

PyTypeObject final_type = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "FinalNode",
    .tp_basicsize = sizeof(Node),
    .tp_dealloc = node_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = node_traverse,
    .tp_clear = node_clear,
    .tp_weaklistoffset = offsetof(Node, weak_references),
    .tp_finalize = node_finalize,
};

// What weak references call back.
PyObject* callback_call(PyObject*, PyObject* args, PyObject*) {
    if (PyWeakref_IsDead(PyTuple_GET_ITEM(args, 0)) != 1) {
        ++spoiled;
    }
    ++called;
    return Py_NewRef(Py_None);
}

PyTypeObject callback_type = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "Callback",
    .tp_basicsize = sizeof(PyObject),
    .tp_call = callback_call,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};
PyObject callback = {OURO_BIASED_IMMORTAL, 0, &callback_type};

// Of any size, from a small one to a large object.
struct Row {
    PyVarObject ob_base;
    PyObject* items[1];
};

int row_traverse(PyObject* op, visitproc visit, void* arg) {
    for (Py_ssize_t i = 0; i < Py_SIZE(op); ++i) {
        Py_VISIT(reinterpret_cast<Row*>(op)->items[i]);
    }
    return 0;
}

int row_clear(PyObject* op) {
    for (Py_ssize_t i = 0; i < Py_SIZE(op); ++i) {
        Py_CLEAR(reinterpret_cast<Row*>(op)->items[i]);
    }
    return 0;
}

PyTypeObject row_type = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "Row",
    .tp_basicsize = offsetof(Row, items),
    .tp_itemsize = sizeof(PyObject*),
    .tp_dealloc =
        [](PyObject* op) {
            PyObject_GC_UnTrack(op);
            row_clear(op);
            --live;
            Py_TYPE(op)->tp_free(op);
        },
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = row_traverse,
    .tp_clear = row_clear,
};

// Made with `size` items and then moved to room for another number.
PyObject* new_row(PyObject* item, Py_ssize_t size, Py_ssize_t resized) {
    PyVarObject* op = _PyObject_GC_NewVar(&row_type, size);
    op = _PyObject_GC_Resize(op, resized);
    PyObject** items = reinterpret_cast<Row*>(op)->items;
    for (Py_ssize_t i = 0; i < resized; ++i) {
        items[i] = i % 1000 == 0 ? Py_XNewRef(item) : nullptr;
    }
    ++live;
    PyObject_GC_Track(op);
    return &op->ob_base;
}

PyObject* new_node(PyObject* next) {
    static std::atomic<unsigned> made{0};
    PyObject* op = _PyObject_GC_New(made++ % 3 == 0 ? &final_type : &node_type);
    node(op)->cookie = kCookie;
    OURO_STORE_FIELD(&node(op)->next, Py_XNewRef(next));
    node(op)->weak_references = nullptr;
    ++live;
    PyObject_GC_Track(op);
    return op;
}

void check(PyObject* op) {
    if (op != nullptr && (Py_TYPE(op) == &node_type || Py_TYPE(op) == &final_type) &&
        node(op)->cookie != kCookie) {
        ++spoiled;
    }
}

constexpr Py_ssize_t kPlaces = 32;

// What all threads reach.
struct Shared {
    PyObject* list = PyList_New(0);
    PyObject* dict = PyDict_New();
    PyObject* set = PySet_New(nullptr);
    PyObject* weak = PyList_New(0);  // weak references
    std::vector<PyObject*> keys;

    Shared() {
        for (long i = 0; i < kPlaces; ++i) {
            PyList_Append(list, Py_None);
            PyList_Append(weak, Py_None);
            keys.push_back(PyLong_FromLong(1000 + i));
        }
    }
    ~Shared() {
        for (PyObject* op : {list, dict, set, weak}) {
            Py_DECREF(op);
        }
        for (PyObject* key : keys) {
            Py_DECREF(key);
        }
    }
};

// One thread's random steps.
class Mutator {
public:
    Mutator(Shared& shared, uint64_t seed) : shared_(shared), random_(seed) {}
    ~Mutator() { Py_XDECREF(held_); }
    Mutator(const Mutator&) = delete;
    Mutator& operator=(const Mutator&) = delete;

    void step() {
        switch (random_() % 16) {
            case 0:
            case 1:
                hold(new_node(held_));
                break;
            case 2: {  // a cycle, dropped at once or held
                PyObject* a = new_node(nullptr);
                PyObject* b = new_node(a);
                OURO_STORE_FIELD(&node(a)->next, b);
                hold(a);
                break;
            }
            case 3:
            case 4:
                PyList_SetItem(shared_.list, place(), Py_NewRef(held()));
                break;
            case 5:
            case 6:
                hold(PyList_GetItemRef(shared_.list, place()));
                break;
            case 7:
                PyDict_SetItem(shared_.dict, key(), held());
                break;
            case 8: {
                PyObject* value;
                PyDict_GetItemRef(shared_.dict, key(), &value);
                hold(value);
                break;
            }
            case 9:
                if (PyDict_DelItem(shared_.dict, key()) < 0) {
                    PyErr_Clear();
                }
                break;
            case 10: {
                PyObject* reference =
                    !is_node(held_)
                        ? nullptr
                        : PyWeakref_NewRef(held_, random_() % 2 == 0 ? nullptr : &callback);
                if (reference != nullptr) {
                    PyList_SetItem(shared_.weak, place(), reference);
                }
                break;
            }
            case 11:
                upgrade();
                break;
            case 12:
                random_() % 2 == 0 ? PySet_Add(shared_.set, key())
                                   : PySet_Discard(shared_.set, key());
                PySet_Contains(shared_.set, key());
                break;
            case 13:
                hold(nullptr);
                break;
            case 14:
                rare();
                break;
            default:
                Py_MakePendingCalls();
        }
        check(held_);
    }

private:
    static bool is_node(PyObject* op) {
        return op != nullptr && (Py_TYPE(op) == &node_type || Py_TYPE(op) == &final_type);
    }
    Py_ssize_t place() { return static_cast<Py_ssize_t>(random_() % kPlaces); }
    PyObject* key() { return shared_.keys[static_cast<size_t>(place())]; }
    PyObject* held() { return held_ == nullptr ? Py_None : held_; }
    void hold(PyObject* op) {
        PyErr_Clear();
        PyObject* old = held_;
        held_ = op;
        Py_XDECREF(old);
    }

    void upgrade() {
        PyObject* reference = PyList_GetItemRef(shared_.weak, place());
        PyObject* op = nullptr;
        if (PyWeakref_Check(reference) && PyWeakref_GetRef(reference, &op) == 1) {
            ++upgraded;
            hold(op);
            spoiled += PyWeakref_IsDead(reference) != 0;
        }
        Py_DECREF(reference);
    }

    void rare() {
        switch (random_() % 64) {
            case 0:
                PyGC_Collect();
                break;
            case 1:
                PyDict_Clear(shared_.dict);
                break;
            case 2:
                PySet_Clear(shared_.set);
                break;
            case 3:
            case 4: {
                Py_BEGIN_ALLOW_THREADS
                std::this_thread::sleep_for(std::chrono::microseconds(50));
                Py_END_ALLOW_THREADS
                break;
            }
            case 5: {
                PyObject* list = shared_.list;
                Py_BEGIN_CRITICAL_SECTION2(list, shared_.dict)
                    PyList_SetItem(list, 0, new_node(nullptr));  // a safepoint inside
                PyDict_SetItem(shared_.dict, shared_.keys[0], Py_None);
                Py_END_CRITICAL_SECTION2() break;
            }
            case 6:
                PyList_Append(shared_.list, Py_None);
                break;
            case 7:
            case 8:
                Ouro_CollectGeneration(static_cast<int>(random_() % 2));
                break;
            case 9:
            case 10: {  // dies through the trashcan
                hold(nullptr);
                for (int i = 0; i < 500; ++i) {
                    PyObject* next = new_node(held_);
                    hold(next);
                }
                break;
            }
            case 11:
            case 12:
            case 13:
                hold(new_row(held(), static_cast<Py_ssize_t>(random_() % 40'000),
                             static_cast<Py_ssize_t>(random_() % 40'000)));
                break;
            case 14:
            case 15:
            case 16: {
                PyObject* tuple = PyTuple_New(3);
                if (PyTuple_SetItem(tuple, 1, Py_NewRef(held())) < 0) {
                    PyErr_Clear();
                    ++spoiled;
                }
                hold(tuple);
                break;
            }
            default:
                break;
        }
    }

    Shared& shared_;
    std::mt19937_64 random_;
    PyObject* held_ = nullptr;
};

class Threads : public testing::TestWithParam<const char*> {};

TEST_P(Threads, ThatShareObjectsLoseNothing) {
    const uint64_t seed = test::seed();
    const char* soak = std::getenv("OURO_SOAK_SECONDS");
    const char* wanted = std::getenv("OURO_TEST_THREADS");
    const char* verify = std::getenv("OURO_TEST_VERIFY");
    const auto threads = static_cast<size_t>(wanted == nullptr ? 4 : std::atoi(wanted));
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::seconds(soak == nullptr ? 0 : std::atoi(soak));
    ASSERT_EQ(Ouro_Configure(test::settings_for(GetParam(), verify == nullptr
                                                                ? "verify=off,generations=on"
                                                                : "verify=on,generations=on")
                                 .c_str(),
                             nullptr),
              0);
    Py_Initialize();
    for (PyTypeObject* type : {&node_type, &final_type, &callback_type, &row_type}) {
        ASSERT_EQ(PyType_Ready(type), 0);
    }
    live = 0;
    {
        Shared shared;
        revived.set(shared.list);
        size_t round = 0;
        do {
            const size_t steps = test::scaled(20'000);
            std::vector<std::thread> running;
            for (size_t i = 0; i < threads; ++i) {
                running.emplace_back([&, i] {
                    // Two lives of a thread, so that owner indexes are inherited.
                    for (uint64_t life = 0; life < 2; ++life) {
                        const PyGILState_STATE state = PyGILState_Ensure();
                        {
                            Mutator mutator(shared, seed + 1000 * round + 10 * i + life);
                            for (size_t step = 0; step < steps / 2; ++step) {
                                mutator.step();
                            }
                        }
                        PyGILState_Release(state);
                    }
                });
            }
            Py_BEGIN_ALLOW_THREADS
            for (std::thread& thread : running) {
                thread.join();
            }
            Py_END_ALLOW_THREADS
            ++round;
        } while (std::chrono::steady_clock::now() < end);
        revived.set(nullptr);
    }
    PyGC_Collect();
    PyGC_Collect();
    EXPECT_EQ(spoiled, 0) << "somebody had a reference to an object that was freed";
    EXPECT_EQ(live, 0) << "objects that nobody refers to are left";
    EXPECT_GT(upgraded, 0);
    EXPECT_GT(called, 0);
    EXPECT_EQ(object::queue_usage().entries, 0u);
    Py_FinalizeEx();
}

INSTANTIATE_TEST_SUITE_P(Counts, Threads, test::every_runtime(), test::runtime_name);

}  // namespace
}  // namespace ouro
