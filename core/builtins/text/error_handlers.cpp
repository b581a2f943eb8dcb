// The error handlers of codecs that are here by themselves, as functions of an exception. Sources: "Codec registry and
// support functions" in the C API documentation; "Error Handlers" of the module codecs.
#include <algorithm>
#include <string>
#include <string_view>

#include "core/builtins/text/codec_registry.hpp"
#include "core/builtins/text/text_buffer.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using object::Own;
using text::TextBuffer;

namespace {

PyObject* cannot_handle(PyObject* exception) {
    return PyErr_Format(PyExc_TypeError, "don't know how to handle %.200s in error callback",
                        Py_TYPE(exception)->tp_name);
}

PyObject* raise_again(PyObject* exception) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception)), exception);
    return nullptr;
}

// What stands for the part, and where to go on.
PyObject* answer(PyObject* text, Py_ssize_t position) {
    return Py_BuildValue("(Nn)", text, position);
}

// The part of a text that an exception names.
struct Part {
    enum class Kind { kEncode, kDecode, kTranslate } kind;
    Own object;
    Py_ssize_t start = 0, end = 0;

    bool is(Kind which) const { return kind == which; }
    Py_ssize_t size() const { return std::max(end - start, Py_ssize_t{0}); }
    // By the array of code points, so that many parts of one text are no search each.
    Py_UCS4 code_point(Py_ssize_t i) const {
        return PyUnicode_READ(PyUnicode_KIND(object.get()), PyUnicode_DATA(object.get()), i);
    }
    unsigned char byte(Py_ssize_t i) const {
        return static_cast<unsigned char>(PyBytes_AS_STRING(object.get())[i]);
    }
};

// False with TypeError, or MemoryError.
bool take_part(PyObject* exception, Part* part) {
    const auto is = [exception](PyObject* type) {
        return PyObject_TypeCheck(exception, reinterpret_cast<PyTypeObject*>(type));
    };
    PyObject* object = nullptr;
    bool done;
    if (is(PyExc_UnicodeEncodeError)) {
        part->kind = Part::Kind::kEncode;
        done = PyUnicodeEncodeError_GetStart(exception, &part->start) == 0 &&
               PyUnicodeEncodeError_GetEnd(exception, &part->end) == 0 &&
               (object = PyUnicodeEncodeError_GetObject(exception)) != nullptr;
    } else if (is(PyExc_UnicodeDecodeError)) {
        part->kind = Part::Kind::kDecode;
        done = PyUnicodeDecodeError_GetStart(exception, &part->start) == 0 &&
               PyUnicodeDecodeError_GetEnd(exception, &part->end) == 0 &&
               (object = PyUnicodeDecodeError_GetObject(exception)) != nullptr;
    } else if (is(PyExc_UnicodeTranslateError)) {
        part->kind = Part::Kind::kTranslate;
        done = PyUnicodeTranslateError_GetStart(exception, &part->start) == 0 &&
               PyUnicodeTranslateError_GetEnd(exception, &part->end) == 0 &&
               (object = PyUnicodeTranslateError_GetObject(exception)) != nullptr;
    } else {
        cannot_handle(exception);
        return false;
    }
    part->object = Own(object);
    return done && (part->is(Part::Kind::kDecode) || PyUnicode_READY(object) == 0);
}

void append_xml_reference(Py_UCS4 c, TextBuffer* out) {
    const std::string digits = std::to_string(c);
    out->append("&#");
    out->append(digits);
    out->append(';');
}

// ---- surrogates that stand for bytes ----

PyObject* escape_with_surrogates(PyObject* exception) {
    Part part;
    if (!take_part(exception, &part)) {
        return nullptr;
    }
    TextBuffer out;
    if (part.is(Part::Kind::kEncode)) {
        for (Py_ssize_t i = part.start; i < part.end; ++i) {
            const Py_UCS4 c = part.code_point(i);
            if (c < 0xDC80 || c > 0xDCFF) {
                return raise_again(exception);
            }
            out.append(static_cast<char>(c - 0xDC00));
        }
        return answer(out.to_bytes(), part.end);
    }
    if (!part.is(Part::Kind::kDecode)) {
        return cannot_handle(exception);
    }
    Py_ssize_t i = part.start;
    for (; i < part.end && part.byte(i) >= 0x80; ++i) {
        out.append_code_point(0xDC00U + part.byte(i));
    }
    return i == part.start ? raise_again(exception) : answer(out.to_str(), i);
}

// ---- surrogates that are let through ----

// A surrogate as one of the encodings of Unicode has it: so many bytes; the least first or not.
struct SurrogateForm {
    size_t bytes;  // 3: UTF-8
    bool big;
};

// False if the encoding is none of these.
bool find_form(std::string_view encoding, SurrogateForm* form) {
    static constexpr struct {
        const char* name;
        SurrogateForm form;
    } kForms[] = {{"utf-8", {3, false}},    {"utf-16", {2, false}}, {"utf-16-le", {2, false}},
                  {"utf-16-be", {2, true}}, {"utf-32", {4, false}}, {"utf-32-le", {4, false}},
                  {"utf-32-be", {4, true}}};
    for (const auto& each : kForms) {
        if (encoding == each.name) {
            *form = each.form;
            return true;
        }
    }
    return false;
}

void append_in_form(Py_UCS4 c, SurrogateForm form, TextBuffer* out) {
    if (form.bytes == 3) {
        out->append_code_point(c);
        return;
    }
    for (size_t i = 0; i < form.bytes; ++i) {
        out->append(static_cast<char>(c >> 8 * (form.big ? form.bytes - 1 - i : i)));
    }
}

// The surrogate at a place; 0 if there is none.
Py_UCS4 read_in_form(const Part& part, SurrogateForm form) {
    const auto bytes = static_cast<Py_ssize_t>(form.bytes);
    if (part.start + bytes > PyBytes_GET_SIZE(part.object.get())) {
        return 0;
    }
    const auto byte = [&](Py_ssize_t i) { return Py_UCS4{part.byte(part.start + i)}; };
    Py_UCS4 c = 0;
    if (form.bytes == 3) {
        const bool is_one =
            (byte(0) & 0xF0) == 0xE0 && (byte(1) & 0xC0) == 0x80 && (byte(2) & 0xC0) == 0x80;
        c = is_one ? (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F) : 0;
    } else {
        for (Py_ssize_t i = 0; i < bytes; ++i) {
            c = c << 8 | byte(form.big ? i : bytes - 1 - i);
        }
    }
    return text::utf8::is_surrogate(c) ? c : 0;
}

PyObject* pass_surrogates(PyObject* exception) {
    Part part;
    if (!take_part(exception, &part)) {
        return nullptr;
    }
    if (part.is(Part::Kind::kTranslate)) {
        return cannot_handle(exception);
    }
    const bool encodes = part.is(Part::Kind::kEncode);
    const Own encoding(encodes ? PyUnicodeEncodeError_GetEncoding(exception)
                               : PyUnicodeDecodeError_GetEncoding(exception));
    SurrogateForm form;
    if (!encoding) {
        return nullptr;
    }
    if (!find_form(text::text_in(encoding.get()), &form)) {
        return raise_again(exception);
    }
    TextBuffer out;
    if (!encodes) {
        const Py_UCS4 c = read_in_form(part, form);
        if (c == 0) {
            return raise_again(exception);
        }
        out.append_code_point(c);
        return answer(out.to_str(), part.start + static_cast<Py_ssize_t>(form.bytes));
    }
    for (Py_ssize_t i = part.start; i < part.end; ++i) {
        const Py_UCS4 c = part.code_point(i);
        if (!text::utf8::is_surrogate(c)) {
            return raise_again(exception);
        }
        append_in_form(c, form, &out);
    }
    return answer(out.to_bytes(), part.end);
}

// ---- as functions ----

template <PyObject* (*handler)(PyObject*)>
PyObject* call_handler(PyObject*, PyObject* exception) {
    return handler(exception);
}

PyMethodDef own_handlers[] = {
    {"strict", call_handler<PyCodec_StrictErrors>, METH_O, PyDoc_STR("Raises.")},
    {"ignore", call_handler<PyCodec_IgnoreErrors>, METH_O, PyDoc_STR("Nothing.")},
    {"replace", call_handler<PyCodec_ReplaceErrors>, METH_O, PyDoc_STR("A question mark.")},
    {"xmlcharrefreplace", call_handler<PyCodec_XMLCharRefReplaceErrors>, METH_O,
     PyDoc_STR("A reference of XML.")},
    {"backslashreplace", call_handler<PyCodec_BackslashReplaceErrors>, METH_O,
     PyDoc_STR("An escape.")},
    {"surrogateescape", call_handler<escape_with_surrogates>, METH_O,
     PyDoc_STR("Surrogates for bytes.")},
    {"surrogatepass", call_handler<pass_surrogates>, METH_O, PyDoc_STR("Surrogates as they are.")},
};

}  // namespace

PyObject* text::own_error_handler(const char* name) {
    auto* found = std::ranges::find_if(own_handlers, [name](const PyMethodDef& each) {
        return std::string_view(each.ml_name) == name;
    });
    return found == std::end(own_handlers) ? nullptr : PyCFunction_New(found, nullptr);
}

PyObject* PyCodec_StrictErrors(PyObject* exception) {
    if (!PyExceptionInstance_Check(exception)) {
        PyErr_SetString(PyExc_TypeError, "codec must pass exception instance");
        return nullptr;
    }
    return raise_again(exception);
}

PyObject* PyCodec_IgnoreErrors(PyObject* exception) {
    Part part;
    return take_part(exception, &part) ? answer(PyUnicode_FromString(""), part.end) : nullptr;
}

PyObject* PyCodec_ReplaceErrors(PyObject* exception) {
    Part part;
    if (!take_part(exception, &part)) {
        return nullptr;
    }
    TextBuffer out;
    if (part.is(Part::Kind::kEncode)) {
        out.append(static_cast<size_t>(part.size()), '?');
    } else {
        const Py_ssize_t many = part.is(Part::Kind::kDecode) ? 1 : part.size();
        for (Py_ssize_t i = 0; i < many; ++i) {
            out.append_code_point(Py_UNICODE_REPLACEMENT_CHARACTER);
        }
    }
    return answer(out.to_str(), part.end);
}

PyObject* PyCodec_XMLCharRefReplaceErrors(PyObject* exception) {
    Part part;
    if (!take_part(exception, &part)) {
        return nullptr;
    }
    if (!part.is(Part::Kind::kEncode)) {
        return cannot_handle(exception);
    }
    TextBuffer out;
    for (Py_ssize_t i = part.start; i < part.end; ++i) {
        append_xml_reference(part.code_point(i), &out);
    }
    return answer(out.to_str(), part.end);
}

PyObject* PyCodec_BackslashReplaceErrors(PyObject* exception) {
    Part part;
    if (!take_part(exception, &part)) {
        return nullptr;
    }
    TextBuffer out;
    for (Py_ssize_t i = part.start; i < part.end; ++i) {
        out.append_escape(part.is(Part::Kind::kDecode) ? Py_UCS4{part.byte(i)}
                                                       : part.code_point(i));
    }
    return answer(out.to_str(), part.end);
}
