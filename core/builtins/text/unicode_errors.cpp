#include "core/builtins/text/unicode_errors.hpp"

#include "core/builtins/text/unicode.hpp"

namespace ouro::text {
namespace {

using object::Own;

// A new instance, or none with an exception. Steals `op`, which may be nullptr with one.
Own new_error(PyObject* type, const char* encoding, PyObject* op, size_t start, size_t end,
              const char* reason) {
    if (op == nullptr) {
        return Own();
    }
    return Own(PyObject_CallFunction(type, "sNnns", encoding, op, static_cast<Py_ssize_t>(start),
                                     static_cast<Py_ssize_t>(end), reason));
}

Own new_decode_error(const char* encoding, std::string_view bytes, size_t start, size_t end,
                     const char* reason) {
    return new_error(PyExc_UnicodeDecodeError, encoding,
                     PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())),
                     start, end, reason);
}

Own new_encode_error(const char* encoding, PyObject* op, size_t start, size_t end,
                     const char* reason) {
    return new_error(PyExc_UnicodeEncodeError, encoding, Py_NewRef(op), start, end, reason);
}

void raise(const Own& error) {
    if (error) {
        PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
    }
}

}  // namespace

void set_encode_error(const char* encoding, PyObject* op, size_t start, size_t end,
                      const char* reason) {
    raise(new_encode_error(encoding, op, start, end, reason));
}

bool CodecErrors::is_strict() const {
    return errors_ == nullptr || std::string_view(errors_) == "strict";
}

bool CodecErrors::say(size_t start, size_t end, const char* reason) {
    const auto from = static_cast<Py_ssize_t>(start);
    const auto to = static_cast<Py_ssize_t>(end);
    PyObject* error = exception_.get();
    return PyErr_GivenExceptionMatches(error, PyExc_UnicodeDecodeError) != 0
               ? PyUnicodeDecodeError_SetStart(error, from) == 0 &&
                     PyUnicodeDecodeError_SetEnd(error, to) == 0 &&
                     PyUnicodeDecodeError_SetReason(error, reason) == 0
               : PyUnicodeEncodeError_SetStart(error, from) == 0 &&
                     PyUnicodeEncodeError_SetEnd(error, to) == 0 &&
                     PyUnicodeEncodeError_SetReason(error, reason) == 0;
}

Own CodecErrors::ask(size_t size, const char* wanted, size_t* next) {
    if (!handler_) {
        handler_ = Own(PyCodec_LookupError(errors_));
        if (!handler_) {
            return Own();
        }
    }
    const Own answer(PyObject_CallOneArg(handler_.get(), exception_.get()));
    if (!answer) {
        return Own();
    }
    if (!PyTuple_Check(answer.get()) || PyTuple_GET_SIZE(answer.get()) != 2) {
        PyErr_SetString(PyExc_TypeError, wanted);
        return Own();
    }
    const Py_ssize_t position =
        PyNumber_AsSsize_t(PyTuple_GET_ITEM(answer.get(), 1), PyExc_OverflowError);
    if (position == -1 && PyErr_Occurred() != nullptr) {
        return Own();
    }
    const auto all = static_cast<Py_ssize_t>(size);
    const Py_ssize_t at = position < 0 ? position + all : position;
    if (at < 0 || at > all) {
        PyErr_Format(PyExc_IndexError, "position %zd from error handler out of bounds", at);
        return Own();
    }
    *next = static_cast<size_t>(at);
    return Own(Py_NewRef(PyTuple_GET_ITEM(answer.get(), 0)));
}

bool CodecErrors::decode(std::string_view bytes, size_t start, size_t end, const char* reason,
                         TextBuffer* out, size_t* next) {
    if (out->failed()) {
        return false;  // no handler is called with an exception set
    }
    if (!exception_) {
        exception_ = new_decode_error(encoding_, bytes, start, end, reason);
    } else if (!say(start, end, reason)) {
        return false;
    }
    if (!exception_) {
        return false;
    }
    if (is_strict()) {
        raise(exception_);
        return false;
    }
    constexpr const char* kWanted = "decoding error handler must return (str, int) tuple";
    const Own text = ask(bytes.size(), kWanted, next);
    if (!text) {
        return false;
    }
    if (!PyUnicode_Check(text.get())) {
        PyErr_SetString(PyExc_TypeError, kWanted);
        return false;
    }
    out->append(text_in(text.get()));
    return true;
}

// Of what has no place in an encoding surrogateescape does what it can: the error begins behind that.
bool CodecErrors::leave_out_escaped(PyObject* op, size_t* start, size_t end) const {
    if (errors_ == nullptr || std::string_view(errors_) != "surrogateescape") {
        return true;
    }
    if (PyUnicode_READY(op) < 0) {
        return false;
    }
    size_t i = *start;
    const auto stands_for_a_byte = [op](size_t at) {
        const Py_UCS4 c =
            PyUnicode_READ(PyUnicode_KIND(op), PyUnicode_DATA(op), static_cast<Py_ssize_t>(at));
        return c >= 0xDC80 && c <= 0xDCFF;
    };
    while (i < end && stands_for_a_byte(i)) {
        ++i;
    }
    *start = i < end ? i : *start;
    return true;
}

Own CodecErrors::encode(PyObject* op, size_t start, size_t end, const char* reason, size_t* next) {
    if (!leave_out_escaped(op, &start, end)) {
        return Own();
    }
    if (!exception_) {
        exception_ = new_encode_error(encoding_, op, start, end, reason);
    } else if (!say(start, end, reason)) {
        return Own();
    }
    if (!exception_) {
        return Own();
    }
    if (is_strict()) {
        raise(exception_);
        return Own();
    }
    constexpr const char* kWanted = "encoding error handler must return (str/bytes, int) tuple";
    Own text = ask(static_cast<size_t>(PyUnicode_GET_LENGTH(op)), kWanted, next);
    if (text && !PyUnicode_Check(text.get()) && !PyBytes_Check(text.get())) {
        PyErr_SetString(PyExc_TypeError, kWanted);
        return Own();
    }
    return text;
}

}  // namespace ouro::text
