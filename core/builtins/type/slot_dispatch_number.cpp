// Of numbers and containers.
#include "core/builtins/type/slot_dispatch.hpp"

#include "core/object/own.hpp"

namespace ouro::type {
namespace {

int done(PyObject* result) {
    if (result == nullptr) {
        return -1;
    }
    Py_DECREF(result);
    return 0;
}

int truth_of(PyObject* result) {
    if (result == nullptr) {
        return -1;
    }
    const int truth = PyObject_IsTrue(result);
    Py_DECREF(result);
    return truth;
}

// A length that __len__ returned; takes the reference.
Py_ssize_t length_from(PyObject* result) {
    PyObject* index = result == nullptr ? nullptr : PyNumber_Index(result);
    Py_XDECREF(result);
    if (index == nullptr) {
        return -1;
    }
    Py_ssize_t length;
    int overflow;
    const long value = PyLong_AsLongAndOverflow(index, &overflow);
    if (overflow < 0 || (overflow == 0 && value < 0)) {
        PyErr_SetString(PyExc_ValueError, "__len__() should return >= 0");
        length = -1;
    } else {
        length = PyNumber_AsSsize_t(index, PyExc_OverflowError);
    }
    Py_DECREF(index);
    return length;
}

// Whether an iteration comes to something that is equal.
int find_by_iteration(PyObject* self, PyObject* value) {
    const object::Own iterator(PyObject_GetIter(self));
    if (!iterator) {
        if (PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
            PyErr_Format(PyExc_TypeError, "argument of type '%.200s' is not iterable",
                         Py_TYPE(self)->tp_name);
        }
        return -1;
    }
    for (;;) {
        const object::Own item(PyIter_Next(iterator.get()));
        if (!item) {
            return PyErr_Occurred() == nullptr ? 0 : -1;
        }
        const int equal = PyObject_RichCompareBool(item.get(), value, Py_EQ);
        if (equal != 0) {
            return equal;
        }
    }
}

PyObject* power(PyObject* self, PyObject* other) {
    return call_operator(self, other, &PyNumberMethods::nb_power, &dispatch_power, "__pow__"_name,
                         "__rpow__"_name);
}

}  // namespace

PyObject* call_or_not_implemented(PyObject* self, PyObject* name, PyObject* other) {
    const SpecialMethod method(self, name);
    if (method.failed()) {
        return nullptr;
    }
    return method.missing() ? Py_NewRef(Py_NotImplemented) : method.call(other);
}

int is_overloaded(PyObject* left, PyObject* right, PyObject* name) {
    const auto type_of = [](PyObject* op) { return reinterpret_cast<PyObject*>(Py_TYPE(op)); };
    PyObject* theirs;
    if (const int found = PyObject_GetOptionalAttr(type_of(right), name, &theirs); found <= 0) {
        return found;
    }
    PyObject* ours;
    int overloaded = PyObject_GetOptionalAttr(type_of(left), name, &ours);
    if (overloaded > 0) {
        overloaded = PyObject_RichCompareBool(ours, theirs, Py_NE);
        Py_DECREF(ours);
    } else if (overloaded == 0) {
        overloaded = 1;
    }
    Py_DECREF(theirs);
    return overloaded;
}

int dispatch_bool(PyObject* self) {
    {
        const SpecialMethod method(self, "__bool__"_name);
        if (method.failed()) {
            return -1;
        }
        if (!method.missing()) {
            PyObject* result = method.call();
            if (result != nullptr && !PyBool_Check(result)) {
                PyErr_Format(PyExc_TypeError, "__bool__ should return bool, returned %s",
                             Py_TYPE(result)->tp_name);
                Py_CLEAR(result);
            }
            return truth_of(result);
        }
    }
    const SpecialMethod method(self, "__len__"_name);
    if (method.failed() || method.missing()) {
        return method.failed() ? -1 : 1;
    }
    const Py_ssize_t length = length_from(method.call());
    return length > 0 ? 1 : static_cast<int>(length);
}

PyObject* dispatch_power(PyObject* self, PyObject* other, PyObject* modulus) {
    if (modulus == Py_None) {
        return power(self, other);
    }
    // With a modulus the left operand alone is asked; this may be called because of another.
    const PyNumberMethods* methods = Py_TYPE(self)->tp_as_number;
    return methods != nullptr && methods->nb_power == dispatch_power
               ? call_special(self, "__pow__"_name, other, modulus)
               : Py_NewRef(Py_NotImplemented);
}

PyObject* dispatch_inplace_power(PyObject* self, PyObject* other, PyObject*) {
    return call_special(self, "__ipow__"_name, other);
}

Py_ssize_t dispatch_length(PyObject* self) {
    return length_from(call_special(self, "__len__"_name));
}

PyObject* dispatch_item(PyObject* self, Py_ssize_t index) {
    PyObject* number = PyLong_FromSsize_t(index);
    if (number == nullptr) {
        return nullptr;
    }
    PyObject* item = call_special(self, "__getitem__"_name, number);
    Py_DECREF(number);
    return item;
}

int dispatch_set_item(PyObject* self, Py_ssize_t index, PyObject* value) {
    PyObject* number = PyLong_FromSsize_t(index);
    if (number == nullptr) {
        return -1;
    }
    const int result = dispatch_set_key(self, number, value);
    Py_DECREF(number);
    return result;
}

int dispatch_set_key(PyObject* self, PyObject* key, PyObject* value) {
    return done(value == nullptr ? call_special(self, "__delitem__"_name, key)
                                 : call_special(self, "__setitem__"_name, key, value));
}

int dispatch_contains(PyObject* self, PyObject* value) {
    const SpecialMethod method(self, "__contains__"_name);
    if (method.failed()) {
        return -1;
    }
    if (method.is_none()) {
        PyErr_Format(PyExc_TypeError, "'%.200s' object is not a container", Py_TYPE(self)->tp_name);
        return -1;
    }
    return method.missing() ? find_by_iteration(self, value) : truth_of(method.call(value));
}

}  // namespace ouro::type
