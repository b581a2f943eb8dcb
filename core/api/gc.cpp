// The documented cyclic GC functions.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/collector/collector.hpp"
#include "core/collector/visible.hpp"
#include "core/heap/traversed.hpp"
#include "core/include/ouroboros.h"
#include "core/mutator/misuse.hpp"
#include "core/mutator/world.hpp"
#include "core/object/object.hpp"

using namespace ouro;

namespace {

PyObject* as_object(void* op) {
    return static_cast<PyObject*>(op);
}

bool is_container_in_heap(const void* op) {
    return heap::has_metadata(op);
}

[[noreturn]] void refuse_object(const char* function, const PyObject* op, const char* what) {
    Py_FatalError(
        fmt::format("{}: an object of type {} {}", function, op->ob_type->tp_name, what).c_str());
}

}  // namespace

PyObject* PyUnstable_Object_GC_NewWithExtraData(PyTypeObject* type, size_t extra_size) {
    size_t bytes;
    if (__builtin_add_overflow(static_cast<size_t>(type->tp_basicsize), extra_size, &bytes) ||
        bytes > static_cast<size_t>(PY_SSIZE_T_MAX)) {
        return PyErr_NoMemory();
    }
    PyObject* op = object::allocate_container(type, bytes);
    if (op != nullptr) {
        std::memset(op + 1, 0, bytes - sizeof(PyObject));
    }
    return op;
}

PyObject* _PyObject_GC_New(PyTypeObject* type) {
    return object::allocate_container(type, static_cast<size_t>(type->tp_basicsize));
}

PyVarObject* _PyObject_GC_NewVar(PyTypeObject* type, Py_ssize_t nitems) {
    size_t bytes;
    if (!object::instance_size(type, nitems, &bytes)) {
        PyErr_NoMemory();
        return nullptr;
    }
    auto* op = reinterpret_cast<PyVarObject*>(object::allocate_container(type, bytes));
    if (op != nullptr) {
        op->ob_size = nitems;
    }
    return op;
}

PyVarObject* _PyObject_GC_Resize(PyVarObject* op, Py_ssize_t nitems) {
    PyTypeObject* type = Py_TYPE(op);
    if (!is_container_in_heap(op)) {
        refuse_object("PyObject_GC_Resize", &op->ob_base, "is not a container in the heap");
    }
    const uint8_t state = object::load_state(op);
    if (object::is_tracked(op)) {
        PyErr_Format(
            PyExc_SystemError,
            "PyObject_GC_Resize: the %s is tracked; only an untracked object can be resized",
            type->tp_name);
        return nullptr;
    }
    size_t bytes;
    if (!object::instance_size(type, nitems, &bytes)) {
        PyErr_NoMemory();
        return nullptr;
    }
    const size_t usable = heap::usable_size(op);
    // Not in place where a traversal may have begun with it before it was untracked.
    if (bytes <= usable && bytes >= usable / 2 && !heap::is_traversed()) {
        op->ob_size = nitems;
        return op;
    }
    const heap::BlockKind kind = heap::block_of(op)->kind;
    auto* moved = static_cast<PyVarObject*>(heap::allocate(kind, bytes));
    if (moved == nullptr) {
        if (bytes <= usable) {  // what only shrinks can stay where it is
            Py_SET_SIZE(op, nitems);
            return op;
        }
        PyErr_NoMemory();
        return nullptr;
    }
    const size_t prefix = kind == heap::BlockKind::kPrefixed ? heap::kPrefix : 0;
    std::memcpy(reinterpret_cast<char*>(moved) - prefix, reinterpret_cast<char*>(op) - prefix,
                std::min(bytes, usable) + prefix);
    __atomic_store_n(object::state_of(moved), state, __ATOMIC_RELAXED);
    moved->ob_size = nitems;
    // The new place has the caller's reference alone. If the object is condemned, the collector lists the
    // old place and holds a reference to it: that stays behind as an object without contents.
    object::initialise(&moved->ob_base, type);
    object::discard(&op->ob_base);
    return moved;
}

void PyObject_GC_Track(void* p) {
    PyObject* op = as_object(p);
    if (!is_container_in_heap(op)) [[unlikely]] {
        refuse_object(
            "PyObject_GC_Track", op,
            "was not allocated as a container (PyObject_GC_New or tp_alloc of a type with "
            "Py_TPFLAGS_HAVE_GC)");
    }
    if (object::is_tracked(op)) [[unlikely]] {
        refuse_object("PyObject_GC_Track", op, "is already tracked by the garbage collector");
    }
    heap::make_young(op);
    object::track(op);
}

void PyObject_GC_UnTrack(void* p) {
    if (is_container_in_heap(p)) {
        object::untrack(as_object(p));
    }
}

void PyObject_GC_Del(void* p) {
    mutator::allocation_trigger.note_deallocation();
    object::discard(as_object(p));
}

int PyObject_IS_GC(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    return PyType_HasFeature(type, Py_TPFLAGS_HAVE_GC) &&
           (type->tp_is_gc == nullptr || type->tp_is_gc(op) != 0);
}

int PyObject_GC_IsTracked(PyObject* op) {
    return object::is_tracked(op);
}

int PyObject_GC_IsFinalized(PyObject* op) {
    return is_container_in_heap(op) && (object::load_state(op) & heap::kFinalized) != 0;
}

void PyUnstable_GC_VisitObjects(gcvisitobjects_t callback, void* arg) {
    mutator::require_attached("PyUnstable_GC_VisitObjects");
    // Once to end what is in flight, and once more where nobody else can enable it.
    const int was_enabled = PyGC_Disable();
    const mutator::Stopped stopped;
    const int is_enabled = PyGC_Disable();
    collector::for_each_visible(collector::Frozen::kShown, [&](PyObject* op, uint32_t) {
        Py_INCREF(op);
        const bool go_on = callback(op, arg) != 0;
        Py_DECREF(op);
        return go_on;
    });
    if (was_enabled != 0 || is_enabled != 0) {
        PyGC_Enable();
    }
}

Py_ssize_t PyGC_Collect(void) {
    mutator::require_attached("PyGC_Collect");
    return collector::collector().collect(event::Scope::kFull);
}

Py_ssize_t Ouro_CollectGeneration(int generation) {
    mutator::require_attached("Ouro_CollectGeneration");
    if (generation < 0 || generation > static_cast<int>(event::Scope::kFull)) {
        PyErr_Format(PyExc_ValueError, "generation %d: there are 0 (young), 1 (middle) and 2 (all)",
                     generation);
        return -1;
    }
    return collector::collector().collect(static_cast<event::Scope>(generation));
}

int PyGC_Enable(void) {
    return collector::collector().set_enabled(true);
}

int PyGC_Disable(void) {
    return collector::collector().set_enabled(false);
}

int PyGC_IsEnabled(void) {
    return collector::collector().is_enabled();
}
