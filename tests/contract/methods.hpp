// Calling methods of objects by name, and what they answer as text: for what is proved of built-in types as
// extension code uses them.
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/contract/things.hpp"

namespace ouro::test {

// Steals; "(none)" for nullptr.
inline std::string repr_of(PyObject* op) {
    if (op == nullptr) {
        return "(none)";
    }
    PyObject* text = PyObject_Repr(op);
    Py_DECREF(op);
    const std::string result = text == nullptr ? "(no repr)" : PyUnicode_AsUTF8(text);
    Py_XDECREF(text);
    return result;
}

// What is raised, "Class: message", as str() shows it; clears it.
inline std::string take_raised() {
    PyObject* raised = PyErr_GetRaisedException();
    if (raised == nullptr) {
        return "(nothing raised)";
    }
    PyObject* text = PyObject_Str(raised);
    std::string result = Py_TYPE(raised)->tp_name;
    result += ": ";
    result += text == nullptr ? "(no str)" : PyUnicode_AsUTF8(text);
    Py_XDECREF(text);
    Py_DECREF(raised);
    return result;
}

// A new object of what Python writes so: None, True, False, 'text', b'bytes', 12, 1.5, (a, b), [a, b], {a, b},
// {a: b}, {}, slice(a, b), range(a); without escapes but \n, \t, \\ and \xNN. The rest of the text is *p's.
class Literal {
public:
    explicit Literal(const std::string& text) : p_(text.c_str()) {}
    PyObject* read() {
        PyObject* op = object();
        skip();
        EXPECT_EQ(*p_, '\0') << "what is left of the literal";
        return op;
    }

private:
    void skip() {
        while (*p_ == ' ') {
            ++p_;
        }
    }
    bool take(const char* word) {
        skip();
        const std::string_view expected = word;
        if (std::string_view(p_).starts_with(expected)) {
            p_ += expected.size();
            return true;
        }
        return false;
    }
    std::string quoted() {
        const char quote = *p_++;
        std::string text;
        for (; *p_ != quote; ++p_) {
            if (*p_ != '\\') {
                text += *p_;
            } else if (*++p_ == 'x') {
                text += static_cast<char>(std::stoi(std::string(p_ + 1, 2), nullptr, 16));
                p_ += 2;
            } else {
                text += *p_ == 'n' ? '\n' : *p_ == 't' ? '\t' : *p_ == 'r' ? '\r' : *p_;
            }
        }
        ++p_;
        return text;
    }
    std::vector<PyObject*> items(const char* close) {
        std::vector<PyObject*> all;
        while (!take(close)) {
            all.push_back(object());
            take(",");
        }
        return all;
    }
    PyObject* sequence(const char* close, PyObject* (*make)(PyObject*)) {
        const std::vector<PyObject*> all = items(close);
        PyObject* list = PyList_New(0);
        for (PyObject* item : all) {
            PyList_Append(list, item);
            Py_DECREF(item);
        }
        PyObject* made = make(list);
        Py_DECREF(list);
        return made;
    }
    PyObject* called(PyTypeObject* type) {
        PyObject* args = sequence(")", PySequence_Tuple);
        PyObject* op = PyObject_Call(reinterpret_cast<PyObject*>(type), args, nullptr);
        Py_DECREF(args);
        return op;
    }
    PyObject* braces() {
        if (take("}")) {
            return PyDict_New();
        }
        PyObject* first = object();
        if (!take(":")) {
            PyObject* set = PySet_New(nullptr);
            PySet_Add(set, first);
            Py_DECREF(first);
            take(",");
            for (PyObject* item : items("}")) {
                PySet_Add(set, item);
                Py_DECREF(item);
            }
            return set;
        }
        PyObject* dict = PyDict_New();
        for (PyObject* key = first;; key = object(), take(":")) {
            PyObject* value = object();
            PyDict_SetItem(dict, key, value);
            Py_DECREF(key);
            Py_DECREF(value);
            if (!take(",")) {
                break;
            }
        }
        EXPECT_TRUE(take("}"));
        return dict;
    }
    PyObject* number() {
        const size_t size = std::string_view(p_).find_first_not_of("+-0123456789.einfa");
        const std::string digits(p_, std::min(size, std::string_view(p_).size()));
        p_ += digits.size();
        if (digits.find_first_of(".einfa") == std::string::npos) {
            return PyLong_FromString(digits.c_str(), nullptr, 10);
        }
        return PyFloat_FromDouble(std::strtod(digits.c_str(), nullptr));
    }
    PyObject* object() {
        skip();
        if (take("None")) {
            return Py_NewRef(Py_None);
        }
        if (take("True")) {
            return Py_NewRef(Py_True);
        }
        if (take("False")) {
            return Py_NewRef(Py_False);
        }
        if (take("set()")) {
            return PySet_New(nullptr);
        }
        if (take("frozenset(")) {
            PyObject* items = take(")") ? PySet_New(nullptr) : object();
            take(")");
            PyObject* frozen = PyFrozenSet_New(items);
            Py_DECREF(items);
            return frozen;
        }
        if (take("slice(")) {
            return called(&PySlice_Type);
        }
        if (take("range(")) {
            return called(&PyRange_Type);
        }
        if (*p_ == '\'') {
            const std::string text = quoted();
            return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
        }
        if (take("b")) {
            const std::string bytes = quoted();
            return PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size()));
        }
        if (take("(")) {
            return sequence(")", PySequence_Tuple);
        }
        if (take("[")) {
            return sequence("]", PySequence_List);
        }
        if (take("{")) {
            return braces();
        }
        return number();
    }

    const char* p_;
};

inline PyObject* literal(const std::string& text) {
    return Literal(text).read();
}

// What op.name(*args) gives or raises; `keywords` is a literal of a dict, or "". Arguments are literals.
inline std::string called_with(PyObject* op, const char* name, const std::string& args,
                               const std::string& keywords) {
    PyObject* method = PyObject_GetAttrString(op, name);
    if (method == nullptr) {
        return take_raised();
    }
    PyObject* tuple = literal("(" + args + (args.empty() ? ")" : ",)"));
    PyObject* dict = keywords.empty() ? nullptr : literal(keywords);
    PyObject* result = PyObject_Call(method, tuple, dict);
    Py_DECREF(method);
    Py_DECREF(tuple);
    Py_XDECREF(dict);
    return result == nullptr ? take_raised() : repr_of(result);
}

struct MethodCase {
    const char* self;  // a literal
    const char* name;
    const char* args;  // literals with commas between them
    const char* result;
    const char* keywords = "";
};

// Calls each and compares what Python says.
inline void expect_methods(std::initializer_list<MethodCase> cases) {
    for (const MethodCase& each : cases) {
        SCOPED_TRACE(std::string(each.self) + "." + each.name + "(" + each.args + each.keywords +
                     ")");
        PyObject* self = literal(each.self);
        EXPECT_EQ(called_with(self, each.name, each.args, each.keywords), each.result);
        EXPECT_EQ(PyErr_Occurred(), nullptr);
        Py_DECREF(self);
    }
}

}  // namespace ouro::test
