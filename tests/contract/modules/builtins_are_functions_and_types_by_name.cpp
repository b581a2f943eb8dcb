// The module builtins: its functions do what their C equivalents do and say what CPython's say; the types,
// exceptions and constants are there by name. Source: "Built-in Functions"; PyEval_GetBuiltins.

#include "tests/contract/modules.hpp"

namespace ouro::test {
namespace {

class Builtins : public ModuleTest {
protected:
    // Calls with the arguments of the format and, by name, with those of a dict.
    static PyObject* call_by_name(const char* name, PyObject* args, PyObject* kwargs) {
        PyObject* function = get("builtins", name);
        PyObject* result = PyObject_Call(function, args, kwargs);
        drop({function, args, kwargs});
        return result;
    }
};

TEST_P(Builtins, AreTheDictionaryOfTheModule) {
    PyObject* dict = PyEval_GetBuiltins();
    ASSERT_NE(dict, nullptr);
    EXPECT_EQ(PyDict_GetItemString(dict, "list"), reinterpret_cast<PyObject*>(&PyList_Type));
    EXPECT_EQ(PyDict_GetItemString(dict, "OSError"), PyExc_OSError);
    EXPECT_EQ(PyDict_GetItemString(dict, "IOError"), PyExc_OSError);
    EXPECT_EQ(PyDict_GetItemString(dict, "BaseException"), PyExc_BaseException);
    EXPECT_EQ(PyDict_GetItemString(dict, "None"), Py_None);
    EXPECT_EQ(PyDict_GetItemString(dict, "Ellipsis"), Py_Ellipsis);
    for (const char* name : {"object", "type", "int", "bool", "float", "str", "bytes", "tuple",
                             "list", "dict", "set", "frozenset", "slice", "range"}) {
        PyObject* type = PyDict_GetItemString(dict, name);
        ASSERT_NE(type, nullptr) << name;
        EXPECT_STREQ(reinterpret_cast<PyTypeObject*>(type)->tp_name, name);
    }
}

TEST_P(Builtins, ComputeWithNumbers) {
    EXPECT_EQ(repr_or_error(call("builtins", "abs", "(i)", -5)), "5");
    EXPECT_EQ(repr_or_error(call("builtins", "divmod", "(ii)", 17, 5)), "(3, 2)");
    EXPECT_EQ(repr_or_error(call("builtins", "pow", "(ii)", 2, 10)), "1024");
    EXPECT_EQ(repr_or_error(call("builtins", "pow", "(iii)", 2, 10, 1000)), "24");
    EXPECT_EQ(repr_or_error(call("builtins", "bin", "(i)", 10)), "'0b1010'");
    EXPECT_EQ(repr_or_error(call("builtins", "oct", "(i)", 8)), "'0o10'");
    EXPECT_EQ(repr_or_error(call("builtins", "hex", "(i)", -255)), "'-0xff'");
    EXPECT_EQ(repr_or_error(call("builtins", "chr", "(i)", 8364)), "'\xe2\x82\xac'");
    EXPECT_EQ(repr_or_error(call("builtins", "ord", "(s)", "a")), "97");
    EXPECT_EQ(repr_or_error(call("builtins", "ord", "(s)", "ab")),
              "TypeError: ord() expected a character, but string of length 2 found");
    EXPECT_EQ(repr_or_error(call("builtins", "ord", "(i)", 5)),
              "TypeError: ord() expected string of length 1, but int found");
    EXPECT_EQ(repr_or_error(call("builtins", "chr", "(i)", 0x110000)),
              "ValueError: chr() arg not in range(0x110000)");
    EXPECT_EQ(repr_or_error(call("builtins", "abs", "(s)", "x")),
              "TypeError: bad operand type for abs(): 'str'");
    EXPECT_EQ(repr_or_error(call("builtins", "sum", "([iii])", 1, 2, 3)), "6");
    EXPECT_EQ(repr_or_error(call("builtins", "sum", "([ii]i)", 1, 2, 10)), "13");
    EXPECT_EQ(repr_or_error(call("builtins", "sum", "([ss]s)", "a", "b", "")),
              "TypeError: sum() can't sum strings [use ''.join(seq) instead]");
    EXPECT_EQ(repr_or_error(call("builtins", "sum", "(i)", 5)),
              "TypeError: 'int' object is not iterable");
}

TEST_P(Builtins, GoThroughIterables) {
    EXPECT_EQ(repr_or_error(call("builtins", "len", "((iii))", 1, 2, 3)), "3");
    EXPECT_EQ(repr_or_error(call("builtins", "len", "(i)", 1)),
              "TypeError: object of type 'int' has no len()");
    EXPECT_EQ(repr_or_error(call("builtins", "all", "([ii])", 1, 0)), "False");
    EXPECT_EQ(repr_or_error(call("builtins", "all", "([])")), "True");
    EXPECT_EQ(repr_or_error(call("builtins", "any", "([ii])", 1, 0)), "True");
    EXPECT_EQ(repr_or_error(call("builtins", "any", "([])")), "False");
    EXPECT_EQ(repr_or_error(call("builtins", "max", "(iii)", 1, 3, 2)), "3");
    EXPECT_EQ(repr_or_error(call("builtins", "min", "([iii])", 2, 1, 3)), "1");
    EXPECT_EQ(repr_or_error(call("builtins", "max", "([])")),
              "ValueError: max() iterable argument is empty");
    EXPECT_EQ(repr_or_error(call("builtins", "min")),
              "TypeError: min expected at least 1 argument, got 0");
    EXPECT_EQ(repr_or_error(call("builtins", "max", "(is)", 1, "x")),
              "TypeError: '>' not supported between instances of 'str' and 'int'");
    EXPECT_EQ(repr_or_error(call("builtins", "sorted", "([iii])", 2, 3, 1)), "[1, 2, 3]");
    EXPECT_EQ(repr_or_error(call("builtins", "sorted")),
              "TypeError: sorted expected 1 argument, got 0");
    EXPECT_EQ(repr_or_error(
                  call_by_name("max", Py_BuildValue("([])"), Py_BuildValue("{si}", "default", 7))),
              "7");
    PyObject* absolute = get("builtins", "abs");
    EXPECT_EQ(repr_or_error(call_by_name("max", Py_BuildValue("(iii)", 1, -9, 5),
                                         Py_BuildValue("{sO}", "key", absolute))),
              "-9");
    EXPECT_EQ(repr_or_error(call_by_name("sorted", Py_BuildValue("([iii])", 1, -9, 5),
                                         Py_BuildValue("{sOsi}", "key", absolute, "reverse", 1))),
              "[-9, 5, 1]");
    Py_DECREF(absolute);
    EXPECT_EQ(repr_or_error(call_by_name("max", Py_BuildValue("(ii)", 1, 2),
                                         Py_BuildValue("{si}", "default", 7))),
              "TypeError: Cannot specify a default for max() with multiple positional arguments");
}

TEST_P(Builtins, StepThroughIterators) {
    PyObject* iterator = call("builtins", "iter", "((i))", 5);
    EXPECT_EQ(repr_or_error(call("builtins", "next", "(O)", iterator)), "5");
    EXPECT_EQ(repr_or_error(call("builtins", "next", "(Os)", iterator, "end")), "'end'");
    EXPECT_EQ(repr_or_error(call("builtins", "next", "(O)", iterator)), "StopIteration: ");
    Py_DECREF(iterator);
    EXPECT_EQ(repr_or_error(call("builtins", "next", "(i)", 5)),
              "TypeError: 'int' object is not an iterator");
    EXPECT_EQ(repr_or_error(call("builtins", "iter", "(ii)", 5, 6)),
              "TypeError: iter(v, w): v must be callable");
    PyObject* type = get("builtins", "int");
    PyObject* zeros = call("builtins", "iter", "(Oi)", type, 0);
    EXPECT_EQ(repr_or_error(call("builtins", "next", "(Os)", zeros, "end")), "'end'");
    drop({type, zeros});
}

TEST_P(Builtins, AskObjects) {
    PyObject* op = new_callback(1);
    EXPECT_EQ(repr_or_error(call("builtins", "callable", "(O)", op)), "True");
    EXPECT_EQ(repr_or_error(call("builtins", "callable", "(i)", 1)), "False");
    EXPECT_EQ(repr_or_error(call("builtins", "id", "(O)", op)),
              std::to_string(reinterpret_cast<uintptr_t>(op)));
    EXPECT_EQ(repr_or_error(call("builtins", "hash", "(i)", 7)), "7");
    EXPECT_EQ(repr_or_error(call("builtins", "hash", "([])")),
              "TypeError: unhashable type: 'list'");
    EXPECT_EQ(repr_or_error(call("builtins", "repr", "(s)", "x")), "\"'x'\"");
    EXPECT_EQ(repr_or_error(call("builtins", "isinstance", "(iO)", 1, &PyLong_Type)), "True");
    EXPECT_EQ(repr_or_error(call("builtins", "issubclass", "(OO)", &PyBool_Type, &PyLong_Type)),
              "True");
    EXPECT_EQ(repr_or_error(call("builtins", "isinstance", "(i)", 1)),
              "TypeError: isinstance expected 2 arguments, got 1");
    Py_DECREF(op);
}

TEST_P(Builtins, ReadAndWriteAttributes) {
    PyObject* op = PyModule_New("some");
    EXPECT_EQ(repr_or_error(call("builtins", "setattr", "(Osi)", op, "field", 5)), "None");
    EXPECT_EQ(repr_or_error(call("builtins", "getattr", "(Os)", op, "field")), "5");
    EXPECT_EQ(repr_or_error(call("builtins", "hasattr", "(Os)", op, "field")), "True");
    EXPECT_EQ(repr_or_error(call("builtins", "delattr", "(Os)", op, "field")), "None");
    EXPECT_EQ(repr_or_error(call("builtins", "hasattr", "(Os)", op, "field")), "False");
    EXPECT_EQ(repr_or_error(call("builtins", "getattr", "(Oss)", op, "field", "none")), "'none'");
    EXPECT_EQ(repr_or_error(call("builtins", "getattr", "(Os)", op, "field")),
              "AttributeError: module 'some' has no attribute 'field'");
    EXPECT_EQ(repr_or_error(call("builtins", "getattr", "(O)", op)),
              "TypeError: getattr expected at least 2 arguments, got 1");
    Py_DECREF(op);
}

TEST_P(Builtins, Print) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(repr_or_error(call("builtins", "print", "(isO)", 5, "text", Py_None)), "None");
    EXPECT_EQ(repr_or_error(call("builtins", "print")), "None");
    EXPECT_EQ(repr_or_error(call_by_name(
                  "print", Py_BuildValue("(ii)", 1, 2),
                  Py_BuildValue("{sssssO}", "sep", "-", "end", "!", "flush", Py_True))),
              "None");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "5 text None\n\n1-2!");
    EXPECT_EQ(repr_or_error(call_by_name("print", PyTuple_New(0), Py_BuildValue("{si}", "sep", 5))),
              "TypeError: sep must be None or a string, not int");
    EXPECT_EQ(repr_or_error(call_by_name("print", PyTuple_New(0), Py_BuildValue("{si}", "end", 5))),
              "TypeError: end must be None or a string, not int");
    EXPECT_EQ(repr_or_error(
                  call_by_name("print", Py_BuildValue("(i)", 5), Py_BuildValue("{si}", "file", 5))),
              "AttributeError: 'int' object has no attribute 'write'");
}

EVERY_WAY_OF_COUNTING(Builtins);

}  // namespace
}  // namespace ouro::test
