// Definitions of modules, and the modules that are made from them in one phase or in two.
#include "core/builtins/exception/errors.hpp"
#include "core/builtins/module/import.hpp"
#include "core/builtins/module/module_object.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using module::as_module;
using object::Own;

PyTypeObject PyModuleDef_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "moduledef",
    .tp_basicsize = sizeof(PyModuleDef),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
};

PyObject* PyModuleDef_Init(PyModuleDef* def) {
    static Py_ssize_t last_index = 0;
    auto* op = reinterpret_cast<PyObject*>(def);
    // A definition of another extension may be initialised by another thread at once.
    if (__atomic_load_n(&def->m_base.m_index, __ATOMIC_ACQUIRE) == 0) {
        Py_SET_TYPE(op, &PyModuleDef_Type);
        Py_ssize_t none = 0;
        const Py_ssize_t mine = __atomic_add_fetch(&last_index, 1, __ATOMIC_RELAXED);
        __atomic_compare_exchange_n(&def->m_base.m_index, &none, mine, false, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED);
    }
    return op;
}

namespace {

// A module made for another version of the API may work; whoever imports it is told.
bool check_version(const char* name, int version) {
    return version == PYTHON_API_VERSION || version == PYTHON_ABI_VERSION ||
           PyErr_WarnFormat(PyExc_RuntimeWarning, 1,
                            "Python C API version mismatch for module %.100s: This Python has API "
                            "version %d, module %.100s has version %d.",
                            name, PYTHON_API_VERSION, name, version) == 0;
}

// What the slots of a definition say of the module that is to be made.
struct Plan {
    PyObject* (*create)(PyObject*, PyModuleDef*) = nullptr;
    const void* token;
    bool has_exec = false;
    bool needs_gil = true;
};

PyObject* refuse_second(const char* name, const char* what) {
    return PyErr_Format(PyExc_SystemError, "module %s has more than one %s", name, what);
}

// False with SystemError for slots that contradict each other.
bool read_slots(const PyModuleDef* def, const char* name, Plan* plan) {
    plan->token = def;
    bool has_interpreters = false;
    bool has_gil = false;
    for (const PyModuleDef_Slot* slot = def->m_slots; slot != nullptr && slot->slot != 0; ++slot) {
        switch (slot->slot) {
            case Py_mod_create:
                if (plan->create != nullptr) {
                    PyErr_Format(PyExc_SystemError, "module %s has multiple create slots", name);
                    return false;
                }
                plan->create =
                    reinterpret_cast<PyObject* (*)(PyObject*, PyModuleDef*)>(slot->value);
                break;
            case Py_mod_exec:
                plan->has_exec = true;
                break;
            case Py_mod_multiple_interpreters:
                if (std::exchange(has_interpreters, true)) {
                    refuse_second(name, "'multiple interpreters' slots");
                    return false;
                }
                break;
            case Py_mod_gil:
                if (std::exchange(has_gil, true)) {
                    refuse_second(name, "'gil' slot");
                    return false;
                }
                plan->needs_gil = slot->value != Py_MOD_GIL_NOT_USED;
                break;
            case Py_mod_token:
                plan->token = slot->value;
                break;
            default:
                PyErr_Format(PyExc_SystemError, "module %s uses unknown slot ID %i", name,
                             slot->slot);
                return false;
        }
    }
    return true;
}

// By the definition's own function, which may make anything.
PyObject* create(PyModuleDef* def, PyObject* spec, const char* name, const Plan& plan) {
    PyObject* op = plan.create(spec, def);
    if (op == nullptr) {
        return PyErr_Occurred() != nullptr
                   ? nullptr
                   : PyErr_Format(PyExc_SystemError,
                                  "creation of module %s failed without setting an exception",
                                  name);
    }
    if (PyErr_Occurred() != nullptr) {
        exception::format_from_cause(PyExc_SystemError,
                                     "creation of module %s raised unreported exception", name);
        Py_DECREF(op);
        return nullptr;
    }
    return op;
}

bool adopt(PyObject* op, PyModuleDef* def, const char* name, const Plan& plan) {
    if (PyModule_Check(op)) {
        as_module(op)->def = def;
        as_module(op)->token = plan.token;
        as_module(op)->needs_gil = plan.needs_gil;
        return true;
    }
    if (def->m_size > 0 || def->m_traverse != nullptr || def->m_clear != nullptr ||
        def->m_free != nullptr) {
        PyErr_Format(PyExc_SystemError,
                     "module %s is not a module object, but requests module state", name);
        return false;
    }
    if (plan.has_exec) {
        PyErr_Format(PyExc_SystemError,
                     "module %s specifies execution slots, but did not create a ModuleType "
                     "instance",
                     name);
        return false;
    }
    return true;
}

}  // namespace

PyObject* PyModule_Create2(PyModuleDef* def, int api_version) {
    PyModuleDef_Init(def);
    if (!check_version(def->m_name, api_version)) {
        return nullptr;
    }
    if (def->m_slots != nullptr) {
        return PyErr_Format(PyExc_SystemError,
                            "module %s: PyModule_Create is incompatible with m_slots", def->m_name);
    }
    Own op(PyModule_New(module::name_in_package(def->m_name)));
    if (!op || !module::allocate_state(as_module(op.get()), def)) {
        return nullptr;
    }
    if (def->m_methods != nullptr && PyModule_AddFunctions(op.get(), def->m_methods) < 0) {
        return nullptr;
    }
    if (def->m_doc != nullptr && PyModule_SetDocString(op.get(), def->m_doc) < 0) {
        return nullptr;
    }
    as_module(op.get())->token = def;
    as_module(op.get())->def = def;
    return op.release();
}

PyObject* PyModule_FromDefAndSpec2(PyModuleDef* def, PyObject* spec, int api_version) {
    PyModuleDef_Init(def);
    const Own name_object(PyObject_GetAttrString(spec, "name"));
    const char* name = name_object ? PyUnicode_AsUTF8(name_object.get()) : nullptr;
    if (name == nullptr || !check_version(name, api_version)) {
        return nullptr;
    }
    if (def->m_size < 0) {
        return PyErr_Format(PyExc_SystemError,
                            "module %s: m_size may not be negative for multi-phase initialization",
                            name);
    }
    Plan plan;
    if (!read_slots(def, name, &plan)) {
        return nullptr;
    }
    Own op(plan.create != nullptr ? create(def, spec, name, plan)
                                  : PyModule_NewObject(name_object.get()));
    if (!op || !adopt(op.get(), def, name, plan)) {
        return nullptr;
    }
    if (def->m_methods != nullptr &&
        module::add_functions(op.get(), name_object.get(), def->m_methods) < 0) {
        return nullptr;
    }
    if (def->m_doc != nullptr && PyModule_SetDocString(op.get(), def->m_doc) < 0) {
        return nullptr;
    }
    return op.release();
}

int PyModule_ExecDef(PyObject* op, PyModuleDef* def) {
    const char* name = PyModule_GetName(op);
    if (name == nullptr || !module::allocate_state(as_module(op), def)) {
        return -1;
    }
    for (const PyModuleDef_Slot* slot = def->m_slots; slot != nullptr && slot->slot != 0; ++slot) {
        if (slot->slot != Py_mod_exec) {
            continue;
        }
        const int result = reinterpret_cast<int (*)(PyObject*)>(slot->value)(op);
        if (result != 0) {
            if (PyErr_Occurred() == nullptr) {
                PyErr_Format(PyExc_SystemError,
                             "execution of module %s failed without setting an exception", name);
            }
            return -1;
        }
        if (PyErr_Occurred() != nullptr) {
            exception::format_from_cause(
                PyExc_SystemError, "execution of module %s raised unreported exception", name);
            return -1;
        }
    }
    return 0;
}

int PyUnstable_Module_SetGIL(PyObject* op, void* gil) {
    if (!PyModule_Check(op)) {
        PyErr_BadInternalCall();
        return -1;
    }
    as_module(op)->needs_gil = gil != Py_MOD_GIL_NOT_USED;
    return 0;
}
