// Who is told of changes of types, and types that change no more. Source: "Type Objects" in the C API documentation.
#include "core/builtins/type/type_watchers.hpp"

#include "core/builtins/type/heap_type.hpp"
#include "core/object/saved_error.hpp"
#include "core/object/watchers.hpp"

using namespace ouro;

namespace {

constinit object::Watchers<PyType_WatchCallback> type_watchers("type");

// The bit of a watcher; 0 with ValueError, also if that is no type.
unsigned char bit_of(int watcher_id, PyObject* type) {
    if (!PyType_Check(type)) {
        PyErr_SetString(PyExc_ValueError, "Cannot watch non-type");
        return 0;
    }
    return static_cast<unsigned char>(type_watchers.bit_of(watcher_id));
}

unsigned char* watched_by(PyObject* type) {
    return &reinterpret_cast<PyTypeObject*>(type)->tp_watched;
}

}  // namespace

void type::tell_watchers(PyTypeObject* type, unsigned which) {
    const object::SavedError saved;
    type_watchers.tell(which, [type](PyType_WatchCallback callback) {
        if (callback(reinterpret_cast<PyObject*>(type)) < 0) {
            PyErr_FormatUnraisable("Exception ignored in type watcher callback for %R", type);
        }
    });
}

void type::forget_type_watchers() {
    type_watchers.forget();
}

int PyType_AddWatcher(PyType_WatchCallback callback) {
    return type_watchers.add(callback);
}

int PyType_ClearWatcher(int watcher_id) {
    return type_watchers.clear(watcher_id);
}

int PyType_Watch(int watcher_id, PyObject* type) {
    const unsigned char bit = bit_of(watcher_id, type);
    if (bit == 0) {
        return -1;
    }
    __atomic_fetch_or(watched_by(type), bit, __ATOMIC_RELAXED);
    return 0;
}

int PyType_Unwatch(int watcher_id, PyObject* type) {
    const unsigned char bit = bit_of(watcher_id, type);
    if (bit == 0) {
        return -1;
    }
    __atomic_fetch_and(watched_by(type), static_cast<unsigned char>(~bit), __ATOMIC_RELAXED);
    return 0;
}

int PyType_Freeze(PyTypeObject* type) {
    PyObject* mro = type->tp_mro;
    for (Py_ssize_t i = 1; i < PyTuple_GET_SIZE(mro); ++i) {
        const auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(mro, i));
        if (type::is_heap_type(base) && (base->tp_flags & Py_TPFLAGS_IMMUTABLETYPE) == 0) {
            PyErr_Format(PyExc_TypeError, "Creating immutable type %s from mutable base %N",
                         type->tp_name, base);
            return -1;
        }
    }
    __atomic_fetch_or(&type->tp_flags, Py_TPFLAGS_IMMUTABLETYPE, __ATOMIC_RELAXED);
    PyType_Modified(type);
    return 0;
}
