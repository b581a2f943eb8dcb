// OSError, and raising it from errno.
#include <cerrno>
#include <cstring>

#include "core/builtins/exception/exceptions.hpp"
#include "core/builtins/text/message.hpp"

using namespace ouro;

namespace {

PyOSErrorObject* os_error(PyObject* op) {
    return reinterpret_cast<PyOSErrorObject*>(op);
}

PyTypeObject* type_of(PyObject* op) {
    return reinterpret_cast<PyTypeObject*>(op);
}

// The class that PEP 3151 gives a number; OSError for all others.
PyObject* class_for(long number) {
    switch (number) {
        case EAGAIN:
        case EALREADY:
        case EINPROGRESS:
            return PyExc_BlockingIOError;
        case EPIPE:
        case ESHUTDOWN:
            return PyExc_BrokenPipeError;
        case ECHILD:
            return PyExc_ChildProcessError;
        case ECONNABORTED:
            return PyExc_ConnectionAbortedError;
        case ECONNREFUSED:
            return PyExc_ConnectionRefusedError;
        case ECONNRESET:
            return PyExc_ConnectionResetError;
        case EEXIST:
            return PyExc_FileExistsError;
        case ENOENT:
            return PyExc_FileNotFoundError;
        case EINTR:
            return PyExc_InterruptedError;
        case EISDIR:
            return PyExc_IsADirectoryError;
        case ENOTDIR:
            return PyExc_NotADirectoryError;
        case EACCES:
        case EPERM:
            return PyExc_PermissionError;
        case ESRCH:
            return PyExc_ProcessLookupError;
        case ETIMEDOUT:
            return PyExc_TimeoutError;
        default:
            return PyExc_OSError;
    }
}
static_assert(EWOULDBLOCK == EAGAIN);

// Two arguments to five are a number, a text, a file, something that other systems use, another file.
bool has_fields(PyObject* args) {
    return PyTuple_GET_SIZE(args) >= 2 && PyTuple_GET_SIZE(args) <= 5;
}

// As everywhere None stands for none.
PyObject* argument(PyObject* args, Py_ssize_t index) {
    PyObject* op = index < PyTuple_GET_SIZE(args) ? PyTuple_GET_ITEM(args, index) : nullptr;
    return op == Py_None ? nullptr : op;
}

// Fills the fields of a new instance and gives it its arguments. 0, or -1 with an exception.
int fill(PyObject* op, PyObject* args) {
    PyOSErrorObject* self = os_error(op);
    PyObject* kept = Py_NewRef(args);
    if (has_fields(args)) {
        PyObject* file = argument(args, 2);
        const bool counts = PyType_IsSubtype(Py_TYPE(op), type_of(PyExc_BlockingIOError)) &&
                            file != nullptr && PyLong_Check(file);
        if (counts) {
            self->written = PyLong_AsLong(file);
            if (self->written == -1 && PyErr_Occurred() != nullptr) {
                Py_DECREF(kept);
                return -1;
            }
        } else if (file != nullptr) {
            // The files are told by their own fields, not by the arguments.
            PyObject* two = PyTuple_New(2);
            Py_DECREF(kept);
            if (two == nullptr) {
                return -1;
            }
            PyTuple_SET_ITEM(two, 0, Py_NewRef(PyTuple_GET_ITEM(args, 0)));
            PyTuple_SET_ITEM(two, 1, Py_NewRef(PyTuple_GET_ITEM(args, 1)));
            kept = two;
            exception::replace(op, &self->filename, Py_NewRef(file));
            exception::replace(op, &self->filename2, Py_XNewRef(argument(args, 4)));
        }
        exception::replace(op, &self->myerrno, Py_NewRef(PyTuple_GET_ITEM(args, 0)));
        exception::replace(op, &self->strerror, Py_NewRef(PyTuple_GET_ITEM(args, 1)));
    }
    PyException_SetArgs(op, kept);
    Py_DECREF(kept);
    return 0;
}

// tp_new fills an instance, because the class depends on the arguments; but tp_init does for a class that
// has one of its own and not a tp_new: it may pass on other arguments than it is given.
bool is_filled_by_init(const PyTypeObject* type) {
    return type->tp_init != exception::os_error_init && type->tp_new == exception::os_error_new;
}

bool refuse_keywords(const PyTypeObject* type, PyObject* kwargs) {
    if (kwargs != nullptr && PyDict_Size(kwargs) > 0) {
        PyErr_Format(PyExc_TypeError, "%.200s() takes no keyword arguments", type->tp_name);
        return true;
    }
    return false;
}

}  // namespace

PyObject* exception::os_error_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    const bool by_init = is_filled_by_init(type);
    if (!by_init && refuse_keywords(type, kwargs)) {
        return nullptr;
    }
    if (type == type_of(PyExc_OSError) && has_fields(args) &&
        PyLong_Check(PyTuple_GET_ITEM(args, 0))) {
        const long number = PyLong_AsLong(PyTuple_GET_ITEM(args, 0));
        if (number == -1 && PyErr_Occurred() != nullptr) {
            PyErr_Clear();  // greater than any number of the system's
        }
        type = type_of(class_for(number));
    }
    PyObject* op = exception_new(type, nullptr, nullptr);
    if (op != nullptr) {
        os_error(op)->written = -1;
        if (!by_init && fill(op, args) < 0) {
            Py_CLEAR(op);
        }
    }
    return op;
}

int exception::os_error_init(PyObject* op, PyObject* args, PyObject* kwargs) {
    if (!is_filled_by_init(Py_TYPE(op))) {
        return 0;
    }
    return refuse_keywords(Py_TYPE(op), kwargs) ? -1 : fill(op, args);
}

PyObject* exception::os_error_str(PyObject* op) {
    const PyOSErrorObject* self = os_error(op);
    if (self->filename == nullptr && (self->myerrno == nullptr || self->strerror == nullptr)) {
        return exception_str(op);
    }
    const auto or_none = [](PyObject* field) { return field == nullptr ? Py_None : field; };
    text::Message text;
    text.add("[Errno ").add_str(or_none(self->myerrno)).add("] ").add_str(or_none(self->strerror));
    if (self->filename != nullptr) {
        text.add(": ").add_repr(self->filename);
        if (self->filename2 != nullptr) {
            text.add(" -> ").add_repr(self->filename2);
        }
    }
    return text.finish();
}

PyObject* PyErr_SetFromErrnoWithFilenameObjects(PyObject* type, PyObject* file, PyObject* file2) {
    const int number = errno;
    if (number == EINTR && PyErr_CheckSignals() != 0) {
        return nullptr;
    }
    PyErr_Clear();
    char buffer[256];
    const char* message = number == 0 ? "Error" : ::strerror_r(number, buffer, sizeof buffer);
    const Py_ssize_t size = file == nullptr ? 2 : file2 == nullptr ? 3 : 5;
    PyObject* args = PyTuple_New(size);
    PyObject* code = args == nullptr ? nullptr : PyLong_FromLong(number);
    PyObject* text = code == nullptr ? nullptr : PyUnicode_FromString(message);
    if (text != nullptr) {
        PyTuple_SET_ITEM(args, 0, Py_NewRef(code));
        PyTuple_SET_ITEM(args, 1, Py_NewRef(text));
        if (size > 2) {
            PyTuple_SET_ITEM(args, 2, Py_NewRef(file));
        }
        if (size > 3) {
            PyTuple_SET_ITEM(args, 3, PyLong_FromLong(0));
            PyTuple_SET_ITEM(args, 4, Py_NewRef(file2));
        }
        if (PyObject* made = exception::call_exception(type, args, nullptr)) {
            exception::raise(made);
        }
    }
    Py_XDECREF(text);
    Py_XDECREF(code);
    Py_XDECREF(args);
    return nullptr;
}

PyObject* PyErr_SetFromErrnoWithFilenameObject(PyObject* type, PyObject* file) {
    return PyErr_SetFromErrnoWithFilenameObjects(type, file, nullptr);
}

PyObject* PyErr_SetFromErrnoWithFilename(PyObject* type, const char* file) {
    const int number = errno;  // making the name may change it
    PyObject* name = nullptr;
    if (file != nullptr) {
        name = PyUnicode_DecodeFSDefault(file);
        if (name == nullptr) {
            return nullptr;
        }
    }
    errno = number;
    PyErr_SetFromErrnoWithFilenameObjects(type, name, nullptr);
    Py_XDECREF(name);
    return nullptr;
}

PyObject* PyErr_SetFromErrno(PyObject* type) {
    return PyErr_SetFromErrnoWithFilenameObjects(type, nullptr, nullptr);
}
