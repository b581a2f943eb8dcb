// Encodings of one byte by a mapping. Source: "Character Map Codecs" in the C API documentation.
#include "core/builtins/text/codec_loop.hpp"

using namespace ouro;
using object::Own;
using text::TextBuffer;
using text::utf8::Fault;

namespace {

constexpr const char* kUndefined = "character maps to <undefined>";
constexpr char32_t kNoMeaning = 0xFFFE;

// mapping[number]: 1 with a new reference; 0 if that is a LookupError or None; -1 with an exception.
int find_meaning(PyObject* mapping, Py_UCS4 number, Own* value) {
    const Own key(PyLong_FromUnsignedLong(number));
    *value = Own(key ? PyObject_GetItem(mapping, key.get()) : nullptr);
    if (!*value) {
        if (PyErr_ExceptionMatches(PyExc_LookupError) == 0) {
            return -1;
        }
        PyErr_Clear();
        return 0;
    }
    return value->get() == Py_None ? 0 : 1;
}

// Appends what a byte means: 1, 0 if it means nothing, -1 with an exception.
int append_meaning(PyObject* mapping, unsigned char byte, TextBuffer* out) {
    if (PyUnicode_CheckExact(mapping)) {
        if (PyUnicode_READY(mapping) < 0) {
            return -1;
        }
        const Py_UCS4 c =
            byte < PyUnicode_GET_LENGTH(mapping)
                ? PyUnicode_READ(PyUnicode_KIND(mapping), PyUnicode_DATA(mapping), byte)
                : Py_UCS4{kNoMeaning};
        if (c != kNoMeaning) {
            out->append_code_point(c);
        }
        return c != kNoMeaning;
    }
    Own value;
    const int found = find_meaning(mapping, byte, &value);
    if (found <= 0) {
        return found;
    }
    if (PyLong_Check(value.get())) {
        const long c = PyLong_AsLong(value.get());
        if (c < 0 || c > static_cast<long>(text::utf8::kLast)) {
            PyErr_Format(PyExc_TypeError, "character mapping must be in range(0x%lx)",
                         static_cast<unsigned long>(text::utf8::kLast) + 1);
            return -1;
        }
        if (static_cast<char32_t>(c) != kNoMeaning) {
            out->append_code_point(static_cast<char32_t>(c));
        }
        return static_cast<char32_t>(c) != kNoMeaning;
    }
    if (!PyUnicode_Check(value.get())) {
        PyErr_SetString(PyExc_TypeError, "character mapping must return integer, None or str");
        return -1;
    }
    const std::string_view text = text::text_in(value.get());
    const bool has_meaning = text != "\xEF\xBF\xBE";
    if (has_meaning) {
        out->append(text);
    }
    return has_meaning;
}

struct CharmapEncoding {
    PyObject* mapping;
    const char* name = "charmap";
    const char* reason = kUndefined;
    bool in_runs = true;

    int put(char32_t c, TextBuffer* out) const {
        Own value;
        const int found = find_meaning(mapping, static_cast<Py_UCS4>(c), &value);
        if (found <= 0) {
            return found;
        }
        if (PyBytes_Check(value.get())) {
            put_bytes({PyBytes_AS_STRING(value.get()),
                       static_cast<size_t>(PyBytes_GET_SIZE(value.get()))},
                      out);
            return 1;
        }
        if (!PyLong_Check(value.get())) {
            PyErr_Format(PyExc_TypeError,
                         "character mapping must return integer, bytes or None, not %.400s",
                         Py_TYPE(value.get())->tp_name);
            return -1;
        }
        const long byte = PyLong_AsLong(value.get());
        if (byte < 0 || byte > 0xFF) {
            PyErr_SetString(PyExc_TypeError, "character mapping must be in range(256)");
            return -1;
        }
        out->append(static_cast<char>(byte));
        return 1;
    }
    static bool put_bytes(std::string_view bytes, TextBuffer* out) {
        out->append(bytes);
        return true;
    }
};

}  // namespace

PyObject* PyUnicode_DecodeCharmap(const char* data, Py_ssize_t size, PyObject* mapping,
                                  const char* errors) {
    if (mapping == nullptr) {
        return PyUnicode_DecodeLatin1(data, size, errors);
    }
    std::string_view bytes;
    if (!text::take_bytes(data, size, &bytes)) {
        return nullptr;
    }
    bool failed = false;
    const auto find = [&](size_t at, TextBuffer* out, Fault* fault) {
        for (; at < bytes.size(); ++at) {
            const int found = append_meaning(mapping, static_cast<unsigned char>(bytes[at]), out);
            if (found < 0) {
                failed = true;
                return false;
            }
            if (found == 0) {
                *fault = {at, at + 1, kUndefined, false};
                return true;
            }
        }
        return false;
    };
    Own made(text::decode_by("charmap", bytes, 0, errors, nullptr, find));
    return failed ? nullptr : made.release();
}

PyObject* PyUnicode_AsCharmapString(PyObject* op, PyObject* mapping) {
    if (op == nullptr || !PyUnicode_Check(op) || mapping == nullptr) {
        PyErr_BadArgument();
        return nullptr;
    }
    CharmapEncoding encoding{mapping};
    TextBuffer out;
    return text::encode_by(encoding, op, nullptr, out);
}

PyObject* PyUnicode_BuildEncodingMap(PyObject* string) {
    if (!PyUnicode_Check(string) || PyUnicode_GET_LENGTH(string) == 0) {
        PyErr_BadArgument();
        return nullptr;
    }
    Own map(PyDict_New());
    for (Py_ssize_t i = 0; map && i < PyUnicode_GET_LENGTH(string) && i < 256; ++i) {
        const Own key(PyLong_FromUnsignedLong(PyUnicode_ReadChar(string, i)));
        const Own value(PyLong_FromSsize_t(i));
        if (!key || !value || PyDict_SetItem(map.get(), key.get(), value.get()) < 0) {
            return nullptr;
        }
    }
    return map.release();
}
