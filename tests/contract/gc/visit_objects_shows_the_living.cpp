// PyUnstable_GC_VisitObjects calls back for every tracked object until the callback returns 0;
// collection is disabled meanwhile; garbage that a collection is about to dismantle is not shown.
// Source: "Supporting Cyclic Garbage Collection", PyUnstable_GC_VisitObjects; CPython's
// test_gc_visit_objects_basic, test_gc_visit_objects_exit_early and gh-125859.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Visiting = Things;

struct Seen {
    std::vector<PyObject*> objects;
    size_t stop_after = SIZE_MAX;
    bool has(PyObject* op) const { return std::ranges::count(objects, op) == 1; }
};

int note(PyObject* op, void* arg) {
    auto* seen = static_cast<Seen*>(arg);
    seen->objects.push_back(op);
    return seen->objects.size() < seen->stop_after ? 1 : 0;
}

Seen visit_all(size_t stop_after = SIZE_MAX) {
    Seen seen{{}, stop_after};
    PyUnstable_GC_VisitObjects(note, &seen);
    return seen;
}

TEST_P(Visiting, ShowsEachTrackedObjectOnce) {
    const std::vector<PyObject*> made = {new_thing(), PyList_New(0), PyDict_New(), new_callback()};
    const Seen seen = visit_all();
    for (PyObject* op : made) {
        EXPECT_TRUE(seen.has(op)) << Py_TYPE(op)->tp_name;
    }
    EXPECT_EQ(seen.objects.size(), tracked_objects());
    for (PyObject* op : seen.objects) {
        EXPECT_TRUE(PyObject_GC_IsTracked(op));
    }
    drop(made);
}

TEST_P(Visiting, DoesNotShowTheUntracked) {
    PyObject* untracked = new_thing();
    PyObject_GC_UnTrack(untracked);
    PyObject* number = PyLong_FromLong(100000);
    const Seen seen = visit_all();
    EXPECT_FALSE(seen.has(untracked));
    EXPECT_FALSE(seen.has(number));
    drop({untracked, number});
}

TEST_P(Visiting, ShowsObjectsOfAllAges) {
    PyObject* old_one = new_thing(1);
    PyGC_Collect();
    PyObject* young = new_thing(2);
    drop_ring(2, &ThingType, 10);  // garbage that nobody has found
    const Seen seen = visit_all();
    EXPECT_TRUE(seen.has(old_one));
    EXPECT_TRUE(seen.has(young));
    EXPECT_EQ(seen.objects.size(), tracked_objects());
    drop({old_one, young});
    PyGC_Collect();
}

TEST_P(Visiting, EndsWhenTheCallbackReturnsZero) {
    const std::vector<PyObject*> things = ring(10);
    EXPECT_EQ(visit_all(2).objects.size(), 2u);
    EXPECT_EQ(visit_all(1).objects.size(), 1u);
    drop(things);
    PyGC_Collect();
}

TEST_P(Visiting, DisablesCollectionMeanwhile) {
    drop_ring(3);
    struct Meanwhile {
        int enabled = -1;
        Py_ssize_t found = -1;
    } meanwhile;
    PyUnstable_GC_VisitObjects(
        [](PyObject*, void* arg) {
            auto* self = static_cast<Meanwhile*>(arg);
            self->enabled = PyGC_IsEnabled();
            for (int i = 0; i < 5000; ++i) {
                drop_ring(1, &ThingType, 10);
            }
            self->found = PyGC_Collect();
            return 0;
        },
        &meanwhile);
    EXPECT_EQ(meanwhile.enabled, 0);
    EXPECT_EQ(meanwhile.found, 0);
    EXPECT_EQ(record.cycles.size(), 0u);
    EXPECT_EQ(PyGC_IsEnabled(), 1);
    PyGC_Collect();
    EXPECT_EQ(record.live, 0);
}

TEST_P(Visiting, LeavesADisabledCollectorDisabled) {
    ASSERT_EQ(PyGC_Disable(), 1);
    visit_all();
    EXPECT_EQ(PyGC_Enable(), 0);
}

TEST_P(Visiting, TheCallbackMayMakeAndDropObjects) {
    const std::vector<PyObject*> things = ring(100);
    std::vector<PyObject*> made;
    PyUnstable_GC_VisitObjects(
        [](PyObject* op, void* arg) {
            auto* all = static_cast<std::vector<PyObject*>*>(arg);
            if (Py_IS_TYPE(op, &ThingType) && all->size() < 300) {
                all->push_back(new_callback());
                Py_DECREF(PyDict_New());
            }
            return 1;
        },
        &made);
    EXPECT_EQ(made.size(), 100u);
    drop(made);
    drop(things);
    PyGC_Collect();
}

// A finalizer sees the living, and none of what is condemned with it.
TEST_P(Visiting, NeverShowsTheCondemned) {
    PyObject* alive = new_thing(50);
    const std::vector<PyObject*> garbage = ring(3, &FinalThingType);
    PyObject* reference = watched(garbage[0], 1);
    int asked = 0;
    const auto look = [&] {
        const Seen seen = visit_all();
        EXPECT_TRUE(seen.has(alive));
        for (PyObject* op : garbage) {
            EXPECT_FALSE(seen.has(op));
        }
        ++asked;
    };
    PyObject* other = watched(garbage[1], 2, [&](PyObject*) { look(); });
    record.on_finalize = [&](Thing*) { look(); };
    record.on_clear = [&](Thing*) {
        look();
        return true;
    };
    drop(garbage);
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(asked, 7);
    drop({reference, other, alive});
}

TEST_P(Visiting, ShowsTheRevivedAgain) {
    PyObject* saved = nullptr;
    record.on_finalize = [&](Thing* self) { saved = Py_NewRef(object(self)); };
    PyObject* op = new_thing(1, &FinalThingType);
    refer(op, 0, op);
    Py_DECREF(op);
    PyGC_Collect();
    ASSERT_NE(saved, nullptr);
    EXPECT_TRUE(visit_all().has(saved));
    Py_DECREF(saved);
    PyGC_Collect();
}

EVERY_RUNTIME(Visiting);

}  // namespace
}  // namespace ouro::test
