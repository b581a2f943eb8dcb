#include "core/builtins/module/builtin_functions.hpp"

#include "core/builtins/module/sys_dict.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using object::Own;

namespace {

PyObject* none_or_null(int result) {
    return result < 0 ? nullptr : Py_NewRef(Py_None);
}

PyObject* bool_or_null(int result) {
    return result < 0 ? nullptr : PyBool_FromLong(result);
}

PyObject* builtin_abs(PyObject*, PyObject* op) {
    return PyNumber_Absolute(op);
}

PyObject* builtin_bin(PyObject*, PyObject* op) {
    return PyNumber_ToBase(op, 2);
}

PyObject* builtin_oct(PyObject*, PyObject* op) {
    return PyNumber_ToBase(op, 8);
}

PyObject* builtin_hex(PyObject*, PyObject* op) {
    return PyNumber_ToBase(op, 16);
}

PyObject* builtin_callable(PyObject*, PyObject* op) {
    return PyBool_FromLong(PyCallable_Check(op));
}

PyObject* builtin_chr(PyObject*, PyObject* op) {
    int ordinal;
    return PyArg_Parse(op, "i:chr", &ordinal) == 0 ? nullptr : PyUnicode_FromOrdinal(ordinal);
}

PyObject* builtin_ord(PyObject*, PyObject* op) {
    Py_ssize_t length;
    if (PyUnicode_Check(op)) {
        length = PyUnicode_GetLength(op);
        if (length == 1) {
            return PyLong_FromLong(static_cast<long>(PyUnicode_ReadChar(op, 0)));
        }
    } else if (PyBytes_Check(op)) {
        length = PyBytes_GET_SIZE(op);
        if (length == 1) {
            return PyLong_FromLong(static_cast<unsigned char>(PyBytes_AS_STRING(op)[0]));
        }
    } else {
        return PyErr_Format(PyExc_TypeError, "ord() expected string of length 1, but %.200s found",
                            Py_TYPE(op)->tp_name);
    }
    return PyErr_Format(PyExc_TypeError,
                        "ord() expected a character, but string of length %zd found", length);
}

PyObject* builtin_delattr(PyObject*, PyObject* args) {
    PyObject *op, *name;
    return PyArg_UnpackTuple(args, "delattr", 2, 2, &op, &name) == 0
               ? nullptr
               : none_or_null(PyObject_DelAttr(op, name));
}

PyObject* builtin_divmod(PyObject*, PyObject* args) {
    PyObject *x, *y;
    return PyArg_UnpackTuple(args, "divmod", 2, 2, &x, &y) == 0 ? nullptr : PyNumber_Divmod(x, y);
}

PyObject* builtin_getattr(PyObject*, PyObject* args) {
    PyObject *op, *name;
    PyObject* otherwise = nullptr;
    if (PyArg_UnpackTuple(args, "getattr", 2, 3, &op, &name, &otherwise) == 0) {
        return nullptr;
    }
    if (otherwise == nullptr) {
        return PyObject_GetAttr(op, name);
    }
    PyObject* value = nullptr;
    return PyObject_GetOptionalAttr(op, name, &value) == 0 ? Py_NewRef(otherwise) : value;
}

PyObject* builtin_hasattr(PyObject*, PyObject* args) {
    PyObject *op, *name;
    return PyArg_UnpackTuple(args, "hasattr", 2, 2, &op, &name) == 0
               ? nullptr
               : bool_or_null(PyObject_HasAttrWithError(op, name));
}

PyObject* builtin_hash(PyObject*, PyObject* op) {
    const Py_hash_t hash = PyObject_Hash(op);
    return hash == -1 ? nullptr : PyLong_FromSsize_t(hash);
}

PyObject* builtin_id(PyObject*, PyObject* op) {
    return PyLong_FromVoidPtr(op);
}

PyObject* builtin_isinstance(PyObject*, PyObject* args) {
    PyObject *op, *type;
    return PyArg_UnpackTuple(args, "isinstance", 2, 2, &op, &type) == 0
               ? nullptr
               : bool_or_null(PyObject_IsInstance(op, type));
}

PyObject* builtin_issubclass(PyObject*, PyObject* args) {
    PyObject *derived, *type;
    return PyArg_UnpackTuple(args, "issubclass", 2, 2, &derived, &type) == 0
               ? nullptr
               : bool_or_null(PyObject_IsSubclass(derived, type));
}

PyObject* builtin_len(PyObject*, PyObject* op) {
    const Py_ssize_t size = PyObject_Size(op);
    return size < 0 ? nullptr : PyLong_FromSsize_t(size);
}

PyObject* builtin_pow(PyObject*, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"base", "exp", "mod", nullptr};
    PyObject *base, *exponent;
    PyObject* modulus = Py_None;
    return PyArg_ParseTupleAndKeywords(args, kwargs, "OO|O:pow", names, &base, &exponent,
                                       &modulus) == 0
               ? nullptr
               : PyNumber_Power(base, exponent, modulus);
}

PyObject* builtin_repr(PyObject*, PyObject* op) {
    return PyObject_Repr(op);
}

PyObject* builtin_setattr(PyObject*, PyObject* args) {
    PyObject *op, *name, *value;
    return PyArg_UnpackTuple(args, "setattr", 3, 3, &op, &name, &value) == 0
               ? nullptr
               : none_or_null(PyObject_SetAttr(op, name, value));
}

PyObject* builtin_import(PyObject*, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"name", "globals", "locals", "fromlist", "level", nullptr};
    PyObject* name;
    PyObject* globals = nullptr;
    PyObject* locals = nullptr;
    PyObject* fromlist = nullptr;
    int level = 0;
    return PyArg_ParseTupleAndKeywords(args, kwargs, "U|OOOi:__import__", names, &name, &globals,
                                       &locals, &fromlist, &level) == 0
               ? nullptr
               : PyImport_ImportModuleLevelObject(name, globals, locals, fromlist, level);
}

// None, which stands for nullptr, or a str; else TypeError.
bool take_separator(const char* name, PyObject** op) {
    if (*op == nullptr || Py_IsNone(*op)) {
        *op = nullptr;
        return true;
    }
    if (!PyUnicode_Check(*op)) {
        PyErr_Format(PyExc_TypeError, "%s must be None or a string, not %.200s", name,
                     Py_TYPE(*op)->tp_name);
        return false;
    }
    return true;
}

int write_or_default(PyObject* op, const char* otherwise, PyObject* file) {
    return op == nullptr ? PyFile_WriteString(otherwise, file)
                         : PyFile_WriteObject(op, file, Py_PRINT_RAW);
}

PyObject* builtin_print(PyObject*, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"sep", "end", "file", "flush", nullptr};
    PyObject* separator = nullptr;
    PyObject* end = nullptr;
    PyObject* given = Py_None;
    int flush = 0;
    const Own nothing(PyTuple_New(0));
    if (!nothing || PyArg_ParseTupleAndKeywords(nothing.get(), kwargs, "|$OOOp:print", names,
                                                &separator, &end, &given, &flush) == 0) {
        return nullptr;
    }
    if (Py_IsNone(given)) {
        given = PySys_GetObject("stdout");
        if (given == nullptr) {
            PyErr_SetString(PyExc_RuntimeError, "lost sys.stdout");
            return nullptr;
        }
        if (Py_IsNone(given)) {
            return Py_NewRef(Py_None);  // nowhere to print to
        }
    }
    const Own file(Py_NewRef(given));
    if (!take_separator("sep", &separator) || !take_separator("end", &end)) {
        return nullptr;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
        if ((i > 0 && write_or_default(separator, " ", file.get()) < 0) ||
            PyFile_WriteObject(PyTuple_GET_ITEM(args, i), file.get(), Py_PRINT_RAW) < 0) {
            return nullptr;
        }
    }
    if (write_or_default(end, "\n", file.get()) < 0) {
        return nullptr;
    }
    if (flush != 0) {
        const Own method(PyObject_GetAttrString(file.get(), "flush"));
        if (!method || !Own(PyObject_CallNoArgs(method.get()))) {
            return nullptr;
        }
    }
    return Py_NewRef(Py_None);
}

constexpr int kByName = METH_VARARGS | METH_KEYWORDS;

}  // namespace

PyMethodDef module::builtin_functions[] = {
    {"__import__", _PyCFunction_CAST(builtin_import), kByName, PyDoc_STR("Import a module.")},
    {"abs", builtin_abs, METH_O, PyDoc_STR("Return the absolute value of the argument.")},
    {"all", builtin_all, METH_O,
     PyDoc_STR("Return True if bool(x) is True for all values x in the iterable.")},
    {"any", builtin_any, METH_O,
     PyDoc_STR("Return True if bool(x) is True for any x in the iterable.")},
    {"bin", builtin_bin, METH_O, PyDoc_STR("Return the binary representation of an integer.")},
    {"callable", builtin_callable, METH_O,
     PyDoc_STR("Return whether the object is callable (i.e., some kind of function).")},
    {"chr", builtin_chr, METH_O, PyDoc_STR("Return a Unicode string of one character.")},
    {"delattr", builtin_delattr, METH_VARARGS,
     PyDoc_STR("Deletes the named attribute from the given object.")},
    {"divmod", builtin_divmod, METH_VARARGS, PyDoc_STR("Return the tuple (x//y, x%y).")},
    {"getattr", builtin_getattr, METH_VARARGS,
     PyDoc_STR("getattr(object, name[, default]) -> value")},
    {"hasattr", builtin_hasattr, METH_VARARGS,
     PyDoc_STR("Return whether the object has an attribute with the given name.")},
    {"hash", builtin_hash, METH_O, PyDoc_STR("Return the hash value for the given object.")},
    {"hex", builtin_hex, METH_O, PyDoc_STR("Return the hexadecimal representation of an integer.")},
    {"id", builtin_id, METH_O, PyDoc_STR("Return the identity of an object.")},
    {"isinstance", builtin_isinstance, METH_VARARGS,
     PyDoc_STR("Return whether an object is an instance of a class or of a subclass thereof.")},
    {"issubclass", builtin_issubclass, METH_VARARGS,
     PyDoc_STR("Return whether 'cls' is derived from another class or is the same class.")},
    {"iter", builtin_iter, METH_VARARGS, PyDoc_STR("Get an iterator from an object.")},
    {"len", builtin_len, METH_O, PyDoc_STR("Return the number of items in a container.")},
    {"max", _PyCFunction_CAST(builtin_max), kByName,
     PyDoc_STR("Return the biggest of an iterable's items, or of several arguments.")},
    {"min", _PyCFunction_CAST(builtin_min), kByName,
     PyDoc_STR("Return the smallest of an iterable's items, or of several arguments.")},
    {"next", builtin_next, METH_VARARGS, PyDoc_STR("Return the next item from the iterator.")},
    {"oct", builtin_oct, METH_O, PyDoc_STR("Return the octal representation of an integer.")},
    {"ord", builtin_ord, METH_O, PyDoc_STR("Return the code point of a one-character string.")},
    {"pow", _PyCFunction_CAST(builtin_pow), kByName,
     PyDoc_STR("Equivalent to base**exp with 2 arguments or base**exp % mod with 3 arguments.")},
    {"print", _PyCFunction_CAST(builtin_print), kByName,
     PyDoc_STR("Prints the values to a stream, or to sys.stdout by default.")},
    {"repr", builtin_repr, METH_O,
     PyDoc_STR("Return the canonical string representation of the object.")},
    {"setattr", builtin_setattr, METH_VARARGS,
     PyDoc_STR("Sets the named attribute on the given object to the specified value.")},
    {"sorted", _PyCFunction_CAST(builtin_sorted), kByName,
     PyDoc_STR("Return a new list containing all items from the iterable in ascending order.")},
    {"sum", _PyCFunction_CAST(builtin_sum), kByName,
     PyDoc_STR("Return the sum of a 'start' value (default: 0) plus an iterable of numbers")},
    {nullptr, nullptr, 0, nullptr},
};
