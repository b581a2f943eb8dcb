// Calling objects; functions written in C.
#include <cstdarg>

#include "core/object/object.hpp"

using namespace ouro;

namespace {

struct CFunction {
    PyObject ob_base;
    PyMethodDef* method;
    PyObject* self;
    PyObject* module;
    PyObject* weak_references;
};

CFunction* function(PyObject* op) {
    return reinterpret_cast<CFunction*>(op);
}

void function_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    if (function(op)->weak_references != nullptr) {
        PyObject_ClearWeakRefs(op);
    }
    Py_XDECREF(function(op)->self);
    Py_XDECREF(function(op)->module);
    Py_TYPE(op)->tp_free(op);
}

int function_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(function(op)->self);
    Py_VISIT(function(op)->module);
    return 0;
}

PyObject* wrong_arguments(const PyMethodDef* method, const char* takes, Py_ssize_t given) {
    return PyErr_Format(PyExc_TypeError, "%s() takes %s (%zd given)", method->ml_name, takes,
                        given);
}

PyObject* function_call(PyObject* op, PyObject* args, PyObject* kwargs) {
    const PyMethodDef* method = function(op)->method;
    PyObject* self = function(op)->self;
    const Py_ssize_t given = PyTuple_GET_SIZE(args);
    if ((method->ml_flags & METH_KEYWORDS) == 0 && kwargs != nullptr && PyDict_Size(kwargs) > 0) {
        return PyErr_Format(PyExc_TypeError, "%s() takes no keyword arguments", method->ml_name);
    }
    switch (method->ml_flags & (METH_VARARGS | METH_KEYWORDS | METH_NOARGS | METH_O)) {
        case METH_NOARGS:
            return given == 0 ? method->ml_meth(self, nullptr)
                              : wrong_arguments(method, "no arguments", given);
        case METH_O:
            return given == 1 ? method->ml_meth(self, PyTuple_GET_ITEM(args, 0))
                              : wrong_arguments(method, "exactly one argument", given);
        case METH_VARARGS:
            return method->ml_meth(self, args);
        default:  // METH_VARARGS | METH_KEYWORDS: PyCFunction_NewEx checks
            return reinterpret_cast<PyCFunctionWithKeywords>(
                reinterpret_cast<void (*)()>(method->ml_meth))(self, args, kwargs);
    }
}

// The rule of every call: a result and no exception, or no result and one.
PyObject* checked(PyObject* callable, PyObject* result) {
    if ((result == nullptr) != (PyErr_Occurred() != nullptr)) [[unlikely]] {
        const bool had_result = result != nullptr;
        Py_XDECREF(result);
        PyErr_Format(PyExc_SystemError,
                     had_result ? "a %s object returned a result with an exception set"
                                : "a %s object returned NULL without setting an exception",
                     Py_TYPE(callable)->tp_name);
        return nullptr;
    }
    return result;
}

}  // namespace

PyTypeObject PyCFunction_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "builtin_function_or_method",
    .tp_basicsize = sizeof(CFunction),
    .tp_dealloc = function_dealloc,
    .tp_call = function_call,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_traverse = function_traverse,
    .tp_weaklistoffset = offsetof(CFunction, weak_references),
};

PyObject* PyCFunction_NewEx(PyMethodDef* method, PyObject* self, PyObject* module) {
    switch (method->ml_flags & (METH_VARARGS | METH_KEYWORDS | METH_NOARGS | METH_O)) {
        case METH_VARARGS:
        case METH_VARARGS | METH_KEYWORDS:
        case METH_NOARGS:
        case METH_O:
            break;
        default:
            return PyErr_Format(PyExc_SystemError, "%s() method: bad call flags", method->ml_name);
    }
    PyObject* op = _PyObject_GC_New(&PyCFunction_Type);
    if (op != nullptr) {
        function(op)->method = method;
        function(op)->self = Py_XNewRef(self);
        function(op)->module = Py_XNewRef(module);
        function(op)->weak_references = nullptr;
        object::track(op);
    }
    return op;
}

PyObject* PyCFunction_GetSelf(PyObject* op) {
    if (!PyCFunction_Check(op)) {
        PyErr_BadInternalCall();
        return nullptr;
    }
    return function(op)->self;
}

int PyCallable_Check(PyObject* op) {
    return op != nullptr && Py_TYPE(op)->tp_call != nullptr;
}

PyObject* PyObject_Call(PyObject* callable, PyObject* args, PyObject* kwargs) {
    const ternaryfunc call = Py_TYPE(callable)->tp_call;
    if (call == nullptr) {
        return PyErr_Format(PyExc_TypeError, "'%s' object is not callable",
                            Py_TYPE(callable)->tp_name);
    }
    return checked(callable, call(callable, args, kwargs));
}

PyObject* PyObject_CallObject(PyObject* callable, PyObject* args) {
    if (args != nullptr) {
        return PyObject_Call(callable, args, nullptr);
    }
    PyObject* empty = PyTuple_New(0);
    if (empty == nullptr) {
        return nullptr;
    }
    PyObject* result = PyObject_Call(callable, empty, nullptr);
    Py_DECREF(empty);
    return result;
}

PyObject* PyObject_CallNoArgs(PyObject* callable) {
    return PyObject_CallObject(callable, nullptr);
}

PyObject* PyObject_CallOneArg(PyObject* callable, PyObject* arg) {
    return PyObject_CallFunctionObjArgs(callable, arg, nullptr);
}

PyObject* PyObject_CallFunctionObjArgs(PyObject* callable, ...) {
    std::va_list list;
    va_start(list, callable);
    Py_ssize_t count = 0;
    while (va_arg(list, PyObject*) != nullptr) {
        ++count;
    }
    va_end(list);
    PyObject* args = PyTuple_New(count);
    if (args == nullptr) {
        return nullptr;
    }
    va_start(list, callable);
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyTuple_SET_ITEM(args, i, Py_NewRef(va_arg(list, PyObject*)));
    }
    va_end(list);
    PyObject* result = PyObject_Call(callable, args, nullptr);
    Py_DECREF(args);
    return result;
}
