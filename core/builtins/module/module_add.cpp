// What is put into a module: objects, constants, types, functions.
#include <cstring>

#include "core/builtins/module/module_object.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using object::Own;

namespace ouro::module {

int add_functions(PyObject* op, PyObject* module_name, PyMethodDef* functions) {
    for (PyMethodDef* each = functions; each->ml_name != nullptr; ++each) {
        if ((each->ml_flags & (METH_CLASS | METH_STATIC)) != 0) {
            PyErr_SetString(PyExc_ValueError,
                            "module functions cannot set METH_CLASS or METH_STATIC");
            return -1;
        }
        const Own function(PyCFunction_NewEx(each, op, module_name));
        if (!function || PyObject_SetAttrString(op, each->ml_name, function.get()) < 0) {
            return -1;
        }
    }
    return 0;
}

}  // namespace ouro::module

int PyModule_AddFunctions(PyObject* op, PyMethodDef* functions) {
    const Own name(PyModule_GetNameObject(op));
    return name ? module::add_functions(op, name.get(), functions) : -1;
}

int PyModule_SetDocString(PyObject* op, const char* doc) {
    const Own text(PyUnicode_FromString(doc));
    return text ? PyObject_SetAttrString(op, "__doc__", text.get()) : -1;
}

int PyModule_AddObjectRef(PyObject* op, const char* name, PyObject* value) {
    if (!PyModule_Check(op)) {
        PyErr_SetString(PyExc_TypeError, "PyModule_AddObjectRef() first argument must be a module");
        return -1;
    }
    if (value == nullptr) {
        if (PyErr_Occurred() == nullptr) {
            PyErr_SetString(PyExc_SystemError,
                            "PyModule_AddObjectRef() must be called with an exception raised if "
                            "value is NULL");
        }
        return -1;
    }
    PyObject* dict = module::as_module(op)->dict;
    if (dict == nullptr) {
        PyErr_SetString(PyExc_SystemError, "module has no __dict__");
        return -1;
    }
    return PyDict_SetItemString(dict, name, value);
}

int PyModule_Add(PyObject* op, const char* name, PyObject* value) {
    const Own owned(value);
    return PyModule_AddObjectRef(op, name, value);
}

int PyModule_AddObject(PyObject* op, const char* name, PyObject* value) {
    const int result = PyModule_AddObjectRef(op, name, value);
    if (result == 0) {
        Py_DECREF(value);
    }
    return result;
}

int PyModule_AddIntConstant(PyObject* op, const char* name, long value) {
    return PyModule_Add(op, name, PyLong_FromLong(value));
}

int PyModule_AddStringConstant(PyObject* op, const char* name, const char* value) {
    return PyModule_Add(op, name, PyUnicode_FromString(value));
}

int PyModule_AddType(PyObject* op, PyTypeObject* type) {
    if (PyType_Ready(type) < 0) {
        return -1;
    }
    const char* dot = std::strrchr(type->tp_name, '.');
    return PyModule_AddObjectRef(op, dot == nullptr ? type->tp_name : dot + 1,
                                 reinterpret_cast<PyObject*>(type));
}
