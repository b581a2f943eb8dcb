// The attributes of exceptions, as descriptors show them.
#include "core/builtins/exception/exceptions.hpp"

namespace ouro::exception {
namespace {

PyObject* or_none(PyObject* op) {
    return op == nullptr ? Py_NewRef(Py_None) : op;
}

int refuse_deletion(const char* name) {
    PyErr_Format(PyExc_TypeError, "%s may not be deleted", name);
    return -1;
}

PyObject* get_args(PyObject* op, void*) {
    return PyException_GetArgs(op);
}

int set_args(PyObject* op, PyObject* value, void*) {
    if (value == nullptr) {
        return refuse_deletion("args");
    }
    PyObject* args = PySequence_Tuple(value);
    if (args == nullptr) {
        return -1;
    }
    PyException_SetArgs(op, args);
    Py_DECREF(args);
    return 0;
}

PyObject* get_traceback(PyObject* op, void*) {
    return or_none(PyException_GetTraceback(op));
}

int set_traceback(PyObject* op, PyObject* value, void*) {
    return PyException_SetTraceback(op, value);
}

// What a chain may be made of: an exception, or None for none.
bool is_origin(PyObject* value, const char* name, const char* kind) {
    if (value == nullptr) {
        refuse_deletion(name);
        return false;
    }
    if (value != Py_None && !PyExceptionInstance_Check(value)) {
        PyErr_Format(PyExc_TypeError, "exception %s must be None or derive from BaseException",
                     kind);
        return false;
    }
    return true;
}

PyObject* get_context(PyObject* op, void*) {
    return or_none(PyException_GetContext(op));
}

int set_context(PyObject* op, PyObject* value, void*) {
    if (!is_origin(value, "__context__", "context")) {
        return -1;
    }
    PyException_SetContext(op, value == Py_None ? nullptr : Py_NewRef(value));
    return 0;
}

PyObject* get_cause(PyObject* op, void*) {
    return or_none(PyException_GetCause(op));
}

int set_cause(PyObject* op, PyObject* value, void*) {
    if (!is_origin(value, "__cause__", "cause")) {
        return -1;
    }
    PyException_SetCause(op, value == Py_None ? nullptr : Py_NewRef(value));
    return 0;
}

PyObject* get_characters_written(PyObject* op, void*) {
    const Py_ssize_t written = reinterpret_cast<PyOSErrorObject*>(op)->written;
    if (written == -1) {
        PyErr_SetString(PyExc_AttributeError, "characters_written");
        return nullptr;
    }
    return PyLong_FromSsize_t(written);
}

int set_characters_written(PyObject* op, PyObject* value, void*) {
    auto* self = reinterpret_cast<PyOSErrorObject*>(op);
    if (value == nullptr && self->written == -1) {
        PyErr_SetString(PyExc_AttributeError, "characters_written");
        return -1;
    }
    const Py_ssize_t written = value == nullptr ? -1 : PyLong_AsLong(value);
    if (written == -1 && PyErr_Occurred() != nullptr) {
        return -1;
    }
    self->written = written;
    return 0;
}

constexpr PyMemberDef field(const char* name, size_t offset) {
    return {name, _Py_T_OBJECT, static_cast<Py_ssize_t>(offset), 0, nullptr};
}

}  // namespace

PyGetSetDef exception_getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {"args", get_args, set_args, nullptr, nullptr},
    {"__traceback__", get_traceback, set_traceback, nullptr, nullptr},
    {"__context__", get_context, set_context, nullptr, nullptr},
    {"__cause__", get_cause, set_cause, nullptr, nullptr},
    {},
};
PyGetSetDef os_error_getset[] = {
    {"characters_written", get_characters_written, set_characters_written, nullptr, nullptr},
    {},
};

PyMemberDef exception_members[] = {
    {"__suppress_context__", Py_T_BOOL, offsetof(PyBaseExceptionObject, suppress_context), 0,
     nullptr},
    {},
};
PyMemberDef system_exit_members[] = {field("code", offsetof(PySystemExitObject, code)), {}};
PyMemberDef stop_iteration_members[] = {field("value", offsetof(PyStopIterationObject, value)), {}};
PyMemberDef import_error_members[] = {
    field("msg", offsetof(PyImportErrorObject, msg)),
    field("name", offsetof(PyImportErrorObject, name)),
    field("path", offsetof(PyImportErrorObject, path)),
    field("name_from", offsetof(PyImportErrorObject, name_from)),
    {},
};
PyMemberDef attribute_error_members[] = {
    field("name", offsetof(PyAttributeErrorObject, name)),
    field("obj", offsetof(PyAttributeErrorObject, obj)),
    {},
};
PyMemberDef name_error_members[] = {field("name", offsetof(PyNameErrorObject, name)), {}};
PyMemberDef os_error_members[] = {
    field("errno", offsetof(PyOSErrorObject, myerrno)),
    field("strerror", offsetof(PyOSErrorObject, strerror)),
    field("filename", offsetof(PyOSErrorObject, filename)),
    field("filename2", offsetof(PyOSErrorObject, filename2)),
    {},
};
PyMemberDef unicode_error_members[] = {
    field("encoding", offsetof(PyUnicodeErrorObject, encoding)),
    field("object", offsetof(PyUnicodeErrorObject, object)),
    {"start", Py_T_PYSSIZET, offsetof(PyUnicodeErrorObject, start), 0, nullptr},
    {"end", Py_T_PYSSIZET, offsetof(PyUnicodeErrorObject, end), 0, nullptr},
    field("reason", offsetof(PyUnicodeErrorObject, reason)),
    {},
};

}  // namespace ouro::exception
