// Weak references and proxies. The weak references to an object are a doubly linked list that hangs
// in it; one without a callback comes first, and is shared by all who ask for such a one.
//
// Between threads the list of an object, and what its weak references refer to, are guarded by one of a
// few locks, found by the object's address. A dying object kills its weak references under that lock
// before its memory is freed, so whoever holds it and finds the reference alive may look at the object.
// Nobody reaches a safepoint with it; in a stop the collector needs none.
#include "core/object/weakref.hpp"

#include <array>

#include "core/object/object.hpp"
#include "core/object/own.hpp"
#include "core/object/saved_error.hpp"
#include "core/object/take.hpp"

using namespace ouro;
using object::Own;
using object::weak_list_of;

namespace {

PyWeakReference* weak(PyObject* op) {
    return reinterpret_cast<PyWeakReference*>(op);
}

PyObject* as_object(PyWeakReference* reference) {
    return reinterpret_cast<PyObject*>(reference);
}

std::array<PyMutex, 256> list_locks{};

// The lock of an object's list; nothing under policy gil.
class ListLock {
public:
    explicit ListLock(const PyObject* op) {
        if (mutator::is_free_threaded()) {
            lock(op);
        }
    }
    // Of what the reference refers to; if it is dead, nothing is locked and referent() is nullptr.
    explicit ListLock(PyWeakReference* reference) {
        for (;;) {
            referent_ = __atomic_load_n(&reference->wr_object, __ATOMIC_ACQUIRE);
            if (referent_ == nullptr || !mutator::is_free_threaded()) {
                return;
            }
            OURO_POINT("weakref.lock.referent");
            lock(referent_);
            if (__atomic_load_n(&reference->wr_object, __ATOMIC_RELAXED) == referent_) {
                return;
            }
            unlock();  // it died while this thread waited
        }
    }
    ~ListLock() { unlock(); }
    ListLock(const ListLock&) = delete;
    ListLock& operator=(const ListLock&) = delete;

    PyObject* referent() const { return referent_; }

private:
    void lock(const PyObject* op) {
        static_assert(list_locks.size() == 256);
        mutex_ = &list_locks[thread::scatter(op) >> 56];
        mutator::lock_of(mutex_).lock(mutator::Outside());
    }
    void unlock() {
        if (mutex_ != nullptr) {
            (void)mutator::lock_of(mutex_).unlock();  // this thread's
            mutex_ = nullptr;
        }
    }

    PyMutex* mutex_ = nullptr;
    PyObject* referent_ = nullptr;
};

// release: pairs with the load, without the lock, of an object that is dying.
void store_head(PyWeakReference** list, PyWeakReference* first) {
    __atomic_store_n(list, first, __ATOMIC_RELEASE);
}

void unlink(PyWeakReference* reference) {
    PyWeakReference** list = weak_list_of(reference->wr_object);
    if (*list == reference) {
        store_head(list, reference->wr_next);  // the last look at the object: it may be dying
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
        store_head(list, reference);
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

// A reference to an object whose deallocation may have begun; false if it has. Under its list's lock, or
// that of what it refers to.
bool take_alive(PyObject* op) {
    if (!mutator::is_free_threaded()) {
        if (Py_REFCNT(op) == 0) {
            return false;
        }
        Py_INCREF(op);
        return true;
    }
    // Also one that is condemned: its weak references died with that, so this one was made by a
    // finalizer, and what finalizers do is looked at again.
    return object::try_incref(op);
}

// From now on threads that do not own a reference may take one.
void let_others_take(PyObject* op) {
    if (mutator::is_free_threaded()) {
        PyUnstable_EnableTryIncRef(op);
    }
}

void store_hash(PyWeakReference* reference, Py_hash_t hash) {
    __atomic_store_n(&reference->hash, hash, __ATOMIC_RELAXED);
}

// A new reference to the one that can be shared; nullptr if there is none. Under the list's lock.
PyObject* take_shared(PyWeakReference** list, bool proxy) {
    PyWeakReference* shared = shared_of(*list, proxy);
    return shared != nullptr && take_alive(as_object(shared)) ? as_object(shared) : nullptr;
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
    const bool proxy = type == &_PyWeakref_ProxyType || type == &_PyWeakref_CallableProxyType;
    // One of a derived class is nobody else's.
    const bool is_derived = !proxy && type != &_PyWeakref_RefType;
    const bool shares = callback == nullptr && !is_derived;
    if (shares) {
        const ListLock lock(op);
        if (PyObject* shared = take_shared(list, proxy)) {
            return shared;
        }
    }
    // May collect, which may change the list.
    PyObject* result = is_derived ? type->tp_alloc(type, 0) : _PyObject_GC_New(type);
    if (result == nullptr) {
        return nullptr;
    }
    let_others_take(op);
    let_others_take(result);
    PyWeakReference* reference = weak(result);
    OURO_STORE_FIELD(&reference->wr_callback, Py_XNewRef(callback));  // of one that is tracked
    reference->hash = -1;
    const ListLock lock(op);
    if (shares) {
        // Meanwhile another thread, or a finalizer that the allocation ran, may have made one.
        if (PyObject* shared = take_shared(list, proxy)) {
            PyObject_GC_Del(result);
            return shared;
        }
    }
    reference->wr_object = op;
    PyWeakReference* previous = nullptr;
    if (!shares) {
        previous = last_without_callback(*list);
    } else if (proxy) {
        previous = shared_of(*list, false);
    }
    insert_after(reference, previous, list);
    if (!is_derived) {  // tp_alloc has
        object::track(result);
    }
    return result;
}

void kill(PyWeakReference* reference) {
    const ListLock lock(reference);
    object::kill_weak_reference(reference);
}

// The arguments of weakref.ref: an object and perhaps a callback.
bool ref_arguments(const char* function, PyObject* args, PyObject** op, PyObject** callback) {
    *callback = nullptr;
    return PyArg_UnpackTuple(args, function, 1, 2, op, callback) != 0;
}

PyObject* ref_new(PyTypeObject* type, PyObject* args, PyObject*) {
    PyObject* op;
    PyObject* callback;
    return ref_arguments("__new__", args, &op, &callback) ? new_weak_reference(op, callback, type)
                                                          : nullptr;
}

int ref_init(PyObject*, PyObject* args, PyObject* kwargs) {
    if (kwargs != nullptr && PyDict_Size(kwargs) > 0) {
        PyErr_SetString(PyExc_TypeError, "ref() takes no keyword arguments");
        return -1;
    }
    PyObject* op;
    PyObject* callback;
    return ref_arguments("__init__", args, &op, &callback) ? 0 : -1;
}

PyObject* ref_repr(PyObject* self) {
    PyObject* op = nullptr;
    PyWeakref_GetRef(self, &op);
    const Own held(op);
    if (!held) {
        return PyUnicode_FromFormat("<weakref at %p; dead>", self);
    }
    PyObject* name = nullptr;
    if (PyObject_GetOptionalAttrString(op, "__name__", &name) < 0) {
        return nullptr;
    }
    const Own held_name(name);
    return held_name && PyUnicode_Check(name)
               ? PyUnicode_FromFormat("<weakref at %p; to '%s' at %p (%U)>", self,
                                      Py_TYPE(op)->tp_name, op, name)
               : PyUnicode_FromFormat("<weakref at %p; to '%s' at %p>", self, Py_TYPE(op)->tp_name,
                                      op);
}

// The callback as long as it has not been called.
PyObject* get_callback(PyObject* op, void*) {
    PyObject* callback = object::take([op] { return &weak(op)->wr_callback; }, op);
    return callback == nullptr ? Py_NewRef(Py_None) : callback;
}

PyGetSetDef ref_attributes[] = {
    {"__callback__", get_callback, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef ref_methods[] = {
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, PyDoc_STR("See PEP 585")},
    {nullptr, nullptr, 0, nullptr},
};

PyObject* ref_call(PyObject* op, PyObject* args, PyObject* kwargs) {
    if (kwargs != nullptr && PyDict_Size(kwargs) != 0) {
        PyErr_SetString(PyExc_TypeError, "weakref() takes no keyword arguments");
        return nullptr;
    }
    if (PyTuple_GET_SIZE(args) != 0) {
        return PyErr_Format(PyExc_TypeError, "weakref expected 0 arguments, got %zd",
                            PyTuple_GET_SIZE(args));
    }
    PyObject* object = nullptr;
    PyWeakref_GetRef(op, &object);
    return object != nullptr ? object : Py_NewRef(Py_None);
}

Py_hash_t ref_hash(PyObject* op) {
    PyWeakReference* self = weak(op);
    Py_hash_t hash = __atomic_load_n(&self->hash, __ATOMIC_RELAXED);
    if (hash == -1) {
        PyObject* object = nullptr;
        PyWeakref_GetRef(op, &object);
        if (object == nullptr) {
            PyErr_SetString(PyExc_TypeError, "weak object has gone away");
            return -1;
        }
        hash = PyObject_Hash(object);
        store_hash(self, hash);
        Py_DECREF(object);
    }
    return hash;
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

// Whether the object may still be handed out: its deallocation has not begun. Under its list's lock.
bool is_alive(PyObject* op) {
    if (op == nullptr || !mutator::is_free_threaded()) {
        return op != nullptr && Py_REFCNT(op) > 0;
    }
    // One word tells: since it has weak references, it dies merged (inv.count.quiet-death). The sum of
    // both halves may be 0 for a moment while another thread merges them.
    const uint32_t shared = __atomic_load_n(&op->ob_shared, __ATOMIC_RELAXED);
    return (shared & OURO_SHARED_MERGED) == 0 || OURO_SHARED_COUNT(shared) > 0;
}

// Kills all weak references of a dying object before the first callback runs. Those with a callback are
// returned, each with a reference, as a list linked through the weak references themselves: nothing is
// allocated here.
PyWeakReference* kill_all(PyObject* op, PyWeakReference** list) {
    const ListLock lock(op);
    PyWeakReference* called = nullptr;
    PyWeakReference** end = &called;
    while (PyWeakReference* reference = *list) {
        // One that is dying itself must not be called back with. Its deallocation waits for the lock
        // until it is killed, and then not: that comes last.
        const bool called_back =
            reference->wr_callback != nullptr && take_alive(as_object(reference));
        object::kill_weak_reference(reference);
        if (called_back) {
            *end = reference;
            end = &reference->wr_next;
        }
    }
    *end = nullptr;
    return called;
}

}  // namespace

PyTypeObject _PyWeakref_RefType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "weakref.ReferenceType",
    .tp_basicsize = sizeof(PyWeakReference),
    .tp_dealloc = object::weak_dealloc,
    .tp_repr = ref_repr,
    .tp_hash = ref_hash,
    .tp_call = ref_call,
    .tp_flags = object::kWeakFlags | Py_TPFLAGS_BASETYPE,
    .tp_traverse = object::weak_traverse,
    .tp_clear = object::weak_clear,
    .tp_richcompare = ref_richcompare,
    .tp_methods = ref_methods,
    .tp_getset = ref_attributes,
    .tp_init = ref_init,
    .tp_new = ref_new,
};

void object::weak_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    kill(weak(op));
    Py_CLEAR(weak(op)->wr_callback);
    Py_TYPE(op)->tp_free(op);
}

int object::weak_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(weak(op)->wr_callback);
    return 0;
}

int object::weak_clear(PyObject* op) {
    kill(weak(op));
    Py_CLEAR(weak(op)->wr_callback);
    return 0;
}

Py_ssize_t object::count_weak_references(PyObject* op) {
    PyWeakReference** list = weak_list_of(op);
    Py_ssize_t count = 0;
    if (list != nullptr) {
        const ListLock lock(op);
        for (PyWeakReference* reference = *list; reference != nullptr;
             reference = reference->wr_next) {
            ++count;
        }
    }
    return count;
}

PyObject* object::list_weak_references(PyObject* op) {
    PyWeakReference** list = weak_list_of(op);
    for (;;) {
        const Py_ssize_t count = count_weak_references(op);
        Own all(PyList_New(count));
        if (!all || list == nullptr) {
            return all.release();
        }
        Py_ssize_t found = 0;
        bool is_whole = true;
        {
            const ListLock lock(op);
            for (PyWeakReference* reference = *list; reference != nullptr;
                 reference = reference->wr_next) {
                if (found == count) {
                    is_whole = false;  // others have made more
                    break;
                }
                if (take_alive(as_object(reference))) {
                    PyList_SET_ITEM(all.get(), found++, as_object(reference));
                }
            }
        }
        if (is_whole) {
            return PyList_SetSlice(all.get(), found, count, nullptr) < 0 ? nullptr : all.release();
        }
    }
}

void object::kill_weak_reference(PyWeakReference* reference) {
    if (reference->wr_object != nullptr) {
        unlink(reference);
        __atomic_store_n(&reference->wr_object, nullptr, __ATOMIC_RELEASE);
    }
}

namespace {

// The reference to what is to be called back, or nullptr; it is taken away from the weak reference.
PyObject* take_callback(PyWeakReference* reference) {
    const mutator::Guard guard(reference);  // others may be asking for it
    PyObject* callback = reference->wr_callback;
    OURO_STORE_FIELD(&reference->wr_callback, nullptr);
    return callback;
}

// What is done to each weak reference of a dying object that has something to call back.
void end_weak_references(PyObject* op, void (*end_of)(PyWeakReference*)) {
    PyWeakReference** list = op == nullptr ? nullptr : weak_list_of(op);
    if (list == nullptr || Py_REFCNT(op) != 0) {
        PyErr_BadInternalCall();
        return;
    }
    OURO_POINT("weakref.clear");
    // Nobody makes weak references to a dying object, so an empty list stays empty.
    if (__atomic_load_n(list, __ATOMIC_ACQUIRE) == nullptr) {
        return;
    }
    const object::SavedError saved;
    PyWeakReference* called = kill_all(op, list);
    while (called != nullptr) {
        PyWeakReference* reference = called;
        called = reference->wr_next;
        reference->wr_next = nullptr;
        end_of(reference);
        Py_DECREF(as_object(reference));
    }
}

}  // namespace

void object::call_weak_callback(PyWeakReference* reference) {
    PyObject* callback = take_callback(reference);
    if (callback == nullptr) {
        return;
    }
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
    const ListLock lock(weak(ref));
    if (lock.referent() == nullptr || !take_alive(lock.referent())) {
        return 0;
    }
    *object = lock.referent();
    return 1;
}

PyObject* PyWeakref_GetObject(PyObject* ref) {
    if (ref == nullptr || !PyWeakref_Check(ref)) {
        PyErr_BadInternalCall();
        return nullptr;
    }
    const ListLock lock(weak(ref));
    return is_alive(lock.referent()) ? lock.referent() : Py_None;
}

int PyWeakref_IsDead(PyObject* ref) {
    if (ref == nullptr || !PyWeakref_Check(ref)) {
        PyErr_SetString(PyExc_TypeError, "expected a weakref object");
        return -1;
    }
    const ListLock lock(weak(ref));
    return !is_alive(lock.referent());
}

void PyObject_ClearWeakRefs(PyObject* op) {
    end_weak_references(op, object::call_weak_callback);
}

void PyUnstable_Object_ClearWeakRefsNoCallbacks(PyObject* op) {
    end_weak_references(op,
                        [](PyWeakReference* reference) { Py_XDECREF(take_callback(reference)); });
}
