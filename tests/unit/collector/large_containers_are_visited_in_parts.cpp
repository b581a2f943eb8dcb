// A pass in slices visits a list, tuple, dict, OrderedDict or set of any size a part at a time, and all of it.

#include <algorithm>
#include <functional>

#include "core/collector/engines/old_pass.hpp"
#include "core/heap/heap.hpp"
#include "core/mutator/world.hpp"

namespace ouro::collector {
namespace {

constexpr Py_ssize_t kItems = 100'000;

struct Kind {
    const char* name;
    // A container of kItems references, the last one of them to `last`, the others to what is no container.
    std::function<PyObject*(PyObject* last)> make;
    int containers = 1;  // that it is made of
};

PyObject* make_list(PyObject* last) {
    PyObject* op = PyList_New(kItems);
    for (Py_ssize_t i = 0; i < kItems; ++i) {
        PyList_SET_ITEM(op, i, Py_NewRef(i == kItems - 1 ? last : Py_None));
    }
    return op;
}

PyObject* make_tuple(PyObject* last) {
    PyObject* op = PyTuple_New(kItems);
    for (Py_ssize_t i = 0; i < kItems; ++i) {
        PyTuple_SET_ITEM(op, i, Py_NewRef(i == kItems - 1 ? last : Py_None));
    }
    return op;
}

PyObject* fill(PyObject* op, PyObject* last) {
    for (Py_ssize_t i = 0; i < kItems; ++i) {
        PyObject* key = PyLong_FromSsize_t(i);
        EXPECT_EQ(PyDict_SetItem(op, key, i == kItems - 1 ? last : Py_None), 0);
        Py_DECREF(key);
    }
    return op;
}

PyObject* make_dict(PyObject* last) {
    return fill(PyDict_New(), last);
}

PyObject* make_ordered_dict(PyObject* last) {
    return fill(PyODict_New(), last);
}

// The reference is an attribute's, not an item's.
PyObject* make_ordered_dict_with_an_attribute(PyObject* last) {
    PyObject* op = fill(PyODict_New(), Py_None);
    EXPECT_EQ(PyObject_SetAttrString(op, "last", last), 0);
    return op;
}

PyObject* make_set(PyObject* last) {
    PyObject* op = PySet_New(nullptr);
    for (Py_ssize_t i = 0; i < kItems - 1; ++i) {
        PyObject* key = PyLong_FromSsize_t(i);
        EXPECT_EQ(PySet_Add(op, key), 0);
        Py_DECREF(key);
    }
    EXPECT_EQ(PySet_Add(op, last), 0);
    return op;
}

class LargeContainers : public testing::TestWithParam<Kind> {
protected:
    void SetUp() override {
        Py_Initialize();
        PyGC_Disable();
    }
    void TearDown() override {
        PyGC_Enable();
        Py_Finalize();
    }
};

// In a stop. How many slices with a budget of nothing a step of the pass takes.
template <class Step>
int slices(const Step& step) {
    int count = 0;
    for (Next next = Next::kMore; next != Next::kDone; ++count) {
        Deadline none_left(0);
        next = step(none_left);
    }
    return count;
}

// What a whole pass, in such slices, names; and how many of them it takes to count and to mark.
struct Passed {
    int to_count = 0;
    int to_mark = 0;
    Candidates candidates;

    long names(const PyObject* op) const { return std::ranges::count(candidates, op); }
};

Passed pass() {
    Passed passed;
    const mutator::Stopped stopped;
    heap::clear_young();
    SliceWorkers alone(1);
    OldPass pass(false, alone);
    passed.to_count = slices([&](Deadline& d) { return pass.count(d, World::kStopped); });
    slices([&](Deadline& d) { return pass.colour(d, World::kStopped); });
    passed.to_mark = slices([&](Deadline& d) { return pass.mark(d, World::kStopped); });
    slices([&](Deadline& d) { return pass.list(d, passed.candidates); });
    for (const PyObject* op : passed.candidates) {
        heap::tables.mark[heap::slot_of(op)] = heap::kNotSeen;
    }
    return passed;
}

TEST_P(LargeContainers, AreCutUp) {
    PyObject* last = PyTuple_New(1);
    PyTuple_SET_ITEM(last, 0, Py_NewRef(Py_None));
    PyObject* large = GetParam().make(last);
    Py_DECREF(last);
    const Passed passed = pass();
    constexpr int parts = static_cast<int>(kItems / 2048);
    EXPECT_GE(passed.to_count, parts);
    EXPECT_GE(passed.to_mark, parts);
    // This test holds `large` and that holds `last`.
    EXPECT_EQ(passed.names(large), 0);
    EXPECT_EQ(passed.names(last), 0);
    Py_DECREF(large);
}

// Nothing but the collector refers to either of the two.
TEST_P(LargeContainers, AreCountedWhole) {
    PyObject* ring = PyList_New(0);
    PyObject* large = GetParam().make(Py_None);
    PyObject* holder = PyTuple_New(2);
    PyTuple_SET_ITEM(holder, 0, Py_NewRef(ring));
    PyTuple_SET_ITEM(holder, 1, large);
    EXPECT_EQ(PyList_Append(ring, holder), 0);
    Py_DECREF(holder);
    Py_DECREF(ring);
    const Passed passed = pass();
    EXPECT_EQ(passed.names(large), 1);
    EXPECT_EQ(passed.names(ring), 1);
    PyGC_Enable();
    EXPECT_EQ(PyGC_Collect(), 2 + GetParam().containers);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, LargeContainers,
    testing::Values(Kind{"list", make_list}, Kind{"tuple", make_tuple}, Kind{"dict", make_dict},
                    Kind{"set", make_set}, Kind{"ordered_dict", make_ordered_dict},
                    Kind{"attributes", make_ordered_dict_with_an_attribute, 2}),
    [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace ouro::collector
