// Calling: by vectorcall where an object has it, else by its type's tp_call.

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "core/builtins/call/result.hpp"
#include "core/builtins/container/tuple.hpp"
#include "core/builtins/exception/errors.hpp"
#include "core/builtins/exception/recursion.hpp"
#include "core/mutator/critical_section.hpp"

using namespace ouro;

namespace {

vectorcallfunc function_at(PyObject* callable, Py_ssize_t offset) {
    vectorcallfunc function;
    std::memcpy(&function, reinterpret_cast<char*>(callable) + offset, sizeof function);
    return function;
}

vectorcallfunc vectorcall_of(PyObject* callable) {
    const PyTypeObject* type = Py_TYPE(callable);
    return (type->tp_flags & Py_TPFLAGS_HAVE_VECTORCALL) != 0
               ? function_at(callable, type->tp_vectorcall_offset)
               : nullptr;
}

PyObject* refuse_call(PyObject* callable) {
    return PyErr_Format(PyExc_TypeError, "'%.200s' object is not callable",
                        Py_TYPE(callable)->tp_name);
}

PyObject* new_tuple(PyObject* const* items, Py_ssize_t count) {
    if (count == 0) {
        return Py_NewRef(&container::empty_tuple);
    }
    PyObject* tuple = PyTuple_New(count);
    for (Py_ssize_t i = 0; tuple != nullptr && i < count; ++i) {
        PyTuple_SET_ITEM(tuple, i, Py_NewRef(items[i]));
    }
    return tuple;
}

PyObject* new_dict(PyObject* names, PyObject* const* values) {
    PyObject* dict = PyDict_New();
    for (Py_ssize_t i = 0; dict != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
        if (PyDict_SetItem(dict, PyTuple_GET_ITEM(names, i), values[i]) < 0) {
            Py_CLEAR(dict);
        }
    }
    return dict;
}

// By tp_call, which need not count how deep calls nest: its caller does. Source: "Call Protocol", "Recursion Control".
PyObject* call_slot(PyObject* callable, PyObject* args, PyObject* kwargs) {
    const ternaryfunc call = Py_TYPE(callable)->tp_call;
    if (call == nullptr) {
        return refuse_call(callable);
    }
    const exception::NestedCall nested;
    return nested ? call::checked_result(callable, call(callable, args, kwargs)) : nullptr;
}

PyObject* call_slot(PyObject* callable, PyObject* const* args, Py_ssize_t nargs, PyObject* kwargs) {
    PyObject* tuple = new_tuple(args, nargs);
    if (tuple == nullptr) {
        return nullptr;
    }
    PyObject* result = call_slot(callable, tuple, kwargs);
    Py_DECREF(tuple);
    return result;
}

bool has_keywords(PyObject* kwnames) {
    return kwnames != nullptr && PyTuple_GET_SIZE(kwnames) > 0;
}

// Arguments of a vectorcall from positional ones, borrowed, and a dict. It owns the keyword arguments
// and their names: the callee may change the dict.
class Unpacked {
public:
    // False with an exception: a key that is no str, or no memory.
    bool unpack(PyObject* const* args, Py_ssize_t nargs, PyObject* kwargs) {
        positional_ = nargs;
        const Py_ssize_t wanted = PyDict_Size(kwargs);
        names_ = PyTuple_New(wanted);
        if (names_ == nullptr || !make_room(nargs + wanted + 1)) {
            return false;
        }
        std::copy_n(args, nargs, values());
        {
            const mutator::Guard guard(kwargs);
            Py_ssize_t position = 0;
            PyObject *key, *value;
            // Another thread may have changed the dict since its size was asked for.
            while (keywords_ < wanted && PyDict_Next(kwargs, &position, &key, &value) != 0) {
                if (!PyUnicode_Check(key)) {
                    PyErr_SetString(PyExc_TypeError, "keywords must be strings");
                    return false;
                }
                PyTuple_SET_ITEM(names_, keywords_, Py_NewRef(key));
                values()[positional_ + keywords_++] = Py_NewRef(value);
            }
        }
        return keywords_ == wanted || _PyTuple_Resize(&names_, keywords_) == 0;
    }
    Unpacked() = default;
    ~Unpacked() {
        for (Py_ssize_t i = 0; i < keywords_; ++i) {
            Py_DECREF(values()[positional_ + i]);
        }
        Py_XDECREF(names_);
        if (all_ != small_.data()) {
            PyMem_Free(all_);
        }
    }
    Unpacked(const Unpacked&) = delete;
    Unpacked& operator=(const Unpacked&) = delete;

    PyObject* call(vectorcallfunc function, PyObject* callable) {
        return function(callable, values(),
                        static_cast<size_t>(positional_) | PY_VECTORCALL_ARGUMENTS_OFFSET, names_);
    }

private:
    // The place before the first is the callee's to use.
    PyObject** values() { return all_ + 1; }
    bool make_room(Py_ssize_t count) {
        if (static_cast<size_t>(count) > small_.size()) {
            all_ = PyMem_New(PyObject*, static_cast<size_t>(count));
            if (all_ == nullptr) {
                all_ = small_.data();
                PyErr_NoMemory();
                return false;
            }
        }
        all_[0] = nullptr;
        return true;
    }

    std::array<PyObject*, 10> small_;
    PyObject** all_ = small_.data();
    Py_ssize_t positional_ = 0;
    Py_ssize_t keywords_ = 0;
    PyObject* names_ = nullptr;
};

PyObject* call_unpacked(vectorcallfunc function, PyObject* callable, PyObject* const* args,
                        size_t nargsf, PyObject* kwargs) {
    if (kwargs == nullptr || PyDict_Size(kwargs) == 0) {
        return call::checked_result(callable, function(callable, args, nargsf, nullptr));
    }
    Unpacked unpacked;
    return unpacked.unpack(args, PyVectorcall_NARGS(nargsf), kwargs)
               ? call::checked_result(callable, unpacked.call(function, callable))
               : nullptr;
}

PyObject* call_with_tuple(vectorcallfunc function, PyObject* callable, PyObject* args,
                          PyObject* kwargs) {
    return call_unpacked(function, callable, reinterpret_cast<PyTupleObject*>(args)->ob_item,
                         static_cast<size_t>(PyTuple_GET_SIZE(args)), kwargs);
}

}  // namespace

int PyCallable_Check(PyObject* op) {
    return op != nullptr && Py_TYPE(op)->tp_call != nullptr;
}

vectorcallfunc PyVectorcall_Function(PyObject* callable) {
    return vectorcall_of(callable);
}

PyObject* PyVectorcall_Call(PyObject* callable, PyObject* args, PyObject* kwargs) {
    // Without a look at the flag: a subtype that changed how it is called still calls this of its base.
    const Py_ssize_t offset = Py_TYPE(callable)->tp_vectorcall_offset;
    const vectorcallfunc function = offset > 0 ? function_at(callable, offset) : nullptr;
    if (function == nullptr) {
        return PyErr_Format(PyExc_TypeError, "'%.200s' object does not support vectorcall",
                            Py_TYPE(callable)->tp_name);
    }
    return call_with_tuple(function, callable, args, kwargs);
}

PyObject* PyObject_Vectorcall(PyObject* callable, PyObject* const* args, size_t nargsf,
                              PyObject* kwnames) {
    if (const vectorcallfunc function = vectorcall_of(callable)) [[likely]] {
        return call::checked_result(callable, function(callable, args, nargsf, kwnames));
    }
    const Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    if (!has_keywords(kwnames) || Py_TYPE(callable)->tp_call == nullptr) {
        return call_slot(callable, args, nargs, nullptr);
    }
    PyObject* kwargs = new_dict(kwnames, args + nargs);
    if (kwargs == nullptr) {
        return nullptr;
    }
    PyObject* result = call_slot(callable, args, nargs, kwargs);
    Py_DECREF(kwargs);
    return result;
}

PyObject* PyObject_VectorcallDict(PyObject* callable, PyObject* const* args, size_t nargsf,
                                  PyObject* kwargs) {
    if (const vectorcallfunc function = vectorcall_of(callable)) {
        return call_unpacked(function, callable, args, nargsf, kwargs);
    }
    return call_slot(callable, args, PyVectorcall_NARGS(nargsf), kwargs);
}

PyObject* PyObject_Call(PyObject* callable, PyObject* args, PyObject* kwargs) {
    if (const vectorcallfunc function = vectorcall_of(callable)) {
        return call_with_tuple(function, callable, args, kwargs);
    }
    return call_slot(callable, args, kwargs);
}

PyObject* PyObject_CallObject(PyObject* callable, PyObject* args) {
    if (args == nullptr) {
        return PyObject_CallNoArgs(callable);
    }
    if (!PyTuple_Check(args)) {
        PyErr_SetString(PyExc_TypeError, "argument list must be a tuple");
        return nullptr;
    }
    return PyObject_Call(callable, args, nullptr);
}

PyObject* PyObject_CallNoArgs(PyObject* callable) {
    return PyObject_Vectorcall(callable, nullptr, 0, nullptr);
}

PyObject* PyObject_CallOneArg(PyObject* callable, PyObject* arg) {
    PyObject* args[] = {nullptr, arg};
    return PyObject_Vectorcall(callable, args + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
}

PyObject* PyObject_CallFunctionObjArgs(PyObject* callable, ...) {
    if (callable == nullptr) {
        return call::refuse_null();
    }
    std::array<PyObject*, 8> few;
    size_t count = 0;
    std::va_list list;
    va_start(list, callable);
    while (PyObject* arg = va_arg(list, PyObject*)) {
        if (count < few.size()) {
            few[count] = arg;
        }
        ++count;
    }
    va_end(list);
    if (count <= few.size()) {
        return PyObject_Vectorcall(callable, few.data(), count, nullptr);
    }
    PyObject** many = PyMem_New(PyObject*, count);
    if (many == nullptr) {
        return PyErr_NoMemory();
    }
    va_start(list, callable);
    for (size_t i = 0; i < count; ++i) {
        many[i] = va_arg(list, PyObject*);
    }
    va_end(list);
    PyObject* result = PyObject_Vectorcall(callable, many, count, nullptr);
    PyMem_Free(many);
    return result;
}
