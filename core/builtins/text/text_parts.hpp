// A list of texts that is made piece by piece; once memory is out nothing is added, and there is no list.
#pragma once

#include <string_view>

#include "core/builtins/text/unicode.hpp"

namespace ouro::text {

class TextParts {
public:
    TextParts() : list_(PyList_New(0)) {}
    ~TextParts() { Py_XDECREF(list_); }
    TextParts(const TextParts&) = delete;
    TextParts& operator=(const TextParts&) = delete;

    void add(std::string_view text) {
        PyObject* part = list_ == nullptr ? nullptr : new_text(text);
        if (part == nullptr || PyList_Append(list_, part) < 0) {
            Py_CLEAR(list_);
        }
        Py_XDECREF(part);
    }
    void add(const char* begin, const char* end) { add(std::string_view(begin, end)); }
    // Those that were added last come first from now on.
    void reverse() {
        if (list_ != nullptr && PyList_Reverse(list_) < 0) {
            Py_CLEAR(list_);
        }
    }
    // New reference, or nullptr with MemoryError.
    PyObject* take() {
        PyObject* list = list_;
        list_ = nullptr;
        return list;
    }

private:
    PyObject* list_;
};

}  // namespace ouro::text
