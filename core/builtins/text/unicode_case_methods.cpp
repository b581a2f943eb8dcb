// str: methods about upper and lower case.
#include <optional>
#include <utility>

#include "core/builtins/text/text_buffer.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/builtins/text/unicode_case.hpp"
#include "core/builtins/text/unicode_methods.hpp"

using namespace ouro;
using text::Case;
using text::text_in;

namespace {

// A text's code points in either direction.
class Cursor {
public:
    Cursor(std::string_view text, size_t place) : text_(text), place_(place) {}
    bool next(char32_t* c) {
        if (place_ == text_.size()) {
            return false;
        }
        const char* p = text_.data() + place_;
        *c = text::utf8::next(&p);
        place_ = static_cast<size_t>(p - text_.data());
        return true;
    }
    bool previous(char32_t* c) {
        if (place_ == 0) {
            return false;
        }
        do {
            --place_;
        } while (text::utf8::is_continuation(text_[place_]));
        const char* p = text_.data() + place_;
        *c = text::utf8::next(&p);
        return true;
    }
    size_t place() const { return place_; }

private:
    std::string_view text_;
    size_t place_;
};

constexpr char32_t kSigma = 0x3A3;
constexpr char32_t kSmallSigma = 0x3C3;
constexpr char32_t kFinalSigma = 0x3C2;

// Whether a sigma ends a word: a letter comes before it and none after it, but for what is ignored.
bool ends_word(std::string_view text, size_t begin, size_t end) {
    char32_t c = 0;
    Cursor before(text, begin);
    while (before.previous(&c) && text::is_case_ignorable(c)) {
        c = 0;
    }
    if (!text::is_cased(c)) {
        return false;
    }
    c = 0;
    Cursor behind(text, end);
    while (behind.next(&c) && text::is_case_ignorable(c)) {
        c = 0;
    }
    return !text::is_cased(c);
}

void append_in_case(Case which, char32_t c, text::TextBuffer* out) {
    char32_t to[text::kMostInCase];
    const size_t count = text::in_case(which, c, to);
    for (size_t i = 0; i < count; ++i) {
        out->append_code_point(to[i]);
    }
}

// A str of each code point in the case that `choose` says, if it says any.
template <class Choose>
PyObject* recased(PyObject* op, Choose choose) {
    const std::string_view text = text_in(op);
    text::TextBuffer out;
    Cursor cursor(text, 0);
    char32_t c;
    for (size_t begin = 0; cursor.next(&c) && !out.failed(); begin = cursor.place()) {
        const std::optional<Case> which = choose(c);
        if (!which) {
            out.append_code_point(c);
        } else if (which == Case::kLower && c == kSigma) {
            out.append_code_point(ends_word(text, begin, cursor.place()) ? kFinalSigma
                                                                         : kSmallSigma);
        } else {
            append_in_case(*which, c, &out);
        }
    }
    return out.to_str();
}

}  // namespace

namespace ouro::text {

PyObject* unicode_upper(PyObject* op, PyObject*) {
    return recased(op, [](char32_t) { return Case::kUpper; });
}

PyObject* unicode_lower(PyObject* op, PyObject*) {
    return recased(op, [](char32_t) { return Case::kLower; });
}

PyObject* unicode_casefold(PyObject* op, PyObject*) {
    return recased(op, [](char32_t) { return Case::kFold; });
}

PyObject* unicode_swapcase(PyObject* op, PyObject*) {
    return recased(op, [](char32_t c) {
        return is_upper(c)   ? std::optional(Case::kLower)
               : is_lower(c) ? std::optional(Case::kUpper)
                             : std::nullopt;
    });
}

PyObject* unicode_capitalize(PyObject* op, PyObject*) {
    return recased(op, [first = true](char32_t) mutable {
        return std::exchange(first, false) ? Case::kTitle : Case::kLower;
    });
}

PyObject* unicode_title(PyObject* op, PyObject*) {
    return recased(op, [inside = false](char32_t c) mutable {
        return std::exchange(inside, is_cased(c)) ? Case::kLower : Case::kTitle;
    });
}

// There is one of that case at least, and none of another.
PyObject* unicode_isupper(PyObject* op, PyObject*) {
    bool found = false;
    Cursor cursor(text_in(op), 0);
    for (char32_t c; cursor.next(&c);) {
        if (is_lower(c) || is_title(c)) {
            return Py_NewRef(Py_False);
        }
        found = found || is_upper(c);
    }
    return PyBool_FromLong(found);
}

PyObject* unicode_islower(PyObject* op, PyObject*) {
    bool found = false;
    Cursor cursor(text_in(op), 0);
    for (char32_t c; cursor.next(&c);) {
        if (is_upper(c) || is_title(c)) {
            return Py_NewRef(Py_False);
        }
        found = found || is_lower(c);
    }
    return PyBool_FromLong(found);
}

// Words begin with a capital and go on with small letters.
PyObject* unicode_istitle(PyObject* op, PyObject*) {
    bool found = false;
    bool inside = false;
    Cursor cursor(text_in(op), 0);
    for (char32_t c; cursor.next(&c);) {
        const bool is_capital = is_upper(c) || is_title(c);
        if ((is_capital && inside) || (is_lower(c) && !inside)) {
            return Py_NewRef(Py_False);
        }
        inside = is_cased(c);
        found = found || inside;
    }
    return PyBool_FromLong(found);
}

}  // namespace ouro::text
