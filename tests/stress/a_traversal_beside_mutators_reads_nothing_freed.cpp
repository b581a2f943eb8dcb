// One thread walks over all old objects again and again and traverses them, while others append, clear,
// move, replace, rehash, resize, free and end. It is never shown what is no object: no poison, nothing
// that somebody stored in memory that was freed under it, no container that is not one. And whatever it
// takes for a container holds what containers of its type hold (inv.heap.freed-whole, inv.heap.map-first).

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/heap/traversed.hpp"
#include "core/include/ouroboros.h"
#include "core/mutator/traversal.hpp"
#include "core/mutator/world.hpp"
#include "core/object/object.hpp"
#include "tests/support/attached.hpp"
#include "tests/support/runtimes.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

constexpr uint64_t kAlive = 0xA11'7E57'A11'7E57;
constexpr uint64_t kDying = 0xD1E'D1E'D1E'D1E'D1E;
constexpr unsigned char kJunk = 0xDB;  // what OURO_POISON fills freed slots with

// A type as an extension's: an array of its own, resized as it grows and shrinks.
struct Bag {
    PyObject ob_base;
    std::atomic<uint64_t> cookie;
    std::atomic<PyObject**> items;
    std::atomic<Py_ssize_t> count;
    PyObject* weak_references;
};

Bag* bag(PyObject* op) {
    return reinterpret_cast<Bag*>(op);
}

// The array, the count, the array: as list_traverse, and for its reasons.
int bag_traverse(PyObject* op, visitproc visit, void* arg) {
    PyObject** items;
    Py_ssize_t count;
    do {
        items = bag(op)->items.load(std::memory_order_acquire);
        count = bag(op)->count.load(std::memory_order_acquire);
    } while (bag(op)->items.load(std::memory_order_relaxed) != items);
    for (Py_ssize_t i = 0; i < count; ++i) {
        Py_VISIT(items[i]);
    }
    return 0;
}

int bag_clear(PyObject* op) {
    const Py_ssize_t count = bag(op)->count.exchange(0, std::memory_order_acq_rel);
    PyObject** items = bag(op)->items.exchange(nullptr, std::memory_order_acq_rel);
    for (Py_ssize_t i = 0; i < count; ++i) {
        Py_XDECREF(items[i]);
    }
    PyMem_Free(items);
    return 0;
}

void bag_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    PyObject_ClearWeakRefs(op);
    bag(op)->cookie.store(kDying, std::memory_order_relaxed);
    bag_clear(op);
    Py_TYPE(op)->tp_free(op);
}

PyTypeObject BagType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "stress.Bag",
    .tp_basicsize = sizeof(Bag),
    .tp_dealloc = bag_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = bag_traverse,
    .tp_clear = bag_clear,
    .tp_weaklistoffset = offsetof(Bag, weak_references),
};

PyObject* new_bag() {
    PyObject* op = PyObject_GC_New(PyObject, &BagType);
    bag(op)->items.store(nullptr, std::memory_order_relaxed);
    bag(op)->count.store(0, std::memory_order_relaxed);
    bag(op)->weak_references = nullptr;
    bag(op)->cookie.store(kAlive, std::memory_order_relaxed);
    PyObject_GC_Track(op);
    return op;
}

// Steals.
void bag_push(PyObject* op, PyObject* item) {
    const Py_ssize_t count = bag(op)->count.load(std::memory_order_relaxed);
    PyObject** items = bag(op)->items.load(std::memory_order_relaxed);
    auto* more = static_cast<PyObject**>(
        PyMem_Realloc(items, static_cast<size_t>(count + 1) * sizeof(PyObject*)));
    bag(op)->items.store(more, std::memory_order_release);
    OURO_STORE_FIELD(&more[count], item);
    bag(op)->count.store(count + 1, std::memory_order_release);
}

void bag_pop(PyObject* op) {
    const Py_ssize_t count = bag(op)->count.load(std::memory_order_relaxed);
    if (count == 0) {
        return;
    }
    PyObject** items = bag(op)->items.load(std::memory_order_relaxed);
    bag(op)->count.store(count - 1, std::memory_order_release);
    Py_DECREF(items[count - 1]);
    if (count > 1) {
        bag(op)->items.store(static_cast<PyObject**>(PyMem_Realloc(
                                 items, static_cast<size_t>(count - 1) * sizeof(PyObject*))),
                             std::memory_order_release);
    }
}

// What one mutator has, through all threads that play it: lists, dicts, sets and bags, in tuples.
constexpr size_t kPlaces = 300;
constexpr size_t kMutators = 2;

class Mutator {
public:
    Mutator(uint64_t seed, PyObject* shared) : random_(seed), shared_(shared) {
        for (PyObject*& op : places_) {
            op = make();
        }
    }
    ~Mutator() {
        for (PyObject* op : places_) {
            Py_DECREF(op);
        }
    }
    Mutator(const Mutator&) = delete;
    Mutator& operator=(const Mutator&) = delete;

    void step() {
        PyObject*& op = places_[random_() % kPlaces];
        switch (random_() % 16) {
            case 0:
                Py_SETREF(op, make());
                return;
            case 1:
                junk();
                return;
            case 2: {  // a container that both change
                PyObject* item = leaf();
                PyList_SetItem(shared_, static_cast<Py_ssize_t>(random_()) & 15, item);
                return;
            }
            default:
                break;
        }
        if (PyList_Check(op)) {
            change_list(op);
        } else if (PyDict_Check(op)) {
            change_dict(op);
        } else if (PyAnySet_Check(op)) {
            change_set(op);
        } else if (Py_IS_TYPE(op, &BagType)) {
            change_bag(op);
        } else {
            Py_SETREF(op, make());
        }
    }

private:
    PyObject* make() {
        switch (random_() % 6) {
            case 0:
                return PyList_New(0);
            case 1:
                return PyDict_New();
            case 2:
                return PySet_New(nullptr);
            case 3: {
                PyObject* op = PyTuple_New(3);
                for (Py_ssize_t i = 0; i < 3; ++i) {
                    PyTuple_SET_ITEM(op, i, leaf());
                }
                return op;
            }
            default:
                return new_bag();
        }
    }
    // Small, of many kinds; another place's object now and then.
    PyObject* leaf() {
        switch (random_() % 6) {
            case 0:
                return PyLong_FromLong(static_cast<long>(random_() % 10'000) + 1000);
            case 1:
                return PyFloat_FromDouble(1);
            case 2: {
                PyObject* op = new_bag();
                PyObject* reference = PyWeakref_NewRef(op, nullptr);
                Py_DECREF(op);
                return reference;
            }
            case 3:
                return PyList_New(static_cast<Py_ssize_t>(random_() % 4));
            case 4: {
                PyObject* op = new_bag();
                bag_push(op, PyList_New(2));
                return op;
            }
            default:
                return Py_NewRef(Py_None);
        }
    }
    // Memory of the sizes of arrays and tables, with something in it that is no object.
    void junk() {
        std::array<void*, 8> all;
        for (void*& p : all) {
            const size_t bytes = size_t{16} << random_() % 9;
            p = PyMem_Malloc(bytes);
            std::memset(p, kJunk, bytes);
        }
        for (void* p : all) {
            PyMem_Free(p);
        }
    }
    void change_list(PyObject* op) {
        const Py_ssize_t size = PyList_Size(op);
        switch (random_() % 8) {
            case 0:
                PyList_Type.tp_clear(op);
                break;
            case 1:
                if (size > 0) {
                    PyList_SetItem(op, static_cast<Py_ssize_t>(random_()) & 7, leaf());
                    PyErr_Clear();
                }
                break;
            case 2:  // moved, and no count changes
                for (Py_ssize_t i = 0, k = size - 1; i < k; ++i, --k) {
                    PyObject* item = PyList_GET_ITEM(op, i);
                    PyList_SET_ITEM(op, i, PyList_GET_ITEM(op, k));
                    PyList_SET_ITEM(op, k, item);
                }
                break;
            default: {
                PyObject* item = leaf();
                PyList_Append(op, item);
                Py_DECREF(item);
            }
        }
    }
    void change_dict(PyObject* op) {
        PyObject* key = PyLong_FromLong(static_cast<long>(random_() % 64) + 1000);
        switch (random_() % 8) {
            case 0:
                PyDict_Clear(op);
                break;
            case 1:
            case 2:
                PyDict_DelItem(op, key);
                PyErr_Clear();
                break;
            default: {
                PyObject* value = leaf();
                PyDict_SetItem(op, key, value);
                Py_DECREF(value);
            }
        }
        Py_DECREF(key);
    }
    void change_set(PyObject* op) {
        PyObject* key = random_() % 4 == 0
                            ? PyCapsule_New(this, nullptr, nullptr)
                            : PyLong_FromLong(static_cast<long>(random_() % 64) + 1000);
        switch (random_() % 8) {
            case 0:
                PySet_Clear(op);
                break;
            case 1:
                Py_XDECREF(PySet_Pop(op));
                PyErr_Clear();
                break;
            default:
                PySet_Add(op, key);
        }
        Py_DECREF(key);
    }
    void change_bag(PyObject* op) {
        switch (random_() % 8) {
            case 0:
                bag_clear(op);
                break;
            case 1:
            case 2:
                bag_pop(op);
                break;
            case 3:  // untracked and tracked again, as a type's own functions may
                PyObject_GC_UnTrack(op);
                PyObject_GC_Track(op);
                break;
            default:
                bag_push(op, leaf());
        }
    }

    std::mt19937_64 random_;
    PyObject* const shared_;
    std::array<PyObject*, kPlaces> places_{};
};

// What the traversing thread sees.
struct Walk {
    mutator::Traversal* traversal = nullptr;
    size_t objects = 0, references = 0, containers = 0;
    std::string problem;
};

bool is_known(const PyTypeObject* type) {
    constexpr std::array kTypes = {&BagType,    &PyList_Type,        &PyTuple_Type,    &PyDict_Type,
                                   &PySet_Type, &_PyWeakref_RefType, &PyFrozenSet_Type};
    return std::ranges::find(kTypes, type) != kTypes.end();
}

int visit(PyObject* p, void* arg) {
    Walk& walk = *static_cast<Walk*>(arg);
    ++walk.references;
    const auto complain = [&](const char* what) {
        char text[100];
        std::snprintf(text, sizeof text, "%p, which was visited, %s", static_cast<void*>(p), what);
        walk.problem = text;
        return 1;
    };
    if (p != Py_None && !heap::in_heap(p)) {
        return complain("lies nowhere");
    }
    if (!heap::address_is_object(p)) {
        return 0;
    }
    ++walk.containers;
    const PyTypeObject* type = object::type_of(p);
    if (!is_known(type)) {
        return complain("has no type");
    }
    if (type == &BagType) {
        const uint64_t cookie = bag(p)->cookie.load(std::memory_order_relaxed);
        if (cookie != kAlive && cookie != kDying) {
            return complain("is no bag");
        }
    }
    return 0;
}

void walk_over_old(Walk& walk) {
    constexpr size_t kSegment = 200;
    for (size_t number = 0; number < heap::block_limit(); ++number) {
        const heap::Block* block = heap::container_block(number);
        // The block may go at a quiescent point.
        for (uint32_t i = 0; block != nullptr && i < block->capacity; ++i) {
            if (!heap::is_old(block->first_slot + i)) {
                continue;
            }
            PyObject* op = heap::object_at(block, i);
            PyTypeObject* type = object::type_of(op);
            if (!is_known(type) || type->tp_traverse(op, visit, &walk) != 0) {
                ADD_FAILURE() << "walking over old objects: " << walk.problem << " (of a "
                              << (is_known(type) ? type->tp_name : "nothing") << ")";
                return;
            }
            if (++walk.objects % kSegment == 0) {
                walk.traversal->quiesce();
                block = heap::container_block(number);
            }
        }
    }
    walk.traversal->quiesce();
}

class Beside : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        ASSERT_EQ(Ouro_Configure(settings_for(GetParam(), "verify=off").c_str(), nullptr), 0);
        Py_Initialize();
        ASSERT_EQ(PyType_Ready(&BagType), 0);
    }
    void TearDown() override { Py_FinalizeEx(); }
};

// A mutator's stint: on a thread that ends.
void play(Mutator& mutator, const std::atomic<bool>& stop, std::atomic<size_t>& steps) {
    while (!stop.load(std::memory_order_relaxed)) {
        std::thread([&] {
            const Attached attached;
            for (int i = 0; i < 5000 && !stop.load(std::memory_order_relaxed); ++i) {
                mutator.step();
                steps.fetch_add(1, std::memory_order_relaxed);
                if (i % 64 == 0) {
                    EXPECT_EQ(Py_MakePendingCalls(), 0);
                }
            }
        }).join();
    }
}

TEST_P(Beside, AWalkOverAllOldObjects) {
    const uint64_t seed = test::seed();
    const size_t rounds = scaled(24, 4);
    constexpr size_t kWalks = 6;
    PyObject* shared = PyList_New(16);
    for (Py_ssize_t i = 0; i < 16; ++i) {
        PyList_SET_ITEM(shared, i, Py_NewRef(Py_None));
    }
    std::vector<std::unique_ptr<Mutator>> mutators;
    for (size_t i = 0; i < kMutators; ++i) {
        mutators.push_back(std::make_unique<Mutator>(seed + i, shared));
        for (int k = 0; k < 5000; ++k) {
            mutators.back()->step();
        }
    }
    std::atomic<bool> stop{false};
    std::atomic<size_t> steps{0};
    Walk walk;
    size_t steps_beside = 0;
    {
        const Detached outside;
        std::vector<std::thread> threads;
        for (auto& mutator : mutators) {
            threads.emplace_back([&, m = mutator.get()] { play(*m, stop, steps); });
        }
        for (size_t round = 0; round < rounds && !HasFailure(); ++round) {
            std::optional<mutator::Traversal> traversal;
            {
                const Attached attached;
                PyGC_Collect();  // what lives becomes old
                const mutator::Stopped stopped;
                traversal.emplace();
                traversal->pause();
            }
            walk.traversal = &*traversal;
            const size_t before = steps.load(std::memory_order_relaxed);
            // Beside at least so many steps of the others.
            for (size_t i = 0;
                 i < kWalks || (steps.load(std::memory_order_relaxed) < before + 3000); ++i) {
                traversal->resume();
                walk_over_old(walk);
                traversal->pause();
                if (HasFailure()) {
                    break;
                }
            }
            steps_beside += steps.load(std::memory_order_relaxed) - before;
        }
        stop = true;
        for (std::thread& thread : threads) {
            thread.join();
        }
    }
    mutators.clear();
    Py_DECREF(shared);
    EXPECT_GE(steps_beside, 3000 * rounds);
    EXPECT_GT(walk.objects, 100 * rounds);
    EXPECT_GT(walk.containers, 20 * rounds);
    PyGC_Collect();
    mutator::current->limbo_due = true;
    EXPECT_EQ(Py_MakePendingCalls(), 0);
    EXPECT_EQ(mutator::limbo_bytes(), 0u);
    std::printf("%zu objects walked over, %zu references, %zu to containers, beside %zu steps\n",
                walk.objects, walk.references, walk.containers, steps_beside);
}

#ifdef OURO_REFCOUNT_PLAIN
INSTANTIATE_TEST_SUITE_P(Counts, Beside, testing::Values("plain"), runtime_name);
#else
INSTANTIATE_TEST_SUITE_P(Counts, Beside, testing::Values("gil", "biased", "atomic"), runtime_name);
#endif

}  // namespace
}  // namespace ouro::test
