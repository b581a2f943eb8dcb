// What a call about text returned, as one string that a test can compare: the value as Python's
// ascii() shows it, or the exception.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/contract/things.hpp"

namespace ouro::test {

// The exception that is set, "Class: message", without the place in the source where a bad argument was
// noticed; it is cleared.
inline std::string taken_error() {
    const Unraisable error = take_error();
    const size_t place = error.message.find(": bad argument to internal function");
    return error.type + ": " + error.message.substr(place == std::string::npos ? 0 : place + 2);
}

// Of a str, bytes, an int, or a list of these. Steals the reference.
inline std::string shown(PyObject* op) {
    if (op == nullptr) {
        return taken_error();
    }
    EXPECT_EQ(PyErr_Occurred(), nullptr) << "a result and an exception";
    std::string text;
    if (PyLong_Check(op)) {
        text = std::to_string(PyLong_AsLong(op));
    } else if (PyList_Check(op)) {
        for (Py_ssize_t i = 0; i < PyList_Size(op); ++i) {
            text += (i == 0 ? "" : ", ") + shown(PyList_GetItemRef(op, i));
        }
        text = "[" + text + "]";
    } else {
        PyObject* ascii = PyUnicode_FromFormat("%A", op);
        text = PyUnicode_AsUTF8(ascii);
        Py_DECREF(ascii);
    }
    Py_DECREF(op);
    return text;
}

// Of a function that returns a number; -1, or less, may be an exception.
inline std::string shown_number(int64_t number) {
    return number < 0 && PyErr_Occurred() != nullptr ? taken_error() : std::to_string(number);
}

inline PyObject* str(std::string_view utf8) {
    return PyUnicode_FromStringAndSize(utf8.data(), static_cast<Py_ssize_t>(utf8.size()));
}

inline PyObject* bytes(std::string_view content) {
    return PyBytes_FromStringAndSize(content.data(), static_cast<Py_ssize_t>(content.size()));
}

// A str of code points, surrogates too.
inline PyObject* str(std::u32string_view points) {
    return PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, points.data(),
                                     static_cast<Py_ssize_t>(points.size()));
}

inline PySequenceMethods* sequence_of(PyObject* op) {
    return Py_TYPE(op)->tp_as_sequence;
}

// Objects that a test drops at its end.
class Kept {
public:
    Kept() = default;
    ~Kept() { drop(objects_); }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;

    PyObject* operator()(PyObject* op) {
        EXPECT_NE(op, nullptr);
        objects_.push_back(op);
        return op;
    }
    PyObject* str(std::string_view utf8) { return (*this)(test::str(utf8)); }
    PyObject* str(std::u32string_view points) { return (*this)(test::str(points)); }
    PyObject* bytes(std::string_view content) { return (*this)(test::bytes(content)); }

private:
    std::vector<PyObject*> objects_;
};

}  // namespace ouro::test
