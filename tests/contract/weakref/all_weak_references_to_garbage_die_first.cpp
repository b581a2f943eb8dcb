// When a collection has found its garbage, all weak references to it are dead before any callback,
// finalizer or clear runs, so that nobody gets at a half-dismantled object. Source: "Supporting
// Cyclic Garbage Collection" and "Design of CPython's Garbage Collector", weak references; 3.13's
// order.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

class Dying : public Things {
protected:
    // A ring of `size` with a weak reference, a proxy and a watched weak reference to each; all of
    // them are outside the garbage.
    void make_garbage(int size, PyTypeObject* type) {
        const std::vector<PyObject*> things = ring(size, type);
        for (PyObject* op : things) {
            references_.push_back(PyWeakref_NewRef(op, nullptr));
            references_.push_back(PyWeakref_NewProxy(op, nullptr));
            references_.push_back(
                watched(op, thing(op)->id, [this](PyObject*) { expect_all_dead("callback"); }));
        }
        record.on_finalize = [this](Thing*) { expect_all_dead("finalizer"); };
        record.on_clear = [this](Thing*) {
            expect_all_dead("clear");
            return true;
        };
        record.on_dealloc = [this](Thing*) { expect_all_dead("dealloc"); };
        drop(things);
    }
    void expect_all_dead(const char* where) {
        for (PyObject* reference : references_) {
            EXPECT_TRUE(is_dead(reference)) << "in a " << where;
            EXPECT_EQ(PyWeakref_GetObject(reference), Py_None) << "in a " << where;
        }
        ++asked_;
    }
    void TearDown() override {
        drop(references_);
        references_.clear();
        Things::TearDown();
    }
    std::vector<PyObject*> references_;
    int asked_ = 0;
};

TEST_P(Dying, WithFinalizers) {
    make_garbage(5, &FinalThingType);
    EXPECT_EQ(PyGC_Collect(), 5);
    EXPECT_EQ(asked_, 5 * 4);
    EXPECT_EQ(record.live, 0);
}

TEST_P(Dying, WithoutFinalizers) {
    make_garbage(5, &ThingType);
    EXPECT_EQ(PyGC_Collect(), 5);
    EXPECT_EQ(asked_, 5 * 3);
    EXPECT_EQ(record.live, 0);
}

TEST_P(Dying, CallbacksThenFinalizersThenClears) {
    make_garbage(3, &FinalThingType);
    EXPECT_EQ(PyGC_Collect(), 3);
    std::vector<Call> order;
    for (const Record::Entry& entry : record.calls) {
        if (order.empty() || order.back() != entry.call) {
            order.push_back(entry.call);
        }
    }
    ASSERT_GE(order.size(), 3u);
    EXPECT_EQ(order[0], Call::kCallback);
    EXPECT_EQ(order[1], Call::kFinalize);
    EXPECT_EQ(order[2], Call::kClear);
    EXPECT_EQ(record.count(Call::kCallback), 3);
    EXPECT_EQ(record.count(Call::kFinalize), 3);
}

// Resurrected objects have lost their weak references all the same.
TEST_P(Dying, AlsoThoseToWhatAFinalizerRevives) {
    PyObject* saved = nullptr;
    PyObject* op = new_thing(1, &FinalThingType);
    refer(op, 0, op);
    PyObject* before = watched(op, 1);
    record.on_finalize = [&](Thing* self) { saved = Py_NewRef(object(self)); };
    Py_DECREF(op);
    PyGC_Collect();
    ASSERT_EQ(saved, op);
    EXPECT_TRUE(is_dead(before));
    EXPECT_EQ(record.count(Call::kCallback), 1);
    PyObject* after = PyWeakref_NewRef(op, nullptr);
    EXPECT_FALSE(is_dead(after)) << "new ones are made as ever";
    Py_CLEAR(saved);
    EXPECT_EQ(PyGC_Collect(), 1);
    EXPECT_TRUE(is_dead(after));
    EXPECT_EQ(record.count(Call::kCallback), 1) << "the callback ran once in all";
    drop({before, after});
}

TEST_P(Dying, ReferencesToTheLivingStayAlive) {
    PyObject* alive = new_thing(1);
    const std::vector<PyObject*> garbage = ring(3, &FinalThingType, 10);
    refer(garbage[0], 1, alive);
    PyObject* reference = watched(alive, 1);
    record.on_finalize = [&](Thing*) { EXPECT_FALSE(is_dead(reference)); };
    drop(garbage);
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_FALSE(is_dead(reference));
    Py_DECREF(alive);
    EXPECT_EQ(record.count(Call::kCallback), 1);
    Py_DECREF(reference);
}

EVERY_RUNTIME(Dying);

}  // namespace
}  // namespace ouro::test
