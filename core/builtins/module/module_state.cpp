// Modules by their definition: what single-phase extensions find themselves with.
#include "core/builtins/module/module_state.hpp"

#include <utility>

#include "core/builtins/module/import_lock.hpp"
#include "core/include/Python.h"

using namespace ouro;

namespace {

// A list by the definitions' indexes; None where there is no module. nullptr until one is added. Whoever
// changes it has the import lock.
PyObject* modules_by_index = nullptr;

bool refuse_slots(const PyModuleDef* def, const char* function) {
    if (def->m_slots == nullptr) {
        return false;
    }
    PyErr_Format(PyExc_SystemError, "%s called on module with slots", function);
    return true;
}

// Borrowed; nullptr: none.
PyObject* find(Py_ssize_t index) {
    PyObject* list = __atomic_load_n(&modules_by_index, __ATOMIC_ACQUIRE);
    if (list == nullptr || index <= 0 || index >= PyList_GET_SIZE(list)) {
        return nullptr;
    }
    PyObject* op = PyList_GetItem(list, index);  // the list only grows
    return op == Py_None ? nullptr : op;
}

// -1 with MemoryError.
int store(Py_ssize_t index, PyObject* op) {
    if (modules_by_index == nullptr) {
        PyObject* list = PyList_New(0);
        if (list == nullptr) {
            return -1;
        }
        __atomic_store_n(&modules_by_index, list, __ATOMIC_RELEASE);
    }
    while (PyList_GET_SIZE(modules_by_index) <= index) {
        if (PyList_Append(modules_by_index, Py_None) < 0) {
            return -1;
        }
    }
    return PyList_SetItem(modules_by_index, index, Py_NewRef(op));
}

}  // namespace

namespace ouro::module {

void forget_states() {
    Py_XDECREF(std::exchange(modules_by_index, nullptr));
}

}  // namespace ouro::module

PyObject* PyState_FindModule(PyModuleDef* def) {
    return def->m_slots != nullptr ? nullptr : find(def->m_base.m_index);
}

int PyState_AddModule(PyObject* op, PyModuleDef* def) {
    if (def == nullptr) {
        Py_FatalError("PyState_AddModule: module definition is NULL");
    }
    if (refuse_slots(def, "PyState_AddModule")) {
        return -1;
    }
    PyModuleDef_Init(def);
    if (find(def->m_base.m_index) == op) {
        Py_FatalError("PyState_AddModule: module already added");
    }
    const module::ImportLock lock;
    return store(def->m_base.m_index, op);
}

int PyState_RemoveModule(PyModuleDef* def) {
    if (refuse_slots(def, "PyState_RemoveModule")) {
        return -1;
    }
    if (find(def->m_base.m_index) == nullptr) {
        Py_FatalError("PyState_RemoveModule: module index invalid");
    }
    const module::ImportLock lock;
    return store(def->m_base.m_index, Py_None);
}
