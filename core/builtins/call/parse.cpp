// From a tuple, or from one object, to C values.
#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/call/units.hpp"

using namespace ouro::call;

namespace {

// What can be told from a format before any argument is looked at.
struct Shape {
    int least = -1;
    int most = 0;
    Names names{nullptr, nullptr};
};

// A format whose parentheses do not match is a fatal error, as in CPython.
Shape read_shape(const char* format) {
    Shape shape;
    int level = 0;
    for (; *format != '\0'; ++format) {
        const char c = *format;
        if (c == ':') {
            shape.names.function = format + 1;
            break;
        }
        if (c == ';') {
            shape.names.message = format + 1;
            break;
        }
        if (c == '(') {
            shape.most += level == 0;
            if (++level >= kDeepest) {
                Py_FatalError("too many tuple nesting levels in argument format string");
            }
        } else if (c == ')') {
            if (level == 0) {
                Py_FatalError("excess ')' in getargs format");
            }
            --level;
        } else if (level == 0 && c == '|') {
            shape.least = shape.most;
        } else if (level == 0 && is_letter(c) && c != 'e') {
            ++shape.most;  // e is but the first half of a unit
        }
    }
    if (level != 0) {
        Py_FatalError("missing ')' in getargs format");
    }
    if (shape.least < 0) {
        shape.least = shape.most;
    }
    return shape;
}

void refuse_count(const Shape& shape, Py_ssize_t given) {
    if (shape.names.message != nullptr) {
        PyErr_SetString(PyExc_TypeError, shape.names.message);
        return;
    }
    const bool few = given < shape.least;
    const int limit = few ? shape.least : shape.most;
    PyErr_Format(PyExc_TypeError, "%.150s%s takes %s %d argument%s (%zd given)",
                 shape.names.subject(), shape.names.parentheses(),
                 shape.least == shape.most ? "exactly"
                 : few                     ? "at least"
                                           : "at most",
                 limit, limit == 1 ? "" : "s", given);
}

int parse_tuple(PyObject* args, const char* format, std::va_list targets) {
    if (!PyTuple_Check(args)) {
        PyErr_SetString(PyExc_SystemError, "new style getargs format but argument is not a tuple");
        return 0;
    }
    const Shape shape = read_shape(format);
    const Py_ssize_t given = PyTuple_GET_SIZE(args);
    if (given < shape.least || given > shape.most) {
        refuse_count(shape, given);
        return 0;
    }
    Units units(format, targets);
    Complaint complaint;
    for (Py_ssize_t i = 0; i < given; ++i) {
        if (*units.format == '|') {
            ++units.format;
        }
        if (!convert(units, PyTuple_GET_ITEM(args, i), complaint)) {
            raise(complaint, i + 1, shape.names);
            return 0;
        }
    }
    const char rest = *units.format;
    if (!is_end(rest) && !is_letter(rest) && rest != '(' && rest != '|') {
        PyErr_Format(PyExc_SystemError, "bad format string: %.200s", format);
        return 0;
    }
    units.cleanups.keep();
    return 1;
}

int parse_one(PyObject* arg, const char* format, std::va_list targets) {
    const Shape shape = read_shape(format);
    const auto refuse = [&](const char* takes) {
        PyErr_Format(PyExc_TypeError, "%.200s%s takes %s", shape.names.subject(),
                     shape.names.parentheses(), takes);
        return 0;
    };
    if (shape.most == 0) {
        return arg == nullptr ? 1 : refuse("no arguments");
    }
    if (shape.least != 1 || shape.most != 1) {
        PyErr_SetString(PyExc_SystemError, "old style getargs format uses new features");
        return 0;
    }
    if (arg == nullptr) {
        return refuse("at least one argument");
    }
    Units units(format, targets);
    Complaint complaint;
    if (!convert(units, arg, complaint)) {
        raise_for_one(complaint, shape.names);
        return 0;
    }
    units.cleanups.keep();
    return 1;
}

}  // namespace

int PyArg_ParseTuple(PyObject* args, const char* format, ...) {
    std::va_list targets;
    va_start(targets, format);
    const int result = parse_tuple(args, format, targets);
    va_end(targets);
    return result;
}

int PyArg_VaParse(PyObject* args, const char* format, va_list targets) {
    return parse_tuple(args, format, targets);
}

int PyArg_Parse(PyObject* arg, const char* format, ...) {
    std::va_list targets;
    va_start(targets, format);
    const int result = parse_one(arg, format, targets);
    va_end(targets);
    return result;
}

int PyArg_UnpackTuple(PyObject* args, const char* name, Py_ssize_t min, Py_ssize_t max, ...) {
    if (!PyTuple_Check(args)) {
        PyErr_SetString(PyExc_SystemError, "PyArg_UnpackTuple() argument list is not a tuple");
        return 0;
    }
    const Py_ssize_t given = PyTuple_GET_SIZE(args);
    if (!ouro::call::check_count(name, given, min, max)) {
        return 0;
    }
    std::va_list targets;
    va_start(targets, max);
    for (Py_ssize_t i = 0; i < given; ++i) {
        *va_arg(targets, PyObject**) = PyTuple_GET_ITEM(args, i);
    }
    va_end(targets);
    return 1;
}
