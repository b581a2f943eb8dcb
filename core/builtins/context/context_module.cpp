// The module contextvars.
#include "core/builtins/context/context_module.hpp"

#include <initializer_list>

using namespace ouro;

namespace {

PyObject* copy_context(PyObject*, PyObject*) {
    return PyContext_CopyCurrent();
}

PyMethodDef context_functions[] = {
    {"copy_context", copy_context, METH_NOARGS, PyDoc_STR("A copy of the current context.")},
    {nullptr, nullptr, 0, nullptr},
};

int execute_contextvars(PyObject* self) {
    if (PyDict_SetItemString(PyContextToken_Type.tp_dict, "MISSING", context::missing()) < 0) {
        return -1;
    }
    PyType_Modified(&PyContextToken_Type);
    for (PyTypeObject* type : {&PyContext_Type, &PyContextVar_Type, &PyContextToken_Type}) {
        if (PyModule_AddType(self, type) < 0) {
            return -1;
        }
    }
    return 0;
}

PyModuleDef_Slot context_slots[] = {
    {Py_mod_exec, reinterpret_cast<void*>(execute_contextvars)},
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
    {0, nullptr},
};

PyModuleDef context_definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "contextvars",
    .m_doc = PyDoc_STR("Contexts and context variables."),
    .m_methods = context_functions,
    .m_slots = context_slots,
};

}  // namespace

PyObject* context::init_contextvars() {
    return PyModuleDef_Init(&context_definition);
}
