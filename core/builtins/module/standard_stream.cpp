#include "core/builtins/module/standard_stream.hpp"

#include <unistd.h>

#include "core/object/object.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using object::Own;

namespace {

struct Stream {
    PyObject ob_base;
    FILE* file;
    const char* name;
    const char* encoding;
    const char* errors;
    const char* mode;
};

Stream* as_stream(PyObject* op) {
    return reinterpret_cast<Stream*>(op);
}

int failed() {
    (void)PyErr_SetFromErrno(PyExc_OSError);
    return -1;
}

int flush(PyObject* self) {
    return std::fflush(as_stream(self)->file) == 0 ? 0 : failed();
}

PyObject* stream_write(PyObject* self, PyObject* text) {
    if (!PyUnicode_Check(text)) {
        return PyErr_Format(PyExc_TypeError, "write() argument must be str, not %s",
                            Py_TYPE(text)->tp_name);
    }
    Stream* stream = as_stream(self);
    const Own bytes(PyUnicode_AsEncodedString(text, stream->encoding, stream->errors));
    if (!bytes) {
        return nullptr;
    }
    const auto size = static_cast<size_t>(PyBytes_GET_SIZE(bytes.get()));
    if (std::fwrite(PyBytes_AS_STRING(bytes.get()), 1, size, stream->file) != size) {
        failed();
        return nullptr;
    }
    return PyLong_FromSsize_t(PyUnicode_GetLength(text));
}

PyObject* stream_flush(PyObject* self, PyObject*) {
    return flush(self) < 0 ? nullptr : Py_NewRef(Py_None);
}

PyObject* stream_fileno(PyObject* self, PyObject*) {
    return PyLong_FromLong(fileno(as_stream(self)->file));
}

PyObject* stream_isatty(PyObject* self, PyObject*) {
    return PyBool_FromLong(isatty(fileno(as_stream(self)->file)));
}

PyObject* stream_true(PyObject*, PyObject*) {
    return Py_NewRef(Py_True);
}

PyObject* stream_false(PyObject*, PyObject*) {
    return Py_NewRef(Py_False);
}

PyObject* stream_repr(PyObject* self) {
    const Stream* stream = as_stream(self);
    return PyUnicode_FromFormat("<%s name='%s' mode='%s' encoding='%s'>", Py_TYPE(self)->tp_name,
                                stream->name, stream->mode, stream->encoding);
}

void stream_dealloc(PyObject* self) {
    Py_TYPE(self)->tp_free(self);
}

PyMethodDef stream_methods[] = {
    {"write", stream_write, METH_O, PyDoc_STR("Write a str; returns how many code points.")},
    {"flush", stream_flush, METH_NOARGS, PyDoc_STR("Hand over to the system what was written.")},
    {"fileno", stream_fileno, METH_NOARGS, PyDoc_STR("The file descriptor.")},
    {"isatty", stream_isatty, METH_NOARGS, PyDoc_STR("Whether it is a terminal.")},
    {"writable", stream_true, METH_NOARGS, PyDoc_STR("True.")},
    {"readable", stream_false, METH_NOARGS, PyDoc_STR("False.")},
    {"seekable", stream_false, METH_NOARGS, PyDoc_STR("False.")},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef stream_members[] = {
    {"name", Py_T_STRING, offsetof(Stream, name), Py_READONLY, nullptr},
    {"encoding", Py_T_STRING, offsetof(Stream, encoding), Py_READONLY, nullptr},
    {"errors", Py_T_STRING, offsetof(Stream, errors), Py_READONLY, nullptr},
    {"mode", Py_T_STRING, offsetof(Stream, mode), Py_READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

}  // namespace

namespace ouro::module {

PyTypeObject standard_stream_type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "sys.StandardStream",
    .tp_basicsize = sizeof(Stream),
    .tp_dealloc = stream_dealloc,
    .tp_repr = stream_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = PyDoc_STR("A standard output of the program."),
    .tp_methods = stream_methods,
    .tp_members = stream_members,
};

PyObject* new_standard_stream(FILE* file, const char* name, const char* errors) {
    PyObject* self = object::allocate_atom(&standard_stream_type, sizeof(Stream));
    if (self != nullptr) {
        Stream* stream = as_stream(self);
        stream->file = file;
        stream->name = name;
        stream->encoding = "utf-8";
        stream->errors = errors;
        stream->mode = "w";
    }
    return self;
}

}  // namespace ouro::module
