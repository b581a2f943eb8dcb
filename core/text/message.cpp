#include "core/text/message.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace ouro::object {

Message& Message::add(std::string_view piece) {
    if (failed_ || piece.empty()) {
        return *this;
    }
    if (piece.size() > capacity_ - size_) {
        const size_t larger = std::max({size_t{64}, capacity_ * 2, size_ + piece.size()});
        auto* moved = static_cast<char*>(PyMem_Realloc(buffer_, larger));
        if (moved == nullptr) {
            failed_ = true;
            PyErr_NoMemory();
            return *this;
        }
        buffer_ = moved;
        capacity_ = larger;
    }
    std::memcpy(buffer_ + size_, piece.data(), piece.size());
    size_ += piece.size();
    return *this;
}

Message& Message::add_number(Py_ssize_t number) {
    char digits[24];
    std::snprintf(digits, sizeof digits, "%zd", number);
    return add(digits);
}

Message& Message::add_items(PyObject* tuple) {
    add("(");
    const Py_ssize_t size = PyTuple_GET_SIZE(tuple);
    for (Py_ssize_t i = 0; i < size; ++i) {
        add(i == 0 ? "" : ", ").add_repr(PyTuple_GET_ITEM(tuple, i));
    }
    return add(size == 1 ? ",)" : ")");
}

Message& Message::take(PyObject* text) {
    Py_ssize_t size;
    const char* bytes = text == nullptr ? nullptr : PyUnicode_AsUTF8AndSize(text, &size);
    if (bytes == nullptr) {
        failed_ = true;
    } else {
        add({bytes, static_cast<size_t>(size)});
    }
    Py_XDECREF(text);
    return *this;
}

PyObject* Message::finish() {
    return failed_ ? nullptr
                   : PyUnicode_FromStringAndSize(size_ == 0 ? "" : buffer_,
                                                 static_cast<Py_ssize_t>(size_));
}

}  // namespace ouro::object
