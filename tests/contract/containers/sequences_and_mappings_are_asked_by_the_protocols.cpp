// Items, lengths, slices, concatenation and iteration, of built-in types by the abstract functions. Each result
// is what CPython 3.11's function of that name gives, but that slices are hashable, as in 3.13. Source: "Sequence Protocol", "Mapping Protocol", "Object
// Protocol", "Iterator Protocol".

#include <cstring>

#include "tests/contract/methods.hpp"

namespace ouro::test {
namespace {

using Protocols = Things;

// A result as Python shows it, which is stolen, or what is raised.
std::string outcome(PyObject* op) {
    return op == nullptr ? take_raised() : repr_of(op);
}
std::string outcome(Py_ssize_t number) {
    return number == -1 && PyErr_Occurred() != nullptr ? take_raised() : std::to_string(number);
}

PyObject* argument(PyObject* args, Py_ssize_t i) {
    return PyTuple_GetItem(args, i);
}
Py_ssize_t number(PyObject* args, Py_ssize_t i) {
    return PyLong_AsSsize_t(argument(args, i));
}

struct Function {
    const char* name;
    std::string (*call)(PyObject* args);
    bool changes = false;  // the first argument, which is then shown too
};

// What iterating gives, as a list.
PyObject* all_of(PyObject* iterable) {
    PyObject* iterator = PyObject_GetIter(iterable);
    if (iterator == nullptr) {
        return nullptr;
    }
    PyObject* list = PyList_New(0);
    while (PyObject* item = PyIter_Next(iterator)) {
        PyList_Append(list, item);
        Py_DECREF(item);
    }
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    EXPECT_EQ(PyIter_Next(iterator), nullptr) << "the end is the end";
    Py_DECREF(iterator);
    return list;
}

#define ONE(function)                                                                  \
    {                                                                                  \
        #function, [](PyObject* args) { return outcome(function(argument(args, 0))); } \
    }
#define TWO(function)                                                                              \
    {                                                                                              \
        #function,                                                                                 \
            [](PyObject* args) { return outcome(function(argument(args, 0), argument(args, 1))); } \
    }
#define COUNT(function)                                                                          \
    {                                                                                            \
        #function,                                                                               \
            [](PyObject* args) { return outcome(function(argument(args, 0), number(args, 1))); } \
    }
#define CHANGE(function, ...)                                                                      \
    {                                                                                              \
        #function,                                                                                 \
            [](PyObject* args) {                                                                   \
                return outcome(static_cast<Py_ssize_t>(function(argument(args, 0), __VA_ARGS__))); \
            },                                                                                     \
            true                                                                                   \
    }

const Function kFunctions[] = {
    TWO(PyObject_GetItem),
    CHANGE(PyObject_SetItem, argument(args, 1), argument(args, 2)),
    CHANGE(PyObject_DelItem, argument(args, 1)),
    ONE(PyObject_Size),
    COUNT(PyObject_LengthHint),
    ONE(PyObject_Hash),
    ONE(PySequence_Size),
    TWO(PySequence_Concat),
    COUNT(PySequence_Repeat),
    COUNT(PySequence_GetItem),
    CHANGE(PySequence_SetItem, number(args, 1), argument(args, 2)),
    CHANGE(PySequence_DelItem, number(args, 1)),
    {"PySequence_GetSlice",
     [](PyObject* args) {
         return outcome(PySequence_GetSlice(argument(args, 0), number(args, 1), number(args, 2)));
     }},
    CHANGE(PySequence_SetSlice, number(args, 1), number(args, 2), argument(args, 3)),
    CHANGE(PySequence_DelSlice, number(args, 1), number(args, 2)),
    TWO(PySequence_Count),
    TWO(PySequence_Contains),
    TWO(PySequence_Index),
    ONE(PySequence_List),
    ONE(PySequence_Tuple),
    ONE(PySequence_Check),
    ONE(PyMapping_Check),
    ONE(PyMapping_Size),
    ONE(PyMapping_Keys),
    ONE(PyMapping_Values),
    ONE(PyMapping_Items),
    TWO(PyNumber_Add),
    TWO(PyNumber_Multiply),
    {"PySequence_InPlaceConcat",
     [](PyObject* args) {
         return outcome(PySequence_InPlaceConcat(argument(args, 0), argument(args, 1)));
     },
     true},
    {"PySequence_InPlaceRepeat",
     [](PyObject* args) {
         return outcome(PySequence_InPlaceRepeat(argument(args, 0), number(args, 1)));
     },
     true},
    {"PyNumber_InPlaceAdd",
     [](PyObject* args) {
         return outcome(PyNumber_InPlaceAdd(argument(args, 0), argument(args, 1)));
     },
     true},
    {"PyNumber_InPlaceMultiply",
     [](PyObject* args) {
         return outcome(PyNumber_InPlaceMultiply(argument(args, 0), argument(args, 1)));
     },
     true},
    {"PyObject_GetIter", [](PyObject* args) { return outcome(all_of(argument(args, 0))); }},
};

struct Case {
    const char* function;
    const char* args;  // literals with commas between them
    const char* result;
};

void expect_results(std::initializer_list<Case> cases) {
    for (const Case& each : cases) {
        SCOPED_TRACE(std::string(each.function) + "(" + each.args + ")");
        const auto* function = std::ranges::find_if(kFunctions, [&](const Function& candidate) {
            return std::strcmp(candidate.name, each.function) == 0;
        });
        ASSERT_NE(function, std::end(kFunctions));
        PyObject* args = literal("(" + std::string(each.args) + ",)");
        std::string result = function->call(args);
        const bool raised = std::strstr(each.result, "Error: ") != nullptr;
        if (function->changes && !raised) {
            result += " -> " + repr_of(Py_NewRef(argument(args, 0)));
        }
        EXPECT_EQ(result, each.result);
        EXPECT_EQ(PyErr_Occurred(), nullptr);
        Py_DECREF(args);
    }
}

TEST_P(Protocols, ItemsByKeyAndSlice) {
    expect_results({
        {"PyObject_GetItem", "[1, 2, 3], 0", "1"},
        {"PyObject_GetItem", "[1, 2, 3], -1", "3"},
        {"PyObject_GetItem", "[1, 2, 3], 3", "IndexError: list index out of range"},
        {"PyObject_GetItem", "[1, 2, 3], -4", "IndexError: list index out of range"},
        {"PyObject_GetItem", "[1, 2, 3], 'a'",
         "TypeError: list indices must be integers or slices, not str"},
        {"PyObject_GetItem", "[1, 2, 3], None",
         "TypeError: list indices must be integers or slices, not NoneType"},
        {"PyObject_GetItem", "[1, 2], 123456789012345678901",
         "IndexError: cannot fit 'int' into an index-sized integer"},
        {"PyObject_GetItem", "(1, 2, 3), True", "2"},
        {"PyObject_GetItem", "(1, 2, 3), -3", "1"},
        {"PyObject_GetItem", "(1, 2, 3), 3", "IndexError: tuple index out of range"},
        {"PyObject_GetItem", "(1, 2, 3), 1.5",
         "TypeError: tuple indices must be integers or slices, not float"},
        {"PyObject_GetItem", "'abc', -1", "'c'"},
        {"PyObject_GetItem", "'abc', 3", "IndexError: string index out of range"},
        {"PyObject_GetItem", "'a€b', 1", "'€'"},
        {"PyObject_GetItem", "'abc', 'a'", "TypeError: string indices must be integers, not 'str'"},
        {"PyObject_GetItem", "b'abc', 1", "98"},
        {"PyObject_GetItem", "b'abc', 3", "IndexError: index out of range"},
        {"PyObject_GetItem", "b'abc', 'a'",
         "TypeError: byte indices must be integers or slices, not str"},
        {"PyObject_GetItem", "{1: 2}, 1", "2"},
        {"PyObject_GetItem", "{1: 2}, 2", "KeyError: 2"},
        {"PyObject_GetItem", "{1: 2}, []", "TypeError: unhashable type: 'list'"},
        {"PyObject_GetItem", "5, 1", "TypeError: 'int' object is not subscriptable"},
        {"PyObject_GetItem", "None, 1", "TypeError: 'NoneType' object is not subscriptable"},
        {"PyObject_GetItem", "range(10), 3", "3"},
        {"PyObject_GetItem", "range(10), -11", "IndexError: range object index out of range"},
        {"PyObject_GetItem", "range(10), 'a'",
         "TypeError: range indices must be integers or slices, not str"},
        {"PyObject_GetItem", "range(10, 0, -3), 1", "7"},
        {"PyObject_GetItem", "[1, 2, 3, 4, 5], slice(1, 4)", "[2, 3, 4]"},
        {"PyObject_GetItem", "[1, 2, 3, 4, 5], slice(None, None, -1)", "[5, 4, 3, 2, 1]"},
        {"PyObject_GetItem", "[1, 2, 3, 4, 5], slice(4, None, -2)", "[5, 3, 1]"},
        {"PyObject_GetItem", "[1, 2, 3, 4, 5], slice(None, None, 0)",
         "ValueError: slice step cannot be zero"},
        {"PyObject_GetItem", "[1, 2, 3, 4, 5], slice('a', None)",
         "TypeError: slice indices must be integers or None or have an __index__ method"},
        {"PyObject_GetItem", "[1, 2, 3, 4, 5], slice(-3, -1)", "[3, 4]"},
        {"PyObject_GetItem", "[1, 2, 3, 4, 5], slice(-99, 99, 3)", "[1, 4]"},
        {"PyObject_GetItem",
         "[1, 2, 3, 4, 5], slice(123456789012345678901, -123456789012345678901, -1)",
         "[5, 4, 3, 2, 1]"},
        {"PyObject_GetItem", "[1, 2, 3], slice(3, 1)", "[]"},
        {"PyObject_GetItem", "(1, 2, 3, 4, 5), slice(None, None, 2)", "(1, 3, 5)"},
        {"PyObject_GetItem", "(1, 2, 3, 4, 5), slice(3, None, -1)", "(4, 3, 2, 1)"},
        {"PyObject_GetItem", "(1, 2, 3, 4, 5), slice(1, 3)", "(2, 3)"},
        {"PyObject_GetItem", "(1, 2), slice(5, 9)", "()"},
        {"PyObject_GetItem", "'abcdef', slice(1, 4)", "'bcd'"},
        {"PyObject_GetItem", "'abcdef', slice(None, None, -1)", "'fedcba'"},
        {"PyObject_GetItem", "'abcdef', slice(None, None, 2)", "'ace'"},
        {"PyObject_GetItem", "'a€b😀c', slice(None, None, -1)", "'c😀b€a'"},
        {"PyObject_GetItem", "'a€b😀c', slice(1, None, 2)", "'€😀'"},
        {"PyObject_GetItem", "'a€b😀c', slice(3, 0, -2)", "'😀€'"},
        {"PyObject_GetItem", "'a€b😀c', slice(1, 3)", "'€b'"},
        {"PyObject_GetItem", "'abc', slice(2, 1)", "''"},
        {"PyObject_GetItem", "'abc', slice(1, 2, 0)", "ValueError: slice step cannot be zero"},
        {"PyObject_GetItem", "b'abcdef', slice(1, 4)", "b'bcd'"},
        {"PyObject_GetItem", "b'abcdef', slice(None, None, -2)", "b'fdb'"},
        {"PyObject_GetItem", "b'abc', slice(3, 9)", "b''"},
        {"PyObject_GetItem", "range(10), slice(2, 5)", "range(2, 5)"},
        {"PyObject_GetItem", "range(10), slice(None, None, -1)", "range(9, -1, -1)"},
        {"PyObject_GetItem", "range(10), slice(1, 100, 3)", "range(1, 10, 3)"},
        {"PyObject_GetItem", "range(0, 100, 7), slice(-3, None)", "range(84, 105, 7)"},
        {"PyObject_GetItem", "range(10), slice(None, None, 0)",
         "ValueError: slice step cannot be zero"},
        {"PyObject_GetItem", "range(10, 0, -2), slice(1, None, 2)", "range(8, 0, -4)"},
        {"PyObject_GetItem", "range(123456789012345678901234), slice(5, -5, 1000)",
         "range(5, 123456789012345678901229, 1000)"},
        {"PyObject_GetItem", "range(123456789012345678901234), -1", "123456789012345678901233"},
    });
}

TEST_P(Protocols, ItemsAreReplacedAndDeleted) {
    expect_results({
        {"PyObject_SetItem", "[1, 2, 3], 0, 9", "0 -> [9, 2, 3]"},
        {"PyObject_SetItem", "[1, 2, 3], -1, 9", "0 -> [1, 2, 9]"},
        {"PyObject_SetItem", "[1, 2, 3], 3, 9", "IndexError: list assignment index out of range"},
        {"PyObject_SetItem", "[1, 2, 3], -4, 9", "IndexError: list assignment index out of range"},
        {"PyObject_SetItem", "[1, 2, 3], 'a', 9",
         "TypeError: list indices must be integers or slices, not str"},
        {"PyObject_SetItem", "(1, 2), 0, 9",
         "TypeError: 'tuple' object does not support item assignment"},
        {"PyObject_SetItem", "(1, 2), 'a', 9",
         "TypeError: 'tuple' object does not support item assignment"},
        {"PyObject_SetItem", "'ab', 0, 'c'",
         "TypeError: 'str' object does not support item assignment"},
        {"PyObject_SetItem", "5, 0, 9", "TypeError: 'int' object does not support item assignment"},
        {"PyObject_SetItem", "{}, 1, 2", "0 -> {1: 2}"},
        {"PyObject_SetItem", "{}, [], 2", "TypeError: unhashable type: 'list'"},
        {"PyObject_SetItem", "[1, 2, 3, 4], slice(1, 3), [7, 8, 9]", "0 -> [1, 7, 8, 9, 4]"},
        {"PyObject_SetItem", "[1, 2, 3, 4], slice(1, 3), ()", "0 -> [1, 4]"},
        {"PyObject_SetItem", "[1, 2, 3, 4], slice(1, 3), 'xyz'", "0 -> [1, 'x', 'y', 'z', 4]"},
        {"PyObject_SetItem", "[1, 2, 3, 4], slice(1, 3), 5",
         "TypeError: can only assign an iterable"},
        {"PyObject_SetItem", "[1, 2, 3, 4], slice(3, 1), [9]", "0 -> [1, 2, 3, 9, 4]"},
        {"PyObject_SetItem", "[1, 2, 3, 4], slice(None, None, 2), [7, 8]", "0 -> [7, 2, 8, 4]"},
        {"PyObject_SetItem", "[1, 2, 3, 4], slice(None, None, -1), (7, 8, 9, 10)",
         "0 -> [10, 9, 8, 7]"},
        {"PyObject_SetItem", "[1, 2, 3, 4], slice(None, None, 2), [7]",
         "ValueError: attempt to assign sequence of size 1 to extended slice of size 2"},
        {"PyObject_SetItem", "[1, 2, 3, 4], slice(None, None, 2), 5",
         "TypeError: must assign iterable to extended slice"},
        {"PyObject_SetItem", "[1, 2, 3, 4], slice(3, 1, 2), []", "0 -> [1, 2, 3, 4]"},
        {"PyObject_SetItem", "[1, 2, 3, 4], slice(1, 3, 0), []",
         "ValueError: slice step cannot be zero"},
        {"PyObject_SetItem", "[1, 2, 3, 4], slice(0, 2), range(5)", "0 -> [0, 1, 2, 3, 4, 3, 4]"},
        {"PyObject_SetItem", "[1, 2, 3], 123456789012345678901, 9",
         "IndexError: cannot fit 'int' into an index-sized integer"},
        {"PyObject_DelItem", "[1, 2, 3], 0", "0 -> [2, 3]"},
        {"PyObject_DelItem", "[1, 2, 3], -1", "0 -> [1, 2]"},
        {"PyObject_DelItem", "[1, 2, 3], 3", "IndexError: list assignment index out of range"},
        {"PyObject_DelItem", "[1, 2, 3], 'a'",
         "TypeError: list indices must be integers or slices, not str"},
        {"PyObject_DelItem", "(1, 2), 0",
         "TypeError: 'tuple' object doesn't support item deletion"},
        {"PyObject_DelItem", "(1, 2), 'a'",
         "TypeError: 'tuple' object does not support item deletion"},
        {"PyObject_DelItem", "'ab', 0", "TypeError: 'str' object doesn't support item deletion"},
        {"PyObject_DelItem", "5, 0", "TypeError: 'int' object does not support item deletion"},
        {"PyObject_DelItem", "{1: 2}, 1", "0 -> {}"},
        {"PyObject_DelItem", "{1: 2}, 3", "KeyError: 3"},
        {"PyObject_DelItem", "[1, 2, 3, 4, 5, 6, 7], slice(1, 3)", "0 -> [1, 4, 5, 6, 7]"},
        {"PyObject_DelItem", "[1, 2, 3, 4, 5, 6, 7], slice(None, None, 2)", "0 -> [2, 4, 6]"},
        {"PyObject_DelItem", "[1, 2, 3, 4, 5, 6, 7], slice(None, None, -3)", "0 -> [2, 3, 5, 6]"},
        {"PyObject_DelItem", "[1, 2, 3, 4, 5, 6, 7], slice(5, 1, -2)", "0 -> [1, 2, 3, 5, 7]"},
        {"PyObject_DelItem", "[1, 2, 3, 4], slice(3, 1, 2)", "0 -> [1, 2, 3, 4]"},
        {"PyObject_DelItem", "[1, 2, 3, 4], slice(None)", "0 -> []"},
        {"PyObject_DelItem", "range(3), 0",
         "TypeError: 'range' object doesn't support item deletion"},
    });
}

TEST_P(Protocols, SequencesMappingsAndIterables) {
    expect_results({
        {"PySequence_Size", "[1, 2]", "2"},
        {"PySequence_Size", "(1,)", "1"},
        {"PySequence_Size", "'a€'", "2"},
        {"PySequence_Size", "b'abc'", "3"},
        {"PySequence_Size", "{1: 2}", "TypeError: dict is not a sequence"},
        {"PySequence_Size", "5", "TypeError: object of type 'int' has no len()"},
        {"PySequence_Size", "range(7)", "7"},
        {"PySequence_Size", "range(123456789012345678901)",
         "OverflowError: Python int too large to convert to C ssize_t"},
        {"PyObject_Size", "[1, 2]", "2"},
        {"PyObject_Size", "{1: 2}", "1"},
        {"PyObject_Size", "5", "TypeError: object of type 'int' has no len()"},
        {"PyObject_Size", "{1, 2}", "2"},
        {"PyObject_Size", "None", "TypeError: object of type 'NoneType' has no len()"},
        {"PyMapping_Size", "[1, 2]", "2"},
        {"PyMapping_Size", "{1: 2}", "1"},
        {"PyMapping_Size", "5", "TypeError: object of type 'int' has no len()"},
        {"PySequence_Check", "[]", "1"},
        {"PySequence_Check", "()", "1"},
        {"PySequence_Check", "''", "1"},
        {"PySequence_Check", "b''", "1"},
        {"PySequence_Check", "{}", "0"},
        {"PySequence_Check", "5", "0"},
        {"PySequence_Check", "range(1)", "1"},
        {"PySequence_Check", "{1}", "0"},
        {"PyMapping_Check", "[]", "1"},
        {"PyMapping_Check", "()", "1"},
        {"PyMapping_Check", "''", "1"},
        {"PyMapping_Check", "b''", "1"},
        {"PyMapping_Check", "{}", "1"},
        {"PyMapping_Check", "5", "0"},
        {"PyMapping_Check", "range(1)", "1"},
        {"PyMapping_Check", "{1}", "0"},
        {"PySequence_Concat", "[1], [2, 3]", "[1, 2, 3]"},
        {"PySequence_Concat", "[1], (2,)",
         "TypeError: can only concatenate list (not \"tuple\") to list"},
        {"PySequence_Concat", "(1,), (2, 3)", "(1, 2, 3)"},
        {"PySequence_Concat", "(1,), [2]",
         "TypeError: can only concatenate tuple (not \"list\") to tuple"},
        {"PySequence_Concat", "(), (1,)", "(1,)"},
        {"PySequence_Concat", "'a', 'b'", "'ab'"},
        {"PySequence_Concat", "b'a', b'b'", "b'ab'"},
        {"PySequence_Concat", "'a', 5", "TypeError: can only concatenate str (not \"int\") to str"},
        {"PySequence_Concat", "5, 6", "TypeError: 'int' object can't be concatenated"},
        {"PySequence_Concat", "[1], 5",
         "TypeError: can only concatenate list (not \"int\") to list"},
        {"PySequence_Concat", "range(2), range(3)",
         "TypeError: 'range' object can't be concatenated"},
        {"PySequence_Concat", "{}, {}", "TypeError: 'dict' object can't be concatenated"},
        {"PySequence_InPlaceConcat", "[1], [2, 3]", "[1, 2, 3] -> [1, 2, 3]"},
        {"PySequence_InPlaceConcat", "[1], (2, 3)", "[1, 2, 3] -> [1, 2, 3]"},
        {"PySequence_InPlaceConcat", "[1], 'ab'", "[1, 'a', 'b'] -> [1, 'a', 'b']"},
        {"PySequence_InPlaceConcat", "[1], 5", "TypeError: 'int' object is not iterable"},
        {"PySequence_InPlaceConcat", "(1,), (2,)", "(1, 2) -> (1,)"},
        {"PySequence_InPlaceConcat", "(1,), [2]",
         "TypeError: can only concatenate tuple (not \"list\") to tuple"},
        {"PySequence_InPlaceConcat", "'a', 'b'", "'ab' -> 'a'"},
        {"PySequence_InPlaceConcat", "5, 6", "TypeError: 'int' object can't be concatenated"},
        {"PySequence_Repeat", "[1, 2], 3", "[1, 2, 1, 2, 1, 2]"},
        {"PySequence_Repeat", "[1, 2], 0", "[]"},
        {"PySequence_Repeat", "[1, 2], -1", "[]"},
        {"PySequence_Repeat", "[], 5", "[]"},
        {"PySequence_Repeat", "(1, 2), 2", "(1, 2, 1, 2)"},
        {"PySequence_Repeat", "(1, 2), 1", "(1, 2)"},
        {"PySequence_Repeat", "(1, 2), -5", "()"},
        {"PySequence_Repeat", "'ab', 3", "'ababab'"},
        {"PySequence_Repeat", "b'ab', 3", "b'ababab'"},
        {"PySequence_Repeat", "5, 3", "TypeError: 'int' object can't be repeated"},
        {"PySequence_Repeat", "range(2), 2", "TypeError: 'range' object can't be repeated"},
        {"PySequence_Repeat", "[1, 2, 3, 4], 4611686018427387904", "MemoryError: "},
        {"PySequence_Repeat", "(1, 2, 3, 4), 4611686018427387904", "MemoryError: "},
        {"PySequence_InPlaceRepeat", "[1, 2], 3", "[1, 2, 1, 2, 1, 2] -> [1, 2, 1, 2, 1, 2]"},
        {"PySequence_InPlaceRepeat", "[1, 2], 0", "[] -> []"},
        {"PySequence_InPlaceRepeat", "[1, 2], -1", "[] -> []"},
        {"PySequence_InPlaceRepeat", "[1, 2], 1", "[1, 2] -> [1, 2]"},
        {"PySequence_InPlaceRepeat", "(1, 2), 2", "(1, 2, 1, 2) -> (1, 2)"},
        {"PySequence_InPlaceRepeat", "5, 2", "TypeError: 'int' object can't be repeated"},
        {"PySequence_InPlaceRepeat", "[1, 2, 3, 4], 4611686018427387904", "MemoryError: "},
        {"PySequence_GetItem", "[1, 2], 1", "2"},
        {"PySequence_GetItem", "[1, 2], -1", "2"},
        {"PySequence_GetItem", "[1, 2], 2", "IndexError: list index out of range"},
        {"PySequence_GetItem", "[1, 2], -3", "IndexError: list index out of range"},
        {"PySequence_GetItem", "(1, 2), -2", "1"},
        {"PySequence_GetItem", "(1, 2), 9", "IndexError: tuple index out of range"},
        {"PySequence_GetItem", "'ab', -1", "'b'"},
        {"PySequence_GetItem", "b'ab', 1", "98"},
        {"PySequence_GetItem", "{1: 2}, 1", "TypeError: dict is not a sequence"},
        {"PySequence_GetItem", "5, 1", "TypeError: 'int' object does not support indexing"},
        {"PySequence_GetItem", "{1}, 1", "TypeError: 'set' object does not support indexing"},
        {"PySequence_GetItem", "range(3), 2", "2"},
        {"PySequence_GetItem", "range(3), 3", "IndexError: range object index out of range"},
        {"PySequence_SetItem", "[1, 2], -1, 5", "0 -> [1, 5]"},
        {"PySequence_SetItem", "[1, 2], 2, 5", "IndexError: list assignment index out of range"},
        {"PySequence_SetItem", "(1, 2), 0, 5",
         "TypeError: 'tuple' object does not support item assignment"},
        {"PySequence_SetItem", "{}, 0, 5", "TypeError: dict is not a sequence"},
        {"PySequence_SetItem", "5, 0, 5",
         "TypeError: 'int' object does not support item assignment"},
        {"PySequence_DelItem", "[1, 2], -1", "0 -> [1]"},
        {"PySequence_DelItem", "[1, 2], 2", "IndexError: list assignment index out of range"},
        {"PySequence_DelItem", "(1, 2), 0",
         "TypeError: 'tuple' object doesn't support item deletion"},
        {"PySequence_DelItem", "{}, 0", "TypeError: dict is not a sequence"},
        {"PySequence_DelItem", "5, 0", "TypeError: 'int' object doesn't support item deletion"},
        {"PySequence_GetSlice", "[1, 2, 3], 1, 2", "[2]"},
        {"PySequence_GetSlice", "[1, 2, 3], -2, 9", "[2, 3]"},
        {"PySequence_GetSlice", "(1, 2, 3), 1, 3", "(2, 3)"},
        {"PySequence_GetSlice", "'abc', 1, 2", "'b'"},
        {"PySequence_GetSlice", "b'abc', 0, -1", "b'ab'"},
        {"PySequence_GetSlice", "5, 0, 1", "TypeError: 'int' object is unsliceable"},
        {"PySequence_GetSlice", "{}, 0, 1", "KeyError: slice(0, 1, None)"},
        {"PySequence_GetSlice", "range(5), 1, 3", "range(1, 3)"},
        {"PySequence_SetSlice", "[1, 2, 3], 1, 2, [7, 8]", "0 -> [1, 7, 8, 3]"},
        {"PySequence_SetSlice", "[1, 2, 3], 0, 3, ()", "0 -> []"},
        {"PySequence_SetSlice", "[1, 2, 3], -1, 9, 'ab'", "0 -> [1, 2, 'a', 'b']"},
        {"PySequence_SetSlice", "[1, 2], 0, 1, 5", "TypeError: can only assign an iterable"},
        {"PySequence_SetSlice", "(1, 2), 0, 1, []",
         "TypeError: 'tuple' object doesn't support slice assignment"},
        {"PySequence_SetSlice", "5, 0, 1, []",
         "TypeError: 'int' object doesn't support slice assignment"},
        {"PySequence_DelSlice", "[1, 2, 3], 1, 2", "0 -> [1, 3]"},
        {"PySequence_DelSlice", "[1, 2, 3], 0, 3", "0 -> []"},
        {"PySequence_DelSlice", "(1, 2), 0, 1",
         "TypeError: 'tuple' object doesn't support slice deletion"},
        {"PySequence_DelSlice", "5, 0, 1",
         "TypeError: 'int' object doesn't support slice deletion"},
        {"PySequence_Count", "[1, 2, 1, 1.0], 1", "3"},
        {"PySequence_Count", "(1, 2), 3", "0"},
        {"PySequence_Count", "'banana', 'a'", "3"},
        {"PySequence_Count", "5, 1", "TypeError: argument of type 'int' is not iterable"},
        {"PySequence_Count", "{1: 2}, 1", "1"},
        {"PySequence_Count", "range(5), 2", "1"},
        {"PySequence_Contains", "[1, 2], 2", "1"},
        {"PySequence_Contains", "[1, 2], 3", "0"},
        {"PySequence_Contains", "(1, 2), 2.0", "1"},
        {"PySequence_Contains", "'abc', 'bc'", "1"},
        {"PySequence_Contains", "'abc', 5",
         "TypeError: 'in <string>' requires string as left operand, not int"},
        {"PySequence_Contains", "b'abc', 98", "1"},
        {"PySequence_Contains", "b'abc', 300", "ValueError: byte must be in range(0, 256)"},
        {"PySequence_Contains", "{1: 2}, 1", "1"},
        {"PySequence_Contains", "5, 1", "TypeError: argument of type 'int' is not iterable"},
        {"PySequence_Contains", "range(10), 3", "1"},
        {"PySequence_Contains", "range(0, 10, 2), 3", "0"},
        {"PySequence_Contains", "range(10), 3.0", "1"},
        {"PySequence_Contains", "range(10), 'a'", "0"},
        {"PySequence_Contains", "range(10, 0, -3), 4", "1"},
        {"PySequence_Contains", "range(10, 0, -3), 0", "0"},
        {"PySequence_Contains", "range(10), True", "1"},
        {"PySequence_Index", "[1, 2], 2", "1"},
        {"PySequence_Index", "[1, 2], 3", "ValueError: sequence.index(x): x not in sequence"},
        {"PySequence_Index", "'banana', 'n'", "2"},
        {"PySequence_Index", "(1, 2), 1", "0"},
        {"PySequence_Index", "5, 1", "TypeError: argument of type 'int' is not iterable"},
        {"PySequence_Index", "range(0, 10, 2), 4", "2"},
        {"PySequence_List", "(1, 2)", "[1, 2]"},
        {"PySequence_List", "'ab'", "['a', 'b']"},
        {"PySequence_List", "b'ab'", "[97, 98]"},
        {"PySequence_List", "{1: 2}", "[1]"},
        {"PySequence_List", "range(4)", "[0, 1, 2, 3]"},
        {"PySequence_List", "5", "TypeError: 'int' object is not iterable"},
        {"PySequence_List", "None", "TypeError: 'NoneType' object is not iterable"},
        {"PySequence_Tuple", "[1, 2]", "(1, 2)"},
        {"PySequence_Tuple", "(1, 2)", "(1, 2)"},
        {"PySequence_Tuple", "'ab'", "('a', 'b')"},
        {"PySequence_Tuple", "range(4)", "(0, 1, 2, 3)"},
        {"PySequence_Tuple", "5", "TypeError: 'int' object is not iterable"},
        {"PyMapping_Keys", "{1: 2}", "[1]"},
        {"PyMapping_Keys", "5", "AttributeError: 'int' object has no attribute 'keys'"},
        {"PyMapping_Keys", "[]", "AttributeError: 'list' object has no attribute 'keys'"},
        {"PyMapping_Values", "{1: 2}", "[2]"},
        {"PyMapping_Values", "5", "AttributeError: 'int' object has no attribute 'values'"},
        {"PyMapping_Items", "{1: 2}", "[(1, 2)]"},
        {"PyMapping_Items", "'a'", "AttributeError: 'str' object has no attribute 'items'"},
        {"PyNumber_Add", "[1], [2]", "[1, 2]"},
        {"PyNumber_Add", "[1], 5", "TypeError: can only concatenate list (not \"int\") to list"},
        {"PyNumber_Add", "5, [1]",
         "TypeError: unsupported operand type(s) for +: 'int' and 'list'"},
        {"PyNumber_Add", "(1,), [2]",
         "TypeError: can only concatenate tuple (not \"list\") to tuple"},
        {"PyNumber_Add", "'a', 5", "TypeError: can only concatenate str (not \"int\") to str"},
        {"PyNumber_Add", "5, 'a'", "TypeError: unsupported operand type(s) for +: 'int' and 'str'"},
        {"PyNumber_Multiply", "[1], 2", "[1, 1]"},
        {"PyNumber_Multiply", "2, [1]", "[1, 1]"},
        {"PyNumber_Multiply", "(1,), 'a'",
         "TypeError: can't multiply sequence by non-int of type 'str'"},
        {"PyNumber_Multiply", "[1], [2]",
         "TypeError: can't multiply sequence by non-int of type 'list'"},
        {"PyNumber_Multiply", "'a', 3", "'aaa'"},
        {"PyNumber_Multiply", "3, (1,)", "(1, 1, 1)"},
        {"PyNumber_Multiply", "[1], 123456789012345678901",
         "OverflowError: cannot fit 'int' into an index-sized integer"},
        {"PyNumber_Multiply", "[1], 1.5",
         "TypeError: can't multiply sequence by non-int of type 'float'"},
        {"PyNumber_InPlaceAdd", "[1], (2, 3)", "[1, 2, 3] -> [1, 2, 3]"},
        {"PyNumber_InPlaceAdd", "[1], 5", "TypeError: 'int' object is not iterable"},
        {"PyNumber_InPlaceAdd", "(1,), (2,)", "(1, 2) -> (1,)"},
        {"PyNumber_InPlaceAdd", "'a', 'b'", "'ab' -> 'a'"},
        {"PyNumber_InPlaceMultiply", "[1], 2", "[1, 1] -> [1, 1]"},
        {"PyNumber_InPlaceMultiply", "(1,), 2", "(1, 1) -> (1,)"},
        {"PyNumber_InPlaceMultiply", "2, [1]", "[1, 1] -> 2"},
        {"PyNumber_InPlaceMultiply", "[1], 'a'",
         "TypeError: can't multiply sequence by non-int of type 'str'"},
        {"PyObject_GetIter", "[1, 2]", "[1, 2]"},
        {"PyObject_GetIter", "(1, 2)", "[1, 2]"},
        {"PyObject_GetIter", "'a€😀'", "['a', '€', '😀']"},
        {"PyObject_GetIter", "'ab'", "['a', 'b']"},
        {"PyObject_GetIter", "b'ab'", "[97, 98]"},
        {"PyObject_GetIter", "{1: 2}", "[1]"},
        {"PyObject_GetIter", "range(3)", "[0, 1, 2]"},
        {"PyObject_GetIter", "range(3, 0, -1)", "[3, 2, 1]"},
        {"PyObject_GetIter", "range(9223372036854775806, 9223372036854775809)",
         "[9223372036854775806, 9223372036854775807, 9223372036854775808]"},
        {"PyObject_GetIter", "range(-9223372036854775809, -9223372036854775807)",
         "[-9223372036854775809, -9223372036854775808]"},
        {"PyObject_GetIter", "5", "TypeError: 'int' object is not iterable"},
        {"PyObject_GetIter", "None", "TypeError: 'NoneType' object is not iterable"},
        {"PyObject_GetIter", "range(0)", "[]"},
        {"PyObject_LengthHint", "[1, 2], 7", "2"},
        {"PyObject_LengthHint", "5, 7", "7"},
        {"PyObject_LengthHint", "{1: 2}, 7", "1"},
        {"PyObject_LengthHint", "range(5), 1", "5"},
        {"PyObject_Hash", "()", "5740354900026072187"},
        {"PyObject_Hash", "(1,)", "-6644214454873602895"},
        {"PyObject_Hash", "(1, 2, 3)", "529344067295497451"},
        {"PyObject_Hash", "(1, (2, (3, 4)), -1, 2.5)", "5808645596166347693"},
        {"PyObject_Hash", "(0, 0.0)", "-8458139203682520985"},
        {"PyObject_Hash", "[]", "TypeError: unhashable type: 'list'"},
        {"PyObject_Hash", "([],)", "TypeError: unhashable type: 'list'"},
        {"PyObject_Hash", "range(5)", "5795932985296280846"},
        {"PyObject_Hash", "range(1, 10, 3)", "-9160968616009628824"},
        {"PyObject_Hash", "range(-1, -20, -7)", "-696951568269570615"},
    });
}

// A NULL argument is what an earlier failure left, or an error of its own.
TEST_P(Protocols, NullIsASystemError) {
    const std::string null = "SystemError: null argument to internal routine";
    EXPECT_EQ(outcome(PyObject_Size(nullptr)), null);
    EXPECT_EQ(outcome(PyObject_GetItem(nullptr, Py_None)), null);
    EXPECT_EQ(outcome(PyObject_GetItem(Py_None, nullptr)), null);
    EXPECT_EQ(outcome(static_cast<Py_ssize_t>(PyObject_SetItem(Py_None, Py_None, nullptr))), null);
    EXPECT_EQ(outcome(PySequence_Concat(nullptr, Py_None)), null);
    EXPECT_EQ(outcome(PySequence_GetItem(nullptr, 0)), null);
    EXPECT_EQ(outcome(PySequence_Count(nullptr, Py_None)), null);
    EXPECT_EQ(outcome(PySequence_Tuple(nullptr)), null);
    EXPECT_EQ(outcome(PyMapping_Keys(nullptr)), null);
    PyErr_SetString(PyExc_KeyError, "earlier");
    EXPECT_EQ(PyObject_GetItem(nullptr, Py_None), nullptr);
    EXPECT_EQ(take_raised(), "KeyError: 'earlier'");
}

TEST_P(Protocols, AFastSequenceIsAListOrATuple) {
    PyObject* list = literal("[1, 2]");
    PyObject* fast = PySequence_Fast(list, "no");
    EXPECT_EQ(fast, list);
    EXPECT_EQ(PySequence_Fast_GET_SIZE(fast), 2);
    EXPECT_EQ(PySequence_Fast_ITEMS(fast)[1], PySequence_Fast_GET_ITEM(fast, 1));
    drop({fast, list});
    PyObject* text = literal("'ab'");
    fast = PySequence_Fast(text, "no");
    EXPECT_TRUE(PyList_CheckExact(fast));
    EXPECT_EQ(repr_of(fast), "['a', 'b']");
    Py_DECREF(text);
    EXPECT_EQ(PySequence_Fast(Py_None, "a list is wanted"), nullptr);
    EXPECT_EQ(take_raised(), "TypeError: a list is wanted");
}

TEST_P(Protocols, KeysThatAreText) {
    PyObject* dict = literal("{'a': 1}");
    EXPECT_EQ(outcome(PyMapping_GetItemString(dict, "a")), "1");
    EXPECT_EQ(outcome(PyMapping_GetItemString(dict, "b")), "KeyError: 'b'");
    PyObject* value;
    EXPECT_EQ(PyMapping_GetOptionalItemString(dict, "a", &value), 1);
    EXPECT_EQ(repr_of(value), "1");
    EXPECT_EQ(PyMapping_GetOptionalItemString(dict, "b", &value), 0);
    EXPECT_EQ(value, nullptr);
    EXPECT_EQ(PyMapping_SetItemString(dict, "b", Py_True), 0);
    EXPECT_EQ(PyMapping_HasKeyString(dict, "b"), 1);
    EXPECT_EQ(PyMapping_DelItemString(dict, "b"), 0);
    EXPECT_EQ(PyMapping_HasKeyStringWithError(dict, "b"), 0);
    EXPECT_EQ(PyMapping_HasKey(dict, Py_None), 0);
    EXPECT_EQ(PyMapping_HasKeyWithError(dict, dict), -1);
    EXPECT_EQ(take_raised(), "TypeError: unhashable type: 'dict'");
    EXPECT_EQ(PyMapping_HasKey(dict, dict), 0);
    EXPECT_EQ(take_unraisable(), std::vector<std::string>{"TypeError: unhashable type: 'dict'"});
    EXPECT_EQ(PyMapping_GetOptionalItem(Py_None, dict, &value), -1);
    EXPECT_EQ(take_raised(), "TypeError: 'NoneType' object is not subscriptable");
    Py_DECREF(dict);
}

EVERY_WAY_OF_COUNTING(Protocols);

}  // namespace
}  // namespace ouro::test
