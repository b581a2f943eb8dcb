#include "core/builtins/text/text_buffer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "core/builtins/text/unicode.hpp"

namespace ouro::text {

TextBuffer::~TextBuffer() {
    if (data_ != local_) {
        PyMem_Free(data_);
    }
}

char* TextBuffer::extend(size_t bytes) {
    if (failed_) {
        return nullptr;
    }
    if (bytes > capacity_ - size_) {
        const bool fits = bytes <= static_cast<size_t>(PY_SSIZE_T_MAX) - size_;
        const size_t wanted = std::max(size_ + bytes, capacity_ * 2);
        char* moved = fits ? static_cast<char*>(PyMem_Malloc(wanted)) : nullptr;
        if (moved == nullptr) {
            failed_ = true;
            PyErr_NoMemory();
            return nullptr;
        }
        std::memcpy(moved, data_, size_);
        if (data_ != local_) {
            PyMem_Free(data_);
        }
        data_ = moved;
        capacity_ = wanted;
    }
    char* place = data_ + size_;
    size_ += bytes;
    return place;
}

void TextBuffer::append(std::string_view text) {
    char* place = text.empty() ? nullptr : extend(text.size());
    if (place != nullptr) {
        std::memcpy(place, text.data(), text.size());
    }
}

void TextBuffer::append(size_t count, char c) {
    char* place = count == 0 ? nullptr : extend(count);
    if (place != nullptr) {
        std::memset(place, c, count);
    }
}

void TextBuffer::append(size_t count, std::string_view text) {
    if (text.size() == 1) {
        append(count, text.front());
        return;
    }
    size_t bytes;
    if (__builtin_mul_overflow(count, text.size(), &bytes)) {
        bytes = SIZE_MAX;  // more than there can be
    }
    char* place = bytes == 0 ? nullptr : extend(bytes);
    for (size_t i = 0; place != nullptr && i < count; ++i) {
        std::memcpy(place + i * text.size(), text.data(), text.size());
    }
}

void TextBuffer::append_code_point(char32_t c) {
    char bytes[utf8::kMostBytes];
    append(std::string_view(bytes, utf8::put(c, bytes)));
}

void TextBuffer::append_escape(char32_t c) {
    const int digits = c < 0x100 ? 2 : c < 0x10000 ? 4 : 8;
    append(digits == 2 ? "\\x" : digits == 4 ? "\\u" : "\\U");
    for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
        append("0123456789abcdef"[c >> shift & 0xF]);
    }
}

void TextBuffer::append_pointer(const void* pointer) {
    char text[32];
    const int size = std::snprintf(text, sizeof text, "%p", pointer);
    if (text[1] != 'x') {
        append("0x");
    }
    append(std::string_view(text, static_cast<size_t>(size)));
}

PyObject* TextBuffer::to_str() const {
    return failed_ ? nullptr : new_text(view());
}

PyObject* TextBuffer::to_bytes() const {
    return failed_ ? nullptr : PyBytes_FromStringAndSize(data_, static_cast<Py_ssize_t>(size_));
}

}  // namespace ouro::text
