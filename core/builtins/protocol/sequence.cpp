// The sequence protocol: items by number, and what can be done with all of them.
#include <limits>

#include "core/builtins/number/number.hpp"
#include "core/builtins/number/number_arguments.hpp"
#include "core/builtins/protocol/protocol.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using number::null_argument;
using object::Own;

namespace {

constexpr PySequenceMethods kNone{};

const PySequenceMethods& methods_of(PyObject* op) {
    const PySequenceMethods* methods = Py_TYPE(op)->tp_as_sequence;
    return methods == nullptr ? kNone : *methods;
}

const PyMappingMethods& mapping_of(PyObject* op) {
    static constexpr PyMappingMethods kNoMapping{};
    const PyMappingMethods* methods = Py_TYPE(op)->tp_as_mapping;
    return methods == nullptr ? kNoMapping : *methods;
}

PyObject* refuse(PyObject* op, const char* message) {
    return PyErr_Format(PyExc_TypeError, message, Py_TYPE(op)->tp_name);
}

// What a mapping, which has the function under another name, is told.
int refuse_unless_sequence(PyObject* op, bool is_mapping, const char* message) {
    refuse(op, is_mapping ? "%.200s is not a sequence" : message);
    return -1;
}

// False with an exception. A negative index counts from the end, if that is known.
bool adjust(PyObject* op, Py_ssize_t* index) {
    if (*index < 0 && methods_of(op).sq_length != nullptr) {
        const Py_ssize_t length = methods_of(op).sq_length(op);
        if (length < 0) {
            return false;
        }
        *index += length;
    }
    return true;
}

int null_error() {
    null_argument();
    return -1;
}

// What numbers made of the operands, which is stolen; TypeError if they made nothing.
PyObject* required(PyObject* result, PyObject* op, const char* message) {
    if (result != Py_NotImplemented) {
        return result;
    }
    Py_DECREF(result);
    return refuse(op, message);
}

PyObject* concat(PyObject* a, PyObject* b, bool in_place) {
    if (a == nullptr || b == nullptr) {
        return null_argument();
    }
    const PySequenceMethods& methods = methods_of(a);
    if (in_place && methods.sq_inplace_concat != nullptr) {
        return methods.sq_inplace_concat(a, b);
    }
    if (methods.sq_concat != nullptr) {
        return methods.sq_concat(a, b);
    }
    constexpr const char* kMessage = "'%.200s' object can't be concatenated";
    if (PySequence_Check(a) == 0 || PySequence_Check(b) == 0) {
        return refuse(a, kMessage);
    }
    using N = PyNumberMethods;
    return required(in_place ? number::try_in_place(a, b, &N::nb_inplace_add, &N::nb_add)
                             : number::try_binary(a, b, &N::nb_add),
                    a, kMessage);
}

PyObject* repeat(PyObject* op, Py_ssize_t count, bool in_place) {
    if (op == nullptr) {
        return null_argument();
    }
    const PySequenceMethods& methods = methods_of(op);
    if (in_place && methods.sq_inplace_repeat != nullptr) {
        return methods.sq_inplace_repeat(op, count);
    }
    if (methods.sq_repeat != nullptr) {
        return methods.sq_repeat(op, count);
    }
    constexpr const char* kMessage = "'%.200s' object can't be repeated";
    if (PySequence_Check(op) == 0) {
        return refuse(op, kMessage);
    }
    const Own number(PyLong_FromSsize_t(count));
    if (!number) {
        return nullptr;
    }
    using N = PyNumberMethods;
    return required(
        in_place ? number::try_in_place(op, number.get(), &N::nb_inplace_multiply, &N::nb_multiply)
                 : number::try_binary(op, number.get(), &N::nb_multiply),
        op, kMessage);
}

// A slice with these bounds.
Own slice_of(Py_ssize_t low, Py_ssize_t high) {
    const Own start(PyLong_FromSsize_t(low));
    const Own stop(start ? PyLong_FromSsize_t(high) : nullptr);
    return Own(stop ? PySlice_New(start.get(), stop.get(), nullptr) : nullptr);
}

int change_slice(PyObject* op, Py_ssize_t low, Py_ssize_t high, PyObject* items,
                 const char* message) {
    if (op == nullptr) {
        return null_error();
    }
    const objobjargproc assign = mapping_of(op).mp_ass_subscript;
    if (assign == nullptr) {
        refuse(op, message);
        return -1;
    }
    const Own slice = slice_of(low, high);
    return slice ? assign(op, slice.get(), items) : -1;
}

// Calls found(place) with the place of each item that equals the value, until that is false. False with an
// exception.
template <class Found>
bool for_each_equal(PyObject* op, PyObject* value, Found found) {
    if (op == nullptr || value == nullptr) {
        null_argument();
        return false;
    }
    const Own iterator(PyObject_GetIter(op));
    if (!iterator) {
        if (PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
            refuse(op, "argument of type '%.200s' is not iterable");
        }
        return false;
    }
    for (size_t place = 0;; ++place) {
        const Own item(PyIter_Next(iterator.get()));
        if (!item) {
            return PyErr_Occurred() == nullptr;
        }
        const int equal = PyObject_RichCompareBool(item.get(), value, Py_EQ);
        if (equal < 0) {
            return false;
        }
        if (equal > 0 && !found(place)) {
            return true;
        }
    }
}

}  // namespace

int protocol::contains_by_iteration(PyObject* op, PyObject* value) {
    int found = 0;
    const bool good = for_each_equal(op, value, [&](size_t) {
        found = 1;
        return false;
    });
    return good ? found : -1;
}

int PySequence_Check(PyObject* op) {
    return !PyDict_Check(op) && methods_of(op).sq_item != nullptr;
}

Py_ssize_t PySequence_Size(PyObject* op) {
    if (op == nullptr) {
        return null_error();
    }
    const lenfunc length = methods_of(op).sq_length;
    return length != nullptr ? length(op)
                             : refuse_unless_sequence(op, mapping_of(op).mp_length != nullptr,
                                                      "object of type '%.200s' has no len()");
}

Py_ssize_t PySequence_Length(PyObject* op) {
    return PySequence_Size(op);
}

PyObject* PySequence_Concat(PyObject* a, PyObject* b) {
    return concat(a, b, false);
}

PyObject* PySequence_InPlaceConcat(PyObject* a, PyObject* b) {
    return concat(a, b, true);
}

PyObject* PySequence_Repeat(PyObject* op, Py_ssize_t count) {
    return repeat(op, count, false);
}

PyObject* PySequence_InPlaceRepeat(PyObject* op, Py_ssize_t count) {
    return repeat(op, count, true);
}

PyObject* PySequence_GetItem(PyObject* op, Py_ssize_t index) {
    if (op == nullptr) {
        return null_argument();
    }
    const ssizeargfunc item = methods_of(op).sq_item;
    if (item == nullptr) {
        refuse_unless_sequence(op, mapping_of(op).mp_subscript != nullptr,
                               "'%.200s' object does not support indexing");
        return nullptr;
    }
    return adjust(op, &index) ? item(op, index) : nullptr;
}

PyObject* PySequence_GetSlice(PyObject* op, Py_ssize_t low, Py_ssize_t high) {
    if (op == nullptr) {
        return null_argument();
    }
    const binaryfunc subscript = mapping_of(op).mp_subscript;
    if (subscript == nullptr) {
        return refuse(op, "'%.200s' object is unsliceable");
    }
    const Own slice = slice_of(low, high);
    return slice ? subscript(op, slice.get()) : nullptr;
}

int PySequence_SetItem(PyObject* op, Py_ssize_t index, PyObject* item) {
    if (op == nullptr) {
        return null_error();
    }
    const ssizeobjargproc assign = methods_of(op).sq_ass_item;
    if (assign == nullptr) {
        return refuse_unless_sequence(op, mapping_of(op).mp_ass_subscript != nullptr,
                                      "'%.200s' object does not support item assignment");
    }
    return adjust(op, &index) ? assign(op, index, item) : -1;
}

int PySequence_DelItem(PyObject* op, Py_ssize_t index) {
    if (op == nullptr) {
        return null_error();
    }
    const ssizeobjargproc assign = methods_of(op).sq_ass_item;
    if (assign == nullptr) {
        return refuse_unless_sequence(op, mapping_of(op).mp_ass_subscript != nullptr,
                                      "'%.200s' object doesn't support item deletion");
    }
    return adjust(op, &index) ? assign(op, index, nullptr) : -1;
}

int PySequence_SetSlice(PyObject* op, Py_ssize_t low, Py_ssize_t high, PyObject* items) {
    return change_slice(op, low, high, items, "'%.200s' object doesn't support slice assignment");
}

int PySequence_DelSlice(PyObject* op, Py_ssize_t low, Py_ssize_t high) {
    return change_slice(op, low, high, nullptr, "'%.200s' object doesn't support slice deletion");
}

Py_ssize_t PySequence_Count(PyObject* op, PyObject* value) {
    Py_ssize_t count = 0;
    bool too_many = false;
    const bool good = for_each_equal(op, value, [&](size_t) {
        too_many = count == PY_SSIZE_T_MAX;
        count += too_many ? 0 : 1;
        return !too_many;
    });
    if (too_many) {
        PyErr_SetString(PyExc_OverflowError, "count exceeds C integer size");
    }
    return good && !too_many ? count : -1;
}

int PySequence_Contains(PyObject* op, PyObject* value) {
    if (op != nullptr && methods_of(op).sq_contains != nullptr) {
        return methods_of(op).sq_contains(op, value);
    }
    return protocol::contains_by_iteration(op, value);
}

int PySequence_In(PyObject* op, PyObject* value) {
    return PySequence_Contains(op, value);
}

Py_ssize_t PySequence_Index(PyObject* op, PyObject* value) {
    constexpr size_t kNowhere = std::numeric_limits<size_t>::max();
    size_t first = kNowhere;
    const bool good = for_each_equal(op, value, [&](size_t place) {
        first = place;
        return false;
    });
    if (!good) {
        return -1;
    }
    if (first == kNowhere) {
        PyErr_SetString(PyExc_ValueError, "sequence.index(x): x not in sequence");
        return -1;
    }
    if (first > static_cast<size_t>(PY_SSIZE_T_MAX)) {
        PyErr_SetString(PyExc_OverflowError, "index exceeds C integer size");
        return -1;
    }
    return static_cast<Py_ssize_t>(first);
}

PyObject* PySequence_List(PyObject* op) {
    Own list(PyList_New(0));
    return list && PyList_Extend(list.get(), op) == 0 ? list.release() : nullptr;
}

PyObject* PySequence_Tuple(PyObject* op) {
    if (op == nullptr) {
        return null_argument();
    }
    if (PyTuple_CheckExact(op)) {
        return Py_NewRef(op);
    }
    if (PyList_CheckExact(op)) {
        return PyList_AsTuple(op);
    }
    const Own list(PySequence_List(op));
    return list ? PyList_AsTuple(list.get()) : nullptr;
}

PyObject* PySequence_Fast(PyObject* op, const char* message) {
    if (op == nullptr) {
        return null_argument();
    }
    if (PyList_CheckExact(op) || PyTuple_CheckExact(op)) {
        return Py_NewRef(op);
    }
    const Own iterator(PyObject_GetIter(op));
    if (!iterator) {
        if (PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
            PyErr_SetString(PyExc_TypeError, message);
        }
        return nullptr;
    }
    return PySequence_List(iterator.get());
}
