// Watchers of a dict are told of each change before it is made, of its end, and of nothing else. Source: "Dictionary
// Objects", PyDict_AddWatcher and what follows it.

#include <string>
#include <vector>

#include "tests/contract/text.hpp"

namespace ouro::test {
namespace {

struct Told {
    PyDict_WatchEvent event;
    PyObject* dict;  // borrowed, as the others
    PyObject* key;
    PyObject* value;
    Py_ssize_t size;  // of the dict, then
    bool operator==(const Told&) const = default;
};
std::vector<Told> told;
PyObject* kept_alive = nullptr;  // by the next callback, of a dict that ends
bool raises = false;

int note(PyDict_WatchEvent event, PyObject* dict, PyObject* key, PyObject* value) {
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    told.push_back({event, dict, key, value, PyDict_Size(dict)});
    if (event == PyDict_EVENT_DEALLOCATED && kept_alive == Py_None) {
        kept_alive = Py_NewRef(dict);
    }
    if (raises) {
        PyErr_SetString(PyExc_RuntimeError, "no");
        return -1;
    }
    return 0;
}

class WatchedDict : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        id_ = PyDict_AddWatcher(note);
        ASSERT_GE(id_, 0);
        told.clear();
    }
    void TearDown() override {
        EXPECT_EQ(PyDict_ClearWatcher(id_), 0);
        Things::TearDown();
    }
    PyObject* watched(Kept& kept) const {
        PyObject* dict = kept(PyDict_New());
        EXPECT_EQ(PyDict_Watch(id_, dict), 0);
        return dict;
    }
    static std::vector<Told> take() { return std::exchange(told, {}); }
    static std::vector<Told> one(PyDict_WatchEvent event, PyObject* dict, PyObject* key,
                                 PyObject* value, Py_ssize_t size) {
        return {{event, dict, key, value, size}};
    }

    int id_ = -1;
};

TEST_P(WatchedDict, TellsOfEachKey) {
    {
        Kept kept;
        PyObject* dict = watched(kept);
        PyObject* other = kept(PyDict_New());
        PyObject* a = kept(PyUnicode_FromString("a"));
        PyObject* b = kept(PyUnicode_FromString("b"));
        EXPECT_EQ(PyDict_SetItem(other, a, b), 0);
        EXPECT_TRUE(take().empty()) << "that one is not watched";
        EXPECT_EQ(PyDict_SetItem(dict, a, b), 0);
        EXPECT_EQ(take(), one(PyDict_EVENT_ADDED, dict, a, b, 0));
        EXPECT_EQ(PyDict_SetItem(dict, a, b), 0);
        EXPECT_TRUE(take().empty()) << "it is the same value";
        EXPECT_EQ(PyDict_SetItem(dict, a, a), 0);
        EXPECT_EQ(take(), one(PyDict_EVENT_MODIFIED, dict, a, a, 1));
        PyObject* value;
        EXPECT_EQ(PyDict_SetDefaultRef(dict, a, b, &value), 1);
        Py_DECREF(value);
        EXPECT_TRUE(take().empty());
        EXPECT_EQ(PyDict_SetDefaultRef(dict, b, a, nullptr), 0);
        EXPECT_EQ(take(), one(PyDict_EVENT_ADDED, dict, b, a, 1));
        EXPECT_EQ(PyDict_DelItem(dict, a), 0);
        EXPECT_EQ(take(), one(PyDict_EVENT_DELETED, dict, a, nullptr, 2));
        EXPECT_EQ(PyDict_DelItem(dict, a), -1);
        expect_raised(PyExc_KeyError);
        EXPECT_EQ(PyDict_Pop(dict, a, nullptr), 0);
        EXPECT_TRUE(take().empty()) << "it is not there";
        Py_XDECREF(PyObject_CallMethod(dict, "popitem", nullptr));
        EXPECT_EQ(take(), one(PyDict_EVENT_DELETED, dict, b, nullptr, 1));
        PyObject* list = kept(PyList_New(0));
        EXPECT_EQ(PyDict_SetItem(dict, list, a), -1);
        expect_raised(PyExc_TypeError);
        EXPECT_TRUE(take().empty()) << "it cannot be hashed";
        EXPECT_EQ(PyDict_Size(dict), 0);
    }
    EXPECT_EQ(take().size(), 1U) << "that it ended";
}

TEST_P(WatchedDict, TellsOfTheWhole) {
    {
        Kept kept;
        PyObject* dict = watched(kept);
        PyObject* a = kept(PyUnicode_FromString("a"));
        PyObject* other = kept(Py_BuildValue("{sisi}", "x", 1, "y", 2));
        EXPECT_EQ(PyDict_Update(dict, other), 0);
        EXPECT_EQ(take(), one(PyDict_EVENT_CLONED, dict, other, nullptr, 0));
        EXPECT_EQ(PyDict_SetItem(other, a, a), 0);
        EXPECT_EQ(PyDict_Update(dict, other), 0);
        EXPECT_EQ(take(), one(PyDict_EVENT_ADDED, dict, a, a, 2)) << "the others are the same";
        PyDict_Clear(dict);
        EXPECT_EQ(take(), one(PyDict_EVENT_CLEARED, dict, nullptr, nullptr, 3));
        PyDict_Clear(dict);
        EXPECT_TRUE(take().empty()) << "there is nothing";
        EXPECT_EQ(PyDict_Unwatch(id_, dict), 0);
        EXPECT_EQ(PyDict_SetItem(dict, a, a), 0);
    }
    EXPECT_TRUE(take().empty()) << "it is not watched any more";
}

TEST_P(WatchedDict, LivesOnIfItsEndIsRefused) {
    PyObject* dict = PyDict_New();
    ASSERT_EQ(PyDict_Watch(id_, dict), 0);
    ASSERT_EQ(PyDict_SetItemString(dict, "a", Py_None), 0);
    take();
    kept_alive = Py_None;
    Py_DECREF(dict);
    EXPECT_EQ(take(), one(PyDict_EVENT_DEALLOCATED, dict, nullptr, nullptr, 1));
    ASSERT_EQ(kept_alive, dict);
    kept_alive = nullptr;
    EXPECT_EQ(PyDict_Size(dict), 1);
    EXPECT_EQ(PyObject_GC_IsTracked(dict), 1);
    Py_DECREF(dict);
    EXPECT_EQ(take(), one(PyDict_EVENT_DEALLOCATED, dict, nullptr, nullptr, 1));
}

// A class derived from dict ends once, too, and lives on whole.
TEST_P(WatchedDict, OfAClassLivesOn) {
    PyObject* type = PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(O){}", "D",
                                           &PyDict_Type);
    PyObject* dict = PyObject_CallNoArgs(type);
    ASSERT_EQ(PyDict_Watch(id_, dict), 0);
    ASSERT_EQ(PyObject_SetAttrString(dict, "name", Py_None), 0);
    kept_alive = Py_None;
    Py_DECREF(dict);
    ASSERT_EQ(kept_alive, dict);
    kept_alive = nullptr;
    EXPECT_EQ(PyObject_HasAttrString(dict, "name"), 1);
    EXPECT_EQ(PyDict_SetItemString(dict, "a", Py_None), 0);
    Py_DECREF(dict);
    const std::vector<Told> all = take();
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].event, PyDict_EVENT_DEALLOCATED);
    EXPECT_EQ(all[1].event, PyDict_EVENT_ADDED);
    EXPECT_EQ(all[2].event, PyDict_EVENT_DEALLOCATED);
    Py_DECREF(type);
    PyGC_Collect();
}

TEST_P(WatchedDict, ClearedByACollectionTells) {
    PyObject* dict = PyDict_New();
    ASSERT_EQ(PyDict_SetItemString(dict, "itself", dict), 0);
    ASSERT_EQ(PyDict_Watch(id_, dict), 0);
    Py_DECREF(dict);
    EXPECT_EQ(PyGC_Collect(), 1);
    const std::vector<Told> all = take();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].event, PyDict_EVENT_CLEARED);
    EXPECT_EQ(all[1].event, PyDict_EVENT_DEALLOCATED);
}

TEST_P(WatchedDict, IgnoresWhatACallbackRaises) {
    {
        Kept kept;
        PyObject* dict = watched(kept);
        raises = true;
        EXPECT_EQ(PyDict_SetItemString(dict, "a", Py_None), 0);
        raises = false;
        EXPECT_EQ(PyDict_Size(dict), 1);
        EXPECT_THAT(take_unraisable(), testing::ElementsAre("RuntimeError: no"));
    }
}

TEST_P(WatchedDict, NeedsAWatcherAndADict) {
    Kept kept;
    PyObject* dict = kept(PyDict_New());
    for (const int id : {-1, 8}) {
        for (const auto function : {PyDict_Watch, PyDict_Unwatch}) {
            EXPECT_EQ(function(id, dict), -1);
            expect_raised(PyExc_ValueError, "Invalid dict watcher ID " + std::to_string(id));
        }
        EXPECT_EQ(PyDict_ClearWatcher(id), -1);
        expect_raised(PyExc_ValueError, "Invalid dict watcher ID " + std::to_string(id));
    }
    EXPECT_EQ(PyDict_Watch(7, dict), -1);
    expect_raised(PyExc_ValueError, "No dict watcher set for ID 7");
    EXPECT_EQ(PyDict_Watch(id_, Py_None), -1);
    expect_raised(PyExc_ValueError, "Cannot watch non-dictionary");
    std::vector<int> more;
    for (int id = PyDict_AddWatcher(note); id >= 0; id = PyDict_AddWatcher(note)) {
        more.push_back(id);
    }
    expect_raised(PyExc_RuntimeError, "no more dict watcher IDs available");
    EXPECT_EQ(more.size(), 7U);
    for (const int id : more) {
        EXPECT_EQ(PyDict_ClearWatcher(id), 0);
    }
}

EVERY_WAY_OF_COUNTING(WatchedDict);

}  // namespace
}  // namespace ouro::test
