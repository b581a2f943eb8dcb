// A container type whose every call is recorded and can be extended by a test, and a fixture that
// starts the runtime anew for each count policy.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "core/include/ouroboros.h"
#include "tests/support/runtimes.hpp"
#include "tests/support/tracked_objects.hpp"

namespace ouro::test {

inline constexpr size_t kSlots = 3;

// Holds up to kSlots references. The recorder knows it by its id.
struct Node {
    PyObject ob_base;
    PyObject* slots[kSlots];
    int id;
};

enum class Call { kFinalize, kClear, kDealloc };

// What the runtime called on nodes, in order, and what a test wants to happen then.
struct Recorder {
    struct Entry {
        Call call;
        int id;
        bool operator==(const Entry&) const = default;
    };
    std::vector<Entry> calls;
    std::function<void(Node*)> on_finalize;
    std::function<bool(Node*)> on_clear;    // false: tp_clear drops nothing
    std::function<void(Node*)> on_dealloc;  // the fields are still whole
    std::function<void(Node*)> on_traverse;
    int live = 0;

    long count(Call call) const { return std::ranges::count(calls, call, &Entry::call); }
    long count(Call call, int id) const { return std::ranges::count(calls, Entry{call, id}); }
};
inline Recorder recorder;

inline Node* node(PyObject* op) {
    return reinterpret_cast<Node*>(op);
}
inline PyObject* object(void* op) {
    return static_cast<PyObject*>(op);
}

inline int node_traverse(PyObject* op, visitproc visit, void* arg) {
    if (recorder.on_traverse) {
        recorder.on_traverse(node(op));
    }
    for (PyObject* slot : node(op)->slots) {
        Py_VISIT(slot);
    }
    return 0;
}

inline void drop_slots(PyObject* op) {
    for (PyObject*& slot : node(op)->slots) {
        Py_CLEAR(slot);
    }
}

inline int node_clear(PyObject* op) {
    recorder.calls.push_back({Call::kClear, node(op)->id});
    if (!recorder.on_clear || recorder.on_clear(node(op))) {
        drop_slots(op);
    }
    return PyErr_Occurred() == nullptr ? 0 : -1;
}

inline void node_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    recorder.calls.push_back({Call::kDealloc, node(op)->id});
    if (recorder.on_dealloc) {
        recorder.on_dealloc(node(op));
    }
    drop_slots(op);
    --recorder.live;
    Py_TYPE(op)->tp_free(op);
}

inline void node_finalize(PyObject* op) {
    recorder.calls.push_back({Call::kFinalize, node(op)->id});
    if (recorder.on_finalize) {
        recorder.on_finalize(node(op));
    }
}

inline PyTypeObject NodeType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Node",
    .tp_basicsize = sizeof(Node),
    .tp_dealloc = node_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = node_traverse,
    .tp_clear = node_clear,
};

// A node with a finalizer; the rest is inherited.
inline PyTypeObject FinalizedType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Finalized",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &NodeType,
    .tp_finalize = node_finalize,
};

// A new node, tracked (new reference).
inline PyObject* new_node(int id = 0, PyTypeObject* type = &NodeType) {
    PyObject* op = type->tp_alloc(type, 0);
    node(op)->id = id;
    ++recorder.live;
    return op;
}

// Lets `from` refer to `to`, which may be NULL; drops what the slot held. Does not steal.
inline void refer(PyObject* from, size_t slot, PyObject* to) {
    Py_XSETREF(node(from)->slots[slot], Py_XNewRef(to));
}

// Nodes with ids first, first + 1, ...: each refers to the next in slot 0, the last to the first.
// A reference to each is the caller's.
inline std::vector<PyObject*> ring(int size, PyTypeObject* type = &NodeType, int first = 0) {
    std::vector<PyObject*> nodes;
    for (int i = 0; i < size; ++i) {
        nodes.push_back(new_node(first + i, type));
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
        refer(nodes[i], 0, nodes[(i + 1) % nodes.size()]);
    }
    return nodes;
}

inline void drop(const std::vector<PyObject*>& objects) {
    for (PyObject* op : objects) {
        Py_DECREF(op);
    }
}

// Makes garbage: a ring that nobody refers to.
inline void drop_ring(int size, PyTypeObject* type = &NodeType, int first = 0) {
    drop(ring(size, type, first));
}

// Expects the exception class that is set, and clears it.
inline void expect_raised(PyObject* type) {
    ASSERT_NE(PyErr_Occurred(), nullptr) << "no exception is set";
    EXPECT_STREQ(reinterpret_cast<PyTypeObject*>(PyErr_Occurred())->tp_name,
                 reinterpret_cast<PyTypeObject*>(type)->tp_name);
    PyErr_Clear();
}

// The runtime that is the parameter, every collection verified. When a test
// ends nothing of it may be left: no tracked object, no node, no exception.
class Contract : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        const std::string settings = settings_for(GetParam(), "verify=on");
        const char* error = nullptr;
        ASSERT_EQ(Ouro_Configure(settings.c_str(), &error), 0) << error;
        Py_Initialize();
        recorder = Recorder();
        ASSERT_EQ(PyType_Ready(&NodeType), 0);
        ASSERT_EQ(PyType_Ready(&FinalizedType), 0);
        tracked_before_ = tracked_objects();
    }

    void TearDown() override {
        EXPECT_EQ(PyErr_Occurred(), nullptr) << "the test left an exception";
        PyErr_Clear();
        EXPECT_EQ(PyGC_Enable(), 1) << "the test left collection disabled";
        EXPECT_EQ(recorder.live, 0) << "the test left nodes";
        EXPECT_EQ(tracked_objects(), tracked_before_) << "the test left tracked objects";
        recorder = Recorder();
        Py_Finalize();
    }

private:
    size_t tracked_before_ = 0;
};

#define EVERY_POLICY(suite) INSTANTIATE_TEST_SUITE_P(Counts, suite, every_runtime(), runtime_name)

}  // namespace ouro::test
