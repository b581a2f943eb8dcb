// Rings of small containers that nothing refers to once they are made, of types whose finalizers take their time.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "core/include/ouroboros.h"

namespace ouro::test {

struct Link {
    PyObject ob_base;
    PyObject* next;
};

inline int link_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(reinterpret_cast<Link*>(op)->next);
    return 0;
}

inline int link_clear(PyObject* op) {
    Py_CLEAR(reinterpret_cast<Link*>(op)->next);
    return 0;
}

// Called by link_dealloc, if it is not nullptr. Set before there are threads.
inline void (*on_link_death)() = nullptr;

inline void link_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    link_clear(op);
    if (on_link_death != nullptr) {
        on_link_death();
    }
    PyObject_GC_Del(op);
}

// Whether the calling thread has something else to do, and no finalizer keeps it.
inline thread_local bool is_in_a_hurry = false;

// Some time in which others run, some of it outside.
inline void finalize_for_a_while(PyObject*) {
    if (is_in_a_hurry) {
        return;
    }
    Py_BEGIN_ALLOW_THREADS
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    Py_END_ALLOW_THREADS
}

inline void finalize_without_end(PyObject*) {
    while (!is_in_a_hurry) {
        Py_BEGIN_ALLOW_THREADS
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        Py_END_ALLOW_THREADS
    }
}

inline constexpr unsigned long kLinkFlags =
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE;

inline PyTypeObject LinkType = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "test.Link",
    .tp_basicsize = sizeof(Link),
    .tp_dealloc = link_dealloc,
    .tp_flags = kLinkFlags,
    .tp_traverse = link_traverse,
    .tp_clear = link_clear,
};
inline PyTypeObject SlowLinkType = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "test.SlowLink",
    .tp_basicsize = sizeof(Link),
    .tp_dealloc = link_dealloc,
    .tp_flags = kLinkFlags,
    .tp_traverse = link_traverse,
    .tp_clear = link_clear,
    .tp_finalize = finalize_for_a_while,
};
inline PyTypeObject EndlessLinkType = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "test.EndlessLink",
    .tp_basicsize = sizeof(Link),
    .tp_dealloc = link_dealloc,
    .tp_flags = kLinkFlags,
    .tp_traverse = link_traverse,
    .tp_clear = link_clear,
    .tp_finalize = finalize_without_end,
};

inline PyObject* new_link(PyTypeObject* type = &LinkType) {
    auto* link = PyObject_GC_New(Link, type);
    link->next = nullptr;
    PyObject_GC_Track(reinterpret_cast<PyObject*>(link));
    return reinterpret_cast<PyObject*>(link);
}

inline void drop_ring(size_t size, PyTypeObject* type = &LinkType) {
    PyObject* first = new_link(type);
    PyObject* last = first;
    for (size_t i = 1; i < size; ++i) {
        PyObject* link = new_link(type);
        OURO_STORE_FIELD(&reinterpret_cast<Link*>(last)->next, link);
        last = link;
    }
    OURO_STORE_FIELD(&reinterpret_cast<Link*>(last)->next, first);
}

}  // namespace ouro::test
