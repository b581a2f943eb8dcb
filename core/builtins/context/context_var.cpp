// Context variables, and the tokens that setting one gives. Sources: "Context Variables Objects" in the C API
// documentation; the module contextvars.
#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/context/context.hpp"
#include "core/builtins/context/context_module.hpp"
#include "core/mutator/critical_section.hpp"
#include "core/object/object.hpp"

using namespace ouro;
using object::Own;

struct _pycontextvarobject {
    PyObject ob_base;
    PyObject* name;
    PyObject* default_value;  // or NULL
};

struct _pycontexttokenobject {
    PyObject ob_base;
    PyObject* context;
    PyObject* var;
    PyObject* old;  // NULL: it was not set
    bool used;      // changed under the lock
};

namespace {

PyContextVar* var_of(PyObject* op) {
    return reinterpret_cast<PyContextVar*>(op);
}

PyContextToken* token_of(PyObject* op) {
    return reinterpret_cast<PyContextToken*>(op);
}

bool check_var(PyObject* op) {
    if (!PyContextVar_CheckExact(op)) {
        PyErr_SetString(PyExc_TypeError, "an instance of ContextVar was expected");
        return false;
    }
    return true;
}

// ---- variables ----

PyObject* new_var(PyObject* name, PyObject* default_value) {
    if (!PyUnicode_Check(name)) {
        PyErr_SetString(PyExc_TypeError, "context variable name must be a str");
        return nullptr;
    }
    PyObject* op = _PyObject_GC_New(&PyContextVar_Type);
    if (op != nullptr) {
        var_of(op)->name = Py_NewRef(name);
        var_of(op)->default_value = Py_XNewRef(default_value);
        object::track_new(op);
    }
    return op;
}

PyObject* var_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"", "default", nullptr};
    PyObject *name, *default_value = nullptr;
    return PyArg_ParseTupleAndKeywords(args, kwargs, "O|$O:ContextVar", names, &name,
                                       &default_value) == 0
               ? nullptr
               : new_var(name, default_value);
}

void var_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Py_XDECREF(var_of(op)->name);
    Py_XDECREF(var_of(op)->default_value);
    Py_TYPE(op)->tp_free(op);
}

int var_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(var_of(op)->name);
    Py_VISIT(var_of(op)->default_value);
    return 0;
}

int var_clear(PyObject* op) {
    Py_CLEAR(var_of(op)->name);
    Py_CLEAR(var_of(op)->default_value);
    return 0;
}

PyObject* var_repr(PyObject* op) {
    PyObject* value = var_of(op)->default_value;
    return value == nullptr
               ? PyUnicode_FromFormat("<ContextVar name=%R at %p>", var_of(op)->name, op)
               : PyUnicode_FromFormat("<ContextVar name=%R default=%R at %p>", var_of(op)->name,
                                      value, op);
}

PyObject* var_get(PyObject* op, PyObject* const* args, Py_ssize_t count) {
    PyObject* value = nullptr;
    if (!call::check_count("get", count, 0, 1) ||
        PyContextVar_Get(op, count > 0 ? args[0] : nullptr, &value) < 0) {
        return nullptr;
    }
    if (value == nullptr) {
        PyErr_SetObject(PyExc_LookupError, op);
    }
    return value;
}

PyObject* var_reset(PyObject* op, PyObject* token) {
    if (!PyContextToken_CheckExact(token)) {
        PyErr_Format(PyExc_TypeError, "expected an instance of Token, got %R", token);
        return nullptr;
    }
    return PyContextVar_Reset(op, token) < 0 ? nullptr : Py_NewRef(Py_None);
}

PyMethodDef var_methods[] = {
    {"get", _PyCFunction_CAST(var_get), METH_FASTCALL, PyDoc_STR("What it is set to.")},
    {"set", PyContextVar_Set, METH_O, PyDoc_STR("Set it; returns a token.")},
    {"reset", var_reset, METH_O, PyDoc_STR("What it was before it was set.")},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, PyDoc_STR("See PEP 585")},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef var_members[] = {
    {"name", _Py_T_OBJECT, offsetof(PyContextVar, name), Py_READONLY, nullptr}, {}};

// ---- tokens ----

PyObject* new_token(PyObject* context, PyObject* var, PyObject* old) {
    PyObject* op = _PyObject_GC_New(&PyContextToken_Type);
    if (op != nullptr) {
        PyContextToken* self = token_of(op);
        self->context = Py_NewRef(context);
        self->var = Py_NewRef(var);
        self->old = Py_XNewRef(old);
        self->used = false;
        object::track_new(op);
    }
    return op;
}

PyObject* token_new(PyTypeObject*, PyObject*, PyObject*) {
    PyErr_SetString(PyExc_RuntimeError, "Tokens can only be created by ContextVars");
    return nullptr;
}

void token_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Py_XDECREF(token_of(op)->context);
    Py_XDECREF(token_of(op)->var);
    Py_XDECREF(token_of(op)->old);
    Py_TYPE(op)->tp_free(op);
}

int token_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(token_of(op)->context);
    Py_VISIT(token_of(op)->var);
    Py_VISIT(token_of(op)->old);
    return 0;
}

int token_clear(PyObject* op) {
    Py_CLEAR(token_of(op)->context);
    Py_CLEAR(token_of(op)->var);
    Py_CLEAR(token_of(op)->old);
    return 0;
}

bool is_used(PyObject* op) {
    const mutator::Guard guard(op);
    return token_of(op)->used;
}

PyObject* token_repr(PyObject* op) {
    return PyUnicode_FromFormat("<Token%s var=%R at %p>", is_used(op) ? " used" : "",
                                token_of(op)->var, op);
}

PyObject* token_old_value(PyObject* op, void*) {
    PyObject* old = token_of(op)->old;
    return Py_NewRef(old == nullptr ? context::missing() : old);
}

PyObject* token_enter(PyObject* op, PyObject*) {
    return Py_NewRef(op);
}

PyObject* token_exit(PyObject* op, PyObject* const*, Py_ssize_t) {
    return PyContextVar_Reset(token_of(op)->var, op) < 0 ? nullptr : Py_NewRef(Py_None);
}

PyMethodDef token_methods[] = {
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, PyDoc_STR("See PEP 585")},
    {"__enter__", token_enter, METH_NOARGS, PyDoc_STR("The token itself.")},
    {"__exit__", _PyCFunction_CAST(token_exit), METH_FASTCALL, PyDoc_STR("Resets the variable.")},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef token_members[] = {
    {"var", _Py_T_OBJECT, offsetof(PyContextToken, var), Py_READONLY, nullptr}, {}};

PyGetSetDef token_getset[] = {
    {"old_value", token_old_value, nullptr, PyDoc_STR("What the variable was set to."), nullptr},
    {},
};

// ---- what an old value is where there was none ----

PyObject* missing_repr(PyObject*) {
    return PyUnicode_FromString("<Token.MISSING>");
}

constinit PyObject the_missing = {OURO_BIASED_IMMORTAL, 0, &context::MissingType};

}  // namespace

PyTypeObject PyContextVar_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "_contextvars.ContextVar",
    .tp_basicsize = sizeof(PyContextVar),
    .tp_dealloc = var_dealloc,
    .tp_repr = var_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = var_traverse,
    .tp_clear = var_clear,
    .tp_methods = var_methods,
    .tp_members = var_members,
    .tp_new = var_new,
};

PyTypeObject PyContextToken_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "_contextvars.Token",
    .tp_basicsize = sizeof(PyContextToken),
    .tp_dealloc = token_dealloc,
    .tp_repr = token_repr,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = token_traverse,
    .tp_clear = token_clear,
    .tp_methods = token_methods,
    .tp_members = token_members,
    .tp_getset = token_getset,
    .tp_new = token_new,
};

PyTypeObject context::MissingType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "Token.MISSING",
    .tp_basicsize = sizeof(PyObject),
    .tp_repr = missing_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

PyObject* context::missing() {
    return &the_missing;
}

PyObject* PyContextVar_New(const char* name, PyObject* value) {
    const Own text(PyUnicode_FromString(name));
    return text ? new_var(text.get(), value) : nullptr;
}

int PyContextVar_Get(PyObject* var, PyObject* otherwise, PyObject** value) {
    *value = nullptr;
    if (!check_var(var)) {
        return -1;
    }
    PyObject* now = context::current_if_any();
    const int is_set = now == nullptr ? 0 : context::find(now, var, value);
    if (is_set == 0) {
        *value = Py_XNewRef(otherwise != nullptr ? otherwise : var_of(var)->default_value);
    }
    return is_set < 0 ? -1 : 0;
}

PyObject* PyContextVar_Set(PyObject* var, PyObject* value) {
    PyObject* now = check_var(var) ? context::current() : nullptr;
    PyObject* found = nullptr;
    if (now == nullptr || context::find(now, var, &found) < 0) {
        return nullptr;
    }
    const Own old(found);
    Own token(new_token(now, var, found));
    return token && context::store(now, var, value) == 0 ? token.release() : nullptr;
}

int PyContextVar_Reset(PyObject* var, PyObject* token) {
    if (!check_var(var)) {
        return -1;
    }
    if (!PyContextToken_CheckExact(token)) {
        PyErr_SetString(PyExc_TypeError, "an instance of Token was expected");
        return -1;
    }
    PyContextToken* self = token_of(token);
    if (is_used(token)) {
        PyErr_Format(PyExc_RuntimeError, "%R has already been used once", token);
        return -1;
    }
    if (self->var != var) {
        PyErr_Format(PyExc_ValueError, "%R was created by a different ContextVar", token);
        return -1;
    }
    PyObject* now = context::current_if_any();
    if (self->context != now) {
        PyErr_Format(PyExc_ValueError, "%R was created in a different Context", token);
        return -1;
    }
    {
        const mutator::Guard guard(token);
        self->used = true;
    }
    return context::store(now, var, self->old);
}
