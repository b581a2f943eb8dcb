// dict: what was stored is found, in the order of insertion, through growth and deletion; counts of
// keys and values are exact. Source: "Dictionary Objects".

#include <map>
#include <random>

#include "tests/contract/things.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

using Dict = Things;

std::vector<long> keys_of(PyObject* dict) {
    std::vector<long> keys;
    Py_ssize_t position = 0;
    PyObject* key;
    PyObject* value;
    while (PyDict_Next(dict, &position, &key, &value)) {
        keys.push_back(PyLong_AsLong(key));
    }
    return keys;
}

void set(PyObject* dict, long key, long value) {
    PyObject* k = PyLong_FromLong(key);
    PyObject* v = PyLong_FromLong(value);
    EXPECT_EQ(PyDict_SetItem(dict, k, v), 0);
    drop({k, v});
}

// The value of an integer key, or -1.
long get(PyObject* dict, long key) {
    PyObject* k = PyLong_FromLong(key);
    PyObject* value = PyDict_GetItemWithError(dict, k);
    Py_DECREF(k);
    return value == nullptr ? -1 : PyLong_AsLong(value);
}

int erase(PyObject* dict, long key) {
    PyObject* k = PyLong_FromLong(key);
    const int result = PyDict_DelItem(dict, k);
    Py_DECREF(k);
    return result;
}

TEST_P(Dict, KeepsTheOrderOfInsertion) {
    PyObject* dict = PyDict_New();
    for (const long key : {5, 3, 900, -1, 1, 0}) {
        set(dict, key, key + 1);
    }
    EXPECT_THAT(keys_of(dict), testing::ElementsAre(5, 3, 900, -1, 1, 0));
    set(dict, 900, 7);
    EXPECT_THAT(keys_of(dict), testing::ElementsAre(5, 3, 900, -1, 1, 0)) << "replaced in place";
    EXPECT_EQ(get(dict, 900), 7);
    EXPECT_EQ(erase(dict, 3), 0);
    set(dict, 3, 8);
    EXPECT_THAT(keys_of(dict), testing::ElementsAre(5, 900, -1, 1, 0, 3))
        << "stored anew at the end";
    Py_DECREF(dict);
}

TEST_P(Dict, AgreesWithAMapUnderRandomUse) {
    std::mt19937 random(static_cast<unsigned>(seed()));
    PyObject* dict = PyDict_New();
    std::map<long, long> expected;
    for (long step = 0; step < 40'000; ++step) {
        const long key = static_cast<long>(random() % 700) * 1'000'003;
        if (random() % 3 == 0) {
            const bool had = expected.erase(key) > 0;
            ASSERT_EQ(erase(dict, key), had ? 0 : -1);
            if (!had) {
                expect_raised(PyExc_KeyError);
            }
        } else {
            expected[key] = step;
            set(dict, key, step);
        }
        const long probe = static_cast<long>(random() % 700) * 1'000'003;
        const auto it = expected.find(probe);
        ASSERT_EQ(get(dict, probe), it == expected.end() ? -1 : it->second);
        ASSERT_EQ(PyDict_Size(dict), static_cast<Py_ssize_t>(expected.size()));
    }
    EXPECT_EQ(keys_of(dict).size(), expected.size());
    Py_DECREF(dict);
}

TEST_P(Dict, GrowsAndStaysInOrder) {
    constexpr long kMany = 100'000;
    PyObject* dict = PyDict_New();
    for (long i = 0; i < kMany; ++i) {
        set(dict, i * 7, i);
    }
    ASSERT_EQ(PyDict_Size(dict), kMany);
    const std::vector<long> keys = keys_of(dict);
    for (long i = 0; i < kMany; ++i) {
        ASSERT_EQ(keys[static_cast<size_t>(i)], i * 7);
        ASSERT_EQ(get(dict, i * 7), i);
    }
    Py_DECREF(dict);
}

TEST_P(Dict, OwnsOneReferenceToEachKeyAndValue) {
    PyObject* dict = PyDict_New();
    PyObject* key = new_thing();
    PyObject* value = new_thing();
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(PyDict_SetItem(dict, key, value), 0);
        EXPECT_EQ(Py_REFCNT(key), 2);
        EXPECT_EQ(Py_REFCNT(value), 2);
    }
    ASSERT_EQ(PyDict_DelItem(dict, key), 0);
    EXPECT_EQ(Py_REFCNT(key), 1);
    EXPECT_EQ(Py_REFCNT(value), 1);
    ASSERT_EQ(PyDict_SetItem(dict, key, value), 0);
    PyDict_Clear(dict);
    EXPECT_EQ(PyDict_Size(dict), 0);
    EXPECT_EQ(Py_REFCNT(key), 1);
    ASSERT_EQ(PyDict_SetItem(dict, key, value), 0) << "usable after it was cleared";
    Py_DECREF(dict);
    EXPECT_EQ(Py_REFCNT(value), 1);
    drop({key, value});
}

TEST_P(Dict, AMissingKeyIsNoErrorToLookUpAndOneToDelete) {
    PyObject* dict = PyDict_New();
    PyObject* key = PyUnicode_FromString("missing");
    EXPECT_EQ(PyDict_GetItem(dict, key), nullptr);
    EXPECT_EQ(PyDict_GetItemWithError(dict, key), nullptr);
    EXPECT_EQ(PyDict_GetItemString(dict, "missing"), nullptr);
    EXPECT_EQ(PyDict_Contains(dict, key), 0);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    EXPECT_EQ(PyDict_DelItem(dict, key), -1);
    expect_raised(PyExc_KeyError);
    ASSERT_EQ(PyDict_SetItemString(dict, "missing", Py_None), 0);
    EXPECT_EQ(PyDict_GetItem(dict, key), Py_None) << "another str with the same text";
    EXPECT_EQ(PyDict_Contains(dict, key), 1);
    drop({dict, key});
}

TEST_P(Dict, FunctionsRefuseWhatIsNoDict) {
    PyObject* list = PyList_New(0);
    EXPECT_EQ(PyDict_Size(list), -1);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PyDict_SetItem(list, Py_None, Py_None), -1);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PyDict_DelItem(list, Py_None), -1);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PyDict_GetItemWithError(list, Py_None), nullptr);
    expect_raised(PyExc_SystemError);
    Py_DECREF(list);
}

// An old value's deallocation changes the dict that it was replaced in.
TEST_P(Dict, AnOldValueMayClearTheDictWhileItIsReplaced) {
    PyObject* dict = PyDict_New();
    record.on_dealloc = [&](Thing*) { PyDict_Clear(dict); };
    for (const bool remove : {false, true}) {
        PyObject* value = new_thing();
        ASSERT_EQ(PyDict_SetItemString(dict, "key", value), 0);
        Py_DECREF(value);
        if (remove) {
            PyObject* key = PyUnicode_FromString("key");
            EXPECT_EQ(PyDict_DelItem(dict, key), 0);
            Py_DECREF(key);
        } else {
            EXPECT_EQ(PyDict_SetItemString(dict, "key", Py_None), 0);
        }
        EXPECT_EQ(PyDict_Size(dict), 0);
    }
    Py_DECREF(dict);
}

EVERY_RUNTIME(Dict);

}  // namespace
}  // namespace ouro::test
