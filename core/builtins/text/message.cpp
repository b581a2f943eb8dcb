#include "core/builtins/text/message.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "core/builtins/text/unicode.hpp"

namespace ouro::text {

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

Message& Message::take(PyObject* text) {
    if (text == nullptr) {
        failed_ = true;
    } else {
        add(text_in(text));
    }
    Py_XDECREF(text);
    return *this;
}

PyObject* Message::finish() {
    // Names come from C, and may be anything; what objects look like may have lone surrogates.
    return failed_ ? nullptr
                   : PyUnicode_DecodeUTF8(size_ == 0 ? "" : buffer_, static_cast<Py_ssize_t>(size_),
                                          "surrogatepass");
}

}  // namespace ouro::text
