// str: searching, splitting and joining as methods, and the table of all methods.
#include "core/builtins/text/unicode_methods.hpp"

#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/text/format_spec.hpp"
#include "core/builtins/text/unicode.hpp"
#include "core/builtins/text/unicode_case.hpp"
#include "core/builtins/text/unicode_tables.hpp"

using namespace ouro;
using text::unicode;

namespace {

PyObject* join(PyObject* op, PyObject* iterable) {
    return PyUnicode_Join(op, iterable);
}

template <PyObject* (*cut)(PyObject*, PyObject*, Py_ssize_t)>
PyObject* split(const char* name, PyObject* op, PyObject* args, PyObject* kwargs) {
    PyObject* given[2] = {Py_None, nullptr};
    Py_ssize_t most = -1;
    if (!call::take_arguments(name, {"sep", "maxsplit"}, args, kwargs, given) ||
        (given[1] != nullptr && !call::take_ssize(given[1], &most))) {
        return nullptr;
    }
    if (given[0] != Py_None && !PyUnicode_Check(given[0])) {
        return PyErr_Format(PyExc_TypeError, "must be str or None, not %.100s",
                            Py_TYPE(given[0])->tp_name);
    }
    return cut(op, given[0] == Py_None ? nullptr : given[0], most);
}

PyObject* split_lines(PyObject* op, PyObject* args, PyObject* kwargs) {
    PyObject* keep = nullptr;
    Py_ssize_t keep_ends = 0;
    if (!call::take_arguments("splitlines", {"keepends"}, args, kwargs, &keep) ||
        (keep != nullptr && !call::take_ssize(keep, &keep_ends))) {
        return nullptr;
    }
    return PyUnicode_Splitlines(op, keep_ends != 0);
}

PyObject* encode(PyObject* op, PyObject* args, PyObject* kwargs) {
    PyObject* given[2] = {};
    const char *encoding, *errors;
    if (!call::take_arguments("encode", {"encoding", "errors"}, args, kwargs, given) ||
        !call::take_text("encode", "encoding", given[0], &encoding) ||
        !call::take_text("encode", "errors", given[1], &errors)) {
        return nullptr;
    }
    return PyUnicode_AsEncodedString(op, encoding, errors);
}

PyObject* replace(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    if (!call::check_count("replace", nargs, 2, 3)) {
        return nullptr;
    }
    for (Py_ssize_t i = 0; i < 2; ++i) {
        if (!PyUnicode_Check(args[i])) {
            return PyErr_Format(PyExc_TypeError, "replace() argument %zd must be str, not %.50s",
                                i + 1, args[i] == Py_None ? "None" : Py_TYPE(args[i])->tp_name);
        }
    }
    Py_ssize_t most = -1;
    if (nargs > 2 && !call::take_ssize(args[2], &most)) {
        return nullptr;
    }
    return PyUnicode_Replace(op, args[0], args[1], most);
}

// -2 with an exception.
Py_ssize_t search(const char* name, int direction, PyObject* op, PyObject* const* args,
                  Py_ssize_t nargs) {
    Py_ssize_t start, end;
    if (!text::take_search(name, args, nargs, &start, &end)) {
        return -2;
    }
    return PyUnicode_Find(op, args[0], start, end, direction);
}

PyObject* find(const char* name, int direction, PyObject* op, PyObject* const* args,
               Py_ssize_t nargs) {
    const Py_ssize_t place = search(name, direction, op, args, nargs);
    return place == -2 ? nullptr : PyLong_FromSsize_t(place);
}

PyObject* index(const char* name, int direction, PyObject* op, PyObject* const* args,
                Py_ssize_t nargs) {
    const Py_ssize_t place = search(name, direction, op, args, nargs);
    if (place == -1) {
        PyErr_SetString(PyExc_ValueError, "substring not found");
    }
    return place < 0 ? nullptr : PyLong_FromSsize_t(place);
}

PyObject* count(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    Py_ssize_t start, end;
    if (!text::take_search("count", args, nargs, &start, &end)) {
        return nullptr;
    }
    const Py_ssize_t found = PyUnicode_Count(op, args[0], start, end);
    return found < 0 ? nullptr : PyLong_FromSsize_t(found);
}

// startswith and endswith, of a str or a tuple of them.
PyObject* matches(const char* name, int direction, PyObject* op, PyObject* const* args,
                  Py_ssize_t nargs) {
    Py_ssize_t start, end;
    if (!text::take_search(name, args, nargs, &start, &end)) {
        return nullptr;
    }
    PyObject* parts = args[0];
    if (!PyTuple_Check(parts)) {
        if (!PyUnicode_Check(parts)) {
            return PyErr_Format(PyExc_TypeError,
                                "%s first arg must be str or a tuple of str, not %.100s", name,
                                Py_TYPE(parts)->tp_name);
        }
        return PyBool_FromLong(PyUnicode_Tailmatch(op, parts, start, end, direction) > 0);
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(parts); ++i) {
        PyObject* part = PyTuple_GET_ITEM(parts, i);
        if (!PyUnicode_Check(part)) {
            return PyErr_Format(PyExc_TypeError, "tuple for %s must only contain str, not %.100s",
                                name, Py_TYPE(part)->tp_name);
        }
        if (PyUnicode_Tailmatch(op, part, start, end, direction) > 0) {
            return Py_NewRef(Py_True);
        }
    }
    return Py_NewRef(Py_False);
}

// Whether all code points are of a class; of no text as `empty` says.
template <bool (*belongs)(char32_t), bool empty = false>
PyObject* all(PyObject* op, PyObject*) {
    const char* p = text::text_in(op).data();
    const char* const end = p + unicode(op)->size;
    bool good = empty || p < end;
    while (good && p < end) {
        good = belongs(text::utf8::next(&p));
    }
    return PyBool_FromLong(good);
}

bool is_alphanumeric(char32_t c) {
    return text::is_alpha(c) || text::is_numeric(c);
}

PyObject* all_ascii(PyObject* op, PyObject*) {
    return PyBool_FromLong(text::is_ascii(op));
}

PyObject* is_identifier(PyObject* op, PyObject*) {
    return PyBool_FromLong(PyUnicode_IsIdentifier(op));
}

// A method that is called by its name and a direction: 1 is forwards, and the end of a text.
using Search = PyObject* (*)(const char*, int, PyObject*, PyObject* const*, Py_ssize_t);
template <Search search, const char* name, int direction>
PyObject* bound(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
    return search(name, direction, op, args, nargs);
}

constexpr char kFind[] = "find";
constexpr char kRfind[] = "rfind";
constexpr char kIndex[] = "index";
constexpr char kRindex[] = "rindex";
constexpr char kStartswith[] = "startswith";
constexpr char kEndswith[] = "endswith";

PyObject* split_from_start(PyObject* op, PyObject* args, PyObject* kwargs) {
    return split<PyUnicode_Split>("split", op, args, kwargs);
}

PyObject* split_from_end(PyObject* op, PyObject* args, PyObject* kwargs) {
    return split<PyUnicode_RSplit>("rsplit", op, args, kwargs);
}

constexpr int kFast = METH_FASTCALL;
constexpr int kNamed = METH_VARARGS | METH_KEYWORDS;

}  // namespace

namespace ouro::text {

bool take_bounds(PyObject* const* args, Py_ssize_t given, Py_ssize_t* start, Py_ssize_t* end) {
    Py_ssize_t* const bounds[] = {start, end};
    for (Py_ssize_t i = 0; i < given; ++i) {
        if (args[i] == Py_None) {
            continue;
        }
        if (PyIndex_Check(args[i]) == 0) {
            PyErr_SetString(PyExc_TypeError,
                            "slice indices must be integers or None or have an __index__ method");
            return false;
        }
        *bounds[i] = PyNumber_AsSsize_t(args[i], nullptr);
        if (*bounds[i] == -1 && PyErr_Occurred() != nullptr) {
            return false;
        }
    }
    return true;
}

bool take_search(const char* method, PyObject* const* args, Py_ssize_t nargs, Py_ssize_t* start,
                 Py_ssize_t* end) {
    if (nargs < 1 || nargs > 3) {
        PyErr_Format(PyExc_TypeError, "%s() takes at %s %s (%zd given)", method,
                     nargs < 1 ? "least" : "most", nargs < 1 ? "1 argument" : "3 arguments", nargs);
        return false;
    }
    *start = 0;
    *end = PY_SSIZE_T_MAX;
    return take_bounds(args + 1, nargs - 1, start, end);
}

PyMethodDef unicode_methods[] = {
    {"encode", _PyCFunction_CAST(encode), kNamed, "The text as bytes in an encoding."},
    {"replace", _PyCFunction_CAST(replace), kFast, "A copy with one text replaced by another."},
    {"split", _PyCFunction_CAST(split_from_start), kNamed, "A list of the parts, cut at a text."},
    {"rsplit", _PyCFunction_CAST(split_from_end), kNamed, "The same, cut from the end."},
    {"join", join, METH_O, "The strs of an iterable with this between them."},
    {"capitalize", unicode_capitalize, METH_NOARGS, "A copy with a capital first."},
    {"casefold", unicode_casefold, METH_NOARGS, "A copy to be compared without regard to case."},
    {"title", unicode_title, METH_NOARGS, "A copy whose words begin with a capital."},
    {"center", _PyCFunction_CAST(unicode_center), kFast, "A copy in the middle of a width."},
    {"count", _PyCFunction_CAST(count), kFast, "How often another text is in this."},
    {"expandtabs", _PyCFunction_CAST(unicode_expandtabs), kNamed, "A copy with spaces for tabs."},
    {kFind, _PyCFunction_CAST((bound<find, kFind, 1>)), kFast, "The first place of a text, or -1."},
    {"partition", unicode_partition, METH_O, "What is before a text, the text, what is behind."},
    {kIndex, _PyCFunction_CAST((bound<index, kIndex, 1>)), kFast, "The first place of a text."},
    {"ljust", _PyCFunction_CAST(unicode_ljust), kFast, "A copy filled up at its end."},
    {"lower", unicode_lower, METH_NOARGS, "A copy in small letters."},
    {"lstrip", _PyCFunction_CAST(unicode_lstrip), kFast, "A copy stripped at its beginning."},
    {kRfind, _PyCFunction_CAST((bound<find, kRfind, -1>)), kFast, "The last place, or -1."},
    {kRindex, _PyCFunction_CAST((bound<index, kRindex, -1>)), kFast, "The last place of a text."},
    {"rjust", _PyCFunction_CAST(unicode_rjust), kFast, "A copy filled up at its beginning."},
    {"rstrip", _PyCFunction_CAST(unicode_rstrip), kFast, "A copy stripped at its end."},
    {"rpartition", unicode_rpartition, METH_O, "As partition, at the last place."},
    {"splitlines", _PyCFunction_CAST(split_lines), kNamed, "A list of the lines."},
    {"strip", _PyCFunction_CAST(unicode_strip), kFast, "A copy stripped at both ends."},
    {"swapcase", unicode_swapcase, METH_NOARGS,
     "A copy with small letters for capitals, and so on."},
    {"translate", unicode_translate, METH_O, "A copy with each code point replaced by a table."},
    {"upper", unicode_upper, METH_NOARGS, "A copy in capitals."},
    {kStartswith, _PyCFunction_CAST((bound<matches, kStartswith, -1>)), kFast,
     "Whether the text begins with another, or one of a tuple."},
    {kEndswith, _PyCFunction_CAST((bound<matches, kEndswith, 1>)), kFast,
     "Whether the text ends with another, or one of a tuple."},
    {"removeprefix", unicode_removeprefix, METH_O, "A copy without another at its beginning."},
    {"removesuffix", unicode_removesuffix, METH_O, "A copy without another at its end."},
    {"isascii", all_ascii, METH_NOARGS, "Whether all is ASCII."},
    {"islower", unicode_islower, METH_NOARGS, "Whether all letters with a case are small."},
    {"isupper", unicode_isupper, METH_NOARGS, "Whether all letters with a case are capitals."},
    {"istitle", unicode_istitle, METH_NOARGS, "Whether all words begin with a capital alone."},
    {"isspace", all<is_space>, METH_NOARGS, "Whether all is white space."},
    {"isdecimal", all<is_decimal>, METH_NOARGS, "Whether all are decimal digits."},
    {"isdigit", all<is_digit>, METH_NOARGS, "Whether all are digits."},
    {"isnumeric", all<is_numeric>, METH_NOARGS, "Whether all are numbers."},
    {"isalpha", all<is_alpha>, METH_NOARGS, "Whether all are letters."},
    {"isalnum", all<is_alphanumeric>, METH_NOARGS, "Whether all are letters or numbers."},
    {"isidentifier", is_identifier, METH_NOARGS, "Whether it is a name of the language."},
    {"isprintable", all<is_printable, true>, METH_NOARGS, "Whether repr shows all as it is."},
    {"zfill", unicode_zfill, METH_O, "A copy with zeros in front, behind a sign."},
    {"format", _PyCFunction_CAST(unicode_format_fields), kNamed,
     "A copy with arguments in the places of its fields."},
    {"format_map", unicode_format_map, METH_O, "The same with arguments from a mapping."},
    {"__format__", unicode_format_as, METH_O, "A copy as a format specification says."},
    {"maketrans", _PyCFunction_CAST(unicode_maketrans), kFast | METH_STATIC,
     "A table for translate."},
    {}};

}  // namespace ouro::text
