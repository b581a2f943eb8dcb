// With gc.DEBUG_SAVEALL garbage goes on gc.garbage instead of being freed, finalized and with its weak references
// dead, and is counted as collected; DEBUG_COLLECTABLE and DEBUG_UNCOLLECTABLE name what was found on stderr.
// Source: "gc - Garbage Collector interface", set_debug.

#include "tests/contract/modules.hpp"

namespace ouro::test {
namespace {

PyTypeObject DelType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Del",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &ThingType,
    .tp_del = [](PyObject*) {},
};

class Saving : public ModuleTest {
protected:
    void SetUp() override {
        ModuleTest::SetUp();
        ASSERT_EQ(PyType_Ready(&DelType), 0);
    }
    static void debug(int flags) {
        EXPECT_EQ(repr_or_error(call("gc", "set_debug", "(i)", flags)), "None");
    }
    static std::vector<int> listed() {
        std::vector<int> ids;
        for (Py_ssize_t i = 0; i < PyList_Size(Ouro_Garbage()); ++i) {
            ids.push_back(thing(PyList_GetItem(Ouro_Garbage(), i))->id);
        }
        std::ranges::sort(ids);
        return ids;
    }
    static void free_the_listed() {
        debug(0);
        std::vector<PyObject*> things;
        for (Py_ssize_t i = 0; i < PyList_Size(Ouro_Garbage()); ++i) {
            things.push_back(Py_NewRef(PyList_GetItem(Ouro_Garbage(), i)));
        }
        PyList_SetSlice(Ouro_Garbage(), 0, PY_SSIZE_T_MAX, nullptr);
        for (PyObject* op : things) {
            drop_slots(op);
            Py_DECREF(op);
        }
    }
    // "gc: what <type address>".
    static std::string line(const char* what, PyObject* op) {
        char text[128];
        std::snprintf(text, sizeof text, "gc: %s <%s %p>", what, Py_TYPE(op)->tp_name,
                      static_cast<void*>(op));
        return text;
    }
    static std::vector<std::string> lines_of(const std::string& text) {
        std::vector<std::string> all;
        for (size_t begin = 0; begin < text.size();) {
            const size_t end = text.find('\n', begin);
            all.push_back(text.substr(begin, end - begin));
            begin = end + 1;
        }
        return all;
    }
};

TEST_P(Saving, GarbageIsListedWhole) {
    debug(32);
    const std::vector<PyObject*> things = ring(3, &FinalThingType);
    PyObject* reference = watched(things[0], 1);
    drop(things);
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(record.live, 3);
    EXPECT_THAT(listed(), testing::ElementsAre(0, 1, 2));
    EXPECT_EQ(record.count(Call::kFinalize), 3);
    EXPECT_EQ(record.count(Call::kClear), 0);
    EXPECT_TRUE(is_dead(reference));
    EXPECT_EQ(thing(things[0])->slots[0], things[1]) << "intact";
    EXPECT_EQ(Py_REFCNT(things[0]), 2) << "the list's and the cycle's";
    EXPECT_EQ(PyGC_Collect(), 0) << "the list keeps them";
    free_the_listed();
    Py_DECREF(reference);
    EXPECT_EQ(record.live, 0);
}

TEST_P(Saving, YoungGarbageToo) {
    debug(32);
    drop_ring(2);
    EXPECT_EQ(number(call("gc", "collect", "(i)", 0)), 2);
    EXPECT_THAT(listed(), testing::ElementsAre(0, 1));
    free_the_listed();
}

TEST_P(Saving, WhatUncollectableObjectsReachIsListedToo) {
    PyObject* with_del = new_thing(1, &DelType);
    PyObject* reached = new_thing(2);
    refer(with_del, 0, reached);
    refer(reached, 0, with_del);
    drop({with_del, reached});
    debug(32);
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_THAT(listed(), testing::ElementsAre(1, 2));
    free_the_listed();
}

TEST_P(Saving, NoticesAreWritten) {
    const std::vector<PyObject*> things = ring(2);
    const std::vector<PyObject*> kept = ring(2, &DelType, 10);
    drop(things);
    drop(kept);
    const std::vector<std::string> expected = {
        line("collectable", things[0]), line("collectable", things[1]),
        line("uncollectable", kept[0]), line("uncollectable", kept[1])};
    debug(2 | 4);
    testing::internal::CaptureStderr();
    EXPECT_EQ(PyGC_Collect(), 4);
    EXPECT_THAT(lines_of(testing::internal::GetCapturedStderr()),
                testing::UnorderedElementsAreArray(expected));
    EXPECT_EQ(record.live, 2);
    EXPECT_THAT(listed(), testing::ElementsAre(10, 11));
    free_the_listed();
}

EVERY_RUNTIME(Saving);

}  // namespace
}  // namespace ouro::test
