// Functions of the module builtins that go through iterables.
#include "core/builtins/module/builtin_functions.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using object::Own;

namespace {

// Whether some item's truth is `wanted`: 1, 0, or -1 with an exception.
int find_truth(PyObject* iterable, bool wanted) {
    const Own iterator(PyObject_GetIter(iterable));
    if (!iterator) {
        return -1;
    }
    while (const Own item{PyIter_Next(iterator.get())}) {
        const int truth = PyObject_IsTrue(item.get());
        if (truth < 0 || (truth != 0) == wanted) {
            return truth < 0 ? -1 : 1;
        }
    }
    return PyErr_Occurred() == nullptr ? 0 : -1;
}

// The largest (Py_GT) or least (Py_LT) of the items, the first of those that are equal.
class Best {
public:
    Best(PyObject* key, int operation)
        : key_(Py_IsNone(key) ? nullptr : key), operation_(operation) {}

    // False with an exception.
    bool look_at(PyObject* item) {
        Own value(key_ == nullptr ? Py_NewRef(item) : PyObject_CallOneArg(key_, item));
        if (!value) {
            return false;
        }
        const int better =
            item_ ? PyObject_RichCompareBool(value.get(), value_.get(), operation_) : 1;
        if (better > 0) {
            item_.reset(Py_NewRef(item));
            value_ = std::move(value);
        }
        return better >= 0;
    }
    PyObject* take() { return item_.release(); }

private:
    PyObject* const key_;
    const int operation_;
    Own item_, value_;
};

PyObject* best_of(const char* name, int operation, PyObject* args, PyObject* kwargs) {
    const Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (count == 0) {
        return PyErr_Format(PyExc_TypeError, "%s expected at least 1 argument, got 0", name);
    }
    static const char* const names[] = {"key", "default", nullptr};
    PyObject* key = Py_None;
    PyObject* otherwise = nullptr;
    const Own nothing(PyTuple_New(0));
    const char* format = operation == Py_GT ? "|$OO:max" : "|$OO:min";
    if (!nothing ||
        PyArg_ParseTupleAndKeywords(nothing.get(), kwargs, format, names, &key, &otherwise) == 0) {
        return nullptr;
    }
    if (count > 1 && otherwise != nullptr) {
        return PyErr_Format(PyExc_TypeError,
                            "Cannot specify a default for %s() with multiple positional arguments",
                            name);
    }
    const Own iterator(PyObject_GetIter(count > 1 ? args : PyTuple_GET_ITEM(args, 0)));
    if (!iterator) {
        return nullptr;
    }
    Best best(key, operation);
    while (const Own item{PyIter_Next(iterator.get())}) {
        if (!best.look_at(item.get())) {
            return nullptr;
        }
    }
    if (PyErr_Occurred() != nullptr) {
        return nullptr;
    }
    PyObject* found = best.take();
    if (found != nullptr || otherwise != nullptr) {
        return found != nullptr ? found : Py_NewRef(otherwise);
    }
    return PyErr_Format(PyExc_ValueError, "%s() iterable argument is empty", name);
}

}  // namespace

PyObject* module::builtin_all(PyObject*, PyObject* iterable) {
    const int found = find_truth(iterable, false);
    return found < 0 ? nullptr : PyBool_FromLong(found == 0);
}

PyObject* module::builtin_any(PyObject*, PyObject* iterable) {
    const int found = find_truth(iterable, true);
    return found < 0 ? nullptr : PyBool_FromLong(found);
}

PyObject* module::builtin_iter(PyObject*, PyObject* args) {
    PyObject* op;
    PyObject* sentinel = nullptr;
    if (PyArg_UnpackTuple(args, "iter", 1, 2, &op, &sentinel) == 0) {
        return nullptr;
    }
    if (sentinel == nullptr) {
        return PyObject_GetIter(op);
    }
    if (PyCallable_Check(op) == 0) {
        PyErr_SetString(PyExc_TypeError, "iter(v, w): v must be callable");
        return nullptr;
    }
    return PyCallIter_New(op, sentinel);
}

PyObject* module::builtin_next(PyObject*, PyObject* args) {
    PyObject* iterator;
    PyObject* otherwise = nullptr;
    if (PyArg_UnpackTuple(args, "next", 1, 2, &iterator, &otherwise) == 0) {
        return nullptr;
    }
    if (PyIter_Check(iterator) == 0) {
        return PyErr_Format(PyExc_TypeError, "'%.200s' object is not an iterator",
                            Py_TYPE(iterator)->tp_name);
    }
    PyObject* item = Py_TYPE(iterator)->tp_iternext(iterator);
    if (item != nullptr) {
        return item;
    }
    if (PyErr_Occurred() == nullptr && otherwise == nullptr) {
        PyErr_SetNone(PyExc_StopIteration);
    } else if (PyErr_Occurred() != nullptr && otherwise != nullptr &&
               PyErr_ExceptionMatches(PyExc_StopIteration) != 0) {
        PyErr_Clear();
    }
    return PyErr_Occurred() == nullptr ? Py_NewRef(otherwise) : nullptr;
}

PyObject* module::builtin_max(PyObject*, PyObject* args, PyObject* kwargs) {
    return best_of("max", Py_GT, args, kwargs);
}

PyObject* module::builtin_min(PyObject*, PyObject* args, PyObject* kwargs) {
    return best_of("min", Py_LT, args, kwargs);
}

PyObject* module::builtin_sorted(PyObject*, PyObject* args, PyObject* kwargs) {
    if (PyTuple_GET_SIZE(args) != 1) {
        return PyErr_Format(PyExc_TypeError, "sorted expected 1 argument, got %zd",
                            PyTuple_GET_SIZE(args));
    }
    Own list(PySequence_List(PyTuple_GET_ITEM(args, 0)));
    const Own sort(list ? PyObject_GetAttrString(list.get(), "sort") : nullptr);
    const Own nothing(sort ? PyTuple_New(0) : nullptr);
    return nothing && Own(PyObject_Call(sort.get(), nothing.get(), kwargs)) ? list.release()
                                                                            : nullptr;
}

PyObject* module::builtin_sum(PyObject*, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"", "start", nullptr};
    PyObject* iterable;
    PyObject* start = nullptr;
    if (PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:sum", names, &iterable, &start) == 0) {
        return nullptr;
    }
    const Own iterator(PyObject_GetIter(iterable));
    if (!iterator) {
        return nullptr;
    }
    if (start != nullptr && PyUnicode_Check(start)) {
        PyErr_SetString(PyExc_TypeError, "sum() can't sum strings [use ''.join(seq) instead]");
        return nullptr;
    }
    if (start != nullptr && PyBytes_Check(start)) {
        PyErr_SetString(PyExc_TypeError, "sum() can't sum bytes [use b''.join(seq) instead]");
        return nullptr;
    }
    Own total(start == nullptr ? PyLong_FromLong(0) : Py_NewRef(start));
    while (total) {
        const Own item(PyIter_Next(iterator.get()));
        if (!item) {
            return PyErr_Occurred() == nullptr ? total.release() : nullptr;
        }
        total.reset(PyNumber_Add(total.get(), item.get()));
    }
    return nullptr;
}
