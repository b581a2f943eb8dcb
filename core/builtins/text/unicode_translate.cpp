// str: code points replaced by what a table says.
#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/container/dict_items.hpp"
#include "core/builtins/text/text_buffer.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/builtins/text/unicode_methods.hpp"

using namespace ouro;
using text::text_in;
using text::unicode;

namespace {

// Appends what a table says of a code point; false with an exception.
bool append_translated(PyObject* table, char32_t c, text::TextBuffer* out) {
    PyObject* key = PyLong_FromLong(static_cast<long>(c));
    PyObject* to = key == nullptr ? nullptr : PyObject_GetItem(table, key);
    Py_XDECREF(key);
    if (to == nullptr) {
        if (PyErr_Occurred() == nullptr || PyErr_ExceptionMatches(PyExc_LookupError) == 0) {
            return false;
        }
        PyErr_Clear();
        out->append_code_point(c);
        return !out->failed();
    }
    bool good = true;
    if (PyUnicode_Check(to)) {
        out->append(text_in(to));
    } else if (PyLong_Check(to)) {
        const long number = PyLong_AsLong(to);
        good = number >= 0 && number <= static_cast<long>(text::utf8::kLast);
        if (good) {
            out->append_code_point(static_cast<char32_t>(number));
        } else {
            PyErr_SetString(PyExc_ValueError, "character mapping must be in range(0x110000)");
        }
    } else if (to != Py_None) {
        PyErr_SetString(PyExc_TypeError, "character mapping must return integer, None or str");
        good = false;
    }
    Py_DECREF(to);
    return good && !out->failed();
}

// Stores table[the number of a code point] = value, which is stolen; false with an exception.
bool map(PyObject* table, char32_t c, PyObject* value) {
    PyObject* key = value == nullptr ? nullptr : PyLong_FromLong(static_cast<long>(c));
    const bool good = key != nullptr && PyDict_SetItem(table, key, value) == 0;
    Py_XDECREF(key);
    Py_XDECREF(value);
    return good;
}

bool map_each(PyObject* table, PyObject* from, PyObject* to) {
    const char* p = text::text_in(from).data();
    const char* q = text::text_in(to).data();
    for (Py_ssize_t i = 0; i < unicode(from)->length; ++i) {
        const char32_t c = text::utf8::next(&p);
        if (!map(table, c, PyLong_FromLong(static_cast<long>(text::utf8::next(&q))))) {
            return false;
        }
    }
    return true;
}

bool map_to_none(PyObject* table, PyObject* which) {
    const char* p = text::text_in(which).data();
    for (Py_ssize_t i = 0; i < unicode(which)->length; ++i) {
        if (!map(table, text::utf8::next(&p), Py_NewRef(Py_None))) {
            return false;
        }
    }
    return true;
}

// The items of a dict, whose keys are numbers or strs of one code point.
bool map_items(PyObject* table, PyObject* dict) {
    if (!PyDict_CheckExact(dict)) {
        PyErr_SetString(PyExc_TypeError,
                        "if you give only one argument to maketrans it must be a dict");
        return false;
    }
    container::DictItems items;
    if (!items.copy(dict)) {
        return false;
    }
    for (const auto& [hash, key, value] : items) {
        if (PyUnicode_Check(key)) {
            if (unicode(key)->length != 1) {
                PyErr_SetString(PyExc_ValueError,
                                "string keys in translate table must be of length 1");
                return false;
            }
            const char* p = text::text_in(key).data();
            if (!map(table, text::utf8::next(&p), Py_NewRef(value))) {
                return false;
            }
        } else if (!PyLong_Check(key)) {
            PyErr_SetString(PyExc_TypeError, "keys in translate table must be strings or integers");
            return false;
        } else if (PyDict_SetItem(table, key, value) < 0) {
            return false;
        }
    }
    return true;
}

bool map_strs(PyObject* table, PyObject* const* args, Py_ssize_t nargs) {
    if (!PyUnicode_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "first maketrans argument must be a string if there is a "
                                         "second argument");
        return false;
    }
    for (Py_ssize_t i = 1; i < nargs; ++i) {
        if (!PyUnicode_Check(args[i])) {
            PyErr_Format(PyExc_TypeError, "maketrans() argument %zd must be str, not %.50s", i + 1,
                         args[i] == Py_None ? "None" : Py_TYPE(args[i])->tp_name);
            return false;
        }
    }
    if (unicode(args[0])->length != unicode(args[1])->length) {
        PyErr_SetString(PyExc_ValueError,
                        "the first two maketrans arguments must have equal length");
        return false;
    }
    return map_each(table, args[0], args[1]) && (nargs < 3 || map_to_none(table, args[2]));
}

}  // namespace

PyObject* PyUnicode_Translate(PyObject* op, PyObject* table, const char*) {
    if (!text::require_str_argument(op)) {
        return nullptr;
    }
    text::TextBuffer out;
    const char* p = text::text_in(op).data();
    const char* const end = p + unicode(op)->size;
    while (p < end) {
        if (!append_translated(table, text::utf8::next(&p), &out)) {
            return out.failed() ? out.to_str() : nullptr;
        }
    }
    return out.to_str();
}

namespace ouro::text {

PyObject* unicode_translate(PyObject* op, PyObject* table) {
    return PyUnicode_Translate(op, table, nullptr);
}

PyObject* unicode_maketrans(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    if (!call::check_count("maketrans", nargs, 1, 3)) {
        return nullptr;
    }
    PyObject* table = PyDict_New();
    if (table != nullptr &&
        !(nargs == 1 ? map_items(table, args[0]) : map_strs(table, args, nargs))) {
        Py_CLEAR(table);
    }
    return table;
}

}  // namespace ouro::text
