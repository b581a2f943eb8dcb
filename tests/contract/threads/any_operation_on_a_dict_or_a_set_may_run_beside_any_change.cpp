// Whatever is done with a dict, its views, a set or an iterator over them, while other threads change them,
// ends in a result of its type or an exception that may come, and no reference is lost.
// label: concurrency

#include "tests/contract/beside_changes.hpp"

namespace ouro::test {
namespace {

using DictsAndSets = BesideChanges;

PyObject* get(PyObject* dict, PyObject* key) {
    PyObject* value;
    const int found = PyDict_GetItemRef(dict, key, &value);
    return of_found(found, value);
}

PyObject* set_default(PyObject* dict, PyObject* key) {
    PyObject* value;
    const int found = PyDict_SetDefaultRef(dict, key, key, &value);
    return of_found(found, value);
}

PyObject* pop(PyObject* dict, PyObject* key) {
    PyObject* value;
    const int found = PyDict_Pop(dict, key, &value);
    return of_found(found, value);
}

PyObject* get_optional(PyObject* dict, PyObject* key) {
    PyObject* value;
    const int found = PyMapping_GetOptionalItem(dict, key, &value);
    return of_found(found, value);
}

// Borrowed references are good under the lock.
PyObject* keys_one_by_one(PyObject* dict) {
    PyObject* keys = PyList_New(0);
    Py_BEGIN_CRITICAL_SECTION(dict);
    PyObject *key, *value;
    for (Py_ssize_t position = 0; PyDict_Next(dict, &position, &key, &value) != 0;) {
        PyList_Append(keys, key);
        PyList_Append(keys, value);
    }
    Py_END_CRITICAL_SECTION();
    return keys;
}

PyObject* from_pairs(PyObject* pairs) {
    return with(PyDict_New(), [=](PyObject* dict) {
        return PyDict_MergeFromSeq2(dict, pairs, 1) < 0 ? nullptr : Py_NewRef(dict);
    });
}

// One of the iterators that all share moves on; what is at its end gives way to a new one.
PyObject* step(const Stage& s, Py_ssize_t number) {
    const auto iterate = [&](PyObject* op, bool backwards) {
        return backwards ? method(op, "__reversed__") : PyObject_GetIter(op);
    };
    PyObject* const over[] = {s.set,  s.keys,   s.values, s.items, s.dict,
                              s.dict, s.values, s.items,  s.frozen};
    PyObject* iterator = PyList_GetItemRef(s.iterators, number);
    PyObject* found = PyIter_Next(iterator);
    forget(found == nullptr ? nullptr : method(iterator, "__length_hint__"));
    Py_DECREF(iterator);
    if (found == nullptr) {
        PyErr_Clear();
        PyList_SetItem(s.iterators, number, iterate(over[number], number >= 5 && number < 8));
        return Py_NewRef(Py_None);
    }
    return found;
}

// On the left a set or what is like one, on the right another.
#define OPERATORS(a, b, type)                                                               \
    {OURO_OPERATION(PyNumber_And(a, b)), kRuntimeError, type},                              \
        {OURO_OPERATION(PyNumber_Or(a, b)), kRuntimeError, type},                           \
        {OURO_OPERATION(PyNumber_Xor(a, b)), kRuntimeError, type},                          \
        {OURO_OPERATION(PyNumber_Subtract(a, b)), kRuntimeError, type},                     \
        {OURO_OPERATION(PyObject_RichCompare(a, b, Py_EQ)), kRuntimeError, &PyBool_Type},   \
        {OURO_OPERATION(PyObject_RichCompare(a, b, Py_NE)), kRuntimeError, &PyBool_Type},   \
        {OURO_OPERATION(PyObject_RichCompare(a, b, Py_LT)), kRuntimeError, &PyBool_Type},   \
        {OURO_OPERATION(PyObject_RichCompare(a, b, Py_LE)), kRuntimeError, &PyBool_Type},   \
        {OURO_OPERATION(PyObject_RichCompare(a, b, Py_GT)), kRuntimeError, &PyBool_Type},   \
        {OURO_OPERATION(PyObject_RichCompare(a, b, Py_GE)), kRuntimeError, &PyBool_Type}, { \
        OURO_OPERATION(method(a, "isdisjoint", b)), kRuntimeError, &PyBool_Type             \
    }

// What takes any iterable.
#define METHODS(b)                                                                               \
    {OURO_OPERATION(method(s.set, "union", b)), kRuntimeError, &PySet_Type},                     \
        {OURO_OPERATION(method(s.set, "intersection", b)), kRuntimeError, &PySet_Type},          \
        {OURO_OPERATION(method(s.set, "difference", b)), kRuntimeError, &PySet_Type},            \
        {OURO_OPERATION(method(s.set, "symmetric_difference", b)), kRuntimeError, &PySet_Type},  \
        {OURO_OPERATION(method(s.set, "isdisjoint", b)), kRuntimeError, &PyBool_Type},           \
        {OURO_OPERATION(method(s.set, "issubset", b)), kRuntimeError, &PyBool_Type},             \
        {OURO_OPERATION(method(s.set, "issuperset", b)), kRuntimeError, &PyBool_Type},           \
        {OURO_OPERATION(method(s.frozen, "intersection", b)), kRuntimeError, &PyFrozenSet_Type}, \
        {OURO_OPERATION(method(s.frozen, "difference", b)), kRuntimeError, &PyFrozenSet_Type},   \
        {OURO_OPERATION(method(s.frozen, "issuperset", b)), kRuntimeError, &PyBool_Type},        \
        {OURO_OPERATION(method(s.set, "update", b)), kRuntimeError, nullptr},                    \
        {OURO_OPERATION(method(s.set, "intersection_update", b)), kRuntimeError, nullptr},       \
        {OURO_OPERATION(method(s.set, "difference_update", b)), kRuntimeError, nullptr}, {       \
        OURO_OPERATION(method(s.set, "symmetric_difference_update", b)), kRuntimeError, nullptr  \
    }

const Operation kOnDicts[] = {
    {OURO_OPERATION(of_size(PyDict_Size(s.dict))), kNothing, &PyLong_Type},
    {OURO_OPERATION(of_size(PyDict_GET_SIZE(s.dict))), kNothing, &PyLong_Type},
    {OURO_OPERATION(of_size(PyObject_Size(s.dict))), kNothing, &PyLong_Type},
    {OURO_OPERATION(of_size(PyMapping_Size(s.proxy))), kNothing, &PyLong_Type},
    {OURO_OPERATION(of_truth(PyObject_IsTrue(s.dict))), kNothing, &PyBool_Type},
    {OURO_OPERATION(get(s.dict, s.sample)), kNothing, nullptr},
    {OURO_OPERATION(get_optional(s.dict, s.sample)), kNothing, nullptr},
    {OURO_OPERATION(PyObject_GetItem(s.dict, s.sample)), kKeyError, &SampleType},
    {OURO_OPERATION(PyObject_GetItem(s.proxy, s.sample)), kKeyError, &SampleType},
    {OURO_OPERATION(method(s.dict, "get", s.two)), kNothing, nullptr},
    {OURO_OPERATION(of_truth(PyDict_Contains(s.dict, s.sample))), kNothing, &PyBool_Type},
    {OURO_OPERATION(of_truth(PySequence_Contains(s.keys, s.sample))), kNothing, &PyBool_Type},
    {OURO_OPERATION(of_truth(PySequence_Contains(s.values, s.sample))), kRuntimeError,
     &PyBool_Type},
    {OURO_OPERATION(of_truth(PyMapping_HasKeyWithError(s.dict, s.two))), kNothing, &PyBool_Type},
    {OURO_OPERATION(of_truth(PyDict_ContainsString(s.dict, "name"))), kNothing, &PyBool_Type},
    {OURO_OPERATION(of_status(PyDict_SetItemString(s.dict, "name", s.sample))), kNothing, nullptr},
    {OURO_OPERATION(of_status(PyDict_DelItemString(s.dict, "name"))), kKeyError, nullptr},
    {OURO_OPERATION(of_status(PyDict_SetItem(s.dict, s.sample, s.sample))), kNothing, nullptr},
    {OURO_OPERATION(of_status(PyObject_SetItem(s.dict, s.two, s.sample))), kNothing, nullptr},
    {OURO_OPERATION(of_status(PyObject_DelItem(s.dict, s.sample))), kKeyError, nullptr},
    {OURO_OPERATION(set_default(s.dict, s.sample)), kNothing, nullptr},
    {OURO_OPERATION(method(s.dict, "setdefault", s.two)), kNothing, nullptr},
    {OURO_OPERATION(pop(s.dict, s.two)), kNothing, nullptr},
    {OURO_OPERATION(method(s.dict, "pop", s.sample)), kKeyError, nullptr},
    {OURO_OPERATION(method(s.dict, "popitem")), kKeyError, &PyTuple_Type},
    {OURO_OPERATION(PyDict_Copy(s.dict)), kNothing, &PyDict_Type},
    {OURO_OPERATION(called(PyDict_Type, s.dict)), kNothing, &PyDict_Type},
    {OURO_OPERATION(called(PyDict_Type, s.proxy)), kKeyError | kRuntimeError, &PyDict_Type},
    {OURO_OPERATION(PyDict_Keys(s.dict)), kNothing, &PyList_Type},
    {OURO_OPERATION(PyMapping_Values(s.dict)), kNothing, &PyList_Type},
    {OURO_OPERATION(PyDict_Items(s.dict)), kNothing, &PyList_Type},
    {OURO_OPERATION(PyMapping_Items(s.proxy)), kRuntimeError, &PyList_Type},
    {OURO_OPERATION(keys_one_by_one(s.dict)), kNothing, &PyList_Type},
    {OURO_OPERATION(of_status(PyDict_Merge(s.dict, s.dict2, 0))), kNothing, nullptr},
    {OURO_OPERATION(of_status(PyDict_Update(s.dict2, s.dict))), kNothing, nullptr},
    {OURO_OPERATION(of_status(PyDict_Update(s.dict2, s.proxy))), kKeyError | kRuntimeError,
     nullptr},
    {OURO_OPERATION(method(s.dict, "update", s.dict2)), kNothing, nullptr},
    {OURO_OPERATION(method(s.dict, "update", s.pairs)), kValueError, nullptr},
    {OURO_OPERATION(from_pairs(s.pairs)), kValueError, &PyDict_Type},
    {OURO_OPERATION(from_pairs(s.items)), kRuntimeError, &PyDict_Type},
    {OURO_OPERATION(method(s.dict, "fromkeys", s.set)), kRuntimeError, &PyDict_Type},
    {OURO_OPERATION(method(s.dict, "fromkeys", s.dict2)), kRuntimeError, &PyDict_Type},
    {OURO_OPERATION(PyNumber_Or(s.dict, s.dict2)), kNothing, &PyDict_Type},
    {OURO_OPERATION(PyNumber_InPlaceOr(s.dict, s.dict2)), kNothing, &PyDict_Type},
    {OURO_OPERATION(PyObject_RichCompare(s.dict, s.dict2, Py_EQ)), kNothing, &PyBool_Type},
    {OURO_OPERATION(PyObject_RichCompare(s.proxy, s.dict2, Py_NE)), kNothing, &PyBool_Type},
    {OURO_OPERATION(PyObject_Repr(s.dict)), kNothing, &PyUnicode_Type},
    {OURO_OPERATION(PyObject_Str(s.proxy)), kNothing, &PyUnicode_Type},
    {OURO_OPERATION(of_size(PyObject_Hash(s.dict))), kTypeError, nullptr},
    {OURO_OPERATION(drained(PyObject_GetIter(s.dict))), kRuntimeError, &PyList_Type},
    {OURO_OPERATION(drained(method(s.dict, "__reversed__"))), kRuntimeError, &PyList_Type},
    {OURO_OPERATION(drained(PyObject_GetIter(s.proxy))), kRuntimeError, &PyList_Type},
    {OURO_OPERATION(step(s, 0)), kNothing, nullptr},
    {OURO_OPERATION(step(s, 1)), kNothing, nullptr},
    {OURO_OPERATION(step(s, 2)), kNothing, nullptr},
    {OURO_OPERATION(step(s, 3)), kNothing, nullptr},
    {OURO_OPERATION(step(s, 4)), kNothing, nullptr},
    {OURO_OPERATION(step(s, 5)), kNothing, nullptr},
    {OURO_OPERATION(step(s, 6)), kNothing, nullptr},
    {OURO_OPERATION(step(s, 7)), kNothing, nullptr},
};

const Operation kOnViews[] = {
    {OURO_OPERATION(of_size(PyObject_Size(s.keys))), kNothing, &PyLong_Type},
    {OURO_OPERATION(of_size(PyObject_Size(s.items))), kNothing, &PyLong_Type},
    {OURO_OPERATION(PyObject_Repr(s.keys)), kRuntimeError, &PyUnicode_Type},
    {OURO_OPERATION(PyObject_Repr(s.values)), kRuntimeError, &PyUnicode_Type},
    {OURO_OPERATION(PyObject_Repr(s.items)), kRuntimeError, &PyUnicode_Type},
    {OURO_OPERATION(drained(PyObject_GetIter(s.keys))), kRuntimeError, &PyList_Type},
    {OURO_OPERATION(drained(PyObject_GetIter(s.values))), kRuntimeError, &PyList_Type},
    {OURO_OPERATION(drained(PyObject_GetIter(s.items))), kRuntimeError, &PyList_Type},
    {OURO_OPERATION(drained(method(s.keys, "__reversed__"))), kRuntimeError, &PyList_Type},
    {OURO_OPERATION(drained(method(s.values, "__reversed__"))), kRuntimeError, &PyList_Type},
    {OURO_OPERATION(drained(method(s.items, "__reversed__"))), kRuntimeError, &PyList_Type},
    {OURO_OPERATION(
         with(PyTuple_Pack(2, s.sample, s.sample),
              [&](PyObject* pair) { return of_truth(PySequence_Contains(s.items, pair)); })),
     kNothing, &PyBool_Type},
    {OURO_OPERATION(PyObject_GetAttrString(s.keys, "mapping")), kNothing, &PyDictProxy_Type},
    {OURO_OPERATION(called(PySet_Type, s.items)), kRuntimeError, &PySet_Type},
    OPERATORS(s.keys, s.set, &PySet_Type),
    OPERATORS(s.items, s.keys, &PySet_Type),
    OPERATORS(s.keys, s.keys, &PySet_Type),
};

const Operation kOnSets[] = {
    {OURO_OPERATION(of_size(PySet_Size(s.set))), kNothing, &PyLong_Type},
    {OURO_OPERATION(of_size(PySet_GET_SIZE(s.set))), kNothing, &PyLong_Type},
    {OURO_OPERATION(of_size(PyObject_Size(s.set))), kNothing, &PyLong_Type},
    {OURO_OPERATION(of_truth(PyObject_IsTrue(s.set))), kNothing, &PyBool_Type},
    {OURO_OPERATION(of_truth(PySet_Contains(s.set, s.sample))), kNothing, &PyBool_Type},
    {OURO_OPERATION(of_truth(PySequence_Contains(s.frozen, s.sample))), kNothing, &PyBool_Type},
    {OURO_OPERATION(of_truth(PySequence_Contains(s.set, s.set2))), kNothing, &PyBool_Type},
    {OURO_OPERATION(of_status(PySet_Add(s.set, s.sample))), kNothing, nullptr},
    {OURO_OPERATION(of_truth(PySet_Discard(s.set, s.sample))), kNothing, &PyBool_Type},
    {OURO_OPERATION(method(s.set, "discard", s.set2)), kNothing, nullptr},
    {OURO_OPERATION(method(s.set, "add", s.two)), kNothing, nullptr},
    {OURO_OPERATION(method(s.set, "remove", s.two)), kKeyError, nullptr},
    {OURO_OPERATION(PySet_Pop(s.set)), kKeyError, nullptr},
    {OURO_OPERATION(PySet_New(s.set)), kNothing, &PySet_Type},
    {OURO_OPERATION(PyFrozenSet_New(s.set)), kNothing, &PyFrozenSet_Type},
    {OURO_OPERATION(method(s.set, "copy")), kNothing, &PySet_Type},
    {OURO_OPERATION(PyObject_Repr(s.set)), kNothing, &PyUnicode_Type},
    {OURO_OPERATION(PyObject_Repr(s.frozen)), kNothing, &PyUnicode_Type},
    {OURO_OPERATION(of_size(PyObject_Hash(s.set))), kTypeError, nullptr},
    {OURO_OPERATION(of_truth(PyObject_Hash(s.frozen) != -1)), kNothing, &PyBool_Type},
    {OURO_OPERATION(with(PyFrozenSet_New(s.set),
                         [](PyObject* op) { return of_truth(PyObject_Hash(op) != -1); })),
     kNothing, &PyBool_Type},
    {OURO_OPERATION(drained(PyObject_GetIter(s.set))), kRuntimeError, &PyList_Type},
    {OURO_OPERATION(drained(PyObject_GetIter(s.frozen))), kNothing, &PyList_Type},
    {OURO_OPERATION(step(s, 0)), kNothing, nullptr},
    {OURO_OPERATION(step(s, 8)), kNothing, nullptr},
    {OURO_OPERATION(method(s.set, "__init__", s.set2)), kNothing, nullptr},
    {OURO_OPERATION(PyNumber_InPlaceOr(s.set, s.set2)), kNothing, &PySet_Type},
    {OURO_OPERATION(PyNumber_InPlaceAnd(s.set, s.frozen)), kNothing, &PySet_Type},
    {OURO_OPERATION(PyNumber_InPlaceXor(s.set, s.set2)), kNothing, &PySet_Type},
    {OURO_OPERATION(PyNumber_InPlaceSubtract(s.set, s.set2)), kNothing, &PySet_Type},
    OPERATORS(s.set, s.set2, &PySet_Type),
    OPERATORS(s.set, s.set, &PySet_Type),
    OPERATORS(s.set, s.frozen, &PySet_Type),
    OPERATORS(s.frozen, s.set, nullptr),
    METHODS(s.set2),
    METHODS(s.frozen),
    METHODS(s.dict),
    METHODS(s.list),
    METHODS(s.values),
    {OURO_OPERATION(of_status(PySet_Clear(s.set))), kNothing, nullptr},
};

const Change kTableChanges[] = {
    {"add and take out",
     [](const Stage& s, int round) {
         PyObject* op = new_sample();
         for (PyObject* dict : {s.dict, s.dict2}) {
             PyDict_SetItem(dict, op, op);
             PyDict_SetItem(dict, s.sample, op);
             if (round % 2 == 1) {
                 forget(method(dict, "popitem"));
                 PyDict_DelItem(dict, op);
                 PyErr_Clear();
             }
         }
         for (PyObject* set : {s.set, s.set2}) {
             PySet_Add(set, op);
             PySet_Add(set, s.sample);
             if (round % 2 == 1) {
                 forget(PySet_Pop(set));
                 PySet_Discard(set, op);
             }
         }
         put(s.list, op);
     }},
    {"clear and add",
     [](const Stage& s, int round) {
         if (round % 8 == 0) {
             PyDict_Clear(s.dict);
             PyDict_Clear(s.dict2);
             PySet_Clear(s.set);
             PySet_Clear(s.set2);
             PyList_Clear(s.list);
         }
         refill(s);
     }},
    {"update",
     [](const Stage& s, int round) {
         PyDict_Update(s.dict, s.dict2);
         with(PyFrozenSet_New(s.set),
              [&](PyObject* copy) { return method(s.set2, "update", copy); });
         PyDict_SetItem(s.dict2, s.two, s.sample);
         PySet_Add(s.set, s.two);
         if (round % 2 == 1) {
             PyDict_DelItem(s.dict, s.two);
             PySet_Discard(s.set, s.two);
             forget(method(s.dict2, "popitem"));
             forget(PySet_Pop(s.set2));
         }
     }},
    {"pairs that change",
     [](const Stage& s, int round) {
         PyObject* pair = PyList_GetItemRef(s.pairs, round % 10);
         if (pair == nullptr) {
             return;
         }
         PyList_SetItem(pair, 0, new_sample());
         PyErr_Clear();
         if (round % 4 == 0) {
             PyList_Clear(pair);
             PyList_Append(pair, s.sample);
         } else if (PyList_Size(pair) < 2) {
             put(pair, new_sample());
         }
         Py_DECREF(pair);
     }},
    {"a collection",
     [](const Stage& s, int round) {
         refill(s);
         if (round % 16 == 0) {
             PyGC_Collect();
         }
     }},
};

TEST_P(DictsAndSets, DictsDoAnythingBesideAnyChange) {
    for (int i = 0; i < 8; ++i) {
        put(stage().iterators, PyObject_GetIter(stage().set));
    }
    run(kOnDicts, kTableChanges, scaled(30));
}

TEST_P(DictsAndSets, ViewsDoAnythingBesideAnyChange) {
    run(kOnViews, kTableChanges, scaled(30));
}

TEST_P(DictsAndSets, SetsDoAnythingBesideAnyChange) {
    for (int i = 0; i < 9; ++i) {
        put(stage().iterators, PyObject_GetIter(stage().set));
    }
    run(kOnSets, kTableChanges, scaled(30));
}

EVERY_RUNTIME(DictsAndSets);

}  // namespace
}  // namespace ouro::test
