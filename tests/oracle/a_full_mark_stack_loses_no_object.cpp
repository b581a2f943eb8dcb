// The marker's stack is bounded (64 Ki entries, mark_pass.hpp). When one object refers to more objects
// behind the sweep than fit, the rest waits for a sweep that starts anew: all of them, and what only
// they refer to, is found alive, and all of it is garbage when the root goes.

#include <algorithm>

#include "experiments/workloads/instance.hpp"
#include "tests/oracle/runtime_test.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

using workloads::instances_deallocated;
using workloads::new_instance;
using workloads::slots_of;

constexpr size_t kStackSize = 64 * 1024;

class AFullMarkStack : public RuntimeTest {
protected:
    void SetUp() override {
        RuntimeTest::SetUp();
        type_ = workloads::instance_type(2);
    }

    PyTypeObject* type_ = nullptr;
    const size_t size_ = scaled(300'000, 2 * kStackSize + 20'000);
    const size_t deallocated_before_ = instances_deallocated();

    // Without collections meanwhile: each is verified, which takes as long as the heap is large.
    std::vector<PyObject*> make(size_t count) {
        PyGC_Disable();
        std::vector<PyObject*> made(count);
        std::generate(made.begin(), made.end(), [this] { return new_instance(type_); });
        PyGC_Enable();
        return made;
    }
    size_t deallocated() const { return instances_deallocated() - deallocated_before_; }
    // A list that takes over the references of `items`.
    static PyObject* list_of(const std::vector<PyObject*>& items) {
        PyObject* list = PyList_New(static_cast<Py_ssize_t>(items.size()));
        for (size_t i = 0; i < items.size(); ++i) {
            PyList_SET_ITEM(list, i, items[i]);
        }
        return list;
    }
    static size_t below(const std::vector<PyObject*>& objects, const PyObject* op) {
        return static_cast<size_t>(std::count_if(objects.begin(), objects.end(),
                                                 [op](PyObject* each) { return each < op; }));
    }
};

// children < parents < root in memory; each child is a cycle with its parent, so that nothing is freed
// by counting.
TEST_P(AFullMarkStack, IsFollowedByASweepThatFindsTheRest) {
    const std::vector<PyObject*> children = make(size_);
    const std::vector<PyObject*> parents = make(size_);
    for (size_t i = 0; i < size_; ++i) {
        PyObject* child = children[size_ - 1 - i];
        slots_of(child)[0] = Py_NewRef(parents[i]);
        slots_of(parents[i])[0] = child;
    }
    PyObject* root = list_of(parents);
    ASSERT_GT(below(parents, root), kStackSize) << "the shape that this test is about";
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(tracked(), 2 * size_ + 1);
    EXPECT_EQ(deallocated(), 0u);
    Py_DECREF(root);
    EXPECT_EQ(PyGC_Collect(), static_cast<Py_ssize_t>(2 * size_));
    EXPECT_EQ(deallocated(), 2 * size_);
}

// Every other of the children hangs on a list that is already garbage, and refers to objects that live.
TEST_P(AFullMarkStack, DoesNotMarkTheGarbageBetween) {
    const std::vector<PyObject*> objects = make(2 * size_);
    std::vector<PyObject*> live;
    std::vector<PyObject*> dead;
    for (size_t i = 0; i < objects.size(); ++i) {
        (i % 2 == 0 ? live : dead).push_back(objects[i]);
    }
    for (size_t i = 0; i < size_; ++i) {
        slots_of(live[i])[0] = Py_NewRef(live[i]);
        slots_of(dead[i])[0] = Py_NewRef(dead[i]);
        slots_of(dead[i])[1] = Py_NewRef(live[i]);
    }
    PyObject* dropped = list_of(dead);
    PyObject* root = list_of(live);
    Py_DECREF(dropped);
    EXPECT_EQ(PyGC_Collect(), static_cast<Py_ssize_t>(size_));
    EXPECT_EQ(deallocated(), size_);
    EXPECT_EQ(PyGC_Collect(), 0);
    Py_DECREF(root);
    EXPECT_EQ(PyGC_Collect(), static_cast<Py_ssize_t>(size_));
    EXPECT_EQ(deallocated(), 2 * size_);
}

// The objects of each layer lie before the list that holds them, and before those lies another list
// with as many: sweep after sweep finds the stack full again.
TEST_P(AFullMarkStack, FillsAgainInEverySweep) {
    constexpr size_t kLayers = 4;
    std::vector<PyObject*> items = make(size_ / 2);
    for (PyObject* item : items) {
        slots_of(item)[0] = Py_NewRef(item);
    }
    size_t made = items.size();
    PyObject* root = list_of(items);
    for (size_t layer = 1; layer < kLayers; ++layer) {
        items = make(size_ / 2);
        made += items.size();
        for (PyObject* item : items) {
            slots_of(item)[0] = Py_NewRef(item);
        }
        slots_of(items.front())[1] = root;
        root = list_of(items);
    }
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(tracked(), made + kLayers);
    Py_DECREF(root);
    EXPECT_EQ(PyGC_Collect(), static_cast<Py_ssize_t>(made + kLayers - 1));
    EXPECT_EQ(deallocated(), made);
}
INSTANTIATE_TEST_SUITE_P(EachPolicy, AFullMarkStack,
                         testing::Values("gil", "biased", "gil,engine=stw-parallel,workers=3",
                                         "gil,engine=concurrent-sync"),
                         runtime_name);

}  // namespace
}  // namespace ouro::test
