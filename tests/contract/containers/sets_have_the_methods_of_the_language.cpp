// set and frozenset: their methods, called by name. Each result is
// CPython 3.11's. Source: "Set Types".

#include "tests/contract/methods.hpp"

namespace ouro::test {
namespace {

using SetMethods = Things;

TEST_P(SetMethods, Change) {
    expect_methods({
        {"{1, 2}", "add", "3", "None"},
        {"{1, 2}", "add", "", "TypeError: set.add() takes exactly one argument (0 given)"},
        {"{1, 2}", "add", "[]", "TypeError: unhashable type: 'list'"},
        {"{1, 2}", "remove", "1", "None"},
        {"{1, 2}", "remove", "3", "KeyError: 3"},
        {"{1, 2}", "remove", "(1, 2)", "KeyError: (1, 2)"},
        {"{1, 2}", "remove", "[]", "TypeError: unhashable type: 'list'"},
        {"{1, 2}", "discard", "3", "None"},
        {"{1, 2}", "discard", "{}", "TypeError: unhashable type: 'dict'"},
        {"{1}", "pop", "", "1"},
        {"set()", "pop", "", "KeyError: 'pop from an empty set'"},
        {"{1, 2}", "clear", "", "None"},
        {"{1, 2}", "update", "[3, 4], (5,)", "None"},
        {"{1, 2}", "update", "", "None"},
        {"{1, 2}", "update", "1", "TypeError: 'int' object is not iterable"},
        {"{1, 2}", "update", "[[]]", "TypeError: unhashable type: 'list'"},
        {"{1, 2}", "difference_update", "[1], [2]", "None"},
        {"{1, 2}", "intersection_update", "[1], [2]", "None"},
        {"{1, 2}", "symmetric_difference_update", "[1, 3]", "None"},
        {"{1, 2}", "symmetric_difference_update", "",
         "TypeError: set.symmetric_difference_update() takes exactly one argument (0 given)"},
        {"{1, 2}", "__contains__", "1", "True"},
        {"{1, 2}", "__contains__", "3", "False"},
        {"{1, 2}", "__contains__", "[]", "TypeError: unhashable type: 'list'"},
        {"{1, 2}", "__contains__", "{3}", "False"},
    });
}

TEST_P(SetMethods, Combine) {
    expect_methods({
        {"{1, 2}", "copy", "", "{1, 2}"},
        {"{1, 2}", "union", "[3], {4}", "{1, 2, 3, 4}"},
        {"{1, 2}", "union", "", "{1, 2}"},
        {"{1, 2}", "union", "1", "TypeError: 'int' object is not iterable"},
        {"{1, 2, 3}", "intersection", "[2, 3, 4], (3,)", "{3}"},
        {"{1, 2}", "intersection", "", "{1, 2}"},
        {"{1, 2, 3}", "intersection", "{2, 3}", "{2, 3}"},
        {"{1, 2, 3}", "intersection", "{2: 1}", "{2}"},
        {"{1, 2, 3}", "intersection", "[[]]", "TypeError: unhashable type: 'list'"},
        {"{1, 2, 3}", "difference", "[1], {2}", "{3}"},
        {"{1, 2}", "difference", "{1: 0}", "{2}"},
        {"{1, 2}", "difference", "", "{1, 2}"},
        {"{1, 2}", "difference", "1", "TypeError: 'int' object is not iterable"},
        {"{1, 2}", "symmetric_difference", "[2, 3]", "{1, 3}"},
        {"{1, 2}", "symmetric_difference", "{2: 0, 3: 0}", "{1, 3}"},
        {"{1, 2}", "symmetric_difference", "[2, 2]", "{1}"},
        {"{1, 2}", "symmetric_difference", "1", "TypeError: 'int' object is not iterable"},
        {"frozenset({1, 2})", "union", "[3]", "frozenset({1, 2, 3})"},
        {"frozenset({1, 2})", "intersection", "[2]", "frozenset({2})"},
        {"frozenset({1, 2})", "difference", "[2]", "frozenset({1})"},
        {"frozenset({1, 2})", "symmetric_difference", "[2]", "frozenset({1})"},
        {"frozenset({1, 2})", "copy", "", "frozenset({1, 2})"},
        {"frozenset()", "copy", "", "frozenset()"},
        {"frozenset({1})", "__contains__", "1", "True"},
        {"frozenset({1})", "add", "1", "AttributeError: 'frozenset' object has no attribute 'add'"},
        {"frozenset({1})", "clear", "",
         "AttributeError: 'frozenset' object has no attribute 'clear'"},
    });
}

TEST_P(SetMethods, Compare) {
    expect_methods({
        {"{1, 2}", "isdisjoint", "[3]", "True"},
        {"{1, 2}", "isdisjoint", "{2}", "False"},
        {"{1, 2}", "isdisjoint", "{2, 3, 4}", "False"},
        {"{1, 2}", "isdisjoint", "[[]]", "TypeError: unhashable type: 'list'"},
        {"{1, 2}", "isdisjoint", "1", "TypeError: 'int' object is not iterable"},
        {"{1, 2}", "issubset", "[1, 2, 3]", "True"},
        {"{1, 2}", "issubset", "{1}", "False"},
        {"{1, 2}", "issubset", "1", "TypeError: 'int' object is not iterable"},
        {"{1, 2}", "issuperset", "[1]", "True"},
        {"{1, 2}", "issuperset", "{1, 3}", "False"},
        {"{1, 2}", "issuperset", "frozenset()", "True"},
    });
}

EVERY_WAY_OF_COUNTING(SetMethods);

}  // namespace
}  // namespace ouro::test
