// str.format: a text with fields. Source: "Format String Syntax".
#include "core/builtins/text/format_spec.hpp"
#include "core/builtins/text/text_buffer.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/object/own.hpp"

namespace ouro::text {
namespace {

// Fields, and those inside their specifications, take arguments from one row.
class Fields {
public:
    // args is a tuple, or nullptr if there are none by position; kwargs a mapping or nullptr.
    Fields(PyObject* args, PyObject* kwargs) : args_(args), kwargs_(kwargs) {}

    // A new str, or nullptr with an exception.
    PyObject* format(std::string_view text, int depth) {
        if (depth < 0) {
            return refuse("Max string recursion exceeded");
        }
        TextBuffer out;
        while (!text.empty()) {
            const size_t brace = std::min(text.find_first_of("{}"), text.size());
            out.append(text.substr(0, brace));
            text.remove_prefix(brace);
            if (text.size() > 1 && text[0] == text[1]) {
                out.append(text[0]);
                text.remove_prefix(2);
            } else if (!text.empty() && !append_field(&text, depth, &out)) {
                return nullptr;
            }
        }
        return out.to_str();
    }

private:
    static PyObject* refuse(const char* message) {
        PyErr_SetString(PyExc_ValueError, message);
        return nullptr;
    }

    bool append_field(std::string_view* text, int depth, TextBuffer* out) {
        if (text->front() == '}' || text->size() == 1) {
            refuse(text->front() == '}' ? "Single '}' encountered in format string"
                                        : "Single '{' encountered in format string");
            return false;
        }
        text->remove_prefix(1);
        const std::string_view name = take_name(text);
        char conversion = '\0';
        if (text->starts_with('!') && !take_conversion(text, &conversion)) {
            return false;
        }
        std::string_view spec;
        if (text->starts_with(':') && !take_spec(text, &spec)) {
            return false;
        }
        if (!text->starts_with('}')) {
            refuse("expected '}' before end of string");
            return false;
        }
        text->remove_prefix(1);
        const object::Own value(converted(object::Own(argument(name)), conversion));
        const bool has_fields = spec.find_first_of("{}") != std::string_view::npos;
        const object::Own inner(!value       ? nullptr
                                : has_fields ? format(spec, depth - 1)
                                             : new_text(spec));
        const object::Own shown(inner ? PyObject_Format(value.get(), inner.get()) : nullptr);
        if (shown) {
            out->append(text_in(shown.get()));
        }
        return static_cast<bool>(shown);
    }

    // Up to what ends it, which may stand in brackets.
    static std::string_view take_name(std::string_view* text) {
        size_t end = 0;
        bool inside = false;
        for (; end < text->size(); ++end) {
            const char c = (*text)[end];
            inside = c == '[' || (inside && c != ']');
            if (!inside && (c == '}' || c == ':' || c == '!' || c == '{')) {
                break;
            }
        }
        const std::string_view name = text->substr(0, end);
        text->remove_prefix(end);
        if (text->starts_with('{')) {
            *text = {};
        }
        return name;
    }

    static bool take_conversion(std::string_view* text, char* conversion) {
        if (text->size() < 3) {
            refuse("unmatched '{' in format spec");
            return false;
        }
        *conversion = (*text)[1];
        text->remove_prefix(2);
        if (!text->starts_with('}') && !text->starts_with(':')) {
            refuse("expected ':' after conversion specifier");
            return false;
        }
        return true;
    }

    static bool take_spec(std::string_view* text, std::string_view* spec) {
        size_t end = 1;
        int depth = 1;
        for (; end < text->size(); ++end) {
            depth += (*text)[end] == '{' ? 1 : (*text)[end] == '}' ? -1 : 0;
            if (depth == 0) {
                break;
            }
        }
        if (depth > 0) {
            refuse("unmatched '{' in format spec");
            return false;
        }
        *spec = text->substr(1, end - 1);
        text->remove_prefix(end);
        return true;
    }

    // What a conversion makes of a value.
    static PyObject* converted(object::Own value, char conversion) {
        if (!value || conversion == '\0') {
            return value.release();
        }
        switch (conversion) {
            case 'r':
                return PyObject_Repr(value.get());
            case 's':
                return PyObject_Str(value.get());
            case 'a':
                return escape_non_ascii(PyObject_Repr(value.get()));
            default:
                return PyErr_Format(PyExc_ValueError, "Unknown conversion specifier %c",
                                    conversion);
        }
    }

    static bool is_number(std::string_view text) {
        return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    }

    // -1 with ValueError.
    static Py_ssize_t number_of(std::string_view digits) {
        Py_ssize_t value = 0;
        for (const char c : digits) {
            if (value > (PY_SSIZE_T_MAX - (c - '0')) / 10) {
                refuse("Too many decimal digits in format string");
                return -1;
            }
            value = value * 10 + (c - '0');
        }
        return value;
    }

    // Fields without a number are numbered, all of them or none. False with ValueError.
    bool number_field(bool automatic, Py_ssize_t* index) {
        if (numbering_ == Numbering::kNone) {
            numbering_ = automatic ? Numbering::kAutomatic : Numbering::kManual;
        }
        if (automatic != (numbering_ == Numbering::kAutomatic)) {
            refuse(automatic ? "cannot switch from manual field specification to automatic field "
                               "numbering"
                             : "cannot switch from automatic field numbering to manual field "
                               "specification");
            return false;
        }
        if (automatic) {
            *index = next_++;
        }
        return true;
    }

    PyObject* first_of(std::string_view name) {
        if (!name.empty() && !is_number(name)) {
            const object::Own key(new_text(name));
            if (!key) {
                return nullptr;
            }
            PyObject* value = kwargs_ == nullptr ? nullptr : PyObject_GetItem(kwargs_, key.get());
            if (kwargs_ == nullptr) {
                PyErr_SetObject(PyExc_KeyError, key.get());
            }
            return value;
        }
        Py_ssize_t index = name.empty() ? 0 : number_of(name);
        if (index < 0 || !number_field(name.empty(), &index)) {
            return nullptr;
        }
        if (args_ == nullptr) {
            return refuse("Format string contains positional fields");
        }
        if (index >= PyTuple_GET_SIZE(args_)) {
            return PyErr_Format(PyExc_IndexError,
                                "Replacement index %zd out of range for positional args tuple",
                                index);
        }
        return Py_NewRef(PyTuple_GET_ITEM(args_, index));
    }

    // The argument that a field names, then its attributes and items. New reference.
    PyObject* argument(std::string_view name) {
        const size_t end = std::min(name.find_first_of(".["), name.size());
        object::Own value(first_of(name.substr(0, end)));
        std::string_view rest = name.substr(end);
        while (value && !rest.empty()) {
            const bool is_attribute = rest.front() == '.';
            if (!is_attribute && rest.front() != '[') {
                return refuse("Only '.' or '[' may follow ']' in format field specifier");
            }
            rest.remove_prefix(1);
            const size_t stop = is_attribute ? rest.find_first_of(".[") : rest.find(']');
            if (!is_attribute && stop == std::string_view::npos) {
                return refuse("Missing ']' in format string");
            }
            const std::string_view part = rest.substr(0, stop);
            if (part.empty()) {
                return refuse("Empty attribute in format string");
            }
            rest.remove_prefix(std::min(part.size() + (is_attribute ? 0 : 1), rest.size()));
            value = object::Own(part_of(value.get(), part, is_attribute));
        }
        return value.release();
    }

    static PyObject* part_of(PyObject* op, std::string_view part, bool is_attribute) {
        if (!is_attribute && is_number(part)) {
            const Py_ssize_t index = number_of(part);
            const object::Own key(index < 0 ? nullptr : PyLong_FromSsize_t(index));
            return key ? PyObject_GetItem(op, key.get()) : nullptr;
        }
        const object::Own key(new_text(part));
        return !key           ? nullptr
               : is_attribute ? PyObject_GetAttr(op, key.get())
                              : PyObject_GetItem(op, key.get());
    }

    enum class Numbering { kNone, kAutomatic, kManual };

    PyObject* const args_;
    PyObject* const kwargs_;
    Numbering numbering_ = Numbering::kNone;
    Py_ssize_t next_ = 0;
};

constexpr int kDepth = 1;  // fields inside specifications, and none inside theirs

}  // namespace

PyObject* unicode_format_fields(PyObject* op, PyObject* args, PyObject* kwargs) {
    return Fields(args, kwargs).format(text_in(op), kDepth);
}

PyObject* unicode_format_map(PyObject* op, PyObject* mapping) {
    return Fields(nullptr, mapping).format(text_in(op), kDepth);
}

}  // namespace ouro::text
