// Bytes that grow at their end, and become a str or bytes. When memory runs out MemoryError is set,
// nothing more is appended, and the result is nullptr: one check, at the end.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/include/Python.h"

namespace ouro::text {

class TextBuffer {
public:
    TextBuffer() = default;
    ~TextBuffer();
    TextBuffer(const TextBuffer&) = delete;
    TextBuffer& operator=(const TextBuffer&) = delete;

    void append(std::string_view text);
    void append(char c) { append(std::string_view(&c, 1)); }
    void append(size_t count, char c);
    // So many times the same: all of it, or nothing is appended.
    void append(size_t count, std::string_view text);
    void append_code_point(char32_t c);
    // \xNN, \uNNNN or \UNNNNNNNN, as short as the code point allows.
    void append_escape(char32_t c);
    // As the system's %p does it, always with 0x in front.
    void append_pointer(const void* pointer);

    // Forgets what was appended since it had that size.
    void truncate(size_t size) { size_ = size; }

    std::string_view view() const { return {data_, size_}; }
    bool failed() const { return failed_; }

    // New references. Pre of the first: what was appended is text.
    PyObject* to_str() const;
    PyObject* to_bytes() const;

private:
    // Room for so many more, or nullptr.
    char* extend(size_t bytes);

    static constexpr size_t kLocal = 256;
    char local_[kLocal];
    char* data_ = local_;
    size_t size_ = 0;
    size_t capacity_ = kLocal;
    bool failed_ = false;
};

}  // namespace ouro::text
