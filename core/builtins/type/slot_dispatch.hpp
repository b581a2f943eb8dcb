// From C to Python: what fills the slots of a class that has special methods of its own. Each looks its method up
// in the object's class, calls it, and makes of the result what the slot returns.
#pragma once

#include "core/builtins/type/special.hpp"

namespace ouro::type {

PyObject* dispatch_repr(PyObject* self);
PyObject* dispatch_str(PyObject* self);
Py_hash_t dispatch_hash(PyObject* self);
PyObject* dispatch_call(PyObject* self, PyObject* args, PyObject* kwargs);
// __getattribute__, and __getattr__ where that finds nothing.
PyObject* dispatch_getattro(PyObject* self, PyObject* name);
int dispatch_setattro(PyObject* self, PyObject* name, PyObject* value);
PyObject* dispatch_richcompare(PyObject* self, PyObject* other, int operation);
PyObject* dispatch_iter(PyObject* self);
PyObject* dispatch_iternext(PyObject* self);
PyObject* dispatch_descr_get(PyObject* self, PyObject* instance, PyObject* owner);
int dispatch_descr_set(PyObject* self, PyObject* instance, PyObject* value);
int dispatch_init(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* dispatch_new(PyTypeObject* type, PyObject* args, PyObject* kwargs);
void dispatch_finalize(PyObject* self);

PyObject* dispatch_await(PyObject* self);
PyObject* dispatch_aiter(PyObject* self);
PyObject* dispatch_anext(PyObject* self);

int dispatch_bool(PyObject* self);
PyObject* dispatch_power(PyObject* self, PyObject* other, PyObject* modulus);
PyObject* dispatch_inplace_power(PyObject* self, PyObject* other, PyObject* modulus);

Py_ssize_t dispatch_length(PyObject* self);
PyObject* dispatch_item(PyObject* self, Py_ssize_t index);
int dispatch_set_item(PyObject* self, Py_ssize_t index, PyObject* value);
int dispatch_contains(PyObject* self, PyObject* value);
int dispatch_set_key(PyObject* self, PyObject* key, PyObject* value);

// Slots that do nothing but call a method.
template <NameText name>
PyObject* dispatch_unary(PyObject* self) {
    return call_special(self, operator""_name<name>());
}
template <NameText name>
PyObject* dispatch_one_argument(PyObject* self, PyObject* other) {
    return call_special(self, operator""_name<name>(), other);
}

// NotImplemented if the class has no such method.
PyObject* call_or_not_implemented(PyObject* self, PyObject* name, PyObject* other);
// Whether two objects' classes have different things of a name, and the right one's has any: 1, 0, or -1 with an
// exception.
int is_overloaded(PyObject* left, PyObject* right, PyObject* name);

// An operator of a class: of the left operand, and, reflected, of the right one. `ours` is who asks: an operand
// whose type has that function in its slot is one of a class. The right one comes first if its class derives from the left
// one's and has another method.
template <class Function>
PyObject* call_operator(PyObject* self, PyObject* other, Function PyNumberMethods::*slot,
                        Function ours, PyObject* name, PyObject* reflected) {
    if (name == nullptr || reflected == nullptr) {
        return nullptr;
    }
    const auto is_ours = [=](PyObject* op) {
        const PyNumberMethods* methods = Py_TYPE(op)->tp_as_number;
        return methods != nullptr && methods->*slot == ours;
    };
    bool ask_other = !Py_IS_TYPE(self, Py_TYPE(other)) && is_ours(other);
    if (is_ours(self)) {
        if (ask_other && PyType_IsSubtype(Py_TYPE(other), Py_TYPE(self)) != 0) {
            const int overloaded = is_overloaded(self, other, reflected);
            if (overloaded < 0) {
                return nullptr;
            }
            if (overloaded != 0) {
                PyObject* result = call_or_not_implemented(other, reflected, self);
                if (result != Py_NotImplemented) {
                    return result;
                }
                Py_DECREF(result);
                ask_other = false;
            }
        }
        PyObject* result = call_or_not_implemented(self, name, other);
        if (result != Py_NotImplemented || !ask_other) {
            return result;
        }
        Py_DECREF(result);
    }
    return ask_other ? call_or_not_implemented(other, reflected, self)
                     : Py_NewRef(Py_NotImplemented);
}

template <binaryfunc PyNumberMethods::*slot, NameText name, NameText reflected>
PyObject* dispatch_binary(PyObject* self, PyObject* other) {
    return call_operator(self, other, slot, &dispatch_binary<slot, name, reflected>,
                                            operator""_name<name>(), operator""_name<reflected>());
}

}  // namespace ouro::type
