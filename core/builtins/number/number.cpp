// The number protocol: which type's slot an operator calls.
#include "core/builtins/number/number.hpp"

#include "core/builtins/number/number_arguments.hpp"

namespace {

using BinarySlot = binaryfunc PyNumberMethods::*;
using TernarySlot = ternaryfunc PyNumberMethods::*;
using UnarySlot = unaryfunc PyNumberMethods::*;

template <class Function>
Function slot_of(PyObject* op, Function PyNumberMethods::*slot) {
    const PyNumberMethods* methods = Py_TYPE(op)->tp_as_number;
    return methods == nullptr ? nullptr : methods->*slot;
}

// What the first of the slots returns that implements the operation: that of the left operand, then that
// of the right one, if it is another; but first the right one's if its type is derived from the left
// one's. NotImplemented if none does.
template <class Function, class... More>
PyObject* dispatch(PyObject* x, PyObject* y, Function of_x, Function of_y, More... more) {
    if (of_x != nullptr) {
        if (of_y != nullptr && PyType_IsSubtype(Py_TYPE(y), Py_TYPE(x)) != 0) {
            PyObject* result = of_y(x, y, more...);
            if (result != Py_NotImplemented) {
                return result;
            }
            Py_DECREF(result);
            of_y = nullptr;
        }
        PyObject* result = of_x(x, y, more...);
        if (result != Py_NotImplemented) {
            return result;
        }
        Py_DECREF(result);
    }
    return of_y != nullptr ? of_y(x, y, more...) : Py_NewRef(Py_NotImplemented);
}

// The right operand's slot, if it is another than the left one's.
template <class Function>
Function other_slot(PyObject* x, PyObject* y, Function of_x, Function PyNumberMethods::*slot) {
    const Function of_y = Py_IS_TYPE(y, Py_TYPE(x)) ? nullptr : slot_of(y, slot);
    return of_y == of_x ? nullptr : of_y;
}

}  // namespace

PyObject* ouro::number::try_binary(PyObject* x, PyObject* y, BinarySlot slot) {
    const binaryfunc of_x = slot_of(x, slot);
    return dispatch(x, y, of_x, other_slot(x, y, of_x, slot));
}

PyObject* ouro::number::try_in_place(PyObject* x, PyObject* y, BinarySlot in_place,
                                     BinarySlot slot) {
    if (const binaryfunc function = slot_of(x, in_place)) {
        PyObject* result = function(x, y);
        if (result != Py_NotImplemented) {
            return result;
        }
        Py_DECREF(result);
    }
    return try_binary(x, y, slot);
}

namespace {

using ouro::number::try_binary;
using ouro::number::try_in_place;

// TypeError in place of NotImplemented.
PyObject* required(PyObject* result, PyObject* x, PyObject* y, const char* name) {
    if (result != Py_NotImplemented) {
        return result;
    }
    Py_DECREF(result);
    return PyErr_Format(PyExc_TypeError,
                        "unsupported operand type(s) for %.100s: '%.100s' and '%.100s'", name,
                        Py_TYPE(x)->tp_name, Py_TYPE(y)->tp_name);
}

PyObject* binary(PyObject* x, PyObject* y, BinarySlot slot, const char* name) {
    return required(try_binary(x, y, slot), x, y, name);
}

PyObject* in_place(PyObject* x, PyObject* y, BinarySlot in_place_slot, BinarySlot slot,
                   const char* name) {
    return required(try_in_place(x, y, in_place_slot, slot), x, y, name);
}

PyObject* ternary(PyObject* x, PyObject* y, PyObject* z, TernarySlot slot, const char* name) {
    const ternaryfunc of_x = slot_of(x, slot);
    const ternaryfunc of_y = other_slot(x, y, of_x, slot);
    PyObject* result = dispatch(x, y, of_x, of_y, z);
    if (result == Py_NotImplemented) {
        const ternaryfunc of_z = slot_of(z, slot);
        if (of_z != nullptr && of_z != of_x && of_z != of_y) {
            Py_DECREF(result);
            result = of_z(x, y, z);
        }
    }
    if (result != Py_NotImplemented || z == Py_None) {
        return required(result, x, y, name);
    }
    Py_DECREF(result);
    return PyErr_Format(PyExc_TypeError,
                        "unsupported operand type(s) for %.100s: '%.100s', '%.100s', '%.100s'",
                        name, Py_TYPE(x)->tp_name, Py_TYPE(y)->tp_name, Py_TYPE(z)->tp_name);
}

PyObject* unary(PyObject* op, UnarySlot slot, const char* name) {
    if (op == nullptr) {
        return ouro::number::null_argument();
    }
    if (const unaryfunc function = slot_of(op, slot)) {
        return function(op);
    }
    return PyErr_Format(PyExc_TypeError, "bad operand type for %s: '%.200s'", name,
                        Py_TYPE(op)->tp_name);
}

PyObject* repeat(ssizeargfunc function, PyObject* sequence, PyObject* count) {
    if (PyIndex_Check(count) == 0) {
        return PyErr_Format(PyExc_TypeError, "can't multiply sequence by non-int of type '%.200s'",
                            Py_TYPE(count)->tp_name);
    }
    const Py_ssize_t times = PyNumber_AsSsize_t(count, PyExc_OverflowError);
    return times == -1 && PyErr_Occurred() != nullptr ? nullptr : function(sequence, times);
}

ssizeargfunc repeat_slot(PyObject* op) {
    const PySequenceMethods* methods = Py_TYPE(op)->tp_as_sequence;
    return methods == nullptr ? nullptr : methods->sq_repeat;
}

}  // namespace

PyObject* PyNumber_Add(PyObject* x, PyObject* y) {
    PyObject* result = try_binary(x, y, &PyNumberMethods::nb_add);
    const PySequenceMethods* methods = Py_TYPE(x)->tp_as_sequence;
    if (result == Py_NotImplemented && methods != nullptr && methods->sq_concat != nullptr) {
        Py_DECREF(result);
        return methods->sq_concat(x, y);
    }
    return required(result, x, y, "+");
}

PyObject* PyNumber_InPlaceAdd(PyObject* x, PyObject* y) {
    PyObject* result =
        try_in_place(x, y, &PyNumberMethods::nb_inplace_add, &PyNumberMethods::nb_add);
    const PySequenceMethods* methods = Py_TYPE(x)->tp_as_sequence;
    if (result == Py_NotImplemented && methods != nullptr) {
        const binaryfunc concat =
            methods->sq_inplace_concat != nullptr ? methods->sq_inplace_concat : methods->sq_concat;
        if (concat != nullptr) {
            Py_DECREF(result);
            return concat(x, y);
        }
    }
    return required(result, x, y, "+=");
}

PyObject* PyNumber_Multiply(PyObject* x, PyObject* y) {
    PyObject* result = try_binary(x, y, &PyNumberMethods::nb_multiply);
    if (result == Py_NotImplemented) {
        if (const ssizeargfunc function = repeat_slot(x)) {
            Py_DECREF(result);
            return repeat(function, x, y);
        }
        if (const ssizeargfunc function = repeat_slot(y)) {
            Py_DECREF(result);
            return repeat(function, y, x);
        }
    }
    return required(result, x, y, "*");
}

PyObject* PyNumber_InPlaceMultiply(PyObject* x, PyObject* y) {
    PyObject* result =
        try_in_place(x, y, &PyNumberMethods::nb_inplace_multiply, &PyNumberMethods::nb_multiply);
    if (result == Py_NotImplemented) {
        const PySequenceMethods* methods = Py_TYPE(x)->tp_as_sequence;
        if (methods != nullptr) {
            const ssizeargfunc function = methods->sq_inplace_repeat != nullptr
                                              ? methods->sq_inplace_repeat
                                              : methods->sq_repeat;
            if (function != nullptr) {
                Py_DECREF(result);
                return repeat(function, x, y);
            }
        } else if (const ssizeargfunc function = repeat_slot(y)) {
            // The right operand is not to be changed.
            Py_DECREF(result);
            return repeat(function, y, x);
        }
    }
    return required(result, x, y, "*=");
}

PyObject* PyNumber_Subtract(PyObject* x, PyObject* y) {
    return binary(x, y, &PyNumberMethods::nb_subtract, "-");
}

PyObject* PyNumber_MatrixMultiply(PyObject* x, PyObject* y) {
    return binary(x, y, &PyNumberMethods::nb_matrix_multiply, "@");
}

PyObject* PyNumber_FloorDivide(PyObject* x, PyObject* y) {
    return binary(x, y, &PyNumberMethods::nb_floor_divide, "//");
}

PyObject* PyNumber_TrueDivide(PyObject* x, PyObject* y) {
    return binary(x, y, &PyNumberMethods::nb_true_divide, "/");
}

PyObject* PyNumber_Remainder(PyObject* x, PyObject* y) {
    return binary(x, y, &PyNumberMethods::nb_remainder, "%");
}

PyObject* PyNumber_Divmod(PyObject* x, PyObject* y) {
    return binary(x, y, &PyNumberMethods::nb_divmod, "divmod()");
}

PyObject* PyNumber_Lshift(PyObject* x, PyObject* y) {
    return binary(x, y, &PyNumberMethods::nb_lshift, "<<");
}

PyObject* PyNumber_Rshift(PyObject* x, PyObject* y) {
    return binary(x, y, &PyNumberMethods::nb_rshift, ">>");
}

PyObject* PyNumber_And(PyObject* x, PyObject* y) {
    return binary(x, y, &PyNumberMethods::nb_and, "&");
}

PyObject* PyNumber_Xor(PyObject* x, PyObject* y) {
    return binary(x, y, &PyNumberMethods::nb_xor, "^");
}

PyObject* PyNumber_Or(PyObject* x, PyObject* y) {
    return binary(x, y, &PyNumberMethods::nb_or, "|");
}

PyObject* PyNumber_Power(PyObject* x, PyObject* y, PyObject* modulus) {
    return ternary(x, y, modulus, &PyNumberMethods::nb_power, "** or pow()");
}

PyObject* PyNumber_InPlaceSubtract(PyObject* x, PyObject* y) {
    return in_place(x, y, &PyNumberMethods::nb_inplace_subtract, &PyNumberMethods::nb_subtract,
                    "-=");
}

PyObject* PyNumber_InPlaceMatrixMultiply(PyObject* x, PyObject* y) {
    return in_place(x, y, &PyNumberMethods::nb_inplace_matrix_multiply,
                    &PyNumberMethods::nb_matrix_multiply, "@=");
}

PyObject* PyNumber_InPlaceFloorDivide(PyObject* x, PyObject* y) {
    return in_place(x, y, &PyNumberMethods::nb_inplace_floor_divide,
                    &PyNumberMethods::nb_floor_divide, "//=");
}

PyObject* PyNumber_InPlaceTrueDivide(PyObject* x, PyObject* y) {
    return in_place(x, y, &PyNumberMethods::nb_inplace_true_divide,
                    &PyNumberMethods::nb_true_divide, "/=");
}

PyObject* PyNumber_InPlaceRemainder(PyObject* x, PyObject* y) {
    return in_place(x, y, &PyNumberMethods::nb_inplace_remainder, &PyNumberMethods::nb_remainder,
                    "%=");
}

PyObject* PyNumber_InPlaceLshift(PyObject* x, PyObject* y) {
    return in_place(x, y, &PyNumberMethods::nb_inplace_lshift, &PyNumberMethods::nb_lshift, "<<=");
}

PyObject* PyNumber_InPlaceRshift(PyObject* x, PyObject* y) {
    return in_place(x, y, &PyNumberMethods::nb_inplace_rshift, &PyNumberMethods::nb_rshift, ">>=");
}

PyObject* PyNumber_InPlaceAnd(PyObject* x, PyObject* y) {
    return in_place(x, y, &PyNumberMethods::nb_inplace_and, &PyNumberMethods::nb_and, "&=");
}

PyObject* PyNumber_InPlaceXor(PyObject* x, PyObject* y) {
    return in_place(x, y, &PyNumberMethods::nb_inplace_xor, &PyNumberMethods::nb_xor, "^=");
}

PyObject* PyNumber_InPlaceOr(PyObject* x, PyObject* y) {
    return in_place(x, y, &PyNumberMethods::nb_inplace_or, &PyNumberMethods::nb_or, "|=");
}

PyObject* PyNumber_InPlacePower(PyObject* x, PyObject* y, PyObject* modulus) {
    if (const ternaryfunc function = slot_of(x, &PyNumberMethods::nb_inplace_power)) {
        PyObject* result = function(x, y, modulus);
        if (result != Py_NotImplemented) {
            return result;
        }
        Py_DECREF(result);
    }
    return ternary(x, y, modulus, &PyNumberMethods::nb_power, "**=");
}

PyObject* PyNumber_Negative(PyObject* op) {
    return unary(op, &PyNumberMethods::nb_negative, "unary -");
}

PyObject* PyNumber_Positive(PyObject* op) {
    return unary(op, &PyNumberMethods::nb_positive, "unary +");
}

PyObject* PyNumber_Absolute(PyObject* op) {
    return unary(op, &PyNumberMethods::nb_absolute, "abs()");
}

PyObject* PyNumber_Invert(PyObject* op) {
    return unary(op, &PyNumberMethods::nb_invert, "unary ~");
}
