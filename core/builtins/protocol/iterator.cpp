// The iterator protocol.
#include "core/builtins/number/number_arguments.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using object::Own;

namespace {

// After a NULL of tp_iternext: the end is no exception. False with one.
bool is_at_end() {
    if (PyErr_Occurred() == nullptr) {
        return true;
    }
    if (PyErr_ExceptionMatches(PyExc_StopIteration) == 0) {
        return false;
    }
    PyErr_Clear();
    return true;
}

// The value of the StopIteration that is set, None if none is: a new reference. nullptr, and the exception
// stays, if it is another.
PyObject* value_of_end() {
    if (PyErr_Occurred() == nullptr) {
        return Py_NewRef(Py_None);
    }
    if (PyErr_ExceptionMatches(PyExc_StopIteration) == 0) {
        return nullptr;
    }
    const Own raised(PyErr_GetRaisedException());
    PyObject* value = reinterpret_cast<PyStopIterationObject*>(raised.get())->value;
    return Py_NewRef(value == nullptr ? Py_None : value);
}

}  // namespace

PyObject* PyObject_SelfIter(PyObject* op) {
    return Py_NewRef(op);
}

PyObject* _PyObject_NextNotImplemented(PyObject* op) {
    return PyErr_Format(PyExc_TypeError, "'%.200s' object is not iterable", Py_TYPE(op)->tp_name);
}

int PyIter_Check(PyObject* op) {
    const iternextfunc next = Py_TYPE(op)->tp_iternext;
    return next != nullptr && next != _PyObject_NextNotImplemented;
}

PyObject* PyObject_GetIter(PyObject* op) {
    const getiterfunc iterate = Py_TYPE(op)->tp_iter;
    if (iterate == nullptr) {
        return PySequence_Check(op) != 0 ? PySeqIter_New(op) : _PyObject_NextNotImplemented(op);
    }
    Own iterator(iterate(op));
    if (iterator && PyIter_Check(iterator.get()) == 0) {
        return PyErr_Format(PyExc_TypeError, "iter() returned non-iterator of type '%.100s'",
                            Py_TYPE(iterator.get())->tp_name);
    }
    return iterator.release();
}

int PyAIter_Check(PyObject* op) {
    const PyAsyncMethods* methods = Py_TYPE(op)->tp_as_async;
    return methods != nullptr && methods->am_anext != nullptr &&
           methods->am_anext != _PyObject_NextNotImplemented;
}

PyObject* PyObject_GetAIter(PyObject* op) {
    const PyAsyncMethods* methods = Py_TYPE(op)->tp_as_async;
    if (methods == nullptr || methods->am_aiter == nullptr) {
        return PyErr_Format(PyExc_TypeError, "'%.200s' object is not an async iterable",
                            Py_TYPE(op)->tp_name);
    }
    Own iterator(methods->am_aiter(op));
    if (iterator && PyAIter_Check(iterator.get()) == 0) {
        return PyErr_Format(PyExc_TypeError,
                            "aiter() returned not an async iterator of type '%.100s'",
                            Py_TYPE(iterator.get())->tp_name);
    }
    return iterator.release();
}

PyObject* PyIter_Next(PyObject* iterator) {
    PyObject* item = Py_TYPE(iterator)->tp_iternext(iterator);
    if (item == nullptr) {
        (void)is_at_end();
    }
    return item;
}

int PyIter_NextItem(PyObject* iterator, PyObject** item) {
    *item = nullptr;
    if (PyIter_Check(iterator) == 0) {
        PyErr_Format(PyExc_TypeError, "expected an iterator, got '%T'", iterator);
        return -1;
    }
    *item = Py_TYPE(iterator)->tp_iternext(iterator);
    return *item != nullptr ? 1 : is_at_end() ? 0 : -1;
}

PySendResult PyIter_Send(PyObject* iterator, PyObject* value, PyObject** result) {
    const PyAsyncMethods* methods = Py_TYPE(iterator)->tp_as_async;
    if (methods != nullptr && methods->am_send != nullptr) {
        return methods->am_send(iterator, value, result);
    }
    if (value == Py_None && PyIter_Check(iterator) != 0) {
        *result = Py_TYPE(iterator)->tp_iternext(iterator);
    } else {
        const Own send(PyObject_GetAttrString(iterator, "send"));
        *result = send ? PyObject_CallOneArg(send.get(), value) : nullptr;
    }
    if (*result != nullptr) {
        return PYGEN_NEXT;
    }
    *result = value_of_end();
    return *result != nullptr ? PYGEN_RETURN : PYGEN_ERROR;
}
