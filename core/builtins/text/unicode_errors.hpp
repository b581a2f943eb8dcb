// UnicodeDecodeError and UnicodeEncodeError: the one place where they are raised, and where the handlers of such errors
// are asked.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/builtins/text/text_buffer.hpp"
#include "core/object/own.hpp"

namespace ouro::text {

// Code points [start, end) of a str have no place in `encoding`.
void set_encode_error(const char* encoding, PyObject* op, size_t start, size_t end,
                      const char* reason);

// What a codec does about what it cannot decode or encode, as long as it works on one text.
class CodecErrors {
public:
    // The names outlive this. errors: of the handler; nullptr: strict.
    CodecErrors(const char* encoding, const char* errors) : encoding_(encoding), errors_(errors) {}

    // bytes[start, end) are not what the encoding allows: appends what stands for them; *next: where to go on. False with
    // an exception.
    bool decode(std::string_view bytes, size_t start, size_t end, const char* reason,
                TextBuffer* out, size_t* next);
    // Code points [start, end) have no place in the encoding: the str, or the bytes, that stand for them, or none with
    // an exception.
    object::Own encode(PyObject* op, size_t start, size_t end, const char* reason, size_t* next);

private:
    bool is_strict() const;
    // Moves the beginning of a part that cannot be escaped as a whole. False with MemoryError.
    bool leave_out_escaped(PyObject* op, size_t* start, size_t end) const;
    // The handler's answer: what stands for the part, and a position in a text of that size.
    object::Own ask(size_t size, const char* wanted, size_t* next);
    // The exception that says so, which is made once. False with another one.
    bool say(size_t start, size_t end, const char* reason);

    const char* const encoding_;
    const char* const errors_;
    object::Own handler_;
    object::Own exception_;
};

}  // namespace ouro::text
