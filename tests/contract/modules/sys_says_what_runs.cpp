// The module sys: what the runtime is, its modules and files, limits and sizes. Source: "sys - System-specific
// parameters and functions"; "System Functions" of the C API.

#include "tests/contract/modules.hpp"

namespace ouro::test {
namespace {

using Sys = ModuleTest;

TEST_P(Sys, IsNamed) {
    EXPECT_EQ(repr_or_error(get("sys", "hexversion")), std::to_string(PY_VERSION_HEX));
    EXPECT_EQ(repr_or_error(get("sys", "version_info")),
              "sys.version_info(major=3, minor=14, micro=0, releaselevel='final', serial=0)");
    PyObject* implementation = get("sys", "implementation");
    EXPECT_EQ(repr_or_error(PyObject_GetAttrString(implementation, "name")), "'ouroboros'");
    Py_DECREF(implementation);
    EXPECT_EQ(repr_or_error(get("sys", "maxsize")), "9223372036854775807");
    EXPECT_EQ(repr_or_error(get("sys", "byteorder")), "'little'");
    EXPECT_EQ(repr_or_error(get("sys", "platform")), "'linux'");
    EXPECT_THAT(repr_or_error(get("sys", "version")), testing::StartsWith("'3.14.0 (Ouroboros "));
}

TEST_P(Sys, HasTheModules) {
    PyObject* modules = get("sys", "modules");
    EXPECT_EQ(modules, PyImport_GetModuleDict());
    EXPECT_EQ(PyDict_ContainsString(modules, "sys"), 1);
    Py_DECREF(modules);
    PyObject* path = get("sys", "path");
    EXPECT_TRUE(PyList_Check(path));
    Py_DECREF(path);
    PyObject* names = get("sys", "builtin_module_names");
    PyObject* gc = PyUnicode_FromString("gc");
    EXPECT_EQ(PySequence_Contains(names, gc), 1);
    Py_DECREF(gc);
    Py_DECREF(names);
}

TEST_P(Sys, AttributesAreCCodesToo) {
    PyObject* modules = PySys_GetObject("modules");
    EXPECT_EQ(modules, PyImport_GetModuleDict());
    EXPECT_EQ(PySys_GetObject("no_such_attribute"), nullptr);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    PyObject* value = PyLong_FromLong(12345678);
    EXPECT_EQ(PySys_SetObject("of_the_test", value), 0);
    EXPECT_EQ(repr_or_error(get("sys", "of_the_test")), "12345678");
    EXPECT_EQ(Py_REFCNT(value), 2);
    EXPECT_EQ(PySys_SetObject("of_the_test", nullptr), 0);
    EXPECT_EQ(PySys_SetObject("of_the_test", nullptr), 0);
    EXPECT_EQ(Py_REFCNT(value), 1);
    EXPECT_EQ(PySys_GetObject("of_the_test"), nullptr);
    Py_DECREF(value);
}

TEST_P(Sys, HasFilesThatAreTheCLibrarys) {
    testing::internal::CaptureStdout();
    PyObject* out = get("sys", "stdout");
    EXPECT_EQ(out, PySys_GetObject("__stdout__"));
    EXPECT_EQ(PyFile_WriteString("text, ", out), 0);
    PyObject* five = PyLong_FromLong(5);
    PyObject* text = PyUnicode_FromString("e\xcc\x81");
    EXPECT_EQ(PyFile_WriteObject(five, out, 0), 0);
    EXPECT_EQ(PyFile_WriteObject(text, out, 0), 0);
    EXPECT_EQ(PyFile_WriteObject(text, out, Py_PRINT_RAW), 0);
    PyObject* write = PyObject_GetAttrString(out, "write");
    EXPECT_EQ(repr_or_error(PyObject_CallOneArg(write, text)), "2") << "code points";
    EXPECT_EQ(repr_or_error(PyObject_CallOneArg(write, five)),
              "TypeError: write() argument must be str, not int");
    PySys_WriteStdout("%d\n", 6);
    PyObject* flush = PyObject_GetAttrString(out, "flush");
    EXPECT_EQ(repr_or_error(PyObject_CallNoArgs(flush)), "None");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "text, 5'e\xcc\x81'e\xcc\x81"
                                                      "e\xcc\x81"
                                                      "6\n");
    EXPECT_EQ(repr_or_error(PyObject_GetAttrString(out, "name")), "'<stdout>'");
    EXPECT_EQ(repr_or_error(PyObject_GetAttrString(out, "encoding")), "'utf-8'");
    drop({out, five, text, write, flush});
}

TEST_P(Sys, FilesAreAsked) {
    EXPECT_EQ(PyFile_WriteString("x", nullptr), -1);
    expect_raised(PyExc_SystemError, "null file for PyFile_WriteString");
    EXPECT_EQ(PyFile_WriteObject(Py_None, nullptr, 0), -1);
    expect_raised(PyExc_TypeError, "writeobject with NULL file");
    EXPECT_EQ(PyFile_WriteObject(Py_None, Py_None, 0), -1);
    expect_raised(PyExc_AttributeError, "'NoneType' object has no attribute 'write'");
    PyErr_SetString(PyExc_KeyError, "set before");
    EXPECT_EQ(PyFile_WriteString("x", Py_None), -1);
    expect_raised(PyExc_KeyError);
}

TEST_P(Sys, CountsAndMeasures) {
    PyObject* op = new_thing(1);
    PyObject* other = Py_NewRef(op);
    EXPECT_GE(number(call("sys", "getrefcount", "(O)", op)), 2);
    EXPECT_EQ(number(call("sys", "getsizeof", "(O)", op)), static_cast<Py_ssize_t>(sizeof(Thing)));
    drop({op, other});
}

TEST_P(Sys, LimitsRecursion) {
    const int before = Py_GetRecursionLimit();
    EXPECT_EQ(number(call("sys", "getrecursionlimit")), before);
    EXPECT_EQ(repr_or_error(call("sys", "setrecursionlimit", "(i)", 500)), "None");
    EXPECT_EQ(Py_GetRecursionLimit(), 500);
    EXPECT_EQ(repr_or_error(call("sys", "setrecursionlimit", "(i)", 0)),
              "ValueError: recursion limit must be greater or equal than 1");
    Py_SetRecursionLimit(before);
}

TEST_P(Sys, Interns) {
    PyObject* text = PyUnicode_FromFormat("interned %d", 5);
    PyObject* same = PyUnicode_FromFormat("interned %d", 5);
    PyObject* a = call("sys", "intern", "(O)", text);
    PyObject* b = call("sys", "intern", "(O)", same);
    EXPECT_EQ(a, b);
    EXPECT_EQ(repr_or_error(call("sys", "intern", "(i)", 5)),
              "TypeError: intern() argument must be str, not int");
    drop({text, same, a, b});
}

TEST_P(Sys, ShowsTheExceptionThatIsHandled) {
    EXPECT_EQ(repr_or_error(call("sys", "exc_info")), "(None, None, None)");
    EXPECT_EQ(repr_or_error(call("sys", "exception")), "None");
    PyErr_SetString(PyExc_ValueError, "handled");
    PyObject* raised = PyErr_GetRaisedException();
    PyErr_SetHandledException(raised);
    EXPECT_EQ(repr_or_error(call("sys", "exc_info")),
              "(<class 'ValueError'>, ValueError('handled'), None)");
    EXPECT_EQ(repr_or_error(call("sys", "exception")), "ValueError('handled')");
    PyErr_SetHandledException(nullptr);
    Py_DECREF(raised);
    EXPECT_EQ(repr_or_error(call("sys", "is_finalizing")), "False");
    EXPECT_EQ(repr_or_error(call("sys", "exit", "(i)", 3)), "SystemExit: 3");
}

// A runtime that begins again has a sys of its own.
TEST_P(Sys, IsNewInANewRuntime) {
    PyObject* file = PyUnicode_FromString("no file");
    EXPECT_EQ(PySys_SetObject("stderr", file), 0);
    Py_DECREF(file);
    Ouro_RemoveListener(note_cycle, nullptr);
    Py_Finalize();
    begin("verify=on,generations=on");
    PyObject* now = PySys_GetObject("stderr");
    EXPECT_EQ(now, PySys_GetObject("__stderr__"));
}

EVERY_WAY_OF_COUNTING(Sys);

}  // namespace
}  // namespace ouro::test
