// Constants by their number.
#include "core/include/Python.h"

PyObject* Py_GetConstant(unsigned int constant) {
    switch (constant) {
        case Py_CONSTANT_NONE:
            return Py_None;
        case Py_CONSTANT_FALSE:
            return Py_False;
        case Py_CONSTANT_TRUE:
            return Py_True;
        case Py_CONSTANT_ELLIPSIS:
            return Py_Ellipsis;
        case Py_CONSTANT_NOT_IMPLEMENTED:
            return Py_NotImplemented;
        case Py_CONSTANT_ZERO:
            return PyLong_FromLong(0);
        case Py_CONSTANT_ONE:
            return PyLong_FromLong(1);
        default:
            PyErr_BadInternalCall();
            return nullptr;
    }
}

PyObject* Py_GetConstantBorrowed(unsigned int constant) {
    return Py_GetConstant(constant);  // all of them are immortal
}
