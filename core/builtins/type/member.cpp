// Fields of objects' structs as attributes.
#include <climits>
#include <cstring>

#include "core/mutator/critical_section.hpp"
#include "core/object/object.hpp"
#include "core/object/take.hpp"

using namespace ouro;

namespace {

template <class T>
T load(const char* field) {
    return __atomic_load_n(reinterpret_cast<const T*>(field), __ATOMIC_RELAXED);
}

template <class T>
void store(char* field, T value) {
    __atomic_store_n(reinterpret_cast<T*>(field), value, __ATOMIC_RELAXED);
}

double load_double(const char* field) {
    const auto bits = load<uint64_t>(field);
    return __builtin_bit_cast(double, bits);
}

float load_float(const char* field) {
    const auto bits = load<uint32_t>(field);
    return __builtin_bit_cast(float, bits);
}

int warn_truncated(const char* what) {
    return PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "Truncation of value to %s", what);
}

// A signed field; a value that does not fit is cut, with a warning.
template <class T>
int store_signed(char* field, PyObject* value, const char* what) {
    const long number = PyLong_AsLong(value);
    if (number == -1 && PyErr_Occurred() != nullptr) {
        return -1;
    }
    store(field, static_cast<T>(number));
    return number == static_cast<T>(number) ? 0 : warn_truncated(what);
}

template <class T>
int store_small_unsigned(char* field, PyObject* value, const char* what) {
    const long number = PyLong_AsLong(value);
    if (number == -1 && PyErr_Occurred() != nullptr) {
        return -1;
    }
    store(field, static_cast<T>(number));
    return number >= 0 && number == static_cast<long>(static_cast<T>(number))
               ? 0
               : warn_truncated(what);
}

// Fields as wide as a long and wider take negative values for compatibility, with a warning.
template <class T, class Convert>
int store_unsigned(char* field, PyObject* value, const char* what, Convert convert) {
    PyObject* index = PyNumber_Index(value);
    if (index == nullptr) {
        return -1;
    }
    int overflow = 0;
    const long sign = PyLong_AsLongAndOverflow(index, &overflow);
    const bool negative = overflow < 0 || (overflow == 0 && sign < 0);
    unsigned long long number;
    if (negative) {
        number = static_cast<unsigned long long>(PyLong_AsLong(index));
    } else {
        number = convert(index);
    }
    Py_DECREF(index);
    if (number == static_cast<unsigned long long>(-1) && PyErr_Occurred() != nullptr) {
        return -1;
    }
    store(field, static_cast<T>(number));
    if (negative) {
        return PyErr_WarnEx(PyExc_RuntimeWarning, "Writing negative value into unsigned field", 1);
    }
    return number == static_cast<T>(number) ? 0 : warn_truncated(what);
}

// New reference; nullptr if the field has none. Other threads may be replacing it.
PyObject* load_object(const char* address, const char* field) {
    auto* const place = reinterpret_cast<PyObject**>(const_cast<char*>(field));
    return object::take([place] { return place; }, address);
}

int store_object(char* address, PyObject** field, PyObject* value) {
    PyObject* old;
    Py_XINCREF(value);
    {
        const mutator::Guard guard(address);
        old = *field;
        OURO_STORE_FIELD(field, value);
    }
    Py_XDECREF(old);
    return 0;
}

int refuse_deletion(const PyMemberDef* member, char* field) {
    if (member->type == Py_T_OBJECT_EX) {
        if (load<PyObject*>(field) == nullptr) {
            PyErr_SetString(PyExc_AttributeError, member->name);
            return -1;
        }
        return 0;
    }
    if (member->type != _Py_T_OBJECT) {
        PyErr_SetString(PyExc_TypeError, "can't delete numeric/char attribute");
        return -1;
    }
    return 0;
}

}  // namespace

PyObject* PyMember_GetOne(const char* address, PyMemberDef* member) {
    if ((member->flags & Py_RELATIVE_OFFSET) != 0) {
        PyErr_SetString(PyExc_SystemError, "PyMember_GetOne used with Py_RELATIVE_OFFSET");
        return nullptr;
    }
    const char* field = address + member->offset;
    switch (member->type) {
        case Py_T_BOOL:
            return PyBool_FromLong(load<char>(field));
        case Py_T_BYTE:
            return PyLong_FromLong(load<signed char>(field));
        case Py_T_UBYTE:
            return PyLong_FromLong(load<unsigned char>(field));
        case Py_T_SHORT:
            return PyLong_FromLong(load<short>(field));
        case Py_T_USHORT:
            return PyLong_FromLong(load<unsigned short>(field));
        case Py_T_INT:
            return PyLong_FromLong(load<int>(field));
        case Py_T_UINT:
            return PyLong_FromUnsignedLong(load<unsigned int>(field));
        case Py_T_LONG:
            return PyLong_FromLong(load<long>(field));
        case Py_T_ULONG:
            return PyLong_FromUnsignedLong(load<unsigned long>(field));
        case Py_T_LONGLONG:
            return PyLong_FromLongLong(load<long long>(field));
        case Py_T_ULONGLONG:
            return PyLong_FromUnsignedLongLong(load<unsigned long long>(field));
        case Py_T_PYSSIZET:
            return PyLong_FromSsize_t(load<Py_ssize_t>(field));
        case Py_T_FLOAT:
            return PyFloat_FromDouble(load_float(field));
        case Py_T_DOUBLE:
            return PyFloat_FromDouble(load_double(field));
        case Py_T_STRING: {
            const char* text = load<const char*>(field);
            return text == nullptr ? Py_NewRef(Py_None) : PyUnicode_FromString(text);
        }
        case Py_T_STRING_INPLACE:
            return PyUnicode_FromString(field);
        case Py_T_CHAR: {
            const char letter = load<char>(field);
            return PyUnicode_FromStringAndSize(&letter, 1);
        }
        case _Py_T_OBJECT: {
            PyObject* op = load_object(address, field);
            return op == nullptr ? Py_NewRef(Py_None) : op;
        }
        case Py_T_OBJECT_EX: {
            PyObject* op = load_object(address, field);
            if (op == nullptr) {
                PyObject* self = reinterpret_cast<PyObject*>(const_cast<char*>(address));
                PyErr_Format(PyExc_AttributeError, "'%.200s' object has no attribute '%s'",
                             Py_TYPE(self)->tp_name, member->name);
            }
            return op;
        }
        case _Py_T_NONE:
            return Py_NewRef(Py_None);
        default:
            return PyErr_Format(PyExc_SystemError, "bad memberdescr type for %s", member->name);
    }
}

int PyMember_SetOne(char* address, PyMemberDef* member, PyObject* value) {
    if ((member->flags & Py_RELATIVE_OFFSET) != 0) {
        PyErr_SetString(PyExc_SystemError, "PyMember_SetOne used with Py_RELATIVE_OFFSET");
        return -1;
    }
    char* field = address + member->offset;
    if ((member->flags & Py_READONLY) != 0) {
        PyErr_SetString(PyExc_AttributeError, "readonly attribute");
        return -1;
    }
    if (value == nullptr && refuse_deletion(member, field) < 0) {
        return -1;
    }
    switch (member->type) {
        case Py_T_BOOL:
            if (!PyBool_Check(value)) {
                PyErr_SetString(PyExc_TypeError, "attribute value type must be bool");
                return -1;
            }
            store<char>(field, value == Py_True ? 1 : 0);
            return 0;
        case Py_T_BYTE:
            return store_signed<signed char>(field, value, "char");
        case Py_T_UBYTE:
            return store_small_unsigned<unsigned char>(field, value, "unsigned char");
        case Py_T_SHORT:
            return store_signed<short>(field, value, "short");
        case Py_T_USHORT:
            return store_small_unsigned<unsigned short>(field, value, "unsigned short");
        case Py_T_INT:
            return store_signed<int>(field, value, "int");
        case Py_T_UINT:
            return store_unsigned<unsigned int>(
                field, value, "unsigned int",
                [](PyObject* op) -> unsigned long long { return PyLong_AsUnsignedLong(op); });
        case Py_T_LONG: {
            const long number = PyLong_AsLong(value);
            if (number == -1 && PyErr_Occurred() != nullptr) {
                return -1;
            }
            store(field, number);
            return 0;
        }
        case Py_T_ULONG:
            return store_unsigned<unsigned long>(
                field, value, "unsigned long",
                [](PyObject* op) -> unsigned long long { return PyLong_AsUnsignedLong(op); });
        case Py_T_LONGLONG: {
            const long long number = PyLong_AsLongLong(value);
            if (number == -1 && PyErr_Occurred() != nullptr) {
                return -1;
            }
            store(field, number);
            return 0;
        }
        case Py_T_ULONGLONG:
            return store_unsigned<unsigned long long>(
                field, value, "unsigned long long",
                [](PyObject* op) { return PyLong_AsUnsignedLongLong(op); });
        case Py_T_PYSSIZET: {
            const Py_ssize_t number = PyLong_AsSsize_t(value);
            if (number == -1 && PyErr_Occurred() != nullptr) {
                return -1;
            }
            store(field, number);
            return 0;
        }
        case Py_T_FLOAT:
        case Py_T_DOUBLE: {
            const double number = PyFloat_AsDouble(value);
            if (number == -1.0 && PyErr_Occurred() != nullptr) {
                return -1;
            }
            if (member->type == Py_T_FLOAT) {
                store(field, __builtin_bit_cast(uint32_t, static_cast<float>(number)));
            } else {
                store(field, __builtin_bit_cast(uint64_t, number));
            }
            return 0;
        }
        case Py_T_CHAR: {
            Py_ssize_t size = 0;
            const char* text = PyUnicode_AsUTF8AndSize(value, &size);
            if (text == nullptr || size != 1) {
                PyErr_BadArgument();
                return -1;
            }
            store(field, *text);
            return 0;
        }
        case _Py_T_OBJECT:
        case Py_T_OBJECT_EX:
            return store_object(address, reinterpret_cast<PyObject**>(field), value);
        case Py_T_STRING:
        case Py_T_STRING_INPLACE:
            PyErr_SetString(PyExc_TypeError, "readonly attribute");
            return -1;
        default:
            PyErr_Format(PyExc_SystemError, "bad memberdescr type for %s", member->name);
            return -1;
    }
}
