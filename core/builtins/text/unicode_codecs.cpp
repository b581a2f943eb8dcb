// str to bytes and back: UTF-8, ASCII and Latin-1, and what is done with what cannot be.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "core/builtins/text/codec_loop.hpp"
#include "core/builtins/text/encodings.hpp"
#include "core/object/object.hpp"

using namespace ouro;
using object::Own;
using text::text_in;
using text::TextBuffer;
using text::unicode;
using text::utf8::Fault;

namespace {

enum class Codec { kUtf8, kAscii, kLatin1 };

const char* name_of(Codec codec) {
    return codec == Codec::kUtf8 ? "utf-8" : codec == Codec::kAscii ? "ascii" : "latin-1";
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

// consumed: nullptr, or bytes that the end cuts off are left for later.
PyObject* decode_mending(Codec codec, std::string_view bytes, const char* errors,
                         Py_ssize_t* consumed) {
    const auto find = [&](size_t at, TextBuffer* out, Fault* fault) {
        const bool is_wrong = next_fault(codec, bytes, at, fault);
        out->append(bytes.substr(at, is_wrong ? fault->start - at : std::string_view::npos));
        return is_wrong;
    };
    return text::decode_by(name_of(codec), bytes, 0, errors, consumed, find);
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
    std::string_view view;
    return text::take_bytes(bytes, size, &view) ? decode(codec, view, errors, nullptr) : nullptr;
}

// ---- encoding ----

struct NarrowEncoding {
    Codec codec;
    const char* name;
    const char* reason;
    bool in_runs = true;

    int put(char32_t c, TextBuffer* out) const {
        if (codec == Codec::kUtf8) {
            if (text::utf8::is_surrogate(c)) {
                return 0;
            }
            out->append_code_point(c);
            return 1;
        }
        if (c >= (codec == Codec::kAscii ? 0x80 : 0x100)) {
            return 0;
        }
        out->append(static_cast<char>(c));
        return 1;
    }
    static bool put_bytes(std::string_view bytes, TextBuffer* out) {
        out->append(bytes);
        return true;
    }
};

const char* no_place_in(Codec codec) {
    return codec == Codec::kUtf8    ? "surrogates not allowed"
           : codec == Codec::kAscii ? "ordinal not in range(128)"
                                    : "ordinal not in range(256)";
}

PyObject* encode(Codec codec, PyObject* op, const char* errors) {
    if (!text::require_str_argument(op)) {
        return nullptr;
    }
    const std::string_view text = text_in(op);
    if (text::is_ascii(op) || (codec == Codec::kUtf8 && unicode(op)->has_surrogates == 0)) {
        return PyBytes_FromStringAndSize(text.data(), unicode(op)->size);
    }
    NarrowEncoding encoding{codec, name_of(codec), no_place_in(codec)};
    TextBuffer out;
    return text::encode_by(encoding, op, errors, out);
}

PyObject* encode_utf8(PyObject* op, const char* errors) {
    return encode(Codec::kUtf8, op, errors);
}

PyObject* encode_ascii(PyObject* op, const char* errors) {
    return encode(Codec::kAscii, op, errors);
}

PyObject* encode_latin1(PyObject* op, const char* errors) {
    return encode(Codec::kLatin1, op, errors);
}

// ---- names ----

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

// Whether one of the words of `aliases` is that name.
bool is_alias(std::string_view aliases, std::string_view name) {
    while (!aliases.empty()) {
        const size_t end = std::min(aliases.find(' '), aliases.size());
        if (same_name(name, aliases.substr(0, end))) {
            return true;
        }
        aliases.remove_prefix(std::min(end + 1, aliases.size()));
    }
    return false;
}

constexpr text::Encoding kEncodings[] = {
    {"utf-8", "utf_8 utf8 u8 utf cp65001", PyUnicode_DecodeUTF8, encode_utf8},
    {"ascii", "ascii us_ascii 646", PyUnicode_DecodeASCII, encode_ascii},
    {"latin-1", "latin_1 latin1 latin l1 iso_8859_1 iso8859_1 iso8859 8859 cp819",
     PyUnicode_DecodeLatin1, encode_latin1},
    {"utf-16", "utf_16 utf16 u16", text::decode_utf16, text::encode_utf16},
    {"utf-16-le", "utf_16_le utf_16le utf16le unicodelittleunmarked", text::decode_utf16_le,
     text::encode_utf16_le},
    {"utf-16-be", "utf_16_be utf_16be utf16be unicodebigunmarked", text::decode_utf16_be,
     text::encode_utf16_be},
    {"utf-32", "utf_32 utf32 u32", text::decode_utf32, text::encode_utf32},
    {"utf-32-le", "utf_32_le utf_32le utf32le", text::decode_utf32_le, text::encode_utf32_le},
    {"utf-32-be", "utf_32_be utf_32be utf32be", text::decode_utf32_be, text::encode_utf32_be},
    {"utf-7", "utf_7 utf7 u7 unicode_1_1_utf_7", PyUnicode_DecodeUTF7, text::encode_utf7},
    {"unicode_escape", "unicode_escape unicodeescape", PyUnicode_DecodeUnicodeEscape,
     text::encode_unicode_escape},
    {"raw_unicode_escape", "raw_unicode_escape rawunicodeescape", PyUnicode_DecodeRawUnicodeEscape,
     text::encode_raw_unicode_escape},
};

}  // namespace

const text::Encoding* text::find_encoding(const char* name) {
    if (name == nullptr) {
        return &kEncodings[0];
    }
    const auto* found = std::ranges::find_if(
        kEncodings, [name](const Encoding& each) { return is_alias(each.aliases, name); });
    return found == std::end(kEncodings) ? nullptr : found;
}

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
    const text::Encoding* found = text::find_encoding(encoding);
    if (found != nullptr) {
        return found->decode(bytes, size, errors);
    }
    const Own held(PyBytes_FromStringAndSize(bytes, size));
    Own made(held ? PyCodec_Decode(held.get(), encoding, errors) : nullptr);
    if (made && !PyUnicode_Check(made.get())) {
        return PyErr_Format(PyExc_TypeError,
                            "'%.400s' decoder returned '%.400s' instead of 'str'; use "
                            "codecs.decode() to decode to arbitrary types",
                            encoding, Py_TYPE(made.get())->tp_name);
    }
    return made.release();
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
    if (!text::require_str_argument(op)) {
        return nullptr;
    }
    const text::Encoding* found = text::find_encoding(encoding);
    if (found != nullptr) {
        return found->encode(op, errors);
    }
    Own made(PyCodec_Encode(op, encoding, errors));
    if (made && !PyBytes_Check(made.get())) {
        return PyErr_Format(PyExc_TypeError,
                            "'%.400s' encoder returned '%.400s' instead of 'bytes'; use "
                            "codecs.encode() to encode to arbitrary types",
                            encoding, Py_TYPE(made.get())->tp_name);
    }
    return made.release();
}

const char* PyUnicode_GetDefaultEncoding(void) {
    return "utf-8";
}
