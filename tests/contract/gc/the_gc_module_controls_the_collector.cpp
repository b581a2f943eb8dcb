// The functions of the module gc switch the collector, collect, count and keep statistics, and refuse what
// CPython refuses in its words. Source: "gc - Garbage Collector interface", version 3.13.

#include "tests/contract/modules.hpp"

namespace ouro::test {
namespace {

class Gc : public ModuleTest {
protected:
    static std::string asked(const char* name) { return repr_or_error(call("gc", name)); }
    static Py_ssize_t collect(int generation) {
        return number(call("gc", "collect", "(i)", generation));
    }
    static Py_ssize_t stat(int generation, const char* key) {
        PyObject* stats = call("gc", "get_stats");
        const Py_ssize_t value =
            PyLong_AsSsize_t(PyDict_GetItemString(PyList_GetItem(stats, generation), key));
        Py_DECREF(stats);
        return value;
    }
    static std::vector<int> numbers(PyObject* tuple) {
        std::vector<int> all;
        for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); ++i) {
            all.push_back(static_cast<int>(PyLong_AsLong(PyTuple_GetItem(tuple, i))));
        }
        Py_DECREF(tuple);
        return all;
    }
};

TEST_P(Gc, IsSwitchedOnAndOff) {
    EXPECT_EQ(asked("isenabled"), "True");
    EXPECT_EQ(asked("disable"), "None");
    EXPECT_EQ(asked("isenabled"), "False");
    EXPECT_EQ(PyGC_IsEnabled(), 0);
    EXPECT_EQ(asked("enable"), "None");
    EXPECT_EQ(PyGC_IsEnabled(), 1);
}

// Unlike PyGC_Collect, which does nothing then.
TEST_P(Gc, CollectsThoughDisabled) {
    drop_ring(3);
    PyGC_Disable();
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(number(call("gc", "collect")), 3);
    EXPECT_EQ(record.live, 0);
    PyGC_Enable();
}

TEST_P(Gc, CollectsAGenerationAndTheYounger) {
    const std::vector<PyObject*> things = ring(3);
    collect(2);  // old from now on
    drop(things);
    drop_ring(2, &ThingType, 10);
    EXPECT_EQ(collect(0), 2);
    EXPECT_EQ(record.live, 3);
    EXPECT_EQ(number(call("gc", "collect", "()")), 3);
}

TEST_P(Gc, RefusesOtherGenerations) {
    for (const int generation : {-1, 3, 1000}) {
        EXPECT_EQ(repr_or_error(call("gc", "collect", "(i)", generation)),
                  "ValueError: invalid generation");
    }
    EXPECT_EQ(repr_or_error(call("gc", "collect", "(s)", "x")),
              "TypeError: 'str' object cannot be interpreted as an integer");
    EXPECT_EQ(repr_or_error(call("gc", "collect", "(ii)", 1, 1)),
              "TypeError: collect() takes at most 1 argument (2 given)");
}

TEST_P(Gc, DoesNotCollectInsideACollection) {
    Py_ssize_t inside = -1;
    record.on_finalize = [&](Thing*) { inside = number(call("gc", "collect")); };
    drop_ring(1, &FinalThingType);
    EXPECT_EQ(number(call("gc", "collect")), 1);
    EXPECT_EQ(inside, 0);
}

TEST_P(Gc, HasThresholds) {
    EXPECT_THAT(numbers(call("gc", "get_threshold")), testing::ElementsAre(2000, 10, 10));
    EXPECT_EQ(repr_or_error(call("gc", "set_threshold", "(i)", 100)), "None");
    EXPECT_THAT(numbers(call("gc", "get_threshold")), testing::ElementsAre(100, 10, 10));
    EXPECT_EQ(repr_or_error(call("gc", "set_threshold", "(iii)", 200, 5, 7)), "None");
    EXPECT_THAT(numbers(call("gc", "get_threshold")), testing::ElementsAre(200, 5, 7));
    EXPECT_EQ(repr_or_error(call("gc", "set_threshold")),
              "TypeError: gc.set_threshold requires 1 to 3 arguments");
    EXPECT_EQ(repr_or_error(call("gc", "set_threshold", "(iiii)", 1, 2, 3, 4)),
              "TypeError: gc.set_threshold requires 1 to 3 arguments");
    EXPECT_EQ(repr_or_error(call("gc", "set_threshold", "(is)", 1, "x")),
              "TypeError: 'str' object cannot be interpreted as an integer");
    EXPECT_THAT(numbers(call("gc", "get_threshold")), testing::ElementsAre(200, 5, 7));
}

// How many of so many allocations are collected before an automatic collection has run, or all.
int allocate_until_collected(int most) {
    record.cycles.clear();
    std::vector<PyObject*> kept;
    while (record.cycles.empty() && static_cast<int>(kept.size()) < most) {
        kept.push_back(new_thing());
    }
    drop(kept);
    return static_cast<int>(kept.size());
}

TEST_P(Gc, CollectsWhenTheThresholdIsExceeded) {
    call("gc", "set_threshold", "(i)", 100);
    collect(2);
    const int allocated = allocate_until_collected(4000);
    EXPECT_GE(allocated, 90);
    EXPECT_LE(allocated, 110);
}

TEST_P(Gc, DoesNotCollectWithAThresholdOfZero) {
    call("gc", "set_threshold", "(i)", 0);
    collect(2);
    EXPECT_EQ(allocate_until_collected(20000), 20000);
}

TEST_P(Gc, CountsWhatIsNotCollectedYet) {
    collect(2);
    const std::vector<int> before = numbers(call("gc", "get_count"));
    const std::vector<PyObject*> things = ring(50);
    const std::vector<int> after = numbers(call("gc", "get_count"));
    ASSERT_EQ(after.size(), 3u);
    EXPECT_GE(after[0] - before[0], 50);
    EXPECT_LE(after[0] - before[0], 60);
    EXPECT_EQ(after[1], 0);
    EXPECT_EQ(after[2], 0);
    collect(0);
    collect(0);
    EXPECT_EQ(numbers(call("gc", "get_count"))[1], 2);
    drop(things);
    collect(2);
    EXPECT_EQ(numbers(call("gc", "get_count"))[1], 0);
}

TEST_P(Gc, KeepsStatisticsOfEachGeneration) {
    const Py_ssize_t full = stat(2, "collections");
    const Py_ssize_t young = stat(0, "collections");
    const Py_ssize_t collected = stat(2, "collected");
    drop_ring(4);
    collect(2);
    EXPECT_EQ(stat(2, "collections"), full + 1);
    EXPECT_EQ(stat(2, "collected"), collected + 4);
    drop_ring(3);
    collect(0);
    EXPECT_EQ(stat(0, "collections"), young + 1);
    EXPECT_GE(stat(0, "collected"), 3);
    EXPECT_EQ(stat(2, "collections"), full + 1);
    EXPECT_EQ(stat(2, "uncollectable"), 0);
}

// The resurrected are not collected.
TEST_P(Gc, CountsWhatWasCollectedOnly) {
    PyObject* saved = nullptr;
    record.on_finalize = [&](Thing* self) {
        saved = saved == nullptr ? Py_NewRef(object(self)) : saved;
    };
    const Py_ssize_t collected = stat(2, "collected");
    drop_ring(2, &FinalThingType);
    EXPECT_EQ(collect(2), 0);
    EXPECT_EQ(stat(2, "collected"), collected);
    record.on_finalize = nullptr;
    Py_DECREF(saved);
    EXPECT_EQ(collect(2), 2);
    EXPECT_EQ(stat(2, "collected"), collected + 2);
}

TEST_P(Gc, SaysWhatIsTrackedAndFinalized) {
    PyObject* op = new_thing(1, &FinalThingType);
    EXPECT_EQ(repr_or_error(call("gc", "is_tracked", "(O)", op)), "True");
    EXPECT_EQ(repr_or_error(call("gc", "is_finalized", "(O)", op)), "False");
    PyObject_CallFinalizer(op);
    EXPECT_EQ(repr_or_error(call("gc", "is_finalized", "(O)", op)), "True");
    PyObject_GC_UnTrack(op);
    EXPECT_EQ(repr_or_error(call("gc", "is_tracked", "(O)", op)), "False");
    Py_DECREF(op);
    EXPECT_EQ(repr_or_error(call("gc", "is_tracked", "(i)", 5)), "False");
    EXPECT_EQ(repr_or_error(call("gc", "is_finalized", "(i)", 5)), "False");
}

TEST_P(Gc, ShowsObjectsOfAGeneration) {
    PyObject* old_one = new_thing(1);
    collect(2);
    PyObject* young = new_thing(2);
    PyObject* all = call("gc", "get_objects");
    EXPECT_TRUE(has(all, old_one));
    EXPECT_TRUE(has(all, young));
    EXPECT_FALSE(has(all, all));
    EXPECT_EQ(static_cast<size_t>(PyList_Size(all)) + 1, tracked_objects());
    Py_DECREF(all);
    PyObject* first = call("gc", "get_objects", "(i)", 0);
    EXPECT_FALSE(has(first, old_one));
    EXPECT_TRUE(has(first, young));
    Py_DECREF(first);
    PyObject* last = call("gc", "get_objects", "(i)", 2);
    EXPECT_TRUE(has(last, old_one));
    EXPECT_FALSE(has(last, young));
    Py_DECREF(last);
    drop({old_one, young});
}

TEST_P(Gc, RefusesOtherGenerationsOfObjects) {
    EXPECT_EQ(repr_or_error(call("gc", "get_objects", "(i)", 3)),
              "ValueError: generation parameter must be less than the number of available "
              "generations (3)");
    EXPECT_EQ(repr_or_error(call("gc", "get_objects", "(i)", -1)),
              "ValueError: generation parameter cannot be negative");
    EXPECT_EQ(repr_or_error(call("gc", "get_objects", "(s)", "x")),
              "TypeError: argument should be integer or None, not 'str'");
    PyObject* all = call("gc", "get_objects", "(O)", Py_None);
    ASSERT_NE(all, nullptr);
    Py_DECREF(all);
}

TEST_P(Gc, ShowsReferrersAndReferents) {
    PyObject* a = new_thing(1);
    PyObject* b = new_thing(2);
    PyObject* c = new_thing(3);
    refer(a, 0, c);
    refer(b, 1, c);
    refer(b, 2, a);
    PyObject* number_of_its_own = PyLong_FromLong(1234567);
    refer(c, 0, number_of_its_own);
    PyObject* to_c = call("gc", "get_referrers", "(O)", c);
    EXPECT_EQ(PyList_Size(to_c), 2);
    EXPECT_TRUE(has(to_c, a));
    EXPECT_TRUE(has(to_c, b));
    Py_DECREF(to_c);
    PyObject* to_both = call("gc", "get_referrers", "(OO)", a, number_of_its_own);
    EXPECT_EQ(PyList_Size(to_both), 2);
    EXPECT_TRUE(has(to_both, b));
    EXPECT_TRUE(has(to_both, c));
    Py_DECREF(to_both);
    PyObject* of_b = call("gc", "get_referents", "(O)", b);
    EXPECT_EQ(PyList_Size(of_b), 2);
    EXPECT_EQ(PyList_GetItem(of_b, 0), c);
    EXPECT_EQ(PyList_GetItem(of_b, 1), a);
    Py_DECREF(of_b);
    PyObject* of_all = call("gc", "get_referents", "(OOO)", a, c, number_of_its_own);
    EXPECT_EQ(PyList_Size(of_all), 2) << "an int refers to nothing";
    Py_DECREF(of_all);
    EXPECT_EQ(repr_or_error(call("gc", "get_referents")), repr_or_error(PyList_New(0)));
    EXPECT_EQ(repr_or_error(call("gc", "get_referrers")), repr_or_error(PyList_New(0)));
    EXPECT_EQ(Py_REFCNT(c), 3);
    EXPECT_EQ(Py_REFCNT(number_of_its_own), 2);
    drop({a, b, c, number_of_its_own});
}

TEST_P(Gc, HasItsListsAndFlags) {
    PyObject* garbage = get("gc", "garbage");
    EXPECT_EQ(garbage, Ouro_Garbage());
    Py_XDECREF(garbage);
    const std::vector<std::pair<const char*, int>> flags = {{"DEBUG_STATS", 1},
                                                            {"DEBUG_COLLECTABLE", 2},
                                                            {"DEBUG_UNCOLLECTABLE", 4},
                                                            {"DEBUG_SAVEALL", 32},
                                                            {"DEBUG_LEAK", 38}};
    for (const auto& [name, value] : flags) {
        EXPECT_EQ(number(get("gc", name)), value) << name;
    }
    EXPECT_EQ(asked("get_debug"), "0");
    EXPECT_EQ(repr_or_error(call("gc", "set_debug", "(i)", 4)), "None");
    EXPECT_EQ(asked("get_debug"), "4");
    EXPECT_EQ(repr_or_error(call("gc", "set_debug", "(s)", "x")),
              "TypeError: 'str' object cannot be interpreted as an integer");
    call("gc", "set_debug", "(i)", 0);
}

EVERY_RUNTIME(Gc);

}  // namespace
}  // namespace ouro::test
