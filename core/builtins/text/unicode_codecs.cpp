// str to bytes and back: UTF-8, ASCII and Latin-1, and what is done with what cannot be.
#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/builtins/text/text_buffer.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/builtins/text/unicode_errors.hpp"
#include "core/object/object.hpp"

using namespace ouro;
using text::text_in;
using text::TextBuffer;
using text::unicode;
using text::utf8::Fault;

namespace {

enum class Codec { kUtf8, kAscii, kLatin1 };

const char* name_of(Codec codec) {
    return codec == Codec::kUtf8 ? "utf-8" : codec == Codec::kAscii ? "ascii" : "latin-1";
}

// Whether two names are one: case does not count, and a dash, a space and an underscore are the
// same.
bool same_name(std::string_view name, std::string_view alias) {
    if (name.size() != alias.size()) {
        return false;
    }
    for (size_t i = 0; i < name.size(); ++i) {
        const char c =
            name[i] >= 'A' && name[i] <= 'Z' ? static_cast<char>(name[i] | 0x20) : name[i];
        if (c != alias[i] && !(alias[i] == '_' && (c == '-' || c == ' '))) {
            return false;
        }
    }
    return true;
}

bool find_codec(const char* encoding, Codec* codec) {
    struct Alias {
        const char* name;
        Codec codec;
    };
    static constexpr Alias kAliases[] = {
        {"utf_8", Codec::kUtf8},        {"utf8", Codec::kUtf8},        {"u8", Codec::kUtf8},
        {"utf", Codec::kUtf8},          {"cp65001", Codec::kUtf8},     {"ascii", Codec::kAscii},
        {"us_ascii", Codec::kAscii},    {"646", Codec::kAscii},        {"latin_1", Codec::kLatin1},
        {"latin1", Codec::kLatin1},     {"latin", Codec::kLatin1},     {"l1", Codec::kLatin1},
        {"iso_8859_1", Codec::kLatin1}, {"iso8859_1", Codec::kLatin1}, {"iso8859", Codec::kLatin1},
        {"8859", Codec::kLatin1},       {"cp819", Codec::kLatin1},
    };
    *codec = Codec::kUtf8;
    if (encoding == nullptr) {
        return true;
    }
    for (const Alias& alias : kAliases) {
        if (same_name(encoding, alias.name)) {
            *codec = alias.codec;
            return true;
        }
    }
    PyErr_Format(PyExc_LookupError, "unknown encoding: %s", encoding);
    return false;
}

enum class Handler {
    kStrict,
    kIgnore,
    kReplace,
    kBackslashReplace,
    kSurrogateEscape,
    kSurrogatePass,
    kXmlCharRefReplace
};

// Asked for only where something is wrong: a wrong name is otherwise not noticed.
bool find_handler(const char* errors, Handler* handler) {
    static constexpr const char* kNames[] = {"strict",           "ignore",          "replace",
                                             "backslashreplace", "surrogateescape", "surrogatepass",
                                             "xmlcharrefreplace"};
    *handler = Handler::kStrict;
    if (errors == nullptr) {
        return true;
    }
    for (size_t i = 0; i < std::size(kNames); ++i) {
        if (std::string_view(errors) == kNames[i]) {
            *handler = static_cast<Handler>(i);
            return true;
        }
    }
    PyErr_Format(PyExc_LookupError, "unknown error handler name '%.400s'", errors);
    return false;
}

// ---- decoding ----

bool next_fault(Codec codec, std::string_view bytes, size_t from, Fault* fault) {
    if (codec == Codec::kUtf8) {
        return text::utf8::find_fault(bytes, from, fault);
    }
    for (size_t i = from; codec == Codec::kAscii && i < bytes.size(); ++i) {
        if (static_cast<unsigned char>(bytes[i]) >= 0x80) {
            *fault = {i, i + 1, "ordinal not in range(128)", false};
            return true;
        }
    }
    return false;
}

// Bytes of a surrogate, as str keeps it.
bool is_surrogate_at(std::string_view bytes, size_t i) {
    return bytes.size() - i >= 3 && bytes[i] == '\xED' &&
           static_cast<unsigned char>(bytes[i + 1]) >= 0xA0 &&
           text::utf8::is_continuation(bytes[i + 1]) && text::utf8::is_continuation(bytes[i + 2]);
}

// Appends what stands for a fault, and says, in fault->end, where to go on. False with an
// exception.
bool mend(Codec codec, Handler handler, std::string_view bytes, Fault* fault, TextBuffer* out) {
    switch (handler) {
        case Handler::kIgnore:
            return true;
        case Handler::kReplace:
            out->append_code_point(0xFFFD);
            return true;
        case Handler::kBackslashReplace:
            for (size_t i = fault->start; i < fault->end; ++i) {
                out->append_escape(static_cast<unsigned char>(bytes[i]));
            }
            return true;
        case Handler::kSurrogateEscape:
            // A fault is never of ASCII bytes.
            for (size_t i = fault->start; i < fault->end; ++i) {
                out->append_code_point(0xDC00U + static_cast<unsigned char>(bytes[i]));
            }
            return true;
        case Handler::kSurrogatePass:
            if (codec == Codec::kUtf8 && is_surrogate_at(bytes, fault->start)) {
                fault->end = fault->start + 3;
                out->append(bytes.substr(fault->start, 3));
                return true;
            }
            break;
        case Handler::kXmlCharRefReplace:
            PyErr_SetString(PyExc_TypeError,
                            "don't know how to handle UnicodeDecodeError in error callback");
            return false;
        case Handler::kStrict:
            break;
    }
    text::set_decode_error(name_of(codec), bytes, fault->start, fault->end, fault->reason);
    return false;
}

// consumed: nullptr, or bytes that the end cuts off are left for later.
PyObject* decode_mending(Codec codec, std::string_view bytes, const char* errors,
                         Py_ssize_t* consumed) {
    TextBuffer out;
    size_t done = 0;
    Fault fault;
    while (next_fault(codec, bytes, done, &fault)) {
        out.append(bytes.substr(done, fault.start - done));
        if (consumed != nullptr && fault.cut_off) {
            *consumed = static_cast<Py_ssize_t>(fault.start);
            return out.to_str();
        }
        Handler handler;
        if (!find_handler(errors, &handler) || !mend(codec, handler, bytes, &fault, &out)) {
            return nullptr;
        }
        done = fault.end;
    }
    out.append(bytes.substr(done));
    if (consumed != nullptr) {
        *consumed = static_cast<Py_ssize_t>(bytes.size());
    }
    return out.to_str();
}

PyObject* decode_latin1(std::string_view bytes) {
    size_t high = 0;
    for (const char byte : bytes) {
        high += static_cast<unsigned char>(byte) >> 7;
    }
    PyObject* op = text::allocate_text(bytes.size() + high);
    if (op == nullptr) {
        return nullptr;
    }
    char* to = unicode(op)->utf8;
    for (const char byte : bytes) {
        to += text::utf8::put(static_cast<unsigned char>(byte), to);
    }
    return text::complete_text(op, {bytes.size(), false});
}

PyObject* decode(Codec codec, std::string_view bytes, const char* errors, Py_ssize_t* consumed) {
    if (codec == Codec::kLatin1) {
        return decode_latin1(bytes);
    }
    // Memory first: a size beyond all memory is not read.
    PyObject* op = text::allocate_text(bytes.size());
    if (op == nullptr) {
        return nullptr;
    }
    Fault fault;
    if (next_fault(codec, bytes, 0, &fault)) {
        object::discard(op);
        return decode_mending(codec, bytes, errors, consumed);
    }
    if (!bytes.empty()) {
        std::memcpy(unicode(op)->utf8, bytes.data(), bytes.size());
    }
    if (consumed != nullptr) {
        *consumed = static_cast<Py_ssize_t>(bytes.size());
    }
    return text::complete_text(op, text::utf8::measure(text_in(op)));
}

PyObject* decode(Codec codec, const char* bytes, Py_ssize_t size, const char* errors) {
    if (size < 0) {
        PyErr_BadInternalCall();
        return nullptr;
    }
    return decode(codec, std::string_view(bytes, static_cast<size_t>(size)), errors, nullptr);
}

// ---- encoding ----

// Code points that an encoding has no place for.
struct Run {
    size_t start, end;
    const char* first;  // the bytes of the first one
};

bool has_place(Codec codec, char32_t c) {
    return codec == Codec::kUtf8 ? !text::utf8::is_surrogate(c)
                                 : c < (codec == Codec::kAscii ? 0x80 : 0x100);
}

const char* no_place_in(Codec codec) {
    return codec == Codec::kUtf8    ? "surrogates not allowed"
           : codec == Codec::kAscii ? "ordinal not in range(128)"
                                    : "ordinal not in range(256)";
}

void append_xml_reference(char32_t c, TextBuffer* out) {
    char digits[8];
    size_t i = sizeof digits;
    for (; c != 0; c /= 10) {
        digits[--i] = static_cast<char>('0' + c % 10);
    }
    out->append("&#");
    out->append(std::string_view(digits + i, sizeof digits - i));
    out->append(';');
}

// Appends what stands for a run. False with an exception.
bool stand_in(Codec codec, Handler handler, PyObject* op, const Run& run, TextBuffer* out) {
    const char* p = run.first;
    for (size_t i = run.start; i < run.end; ++i) {
        const char* const here = p;
        const char32_t c = text::utf8::next(&p);
        switch (handler) {
            case Handler::kIgnore:
                continue;
            case Handler::kReplace:
                out->append('?');
                continue;
            case Handler::kBackslashReplace:
                out->append_escape(c);
                continue;
            case Handler::kXmlCharRefReplace:
                append_xml_reference(c, out);
                continue;
            case Handler::kSurrogateEscape:
                if (c >= 0xDC80 && c <= 0xDCFF) {
                    out->append(static_cast<char>(c - 0xDC00));
                    continue;
                }
                break;
            case Handler::kSurrogatePass:
                if (codec == Codec::kUtf8) {
                    out->append(std::string_view(here, p));
                    continue;
                }
                break;
            case Handler::kStrict:
                break;
        }
        text::set_encode_error(name_of(codec), op, i, run.end, no_place_in(codec));
        return false;
    }
    return true;
}

PyObject* encode(Codec codec, PyObject* op, const char* errors) {
    if (!text::require_str_argument(op)) {
        return nullptr;
    }
    const std::string_view text = text_in(op);
    if (text::is_ascii(op) || (codec == Codec::kUtf8 && unicode(op)->has_surrogates == 0)) {
        return PyBytes_FromStringAndSize(text.data(), unicode(op)->size);
    }
    TextBuffer out;
    const char* p = text.data();
    const char* const end = p + text.size();
    size_t index = 0;
    while (p < end) {
        const char* const here = p;
        const char32_t c = text::utf8::next(&p);
        if (has_place(codec, c)) {
            codec == Codec::kUtf8 ? out.append(std::string_view(here, p))
                                  : out.append(static_cast<char>(c));
            ++index;
            continue;
        }
        Run run{index, index + 1, here};
        for (const char* ahead = p; ahead < end && !has_place(codec, text::utf8::next(&ahead));
             p = ahead) {
            ++run.end;
        }
        Handler handler;
        if (!find_handler(errors, &handler) || !stand_in(codec, handler, op, run, &out)) {
            return nullptr;
        }
        index = run.end;
    }
    return out.to_bytes();
}

}  // namespace

PyObject* PyUnicode_FromStringAndSize(const char* text, Py_ssize_t size) {
    if (size < 0) {
        PyErr_SetString(PyExc_SystemError, "Negative size passed to PyUnicode_FromStringAndSize");
        return nullptr;
    }
    if (text == nullptr && size > 0) {
        PyErr_SetString(PyExc_SystemError, "NULL string with positive size with NULL passed to "
                                           "PyUnicode_FromStringAndSize");
        return nullptr;
    }
    return decode(Codec::kUtf8, text, size, nullptr);
}

PyObject* PyUnicode_FromString(const char* text) {
    return decode(Codec::kUtf8, std::string_view(text), nullptr, nullptr);
}

PyObject* PyUnicode_Decode(const char* bytes, Py_ssize_t size, const char* encoding,
                           const char* errors) {
    Codec codec;
    return find_codec(encoding, &codec) ? decode(codec, bytes, size, errors) : nullptr;
}

PyObject* PyUnicode_DecodeUTF8(const char* bytes, Py_ssize_t size, const char* errors) {
    return decode(Codec::kUtf8, bytes, size, errors);
}

PyObject* PyUnicode_DecodeUTF8Stateful(const char* bytes, Py_ssize_t size, const char* errors,
                                       Py_ssize_t* consumed) {
    return decode(Codec::kUtf8, std::string_view(bytes, static_cast<size_t>(size)), errors,
                  consumed);
}

PyObject* PyUnicode_DecodeASCII(const char* bytes, Py_ssize_t size, const char* errors) {
    return decode(Codec::kAscii, bytes, size, errors);
}

PyObject* PyUnicode_DecodeLatin1(const char* bytes, Py_ssize_t size, const char* errors) {
    return decode(Codec::kLatin1, bytes, size, errors);
}

PyObject* PyUnicode_DecodeFSDefault(const char* text) {
    return PyUnicode_DecodeFSDefaultAndSize(text, static_cast<Py_ssize_t>(std::strlen(text)));
}

PyObject* PyUnicode_DecodeFSDefaultAndSize(const char* text, Py_ssize_t size) {
    return decode(Codec::kUtf8, text, size, "surrogateescape");
}

PyObject* PyUnicode_EncodeFSDefault(PyObject* op) {
    return encode(Codec::kUtf8, op, "surrogateescape");
}

PyObject* PyUnicode_FromEncodedObject(PyObject* op, const char* encoding, const char* errors) {
    if (op == nullptr) {
        PyErr_BadInternalCall();
        return nullptr;
    }
    if (PyBytes_Check(op)) {
        return PyUnicode_Decode(PyBytes_AS_STRING(op), PyBytes_GET_SIZE(op), encoding, errors);
    }
    if (PyUnicode_Check(op)) {
        PyErr_SetString(PyExc_TypeError, "decoding str is not supported");
        return nullptr;
    }
    return PyErr_Format(PyExc_TypeError, "decoding to str: need a bytes-like object, %.80s found",
                        Py_TYPE(op)->tp_name);
}

const char* PyUnicode_AsUTF8AndSize(PyObject* op, Py_ssize_t* size) {
    if (size != nullptr) {
        *size = -1;
    }
    if (!text::require_str_argument(op)) {
        return nullptr;
    }
    const std::string_view utf8 = text_in(op);
    if (unicode(op)->has_surrogates != 0) {
        Py_XDECREF(encode(Codec::kUtf8, op, nullptr));  // says which
        return nullptr;
    }
    if (size != nullptr) {
        *size = static_cast<Py_ssize_t>(utf8.size());
    }
    return utf8.data();
}

const char* PyUnicode_AsUTF8(PyObject* op) {
    return PyUnicode_AsUTF8AndSize(op, nullptr);
}

PyObject* PyUnicode_AsUTF8String(PyObject* op) {
    return encode(Codec::kUtf8, op, nullptr);
}

PyObject* PyUnicode_AsASCIIString(PyObject* op) {
    return encode(Codec::kAscii, op, nullptr);
}

PyObject* PyUnicode_AsLatin1String(PyObject* op) {
    return encode(Codec::kLatin1, op, nullptr);
}

PyObject* PyUnicode_AsEncodedString(PyObject* op, const char* encoding, const char* errors) {
    Codec codec;
    return text::require_str_argument(op) && find_codec(encoding, &codec)
               ? encode(codec, op, errors)
               : nullptr;
}
