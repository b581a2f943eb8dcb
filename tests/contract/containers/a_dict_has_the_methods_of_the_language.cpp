// dict and its views: their methods, called by name. Each result is
// CPython 3.11's. Source: "Mapping Types".

#include "tests/contract/methods.hpp"

namespace ouro::test {
namespace {

using DictMethods = Things;

TEST_P(DictMethods, GiveAndTake) {
    expect_methods({
        {"{'a': 1}", "get", "'a'", "1"},
        {"{'a': 1}", "get", "'b'", "None"},
        {"{'a': 1}", "get", "'b', 5", "5"},
        {"{'a': 1}", "get", "", "TypeError: get expected at least 1 argument, got 0"},
        {"{'a': 1}", "get", "[]", "TypeError: unhashable type: 'list'"},
        {"{'a': 1}", "get", "1, 2, 3", "TypeError: get expected at most 2 arguments, got 3"},
        {"{'a': 1}", "setdefault", "'a', 2", "1"},
        {"{'a': 1}", "setdefault", "'b', 2", "2"},
        {"{'a': 1}", "setdefault", "'b'", "None"},
        {"{'a': 1}", "setdefault", "", "TypeError: setdefault expected at least 1 argument, got 0"},
        {"{'a': 1}", "setdefault", "{}", "TypeError: unhashable type: 'dict'"},
        {"{'a': 1}", "pop", "'a'", "1"},
        {"{'a': 1}", "pop", "'b'", "KeyError: 'b'"},
        {"{'a': 1}", "pop", "(1, 2)", "KeyError: (1, 2)"},
        {"{'a': 1}", "pop", "'b', None", "None"},
        {"{'a': 1}", "pop", "", "TypeError: pop expected at least 1 argument, got 0"},
        {"{'a': 1}", "pop", "1, 2, 3", "TypeError: pop expected at most 2 arguments, got 3"},
        {"{'a': 1}", "pop", "[]", "TypeError: unhashable type: 'list'"},
        {"{'a': 1, 'b': 2}", "popitem", "", "('b', 2)"},
        {"{}", "popitem", "", "KeyError: 'popitem(): dictionary is empty'"},
        {"{}", "popitem", "1", "TypeError: dict.popitem() takes no arguments (1 given)"},
        {"{'a': 1}", "clear", "", "None"},
        {"{'a': 1}", "copy", "", "{'a': 1}"},
        {"{'a': 1}", "__contains__", "'a'", "True"},
        {"{'a': 1}", "__contains__", "'b'", "False"},
        {"{'a': 1}", "__contains__", "[]", "TypeError: unhashable type: 'list'"},
        {"{'a': 1}", "__getitem__", "'a'", "1"},
        {"{'a': 1}", "__getitem__", "'b'", "KeyError: 'b'"},
        {"{'a': 1}", "__getitem__", "(1, 2)", "KeyError: (1, 2)"},
        {"{'a': 1}", "__getitem__", "[]", "TypeError: unhashable type: 'list'"},
        {"{'a': 1}", "update", "", "None"},
        {"{'a': 1}", "update", "{'b': 2}", "None"},
        {"{'a': 1}", "update", "[('b', 2), 'cd']", "None"},
        {"{'a': 1}", "update", "[1]",
         "TypeError: cannot convert dictionary update sequence element #0 to a sequence"},
        {"{'a': 1}", "update", "[(1, 2, 3)]",
         "ValueError: dictionary update sequence element #0 has length 3; 2 is required"},
        {"{'a': 1}", "update", "[([], 2)]", "TypeError: unhashable type: 'list'"},
        {"{'a': 1}", "update", "1", "TypeError: 'int' object is not iterable"},
        {"{'a': 1}", "update", "1, 2", "TypeError: update expected at most 1 argument, got 2"},
        {"{'a': 1}", "fromkeys", "'xy'", "{'x': None, 'y': None}"},
        {"{'a': 1}", "fromkeys", "(1, 2), 0", "{1: 0, 2: 0}"},
        {"{'a': 1}", "fromkeys", "[[]]", "TypeError: unhashable type: 'list'"},
        {"{'a': 1}", "fromkeys", "1", "TypeError: 'int' object is not iterable"},
        {"{'a': 1}", "fromkeys", "", "TypeError: fromkeys expected at least 1 argument, got 0"},
        {"{'a': 1}", "fromkeys", "[1], 2, 3",
         "TypeError: fromkeys expected at most 2 arguments, got 3"},
    });
}

TEST_P(DictMethods, MakeViews) {
    expect_methods({
        {"{'a': 1, 'b': 2}", "keys", "", "dict_keys(['a', 'b'])"},
        {"{'a': 1, 'b': 2}", "values", "", "dict_values([1, 2])"},
        {"{'a': 1, 'b': 2}", "items", "", "dict_items([('a', 1), ('b', 2)])"},
        {"{}", "keys", "", "dict_keys([])"},
        {"{}", "items", "", "dict_items([])"},
        {"{}", "keys", "1", "TypeError: dict.keys() takes no arguments (1 given)"},
    });
}

EVERY_WAY_OF_COUNTING(DictMethods);

}  // namespace
}  // namespace ouro::test
