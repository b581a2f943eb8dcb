// Objects that notice when a traversal is shown what is no object any more, when they are used after their
// death, finalized twice or not at all. What they notice ends the program: in a child process of a collector it
// ends that, which the collector reports.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "core/heap/heap.hpp"
#include "core/include/ouroboros.h"
#include "core/object/object.hpp"
#include "core/option/settings.hpp"
#include "tests/support/revived.hpp"

namespace ouro::test {

inline constexpr uint64_t kAlive = 0xA11'7E57'A11'7E57;
inline constexpr uint64_t kDying = 0xD1E'D1E'D1E'D1E'D1E;

// Of all of a kind that there are and were.
struct Census {
    std::atomic<long> live{0};
    std::atomic<long> final_made{0};
    std::atomic<long> finalized{0};
    std::atomic<long> resurrected{0};
    std::atomic<long> requests{0};  // for a collection, that may still be made
    RevivedList revived;            // of kRevived
};
inline Census census;
inline constexpr Py_ssize_t kRevived = 16;

// Whether a collection may be asked for: that ends one in flight, so that at most so many would never be over.
inline bool may_request() {
    long left = census.requests.load(std::memory_order_relaxed);
    while (left > 0 &&
           !census.requests.compare_exchange_weak(left, left - 1, std::memory_order_relaxed)) {
    }
    return left > 0;
}

[[noreturn]] inline void give_up(const char* what, const void* where) {
    std::fprintf(stderr, "torture: %p %s\n", where, what);
    std::abort();
}

// Flagged. A ring is made of slot 0; the others are for what a test likes.
struct Node {
    PyObject ob_base;
    std::atomic<uint64_t> cookie;
    PyObject* slots[3];
    PyObject* weak_references;
    std::atomic<int> finalized;
    std::atomic<bool> cleared;  // by the collector: nobody may use it any more
};

// Not flagged: as an extension's that knows nothing of threads. An array that is resized as it
// grows and shrinks, so that it moves all the time.
struct Bag {
    PyObject ob_base;
    std::atomic<uint64_t> cookie;
    PyObject** items;
    Py_ssize_t count;
};

// What a weak reference calls; no container.
struct Watch {
    PyObject ob_base;
    std::atomic<int> calls;
};

inline Node* node(PyObject* op) {
    return reinterpret_cast<Node*>(op);
}
inline Bag* bag(PyObject* op) {
    return reinterpret_cast<Bag*>(op);
}

extern PyTypeObject NodeType, FinalNodeType, BagType, WatchType;

inline bool is_node(PyObject* op) {
    return op != nullptr && (Py_IS_TYPE(op, &NodeType) || Py_IS_TYPE(op, &FinalNodeType));
}

// Of an object that its user owns a reference to.
inline void check_alive(PyObject* op) {
    if (is_node(op) && node(op)->cookie.load(std::memory_order_relaxed) != kAlive) {
        give_up("is used after its death", op);
    }
    if (Py_IS_TYPE(op, &BagType) && bag(op)->cookie.load(std::memory_order_relaxed) != kAlive) {
        give_up("is a bag that is used after its death", op);
    }
}

// And by no collector's code: a live object that is condemned is not freed, but cleared.
inline void check_used(PyObject* op) {
    check_alive(op);
    if (is_node(op) && node(op)->cleared.load(std::memory_order_relaxed)) {
        give_up("is used and was cleared", op);
    }
}

// Of a reference that a traversal has read: the object may have died since, but its memory is whole. The link
// of a free slot and the fill of a poisoned one are no types.
inline void check_visited(PyObject* op) {
    const std::array known = {&NodeType,     &FinalNodeType, &BagType,        &WatchType,
                              &PyList_Type,  &PyDict_Type,   &PyTuple_Type,   &PyLong_Type,
                              &PyFloat_Type, &PySet_Type,    &PyCapsule_Type, &_PyWeakref_RefType};
    const PyTypeObject* type = object::type_of(op);
    if (type != Py_TYPE(Py_None) && std::ranges::find(known, type) == known.end()) {
        give_up("was visited and is no object", op);
    }
    const bool has_cookie = type == &NodeType || type == &FinalNodeType || type == &BagType;
    static_assert(offsetof(Node, cookie) == offsetof(Bag, cookie));
    if (has_cookie) {
        const uint64_t cookie = node(op)->cookie.load(std::memory_order_relaxed);
        if (cookie != kAlive && cookie != kDying) {
            give_up("was visited and is freed", op);
        }
    }
}

inline void check_traversed(PyObject* op) {
    const uint64_t cookie = node(op)->cookie.load(std::memory_order_relaxed);
    if (cookie != kAlive && cookie != kDying) {
        give_up("is traversed and is freed", op);
    }
}

inline int node_traverse(PyObject* op, visitproc visit, void* arg) {
    check_traversed(op);
    for (PyObject*& slot : node(op)->slots) {
        // acquire: pairs with OURO_STORE_FIELD; what is looked at below is written before.
        PyObject* referent = __atomic_load_n(&slot, __ATOMIC_ACQUIRE);
        if (referent != nullptr) {
            if (thread_local unsigned visits = 0; ++visits % 256 == 0) {
                std::this_thread::yield();  // others free what has just been read
            }
            check_visited(referent);
            if (const int result = visit(referent, arg)) {
                return result;
            }
        }
    }
    return 0;
}

inline void drop_slots(PyObject* op) {
    for (PyObject*& slot : node(op)->slots) {
        Py_CLEAR(slot);
    }
}

inline int node_clear(PyObject* op) {
    check_alive(op);
    node(op)->cleared.store(true, std::memory_order_relaxed);
    drop_slots(op);
    return 0;
}

inline void node_finalize(PyObject* op) {
    check_alive(op);
    if (node(op)->finalized.fetch_add(1, std::memory_order_relaxed) != 0) {
        give_up("is finalized twice", op);
    }
    for (PyObject* referent : node(op)->slots) {  // nothing has been cleared yet
        if (referent != nullptr) {
            check_alive(referent);
        }
    }
    const long call = census.finalized.fetch_add(1, std::memory_order_relaxed);
    if (call % 16 == 0) {
        if (PyObject* revived = census.revived.get()) {
            census.resurrected.fetch_add(1, std::memory_order_relaxed);
            PyList_SetItem(revived, call / 16 % kRevived, Py_NewRef(op));
            Py_DECREF(revived);
        }
    }
    if (call % 512 == 0 && may_request()) {
        PyGC_Collect();
    }
}

inline void node_dealloc(PyObject* op) {
    if (PyObject_CallFinalizerFromDealloc(op) < 0) {
        return;
    }
    PyObject_GC_UnTrack(op);
    PyObject_ClearWeakRefs(op);
    if (node(op)->cookie.exchange(kDying, std::memory_order_relaxed) != kAlive) {
        give_up("dies twice", op);
    }
    if (Py_IS_TYPE(op, &FinalNodeType) && node(op)->finalized != 1) {
        give_up("dies without having been finalized", op);
    }
    drop_slots(op);
    census.live.fetch_sub(1, std::memory_order_relaxed);
    Py_TYPE(op)->tp_free(op);
}

inline PyTypeObject NodeType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "torture.Node",
    .tp_basicsize = sizeof(Node),
    .tp_dealloc = node_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = node_traverse,
    .tp_clear = node_clear,
    .tp_weaklistoffset = offsetof(Node, weak_references),
};

inline PyTypeObject FinalNodeType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "torture.FinalNode",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &NodeType,
    .tp_finalize = node_finalize,
};

// Where it runs concurrently with mutators (traverse=optimistic) the count may be that of another array than
// the pointer: what lies behind an array of the heap can be read, and is whatever it is. The sanitizers would
// not instrument an extension either.
__attribute__((no_sanitize("address", "thread", "undefined"))) inline int
bag_traverse(PyObject* op, visitproc visit, void* arg) {
    const bool beside = option::settings().traverse == option::Traverse::kOptimistic;
    check_traversed(op);
    const Py_ssize_t count = *const_cast<volatile Py_ssize_t*>(&bag(op)->count);
    PyObject* volatile* items = *const_cast<PyObject** volatile*>(&bag(op)->items);
    for (Py_ssize_t i = 0; items != nullptr && i < count; ++i) {
        PyObject* referent = items[i];
        if (referent != nullptr && !beside) {
            check_visited(referent);
        }
        Py_VISIT(referent);
    }
    return 0;
}

inline int bag_clear(PyObject* op) {
    check_alive(op);
    PyObject** items = bag(op)->items;
    const Py_ssize_t count = bag(op)->count;
    bag(op)->items = nullptr;
    bag(op)->count = 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
        Py_XDECREF(items[i]);
    }
    PyMem_Free(items);
    return 0;
}

inline void bag_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    bag_clear(op);
    if (bag(op)->cookie.exchange(kDying, std::memory_order_relaxed) != kAlive) {
        give_up("is a bag that dies twice", op);
    }
    census.live.fetch_sub(1, std::memory_order_relaxed);
    Py_TYPE(op)->tp_free(op);
}

inline PyTypeObject BagType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "torture.Bag",
    .tp_basicsize = sizeof(Bag),
    .tp_dealloc = bag_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = bag_traverse,
    .tp_clear = bag_clear,
};

inline PyObject* watch_call(PyObject* op, PyObject* args, PyObject*) {
    if (PyWeakref_IsDead(PyTuple_GET_ITEM(args, 0)) != 1) {
        give_up("is called for a weak reference that is not dead", op);
    }
    reinterpret_cast<Watch*>(op)->calls.fetch_add(1, std::memory_order_relaxed);
    return Py_NewRef(Py_None);
}

inline PyTypeObject WatchType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "torture.Watch",
    .tp_basicsize = sizeof(Watch),
    .tp_dealloc = [](PyObject* op) { Py_TYPE(op)->tp_free(op); },
    .tp_call = watch_call,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

// New, tracked objects (new references).

inline PyObject* new_node(bool is_final) {
    PyTypeObject* type = is_final ? &FinalNodeType : &NodeType;
    PyObject* op = PyObject_GC_New(PyObject, type);
    for (PyObject*& slot : node(op)->slots) {
        OURO_STORE_FIELD(&slot, nullptr);
    }
    node(op)->weak_references = nullptr;
    node(op)->finalized.store(0, std::memory_order_relaxed);
    node(op)->cleared.store(false, std::memory_order_relaxed);
    node(op)->cookie.store(kAlive, std::memory_order_relaxed);
    census.live.fetch_add(1, std::memory_order_relaxed);
    census.final_made.fetch_add(is_final ? 1 : 0, std::memory_order_relaxed);
    PyObject_GC_Track(op);
    return op;
}

inline PyObject* new_bag() {
    PyObject* op = PyObject_GC_New(PyObject, &BagType);
    bag(op)->items = nullptr;
    bag(op)->count = 0;
    bag(op)->cookie.store(kAlive, std::memory_order_relaxed);
    census.live.fetch_add(1, std::memory_order_relaxed);
    PyObject_GC_Track(op);
    return op;
}

inline PyObject* new_watch() {
    PyObject* op = PyObject_New(PyObject, &WatchType);
    reinterpret_cast<Watch*>(op)->calls.store(0, std::memory_order_relaxed);
    return op;
}

inline int calls_of(PyObject* watch) {
    return reinterpret_cast<Watch*>(watch)->calls.load(std::memory_order_relaxed);
}

// Steals.
inline void bag_push(PyObject* op, PyObject* item) {
    const Py_ssize_t count = bag(op)->count;
    auto** more = static_cast<PyObject**>(
        PyMem_Realloc(bag(op)->items, static_cast<size_t>(count + 1) * sizeof(PyObject*)));
    more[count] = item;
    bag(op)->items = more;
    bag(op)->count = count + 1;
}

// The reference is the caller's; nullptr: it is empty.
inline PyObject* bag_pop(PyObject* op) {
    const Py_ssize_t count = bag(op)->count;
    if (count == 0) {
        return nullptr;
    }
    PyObject* item = bag(op)->items[count - 1];
    bag(op)->count = count - 1;
    if (count == 1) {
        PyMem_Free(bag(op)->items);
        bag(op)->items = nullptr;
    } else {
        bag(op)->items = static_cast<PyObject**>(
            PyMem_Realloc(bag(op)->items, static_cast<size_t>(count - 1) * sizeof(PyObject*)));
    }
    return item;
}

}  // namespace ouro::test
