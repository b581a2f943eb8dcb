// Four threads make containers, tie them into cycles, hand them to each other, watch them by weak references,
// drop them, collect, end and are replaced by others, while allocations fail: one of them, some in a row, all
// from a certain one on, whoever makes them, the collector too. Every engine and count policy. A call that fails
// says MemoryError and changes nothing; what is reachable is whole after each round; when all is dropped and
// collected each object has died once, each finalizer has run once, and no slot of the heap is in use.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <random>
#include <thread>
#include <vector>

#include "core/include/ouroboros.h"
#include "tests/support/attached.hpp"
#include "tests/support/failing.hpp"
#include "tests/support/runtimes.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/tracked_objects.hpp"

namespace ouro::test {
namespace {

constexpr uint64_t kCookie = 0xC00C'1EC0'0C1E'C00C;
constexpr size_t kThreads = 4;
constexpr size_t kHeld = 32;  // by each thread
constexpr Py_ssize_t kPlaces = 32;
constexpr int kSteps = 300;  // of each thread, a round

struct Tally {
    std::atomic<long> made{0}, died{0};
    std::atomic<long> to_finalize{0}, finalized{0};
    std::atomic<long> refused{0};  // allocations of the program's
    std::atomic<long> spoiled{0};  // dead, and in somebody's hands
    std::atomic<long> strange{0};  // exceptions of other kinds
    std::atomic<long> called{0}, unraisable{0}, unborn{0};
};
Tally tally;

struct Node {
    PyObject ob_base;
    uint64_t cookie;
    PyObject* slots[2];
    PyObject* weak_references;
};

Node* node(PyObject* op) {
    return reinterpret_cast<Node*>(op);
}

int node_traverse(PyObject* op, visitproc visit, void* arg) {
    for (PyObject*& slot : node(op)->slots) {
        Py_VISIT(slot);
    }
    return 0;
}

int node_clear(PyObject* op) {
    for (PyObject*& slot : node(op)->slots) {
        Py_CLEAR(slot);
    }
    return 0;
}

void node_finalize(PyObject* op) {
    tally.spoiled += node(op)->cookie != kCookie ? 1 : 0;
    ++tally.finalized;
}

void node_dealloc(PyObject* op) {
    if (PyObject_CallFinalizerFromDealloc(op) < 0) {
        return;
    }
    PyObject_GC_UnTrack(op);
    PyObject_ClearWeakRefs(op);
    node_clear(op);
    tally.spoiled += node(op)->cookie != kCookie ? 1 : 0;
    node(op)->cookie = 0;
    ++tally.died;
    Py_TYPE(op)->tp_free(op);
}

PyTypeObject NodeType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "failing.Node",
    .tp_basicsize = sizeof(Node),
    .tp_dealloc = node_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = node_traverse,
    .tp_clear = node_clear,
    .tp_weaklistoffset = offsetof(Node, weak_references),
};

PyTypeObject FinalNodeType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "failing.FinalNode",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &NodeType,
    .tp_finalize = node_finalize,
};

PyObject* count_call(PyObject*, PyObject*) {
    ++tally.called;
    return Py_NewRef(Py_None);
}
PyMethodDef count_call_method = {"count_call", count_call, METH_O, nullptr};

// After a call that may have failed.
bool refused(bool failed) {
    if (!failed) {
        return false;
    }
    ++tally.refused;
    if (PyErr_Occurred() == nullptr || PyErr_ExceptionMatches(PyExc_MemoryError) == 0) {
        ++tally.strange;
    }
    PyErr_Clear();
    return true;
}

void check(PyObject* op) {
    if (op != nullptr && (Py_IS_TYPE(op, &NodeType) || Py_IS_TYPE(op, &FinalNodeType)) &&
        node(op)->cookie != kCookie) {
        ++tally.spoiled;
    }
}

// What all threads reach.
struct Shared {
    PyObject* list = PyList_New(0);
    PyObject* dict = PyDict_New();
    PyObject* callback = PyCFunction_New(&count_call_method, nullptr);
    std::vector<PyObject*> keys;

    Shared() {
        for (Py_ssize_t i = 0; i < kPlaces; ++i) {
            PyList_Append(list, Py_None);
            keys.push_back(PyLong_FromLong(1000 + static_cast<long>(i)));
        }
    }
    ~Shared() {
        Py_DECREF(list);
        Py_DECREF(dict);
        Py_DECREF(callback);
        for (PyObject* key : keys) {
            Py_DECREF(key);
        }
    }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;

    void check_whole() const {
        for (Py_ssize_t i = 0; i < kPlaces; ++i) {
            check(PyList_GET_ITEM(list, i));
        }
        PyObject *key = nullptr, *value = nullptr;
        for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value) != 0;) {
            check(value);
        }
    }
};

// A graph that threads play in turn.
class Player {
public:
    Player(Shared& shared, uint64_t seed) : shared_(shared), random_(seed) {}
    ~Player() = default;
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    void step() {
        switch (random_() % 16) {
            case 0:
            case 1:
            case 2:
                return drop_ring(2 + random_() % 6);
            case 3:
            case 4:
                return hold(new_node());
            case 5:
                return link();
            case 6:
                return hold(pack());
            case 7:
                return hand_over();
            case 8:
                return take();
            case 9:
                return store();
            case 10:
                return watch();
            case 11:
                return upgrade();
            case 12:
                return grow_list();
            case 13:
                return let_go();
            case 14:
                return drop_chain();
            default:
                return rare();
        }
    }
    void check_whole() const { std::ranges::for_each(held_, check); }
    void drop() {
        for (PyObject*& op : held_) {
            Py_CLEAR(op);
        }
    }

private:
    PyObject*& any() { return held_[random_() % kHeld]; }
    Py_ssize_t place() { return static_cast<Py_ssize_t>(random_() % kPlaces); }
    void hold(PyObject* op) {
        check(op);
        if (op != nullptr) {
            PyObject*& place = any();
            Py_XSETREF(place, op);
        }
    }

    // nullptr without memory.
    PyObject* new_node() {
        const bool is_final = random_() % 4 == 0;
        PyTypeObject* type = is_final ? &FinalNodeType : &NodeType;
        PyObject* op = type->tp_alloc(type, 0);
        if (refused(op == nullptr)) {
            return nullptr;
        }
        node(op)->cookie = kCookie;
        ++tally.made;
        tally.to_finalize += is_final ? 1 : 0;
        return op;
    }
    static bool is_node(PyObject* op) {
        return op != nullptr && (Py_IS_TYPE(op, &NodeType) || Py_IS_TYPE(op, &FinalNodeType));
    }
    // Only of what this thread alone holds.
    static void refer(PyObject* from, size_t slot, PyObject* to) {
        PyObject* before = node(from)->slots[slot];
        OURO_STORE_FIELD(&node(from)->slots[slot], Py_XNewRef(to));
        Py_XDECREF(before);
    }

    void drop_ring(size_t size) {
        PyObject* first = new_node();
        PyObject* last = first;
        for (size_t i = 1; last != nullptr && i < size; ++i) {
            PyObject* next = new_node();
            if (next == nullptr) {
                break;
            }
            refer(last, 0, next);
            Py_DECREF(next);
            last = next;
        }
        if (last == nullptr) {
            return;
        }
        refer(last, 0, first);
        if (random_() % 4 == 0) {  // a weak reference that dies with it, or not
            PyObject* reference = PyWeakref_NewRef(first, shared_.callback);
            if (!refused(reference == nullptr)) {
                refer(last, 1, reference);
                Py_DECREF(reference);
            }
        }
        Py_DECREF(first);
    }
    // Something new to something held, which is not changed.
    void link() {
        if (PyObject* op = new_node()) {
            refer(op, 0, any());
            refer(op, 1, random_() % 8 == 0 ? op : nullptr);
            hold(op);
        }
    }
    void let_go() {
        PyObject*& op = any();
        Py_CLEAR(op);
    }
    PyObject* pack() {
        PyObject* op = any();
        PyObject* tuple = PyTuple_Pack(2, op == nullptr ? Py_None : op, shared_.list);
        return refused(tuple == nullptr) ? nullptr : tuple;
    }
    void hand_over() {
        PyObject* op = any();
        refused(PyList_SetItem(shared_.list, place(), Py_NewRef(op == nullptr ? Py_None : op)) < 0);
    }
    void take() { hold(PyList_GetItemRef(shared_.list, place())); }
    void store() {
        PyObject* key = shared_.keys[static_cast<size_t>(place())];
        PyObject* op = any();
        if (op == nullptr) {
            if (PyDict_DelItem(shared_.dict, key) < 0) {
                PyErr_Clear();  // it is not there
            }
        } else {
            refused(PyDict_SetItem(shared_.dict, key, op) < 0);
        }
    }
    void watch() {
        PyObject* op = any();
        if (!is_node(op)) {
            return;
        }
        PyObject* reference = PyWeakref_NewRef(op, random_() % 2 == 0 ? shared_.callback : nullptr);
        if (!refused(reference == nullptr)) {
            refused(PyList_SetItem(shared_.list, place(), reference) < 0);
        }
    }
    void upgrade() {
        PyObject* reference = PyList_GetItemRef(shared_.list, place());
        PyObject* op = nullptr;
        if (reference != nullptr && PyWeakref_Check(reference) &&
            PyWeakref_GetRef(reference, &op) == 1) {
            hold(op);
        }
        Py_XDECREF(reference);
    }
    void grow_list() {
        PyObject* list = PyList_New(0);
        if (refused(list == nullptr)) {
            return;
        }
        for (int i = 0; i < 40; ++i) {
            PyObject* op = new_node();
            const bool failed = op == nullptr || refused(PyList_Append(list, op) < 0);
            Py_XDECREF(op);
            if (failed) {
                break;
            }
        }
        refused(PyList_Append(list, list) < 0);
        hold(list);
    }
    // Dies through the trashcan, which allocates.
    void drop_chain() {
        PyObject* chain = nullptr;
        for (int i = 0; i < 200; ++i) {
            PyObject* op = new_node();
            if (op == nullptr) {
                break;
            }
            refer(op, 0, chain);
            Py_XDECREF(chain);
            chain = op;
        }
        Py_XDECREF(chain);
    }
    void rare() {
        switch (random_() % 16) {
            case 0:
                PyGC_Collect();
                return;
            case 1:
                Ouro_CollectGeneration(static_cast<int>(random_() % 2));
                return;
            case 2: {
                const Detached outside;
                std::this_thread::yield();
                return;
            }
            default:
                return safepoint();
        }
    }

    Shared& shared_;
    std::mt19937_64 random_;
    std::array<PyObject*, kHeld> held_{};
};

// How many of the next allocations succeed, and how many fail then.
struct Plan {
    uint64_t skip, count;
};
Plan plan_of(size_t round, std::mt19937_64& random) {
    switch (round % 4) {
        case 0:  // each in turn
            return {round / 4, 1};
        case 1:
            return {random() % 5000, 1 + random() % 300};
        case 2:
            return {random() % 500, 1 + random() % 3000};
        default:
            return {random() % 3000, UINT64_MAX};
    }
}

class Threads : public testing::TestWithParam<const char*> {};

TEST_P(Threads, LoseNothingWhileAllocationsFail) {
    std::mt19937_64 random(seed());
    ASSERT_EQ(
        Ouro_Configure(settings_for(GetParam(), "verify=off,generations=on").c_str(), nullptr), 0);
    Py_Initialize();
    for (PyTypeObject* type : {&NodeType, &FinalNodeType}) {
        ASSERT_EQ(PyType_Ready(type), 0);
    }
    Ouro_SetUnraisableHook(
        [](PyObject* type, PyObject*, PyObject*, void*) {
            ++tally.unraisable;
            tally.strange += type != PyExc_MemoryError ? 1 : 0;
        },
        nullptr);
    PyGC_Collect();
    const size_t tracked = tracked_objects();
    const size_t slots = slots_in_use();
    const size_t rounds = scaled(40);
    uint64_t failed = 0;
    {
        Shared shared;
        std::vector<std::unique_ptr<Player>> players;
        for (size_t i = 0; i < kThreads; ++i) {
            players.push_back(std::make_unique<Player>(shared, random()));
        }
        std::barrier<> barrier(kThreads + 1);
        std::vector<std::thread> threads;
        for (size_t i = 0; i < kThreads; ++i) {
            threads.emplace_back([&, i] {
                for (size_t round = 0; round < rounds; ++round) {
                    barrier.arrive_and_wait();
                    // Of another life each round, if there is memory for one.
                    if (PyThreadState* state = PyThreadState_New(PyInterpreterState_Main())) {
                        PyEval_RestoreThread(state);
                        for (int step = 0; step < kSteps; ++step) {
                            players[i]->step();
                            if (PyErr_Occurred() != nullptr) {
                                ++tally.strange;
                                PyErr_Clear();
                            }
                        }
                        PyThreadState_Clear(state);
                        PyThreadState_DeleteCurrent();
                    } else {
                        ++tally.unborn;
                    }
                    barrier.arrive_and_wait();
                }
            });
        }
        for (size_t round = 0; round < rounds; ++round) {
            SCOPED_TRACE(round);
            const Plan plan = plan_of(round, random);
            Ouro_FailAllocations(plan.skip, plan.count);
            {
                const Detached outside;
                barrier.arrive_and_wait();
                barrier.arrive_and_wait();
            }
            PyGC_Collect();  // and without memory; none is in flight after it
            failed += Ouro_FailAllocations(0, 0);
            PyGC_Collect();
            shared.check_whole();
            for (const auto& player : players) {
                player->check_whole();
            }
        }
        {
            const Detached outside;
            for (std::thread& thread : threads) {
                thread.join();
            }
        }
        for (const auto& player : players) {
            player->drop();
        }
    }
    PyGC_Collect();
    PyGC_Collect();
    std::printf("%ld made, %ld calls refused, %llu allocations failed, %ld threads not begun, "
                "%ld unraisable, %ld callbacks\n",
                tally.made.load(), tally.refused.load(), static_cast<unsigned long long>(failed),
                tally.unborn.load(), tally.unraisable.load(), tally.called.load());
    EXPECT_EQ(tally.died.load(), tally.made.load());
    EXPECT_EQ(tally.finalized.load(), tally.to_finalize.load());
    EXPECT_EQ(tally.spoiled.load(), 0);
    EXPECT_EQ(tally.strange.load(), 0);
    EXPECT_GT(tally.refused.load(), 0);
    EXPECT_EQ(tracked_objects(), tracked);
    EXPECT_EQ(slots_in_use(), slots);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    Ouro_SetUnraisableHook(nullptr, nullptr);
    EXPECT_EQ(Py_FinalizeEx(), 0);
    // Of this runtime alone, where one process runs several.
    for (std::atomic<long>* each :
         {&tally.made, &tally.died, &tally.to_finalize, &tally.finalized, &tally.refused,
          &tally.spoiled, &tally.strange, &tally.called, &tally.unraisable, &tally.unborn}) {
        *each = 0;
    }
}

INSTANTIATE_TEST_SUITE_P(Engines, Threads, every_engine(), runtime_name);

}  // namespace
}  // namespace ouro::test
