// What codecs have in common: going through a text, and asking what is to be done about what cannot be.
#pragma once

#include <string_view>

#include "core/builtins/text/text_buffer.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/builtins/text/unicode_errors.hpp"

namespace ouro::text {

// False with SystemError for a negative size; else *view are the bytes.
inline bool take_bytes(const char* bytes, Py_ssize_t size, std::string_view* view) {
    if (size < 0) {
        PyErr_BadInternalCall();
        return false;
    }
    *view = std::string_view(bytes, static_cast<size_t>(size));
    return true;
}

// find(from, out, fault) appends what bytes from `from` on say, up to the end or to what is wrong: true then, and *fault
// says what. consumed: nullptr, or bytes that the end cuts off are left for later. New reference, or nullptr with an
// exception.
template <class Find>
PyObject* decode_by(const char* encoding, std::string_view bytes, size_t from, const char* errors,
                    Py_ssize_t* consumed, const Find& find) {
    CodecErrors handling(encoding, errors);
    TextBuffer out;
    utf8::Fault fault;
    size_t at = from;
    while (find(at, &out, &fault)) {
        if (consumed != nullptr && fault.cut_off) {
            *consumed = static_cast<Py_ssize_t>(fault.start);
            return out.to_str();
        }
        if (!handling.decode(bytes, fault.start, fault.end, fault.reason, &out, &at)) {
            return nullptr;
        }
    }
    if (consumed != nullptr) {
        *consumed = static_cast<Py_ssize_t>(bytes.size());
    }
    return out.to_str();
}

// An encoding that `encode_by` writes:
//     const char* name, *reason;               of errors
//     bool in_runs;                            code points that have no place are an error together
//     int put(char32_t c, TextBuffer* out);    1; 0 if there is no place for it; -1 with an exception
//     bool put_bytes(std::string_view bytes, TextBuffer* out);  what an error handler gave; false: not possible
template <class Encoding>
bool put_replacement(Encoding& encoding, PyObject* replacement, TextBuffer* out, bool* failed) {
    *failed = false;
    if (PyBytes_Check(replacement)) {
        return encoding.put_bytes(
            {PyBytes_AS_STRING(replacement), static_cast<size_t>(PyBytes_GET_SIZE(replacement))},
            out);
    }
    const std::string_view text = text_in(replacement);
    for (const char* p = text.data(); p < text.data() + text.size();) {
        const int written = encoding.put(utf8::next(&p), out);
        if (written <= 0) {
            *failed = written < 0;
            return false;
        }
    }
    return true;
}

// New bytes, or nullptr with an exception. Pre: op is a str. `out` may have something already.
template <class Encoding>
PyObject* encode_by(Encoding& encoding, PyObject* op, const char* errors, TextBuffer& out) {
    CodecErrors handling(encoding.name, errors);
    const std::string_view text = text_in(op);
    const char* const end = text.data() + text.size();
    const char* p = text.data();
    size_t index = 0;
    while (p < end) {
        int written = encoding.put(utf8::next(&p), &out);
        if (written > 0) {
            ++index;
            continue;
        }
        const size_t start = index++;
        for (const char* ahead = p; written == 0 && encoding.in_runs && ahead < end; p = ahead) {
            TextBuffer unused;
            written = encoding.put(utf8::next(&ahead), &unused);
            if (written != 0) {
                break;
            }
            ++index;
        }
        if (written < 0 || out.failed()) {
            return nullptr;  // no handler is called with an exception set
        }
        size_t next = index;
        const object::Own instead = handling.encode(op, start, index, encoding.reason, &next);
        bool failed = false;
        if (!instead) {
            return nullptr;
        }
        if (!put_replacement(encoding, instead.get(), &out, &failed)) {
            if (!failed) {
                set_encode_error(encoding.name, op, start, index, encoding.reason);
            }
            return nullptr;
        }
        if (next != index) {
            p = text.data() + utf8::offset_of(text, next);
            index = next;
        }
    }
    return out.to_bytes();
}

}  // namespace ouro::text
