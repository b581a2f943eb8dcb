// Classes of exceptions that keep some of their arguments in fields.
#include <string_view>

#include "core/builtins/exception/exceptions.hpp"
#include "core/builtins/text/message.hpp"

using namespace ouro;

namespace {

struct Keyword {
    std::string_view name;
    PyObject** field;
};

// Stores the keyword arguments in their fields and empties those of the others. -1 with TypeError for
// one that the class does not know.
template <size_t count>
int take_keywords(PyObject* op, const char* function, PyObject* kwargs,
                  const Keyword (&keywords)[count]) {
    for (const Keyword& keyword : keywords) {
        exception::replace(op, keyword.field, nullptr);
    }
    Py_ssize_t position = 0;
    PyObject *key, *value;
    while (kwargs != nullptr && PyDict_Next(kwargs, &position, &key, &value) != 0) {
        const char* text = PyUnicode_AsUTF8(key);
        if (text == nullptr) {
            return -1;
        }
        PyObject** field = nullptr;
        for (const Keyword& keyword : keywords) {
            field = keyword.name == text ? keyword.field : field;
        }
        if (field == nullptr) {
            PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%s'", function,
                         text);
            return -1;
        }
        exception::replace(op, field, Py_NewRef(value));
    }
    return 0;
}

PyObject* first_of(PyObject* args) {
    return Py_NewRef(PyTuple_GET_ITEM(args, 0));
}

}  // namespace

int exception::system_exit_init(PyObject* op, PyObject* args, PyObject* kwargs) {
    if (exception_init(op, args, kwargs) < 0) {
        return -1;
    }
    const Py_ssize_t given = PyTuple_GET_SIZE(args);
    if (given > 0) {
        replace(op, &reinterpret_cast<PySystemExitObject*>(op)->code,
                given == 1 ? first_of(args) : Py_NewRef(args));
    }
    return 0;
}

int exception::stop_iteration_init(PyObject* op, PyObject* args, PyObject* kwargs) {
    if (exception_init(op, args, kwargs) < 0) {
        return -1;
    }
    replace(op, &reinterpret_cast<PyStopIterationObject*>(op)->value,
            PyTuple_GET_SIZE(args) > 0 ? first_of(args) : Py_NewRef(Py_None));
    return 0;
}

int exception::import_error_init(PyObject* op, PyObject* args, PyObject* kwargs) {
    auto* self = reinterpret_cast<PyImportErrorObject*>(op);
    const Keyword keywords[] = {
        {"name", &self->name}, {"path", &self->path}, {"name_from", &self->name_from}};
    if (exception_init(op, args, nullptr) < 0 ||
        take_keywords(op, "ImportError", kwargs, keywords) < 0) {
        return -1;
    }
    replace(op, &self->msg, PyTuple_GET_SIZE(args) == 1 ? first_of(args) : nullptr);
    return 0;
}

PyObject* exception::import_error_str(PyObject* op) {
    PyObject* message = reinterpret_cast<PyImportErrorObject*>(op)->msg;
    return message != nullptr && Py_IS_TYPE(message, &PyUnicode_Type) ? Py_NewRef(message)
                                                                      : exception_str(op);
}

int exception::attribute_error_init(PyObject* op, PyObject* args, PyObject* kwargs) {
    auto* self = reinterpret_cast<PyAttributeErrorObject*>(op);
    const Keyword keywords[] = {{"name", &self->name}, {"obj", &self->obj}};
    return exception_init(op, args, nullptr) < 0
               ? -1
               : take_keywords(op, "AttributeError", kwargs, keywords);
}

int exception::name_error_init(PyObject* op, PyObject* args, PyObject* kwargs) {
    const Keyword keywords[] = {{"name", &reinterpret_cast<PyNameErrorObject*>(op)->name}};
    return exception_init(op, args, nullptr) < 0 ? -1
                                                 : take_keywords(op, "NameError", kwargs, keywords);
}

// The key in quotes: an empty one would otherwise not be seen.
PyObject* exception::key_error_str(PyObject* op) {
    PyObject* args = PyException_GetArgs(op);
    PyObject* text =
        PyTuple_GET_SIZE(args) == 1 ? PyObject_Repr(PyTuple_GET_ITEM(args, 0)) : exception_str(op);
    Py_DECREF(args);
    return text;
}

namespace {

// Sets an exception that is made with keywords.
PyObject* set_with(PyObject* type, PyObject* message, PyObject* kwargs) {
    PyObject* args = exception::pack_argument(message);
    PyObject* made = args == nullptr ? nullptr : exception::call_exception(type, args, kwargs);
    if (made != nullptr) {
        exception::raise(made);
    }
    Py_XDECREF(args);
    return nullptr;
}

}  // namespace

PyObject* PyErr_SetImportErrorSubclass(PyObject* type, PyObject* message, PyObject* name,
                                       PyObject* path) {
    auto* import_error = reinterpret_cast<PyTypeObject*>(PyExc_ImportError);
    if (!PyType_Check(type) ||
        !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), import_error)) {
        PyErr_SetString(PyExc_TypeError, "expected a subclass of ImportError");
        return nullptr;
    }
    if (message == nullptr) {
        PyErr_SetString(PyExc_TypeError, "expected a message argument");
        return nullptr;
    }
    PyErr_Clear();
    PyObject* kwargs = PyDict_New();
    if (kwargs != nullptr &&
        PyDict_SetItemString(kwargs, "name", name == nullptr ? Py_None : name) >= 0 &&
        PyDict_SetItemString(kwargs, "path", path == nullptr ? Py_None : path) >= 0) {
        set_with(type, message, kwargs);
    }
    Py_XDECREF(kwargs);
    return nullptr;
}

PyObject* PyErr_SetImportError(PyObject* message, PyObject* name, PyObject* path) {
    return PyErr_SetImportErrorSubclass(PyExc_ImportError, message, name, path);
}
