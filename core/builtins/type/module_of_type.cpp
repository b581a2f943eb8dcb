// What types made from a spec know of their modules, and which of them is of a spec.
#include "core/builtins/type/heap_type.hpp"
#include "core/object/object.hpp"

using namespace ouro;
using type::is_heap_type;

namespace {

PyObject* module_of(PyTypeObject* type) {
    return is_heap_type(type) ? type::as_heap_type(type)->ht_module : nullptr;
}

// The type itself and what it derives from, in order; nullptr if there is none for which `is_it` holds.
template <class Predicate>
PyTypeObject* first_of(PyTypeObject* type, Predicate is_it) {
    PyObject* order = type->tp_mro;
    if (order == nullptr) {  // cleared as garbage: the bases are still known
        for (; type != nullptr && !is_it(type); type = type->tp_base) {
        }
        return type;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(order); ++i) {
        auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(order, i));
        if (is_it(base)) {
            return base;
        }
    }
    return nullptr;
}

PyTypeObject* type_of_module_with_token(PyTypeObject* type, const void* token) {
    return first_of(type, [token](PyTypeObject* base) {
        void* its_token = nullptr;
        return module_of(base) != nullptr &&
               PyModule_GetToken_DuringGC(module_of(base), &its_token) == 0 && its_token == token;
    });
}

PyTypeObject* type_with_token(PyTypeObject* type, const void* token) {
    return first_of(type, [token](PyTypeObject* base) {
        return is_heap_type(base) && type::as_heap_type(base)->ht_token == token;
    });
}

}  // namespace

PyObject* PyType_GetModule_DuringGC(PyTypeObject* type) {
    return module_of(type);
}

PyObject* PyType_GetModule(PyTypeObject* type) {
    PyObject* module = module_of(type);
    if (module == nullptr) {
        PyErr_Format(PyExc_TypeError,
                     is_heap_type(type) ? "PyType_GetModule: Type '%s' has no associated module"
                                        : "PyType_GetModule: Type '%s' is not a heap type",
                     type->tp_name);
    }
    return module;
}

void* PyType_GetModuleState_DuringGC(PyTypeObject* type) {
    PyObject* module = module_of(type);
    return module == nullptr ? nullptr : PyModule_GetState_DuringGC(module);
}

void* PyType_GetModuleState(PyTypeObject* type) {
    PyObject* module = PyType_GetModule(type);
    return module == nullptr ? nullptr : PyModule_GetState(module);
}

PyObject* PyType_GetModuleByDef(PyTypeObject* type, PyModuleDef* def) {
    PyTypeObject* found = first_of(type, [def](PyTypeObject* base) {
        return module_of(base) != nullptr && PyModule_GetDef(module_of(base)) == def;
    });
    if (found == nullptr) {
        PyErr_Format(PyExc_TypeError,
                     "PyType_GetModuleByDef: No superclass of '%s' has the given module",
                     type->tp_name);
        return nullptr;
    }
    return module_of(found);
}

PyObject* PyType_GetModuleByToken_DuringGC(PyTypeObject* type, const void* token) {
    PyTypeObject* found = type_of_module_with_token(type, token);
    return found == nullptr ? nullptr : module_of(found);
}

PyObject* PyType_GetModuleByToken(PyTypeObject* type, const void* token) {
    PyObject* module = PyType_GetModuleByToken_DuringGC(type, token);
    if (module == nullptr) {
        PyErr_Format(PyExc_TypeError,
                     "PyType_GetModuleByToken: No superclass of '%s' has the given module",
                     type->tp_name);
    }
    return Py_XNewRef(module);
}

int PyType_GetBaseByToken_DuringGC(PyTypeObject* type, void* token, PyTypeObject** result) {
    PyTypeObject* found = token == nullptr ? nullptr : type_with_token(type, token);
    if (result != nullptr) {
        *result = found;
    }
    return token == nullptr ? -1 : found != nullptr;
}

int PyType_GetBaseByToken(PyTypeObject* type, void* token, PyTypeObject** result) {
    if (token == nullptr) {
        PyErr_Format(PyExc_SystemError, "PyType_GetBaseByToken called with token=NULL");
    } else if (!PyType_Check(reinterpret_cast<PyObject*>(type))) {
        PyErr_Format(PyExc_TypeError, "expected a type, got a '%T' object", type);
        if (result != nullptr) {
            *result = nullptr;
        }
        return -1;
    }
    const int found = PyType_GetBaseByToken_DuringGC(type, token, result);
    if (found > 0 && result != nullptr) {
        Py_INCREF(*result);
    }
    return found;
}
