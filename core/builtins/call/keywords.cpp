// From a tuple and a dict to C values: parameters have names.
#include <algorithm>
#include <climits>
#include <cstring>

#include "core/builtins/call/units.hpp"

using namespace ouro::call;

namespace {

// A new reference becomes a borrowed one, which the dict keeps. nullptr: missing, or an exception.
PyObject* look_up(PyObject* kwargs, const char* name) {
    PyObject* value;
    PyDict_GetItemStringRef(kwargs, name, &value);
    Py_XDECREF(value);
    return value;
}

Names names_of(const char* format) {
    const char* function = std::strchr(format, ':');
    const char* message = function == nullptr ? std::strchr(format, ';') : nullptr;
    return {function == nullptr ? nullptr : function + 1,
            message == nullptr ? nullptr : message + 1};
}

// Goes through parameters and format at once, in CPython's order: which of several mistakes is reported
// is part of the behaviour.
class Parser {
public:
    Parser(PyObject* args, PyObject* kwargs, const char* format, const char* const* parameters,
           std::va_list targets)
        : args_(args), kwargs_(kwargs), parameters_(parameters), names_(names_of(format)),
          units_(format, targets), positional_(PyTuple_GET_SIZE(args)),
          unused_(kwargs == nullptr ? 0 : PyDict_Size(kwargs)) {}

    bool parse() {
        const bool ok = count_parameters() && check_count() && convert_all();
        if (ok) {
            units_.cleanups.keep();
        }
        return ok;
    }

private:
    enum class Step { kGoOn, kStop, kFail };

    template <class... Values>
    bool fail(PyObject* type, const char* format, Values... values) {
        PyErr_Format(type, format, values...);
        return false;
    }
    // TypeError about the function: "f() takes ...".
    template <class... Values>
    bool refuse(const char* format, Values... values) {
        return fail(PyExc_TypeError, format, names_.subject(), names_.parentheses(), values...);
    }

    bool count_parameters() {
        while (parameters_[unnamed_] != nullptr && *parameters_[unnamed_] == '\0') {
            ++unnamed_;
        }
        for (count_ = unnamed_; parameters_[count_] != nullptr; ++count_) {
            if (*parameters_[count_] == '\0') {
                return fail(PyExc_SystemError, "%s", "Empty keyword parameter name");
            }
        }
        return true;
    }

    bool check_count() {
        if (positional_ + unused_ <= count_) {
            return true;
        }
        return refuse("%.200s%s takes at most %d %sargument%s (%zd given)", count_,
                      positional_ == 0 ? "keyword " : "", count_ == 1 ? "" : "s",
                      positional_ + unused_);
    }

    bool convert_all() {
        int i = 0;
        for (; i < count_; ++i) {
            const Step step = read_marks(i);
            if (step == Step::kFail) {
                return false;
            }
            if (step == Step::kStop) {
                break;
            }
            if (is_end(*units_.format)) {
                return fail(PyExc_SystemError,
                            "More keyword list entries (%d) than format specifiers (%d)", count_,
                            i);
            }
            if (!lacks_positional_) {
                PyObject* arg = argument(i);
                if (arg != nullptr) {
                    if (!convert(units_, arg, complaint_)) {
                        raise(complaint_, i + 1, names_);
                        return false;
                    }
                    continue;
                }
                if (PyErr_Occurred() != nullptr || (i < required_ && !note_missing(i))) {
                    return false;
                }
                // All that was given is used: the rest of the format does not matter.
                if (unused_ == 0 && !lacks_positional_) {
                    return true;
                }
            }
            if (const char* why = skip(units_)) {
                return fail(PyExc_SystemError, "%s: '%s'", why, units_.format);
            }
        }
        if (lacks_positional_) {
            const int least = std::min(unnamed_, required_);
            return refuse("%.200s%s takes %s %d positional argument%s (%zd given)",
                          least < i ? "at least" : "exactly", least, least == 1 ? "" : "s",
                          positional_);
        }
        const char rest = *units_.format;
        if (!is_end(rest) && rest != '|' && rest != '$') {
            return fail(PyExc_SystemError,
                        "more argument specifiers than keyword list entries "
                        "(remaining format:'%s')",
                        units_.format);
        }
        return unused_ == 0 || refuse_keywords();
    }

    // '|' and '$' before parameter i.
    Step read_marks(int i) {
        if (*units_.format == '|') {
            if (required_ != INT_MAX) {
                fail(PyExc_SystemError, "%s", "Invalid format string (| specified twice)");
                return Step::kFail;
            }
            required_ = i;
            ++units_.format;
            if (by_position_ != INT_MAX) {
                fail(PyExc_SystemError, "%s", "Invalid format string ($ before |)");
                return Step::kFail;
            }
        }
        if (*units_.format != '$') {
            return Step::kGoOn;
        }
        if (by_position_ != INT_MAX) {
            fail(PyExc_SystemError, "%s", "Invalid format string ($ specified twice)");
            return Step::kFail;
        }
        by_position_ = i;
        ++units_.format;
        if (by_position_ < unnamed_) {
            fail(PyExc_SystemError, "%s", "Empty parameter name after $");
            return Step::kFail;
        }
        if (lacks_positional_) {
            return Step::kStop;  // least and most are known now
        }
        if (positional_ <= by_position_) {
            return Step::kGoOn;
        }
        if (by_position_ == 0) {
            refuse("%.200s%s takes no positional arguments");
        } else {
            refuse("%.200s%s takes %s %d positional argument%s (%zd given)",
                   required_ != INT_MAX ? "at most" : "exactly", by_position_,
                   by_position_ == 1 ? "" : "s", positional_);
        }
        return Step::kFail;
    }

    // Borrowed; nullptr if there is none, or with an exception.
    PyObject* argument(int i) {
        if (i < positional_) {
            return PyTuple_GET_ITEM(args_, i);
        }
        if (unused_ == 0 || i < unnamed_) {
            return nullptr;
        }
        PyObject* arg = look_up(kwargs_, parameters_[i]);
        unused_ -= arg != nullptr;
        return arg;
    }

    // A required parameter has no argument. Of one without a name the format's marks, which come later,
    // tell how many there should be.
    bool note_missing(int i) {
        if (i < unnamed_) {
            lacks_positional_ = true;
            return true;
        }
        return refuse("%.200s%s missing required argument '%s' (pos %d)", parameters_[i], i + 1);
    }

    // Keyword arguments are left over: says which.
    bool refuse_keywords() {
        for (int i = unnamed_; i < positional_; ++i) {
            if (look_up(kwargs_, parameters_[i]) != nullptr) {
                return fail(PyExc_TypeError,
                            "argument for %.200s%s given by name ('%s') and position (%d)",
                            names_.subject(), names_.parentheses(), parameters_[i], i + 1);
            }
            if (PyErr_Occurred() != nullptr) {
                return false;
            }
        }
        Py_ssize_t position = 0;
        PyObject* key;
        while (PyDict_Next(kwargs_, &position, &key, nullptr) != 0) {
            if (!PyUnicode_Check(key)) {
                return fail(PyExc_TypeError, "%s", "keywords must be strings");
            }
            const char* text = PyUnicode_AsUTF8(key);
            if (text == nullptr) {
                return false;
            }
            if (!is_parameter(text)) {
                return fail(PyExc_TypeError, "%.200s%s got an unexpected keyword argument '%s'",
                            names_.subject("this function"), names_.parentheses(), text);
            }
        }
        return fail(PyExc_TypeError, "invalid keyword argument for %.200s%s",
                    names_.subject("this function"), names_.parentheses());
    }

    bool is_parameter(const char* text) const {
        return std::any_of(parameters_ + unnamed_, parameters_ + count_,
                           [text](const char* name) { return std::strcmp(name, text) == 0; });
    }

    PyObject* const args_;
    PyObject* const kwargs_;
    const char* const* const parameters_;
    const Names names_;
    Units units_;
    Complaint complaint_;
    const Py_ssize_t positional_;  // arguments
    Py_ssize_t unused_;            // keyword arguments
    int count_ = 0;                // parameters
    int unnamed_ = 0;              // so many at the front
    int required_ = INT_MAX;       // so many at the front, once '|' is read
    int by_position_ = INT_MAX;    // so many at the front, once '$' is read
    bool lacks_positional_ = false;
};

int parse(PyObject* args, PyObject* kwargs, const char* format, const char* const* parameters,
          std::va_list targets) {
    if (args == nullptr || !PyTuple_Check(args) || (kwargs != nullptr && !PyDict_Check(kwargs)) ||
        format == nullptr || parameters == nullptr) {
        PyErr_BadInternalCall();
        return 0;
    }
    return Parser(args, kwargs, format, parameters, targets).parse();
}

}  // namespace

int PyArg_ParseTupleAndKeywords(PyObject* args, PyObject* kwargs, const char* format,
                                const char* const* names, ...) {
    std::va_list targets;
    va_start(targets, names);
    const int result = parse(args, kwargs, format, names, targets);
    va_end(targets);
    return result;
}

int PyArg_VaParseTupleAndKeywords(PyObject* args, PyObject* kwargs, const char* format,
                                  const char* const* names, va_list targets) {
    return parse(args, kwargs, format, names, targets);
}

int PyArg_ValidateKeywordArguments(PyObject* kwargs) {
    if (!PyDict_Check(kwargs)) {
        PyErr_BadInternalCall();
        return 0;
    }
    Py_ssize_t position = 0;
    PyObject* key;
    while (PyDict_Next(kwargs, &position, &key, nullptr) != 0) {
        if (!PyUnicode_Check(key)) {
            PyErr_SetString(PyExc_TypeError, "keywords must be strings");
            return 0;
        }
    }
    return 1;
}
