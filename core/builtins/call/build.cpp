// From C values to objects.
#include "core/builtins/call/build.hpp"

#include <string>

#include "core/builtins/call/convert.hpp"
#include "core/object/saved_error.hpp"

using namespace ouro;

namespace {

bool fail(const char* message) {
    PyErr_SetString(PyExc_SystemError, message);
    return false;
}

bool is_separator(char c) {
    return c == ' ' || c == '\t' || c == ',' || c == ':';
}

class Builder {
public:
    Builder(const char* format, std::va_list from) : format_(format) { va_copy(values_, from); }
    ~Builder() { va_end(values_); }
    Builder(const Builder&) = delete;
    Builder& operator=(const Builder&) = delete;

    // The number of values up to `end`; -1 with SystemError.
    Py_ssize_t count(char end) const {
        Py_ssize_t found = 0;
        int level = 0;
        for (const char* at = format_; level > 0 || *at != end; ++at) {
            switch (*at) {
                case '\0':
                    fail("unmatched paren in format");
                    return -1;
                case '(':
                case '[':
                case '{':
                    found += level == 0;
                    ++level;
                    break;
                case ')':
                case ']':
                case '}':
                    --level;
                    break;
                case '#':
                case '&':
                case ',':
                case ':':
                case ' ':
                case '\t':
                    break;
                default:
                    found += level == 0;
            }
        }
        return found;
    }

    // Hands each of `size` values to take(i, value), which steals it and returns whether to go on.
    // All are made even where one failed, or `wanted` is false because of an exception: those that N
    // hands over must be dropped. False with an exception.
    template <class Take>
    bool values(Py_ssize_t size, char end, bool wanted, Take take) {
        for (Py_ssize_t i = 0; i < size; ++i) {
            if (wanted) {
                PyObject* made = value();
                wanted = made != nullptr && take(i, made);
            } else {
                const object::SavedError saved;
                Py_XDECREF(value());
            }
        }
        return finish(end) && wanted;
    }

    PyObject* value() {
        while (is_separator(*format_)) {
            ++format_;
        }
        switch (const char unit = *format_++) {
            case '(':
                return tuple(')', count(')'));
            case '[':
                return list();
            case '{':
                return dict();
            case 'b':
            case 'B':
            case 'h':
            case 'i':
                return PyLong_FromLong(next<int>());
            case 'H':
            case 'I':
                return call::from_unsigned(next<unsigned>());
            case 'n':
                return PyLong_FromSsize_t(next<Py_ssize_t>());
            case 'l':
                return PyLong_FromLong(next<long>());
            case 'k':
                return call::from_unsigned(next<unsigned long>());
            case 'L':
                return call::from_long_long(next<long long>());
            case 'K':
                return call::from_unsigned(next<unsigned long long>());
            case 'f':
            case 'd':
                return PyFloat_FromDouble(next<double>());
            case 'D':
                return PyComplex_FromCComplex(*next<const Py_complex*>());
            case 'C':
                return call::from_code_point(next<int>());
            case 'c': {
                const char byte = static_cast<char>(next<int>());
                return PyBytes_FromStringAndSize(&byte, 1);
            }
            case 's':
            case 'z':
            case 'U':
                return text(PyUnicode_FromStringAndSize);
            case 'u':
                return text(PyUnicode_FromWideChar);
            case 'y':
                return text(PyBytes_FromStringAndSize);
            case 'O':
            case 'S':
            case 'N':
                return object(unit == 'N');
            default:
                fail("bad format char passed to Py_BuildValue");
                return nullptr;
        }
    }

    PyObject* tuple(char end, Py_ssize_t size) {
        if (size < 0) {
            return nullptr;
        }
        PyObject* op = PyTuple_New(size);
        const bool ok = values(size, end, op != nullptr, [op](Py_ssize_t i, PyObject* item) {
            PyTuple_SET_ITEM(op, i, item);
            return true;
        });
        return result(op, ok);
    }

private:
    template <class T>
    T next() {
        return va_arg(values_, T);
    }

    bool take_mark(char mark) {
        if (*format_ != mark) {
            return false;
        }
        ++format_;
        return true;
    }

    static PyObject* result(PyObject* op, bool ok) {
        if (!ok) {
            Py_CLEAR(op);
        }
        return op;
    }

    // Not even a separator before the end.
    bool finish(char end) {
        if (*format_ != end) {
            return fail("Unmatched paren in format");
        }
        if (end != '\0') {
            ++format_;
        }
        return true;
    }

    PyObject* list() {
        const Py_ssize_t size = count(']');
        if (size < 0) {
            return nullptr;
        }
        PyObject* op = PyList_New(size);
        const bool ok = values(size, ']', op != nullptr, [op](Py_ssize_t i, PyObject* item) {
            PyList_SET_ITEM(op, i, item);
            return true;
        });
        return result(op, ok);
    }

    PyObject* dict() {
        const Py_ssize_t size = count('}');
        if (size < 0) {
            return nullptr;
        }
        PyObject* op = nullptr;
        if (size % 2 != 0) {
            fail("Bad dict format");
        } else {
            op = PyDict_New();
        }
        PyObject* key = nullptr;
        const bool ok = values(size, '}', op != nullptr, [&](Py_ssize_t i, PyObject* item) {
            if (i % 2 == 0) {
                key = item;
                return true;
            }
            const bool stored = PyDict_SetItem(op, key, item) == 0;
            Py_CLEAR(key);
            Py_DECREF(item);
            return stored;
        });
        Py_XDECREF(key);
        return result(op, ok);
    }

    // By the function that makes it of its bytes, or wide characters.
    template <class Char>
    PyObject* text(PyObject* (*make)(const Char*, Py_ssize_t)) {
        const bool has_size = take_mark('#');
        const Char* chars = next<const Char*>();
        Py_ssize_t size = has_size ? next<Py_ssize_t>() : -1;
        if (chars == nullptr) {
            return Py_NewRef(Py_None);
        }
        if (size < 0) {
            size = static_cast<Py_ssize_t>(std::char_traits<Char>::length(chars));
        }
        return make(chars, size);
    }

    PyObject* object(bool steals) {
        if (take_mark('&')) {
            using Converter = PyObject* (*)(void*);
            const auto converter = next<Converter>();
            return converter(next<void*>());
        }
        PyObject* op = next<PyObject*>();
        if (op == nullptr) {
            // A call that should have made the object failed, and says why; or the caller is wrong.
            if (PyErr_Occurred() == nullptr) {
                fail("NULL object passed to Py_BuildValue");
            }
            return nullptr;
        }
        return steals ? op : Py_NewRef(op);
    }

    const char* format_;
    std::va_list values_;
};

}  // namespace

call::Values::~Values() {
    for (Py_ssize_t i = 0; i < count_; ++i) {
        Py_DECREF(items_[i]);
    }
    if (items_ != few_.data()) {
        PyMem_Free(items_);
    }
}

bool call::Values::build(const char* format, std::va_list from) {
    Builder builder(format, from);
    const Py_ssize_t count = builder.count('\0');
    if (count < 0) {
        return false;
    }
    bool has_room = true;
    if (static_cast<size_t>(count) > few_.size()) {
        items_ = PyMem_New(PyObject*, static_cast<size_t>(count));
        if (items_ == nullptr) {
            items_ = few_.data();
            has_room = false;
            PyErr_NoMemory();
        }
    }
    return builder.values(count, '\0', has_room, [this](Py_ssize_t, PyObject* item) {
        items_[count_++] = item;
        return true;
    });
}

PyObject* Py_VaBuildValue(const char* format, va_list values) {
    Builder builder(format, values);
    const Py_ssize_t count = builder.count('\0');
    if (count < 0) {
        return nullptr;
    }
    if (count == 0) {
        return Py_NewRef(Py_None);
    }
    return count == 1 ? builder.value() : builder.tuple('\0', count);
}

PyObject* Py_BuildValue(const char* format, ...) {
    std::va_list values;
    va_start(values, format);
    PyObject* result = Py_VaBuildValue(format, values);
    va_end(values);
    return result;
}

PyObject* call::call_with(PyObject* callable, const Values& values) {
    if (values.count() == 1 && PyTuple_Check(values.items()[0])) {
        PyObject* tuple = values.items()[0];
        return PyObject_Vectorcall(callable, reinterpret_cast<PyTupleObject*>(tuple)->ob_item,
                                   static_cast<size_t>(PyTuple_GET_SIZE(tuple)), nullptr);
    }
    return PyObject_Vectorcall(callable, values.items(), static_cast<size_t>(values.count()),
                               nullptr);
}

PyObject* PyObject_CallFunction(PyObject* callable, const char* format, ...) {
    if (callable == nullptr) {
        if (PyErr_Occurred() == nullptr) {
            fail("null argument to internal routine");
        }
        return nullptr;
    }
    if (format == nullptr || *format == '\0') {
        return PyObject_CallNoArgs(callable);
    }
    std::va_list list;
    va_start(list, format);
    call::Values values;
    const bool built = values.build(format, list);
    va_end(list);
    if (!built) {
        return nullptr;
    }
    return call::call_with(callable, values);
}
