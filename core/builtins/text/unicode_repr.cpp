// str: what repr() and ascii() show, and names.
#include <string_view>

#include "core/builtins/text/text_buffer.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/builtins/text/unicode_tables.hpp"

using namespace ouro;
using text::TextBuffer;
using text::unicode;

namespace {

void append_shown(char32_t c, char quote, TextBuffer* out) {
    switch (c) {
        case '\t':
            out->append("\\t");
            return;
        case '\n':
            out->append("\\n");
            return;
        case '\r':
            out->append("\\r");
            return;
        default:
            break;
    }
    if (c == static_cast<char32_t>(quote) || c == '\\') {
        out->append('\\');
    }
    text::is_printable(c) ? out->append_code_point(c) : out->append_escape(c);
}

}  // namespace

PyObject* text::unicode_repr(PyObject* op) {
    const std::string_view text = text_in(op);
    const bool has_single = text.find('\'') != std::string_view::npos;
    const char quote = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
    TextBuffer out;
    out.append(quote);
    for (const char *p = text.data(), *const end = p + text.size(); p < end;) {
        append_shown(text::utf8::next(&p), quote, &out);
    }
    out.append(quote);
    return out.to_str();
}

PyObject* text::escape_non_ascii(PyObject* op) {
    if (op == nullptr || is_ascii(op)) {
        return op;
    }
    TextBuffer out;
    for (const char *p = text::text_in(op).data(), *const end = p + unicode(op)->size; p < end;) {
        const char32_t c = text::utf8::next(&p);
        c < 0x80 ? out.append(static_cast<char>(c)) : out.append_escape(c);
    }
    Py_DECREF(op);
    return out.to_str();
}

PyObject* PyObject_ASCII(PyObject* op) {
    return text::escape_non_ascii(PyObject_Repr(op));
}

int PyUnicode_IsIdentifier(PyObject* op) {
    const char* p = text::text_in(op).data();
    const char* const end = p + unicode(op)->size;
    if (p == end || !text::begins_name(text::utf8::next(&p))) {
        return 0;
    }
    while (p < end) {
        if (!text::continues_name(text::utf8::next(&p))) {
            return 0;
        }
    }
    return 1;
}
