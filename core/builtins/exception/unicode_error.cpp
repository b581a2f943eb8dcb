// Errors of encoding, decoding and translating text: which part of what, and why.
#include <cstdio>

#include "core/builtins/exception/exceptions.hpp"
#include "core/builtins/text/message.hpp"

using namespace ouro;

namespace {

PyUnicodeErrorObject* unicode_error(PyObject* op) {
    return reinterpret_cast<PyUnicodeErrorObject*>(op);
}

// The arguments of a class, in order.
enum class Argument { kText, kAny, kIndex };

bool wrong_type(Py_ssize_t index, PyObject* given) {
    PyErr_Format(PyExc_TypeError, "argument %zd must be str, not %.50s", index + 1,
                 given == Py_None ? "None" : Py_TYPE(given)->tp_name);
    return false;
}

bool is_wanted(Argument wanted, Py_ssize_t index, PyObject* given) {
    switch (wanted) {
        case Argument::kText:
            return PyUnicode_Check(given) || wrong_type(index, given);
        case Argument::kAny:
            return true;
        case Argument::kIndex:
            if (!PyLong_Check(given)) {
                PyErr_Format(PyExc_TypeError, "'%.200s' object cannot be interpreted as an integer",
                             Py_TYPE(given)->tp_name);
                return false;
            }
            return true;
    }
    return false;
}

template <size_t count>
bool are_wanted(PyObject* args, const Argument (&wanted)[count]) {
    constexpr auto kCount = static_cast<Py_ssize_t>(count);
    if (PyTuple_GET_SIZE(args) != kCount) {
        PyErr_Format(PyExc_TypeError, "function takes exactly %zd arguments (%zd given)", kCount,
                     PyTuple_GET_SIZE(args));
        return false;
    }
    for (Py_ssize_t i = 0; i < kCount; ++i) {
        if (!is_wanted(wanted[i], i, PyTuple_GET_ITEM(args, i))) {
            return false;
        }
    }
    return true;
}

// Fills the fields from the arguments, which begin with an encoding unless `object_at` is 0.
int fill(PyObject* op, PyObject* args, Py_ssize_t object_at) {
    PyUnicodeErrorObject* self = unicode_error(op);
    const auto item = [args](Py_ssize_t i) { return PyTuple_GET_ITEM(args, i); };
    const Py_ssize_t start = PyLong_AsLong(item(object_at + 1));
    if (start == -1 && PyErr_Occurred() != nullptr) {
        return -1;
    }
    const Py_ssize_t end = PyLong_AsLong(item(object_at + 2));
    if (end == -1 && PyErr_Occurred() != nullptr) {
        return -1;
    }
    self->start = start;
    self->end = end;
    exception::replace(op, &self->encoding, object_at == 0 ? nullptr : Py_NewRef(item(0)));
    exception::replace(op, &self->object, Py_NewRef(item(object_at)));
    exception::replace(op, &self->reason, Py_NewRef(item(object_at + 3)));
    return 0;
}

// "in position 3: reason" or, of several, "in position 3-5: reason".
PyObject* finish(text::Message& text, const PyUnicodeErrorObject* self, bool one) {
    text.add(" in position ").add_number(self->start);
    if (!one) {
        text.add("-").add_number(self->end - 1);
    }
    return text.add(": ").add_str(self->reason).finish();
}

void begin(text::Message& text, const PyUnicodeErrorObject* self) {
    text.add("'").add_str(self->encoding).add("' codec ");
}

// "encode character '\xe4'" or "encode characters".
bool add_characters(text::Message& text, const PyUnicodeErrorObject* self) {
    if (self->start < 0 || self->end != self->start + 1 ||
        self->start >= PyUnicode_GET_LENGTH(self->object)) {
        text.add("characters");
        return false;
    }
    const Py_UCS4 character = PyUnicode_ReadChar(self->object, self->start);
    char name[16];
    std::snprintf(name, sizeof name,
                  character <= 0xff     ? "\\x%02x"
                  : character <= 0xffff ? "\\u%04x"
                                        : "\\U%08x",
                  character);
    text.add("character '").add(name).add("'");
    return true;
}

}  // namespace

int exception::unicode_encode_error_init(PyObject* op, PyObject* args, PyObject* kwargs) {
    using enum Argument;
    return exception_init(op, args, kwargs) < 0 ||
                   !are_wanted(args, {kText, kText, kIndex, kIndex, kText})
               ? -1
               : fill(op, args, 1);
}

int exception::unicode_decode_error_init(PyObject* op, PyObject* args, PyObject* kwargs) {
    using enum Argument;
    if (exception_init(op, args, kwargs) < 0 ||
        !are_wanted(args, {kText, kAny, kIndex, kIndex, kText})) {
        return -1;
    }
    PyTypeObject* given = Py_TYPE(PyTuple_GET_ITEM(args, 1));
    if (!PyBytes_Check(PyTuple_GET_ITEM(args, 1))) {
        PyErr_Format(PyExc_TypeError, "a bytes-like object is required, not '%.100s'",
                     given->tp_name);
        return -1;
    }
    return fill(op, args, 1);
}

int exception::unicode_translate_error_init(PyObject* op, PyObject* args, PyObject* kwargs) {
    using enum Argument;
    return exception_init(op, args, kwargs) < 0 || !are_wanted(args, {kText, kIndex, kIndex, kText})
               ? -1
               : fill(op, args, 0);
}

PyObject* exception::unicode_encode_error_str(PyObject* op) {
    const PyUnicodeErrorObject* self = unicode_error(op);
    text::Message text;
    if (self->object == nullptr) {
        return text.finish();  // never initialised
    }
    begin(text, self);
    text.add("can't encode ");
    const bool one = add_characters(text, self);
    return finish(text, self, one);
}

PyObject* exception::unicode_translate_error_str(PyObject* op) {
    const PyUnicodeErrorObject* self = unicode_error(op);
    text::Message text;
    if (self->object == nullptr) {
        return text.finish();
    }
    text.add("can't translate ");
    const bool one = add_characters(text, self);
    return finish(text, self, one);
}

PyObject* exception::unicode_decode_error_str(PyObject* op) {
    const PyUnicodeErrorObject* self = unicode_error(op);
    text::Message text;
    if (self->object == nullptr) {
        return text.finish();
    }
    begin(text, self);
    const bool one =
        self->start >= 0 && self->end == self->start + 1 && self->start < Py_SIZE(self->object);
    if (one) {
        const char byte = PyBytes_AS_STRING(self->object)[self->start];
        char name[8];
        std::snprintf(name, sizeof name, "0x%02x", static_cast<unsigned>(byte) & 0xffu);
        text.add("can't decode byte ").add(name);
    } else {
        text.add("can't decode bytes");
    }
    return finish(text, self, one);
}
