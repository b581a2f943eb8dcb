// No function of the module gc shows an object that a collection has condemned: not in a callback of a weak
// reference, a finalizer, a tp_clear or a deallocation of that collection, nor to another thread meanwhile. A
// finalizer that asks what its own object refers to is shown what it could read itself. Whoever is made reachable
// again is shown again. Source: "gc - Garbage Collector interface", get_objects, get_referrers, get_referents;
// DESIGN.md, section 6.1.
// label: concurrency
// a process for each case

#include <thread>

#include "tests/contract/modules.hpp"
#include "tests/support/attached.hpp"

namespace ouro::test {
namespace {

class Shown : public ModuleTest {
protected:
    // Whether gc.get_objects or gc.get_referrers show it.
    static bool is_shown(PyObject* op, PyObject* referent) {
        PyObject* objects = call("gc", "get_objects");
        PyObject* referrers = call("gc", "get_referrers", "(O)", referent);
        bool found = has(objects, op) || has(referrers, op);
        for (int generation = 0; generation < 3; ++generation) {
            PyObject* some = call("gc", "get_objects", "(i)", generation);
            found |= has(some, op);
            Py_DECREF(some);
        }
        Py_DECREF(objects);
        Py_DECREF(referrers);
        return found;
    }
};

TEST_P(Shown, ToNoCodeOfTheCollection) {
    PyObject* shared = new_thing(50);
    const std::vector<PyObject*> garbage = ring(3, &FinalThingType);
    for (PyObject* op : garbage) {
        refer(op, 1, shared);
    }
    int asked = 0;
    const auto look = [&] {
        for (PyObject* op : garbage) {
            EXPECT_FALSE(is_shown(op, shared)) << "asked " << asked;
        }
        EXPECT_TRUE(is_shown(shared, Py_None));
        ++asked;
    };
    PyObject* reference = watched(garbage[1], 2, [&](PyObject*) { look(); });
    record.on_finalize = [&](Thing*) { look(); };
    record.on_clear = [&](Thing*) {
        look();
        return true;
    };
    for (PyObject* op : garbage) {
        EXPECT_TRUE(is_shown(op, shared)) << "garbage that no collection has found";
    }
    drop(garbage);
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(asked, 7);
    record.on_finalize = nullptr;
    record.on_clear = nullptr;
    drop({reference, shared});
}

TEST_P(Shown, ToAFinalizerWhatItsOwnObjectRefersTo) {
    PyObject* alive = new_thing(50);
    std::vector<PyObject*> garbage = ring(2, &FinalThingType);
    refer(garbage[0], 1, alive);
    int asked = 0;
    record.on_finalize = [&](Thing* self) {
        PyObject* own = call("gc", "get_referents", "(O)", object(self));
        EXPECT_TRUE(has(own, self->slots[0]));
        Py_DECREF(own);
        PyObject* other = call("gc", "get_referents", "(O)", alive);
        EXPECT_EQ(PyList_Size(other), 0);
        Py_DECREF(other);
        ++asked;
    };
    drop(garbage);
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_EQ(asked, 2);
    record.on_finalize = nullptr;
    Py_DECREF(alive);
}

TEST_P(Shown, AgainWhenRevived) {
    PyObject* saved = nullptr;
    record.on_finalize = [&](Thing* self) { saved = Py_NewRef(object(self)); };
    drop_ring(1, &FinalThingType);
    PyGC_Collect();
    ASSERT_NE(saved, nullptr);
    EXPECT_TRUE(is_shown(saved, saved));
    record.on_finalize = nullptr;
    Py_DECREF(saved);
    PyGC_Collect();
}

TEST_P(Shown, ToNoOtherThread) {
    if (std::string_view(GetParam()).starts_with("gil")) {
        GTEST_SKIP() << "no other thread runs";
    }
    const std::vector<PyObject*> garbage = ring(3, &FinalThingType);
    std::atomic<int> asked{0};
    record.on_finalize = [&](Thing*) {
        std::thread other([&] {
            const Attached attached;
            PyObject* objects = call("gc", "get_objects");
            for (PyObject* op : garbage) {
                EXPECT_FALSE(has(objects, op));
            }
            Py_DECREF(objects);
            ++asked;
        });
        const Detached outside;
        other.join();
    };
    drop(garbage);
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(asked.load(), 3);
    record.on_finalize = nullptr;
}

EVERY_RUNTIME(Shown);

}  // namespace
}  // namespace ouro::test
