#include "core/builtins/type/subclasses.hpp"
#include "core/builtins/type/heap_type.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/builtins/type/type_lock.hpp"
#include "core/mutator/world.hpp"
#include "core/object/object.hpp"
#include "core/object/own.hpp"
#include "core/object/take.hpp"

namespace ouro::type {
namespace {

// What tp_subclasses points to, once there is a subclass. No references are owned: a type leaves before its memory is
// freed, under the lock of types, so what is found here under that lock is memory of a type, perhaps of one that is dying.
struct Subclasses {
    size_t count;
    size_t capacity;
    PyTypeObject* types[1];
};

Subclasses* list_of(PyTypeObject* type) {
    return static_cast<Subclasses*>(type->tp_subclasses);
}

std::span<PyTypeObject*> entries_of(PyTypeObject* type) {
    Subclasses* list = list_of(type);
    return list == nullptr ? std::span<PyTypeObject*>() : std::span(list->types, list->count);
}

std::span<PyObject*> bases_of(PyTypeObject* type) {
    PyObject* bases = type->tp_bases;
    return bases == nullptr ? std::span<PyObject*>()
                            : std::span(reinterpret_cast<PyTupleObject*>(bases)->ob_item,
                                        static_cast<size_t>(PyTuple_GET_SIZE(bases)));
}

bool make_room(PyTypeObject* base) {
    Subclasses* list = list_of(base);
    const size_t count = list == nullptr ? 0 : list->count;
    if (list != nullptr && count < list->capacity) {
        return true;
    }
    const size_t capacity = count == 0 ? 4 : 2 * count;
    auto* grown = static_cast<Subclasses*>(
        PyMem_RawRealloc(list, sizeof(Subclasses) + capacity * sizeof(PyTypeObject*)));
    if (grown == nullptr) {
        PyErr_NoMemory();
        return false;
    }
    grown->count = count;
    grown->capacity = capacity;
    base->tp_subclasses = grown;
    return true;
}

void remove(PyTypeObject* base, PyTypeObject* type) {
    const std::span<PyTypeObject*> entries = entries_of(base);
    // The newest is at the end, and the likeliest to go.
    const auto found = std::find(entries.rbegin(), entries.rend(), type);
    if (found != entries.rend()) {
        std::copy(found.base(), entries.end(), found.base() - 1);
        --list_of(base)->count;
    }
}

// A new reference, or nullptr if it is dying.
PyTypeObject* take(PyTypeObject* type) {
    auto* op = reinterpret_cast<PyObject*>(type);
    return PyUnstable_TryIncRef(op) != 0 ? type : nullptr;
}

}  // namespace

bool enter_bases(PyTypeObject* type) {
    const TypeLock lock;
    for (PyObject* base : bases_of(type)) {
        if (!make_room(as_type(base))) {
            return false;
        }
    }
    PyUnstable_EnableTryIncRef(reinterpret_cast<PyObject*>(type));
    for (PyObject* base : bases_of(type)) {
        Subclasses* list = list_of(as_type(base));
        list->types[list->count++] = type;
    }
    return true;
}

void leave_bases(PyTypeObject* type) {
    const TypeLock lock;
    for (PyObject* base : bases_of(type)) {
        remove(as_type(base), type);
    }
    PyMem_RawFree(std::exchange(type->tp_subclasses, nullptr));
}

bool for_each_subclass(PyTypeObject* type, const std::function<bool(PyTypeObject*)>& visit) {
    const TypeLock lock;
    // From the end: whatever leaves meanwhile moves nothing that is still to come.
    for (size_t i = entries_of(type).size(); i-- > 0;) {
        const std::span<PyTypeObject*> entries = entries_of(type);
        if (i >= entries.size()) {
            continue;
        }
        if (PyTypeObject* subclass = take(entries[i])) {
            const bool goes_on = visit(subclass);
            Py_DECREF(subclass);
            if (!goes_on) {
                return false;
            }
        }
    }
    return true;
}

PyObject* subclasses_of(PyTypeObject* type) {
    const TypeLock lock;
    for (;;) {
        const size_t count = entries_of(type).size();
        object::Own list(PyList_New(static_cast<Py_ssize_t>(count)));
        if (!list) {
            return nullptr;
        }
        // Making it may have run code that made or dropped types.
        if (entries_of(type).size() != count) {
            continue;
        }
        Py_ssize_t alive = 0;
        for (PyTypeObject* subclass : entries_of(type)) {
            if (take(subclass) != nullptr) {
                PyList_SET_ITEM(list.get(), alive++, reinterpret_cast<PyObject*>(subclass));
            }
        }
        return PyList_SetSlice(list.get(), alive, static_cast<Py_ssize_t>(count), nullptr) == 0
                   ? list.release()
                   : nullptr;
    }
}

}  // namespace ouro::type
