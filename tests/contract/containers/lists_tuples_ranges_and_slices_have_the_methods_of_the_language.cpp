// list, tuple, range and slice: constructors, methods and comparisons. Each result is CPython 3.11's. Source:
// "List Objects", "Tuple Objects", "Slice Objects".

#include "tests/contract/methods.hpp"

namespace ouro::test {
namespace {

using SequenceMethods = Things;

// Shows the object after the call, too.
void expect_changes(std::initializer_list<MethodCase> cases) {
    for (const MethodCase& each : cases) {
        SCOPED_TRACE(std::string(each.self) + "." + each.name + "(" + each.args + each.keywords +
                     ")");
        PyObject* self = literal(each.self);
        const std::string result = called_with(self, each.name, each.args, each.keywords);
        EXPECT_EQ(result + " -> " + repr_of(self), each.result);
    }
}

TEST_P(SequenceMethods, ListsChange) {
    expect_changes({
        {"[1]", "append", "2", "None -> [1, 2]"},
        {"[1]", "append", "",
         "TypeError: list.append() takes exactly one argument (0 given) -> [1]"},
        {"[1]", "append", "2, 3",
         "TypeError: list.append() takes exactly one argument (2 given) -> [1]"},
        {"[1]", "clear", "", "None -> []"},
        {"[1]", "clear", "1", "TypeError: list.clear() takes no arguments (1 given) -> [1]"},
        {"[1, 2]", "copy", "", "[1, 2] -> [1, 2]"},
        {"[1, 2]", "extend", "(3, 4)", "None -> [1, 2, 3, 4]"},
        {"[1]", "extend", "'ab'", "None -> [1, 'a', 'b']"},
        {"[1]", "extend", "5", "TypeError: 'int' object is not iterable -> [1]"},
        {"[1]", "extend", "range(3)", "None -> [1, 0, 1, 2]"},
        {"[1]", "extend", "",
         "TypeError: list.extend() takes exactly one argument (0 given) -> [1]"},
        {"[1, 2]", "insert", "0, 9", "None -> [9, 1, 2]"},
        {"[1, 2]", "insert", "-1, 9", "None -> [1, 9, 2]"},
        {"[1, 2]", "insert", "99, 9", "None -> [1, 2, 9]"},
        {"[1, 2]", "insert", "-99, 9", "None -> [9, 1, 2]"},
        {"[1, 2]", "insert", "1", "TypeError: insert expected 2 arguments, got 1 -> [1, 2]"},
        {"[1, 2]", "insert", "'a', 1",
         "TypeError: 'str' object cannot be interpreted as an integer -> [1, 2]"},
        {"[1]", "insert", "123456789012345678901, 1",
         "OverflowError: Python int too large to convert to C ssize_t -> [1]"},
        {"[1, 2, 3]", "pop", "", "3 -> [1, 2]"},
        {"[1, 2, 3]", "pop", "0", "1 -> [2, 3]"},
        {"[1, 2, 3]", "pop", "-2", "2 -> [1, 3]"},
        {"[1, 2, 3]", "pop", "3", "IndexError: pop index out of range -> [1, 2, 3]"},
        {"[1, 2, 3]", "pop", "-4", "IndexError: pop index out of range -> [1, 2, 3]"},
        {"[]", "pop", "", "IndexError: pop from empty list -> []"},
        {"[]", "pop", "0", "IndexError: pop from empty list -> []"},
        {"[1]", "pop", "'a'", "TypeError: 'str' object cannot be interpreted as an integer -> [1]"},
        {"[1]", "pop", "1, 2", "TypeError: pop expected at most 1 argument, got 2 -> [1]"},
        {"[1]", "pop", "123456789012345678901",
         "OverflowError: Python int too large to convert to C ssize_t -> [1]"},
        {"[1, 2, 1]", "remove", "1", "None -> [2, 1]"},
        {"[1, 2]", "remove", "3", "ValueError: list.remove(x): x not in list -> [1, 2]"},
        {"[1, 2]", "remove", "",
         "TypeError: list.remove() takes exactly one argument (0 given) -> [1, 2]"},
        {"[1, 2, 3]", "reverse", "", "None -> [3, 2, 1]"},
        {"[]", "reverse", "", "None -> []"},
        {"[3, 1, 2]", "sort", "", "None -> [1, 2, 3]"},
        {"[3, 1, 2]", "sort", "", "None -> [3, 2, 1]", "{'reverse': True}"},
        {"['b', 'a', 'B']", "sort", "", "None -> ['B', 'a', 'b']"},
        {"[1.5, -1.0, 2.25]", "sort", "", "None -> [-1.0, 1.5, 2.25]"},
        {"[(2, 'a'), (1, 'b'), (1, 'a')]", "sort", "", "None -> [(1, 'a'), (1, 'b'), (2, 'a')]"},
        {"[1, 'a']", "sort", "",
         "TypeError: '<' not supported between instances of 'str' and 'int' -> [1, 'a']"},
        {"[[2], [1]]", "sort", "", "None -> [[1], [2]]"},
        {"[3, 1]", "sort", "1", "TypeError: sort() takes no positional arguments -> [3, 1]"},
        {"[1.0, 1, True, 0]", "sort", "", "None -> [0, 1.0, 1, True]"},
        {"[1.0, 1, True, 0]", "sort", "", "None -> [1.0, 1, True, 0]", "{'reverse': True}"},
        {"[2, 1]", "sort", "", "None -> [1, 2]", "{'key': None}"},
        {"[2, 1]", "sort", "", "TypeError: 'int' object is not callable -> [2, 1]", "{'key': 5}"},
    });
}

TEST_P(SequenceMethods, ListsTuplesRangesAndSlicesAnswer) {
    expect_methods({
        {"[1, 2, 1, 1.0]", "count", "1", "3"},
        {"[1, 2]", "count", "", "TypeError: list.count() takes exactly one argument (0 given)"},
        {"[1, 2, 1]", "index", "1", "0"},
        {"[1, 2, 1]", "index", "1, 1", "2"},
        {"[1, 2, 1]", "index", "1, 1, 2", "ValueError: 1 is not in list"},
        {"[1, 2, 1]", "index", "1, -1", "2"},
        {"[1, 2, 1]", "index", "1, -99, -2", "0"},
        {"[1, 2]", "index", "5", "ValueError: 5 is not in list"},
        {"['a']", "index", "'b'", "ValueError: 'b' is not in list"},
        {"[1]", "index", "", "TypeError: index expected at least 1 argument, got 0"},
        {"[1]", "index", "1, None",
         "TypeError: slice indices must be integers or have an __index__ method"},
        {"[1]", "index", "1, 2, 3, 4", "TypeError: index expected at most 3 arguments, got 4"},
        {"(1, 2, 1)", "count", "1", "2"},
        {"(1, 2, 1)", "index", "1, 1", "2"},
        {"(1, 2, 1)", "index", "2, 0, 1", "ValueError: tuple.index(x): x not in tuple"},
        {"(1, 2)", "index", "7", "ValueError: tuple.index(x): x not in tuple"},
        {"(1, 2)", "index", "", "TypeError: index expected at least 1 argument, got 0"},
        {"(1, 2)", "index", "1, 'a'",
         "TypeError: slice indices must be integers or have an __index__ method"},
        {"(1, 2)", "__getnewargs__", "", "((1, 2),)"},
        {"range(10)", "count", "3", "1"},
        {"range(10)", "count", "30", "0"},
        {"range(10)", "count", "3.0", "1"},
        {"range(10)", "count", "'a'", "0"},
        {"range(0, 10, 2)", "index", "4", "2"},
        {"range(0, 10, 2)", "index", "5", "ValueError: 5 is not in range"},
        {"range(10)", "index", "'a'", "ValueError: sequence.index(x): x not in sequence"},
        {"range(10, 0, -3)", "index", "4", "2"},
        {"range(123456789012345678901)", "index", "12345678901234567890", "12345678901234567890"},
        {"slice(1, 5, 2)", "indices", "4", "(1, 4, 2)"},
        {"slice(None, None, -1)", "indices", "5", "(4, -1, -1)"},
        {"slice(-3, None)", "indices", "10", "(7, 10, 1)"},
        {"slice(1, 100)", "indices", "5", "(1, 5, 1)"},
        {"slice(None)", "indices", "123456789012345678901", "(0, 123456789012345678901, 1)"},
        {"slice(-1, -5, -2)", "indices", "123456789012345678901",
         "(123456789012345678900, 123456789012345678896, -2)"},
        {"slice(5, None, -1)", "indices", "3", "(2, -1, -1)"},
        {"slice(None, None, 0)", "indices", "3", "ValueError: slice step cannot be zero"},
        {"slice('a')", "indices", "3",
         "TypeError: slice indices must be integers or None or have an __index__ method"},
        {"slice(1)", "indices", "-1", "ValueError: length should not be negative"},
        {"slice(1)", "indices", "'a'",
         "TypeError: 'str' object cannot be interpreted as an integer"},
        {"slice(1)", "indices", "",
         "TypeError: slice.indices() takes exactly one argument (0 given)"},
    });
}

struct TypeCase {
    const char* type;
    const char* args;
    const char* result;
    const char* keywords = "";
};

TEST_P(SequenceMethods, TheTypesAreCalled) {
    const std::initializer_list<TypeCase> cases = {
        {"list", "", "[]"},
        {"list", "(1, 2)", "[1, 2]"},
        {"list", "'ab'", "['a', 'b']"},
        {"list", "range(3)", "[0, 1, 2]"},
        {"list", "{1: 2}", "[1]"},
        {"list", "5", "TypeError: 'int' object is not iterable"},
        {"list", "1, 2", "TypeError: list expected at most 1 argument, got 2"},
        {"list", "", "TypeError: list() takes no keyword arguments", "{'a': 1}"},
        {"tuple", "", "()"},
        {"tuple", "[1, 2]", "(1, 2)"},
        {"tuple", "'ab'", "('a', 'b')"},
        {"tuple", "5", "TypeError: 'int' object is not iterable"},
        {"tuple", "1, 2", "TypeError: tuple expected at most 1 argument, got 2"},
        {"tuple", "", "TypeError: tuple() takes no keyword arguments", "{'a': 1}"},
        {"range", "5", "range(0, 5)"},
        {"range", "2, 5", "range(2, 5)"},
        {"range", "5, 2, -1", "range(5, 2, -1)"},
        {"range", "0, 10, 1", "range(0, 10)"},
        {"range", "", "TypeError: range expected at least 1 argument, got 0"},
        {"range", "1, 2, 3, 4", "TypeError: range expected at most 3 arguments, got 4"},
        {"range", "1, 2, 0", "ValueError: range() arg 3 must not be zero"},
        {"range", "'a'", "TypeError: 'str' object cannot be interpreted as an integer"},
        {"range", "1.5", "TypeError: 'float' object cannot be interpreted as an integer"},
        {"range", "True", "range(0, 1)"},
        {"range", "", "TypeError: range() takes no keyword arguments", "{'stop': 1}"},
        {"range", "123456789012345678901, 5", "range(123456789012345678901, 5)"},
        {"slice", "5", "slice(None, 5, None)"},
        {"slice", "1, 2", "slice(1, 2, None)"},
        {"slice", "1, 'a', []", "slice(1, 'a', [])"},
        {"slice", "", "TypeError: slice expected at least 1 argument, got 0"},
        {"slice", "1, 2, 3, 4", "TypeError: slice expected at most 3 arguments, got 4"},
        {"slice", "", "TypeError: slice() takes no keyword arguments", "{'stop': 1}"},
    };
    const std::pair<const char*, PyTypeObject*> types[] = {{"list", &PyList_Type},
                                                           {"tuple", &PyTuple_Type},
                                                           {"range", &PyRange_Type},
                                                           {"slice", &PySlice_Type}};
    for (const TypeCase& each : cases) {
        SCOPED_TRACE(std::string(each.type) + "(" + each.args + each.keywords + ")");
        PyObject* args = literal("(" + std::string(each.args) + (*each.args == 0 ? ")" : ",)"));
        PyObject* keywords = *each.keywords == 0 ? nullptr : literal(each.keywords);
        PyTypeObject* type = std::ranges::find_if(types, [&](const auto& named) {
                                 return std::string_view(each.type) == named.first;
                             })->second;
        PyObject* made = PyObject_Call(object(type), args, keywords);
        EXPECT_EQ(made == nullptr ? take_raised() : repr_of(made), each.result);
        Py_DECREF(args);
        Py_XDECREF(keywords);
    }
}

struct Comparison {
    const char* left;
    int operation;
    const char* right;
    const char* result;
};

TEST_P(SequenceMethods, SequencesAreCompared) {
    const std::initializer_list<Comparison> cases = {
        {"[1, 2]", Py_LT, "[1, 3]", "True"},
        {"[1, 2]", Py_EQ, "[1, 3]", "False"},
        {"[1, 2]", Py_NE, "[1, 3]", "True"},
        {"[1, 2]", Py_GE, "[1, 3]", "False"},
        {"[1, 2]", Py_LT, "[1]", "False"},
        {"[1, 2]", Py_EQ, "[1]", "False"},
        {"[1, 2]", Py_NE, "[1]", "True"},
        {"[1, 2]", Py_GE, "[1]", "True"},
        {"[]", Py_LT, "[]", "False"},
        {"[]", Py_EQ, "[]", "True"},
        {"[]", Py_NE, "[]", "False"},
        {"[]", Py_GE, "[]", "True"},
        {"[1]", Py_LT, "(1,)",
         "TypeError: '<' not supported between instances of 'list' and 'tuple'"},
        {"[1]", Py_EQ, "(1,)", "False"},
        {"[1]", Py_NE, "(1,)", "True"},
        {"[1]", Py_GE, "(1,)",
         "TypeError: '>=' not supported between instances of 'list' and 'tuple'"},
        {"(1, 2)", Py_LT, "(1, 2)", "False"},
        {"(1, 2)", Py_EQ, "(1, 2)", "True"},
        {"(1, 2)", Py_NE, "(1, 2)", "False"},
        {"(1, 2)", Py_GE, "(1, 2)", "True"},
        {"(1, 'a')", Py_LT, "(1, 2)",
         "TypeError: '<' not supported between instances of 'str' and 'int'"},
        {"(1, 'a')", Py_EQ, "(1, 2)", "False"},
        {"(1, 'a')", Py_NE, "(1, 2)", "True"},
        {"(1, 'a')", Py_GE, "(1, 2)",
         "TypeError: '>=' not supported between instances of 'str' and 'int'"},
        {"[1, 'a']", Py_LT, "[2, 2]", "True"},
        {"[1, 'a']", Py_EQ, "[2, 2]", "False"},
        {"[1, 'a']", Py_NE, "[2, 2]", "True"},
        {"[1, 'a']", Py_GE, "[2, 2]", "False"},
        {"range(3)", Py_LT, "range(0, 3, 1)",
         "TypeError: '<' not supported between instances of 'range' and 'range'"},
        {"range(3)", Py_EQ, "range(0, 3, 1)", "True"},
        {"range(3)", Py_NE, "range(0, 3, 1)", "False"},
        {"range(3)", Py_GE, "range(0, 3, 1)",
         "TypeError: '>=' not supported between instances of 'range' and 'range'"},
        {"range(0)", Py_LT, "range(5, 5, 7)",
         "TypeError: '<' not supported between instances of 'range' and 'range'"},
        {"range(0)", Py_EQ, "range(5, 5, 7)", "True"},
        {"range(0)", Py_NE, "range(5, 5, 7)", "False"},
        {"range(0)", Py_GE, "range(5, 5, 7)",
         "TypeError: '>=' not supported between instances of 'range' and 'range'"},
        {"range(1)", Py_LT, "range(0, 1, 9)",
         "TypeError: '<' not supported between instances of 'range' and 'range'"},
        {"range(1)", Py_EQ, "range(0, 1, 9)", "True"},
        {"range(1)", Py_NE, "range(0, 1, 9)", "False"},
        {"range(1)", Py_GE, "range(0, 1, 9)",
         "TypeError: '>=' not supported between instances of 'range' and 'range'"},
        {"range(3)", Py_LT, "range(4)",
         "TypeError: '<' not supported between instances of 'range' and 'range'"},
        {"range(3)", Py_EQ, "range(4)", "False"},
        {"range(3)", Py_NE, "range(4)", "True"},
        {"range(3)", Py_GE, "range(4)",
         "TypeError: '>=' not supported between instances of 'range' and 'range'"},
        {"slice(1)", Py_LT, "slice(2)", "True"},
        {"slice(1)", Py_EQ, "slice(2)", "False"},
        {"slice(1)", Py_NE, "slice(2)", "True"},
        {"slice(1)", Py_GE, "slice(2)", "False"},
        {"slice(1, 2)", Py_LT, "slice(1, 2)", "False"},
        {"slice(1, 2)", Py_EQ, "slice(1, 2)", "True"},
        {"slice(1, 2)", Py_NE, "slice(1, 2)", "False"},
        {"slice(1, 2)", Py_GE, "slice(1, 2)", "True"},
        {"slice(None)", Py_LT, "slice(1)",
         "TypeError: '<' not supported between instances of 'NoneType' and 'int'"},
        {"slice(None)", Py_EQ, "slice(1)", "False"},
        {"slice(None)", Py_NE, "slice(1)", "True"},
        {"slice(None)", Py_GE, "slice(1)",
         "TypeError: '>=' not supported between instances of 'NoneType' and 'int'"},
    };
    for (const Comparison& each : cases) {
        SCOPED_TRACE(std::string(each.left) + " " + std::to_string(each.operation) + " " +
                     each.right);
        PyObject* left = literal(each.left);
        PyObject* right = literal(each.right);
        PyObject* result = PyObject_RichCompare(left, right, each.operation);
        EXPECT_EQ(result == nullptr ? take_raised() : repr_of(result), each.result);
        drop({left, right});
    }
}

// 3.13's: in 3.11 a slice has no hash.
TEST_P(SequenceMethods, ASliceIsHashable) {
    PyObject* a = literal("slice(1, 2)");
    PyObject* b = literal("slice(1, 2)");
    PyObject* c = literal("slice(1, 3)");
    EXPECT_EQ(PyObject_Hash(a), PyObject_Hash(b));
    EXPECT_NE(PyObject_Hash(a), PyObject_Hash(c));
    drop({a, b, c});
}

TEST_P(SequenceMethods, ASlicesPartsAreNumbers) {
    PyObject* slice = literal("slice(None, -1, -2)");
    Py_ssize_t start, stop, step, count;
    ASSERT_EQ(PySlice_Unpack(slice, &start, &stop, &step), 0);
    EXPECT_EQ(start, PY_SSIZE_T_MAX);
    EXPECT_EQ(stop, -1);
    EXPECT_EQ(step, -2);
    EXPECT_EQ(PySlice_AdjustIndices(5, &start, &stop, step), 0);
    EXPECT_EQ(start, 4);
    EXPECT_EQ(stop, 4);
    ASSERT_EQ(PySlice_GetIndicesEx(slice, 5, &start, &stop, &step, &count), 0);
    EXPECT_EQ(count, 0);
    ASSERT_EQ((PySlice_GetIndicesEx)(slice, 5, &start, &stop, &step, &count), 0);
    EXPECT_EQ(start, 4);
    Py_DECREF(slice);
    slice = literal("slice(0, 9)");
    EXPECT_EQ(PySlice_GetIndices(slice, 5, &start, &stop, &step), -1) << "beyond the end";
    EXPECT_EQ(PySlice_GetIndices(slice, 9, &start, &stop, &step), 0);
    EXPECT_EQ(stop, 9);
    EXPECT_EQ(repr_of(PyObject_GetAttrString(slice, "stop")), "9");
    EXPECT_EQ(PyObject_SetAttrString(slice, "stop", Py_None), -1);
    EXPECT_EQ(take_raised(), "AttributeError: readonly attribute");
    Py_DECREF(slice);
    EXPECT_EQ(repr_of(PySlice_New(nullptr, Py_Ellipsis, nullptr)), "slice(None, Ellipsis, None)");
}

EVERY_WAY_OF_COUNTING(SequenceMethods);

}  // namespace
}  // namespace ouro::test
