// A fixture for what is proved of the runtime's own modules: each test begins with them imported, and may leave
// nothing behind but them.
#pragma once

#include <cstdarg>

#include "tests/contract/things.hpp"

namespace ouro::test {

// str() or repr() of an object, whose reference is taken; an exception as "Class: message".
inline std::string text_and_drop(PyObject* op, PyObject* (*show)(PyObject*)) {
    PyObject* text = op == nullptr ? nullptr : show(op);
    Py_XDECREF(op);
    if (text == nullptr) {
        PyObject* raised = PyErr_GetRaisedException();
        if (raised == nullptr) {
            return "NULL without an exception";
        }
        const std::string name = Py_TYPE(raised)->tp_name;
        PyObject* message = PyObject_Str(raised);
        std::string all = name + ": " + (message == nullptr ? "?" : PyUnicode_AsUTF8(message));
        Py_XDECREF(message);
        Py_DECREF(raised);
        return all;
    }
    std::string all = PyUnicode_AsUTF8(text);
    Py_DECREF(text);
    return all;
}
inline std::string repr_or_error(PyObject* op) {
    return text_and_drop(op, PyObject_Repr);
}

class ModuleTest : public testing::TestWithParam<const char*> {
protected:
    // Started as most tests want it.
    void SetUp() override { begin("verify=on,generations=on"); }

    void begin(const std::string& settings) {
        ASSERT_NO_FATAL_FAILURE(start_runtime(settings_for(GetParam(), settings)));
        for (const char* name : {"sys", "gc", "weakref", "builtins", "datetime", "contextvars"}) {
            PyObject* made = PyImport_ImportModule(name);
            ASSERT_NE(made, nullptr) << name << ": " << take_error().message;
            Py_DECREF(made);
        }
        PyGC_Collect();
        record.cycles.clear();
        expect_no_more();
    }

    // What is tracked now may be left.
    void expect_no_more() { tracked_before_ = tracked_objects(); }

    void TearDown() override {
        EXPECT_EQ(tracked_objects(), tracked_before_) << "the test left tracked objects";
        stop_runtime();
    }

    // An attribute of a module (new reference).
    static PyObject* get(const char* module, const char* name) {
        PyObject* made = PyImport_ImportModule(module);
        PyObject* value = made == nullptr ? nullptr : PyObject_GetAttrString(made, name);
        Py_XDECREF(made);
        return value;
    }
    static int set(const char* module, const char* name, PyObject* value) {
        PyObject* made = PyImport_ImportModule(module);
        const int result = PyObject_SetAttrString(made, name, value);
        Py_DECREF(made);
        return result;
    }
    // Calls a function of a module; the arguments as Py_BuildValue makes them, a tuple of them in any case.
    static PyObject* call(const char* module, const char* name, const char* format = nullptr, ...) {
        PyObject* args = nullptr;
        if (format == nullptr) {
            args = PyTuple_New(0);
        } else {
            va_list values;
            va_start(values, format);
            args = Py_VaBuildValue(format, values);
            va_end(values);
        }
        PyObject* function = get(module, name);
        PyObject* result = function == nullptr || args == nullptr
                               ? nullptr
                               : PyObject_Call(function, args, nullptr);
        Py_XDECREF(function);
        Py_XDECREF(args);
        return result;
    }
    // What gives an int, a bool or None (0).
    static Py_ssize_t number(PyObject* op) {
        EXPECT_NE(op, nullptr) << take_error().message;
        const Py_ssize_t value = op == nullptr || Py_IsNone(op) ? 0 : PyLong_AsSsize_t(op);
        Py_XDECREF(op);
        return value;
    }
    static bool has(PyObject* list, PyObject* op) {
        for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
            if (PyList_GetItem(list, i) == op) {
                return true;
            }
        }
        return false;
    }

private:
    size_t tracked_before_ = 0;
};

}  // namespace ouro::test
