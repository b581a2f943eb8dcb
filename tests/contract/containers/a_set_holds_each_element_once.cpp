// set and frozenset: an element is in it once, however often it was added, through growth, removal
// and popping; counts of elements are exact; a frozenset is hashable by its elements; both are
// collected and can be weakly referred to. Source: "Set Objects"; weakref, "Objects which support weak
// references".

#include <map>
#include <random>
#include <set>

#include "tests/contract/things.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

using Set = Things;

int with(int (*function)(PyObject*, PyObject*), PyObject* set, long key) {
    PyObject* k = PyLong_FromLong(key);
    const int result = function(set, k);
    Py_DECREF(k);
    return result;
}

PyObject* ints(std::initializer_list<long> values, PyObject* (*make)(PyObject*) = PySet_New) {
    PyObject* list = PyList_New(0);
    for (const long value : values) {
        PyObject* op = PyLong_FromLong(value);
        EXPECT_EQ(PyList_Append(list, op), 0);
        Py_DECREF(op);
    }
    PyObject* set = make(list);
    Py_DECREF(list);
    return set;
}

long popped(PyObject* set) {
    PyObject* op = PySet_Pop(set);
    const long value = PyLong_AsLong(op);
    Py_DECREF(op);
    return value;
}

TEST_P(Set, AgreesWithASetUnderRandomUse) {
    std::mt19937 random(static_cast<unsigned>(seed()));
    PyObject* set = PySet_New(nullptr);
    std::set<long> expected;
    for (long step = 0; step < 40'000; ++step) {
        const long key = static_cast<long>(random() % 700) * 1'000'003;
        switch (random() % 5) {
            case 0:
                ASSERT_EQ(with(PySet_Discard, set, key), static_cast<int>(expected.erase(key)));
                break;
            case 1:
                if (!expected.empty()) {
                    ASSERT_EQ(expected.erase(popped(set)), 1u) << "an element that was in it";
                }
                break;
            default:
                expected.insert(key);
                ASSERT_EQ(with(PySet_Add, set, key), 0);
        }
        const long probe = static_cast<long>(random() % 700) * 1'000'003;
        ASSERT_EQ(with(PySet_Contains, set, probe), expected.contains(probe) ? 1 : 0);
        ASSERT_EQ(PySet_Size(set), static_cast<Py_ssize_t>(expected.size()));
        ASSERT_EQ(PySet_GET_SIZE(set), PySet_Size(set));
    }
    Py_DECREF(set);
}

TEST_P(Set, PopsAllOfALargeSet) {
    const auto many = static_cast<long>(scaled(200'000));
    PyObject* set = PySet_New(nullptr);
    for (long i = 0; i < many; ++i) {
        ASSERT_EQ(with(PySet_Add, set, i * 7), 0);
    }
    std::set<long> seen;
    while (PySet_Size(set) > 0) {
        seen.insert(popped(set));
    }
    EXPECT_EQ(seen.size(), static_cast<size_t>(many));
    EXPECT_EQ(*seen.rbegin(), (many - 1) * 7);
    EXPECT_EQ(PySet_Pop(set), nullptr);
    expect_raised(PyExc_KeyError);
    ASSERT_EQ(with(PySet_Add, set, 3), 0) << "usable after it was emptied";
    EXPECT_EQ(popped(set), 3);
    Py_DECREF(set);
}

// Full and nearly full tables of every width of index.
TEST_P(Set, FindsEveryElementAtEverySize) {
    for (const long size : {5L, 85L, 86L, 170L, 21'845L, 21'846L, 40'000L, 43'690L}) {
        PyObject* set = PySet_New(nullptr);
        for (int round = 0; round < 2; ++round) {
            for (long i = 0; i < size; ++i) {
                ASSERT_EQ(with(PySet_Add, set, i * 7), 0);
            }
            ASSERT_EQ(PySet_Size(set), size) << "nothing twice";
        }
        for (long i = 0; i < size; ++i) {
            ASSERT_EQ(with(PySet_Contains, set, i * 7), 1) << i;
        }
        ASSERT_EQ(with(PySet_Contains, set, 1), 0);
        for (long i = size; --i >= 0;) {
            ASSERT_EQ(with(PySet_Discard, set, i * 7), 1) << i;
        }
        Py_DECREF(set);
    }
}

TEST_P(Set, OwnsOneReferenceToEachElement) {
    PyObject* set = PySet_New(nullptr);
    PyObject* element = new_thing();
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(PySet_Add(set, element), 0);
        EXPECT_EQ(Py_REFCNT(element), 2);
        EXPECT_EQ(PySet_Size(set), 1);
    }
    EXPECT_EQ(PySet_Discard(set, element), 1);
    EXPECT_EQ(PySet_Discard(set, element), 0) << "no error";
    EXPECT_EQ(Py_REFCNT(element), 1);
    ASSERT_EQ(PySet_Add(set, element), 0);
    PyObject* same = PySet_Pop(set);
    EXPECT_EQ(same, element);
    EXPECT_EQ(Py_REFCNT(element), 2) << "what popping gives is the caller's";
    Py_DECREF(same);
    ASSERT_EQ(PySet_Add(set, element), 0);
    EXPECT_EQ(PySet_Clear(set), 0);
    EXPECT_EQ(PySet_Size(set), 0);
    EXPECT_EQ(Py_REFCNT(element), 1);
    ASSERT_EQ(PySet_Add(set, element), 0);
    Py_DECREF(set);
    EXPECT_EQ(Py_REFCNT(element), 1);
    Py_DECREF(element);
}

TEST_P(Set, IsMadeOfAnyBuiltInContainer) {
    PyObject* set = ints({3, 1, 3, 2});
    EXPECT_EQ(PySet_Size(set), 3);
    PyObject* tuple = PyTuple_New(2);
    PyTuple_SET_ITEM(tuple, 0, PyLong_FromLong(1));
    PyTuple_SET_ITEM(tuple, 1, PyLong_FromLong(1));
    PyObject* dict = PyDict_New();
    ASSERT_EQ(PyDict_SetItemString(dict, "key", Py_None), 0);
    for (const auto& [iterable, size] :
         std::map<PyObject*, Py_ssize_t>{{set, 3}, {tuple, 1}, {dict, 1}}) {
        for (auto* make : {PySet_New, PyFrozenSet_New}) {
            PyObject* made = make(iterable);
            ASSERT_NE(made, nullptr);
            EXPECT_EQ(PySet_Size(made), size);
            EXPECT_EQ(Py_REFCNT(iterable), 1);
            Py_DECREF(made);
        }
    }
    PyObject* frozen = PyFrozenSet_New(set);
    PyObject* again = PyFrozenSet_New(frozen);
    EXPECT_EQ(again, frozen) << "it cannot change, so it is its own copy";
    PyObject* copy = PySet_New(frozen);
    EXPECT_NE(copy, frozen);
    EXPECT_EQ(PyObject_RichCompareBool(copy, frozen, Py_EQ), 1);
    EXPECT_EQ(PySet_New(Py_None), nullptr);
    expect_raised(PyExc_TypeError);
    PyObject* unhashable = PyList_New(0);
    ASSERT_EQ(PyList_Append(unhashable, set), 0);
    EXPECT_EQ(PyFrozenSet_New(unhashable), nullptr);
    expect_raised(PyExc_TypeError);
    drop({set, tuple, dict, frozen, again, copy, unhashable});
}

TEST_P(Set, TypesAreToldApart) {
    PyObject* set = PySet_New(nullptr);
    PyObject* frozen = PyFrozenSet_New(nullptr);
    EXPECT_TRUE(PySet_Check(set) && PySet_CheckExact(set) && PyAnySet_Check(set));
    EXPECT_TRUE(PyFrozenSet_Check(frozen) && PyFrozenSet_CheckExact(frozen));
    EXPECT_TRUE(PyAnySet_CheckExact(frozen) && PyAnySet_CheckExact(set));
    EXPECT_FALSE(PySet_Check(frozen) || PyFrozenSet_Check(set) || PyAnySet_Check(Py_None));
    drop({set, frozen});
}

TEST_P(Set, FunctionsRefuseWhatIsNone) {
    PyObject* list = PyList_New(0);
    PyObject* frozen = ints({1}, PyFrozenSet_New);
    EXPECT_EQ(PySet_Size(list), -1);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PySet_Contains(list, Py_None), -1);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PySet_Add(list, Py_None), -1);
    expect_raised(PyExc_SystemError);
    for (PyObject* op : {list, frozen}) {
        EXPECT_EQ(PySet_Discard(op, Py_None), -1);
        expect_raised(PyExc_SystemError);
        EXPECT_EQ(PySet_Pop(op), nullptr);
        expect_raised(PyExc_SystemError);
        EXPECT_EQ(PySet_Clear(op), -1);
        expect_raised(PyExc_SystemError);
    }
    EXPECT_EQ(PySet_Size(frozen), 1);
    drop({list, frozen});
}

TEST_P(Set, AnElementMustBeHashable) {
    PyObject* set = PySet_New(nullptr);
    PyObject* list = PyList_New(0);
    for (PyObject* op : {list, set}) {
        EXPECT_EQ(PySet_Add(set, op), -1);
        expect_raised(PyExc_TypeError);
        EXPECT_EQ(PySet_Contains(set, op), -1);
        expect_raised(PyExc_TypeError);
        EXPECT_EQ(PySet_Discard(set, op), -1);
        expect_raised(PyExc_TypeError);
        EXPECT_EQ(Py_REFCNT(op), 1);
    }
    EXPECT_EQ(PySet_Size(set), 0);
    drop({set, list});
}

// "Can be used to fill in the values of brand new frozensets before they are exposed to other code".
TEST_P(Set, AFrozensetIsFilledByItsOnlyHolder) {
    PyObject* frozen = PyFrozenSet_New(nullptr);
    const Py_hash_t empty = PyObject_Hash(frozen);
    ASSERT_EQ(with(PySet_Add, frozen, 1), 0);
    EXPECT_NE(PyObject_Hash(frozen), empty) << "the hash follows the elements";
    Py_INCREF(frozen);
    EXPECT_EQ(with(PySet_Add, frozen, 2), -1);
    expect_raised(PyExc_SystemError);
    Py_DECREF(frozen);
    EXPECT_EQ(PySet_Size(frozen), 1);
    EXPECT_EQ(with(PySet_Contains, frozen, 1), 1);
    Py_DECREF(frozen);
}

TEST_P(Set, AFrozensetIsAKeyByItsElements) {
    PyObject* one = ints({1, 2, 900}, PyFrozenSet_New);
    PyObject* other = ints({900, 1, 2, 2}, PyFrozenSet_New);
    PyObject* third = ints({1, 2}, PyFrozenSet_New);
    EXPECT_EQ(PyObject_Hash(one), PyObject_Hash(other));
    EXPECT_NE(PyObject_Hash(one), PyObject_Hash(third));
    PyObject* outer = PySet_New(nullptr);
    for (PyObject* op : {one, other, third}) {
        ASSERT_EQ(PySet_Add(outer, op), 0);
    }
    EXPECT_EQ(PySet_Size(outer), 2);
    EXPECT_EQ(Py_REFCNT(other), 1) << "an equal one was there";
    // Hashes as CPython 3.11 computes them.
    PyObject* none = PyFrozenSet_New(nullptr);
    EXPECT_EQ(PyObject_Hash(none), 133146708735736);
    PyObject* zero = ints({0}, PyFrozenSet_New);
    EXPECT_EQ(PyObject_Hash(zero), -2704248722033767810);
    EXPECT_EQ(PyObject_Hash(one), 1376080587565668537);
    drop({one, other, third, outer, none, zero});
}

TEST_P(Set, CompareByInclusion) {
    PyObject* small = ints({1, 2});
    PyObject* large = ints({2, 1, 3}, PyFrozenSet_New);
    PyObject* other = ints({1, 7});
    PyObject* same = ints({2, 1}, PyFrozenSet_New);
    const auto is = [](PyObject* a, int operation, PyObject* b) {
        return PyObject_RichCompareBool(a, b, operation) == 1;
    };
    EXPECT_TRUE(is(small, Py_EQ, same) && is(small, Py_LE, same) && is(small, Py_GE, same));
    EXPECT_FALSE(is(small, Py_NE, same) || is(small, Py_LT, same) || is(small, Py_GT, same));
    EXPECT_TRUE(is(small, Py_LT, large) && is(small, Py_LE, large) && is(small, Py_NE, large));
    EXPECT_TRUE(is(large, Py_GT, small) && is(large, Py_GE, small));
    EXPECT_FALSE(is(large, Py_LT, small) || is(large, Py_EQ, small) || is(small, Py_GT, large));
    EXPECT_TRUE(is(small, Py_NE, other));
    EXPECT_FALSE(is(small, Py_LE, other) || is(other, Py_LE, small) || is(other, Py_LT, large));
    PyObject* list = PyList_New(0);
    EXPECT_TRUE(is(small, Py_NE, list));
    EXPECT_EQ(PyObject_RichCompareBool(small, list, Py_LT), -1) << "no order with another type";
    expect_raised(PyExc_TypeError);
    drop({small, large, other, same, list});
}

TEST_P(Set, OfACycleIsCollected) {
    for (auto* make : {PySet_New, PyFrozenSet_New}) {
        PyObject* set = make(nullptr);
        PyObject* member = new_thing();
        ASSERT_EQ(PySet_Add(set, member), 0);
        refer(member, 0, set);
        EXPECT_EQ(PyObject_GC_IsTracked(set), 1);
        drop({member});
        EXPECT_EQ(PyGC_Collect(), 0) << "held from outside";
        EXPECT_EQ(PySet_Size(set), 1);
        drop({set});
        EXPECT_EQ(record.live, 1);
        EXPECT_EQ(PyGC_Collect(), 2);
        EXPECT_EQ(record.live, 0);
    }
}

TEST_P(Set, CanBeWeaklyReferredTo) {
    for (auto* make : {PySet_New, PyFrozenSet_New}) {
        PyObject* set = make(nullptr);
        PyObject* weak = PyWeakref_NewRef(set, nullptr);
        ASSERT_NE(weak, nullptr);
        EXPECT_EQ(PyWeakref_GetObject(weak), set);
        Py_DECREF(set);
        EXPECT_EQ(PyWeakref_GetObject(weak), Py_None);
        Py_DECREF(weak);
    }
}

TEST_P(Set, ADeepNestOfFrozensetsDies) {
    PyObject* nest = PyFrozenSet_New(nullptr);
    for (size_t i = 0; i < scaled(200'000); ++i) {
        PyObject* outer = PyFrozenSet_New(nullptr);
        ASSERT_EQ(PySet_Add(outer, nest), 0);
        ASSERT_NE(PyObject_Hash(outer), -1) << "known from then on: hashing the next is not deep";
        Py_DECREF(nest);
        nest = outer;
    }
    Py_DECREF(nest);
}

// Elements compare by code of their own, which may do anything to the set.
std::function<void()> meanwhile;

PyTypeObject EqualType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Equal",
    .tp_hash = [](PyObject*) -> Py_hash_t { return 1; },
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_richcompare = [](PyObject* a, PyObject* b, int) -> PyObject* {
        if (const auto code = std::exchange(meanwhile, nullptr)) {
            code();
        }
        return PyErr_Occurred() != nullptr ? nullptr
                                           : PyBool_FromLong(thing(a)->id == thing(b)->id);
    },
    .tp_base = &ThingType,
};

TEST_P(Set, MayChangeWhileElementsAreCompared) {
    ASSERT_EQ(PyType_Ready(&EqualType), 0);
    PyObject* set = PySet_New(nullptr);
    const auto add = [&](int id) {
        PyObject* op = new_thing(id, &EqualType);
        EXPECT_EQ(PySet_Add(set, op), 0);
        Py_DECREF(op);
    };
    PyObject* wanted = new_thing(2, &EqualType);
    const auto refill = [&] {
        PySet_Clear(set);
        for (int id = 0; id < 3; ++id) {
            add(id);
        }
    };
    refill();
    meanwhile = [&] { PySet_Clear(set); };
    EXPECT_EQ(PySet_Contains(set, wanted), 0);
    refill();
    meanwhile = [&] {
        for (int id = 10; id < 100; ++id) {
            add(id);
        }
    };
    EXPECT_EQ(PySet_Contains(set, wanted), 1);
    EXPECT_EQ(PySet_Size(set), 93);
    refill();
    meanwhile = [&] { PySet_Clear(set); };
    EXPECT_EQ(PySet_Discard(set, wanted), 0);
    meanwhile = nullptr;
    EXPECT_EQ(PySet_Add(set, wanted), 0);
    EXPECT_EQ(PySet_Size(set), 1);
    refill();
    PyObject* copy = PySet_New(set);
    PyObject* other = PySet_New(nullptr);
    for (int id = 0; id < 3; ++id) {
        PyObject* op = new_thing(id, &EqualType);
        EXPECT_EQ(PySet_Add(other, op), 0);
        Py_DECREF(op);
    }
    meanwhile = [&] { PySet_Clear(set); };
    EXPECT_NE(PyObject_RichCompareBool(set, other, Py_EQ), -1);
    meanwhile = [] { PyErr_SetString(PyExc_ValueError, "incomparable"); };
    EXPECT_EQ(PyObject_RichCompareBool(copy, other, Py_EQ), -1);
    expect_raised(PyExc_ValueError);
    meanwhile = [] { PyErr_SetString(PyExc_ValueError, "incomparable"); };
    EXPECT_EQ(PySet_Add(copy, wanted), -1);
    expect_raised(PyExc_ValueError);
    EXPECT_EQ(PySet_Size(copy), 3);
    drop({set, wanted, copy, other});
}

// What a dying element's deallocation does to the set that it was in.
TEST_P(Set, MayBeClearedWhileAnElementDies) {
    PyObject* set = PySet_New(nullptr);
    record.on_dealloc = [&](Thing*) { PySet_Clear(set); };
    for (int i = 0; i < 2; ++i) {
        PyObject* element = new_thing();
        ASSERT_EQ(PySet_Add(set, element), 0);
        ASSERT_EQ(with(PySet_Add, set, 5), 0);
        Py_DECREF(element);
        EXPECT_EQ(i == 0 ? PySet_Discard(set, element) : PySet_Clear(set), i == 0 ? 1 : 0);
        EXPECT_EQ(PySet_Size(set), 0);
    }
    Py_DECREF(set);
}

EVERY_RUNTIME(Set);

}  // namespace
}  // namespace ouro::test
