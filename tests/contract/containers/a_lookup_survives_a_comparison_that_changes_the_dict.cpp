// Keys compare by code of their own. A comparison may empty, refill or grow the dict that is being
// searched, drop the very key that it compares, raise, or collect: the lookup ends with a right
// answer. Source: "Dictionary Objects"; "Type Objects", tp_richcompare.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

// A node whose hash is always the same and whose comparison does what a test says.
std::function<PyObject*(PyObject*, PyObject*)> compare;

PyTypeObject KeyType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Key",
    .tp_hash = [](PyObject*) -> Py_hash_t { return 1; },
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_richcompare = [](PyObject* a, PyObject* b, int) -> PyObject* {
        const auto current = compare;  // it may be replaced while it runs
        return current ? current(a, b) : PyBool_FromLong(thing(a)->id == thing(b)->id);
    },
    .tp_base = &ThingType,
};

class Lookup : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        ASSERT_EQ(PyType_Ready(&KeyType), 0);
        dict = PyDict_New();
        for (int id = 0; id < 3; ++id) {
            store(id);
        }
        wanted = new_thing(2, &KeyType);
    }
    void TearDown() override {
        compare = nullptr;
        Py_CLEAR(dict);
        Py_CLEAR(wanted);
        Things::TearDown();
    }
    // Stores id under a new key.
    static void store(int id) {
        PyObject* key = new_thing(id, &KeyType);
        PyObject* value = PyLong_FromLong(1000 + id);
        EXPECT_EQ(PyDict_SetItem(dict, key, value), 0);
        drop({key, value});
    }
    // Lets the next comparison run `code` first.
    static void meanwhile(std::function<void()> code) {
        compare = [code](PyObject* a, PyObject* b) {
            const bool equal = thing(a)->id == thing(b)->id;
            compare = nullptr;
            code();
            return PyBool_FromLong(equal);
        };
    }
    static long look_up() {
        PyObject* value = PyDict_GetItemWithError(dict, wanted);
        return value == nullptr ? -1 : PyLong_AsLong(value);
    }
    static inline PyObject* dict;
    static inline PyObject* wanted;
};

TEST_P(Lookup, FindsAnEqualKeyAmongSameHashes) {
    EXPECT_EQ(look_up(), 1002);
    EXPECT_EQ(PyDict_Contains(dict, wanted), 1);
}

TEST_P(Lookup, WhileTheDictIsCleared) {
    meanwhile([] { PyDict_Clear(dict); });
    EXPECT_EQ(look_up(), -1);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    EXPECT_EQ(PyDict_Size(dict), 0);
    EXPECT_EQ(record.live, 1);
}

TEST_P(Lookup, WhileTheDictIsRefilled) {
    meanwhile([] {
        PyDict_Clear(dict);
        store(2);
    });
    EXPECT_EQ(look_up(), 1002);
}

TEST_P(Lookup, WhileTheDictGrows) {
    meanwhile([] {
        for (int id = 10; id < 200; ++id) {
            store(id);
        }
    });
    EXPECT_EQ(look_up(), 1002);
    EXPECT_EQ(PyDict_Size(dict), 193);
}

TEST_P(Lookup, WhileTheComparedKeyIsDeleted) {
    PyObject* first = new_thing(0, &KeyType);
    meanwhile([&] { EXPECT_EQ(PyDict_DelItem(dict, first), 0); });
    EXPECT_EQ(look_up(), 1002);
    EXPECT_EQ(PyDict_Size(dict), 2);
    Py_DECREF(first);
}

TEST_P(Lookup, WhileACollectionRuns) {
    drop_ring(3, &ThingType, 50);
    Py_ssize_t found = -1;
    meanwhile([&] { found = PyGC_Collect(); });
    EXPECT_EQ(look_up(), 1002);
    EXPECT_EQ(found, 3);
}

TEST_P(Lookup, StoringWhileTheDictIsClearedStoresIt) {
    meanwhile([] { PyDict_Clear(dict); });
    EXPECT_EQ(PyDict_SetItem(dict, wanted, Py_None), 0);
    EXPECT_EQ(PyDict_Size(dict), 1);
    EXPECT_EQ(PyDict_GetItem(dict, wanted), Py_None);
}

TEST_P(Lookup, DeletingWhileTheDictIsClearedIsAKeyError) {
    meanwhile([] { PyDict_Clear(dict); });
    EXPECT_EQ(PyDict_DelItem(dict, wanted), -1);
    expect_raised(PyExc_KeyError);
}

TEST_P(Lookup, PassesOnWhatTheComparisonRaises) {
    compare = [](PyObject*, PyObject*) -> PyObject* {
        PyErr_SetString(PyExc_ValueError, "incomparable");
        return nullptr;
    };
    EXPECT_EQ(PyDict_GetItemWithError(dict, wanted), nullptr);
    expect_raised(PyExc_ValueError);
    EXPECT_EQ(PyDict_Contains(dict, wanted), -1);
    expect_raised(PyExc_ValueError);
    EXPECT_EQ(PyDict_SetItem(dict, wanted, Py_None), -1);
    expect_raised(PyExc_ValueError);
    EXPECT_EQ(PyDict_DelItem(dict, wanted), -1);
    expect_raised(PyExc_ValueError);
    EXPECT_EQ(PyDict_Size(dict), 3);
    EXPECT_EQ(Py_REFCNT(wanted), 1);
    EXPECT_EQ(PyDict_GetItem(dict, wanted), nullptr) << "this one hides it";
    EXPECT_EQ(PyErr_Occurred(), nullptr);
}

// PyDict_GetItem hides what it meets, and leaves what was there.
TEST_P(Lookup, ThatHidesErrorsKeepsTheCallersException) {
    compare = [](PyObject*, PyObject*) -> PyObject* {
        PyErr_SetString(PyExc_ValueError, "incomparable");
        return nullptr;
    };
    PyErr_SetString(PyExc_KeyError, "the caller's");
    EXPECT_EQ(PyDict_GetItem(dict, wanted), nullptr);
    expect_raised(PyExc_KeyError);
}

EVERY_RUNTIME(Lookup);

}  // namespace
}  // namespace ouro::test
