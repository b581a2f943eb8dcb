// Whatever is done with a list, a tuple or an iterator over them, while other threads change the list, ends
// in a result of its type or an exception that may come, and no reference is lost.
// label: concurrency

#include "tests/contract/beside_changes.hpp"

namespace ouro::test {
namespace {

using Lists = BesideChanges;

// A list is read item by item under its lock.
PyObject* sum_of_sizes(PyObject* list) {
    PyObject* fast = PySequence_Fast(list, "no list");
    Py_ssize_t found = PySequence_Fast_GET_SIZE(fast) + PyList_GET_SIZE(list);
    Py_BEGIN_CRITICAL_SECTION(fast);
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast); ++i) {
        found += is_whole(PySequence_Fast_GET_ITEM(fast, i)) ? 1 : 0;
    }
    Py_END_CRITICAL_SECTION();
    Py_DECREF(fast);
    return PyLong_FromSsize_t(found);
}

// In descending order, by what `key` makes of each if it is not None.
PyObject* sort_by(PyObject* list, PyObject* key) {
    return with(PyObject_GetAttrString(list, "sort"), [=](PyObject* sort) {
        return with(PyTuple_New(0), [=](PyObject* none) {
            return with(PyDict_New(), [=](PyObject* named) {
                PyDict_SetItemString(named, "reverse", Py_True);
                PyDict_SetItemString(named, "key", key);
                return PyObject_Call(sort, none, named);
            });
        });
    });
}

// One of the iterators that all share moves on; what is at its end gives way to a new one.
PyObject* step(const Stage& s, Py_ssize_t number, PyObject* (*iterate)(const Stage&)) {
    PyObject* iterator = PyList_GetItemRef(s.iterators, number);
    PyObject* found = PyIter_Next(iterator);
    forget(method(iterator, "__length_hint__"));
    Py_DECREF(iterator);
    if (found == nullptr) {
        PyErr_Clear();
        PyList_SetItem(s.iterators, number, iterate(s));
    }
    return found == nullptr ? Py_NewRef(Py_None) : found;
}

constexpr auto kBackwards = [](const Stage& s) { return method(s.list, "__reversed__"); };
constexpr auto kForwards = [](const Stage& s) { return PyObject_GetIter(s.list); };
constexpr auto kBySequence = [](const Stage& s) { return PySeqIter_New(s.list); };
constexpr auto kOverTuple = [](const Stage& s) { return PyObject_GetIter(s.tuple); };

PyObject* long_range_iterator(const Stage&) {
    return with(PyLong_FromString("1000000000000000000000000000000", nullptr, 10),
                [](PyObject* start) {
                    return with(PyLong_FromString("1000000000000000000000000000040", nullptr, 10),
                                [&](PyObject* stop) {
                                    return with(PyObject_CallFunctionObjArgs(
                                                    reinterpret_cast<PyObject*>(&PyRange_Type),
                                                    start, stop, nullptr),
                                                PyObject_GetIter);
                                });
                });
}
PyObject* range_iterator(const Stage&) {
    return with(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyRange_Type), "i", 50),
                PyObject_GetIter);
}

const Operation kReading[] = {
    {OURO_OPERATION(of_size(PyList_Size(s.list))), kNothing, &PyLong_Type},
    {OURO_OPERATION(of_size(PyObject_Size(s.list))), kNothing, &PyLong_Type},
    {OURO_OPERATION(of_size(PySequence_Size(s.list))), kNothing, &PyLong_Type},
    {OURO_OPERATION(of_size(PyObject_LengthHint(s.list, 1))), kNothing, &PyLong_Type},
    {OURO_OPERATION(of_truth(PyObject_IsTrue(s.list))), kNothing, &PyBool_Type},
    {OURO_OPERATION(sum_of_sizes(s.list)), kNothing, &PyLong_Type},
    {OURO_OPERATION(PyList_GetItemRef(s.list, 3)), kIndexError, &SampleType},
    {OURO_OPERATION(PySequence_GetItem(s.list, -1)), kIndexError, &SampleType},
    {OURO_OPERATION(PyObject_GetItem(s.list, s.two)), kIndexError, &SampleType},
    {OURO_OPERATION(PyObject_GetItem(s.list, s.slice)), kNothing, &PyList_Type},
    {OURO_OPERATION(PyObject_GetItem(s.list, s.stride)), kNothing, &PyList_Type},
    {OURO_OPERATION(PyList_GetSlice(s.list, 1, 7)), kNothing, &PyList_Type},
    {OURO_OPERATION(PySequence_GetSlice(s.list, -5, -1)), kNothing, &PyList_Type},
    {OURO_OPERATION(PyList_AsTuple(s.list)), kNothing, &PyTuple_Type},
    {OURO_OPERATION(PySequence_Tuple(s.list)), kNothing, &PyTuple_Type},
    {OURO_OPERATION(PySequence_List(s.list)), kNothing, &PyList_Type},
    {OURO_OPERATION(called(PyList_Type, s.list)), kNothing, &PyList_Type},
    {OURO_OPERATION(called(PyTuple_Type, s.list)), kNothing, &PyTuple_Type},
    {OURO_OPERATION(called(PySet_Type, s.list)), kNothing, &PySet_Type},
    {OURO_OPERATION(PyFrozenSet_New(s.list)), kNothing, &PyFrozenSet_Type},
    {OURO_OPERATION(method(s.list, "copy")), kNothing, &PyList_Type},
    {OURO_OPERATION(method(s.list, "count", s.sample)), kNothing, &PyLong_Type},
    {OURO_OPERATION(method(s.list, "index", s.sample)), kValueError, &PyLong_Type},
    {OURO_OPERATION(of_truth(PySequence_Contains(s.list, s.sample))), kNothing, &PyBool_Type},
    {OURO_OPERATION(of_size(PySequence_Count(s.list, s.sample))), kNothing, &PyLong_Type},
    {OURO_OPERATION(of_size(PySequence_Index(s.list, s.sample))), kValueError, &PyLong_Type},
    {OURO_OPERATION(PyObject_RichCompare(s.list, s.list2, Py_EQ)), kNothing, &PyBool_Type},
    {OURO_OPERATION(PyObject_RichCompare(s.list, s.list2, Py_NE)), kNothing, &PyBool_Type},
    {OURO_OPERATION(PyObject_RichCompare(s.list, s.list2, Py_LT)), kNothing, &PyBool_Type},
    {OURO_OPERATION(PyObject_RichCompare(s.list2, s.list, Py_GE)), kNothing, &PyBool_Type},
    {OURO_OPERATION(PyObject_RichCompare(s.list, s.list, Py_LE)), kNothing, &PyBool_Type},
    {OURO_OPERATION(
         with(PyList_GetSlice(s.list, 0, 3),
              [&](PyObject* part) { return PyObject_RichCompare(part, s.list, Py_LT); })),
     kNothing, &PyBool_Type},
    {OURO_OPERATION(PyObject_Repr(s.list)), kNothing, &PyUnicode_Type},
    {OURO_OPERATION(PyObject_Str(s.list)), kNothing, &PyUnicode_Type},
    {OURO_OPERATION(of_size(PyObject_Hash(s.list))), kTypeError, nullptr},
    {OURO_OPERATION(drained(PyObject_GetIter(s.list))), kNothing, &PyList_Type},
    {OURO_OPERATION(drained(method(s.list, "__reversed__"))), kNothing, &PyList_Type},
    {OURO_OPERATION(drained(PySeqIter_New(s.list))), kNothing, &PyList_Type},
    {OURO_OPERATION(step(s, 0, kForwards)), kNothing, nullptr},
    {OURO_OPERATION(step(s, 1, kBackwards)), kNothing, nullptr},
    {OURO_OPERATION(step(s, 2, kBySequence)), kNothing, nullptr},
    {OURO_OPERATION(step(s, 3, kOverTuple)), kNothing, nullptr},
    {OURO_OPERATION(step(s, 4, range_iterator)), kNothing, nullptr},
    {OURO_OPERATION(step(s, 5, long_range_iterator)), kNothing, nullptr},
    {OURO_OPERATION(PySequence_Concat(s.list, s.list2)), kNothing, &PyList_Type},
    {OURO_OPERATION(PyNumber_Add(s.list, s.list)), kNothing, &PyList_Type},
    {OURO_OPERATION(PySequence_Repeat(s.list, 2)), kNothing, &PyList_Type},
    {OURO_OPERATION(PyNumber_Multiply(s.list, s.two)), kNothing, &PyList_Type},
    {OURO_OPERATION(method(s.list, "__contains__", s.sample)), kNothing, &PyBool_Type},
    {OURO_OPERATION(method(s.tuple, "__add__", s.tuple)), kNothing, &PyTuple_Type},
    {OURO_OPERATION(of_status(PyObject_Hash(s.tuple) == -1 ? -1 : 0)), kNothing, nullptr},
    {OURO_OPERATION(PyObject_RichCompare(s.tuple, s.tuple, Py_LE)), kNothing, &PyBool_Type},
    {OURO_OPERATION(PyObject_GetItem(s.tuple, s.stride)), kNothing, &PyTuple_Type},
    {OURO_OPERATION(method(s.tuple, "count", s.sample)), kNothing, &PyLong_Type},
    {OURO_OPERATION(PyObject_Repr(s.tuple)), kNothing, &PyUnicode_Type},
    {OURO_OPERATION(with(PyUnicode_FromString(","),
                         [&](PyObject* comma) { return PyUnicode_Join(comma, s.strs); })),
     kNothing, &PyUnicode_Type},
    {OURO_OPERATION(with(PyBytes_FromString(","),
                         [&](PyObject* comma) { return method(comma, "join", s.bytes); })),
     kNothing, &PyBytes_Type},
};

const Operation kWriting[] = {
    {OURO_OPERATION(method(s.list, "pop")), kIndexError, &SampleType},
    {OURO_OPERATION(method(s.list, "pop", s.two)), kIndexError, &SampleType},
    {OURO_OPERATION(method(s.list, "append", s.sample)), kNothing, nullptr},
    {OURO_OPERATION(method(s.list, "remove", s.sample)), kValueError, nullptr},
    {OURO_OPERATION(method(s.list, "insert", s.two, s.sample)), kNothing, nullptr},
    {OURO_OPERATION(of_status(PyList_Insert(s.list, -3, s.sample))), kNothing, nullptr},
    {OURO_OPERATION(method(s.list, "extend", s.list)), kNothing, nullptr},
    {OURO_OPERATION(of_status(PyList_Extend(s.list, s.list2))), kNothing, nullptr},
    {OURO_OPERATION(of_status(PyList_Extend(s.list, s.tuple))), kNothing, nullptr},
    {OURO_OPERATION(of_status(PyList_Extend(s.list, s.set))), kRuntimeError, nullptr},
    {OURO_OPERATION(of_status(PyList_Extend(s.list, s.dict))), kRuntimeError, nullptr},
    {OURO_OPERATION(of_status(PyList_Extend(s.list, s.values))), kRuntimeError, nullptr},
    {OURO_OPERATION(method(s.list, "reverse")), kNothing, nullptr},
    {OURO_OPERATION(method(s.list, "sort")), kValueError, nullptr},
    {OURO_OPERATION(sort_by(s.pairs, reinterpret_cast<PyObject*>(&PyTuple_Type))), kValueError,
     nullptr},
    {OURO_OPERATION(sort_by(s.list, Py_None)), kValueError, nullptr},
    {OURO_OPERATION(of_status(PyList_Sort(s.list2))), kValueError, nullptr},
    {OURO_OPERATION(method(s.list, "__init__", s.list2)), kNothing, nullptr},
    {OURO_OPERATION(PySequence_InPlaceConcat(s.list, s.list2)), kNothing, &PyList_Type},
    {OURO_OPERATION(PyNumber_InPlaceAdd(s.list, s.tuple)), kNothing, &PyList_Type},
    {OURO_OPERATION(PySequence_InPlaceRepeat(s.list, 2)), kNothing, &PyList_Type},
    {OURO_OPERATION(of_status(PySequence_SetItem(s.list, -1, s.sample))), kIndexError, nullptr},
    {OURO_OPERATION(of_status(PyList_SetItem(s.list, 2, Py_NewRef(s.sample)))), kIndexError,
     nullptr},
    {OURO_OPERATION(of_status(PyObject_SetItem(s.list, s.two, s.sample))), kIndexError, nullptr},
    {OURO_OPERATION(of_status(PySequence_DelItem(s.list, 0))), kIndexError, nullptr},
    {OURO_OPERATION(of_status(PyObject_DelItem(s.list, s.two))), kIndexError, nullptr},
    {OURO_OPERATION(of_status(PyList_SetSlice(s.list, 1, 3, s.list2))), kNothing, nullptr},
    {OURO_OPERATION(of_status(PyList_SetSlice(s.list, 2, 5, s.list))), kNothing, nullptr},
    {OURO_OPERATION(of_status(PyObject_SetItem(s.list, s.slice, s.list2))), kNothing, nullptr},
    {OURO_OPERATION(of_status(PyObject_DelItem(s.list, s.slice))), kNothing, nullptr},
    {OURO_OPERATION(of_status(PyObject_SetItem(s.list, s.stride, s.list2))), kValueError, nullptr},
    {OURO_OPERATION(of_status(PyObject_DelItem(s.list, s.stride))), kNothing, nullptr},
    {OURO_OPERATION(of_status(PySequence_DelSlice(s.list, 3, 5))), kNothing, nullptr},
    {OURO_OPERATION(of_status(PyList_Clear(s.list))), kNothing, nullptr},
};

const Change kListChanges[] = {
    {"append and pop",
     [](const Stage& s, int round) {
         put(s.list, new_sample());
         put(s.list2, new_sample());
         put(s.strs, PyUnicode_FromFormat("%d", 100000 + round));
         put(s.bytes, PyBytes_FromFormat("%d", round));
         if (round % 2 == 1) {
             for (PyObject* list : {s.list, s.list2, s.strs, s.bytes}) {
                 forget(method(list, "pop"));
             }
         }
     }},
    {"insert and pop in front",
     [](const Stage& s, int round) {
         for (PyObject* list : {s.list, s.list2}) {
             with(new_sample(),
                  [&](PyObject* op) { return of_status(PyList_Insert(list, 0, op)); });
             if (round % 3 != 0) {
                 PySequence_DelItem(list, 0);
             }
         }
     }},
    {"clear and append",
     [](const Stage& s, int round) {
         for (PyObject* list : {s.list, s.list2, s.strs, s.bytes}) {
             if (round % 16 == 0) {
                 PyList_Clear(list);
             }
         }
         put(s.list, new_sample());
         put(s.list2, Py_NewRef(s.sample));
         put(s.strs, PyUnicode_FromFormat("%d", 100000 + round));
         put(s.bytes, PyBytes_FromFormat("%d", round));
     }},
    {"slice assignment",
     [](const Stage& s, int round) {
         PyList_SetSlice(s.list, 1, round % 2 == 0 ? 1 : 6, s.tuple);
         PyList_SetSlice(s.list2, 0, round % 2 == 0 ? 4 : 0, round % 2 == 0 ? nullptr : s.tuple);
         PyList_SetSlice(s.strs, 0, 1, nullptr);
         put(s.strs, PyUnicode_FromFormat("%d", round));
     }},
    {"every second item",
     [](const Stage& s, int round) {
         if (round % 4 == 0) {
             PyObject_DelItem(s.list, s.stride);
         } else {
             put(s.list, new_sample());
         }
         PyObject_SetItem(s.list2, s.stride, s.tuple);
     }},
    {"items replaced, and the order",
     [](const Stage& s, int round) {
         PyList_SetItem(s.list, round % 7, new_sample());
         PyErr_Clear();
         PyList_SetItem(s.list2, round % 7, new_sample());
         PyErr_Clear();
         PyList_Reverse(s.list);
         PyList_Sort(s.list2);
     }},
    {"other containers, and a collection",
     [](const Stage& s, int round) {
         PyObject* op = new_sample();
         PySet_Add(s.set, op);
         PyDict_SetItem(s.dict, op, op);
         put(s.list, op);
         if (round % 3 == 0) {
             PySet_Clear(s.set);
             PyDict_Clear(s.dict);
         }
         if (round % 16 == 0) {
             PyGC_Collect();
         }
     }},
};

TEST_P(Lists, AreReadWhileTheyChange) {
    for (PyObject* (*iterate)(const Stage&) :
         {+kForwards, +kBackwards, +kBySequence, +kOverTuple}) {
        put(stage().iterators, iterate(stage()));
    }
    put(stage().iterators, range_iterator(stage()));
    put(stage().iterators, long_range_iterator(stage()));
    run(kReading, kListChanges, scaled(100));
}

TEST_P(Lists, AreChangedInManyWaysAtOnce) {
    run(kWriting, kListChanges, scaled(100));
}

// What a thread removes is what it looked for, wherever others have moved it meanwhile.
TEST_P(Lists, LoseWhatIsRemovedAndNothingElse) {
    const long rounds = static_cast<long>(scaled(5000));
    PyObject* list = PyList_New(0);
    {
        Crew crew;
        for (long thread = 1; thread <= 3; ++thread) {
            crew.add([=] {
                for (long i = 0; i < rounds; ++i) {
                    PyObject* number = PyLong_FromLong(thread * 1000000 + i);
                    ASSERT_EQ(PyList_Insert(list, i % 3, number), 0);
                    PyObject* done = method(list, "remove", number);
                    EXPECT_NE(done, nullptr) << "another thread removed it";
                    forget(done);
                    Py_DECREF(number);
                }
            });
        }
    }
    EXPECT_EQ(PyList_Size(list), 0);
    Py_DECREF(list);
}

EVERY_RUNTIME(Lists);

}  // namespace
}  // namespace ouro::test
