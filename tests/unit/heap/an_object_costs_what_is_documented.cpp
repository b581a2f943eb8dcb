// What an object costs, its share of metadata included, by the heap's own statistics over a million
// of each: a container with three references at most 56 bytes; list, dict, set and tuple what
// builtins.h, set.h and core/heap/README.md say, their slot and 4 1/4 bytes (at most 5, with the ends
// of blocks). Every object is aligned to 16 bytes.

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "core/heap/heap.hpp"
#include "core/include/ouroboros.h"
#include "tests/support/scale.hpp"

namespace ouro {
namespace {

struct Node {
    PyObject_HEAD
    PyObject* references[3];
};

int node_traverse(PyObject* op, visitproc visit, void* arg) {
    for (PyObject* reference : reinterpret_cast<Node*>(op)->references) {
        Py_VISIT(reference);
    }
    return 0;
}

PyTypeObject node_type = {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "Node",
                          .tp_basicsize = sizeof(Node),
                          .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                          .tp_traverse = node_traverse};

class ObjectCost : public testing::Test {
protected:
    void SetUp() override {
        Py_Initialize();
        ASSERT_EQ(PyType_Ready(&node_type), 0);
    }
    void TearDown() override { Py_Finalize(); }
};

size_t total_bytes() {
    OuroHeapStatistics statistics;
    Ouro_GetHeapStatistics(&statistics);
    return statistics.heap_bytes + statistics.metadata_bytes;
}

// Bytes an object, over whole blocks of `slot_bytes`, a million objects at least at scale 1.
double cost(size_t slot_bytes, const std::function<PyObject*()>& make) {
    const size_t a_block = heap::kBlockSize / slot_bytes;
    const size_t count = (test::scaled(1'000'000) / a_block + 1) * a_block;
    std::vector<PyObject*> objects(count);
    heap::purge();
    const size_t before = total_bytes();
    for (PyObject*& op : objects) {
        op = make();
        EXPECT_EQ(reinterpret_cast<uintptr_t>(op) % 16, 0u);
    }
    const size_t after = total_bytes();
    OuroHeapStatistics statistics;
    Ouro_GetHeapStatistics(&statistics);
    EXPECT_EQ(statistics.tracked, count);
    for (PyObject* op : objects) {
        Py_DECREF(op);
    }
    heap::purge();
    EXPECT_EQ(total_bytes(), before);
    const double bytes = static_cast<double>(after - before) / static_cast<double>(count);
    testing::Test::RecordProperty("bytes", std::to_string(bytes));
    std::printf("%.2f bytes an object\n", bytes);
    return bytes;
}

TEST_F(ObjectCost, WithThreeReferencesCostsAtMost56Bytes) {
    EXPECT_LE(cost(48, [] { return PyType_GenericAlloc(&node_type, 0); }), 56);
}

TEST_F(ObjectCost, ThatIsAnEmptyListCosts32BytesAndMetadata) {
    EXPECT_LE(cost(32, [] { return PyList_New(0); }), 37);
}

TEST_F(ObjectCost, ThatIsAnEmptyDictCosts32BytesAndMetadata) {
    EXPECT_LE(cost(32, PyDict_New), 37);
}

TEST_F(ObjectCost, ThatIsAnEmptySetCosts48BytesAndMetadata) {
    EXPECT_LE(cost(48, [] { return PySet_New(nullptr); }), 53);
    EXPECT_LE(cost(48, [] { return PyFrozenSet_New(nullptr); }), 53);
}

TEST_F(ObjectCost, ThatIsATupleCosts24BytesAnd8ForEachItemAndMetadata) {
    // Rounded up to 16: what alignment costs.
    EXPECT_LE(cost(32, [] { return PyTuple_New(1); }), 37);
    EXPECT_LE(cost(48, [] { return PyTuple_New(2); }), 53);
    EXPECT_LE(cost(48, [] { return PyTuple_New(3); }), 53);
    EXPECT_LE(cost(64, [] { return PyTuple_New(5); }), 69);
}

PyObject* saved = nullptr;  // a list

int node_clear(PyObject* op) {
    for (PyObject*& reference : reinterpret_cast<Node*>(op)->references) {
        Py_CLEAR(reference);
    }
    return 0;
}

PyTypeObject saved_type = {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "Saved",
                           .tp_basicsize = sizeof(Node),
                           .tp_dealloc =
                               [](PyObject* op) {
                                   PyObject_GC_UnTrack(op);
                                   node_clear(op);
                                   PyObject_GC_Del(op);
                               },
                           .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                           .tp_traverse = node_traverse,
                           .tp_clear = node_clear,
                           .tp_finalize = [](PyObject* op) { PyList_Append(saved, op); }};

size_t resident_count_pages(size_t slots) {
    const size_t bytes = slots * sizeof(uint32_t);
    std::vector<unsigned char> resident((bytes + heap::kPage - 1) / heap::kPage);
    EXPECT_EQ(mincore(heap::tables.count, bytes, resident.data()), 0);
    return static_cast<size_t>(
        std::ranges::count_if(resident, [](unsigned char page) { return (page & 1) != 0; }));
}

// The statistics count no page of the table of 32-bit counts: the first pass does not touch it, but
// for objects that have more references than a byte can count, and what the second test, after
// finalizers, touched is returned.
TEST_F(ObjectCost, HasNoResidentWordOfCountsAfterACollection) {
    ASSERT_EQ(PyType_Ready(&saved_type), 0);
    saved = PyList_New(0);
    const size_t count = test::scaled(300'000);
    PyGC_Disable();  // one collection for all
    for (size_t i = 0; i < count; ++i) {
        PyObject* op = PyType_GenericAlloc(&saved_type, 0);
        reinterpret_cast<Node*>(op)->references[0] = op;  // garbage from now on
    }
    PyGC_Enable();
    PyGC_Collect();
    ASSERT_EQ(static_cast<size_t>(PyList_Size(saved)), count);
    EXPECT_LE(resident_count_pages(count), 1u);
    PyGC_Collect();
    EXPECT_LE(resident_count_pages(count), 1u);
    Py_CLEAR(saved);
    EXPECT_EQ(static_cast<size_t>(PyGC_Collect()), count);
}

TEST_F(ObjectCost, IsAsLargeAsItsHeaderSays) {
    EXPECT_EQ(sizeof(PyObject), 16u);
    EXPECT_EQ(sizeof(PyVarObject), 24u);
    EXPECT_EQ(sizeof(PyListObject), 32u);
    EXPECT_EQ(sizeof(PyDictObject), 32u);
    EXPECT_EQ(sizeof(PySetObject), 48u);
    EXPECT_EQ(offsetof(PyTupleObject, ob_item), 24u);
    EXPECT_EQ(sizeof(PyLongObject), 32u);
}

// What the statistics say of slots is what was allocated, without what is free.
TEST_F(ObjectCost, IsCountedByItsSlotAndItsBuffers) {
    const auto statistics = [] {
        OuroHeapStatistics now;
        Ouro_GetHeapStatistics(&now);
        return now;
    };
    const OuroHeapStatistics before = statistics();
    PyObject* list = PyList_New(6);  // 32 and 48
    PyObject* tuple = PyTuple_New(100'000);
    PyObject* number = PyFloat_FromDouble(2.5);
    OuroHeapStatistics now = statistics();
    EXPECT_EQ(now.container_bytes - before.container_bytes, 32 + 24 + 8 * 100'000u);
    EXPECT_EQ(now.buffer_bytes - before.buffer_bytes, 48u);
    EXPECT_EQ(now.atom_bytes - before.atom_bytes, 32u);
    Py_DECREF(tuple);
    Py_DECREF(number);
    now = statistics();
    EXPECT_EQ(now.container_bytes - before.container_bytes, 32u);
    EXPECT_EQ(now.atom_bytes, before.atom_bytes);
    EXPECT_LE(now.container_bytes + now.buffer_bytes + now.atom_bytes, now.heap_bytes);
    Py_DECREF(list);
    now = statistics();
    EXPECT_EQ(now.container_bytes, before.container_bytes);
    EXPECT_EQ(now.buffer_bytes, before.buffer_bytes);
}

// A list's items are one array, whose capacity is the size of its slot.
TEST_F(ObjectCost, ThatIsAListHasItsItemsInOneArray) {
    PyObject* list = PyList_New(4);
    EXPECT_EQ(heap::usable_size(reinterpret_cast<PyListObject*>(list)->ob_item), 32u);
    Py_DECREF(list);
    list = PyList_New(0);
    EXPECT_EQ(reinterpret_cast<PyListObject*>(list)->ob_item, nullptr);
    for (size_t i = 1; i <= 1000; ++i) {
        ASSERT_EQ(PyList_Append(list, Py_None), 0);
        const size_t usable = heap::usable_size(reinterpret_cast<PyListObject*>(list)->ob_item);
        ASSERT_GE(usable, 8 * i);
        ASSERT_LE(usable, 8 * (i + i / 8 + (i <= 8 ? 4 : 12)) * 9 / 8 + 15) << i;
    }
    Py_DECREF(list);
}

}  // namespace
}  // namespace ouro
