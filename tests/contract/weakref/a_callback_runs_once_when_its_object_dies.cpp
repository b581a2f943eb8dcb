// Callbacks run when the object is about to go, each once, with the weak reference as the argument,
// after all weak references to the object are dead, the newest first; those of weak references that
// went before do not run; what one raises goes to the unraisable hook and stops nothing. Source:
// "Weak Reference Objects", PyWeakref_NewRef and PyObject_ClearWeakRefs; "weakref", class ref.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Callbacks = Things;

TEST_P(Callbacks, RunOnceWithTheReference) {
    PyObject* op = new_thing();
    PyObject* given = nullptr;
    PyObject* reference = watched(op, 1, [&](PyObject* argument) { given = argument; });
    EXPECT_EQ(record.count(Call::kCallback), 0);
    Py_DECREF(op);
    EXPECT_EQ(record.count(Call::kCallback), 1);
    EXPECT_EQ(given, reference);
    EXPECT_EQ(Py_REFCNT(reference), 1);
    PyGC_Collect();
    Py_DECREF(reference);
    EXPECT_EQ(record.count(Call::kCallback), 1);
}

TEST_P(Callbacks, AreLetGoAfterTheyRan) {
    PyObject* op = new_thing();
    PyObject* reference = watched(op, 1);
    EXPECT_EQ(record.live, 2);
    Py_DECREF(op);
    EXPECT_EQ(record.live, 0) << "the weak reference no longer keeps the callback";
    Py_DECREF(reference);
}

TEST_P(Callbacks, FindAllReferencesDead) {
    PyObject* op = new_thing();
    std::vector<PyObject*> references = {PyWeakref_NewRef(op, nullptr),
                                         PyWeakref_NewProxy(op, nullptr)};
    const auto all_dead = [&](PyObject*) {
        for (PyObject* reference : references) {
            EXPECT_TRUE(is_dead(reference));
        }
    };
    for (int i = 0; i < 4; ++i) {
        references.push_back(watched(op, i, all_dead));
    }
    Py_DECREF(op);
    EXPECT_EQ(record.count(Call::kCallback), 4);
    drop(references);
}

TEST_P(Callbacks, RunTheNewestFirst) {
    PyObject* op = new_thing();
    std::vector<PyObject*> references;
    for (int i = 0; i < 5; ++i) {
        references.push_back(watched(op, i));
    }
    Py_DECREF(op);
    EXPECT_THAT(record.ids(Call::kCallback), testing::ElementsAre(4, 3, 2, 1, 0));
    drop(references);
}

TEST_P(Callbacks, ComeBeforeTheFieldsGo) {
    PyObject* inner = new_thing(2);
    PyObject* op = new_thing(1);
    refer(op, 0, inner);
    Py_DECREF(inner);
    PyObject* reference =
        watched(op, 7, [&](PyObject*) { EXPECT_EQ(record.count(Call::kDealloc), 0); });
    Py_DECREF(op);
    EXPECT_EQ(record.count(Call::kCallback, 7), 1);
    EXPECT_EQ(record.count(Call::kDealloc), 2);
    Py_DECREF(reference);
}

TEST_P(Callbacks, OfDroppedReferencesDoNotRun) {
    PyObject* op = new_thing();
    PyObject* kept = watched(op, 1);
    Py_DECREF(watched(op, 2));
    Py_DECREF(op);
    EXPECT_THAT(record.ids(Call::kCallback), testing::ElementsAre(1));
    Py_DECREF(kept);
}

// The set of callbacks is fixed when the object dies: dropping another weak reference in one of
// them comes too late.
TEST_P(Callbacks, RunAlsoIfAnotherOneDropsTheirReference) {
    PyObject* op = new_thing();
    PyObject* older = watched(op, 1);
    PyObject* newer = watched(op, 2, [&](PyObject*) { Py_CLEAR(older); });
    Py_DECREF(op);
    EXPECT_EQ(older, nullptr);
    EXPECT_THAT(record.ids(Call::kCallback), testing::ElementsAre(2, 1));
    Py_DECREF(newer);
}

TEST_P(Callbacks, MayDropTheirOwnReference) {
    PyObject* op = new_thing();
    PyObject* reference = nullptr;
    reference = watched(op, 1, [&](PyObject*) { Py_CLEAR(reference); });
    Py_DECREF(op);
    EXPECT_EQ(reference, nullptr);
    EXPECT_EQ(record.count(Call::kCallback), 1);
}

TEST_P(Callbacks, ThatRaiseStopNothing) {
    PyObject* op = new_thing();
    const auto raise = [](PyObject*) { PyErr_SetString(PyExc_ValueError, "from a callback"); };
    std::vector<PyObject*> references = {watched(op, 1), watched(op, 2, raise), watched(op, 3)};
    PyObject* raising = reinterpret_cast<PyWeakReference*>(references[1])->wr_callback;
    Py_DECREF(op);
    EXPECT_THAT(record.ids(Call::kCallback), testing::ElementsAre(3, 2, 1));
    ASSERT_EQ(record.unraisable.size(), 1u);
    EXPECT_EQ(record.unraisable[0].where, raising) << "the hook is told which callback it was";
    EXPECT_THAT(take_unraisable(), testing::ElementsAre("ValueError: from a callback"));
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    drop(references);
}

TEST_P(Callbacks, LeaveTheCallersException) {
    PyObject* op = new_thing();
    bool seen = true;
    PyObject* reference = watched(op, 1, [&](PyObject*) {
        seen = PyErr_Occurred() != nullptr;
        PyErr_SetString(PyExc_ValueError, "theirs");
    });
    PyErr_SetString(PyExc_KeyError, "mine");
    Py_DECREF(op);
    EXPECT_FALSE(seen) << "a callback starts without an exception";
    expect_raised(PyExc_KeyError, "mine");
    EXPECT_THAT(take_unraisable(), testing::ElementsAre("ValueError: theirs"));
    Py_DECREF(reference);
}

TEST_P(Callbacks, MayMakeObjectsAndWeakReferences) {
    PyObject* op = new_thing(1);
    PyObject* other = new_thing(2);
    PyObject* made = nullptr;
    PyObject* reference = watched(op, 1, [&](PyObject*) { made = watched(other, 2); });
    Py_DECREF(op);
    ASSERT_NE(made, nullptr);
    EXPECT_FALSE(is_dead(made));
    Py_DECREF(other);
    EXPECT_THAT(record.ids(Call::kCallback), testing::ElementsAre(1, 2));
    drop({made, reference});
}

// A callback that lets another object with a callback die: they nest.
TEST_P(Callbacks, MayCauseOthers) {
    PyObject* second = new_thing(2);
    PyObject* to_second = watched(second, 2);
    PyObject* first = new_thing(1);
    PyObject* to_first = watched(first, 1, [&](PyObject*) { Py_CLEAR(second); });
    Py_DECREF(first);
    EXPECT_THAT(record.ids(Call::kCallback), testing::ElementsAre(1, 2));
    drop({to_first, to_second});
}

TEST_P(Callbacks, OfProxiesAreCalledWithTheProxy) {
    PyObject* op = new_thing();
    PyObject* given = nullptr;
    PyObject* call = new_callback(1, [&](PyObject* argument) { given = argument; });
    PyObject* proxy = PyWeakref_NewProxy(op, call);
    Py_DECREF(op);
    EXPECT_EQ(given, proxy);
    drop({call, proxy});
}

EVERY_RUNTIME(Callbacks);

}  // namespace
}  // namespace ouro::test
