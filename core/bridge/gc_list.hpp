// CPython's lists of tracked containers: the two words before each object, the same in 3.8 to 3.15 with a lock.
//
// A list is circular and doubly linked, with a head that belongs to no object. The two low bits of `prev` are flags of
// CPython's (finalized, collecting) and stay as they are. All of this under the lock, when no collection of CPython's is
// between two of its own steps: from a callback of `gc.callbacks`, or from a call when none is running.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>

namespace ouro::bridge {

struct GcHead {
    uintptr_t next;  // 0: not tracked
    uintptr_t prev;
};
inline constexpr uintptr_t kFlags = 3;

inline GcHead* head_of(PyObject* op) {
    return reinterpret_cast<GcHead*>(op) - 1;
}
inline PyObject* object_of(GcHead* head) {
    return reinterpret_cast<PyObject*>(head + 1);
}

// As PyObject_GC_IsTracked, without a call: it is asked for each reference that is followed.
inline bool is_tracked(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    return PyType_IS_GC(type) && (type->tp_is_gc == nullptr || type->tp_is_gc(op) != 0) &&
           head_of(op)->next != 0;
}

inline GcHead* next_of(const GcHead* head) {
    return reinterpret_cast<GcHead*>(head->next);
}
inline GcHead* prev_of(const GcHead* head) {
    return reinterpret_cast<GcHead*>(head->prev & ~kFlags);
}
inline void set_next(GcHead* head, const GcHead* next) {
    head->next = reinterpret_cast<uintptr_t>(next);
}
inline void set_prev(GcHead* head, const GcHead* prev) {
    head->prev = (head->prev & kFlags) | reinterpret_cast<uintptr_t>(prev);
}

inline bool is_empty(const GcHead* list) {
    return next_of(list) == list;
}

// Takes it out of the list that it is in; it is in none then, though it does not say so.
inline void unlink(GcHead* head) {
    GcHead* prev = prev_of(head);
    GcHead* next = next_of(head);
    set_next(prev, next);
    set_prev(next, prev);
}

// Pre: `head` is in no list.
inline void link_before(GcHead* head, GcHead* place) {
    GcHead* prev = prev_of(place);
    set_next(prev, head);
    set_prev(head, prev);
    set_next(head, place);
    set_prev(place, head);
}

// To directly before `place`, from wherever it is; nothing happens if it is there.
inline void move_before(GcHead* head, GcHead* place) {
    if (head != place && next_of(head) != place) {
        unlink(head);
        link_before(head, place);
    }
}

// Everything between two of one list's members or heads, which stay, to the end of another list.
inline void splice_between(GcHead* after, GcHead* before, GcHead* list) {
    GcHead* first = next_of(after);
    if (first == before) {
        return;
    }
    GcHead* last = prev_of(before);
    set_next(after, before);
    set_prev(before, after);
    GcHead* tail = prev_of(list);
    set_next(tail, first);
    set_prev(first, tail);
    set_next(last, list);
    set_prev(list, last);
}

// Walks it.
inline size_t size_of(const GcHead* list) {
    size_t size = 0;
    for (const GcHead* head = next_of(list); head != list; head = next_of(head)) {
        ++size;
    }
    return size;
}

// Everything of one list to the end of another. Constant time.
inline void splice(GcHead* from, GcHead* list) {
    splice_between(from, from, list);
}

}  // namespace ouro::bridge
