// dict, its views and set: made by calling their types, shown, compared, combined by operators, iterated over while
// they change, and derived from. Source: "Dictionary Objects", "Set Objects"; "Mapping Types", "Set Types".

#include "tests/contract/methods.hpp"

namespace ouro::test {
namespace {

class Containers : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        ASSERT_EQ(PyType_Ready(&SubDict), 0);
        ASSERT_EQ(PyType_Ready(&SubSet), 0);
    }

    // A dict by value, and more.
    struct Sub {
        PyDictObject dict;
        int state;
    };
    static PyObject* missing(PyObject*, PyObject* key) { return PyTuple_Pack(1, key); }
    static int init(PyObject* op, PyObject* args, PyObject* kwargs) {
        reinterpret_cast<Sub*>(op)->state = 7;
        return PyDict_Type.tp_init(op, args, kwargs);
    }
    static inline PyMethodDef methods[] = {{"__missing__", missing, METH_O, nullptr}, {}};
    static inline PyTypeObject SubDict = {
        .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "contract.SubDict",
        .tp_basicsize = sizeof(Sub),
        .tp_flags = Py_TPFLAGS_DEFAULT,
        .tp_methods = methods,
        .tp_base = &PyDict_Type,
        .tp_init = init,
    };
    static inline PyTypeObject SubSet = {
        .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "contract.SubSet",
        .tp_flags = Py_TPFLAGS_DEFAULT,
        .tp_base = &PySet_Type,
    };
};

PyObject* type(PyTypeObject& of) {
    return reinterpret_cast<PyObject*>(&of);
}

// What calling a type gives or raises; arguments are literals.
std::string made(PyTypeObject& of, const std::string& args, const std::string& keywords = "") {
    PyObject* tuple = literal("(" + args + (args.empty() ? ")" : ",)"));
    PyObject* dict = keywords.empty() ? nullptr : literal(keywords);
    PyObject* op = PyObject_Call(type(of), tuple, dict);
    Py_DECREF(tuple);
    Py_XDECREF(dict);
    return op == nullptr ? take_raised() : repr_of(op);
}

std::string compared(PyObject* a, int operation, PyObject* b) {
    PyObject* result = PyObject_RichCompare(a, b, operation);
    return result == nullptr ? take_raised() : repr_of(result);
}

using Operator = PyObject* (*)(PyObject*, PyObject*);

std::string combined(const char* a, Operator operation, const char* b) {
    PyObject* x = literal(a);
    PyObject* y = literal(b);
    PyObject* result = operation(x, y);
    drop({x, y});
    return result == nullptr ? take_raised() : repr_of(result);
}

// A view of a literal's dict; steals nothing, keeps the dict.
PyObject* view(PyObject* dict, const char* name) {
    PyObject* method = PyObject_GetAttrString(dict, name);
    PyObject* op = PyObject_CallNoArgs(method);
    Py_DECREF(method);
    return op;
}

TEST_P(Containers, AreMadeByTheirTypes) {
    EXPECT_EQ(made(PyDict_Type, ""), "{}");
    EXPECT_EQ(made(PyDict_Type, "{'a': 1}"), "{'a': 1}");
    EXPECT_EQ(made(PyDict_Type, "[('a', 1), ['b', 2]]", "{'c': 3}"), "{'a': 1, 'b': 2, 'c': 3}");
    EXPECT_EQ(made(PyDict_Type, "1, 2"), "TypeError: dict expected at most 1 argument, got 2");
    EXPECT_EQ(made(PyDict_Type, "1"), "TypeError: 'int' object is not iterable");
    EXPECT_EQ(made(PyDict_Type, "", "{1: 2}"), "TypeError: keywords must be strings");
    EXPECT_EQ(made(PySet_Type, "[1, 2, 1]"), "{1, 2}");
    EXPECT_EQ(made(PySet_Type, ""), "set()");
    EXPECT_EQ(made(PySet_Type, "1, 2"), "TypeError: set expected at most 1 argument, got 2");
    EXPECT_EQ(made(PySet_Type, "", "{'a': 1}"), "TypeError: set() takes no keyword arguments");
    EXPECT_EQ(made(PyFrozenSet_Type, "'a'"), "frozenset({'a'})");
    EXPECT_EQ(made(PyFrozenSet_Type, ""), "frozenset()");
    EXPECT_EQ(made(PyFrozenSet_Type, "1, 2"),
              "TypeError: frozenset expected at most 1 argument, got 2");
    EXPECT_EQ(made(PyFrozenSet_Type, "", "{'a': 1}"),
              "TypeError: frozenset() takes no keyword arguments");
    EXPECT_EQ(made(PyDictProxy_Type, "{1: 2}"), "mappingproxy({1: 2})");
    EXPECT_EQ(made(PyDictProxy_Type, "1"),
              "TypeError: mappingproxy() argument must be a mapping, not int");
    EXPECT_EQ(made(PyDictKeys_Type, ""), "TypeError: cannot create 'dict_keys' instances");
    PyObject* frozen = literal("frozenset({1})");
    PyObject* same = PyObject_CallOneArg(type(PyFrozenSet_Type), frozen);
    EXPECT_EQ(same, frozen);
    drop({frozen, same});
}

TEST_P(Containers, ShowThemselvesInside) {
    PyObject* dict = PyDict_New();
    PyDict_SetItemString(dict, "self", dict);
    EXPECT_EQ(repr_of(Py_NewRef(dict)), "{'self': {...}}");
    PyObject* values = view(dict, "values");
    PyDict_SetItemString(dict, "self", values);
    EXPECT_EQ(repr_of(Py_NewRef(values)), "dict_values([...])");
    PyDict_Clear(dict);
    drop({dict, values});
    PyObject* subset = PyObject_CallNoArgs(type(SubSet));
    EXPECT_EQ(repr_of(Py_NewRef(subset)), "contract.SubSet()");
    PySet_Add(subset, Py_None);
    EXPECT_EQ(repr_of(subset), "contract.SubSet({None})");
}

TEST_P(Containers, AreCompared) {
    PyObject* a = literal("{'a': 1, 'b': [2]}");
    PyObject* b = literal("{'b': [2], 'a': 1}");
    PyObject* c = literal("{'a': 1, 'c': [2]}");
    EXPECT_EQ(compared(a, Py_EQ, b), "True");
    EXPECT_EQ(compared(a, Py_NE, b), "False");
    EXPECT_EQ(compared(a, Py_EQ, c), "False");
    EXPECT_EQ(compared(a, Py_EQ, Py_None), "False");
    EXPECT_EQ(compared(a, Py_LT, c),
              "TypeError: '<' not supported between instances of 'dict' and 'dict'");
    PyObject* keys = view(a, "keys");
    PyObject* set = literal("{'a', 'b', 'c'}");
    EXPECT_EQ(compared(keys, Py_LT, set), "True");
    EXPECT_EQ(compared(keys, Py_LE, keys), "True");
    EXPECT_EQ(compared(keys, Py_EQ, set), "False");
    EXPECT_EQ(compared(keys, Py_NE, set), "True");
    EXPECT_EQ(compared(keys, Py_GE, set), "False");
    EXPECT_EQ(compared(set, Py_GT, keys), "True");
    EXPECT_EQ(compared(keys, Py_LT, Py_None),
              "TypeError: '<' not supported between instances of 'dict_keys' and 'NoneType'");
    drop({a, b, c, keys, set});
}

TEST_P(Containers, AreCombinedByOperators) {
    EXPECT_EQ(combined("{1: 2, 3: 4}", PyNumber_Or, "{3: 5, 6: 7}"), "{1: 2, 3: 5, 6: 7}");
    EXPECT_EQ(combined("{1: 2}", PyNumber_Or, "[(3, 4)]"),
              "TypeError: unsupported operand type(s) for |: 'dict' and 'list'");
    EXPECT_EQ(combined("{1: 2}", PyNumber_InPlaceOr, "[(3, 4)]"), "{1: 2, 3: 4}");
    EXPECT_EQ(combined("{1: 2}", PyNumber_InPlaceOr, "1"),
              "TypeError: 'int' object is not iterable");
    EXPECT_EQ(combined("{1, 2}", PyNumber_Or, "frozenset({3})"), "{1, 2, 3}");
    EXPECT_EQ(combined("frozenset({1, 2})", PyNumber_Or, "{3}"), "frozenset({1, 2, 3})");
    EXPECT_EQ(combined("{1, 2, 3}", PyNumber_And, "{2, 3, 4, 5}"), "{2, 3}");
    EXPECT_EQ(combined("{1, 2}", PyNumber_Subtract, "{2, 3}"), "{1}");
    EXPECT_EQ(combined("{1, 2}", PyNumber_Xor, "{2, 3}"), "{1, 3}");
    EXPECT_EQ(combined("{1, 2}", PyNumber_InPlaceOr, "{3}"), "{1, 2, 3}");
    EXPECT_EQ(combined("{1, 2}", PyNumber_InPlaceAnd, "{2, 3}"), "{2}");
    EXPECT_EQ(combined("{1, 2}", PyNumber_InPlaceSubtract, "{2, 3}"), "{1}");
    EXPECT_EQ(combined("{1, 2}", PyNumber_InPlaceXor, "{2, 3}"), "{1, 3}");
    EXPECT_EQ(combined("{1, 2}", PyNumber_Or, "[3]"),
              "TypeError: unsupported operand type(s) for |: 'set' and 'list'");
    EXPECT_EQ(combined("{1, 2}", PyNumber_InPlaceSubtract, "[3]"),
              "TypeError: unsupported operand type(s) for -=: 'set' and 'list'");
    PyObject* set = literal("{1, 2}");
    PyObject* same = PyNumber_InPlaceXor(set, set);
    EXPECT_EQ(same, set);
    EXPECT_EQ(PySet_Size(set), 0) << "without itself it is empty";
    drop({set, same});
}

TEST_P(Containers, HaveViewsThatAreSetsOfAKind) {
    PyObject* dict = literal("{1: 2, 3: 4}");
    PyObject* keys = view(dict, "keys");
    PyObject* items = view(dict, "items");
    PyObject* values = view(dict, "values");
    PyObject* list = literal("[3, 5]");
    EXPECT_EQ(repr_of(PyNumber_And(keys, list)), "{3}");
    EXPECT_EQ(repr_of(PyNumber_And(list, keys)), "{3}");
    EXPECT_EQ(repr_of(PyNumber_Or(keys, list)), "{1, 3, 5}");
    EXPECT_EQ(repr_of(PyNumber_Subtract(keys, list)), "{1}");
    EXPECT_EQ(repr_of(PyNumber_Subtract(list, keys)), "{5}");
    EXPECT_EQ(repr_of(PyNumber_Xor(keys, list)), "{1, 5}");
    PyObject* pairs = literal("[(1, 2), (3, 5)]");
    EXPECT_EQ(repr_of(PyNumber_And(items, pairs)), "{(1, 2)}");
    EXPECT_EQ(repr_of(PyNumber_Or(keys, dict)), "{1, 3}");
    EXPECT_EQ(PyNumber_Subtract(keys, Py_None), nullptr);
    EXPECT_EQ(take_raised(), "TypeError: 'NoneType' object is not iterable");
    EXPECT_EQ(PyNumber_And(values, list), nullptr);
    EXPECT_EQ(take_raised(),
              "TypeError: unsupported operand type(s) for &: 'dict_values' and 'list'");
    EXPECT_EQ(PySequence_Contains(keys, PyList_GetItem(list, 0)), 1);
    EXPECT_EQ(PySequence_Contains(keys, PyList_GetItem(list, 1)), 0);
    EXPECT_EQ(PySequence_Contains(keys, list), -1);
    EXPECT_EQ(take_raised(), "TypeError: unhashable type: 'list'");
    EXPECT_EQ(PySequence_Contains(items, PyList_GetItem(pairs, 0)), 1);
    EXPECT_EQ(PySequence_Contains(items, PyList_GetItem(pairs, 1)), 0);
    EXPECT_EQ(PySequence_Contains(items, list), 0);
    PyObject* four = PyLong_FromLong(4);
    EXPECT_EQ(PySequence_Contains(values, four), 1);
    EXPECT_EQ(called_with(keys, "isdisjoint", "[5]", ""), "True");
    EXPECT_EQ(called_with(keys, "isdisjoint", "{1, 7, 8}", ""), "False");
    EXPECT_EQ(called_with(keys, "isdisjoint", "1", ""), "TypeError: 'int' object is not iterable");
    PyDict_SetItem(dict, four, Py_None);
    EXPECT_EQ(repr_of(Py_NewRef(keys)), "dict_keys([1, 3, 4])") << "as the dict is now";
    EXPECT_EQ(PyObject_Size(values), 3);
    EXPECT_EQ(repr_of(PyObject_GetAttrString(items, "mapping")),
              "mappingproxy({1: 2, 3: 4, 4: None})");
    drop({dict, keys, items, values, list, pairs, four});
}

TEST_P(Containers, AreIteratedOver) {
    PyObject* dict = literal("{1: 2, 3: 4}");
    PyObject* items = view(dict, "items");
    EXPECT_EQ(repr_of(PySequence_List(dict)), "[1, 3]");
    EXPECT_EQ(repr_of(PySequence_List(items)), "[(1, 2), (3, 4)]");
    for (const auto& [op, expected] : {std::pair(dict, "[3, 1]"), {items, "[(3, 4), (1, 2)]"}}) {
        PyObject* method = PyObject_GetAttrString(op, "__reversed__");
        PyObject* reversed = PyObject_CallNoArgs(method);
        EXPECT_EQ(PyObject_LengthHint(reversed, -1), 2);
        EXPECT_EQ(repr_of(PySequence_List(reversed)), expected);
        drop({method, reversed});
    }
    PyObject* iterator = PyObject_GetIter(dict);
    EXPECT_STREQ(Py_TYPE(iterator)->tp_name, "dict_keyiterator");
    Py_DECREF(PyIter_Next(iterator));
    EXPECT_EQ(PyObject_LengthHint(iterator, -1), 1);
    Py_DECREF(PyIter_Next(iterator));
    const Py_ssize_t references = Py_REFCNT(dict);
    EXPECT_EQ(PyIter_Next(iterator), nullptr);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    EXPECT_EQ(Py_REFCNT(dict), references - 1) << "at its end it lets the dict go";
    EXPECT_EQ(PyIter_Next(iterator), nullptr);
    EXPECT_EQ(PyObject_LengthHint(iterator, -1), 0);
    drop({dict, items, iterator});
}

TEST_P(Containers, NoticeAChangeWhileTheyAreIteratedOver) {
    PyObject* dict = literal("{1: 2, 3: 4}");
    PyObject* iterator = PyObject_GetIter(dict);
    Py_DECREF(PyIter_Next(iterator));
    PyDict_SetItemString(dict, "more", Py_None);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(PyIter_Next(iterator), nullptr);
        EXPECT_EQ(take_raised(), "RuntimeError: dictionary changed size during iteration");
    }
    EXPECT_EQ(PyObject_LengthHint(iterator, -1), 0);
    Py_DECREF(iterator);
    iterator = PyObject_GetIter(dict);
    for (int i = 0; i < 3; ++i) {
        Py_DECREF(PyIter_Next(iterator));
    }
    PyDict_DelItemString(dict, "more");
    PyDict_SetItemString(dict, "another", Py_None);
    EXPECT_EQ(PyIter_Next(iterator), nullptr);
    EXPECT_EQ(take_raised(), "RuntimeError: dictionary keys changed during iteration");
    EXPECT_EQ(PyIter_Next(iterator), nullptr);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    PyObject* set = literal("{1, 2}");
    PyObject* elements = PyObject_GetIter(set);
    Py_DECREF(PyIter_Next(elements));
    PySet_Add(set, Py_None);
    EXPECT_EQ(PyIter_Next(elements), nullptr);
    EXPECT_EQ(take_raised(), "RuntimeError: Set changed size during iteration");
    drop({dict, iterator, set, elements});
}

TEST_P(Containers, CanBeDerivedFrom) {
    PyObject* args = literal("({'a': 1},)");
    PyObject* op = PyObject_Call(type(SubDict), args, nullptr);
    ASSERT_NE(op, nullptr) << take_raised();
    EXPECT_EQ(reinterpret_cast<Sub*>(op)->state, 7);
    PyObject* key = PyUnicode_FromString("b");
    EXPECT_EQ(repr_of(PyObject_GetItem(op, key)), "('b',)") << "__missing__ is asked";
    EXPECT_EQ(called_with(op, "get", "'b'", ""), "None") << "but not by get";
    EXPECT_EQ(PyObject_SetItem(op, key, Py_None), 0);
    EXPECT_EQ(repr_of(PyObject_GetItem(op, key)), "None");
    EXPECT_EQ(called_with(op, "copy", "", ""), "{'a': 1, 'b': None}");
    PyObject* keys = literal("('xy', 0)");
    PyObject* from_keys = PyObject_GetAttrString(type(SubDict), "fromkeys");
    PyObject* filled = PyObject_Call(from_keys, keys, nullptr);
    EXPECT_TRUE(Py_IS_TYPE(filled, &SubDict));
    EXPECT_EQ(repr_of(Py_NewRef(filled)), "{'x': 0, 'y': 0}");
    PyObject* set = PyObject_CallOneArg(type(SubSet), keys);
    PyObject* more = PyNumber_Or(set, set);
    EXPECT_TRUE(PySet_CheckExact(more)) << "operators give plain sets";
    drop({args, op, key, keys, from_keys, filled, set, more});
}

TEST_P(Containers, HashASetAsItsFrozensetWhereItIsLookedFor) {
    PyObject* frozen = literal("frozenset({1, 2})");
    EXPECT_EQ(PyObject_Hash(frozen), PyObject_Hash(frozen));
    PyObject* outer = PySet_New(nullptr);
    PySet_Add(outer, frozen);
    EXPECT_EQ(called_with(outer, "__contains__", "{2, 1}", ""), "True");
    EXPECT_EQ(called_with(outer, "__contains__", "{1}", ""), "False");
    EXPECT_EQ(called_with(outer, "remove", "{1, 2}", ""), "None");
    EXPECT_EQ(PySet_Size(outer), 0);
    PyObject* numbers = literal("frozenset({1, 2, 3})");
    EXPECT_EQ(PyObject_Hash(numbers), -272375401224217160) << "CPython's";
    drop({frozen, outer, numbers});
}

TEST_P(Containers, PopTheLastItemOfMany) {
    PyObject* dict = PyDict_New();
    constexpr long kMany = 20'000;
    for (long i = 0; i < kMany; ++i) {
        PyObject* number = PyLong_FromLong(i);
        PyDict_SetItem(dict, number, number);
        Py_DECREF(number);
    }
    PyObject* pop = PyObject_GetAttrString(dict, "popitem");
    for (long i = kMany; i-- > 0;) {
        PyObject* pair = PyObject_CallNoArgs(pop);
        ASSERT_EQ(PyLong_AsLong(PyTuple_GetItem(pair, 0)), i);
        Py_DECREF(pair);
        if (i % 100 == 0) {
            PyDict_SetItemString(dict, "again", Py_None);
            pair = PyObject_CallNoArgs(pop);
            ASSERT_TRUE(PyUnicode_Check(PyTuple_GetItem(pair, 0)));
            Py_DECREF(pair);
        }
    }
    EXPECT_EQ(PyDict_Size(dict), 0);
    drop({dict, pop});
}

TEST_P(Containers, AreReadThroughAProxy) {
    PyObject* dict = literal("{'a': 1}");
    PyObject* proxy = PyDictProxy_New(dict);
    PyObject* key = PyUnicode_FromString("a");
    EXPECT_EQ(repr_of(PyObject_GetItem(proxy, key)), "1");
    EXPECT_EQ(PyObject_SetItem(proxy, key, key), -1);
    EXPECT_EQ(take_raised(), "TypeError: 'mappingproxy' object does not support item assignment");
    EXPECT_EQ(PySequence_Contains(proxy, key), 1);
    EXPECT_EQ(PyObject_Size(proxy), 1);
    EXPECT_EQ(called_with(proxy, "get", "'b', 2", ""), "2");
    EXPECT_EQ(called_with(proxy, "get", "'a'", ""), "1");
    EXPECT_EQ(called_with(proxy, "get", "", ""),
              "TypeError: get expected at least 1 argument, got 0");
    EXPECT_EQ(called_with(proxy, "keys", "", ""), "dict_keys(['a'])");
    EXPECT_EQ(called_with(proxy, "copy", "", ""), "{'a': 1}");
    EXPECT_EQ(compared(proxy, Py_EQ, dict), "True");
    EXPECT_EQ(compared(proxy, Py_EQ, proxy), "True");
    PyObject* other = literal("{'b': 2}");
    EXPECT_EQ(repr_of(PyNumber_Or(proxy, other)), "{'a': 1, 'b': 2}");
    EXPECT_EQ(PyNumber_InPlaceOr(proxy, other), nullptr);
    EXPECT_EQ(take_raised(), "TypeError: '|=' is not supported by mappingproxy; use '|' instead");
    EXPECT_EQ(PyDictProxy_New(Py_None), nullptr);
    EXPECT_EQ(take_raised(), "TypeError: mappingproxy() argument must be a mapping, not NoneType");
    drop({dict, proxy, key, other});
}

TEST_P(Containers, MergePairs) {
    PyObject* dict = literal("{'a': 1}");
    PyObject* pairs = literal("[('a', 2), 'bc']");
    EXPECT_EQ(PyDict_MergeFromSeq2(dict, pairs, 0), 0);
    EXPECT_EQ(repr_of(Py_NewRef(dict)), "{'a': 1, 'b': 'c'}");
    EXPECT_EQ(PyDict_MergeFromSeq2(dict, pairs, 1), 0);
    EXPECT_EQ(repr_of(Py_NewRef(dict)), "{'a': 2, 'b': 'c'}");
    PyObject* proxy = PyDictProxy_New(dict);
    PyObject* merged = PyDict_New();
    EXPECT_EQ(PyDict_Update(merged, proxy), 0) << "any mapping";
    EXPECT_EQ(repr_of(merged), "{'a': 2, 'b': 'c'}");
    drop({dict, pairs, proxy});
}

// Gives 0, 1, 2 and so on; only what a test does not believe in stops it.
struct Counter {
    PyObject ob_base;
    long next;
};
constexpr long kTooFar = 100'000;
PyTypeObject CounterType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Counter",
    .tp_basicsize = sizeof(Counter),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_iter = Py_NewRef,
    .tp_iternext = [](PyObject* op) -> PyObject* {
        auto* counter = reinterpret_cast<Counter*>(op);
        return counter->next == kTooFar ? nullptr : PyLong_FromLong(counter->next++);
    },
};

TEST_P(Containers, LookNoFurtherThanTheFirstThatIsCommon) {
    ASSERT_EQ(PyType_Ready(&CounterType), 0);
    PyObject* dict = literal("{2: 'a', 7: 'b'}");
    PyObject* set = literal("{2, 7}");
    for (PyObject* op :
         {Py_NewRef(set), PyFrozenSet_New(set), PyObject_CallMethod(dict, "keys", nullptr)}) {
        Counter* counter = PyObject_New(Counter, &CounterType);
        counter->next = 0;
        PyObject* name = PyUnicode_FromString("isdisjoint");
        PyObject* answer =
            PyObject_CallMethodOneArg(op, name, reinterpret_cast<PyObject*>(counter));
        EXPECT_EQ(answer, Py_False) << Py_TYPE(op)->tp_name;
        EXPECT_EQ(counter->next, 3) << Py_TYPE(op)->tp_name << ": 0, 1 and 2 are asked for";
        drop({op, reinterpret_cast<PyObject*>(counter), name, answer});
    }
    drop({dict, set});
}

EVERY_WAY_OF_COUNTING(Containers);

}  // namespace
}  // namespace ouro::test
