// Weak references and proxies. The weak references to an object are a doubly linked list that hangs
// in it; one without a callback comes first, and is shared by all who ask for such a one.
#include "core/object/weakref.hpp"

#include "core/object/errors.hpp"
#include "core/object/object.hpp"

using namespace ouro;
using object::weak_list_of;

namespace {

PyWeakReference* weak(PyObject* op) {
    return reinterpret_cast<PyWeakReference*>(op);
}

PyObject* as_object(PyWeakReference* reference) {
    return reinterpret_cast<PyObject*>(reference);
}

void unlink(PyWeakReference* reference) {
    PyWeakReference** list = weak_list_of(reference->wr_object);
    if (*list == reference) {
        *list = reference->wr_next;
    }
    if (reference->wr_prev != nullptr) {
        reference->wr_prev->wr_next = reference->wr_next;
    }
    if (reference->wr_next != nullptr) {
        reference->wr_next->wr_prev = reference->wr_prev;
    }
    reference->wr_prev = nullptr;
    reference->wr_next = nullptr;
}

void insert_after(PyWeakReference* reference, PyWeakReference* previous, PyWeakReference** list) {
    reference->wr_prev = previous;
    reference->wr_next = previous == nullptr ? *list : previous->wr_next;
    if (reference->wr_next != nullptr) {
        reference->wr_next->wr_prev = reference;
    }
    if (previous == nullptr) {
        *list = reference;
    } else {
        previous->wr_next = reference;
    }
}

// The references without callbacks that can be shared: at most one plain one, then one proxy.
PyWeakReference* shared_of(PyWeakReference* first, bool proxy) {
    for (; first != nullptr && first->wr_callback == nullptr; first = first->wr_next) {
        PyObject* op = as_object(first);
        if (proxy ? PyWeakref_CheckProxy(op) : PyWeakref_CheckRefExact(op)) {
            return first;
        }
    }
    return nullptr;
}

PyWeakReference* last_without_callback(PyWeakReference* first) {
    PyWeakReference* last = nullptr;
    for (; first != nullptr && first->wr_callback == nullptr; first = first->wr_next) {
        last = first;
    }
    return last;
}

// Whether the object may still be handed out: its deallocation has not begun.
bool is_alive(PyObject* op) {
    return op != nullptr && Py_REFCNT(op) > 0;
}

PyObject* new_weak_reference(PyObject* op, PyObject* callback, PyTypeObject* type) {
    PyWeakReference** list = weak_list_of(op);
    if (list == nullptr) {
        return PyErr_Format(PyExc_TypeError, "cannot create weak reference to '%s' object",
                            Py_TYPE(op)->tp_name);
    }
    if (callback == Py_None) {
        callback = nullptr;
    }
    const bool proxy = type != &_PyWeakref_RefType;
    if (callback == nullptr) {
        PyWeakReference* shared = shared_of(*list, proxy);
        if (shared != nullptr && Py_REFCNT(as_object(shared)) > 0) {
            return Py_NewRef(as_object(shared));
        }
    }
    PyObject* result = _PyObject_GC_New(type);  // may collect, which may change the list
    if (result == nullptr) {
        return nullptr;
    }
    if (callback == nullptr) {
        // The allocation may have collected, and a finalizer have made what was missing.
        PyWeakReference* shared = shared_of(*list, proxy);
        if (shared != nullptr && Py_REFCNT(as_object(shared)) > 0) {
            PyObject_GC_Del(result);
            return Py_NewRef(as_object(shared));
        }
    }
    PyWeakReference* reference = weak(result);
    reference->wr_object = op;
    reference->wr_callback = Py_XNewRef(callback);
    reference->hash = -1;
    PyWeakReference* previous = nullptr;
    if (callback != nullptr) {
        previous = last_without_callback(*list);
    } else if (proxy) {
        previous = shared_of(*list, false);
    }
    insert_after(reference, previous, list);
    object::track(result);
    return result;
}

void weak_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    if (weak(op)->wr_object != nullptr) {
        unlink(weak(op));
        weak(op)->wr_object = nullptr;
    }
    Py_CLEAR(weak(op)->wr_callback);
    Py_TYPE(op)->tp_free(op);
}

int weak_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(weak(op)->wr_callback);
    return 0;
}

int weak_clear(PyObject* op) {
    if (weak(op)->wr_object != nullptr) {
        unlink(weak(op));
        weak(op)->wr_object = nullptr;
    }
    Py_CLEAR(weak(op)->wr_callback);
    return 0;
}

PyObject* ref_call(PyObject* op, PyObject* args, PyObject* kwargs) {
    if (PyTuple_GET_SIZE(args) != 0 || (kwargs != nullptr && PyDict_Size(kwargs) != 0)) {
        PyErr_SetString(PyExc_TypeError, "a weak reference is called without arguments");
        return nullptr;
    }
    PyObject* object = nullptr;
    PyWeakref_GetRef(op, &object);
    return object != nullptr ? object : Py_NewRef(Py_None);
}

Py_hash_t ref_hash(PyObject* op) {
    PyWeakReference* self = weak(op);
    if (self->hash == -1) {
        PyObject* object = nullptr;
        PyWeakref_GetRef(op, &object);
        if (object == nullptr) {
            PyErr_SetString(PyExc_TypeError, "weak object has gone away");
            return -1;
        }
        self->hash = PyObject_Hash(object);
        Py_DECREF(object);
    }
    return self->hash;
}

PyObject* ref_richcompare(PyObject* a, PyObject* b, int operation) {
    if ((operation != Py_EQ && operation != Py_NE) || !PyWeakref_CheckRef(a) ||
        !PyWeakref_CheckRef(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    PyObject* x = nullptr;
    PyObject* y = nullptr;
    PyWeakref_GetRef(a, &x);
    PyWeakref_GetRef(b, &y);
    // Living referents are compared; a dead reference equals only itself.
    int truth;
    if (x == nullptr || y == nullptr) {
        truth = (a == b) == (operation == Py_EQ);
    } else {
        truth = PyObject_RichCompareBool(x, y, operation);
    }
    Py_XDECREF(x);
    Py_XDECREF(y);
    return truth < 0 ? nullptr : PyBool_FromLong(truth);
}

// A new reference to what a proxy stands for; ReferenceError if it is dead.
PyObject* proxied(PyObject* op) {
    PyObject* object = nullptr;
    PyWeakref_GetRef(op, &object);
    if (object == nullptr) {
        PyErr_SetString(PyExc_ReferenceError, "weakly-referenced object no longer exists");
    }
    return object;
}

PyObject* proxy_call(PyObject* op, PyObject* args, PyObject* kwargs) {
    PyObject* object = proxied(op);
    if (object == nullptr) {
        return nullptr;
    }
    PyObject* result = PyObject_Call(object, args, kwargs);
    Py_DECREF(object);
    return result;
}

PyObject* proxy_richcompare(PyObject* a, PyObject* b, int operation) {
    PyObject* x = PyWeakref_CheckProxy(a) ? proxied(a) : Py_NewRef(a);
    PyObject* y = nullptr;
    if (x != nullptr) {
        y = PyWeakref_CheckProxy(b) ? proxied(b) : Py_NewRef(b);
    }
    const int truth = y == nullptr ? -1 : PyObject_RichCompareBool(x, y, operation);
    Py_XDECREF(x);
    Py_XDECREF(y);
    return truth < 0 ? nullptr : PyBool_FromLong(truth);
}

constexpr unsigned long kFlags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC;

}  // namespace

PyTypeObject _PyWeakref_RefType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "weakref.ReferenceType",
    .tp_basicsize = sizeof(PyWeakReference),
    .tp_dealloc = weak_dealloc,
    .tp_hash = ref_hash,
    .tp_call = ref_call,
    .tp_flags = kFlags | Py_TPFLAGS_BASETYPE,
    .tp_traverse = weak_traverse,
    .tp_clear = weak_clear,
    .tp_richcompare = ref_richcompare,
};

PyTypeObject _PyWeakref_ProxyType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "weakref.ProxyType",
    .tp_basicsize = sizeof(PyWeakReference),
    .tp_dealloc = weak_dealloc,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_flags = kFlags,
    .tp_traverse = weak_traverse,
    .tp_clear = weak_clear,
    .tp_richcompare = proxy_richcompare,
};

PyTypeObject _PyWeakref_CallableProxyType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "weakref.CallableProxyType",
    .tp_basicsize = sizeof(PyWeakReference),
    .tp_dealloc = weak_dealloc,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_call = proxy_call,
    .tp_flags = kFlags,
    .tp_traverse = weak_traverse,
    .tp_clear = weak_clear,
    .tp_richcompare = proxy_richcompare,
};

void object::kill_weak_reference(PyWeakReference* reference) {
    if (reference->wr_object != nullptr) {
        unlink(reference);
        reference->wr_object = nullptr;
    }
}

void object::call_weak_callback(PyWeakReference* reference) {
    PyObject* callback = reference->wr_callback;
    if (callback == nullptr) {
        return;
    }
    reference->wr_callback = nullptr;
    PyObject* result = PyObject_CallOneArg(callback, as_object(reference));
    if (result == nullptr) {
        PyErr_WriteUnraisable(callback);
    } else {
        Py_DECREF(result);
    }
    Py_DECREF(callback);
}

PyObject* PyWeakref_NewRef(PyObject* op, PyObject* callback) {
    return new_weak_reference(op, callback, &_PyWeakref_RefType);
}

PyObject* PyWeakref_NewProxy(PyObject* op, PyObject* callback) {
    return new_weak_reference(
        op, callback, PyCallable_Check(op) ? &_PyWeakref_CallableProxyType : &_PyWeakref_ProxyType);
}

int PyWeakref_GetRef(PyObject* ref, PyObject** object) {
    *object = nullptr;
    if (ref == nullptr) {
        PyErr_BadInternalCall();
        return -1;
    }
    if (!PyWeakref_Check(ref)) {
        PyErr_SetString(PyExc_TypeError, "expected a weakref");
        return -1;
    }
    if (!is_alive(weak(ref)->wr_object)) {
        return 0;
    }
    *object = Py_NewRef(weak(ref)->wr_object);
    return 1;
}

PyObject* PyWeakref_GetObject(PyObject* ref) {
    if (ref == nullptr || !PyWeakref_Check(ref)) {
        PyErr_BadInternalCall();
        return nullptr;
    }
    return is_alive(weak(ref)->wr_object) ? weak(ref)->wr_object : Py_None;
}

int PyWeakref_IsDead(PyObject* ref) {
    if (ref == nullptr || !PyWeakref_Check(ref)) {
        PyErr_SetString(PyExc_TypeError, "expected a weakref object");
        return -1;
    }
    return !is_alive(weak(ref)->wr_object);
}

void PyObject_ClearWeakRefs(PyObject* op) {
    PyWeakReference** list = op == nullptr ? nullptr : weak_list_of(op);
    if (list == nullptr || Py_REFCNT(op) != 0) {
        PyErr_BadInternalCall();
        return;
    }
    if (*list == nullptr) {
        return;
    }
    const object::SavedError saved;
    // All are dead before the first callback runs. Those with a callback are kept on a list of
    // their own, linked through the weak references themselves: nothing is allocated here.
    PyWeakReference* called = nullptr;
    PyWeakReference** end = &called;
    while (PyWeakReference* reference = *list) {
        object::kill_weak_reference(reference);
        // One that is dying itself must not be called back with.
        if (reference->wr_callback != nullptr && Py_REFCNT(as_object(reference)) > 0) {
            Py_INCREF(as_object(reference));
            *end = reference;
            end = &reference->wr_next;
        }
    }
    *end = nullptr;
    while (called != nullptr) {
        PyWeakReference* reference = called;
        called = reference->wr_next;
        reference->wr_next = nullptr;
        object::call_weak_callback(reference);
        Py_DECREF(as_object(reference));
    }
}
