// Capsules.
#include <string_view>

#include "core/object/object.hpp"

using namespace ouro;

namespace {

struct Capsule {
    PyObject ob_base;
    void* pointer;
    const char* name;
    void* context;
    PyCapsule_Destructor destructor;
};

bool same_name(const char* a, const char* b) {
    return a == b || (a != nullptr && b != nullptr && std::string_view(a) == b);
}

void capsule_dealloc(PyObject* op) {
    if (const PyCapsule_Destructor destructor = reinterpret_cast<Capsule*>(op)->destructor) {
        destructor(op);
    }
    Py_TYPE(op)->tp_free(op);
}

PyObject* capsule_repr(PyObject* op) {
    const char* name = reinterpret_cast<Capsule*>(op)->name;
    const char* quote = name == nullptr ? "" : "\"";
    return PyUnicode_FromFormat("<capsule object %s%s%s at %p>", quote,
                                name == nullptr ? "NULL" : name, quote, op);
}

Capsule* legal_capsule(PyObject* op, const char* function) {
    if (op == nullptr || !PyCapsule_CheckExact(op) ||
        reinterpret_cast<Capsule*>(op)->pointer == nullptr) {
        PyErr_Format(PyExc_ValueError, "%s called with invalid PyCapsule object", function);
        return nullptr;
    }
    return reinterpret_cast<Capsule*>(op);
}

}  // namespace

PyTypeObject PyCapsule_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "PyCapsule",
    .tp_basicsize = sizeof(Capsule),
    .tp_dealloc = capsule_dealloc,
    .tp_repr = capsule_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

PyObject* PyCapsule_New(void* pointer, const char* name, PyCapsule_Destructor call_at_end) {
    if (pointer == nullptr) {
        PyErr_SetString(PyExc_ValueError, "PyCapsule_New called with null pointer");
        return nullptr;
    }
    PyObject* op = object::allocate_atom(&PyCapsule_Type, sizeof(Capsule));
    if (op != nullptr) {
        auto* capsule = reinterpret_cast<Capsule*>(op);
        capsule->pointer = pointer;
        capsule->name = name;
        capsule->context = nullptr;
        capsule->destructor = call_at_end;
    }
    return op;
}

void* PyCapsule_GetPointer(PyObject* op, const char* name) {
    Capsule* capsule = legal_capsule(op, "PyCapsule_GetPointer");
    if (capsule == nullptr) {
        return nullptr;
    }
    if (!same_name(name, capsule->name)) {
        PyErr_SetString(PyExc_ValueError, "PyCapsule_GetPointer called with incorrect name");
        return nullptr;
    }
    return capsule->pointer;
}

const char* PyCapsule_GetName(PyObject* op) {
    Capsule* capsule = legal_capsule(op, "PyCapsule_GetName");
    return capsule == nullptr ? nullptr : capsule->name;
}

void* PyCapsule_GetContext(PyObject* op) {
    Capsule* capsule = legal_capsule(op, "PyCapsule_GetContext");
    return capsule == nullptr ? nullptr : capsule->context;
}

int PyCapsule_SetContext(PyObject* op, void* context) {
    Capsule* capsule = legal_capsule(op, "PyCapsule_SetContext");
    if (capsule == nullptr) {
        return -1;
    }
    capsule->context = context;
    return 0;
}

PyCapsule_Destructor PyCapsule_GetDestructor(PyObject* op) {
    Capsule* capsule = legal_capsule(op, "PyCapsule_GetDestructor");
    return capsule == nullptr ? nullptr : capsule->destructor;
}

int PyCapsule_SetPointer(PyObject* op, void* pointer) {
    if (pointer == nullptr) {
        PyErr_SetString(PyExc_ValueError, "PyCapsule_SetPointer called with null pointer");
        return -1;
    }
    Capsule* capsule = legal_capsule(op, "PyCapsule_SetPointer");
    if (capsule == nullptr) {
        return -1;
    }
    capsule->pointer = pointer;
    return 0;
}

int PyCapsule_SetName(PyObject* op, const char* name) {
    Capsule* capsule = legal_capsule(op, "PyCapsule_SetName");
    if (capsule == nullptr) {
        return -1;
    }
    capsule->name = name;
    return 0;
}

int PyCapsule_SetDestructor(PyObject* op, PyCapsule_Destructor destroy) {
    Capsule* capsule = legal_capsule(op, "PyCapsule_SetDestructor");
    if (capsule == nullptr) {
        return -1;
    }
    capsule->destructor = destroy;
    return 0;
}

int PyCapsule_IsValid(PyObject* op, const char* name) {
    return op != nullptr && PyCapsule_CheckExact(op) &&
           reinterpret_cast<Capsule*>(op)->pointer != nullptr &&
           same_name(name, reinterpret_cast<Capsule*>(op)->name);
}
