// dict: defaults, removal with the value, texts as keys; copies, merges and lists of what is in it. Source:
// "Dictionary Objects".

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

class Items : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        dict_ = PyDict_New();
        for (const auto& [name, place] : {std::pair("a", &a_), std::pair("b", &b_)}) {
            *place = new_thing();
            PyDict_SetItemString(dict_, name, *place);
        }
        key_ = PyUnicode_FromString("a");
        missing_ = PyUnicode_FromString("missing");
        unhashable_ = PyList_New(0);
    }
    void TearDown() override {
        Py_DECREF(dict_);
        EXPECT_EQ(Py_REFCNT(a_), 1);
        EXPECT_EQ(Py_REFCNT(b_), 1);
        drop({a_, b_, key_, missing_, unhashable_});
        Things::TearDown();
    }
    static std::vector<std::string> keys(PyObject* dict) {
        std::vector<std::string> found;
        Py_ssize_t position = 0;
        PyObject* key;
        while (PyDict_Next(dict, &position, &key, nullptr)) {
            found.emplace_back(PyUnicode_AsUTF8(key));
        }
        return found;
    }
    PyObject *dict_, *a_, *b_, *key_, *missing_, *unhashable_;
};

using testing::ElementsAre;

TEST_P(Items, ADefaultIsStoredOnce) {
    PyObject* result = nullptr;
    EXPECT_EQ(PyDict_SetDefaultRef(dict_, key_, b_, &result), 1);
    EXPECT_EQ(result, a_);
    EXPECT_EQ(Py_REFCNT(a_), 3) << "a new reference";
    Py_DECREF(result);
    EXPECT_EQ(PyDict_SetDefaultRef(dict_, missing_, b_, &result), 0);
    EXPECT_EQ(result, b_);
    EXPECT_EQ(Py_REFCNT(b_), 4);
    Py_DECREF(result);
    EXPECT_EQ(PyDict_SetDefaultRef(dict_, missing_, a_, nullptr), 1);
    EXPECT_EQ(PyDict_SetDefault(dict_, key_, b_), a_);
    EXPECT_EQ(Py_REFCNT(a_), 2) << "borrowed";
    EXPECT_THAT(keys(dict_), ElementsAre("a", "b", "missing"));

    EXPECT_EQ(PyDict_SetDefaultRef(dict_, unhashable_, a_, &result), -1);
    expect_raised(PyExc_TypeError, "unhashable type: 'list'");
    EXPECT_EQ(result, nullptr);
    EXPECT_EQ(PyDict_SetDefault(dict_, unhashable_, a_), nullptr);
    expect_raised(PyExc_TypeError);
    EXPECT_EQ(PyDict_SetDefault(unhashable_, key_, a_), nullptr);
    expect_raised(PyExc_SystemError);
}

TEST_P(Items, ArePopped) {
    PyObject* value = nullptr;
    EXPECT_EQ(PyDict_Pop(dict_, key_, &value), 1);
    EXPECT_EQ(value, a_);
    EXPECT_EQ(Py_REFCNT(a_), 2) << "the dict's reference is the caller's now";
    Py_DECREF(value);
    EXPECT_EQ(PyDict_Pop(dict_, key_, &value), 0);
    EXPECT_EQ(value, nullptr);
    EXPECT_EQ(PyDict_Pop(dict_, unhashable_, &value), -1);
    expect_raised(PyExc_TypeError, "unhashable type: 'list'");
    EXPECT_EQ(PyDict_PopString(dict_, "b", nullptr), 1);
    EXPECT_EQ(Py_REFCNT(b_), 1);
    EXPECT_EQ(PyDict_PopString(dict_, "b", &value), 0);
    EXPECT_EQ(PyDict_Pop(dict_, unhashable_, nullptr), 0) << "nothing is in an empty dict";
    EXPECT_EQ(PyDict_Pop(unhashable_, key_, &value), -1);
    expect_raised(PyExc_SystemError);
}

TEST_P(Items, AreFoundByText) {
    PyObject* value = nullptr;
    EXPECT_EQ(PyDict_GetItemStringRef(dict_, "a", &value), 1);
    EXPECT_EQ(value, a_);
    Py_DECREF(value);
    EXPECT_EQ(PyDict_GetItemStringRef(dict_, "missing", &value), 0);
    EXPECT_EQ(value, nullptr);
    EXPECT_EQ(PyDict_GetItemStringRef(unhashable_, "a", &value), -1);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PyDict_ContainsString(dict_, "a"), 1);
    EXPECT_EQ(PyDict_ContainsString(dict_, "missing"), 0);
    EXPECT_EQ(PyDict_DelItemString(dict_, "a"), 0);
    EXPECT_EQ(PyDict_ContainsString(dict_, "a"), 0);
    EXPECT_EQ(PyDict_DelItemString(dict_, "a"), -1);
    expect_raised(PyExc_KeyError);
}

TEST_P(Items, AMissingKeyIsNamed) {
    EXPECT_EQ(PyDict_DelItem(dict_, missing_), -1);
    EXPECT_THAT(take_error().message, testing::HasSubstr("missing"));
    PyObject* pair = PyTuple_Pack(2, key_, missing_);
    EXPECT_EQ(PyDict_DelItem(dict_, pair), -1);
    expect_raised(PyExc_KeyError);
    Py_DECREF(pair);
}

TEST_P(Items, AreListed) {
    PyObject* all_keys = PyDict_Keys(dict_);
    ASSERT_TRUE(PyList_CheckExact(all_keys));
    ASSERT_EQ(PyList_Size(all_keys), 2);
    EXPECT_STREQ(PyUnicode_AsUTF8(PyList_GetItem(all_keys, 0)), "a");
    PyObject* values = PyDict_Values(dict_);
    ASSERT_EQ(PyList_Size(values), 2);
    EXPECT_EQ(PyList_GetItem(values, 0), a_);
    EXPECT_EQ(PyList_GetItem(values, 1), b_);
    PyObject* items = PyDict_Items(dict_);
    ASSERT_EQ(PyList_Size(items), 2);
    PyObject* second = PyList_GetItem(items, 1);
    ASSERT_TRUE(PyTuple_CheckExact(second));
    EXPECT_STREQ(PyUnicode_AsUTF8(PyTuple_GetItem(second, 0)), "b");
    EXPECT_EQ(PyTuple_GetItem(second, 1), b_);
    drop({all_keys, values, items});

    PyObject* empty = PyDict_New();
    for (PyObject* list : {PyDict_Keys(empty), PyDict_Values(empty), PyDict_Items(empty)}) {
        EXPECT_EQ(PyList_Size(list), 0);
        Py_DECREF(list);
    }
    Py_DECREF(empty);
    for (PyObject* list : {PyDict_Keys(a_), PyDict_Values(a_), PyDict_Items(a_), PyDict_Copy(a_)}) {
        EXPECT_EQ(list, nullptr);
    }
    expect_raised(PyExc_SystemError);
}

TEST_P(Items, AreCopied) {
    for (int i = 0; i < 100; ++i) {
        PyDict_SetItemString(dict_, ("key " + std::to_string(i)).c_str(), a_);
    }
    PyDict_DelItemString(dict_, "key 7");
    PyObject* copy = PyDict_Copy(dict_);
    ASSERT_TRUE(PyDict_CheckExact(copy));
    EXPECT_NE(copy, dict_);
    EXPECT_EQ(keys(copy), keys(dict_));
    PyDict_Clear(dict_);
    EXPECT_EQ(PyDict_Size(copy), 101);
    EXPECT_EQ(PyDict_GetItemString(copy, "b"), b_);
    EXPECT_EQ(PyDict_GetItemString(copy, "key 99"), a_);
    EXPECT_EQ(PyDict_ContainsString(copy, "key 7"), 0);
    Py_DECREF(copy);
}

TEST_P(Items, AreMerged) {
    PyObject* other = PyDict_New();
    PyDict_SetItemString(other, "b", a_);
    PyDict_SetItemString(other, "c", b_);
    EXPECT_EQ(PyDict_Merge(dict_, other, 0), 0);
    EXPECT_THAT(keys(dict_), ElementsAre("a", "b", "c"));
    EXPECT_EQ(PyDict_GetItemString(dict_, "b"), b_) << "kept";
    EXPECT_EQ(PyDict_Merge(dict_, other, 1), 0);
    EXPECT_EQ(PyDict_GetItemString(dict_, "b"), a_) << "replaced";
    PyDict_SetItemString(other, "a", b_);
    EXPECT_EQ(PyDict_Update(dict_, other), 0);
    EXPECT_EQ(PyDict_GetItemString(dict_, "a"), b_);
    EXPECT_EQ(PyDict_Update(dict_, dict_), 0);
    EXPECT_THAT(keys(dict_), ElementsAre("a", "b", "c"));

    EXPECT_EQ(PyDict_Update(dict_, key_), -1);
    expect_raised(PyExc_AttributeError, "'str' object has no attribute 'keys'");
    EXPECT_EQ(PyDict_Update(dict_, nullptr), -1);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PyDict_Update(key_, dict_), -1);
    expect_raised(PyExc_SystemError);
    Py_DECREF(other);
}

EVERY_WAY_OF_COUNTING(Items);

}  // namespace
}  // namespace ouro::test
