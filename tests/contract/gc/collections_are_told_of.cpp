// What is on gc.callbacks is called before each collection with "start" and after it with "stop" and what came
// of it, with the world running; what a callback raises is unraisable. gc.set_debug(DEBUG_STATS) writes lines
// on stderr. Source: "gc - Garbage Collector interface", callbacks, set_debug.

#include "tests/contract/modules.hpp"

namespace ouro::test {
namespace {

struct Notice {
    std::string phase;
    Py_ssize_t generation, collected, uncollectable;
    bool operator==(const Notice&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const Notice& told) {
        return out << told.phase << " " << told.generation << " " << told.collected << " "
                   << told.uncollectable;
    }
};
std::vector<Notice> told;
std::function<void()> on_told;

PyObject* note_told(PyObject*, PyObject* args) {
    PyObject* info = PyTuple_GetItem(args, 1);
    const auto value = [&](const char* key) {
        return PyLong_AsSsize_t(PyDict_GetItemString(info, key));
    };
    EXPECT_EQ(PyTuple_Size(args), 2);
    EXPECT_EQ(PyDict_Size(info), 3);
    told.push_back({PyUnicode_AsUTF8(PyTuple_GetItem(args, 0)), value("generation"),
                    value("collected"), value("uncollectable")});
    if (on_told) {
        on_told();
    }
    return PyErr_Occurred() == nullptr ? Py_NewRef(Py_None) : nullptr;
}
PyMethodDef note_told_def = {"note_told", note_told, METH_VARARGS, nullptr};

class Telling : public ModuleTest {
protected:
    void SetUp() override {
        ModuleTest::SetUp();
        told.clear();
        on_told = nullptr;
        PyObject* function = PyCFunction_New(&note_told_def, nullptr);
        ASSERT_EQ(PyList_Append(callbacks(), function), 0);
        Py_DECREF(function);
    }
    void TearDown() override {
        PyList_SetSlice(callbacks(), 0, PY_SSIZE_T_MAX, nullptr);
        on_told = nullptr;
        ModuleTest::TearDown();
    }
    static PyObject* callbacks() {
        PyObject* list = get("gc", "callbacks");
        Py_DECREF(list);
        return list;  // the module's
    }
};

TEST_P(Telling, BeforeAndAfter) {
    drop_ring(3);
    on_told = [] { EXPECT_EQ(record.live, told.size() == 1 ? 3 : 0); };
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_THAT(told, testing::ElementsAre(Notice{"start", 2, 0, 0}, Notice{"stop", 2, 3, 0}));
    told.clear();
    on_told = nullptr;
    call("gc", "collect", "(i)", 0);
    EXPECT_THAT(told, testing::ElementsAre(Notice{"start", 0, 0, 0}, Notice{"stop", 0, 0, 0}));
}

TEST_P(Telling, OfAutomaticCollectionsToo) {
    while (told.size() < 2) {
        drop_ring(1);
    }
    EXPECT_EQ(told[0], (Notice{"start", 0, 0, 0}));
    EXPECT_EQ(told[1].phase, "stop");
    EXPECT_GT(told[1].collected, 1000);
    PyGC_Collect();
}

// Nothing is collected from a callback, and collections do not begin in it.
TEST_P(Telling, WhereTheCollectorIsBusy) {
    Py_ssize_t found = 0;
    on_told = [&] {
        drop_ring(2);
        found += PyGC_Collect();
        for (int i = 0; i < 5000; ++i) {
            Py_DECREF(PyList_New(0));
        }
    };
    PyGC_Collect();
    EXPECT_EQ(found, 0);
    EXPECT_EQ(told.size(), 2u);
    on_told = nullptr;
    PyGC_Collect();
}

TEST_P(Telling, WhatACallbackRaisesIsUnraisable) {
    on_told = [] { PyErr_SetString(PyExc_ValueError, "from a callback"); };
    PyErr_SetString(PyExc_KeyError, "of the caller's");
    PyGC_Collect();
    EXPECT_THAT(take_unraisable(),
                testing::ElementsAre("ValueError: from a callback", "ValueError: from a callback"));
    expect_raised(PyExc_KeyError);
    EXPECT_EQ(told.size(), 2u);
}

TEST_P(Telling, TheListMayChangeMeanwhile) {
    PyObject* function = PyList_GetItem(callbacks(), 0);
    ASSERT_EQ(PyList_Append(callbacks(), function), 0);
    on_told = [&] { PyList_SetSlice(callbacks(), 1, 2, nullptr); };
    PyGC_Collect();
    EXPECT_EQ(told.size(), 2u) << "the second was gone before its turn";
}

TEST_P(Telling, NobodyWhenTheListIsEmpty) {
    PyList_SetSlice(callbacks(), 0, 1, nullptr);
    PyGC_Collect();
    EXPECT_EQ(told.size(), 0u);
}

TEST_P(Telling, TheFinalizedAndRevivedAreNotCollected) {
    PyObject* saved = nullptr;
    record.on_finalize = [&](Thing* self) { saved = Py_NewRef(object(self)); };
    drop_ring(1, &FinalThingType);
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_THAT(told, testing::ElementsAre(Notice{"start", 2, 0, 0}, Notice{"stop", 2, 0, 0}));
    Py_XDECREF(saved);
    PyGC_Collect();
}

TEST_P(Telling, LinesOnStderr) {
    drop_ring(3);
    PyObject* kept = new_thing(1);
    call("gc", "set_debug", "(i)", 1);
    testing::internal::CaptureStderr();
    EXPECT_EQ(PyGC_Collect(), 3);
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_THAT(text, testing::MatchesRegex(
                          "gc: collecting generation 2\\.\\.\\.\n"
                          "gc: objects in each generation: [0-9]+ [0-9]+ [0-9]+\n"
                          "gc: objects in permanent generation: 0\n"
                          "gc: done, 3 unreachable, 0 uncollectable, [0-9]+\\.[0-9]+s elapsed\n"));
    call("gc", "set_debug", "(i)", 0);
    Py_DECREF(kept);
}

EVERY_RUNTIME(Telling);

}  // namespace
}  // namespace ouro::test
