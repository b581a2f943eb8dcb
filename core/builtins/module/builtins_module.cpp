// The module builtins: the built-in types and exceptions, the constants, and the functions that C code has an
// equivalent of. What needs an interpreter (eval, compile, open, ...) is not there.
#include <string_view>

#include "core/builtins/module/builtin_functions.hpp"
#include "core/builtins/module/own_modules.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using object::Own;

namespace {

PyTypeObject* const kTypes[] = {
    &PyBaseObject_Type,   &PyType_Type,        &PyLong_Type,      &PyBool_Type,  &PyFloat_Type,
    &PyComplex_Type,      &PyUnicode_Type,     &PyBytes_Type,     &PyTuple_Type, &PyList_Type,
    &PyDict_Type,         &PySet_Type,         &PyFrozenSet_Type, &PySlice_Type, &PyRange_Type,
    &PyStaticMethod_Type, &PyClassMethod_Type, &PySuper_Type,     &PyEnum_Type,  &PyReversed_Type,
    &PyByteArray_Type,    &PyMemoryView_Type,  &PyProperty_Type,
};

int add_types(PyObject* self) {
    for (PyTypeObject* type : kTypes) {
        if (PyModule_AddType(self, type) < 0) {
            return -1;
        }
    }
    return 0;
}

int add_exceptions(PyObject* self) {
    if (PyModule_AddObjectRef(self, "BaseException", PyExc_BaseException) < 0 ||
        PyModule_AddObjectRef(self, "EnvironmentError", PyExc_OSError) < 0 ||
        PyModule_AddObjectRef(self, "IOError", PyExc_OSError) < 0) {
        return -1;
    }
#define X(name, base)                                           \
    if (PyModule_AddObjectRef(self, #name, PyExc_##name) < 0) { \
        return -1;                                              \
    }
    OURO_EXCEPTIONS(X)
#undef X
    return 0;
}

int execute(PyObject* self) {
    const bool done = add_types(self) == 0 && add_exceptions(self) == 0 &&
                      PyModule_AddObjectRef(self, "None", Py_None) == 0 &&
                      PyModule_AddObjectRef(self, "Ellipsis", Py_Ellipsis) == 0 &&
                      PyModule_AddObjectRef(self, "NotImplemented", Py_NotImplemented) == 0 &&
                      PyModule_AddObjectRef(self, "True", Py_True) == 0 &&
                      PyModule_AddObjectRef(self, "False", Py_False) == 0 &&
                      PyModule_AddObjectRef(self, "__debug__", Py_True) == 0;
    return done ? 0 : -1;
}

PyModuleDef_Slot slots[] = {
    {Py_mod_exec, reinterpret_cast<void*>(execute)},
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
    {0, nullptr},
};

PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "builtins",
    .m_doc = PyDoc_STR("Built-in functions, types, exceptions, and other objects."),
    .m_methods = module::builtin_functions,
    .m_slots = slots,
};

}  // namespace

PyObject* module::init_builtins() {
    return PyModuleDef_Init(&definition);
}

PyObject* PyEval_GetBuiltins(void) {
    const Own builtins(PyImport_ImportModule("builtins"));
    return builtins ? PyModule_GetDict(builtins.get()) : nullptr;  // sys.modules keeps it
}

PyObject* PyEval_GetFrameBuiltins(void) {
    return Py_XNewRef(PyEval_GetBuiltins());
}
