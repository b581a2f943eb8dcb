// Who asks for a weak reference without a callback gets the one that exists; one with a callback is
// always new. None for a callback is no callback. Source: "Weak Reference Objects",
// PyWeakref_NewRef, PyWeakref_NewProxy.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Sharing = Things;

TEST_P(Sharing, WithoutACallbackOneServesAll) {
    PyObject* op = new_thing();
    PyObject* first = PyWeakref_NewRef(op, nullptr);
    PyObject* second = PyWeakref_NewRef(op, nullptr);
    PyObject* third = PyWeakref_NewRef(op, Py_None);
    EXPECT_EQ(first, second);
    EXPECT_EQ(first, third);
    EXPECT_EQ(Py_REFCNT(first), 3) << "each is a reference of its own";
    drop({first, second, third, op});
}

TEST_P(Sharing, AProxyIsAnotherObject) {
    PyObject* op = new_thing();
    // In this order and in the other.
    PyObject* proxy = PyWeakref_NewProxy(op, nullptr);
    PyObject* reference = PyWeakref_NewRef(op, nullptr);
    EXPECT_NE(proxy, reference);
    PyObject* again = PyWeakref_NewProxy(op, Py_None);
    EXPECT_EQ(again, proxy);
    Py_DECREF(again);
    again = PyWeakref_NewRef(op, nullptr);
    EXPECT_EQ(again, reference);
    drop({again, proxy, reference, op});
}

TEST_P(Sharing, WithACallbackEachIsNew) {
    PyObject* op = new_thing();
    PyObject* call = new_callback();
    PyObject* plain = PyWeakref_NewRef(op, nullptr);
    PyObject* first = PyWeakref_NewRef(op, call);
    PyObject* second = PyWeakref_NewRef(op, call);
    EXPECT_NE(first, second);
    EXPECT_NE(first, plain);
    PyObject* again = PyWeakref_NewRef(op, nullptr);
    EXPECT_EQ(again, plain) << "also when others came between";
    drop({again, plain, first, second, op, call});
}

TEST_P(Sharing, TheSharedOneIsMadeAnewWhenItDied) {
    PyObject* op = new_thing();
    PyObject* with_callback = watched(op, 1);
    for (int i = 0; i < 3; ++i) {
        PyObject* reference = PyWeakref_NewRef(op, nullptr);
        EXPECT_EQ(Py_REFCNT(reference), 1);
        EXPECT_FALSE(is_dead(reference));
        Py_DECREF(reference);
    }
    drop({op, with_callback});
    EXPECT_EQ(record.count(Call::kCallback), 1);
}

// Making one may collect first, and a finalizer may then make the one that is shared. Source:
// CPython's test_gc_during_ref_creation.
TEST_P(Sharing, AlsoWithOneMadeByACollectionMeanwhile) {
    for (const auto make : {PyWeakref_NewRef, PyWeakref_NewProxy}) {
        PyObject* op = new_thing();
        PyObject* made = nullptr;
        record.on_finalize = [&](Thing*) { made = make(op, nullptr); };
        PyGC_Collect();
        PyObject* self_cycle = new_thing(1, &FinalThingType);
        refer(self_cycle, 0, self_cycle);
        Py_DECREF(self_cycle);
        std::vector<PyObject*> filler;
        for (int i = 0; i < 1999; ++i) {
            filler.push_back(PyList_New(0));
        }
        ASSERT_EQ(made, nullptr) << "the next container begins a collection";
        PyObject* reference = make(op, nullptr);
        ASSERT_NE(made, nullptr);
        EXPECT_EQ(reference, made);
        EXPECT_EQ(reinterpret_cast<PyWeakReference*>(made)->wr_next, nullptr) << "there is but one";
        record.on_finalize = nullptr;
        drop({made, reference, op});
        drop(filler);
    }
}

TEST_P(Sharing, EndsWithTheObject) {
    PyObject* first_thing = new_thing();
    PyObject* dead = PyWeakref_NewRef(first_thing, nullptr);
    Py_DECREF(first_thing);
    PyObject* second_thing = new_thing();  // perhaps at the same address
    PyObject* alive = PyWeakref_NewRef(second_thing, nullptr);
    EXPECT_NE(alive, dead);
    EXPECT_TRUE(is_dead(dead));
    drop({alive, dead, second_thing});
}

EVERY_RUNTIME(Sharing);

}  // namespace
}  // namespace ouro::test
