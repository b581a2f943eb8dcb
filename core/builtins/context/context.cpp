// Contexts. Sources: "Context Variables Objects" in the C API documentation; the module contextvars.
#include "core/builtins/context/context.hpp"

#include <utility>

#include "core/builtins/call/new_arguments.hpp"
#include "core/mutator/critical_section.hpp"
#include "core/mutator/state.hpp"
#include "core/object/object.hpp"
#include "core/object/watchers.hpp"
#include "core/object/weakref.hpp"

using namespace ouro;
using object::Own;

struct _pycontextobject {
    PyObject ob_base;
    PyObject* vars;      // a dict that is never changed; NULL: empty. Changed under the lock.
    PyObject* previous;  // entered: what was current before, or NULL
    PyObject* weak_list;
    bool entered;  // changed under the lock
};

namespace {

constinit object::Watchers<PyContext_WatchCallback> watchers("context");

PyContext* context_of(PyObject* op) {
    return reinterpret_cast<PyContext*>(op);
}

bool check_context(PyObject* op) {
    if (!PyContext_CheckExact(op)) {
        PyErr_SetString(PyExc_TypeError, "an instance of Context was expected");
        return false;
    }
    return true;
}

bool check_key(PyObject* key) {
    if (!PyContextVar_CheckExact(key)) {
        PyErr_Format(PyExc_TypeError, "a ContextVar key was expected, got %R", key);
        return false;
    }
    return true;
}

// The dict, or none where nothing is set.
Own vars_if_any(PyObject* op) {
    const mutator::Guard guard(op);
    return Own(Py_XNewRef(context_of(op)->vars));
}
// The dict; none with MemoryError.
Own vars_of(PyObject* op) {
    Own vars = vars_if_any(op);
    return vars ? std::move(vars) : Own(PyDict_New());
}

// Takes over the dict, which may be none.
PyObject* new_context(Own vars) {
    PyObject* op = _PyObject_GC_New(&PyContext_Type);
    if (op != nullptr) {
        PyContext* self = context_of(op);
        self->vars = vars.release();
        self->previous = self->weak_list = nullptr;
        self->entered = false;
        object::track_new(op);
    }
    return op;
}

void tell_switched(PyObject* now) {
    const Own held(Py_NewRef(now == nullptr ? Py_None : now));
    watchers.tell(~0U, [&](PyContext_WatchCallback callback) {
        if (callback(Py_CONTEXT_SWITCHED, held.get()) < 0) {
            PyErr_FormatUnraisable(
                "Exception ignored in Py_CONTEXT_SWITCHED watcher callback for %R", held.get());
        }
    });
}

void context_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    object::clear_weak_references(op, &context_of(op)->weak_list);
    Py_XDECREF(context_of(op)->vars);
    Py_XDECREF(context_of(op)->previous);
    Py_TYPE(op)->tp_free(op);
}

int context_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(context_of(op)->vars);
    Py_VISIT(context_of(op)->previous);
    return 0;
}

int context_clear(PyObject* op) {
    Py_CLEAR(context_of(op)->vars);
    Py_CLEAR(context_of(op)->previous);
    return 0;
}

PyObject* context_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
    if (PyTuple_GET_SIZE(args) > 0 || (kwargs != nullptr && PyDict_Size(kwargs) > 0)) {
        PyErr_SetString(PyExc_TypeError, "Context() does not accept any arguments");
        return nullptr;
    }
    return PyContext_New();
}

PyObject* context_compare(PyObject* a, PyObject* b, int operation) {
    if ((operation != Py_EQ && operation != Py_NE) || !PyContext_CheckExact(a) ||
        !PyContext_CheckExact(b)) {
        return Py_NewRef(Py_NotImplemented);
    }
    const Own left = vars_of(a);
    const Own right = vars_of(b);
    return left && right ? PyObject_RichCompare(left.get(), right.get(), operation) : nullptr;
}

PyObject* context_iter(PyObject* op) {
    const Own vars = vars_of(op);
    return vars ? PyObject_GetIter(vars.get()) : nullptr;
}

Py_ssize_t context_length(PyObject* op) {
    const Own vars = vars_if_any(op);
    return vars ? PyDict_Size(vars.get()) : 0;
}

PyObject* context_subscript(PyObject* op, PyObject* key) {
    PyObject* value = nullptr;
    if (!check_key(key) || context::find(op, key, &value) < 0) {
        return nullptr;
    }
    if (value == nullptr) {
        PyErr_SetObject(PyExc_KeyError, key);
    }
    return value;
}

int context_contains(PyObject* op, PyObject* key) {
    PyObject* value = nullptr;
    const int is_set = check_key(key) ? context::find(op, key, &value) : -1;
    Py_XDECREF(value);
    return is_set;
}

PyObject* context_get(PyObject* op, PyObject* const* args, Py_ssize_t count) {
    PyObject* value = nullptr;
    if (!call::check_count("get", count, 1, 2) || !check_key(args[0]) ||
        context::find(op, args[0], &value) < 0) {
        return nullptr;
    }
    return value != nullptr ? value : Py_NewRef(count > 1 ? args[1] : Py_None);
}

// An iterator over what a method of the dict gives.
PyObject* iterate_over(PyObject* op, const char* method) {
    const Own vars = vars_of(op);
    const Own view(vars ? PyObject_CallMethod(vars.get(), method, nullptr) : nullptr);
    return view ? PyObject_GetIter(view.get()) : nullptr;
}
PyObject* context_items(PyObject* op, PyObject*) {
    return iterate_over(op, "items");
}
PyObject* context_keys(PyObject* op, PyObject*) {
    return iterate_over(op, "keys");
}
PyObject* context_values(PyObject* op, PyObject*) {
    return iterate_over(op, "values");
}

PyObject* context_copy(PyObject* op, PyObject*) {
    return PyContext_Copy(op);
}

PyObject* context_run(PyObject* op, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    if (count < 1) {
        PyErr_SetString(PyExc_TypeError, "run() missing 1 required positional argument");
        return nullptr;
    }
    if (PyContext_Enter(op) < 0) {
        return nullptr;
    }
    Own result(PyObject_Vectorcall(args[0], args + 1, static_cast<size_t>(count - 1), names));
    const Own raised(PyErr_GetRaisedException());
    if (PyContext_Exit(op) < 0) {
        return nullptr;
    }
    if (raised) {
        PyErr_SetRaisedException(Py_NewRef(raised.get()));
    }
    return result.release();
}

PyMethodDef context_methods[] = {
    {"get", _PyCFunction_CAST(context_get), METH_FASTCALL, PyDoc_STR("The value of a variable.")},
    {"items", context_items, METH_NOARGS, PyDoc_STR("Variables with their values.")},
    {"keys", context_keys, METH_NOARGS, PyDoc_STR("The variables.")},
    {"values", context_values, METH_NOARGS, PyDoc_STR("Their values.")},
    {"copy", context_copy, METH_NOARGS, PyDoc_STR("A copy.")},
    {"run", _PyCFunction_CAST(context_run), METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR("Call a function in it.")},
    {nullptr, nullptr, 0, nullptr},
};

PySequenceMethods context_as_sequence = {.sq_contains = context_contains};
PyMappingMethods context_as_mapping = {.mp_length = context_length,
                                       .mp_subscript = context_subscript};

}  // namespace

PyTypeObject PyContext_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "_contextvars.Context",
    .tp_basicsize = sizeof(PyContext),
    .tp_dealloc = context_dealloc,
    .tp_as_sequence = &context_as_sequence,
    .tp_as_mapping = &context_as_mapping,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = context_traverse,
    .tp_clear = context_clear,
    .tp_richcompare = context_compare,
    .tp_weaklistoffset = offsetof(PyContext, weak_list),
    .tp_iter = context_iter,
    .tp_methods = context_methods,
    .tp_new = context_new,
};

PyObject* context::current_if_any() {
    return mutator::current->context;
}

PyObject* context::current() {
    PyObject*& now = mutator::current->context;
    if (now == nullptr) {
        now = PyContext_New();
    }
    return now;
}

int context::find(PyObject* context, PyObject* var, PyObject** value) {
    const Own vars = vars_if_any(context);
    *value = nullptr;
    return vars ? PyDict_GetItemRef(vars.get(), var, value) : 0;
}

int context::store(PyObject* context, PyObject* var, PyObject* value) {
    const Own old = vars_if_any(context);
    Own changed(old ? PyDict_Copy(old.get()) : PyDict_New());
    if (!changed) {
        return -1;
    }
    if (value != nullptr) {
        if (PyDict_SetItem(changed.get(), var, value) < 0) {
            return -1;
        }
    } else {
        const int was_set = PyDict_Pop(changed.get(), var, nullptr);
        if (was_set == 0) {
            PyErr_SetObject(PyExc_LookupError, var);
        }
        if (was_set <= 0) {
            return -1;
        }
    }
    Own replaced;  // dropped when the lock is let go
    const mutator::Guard guard(context);
    replaced = Own(context_of(context)->vars);
    OURO_STORE_FIELD(&context_of(context)->vars, changed.release());
    return 0;
}

void context::forget_watchers() {
    watchers.forget();
}

PyObject* PyContext_New(void) {
    return new_context(Own());
}

PyObject* PyContext_Copy(PyObject* op) {
    return check_context(op) ? new_context(vars_if_any(op)) : nullptr;
}

PyObject* PyContext_CopyCurrent(void) {
    PyObject* now = context::current_if_any();
    return now == nullptr ? PyContext_New() : PyContext_Copy(now);
}

int PyContext_Enter(PyObject* op) {
    if (!check_context(op)) {
        return -1;
    }
    PyContext* self = context_of(op);
    bool was_entered;
    {
        const mutator::Guard guard(op);
        was_entered = std::exchange(self->entered, true);
    }
    if (was_entered) {
        PyErr_Format(PyExc_RuntimeError, "cannot enter context: %R is already entered", op);
        return -1;
    }
    // From here on it is this thread's alone, which gives its reference to the context before.
    OURO_STORE_FIELD(&self->previous, mutator::current->context);
    mutator::current->context = Py_NewRef(op);
    tell_switched(op);
    return 0;
}

int PyContext_Exit(PyObject* op) {
    if (!check_context(op)) {
        return -1;
    }
    PyContext* self = context_of(op);
    if (mutator::current->context != op || !self->entered) {
        bool is_entered;
        {
            const mutator::Guard guard(op);
            is_entered = self->entered;
        }
        if (is_entered) {
            PyErr_SetString(
                PyExc_RuntimeError,
                "cannot exit context: thread state references a different context object");
        } else {
            PyErr_Format(PyExc_RuntimeError, "cannot exit context: %R has not been entered", op);
        }
        return -1;
    }
    const Own held(op);  // the thread's
    mutator::current->context = self->previous;
    OURO_STORE_FIELD(&self->previous, nullptr);
    {
        const mutator::Guard guard(op);
        self->entered = false;
    }
    tell_switched(mutator::current->context);
    return 0;
}

int PyContext_AddWatcher(PyContext_WatchCallback callback) {
    return watchers.add(callback);
}

int PyContext_ClearWatcher(int watcher_id) {
    return watchers.clear(watcher_id);
}
