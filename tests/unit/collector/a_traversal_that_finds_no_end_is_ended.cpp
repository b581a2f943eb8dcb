// Concurrently with mutators a handler of a type that promised nothing is told to end when it has visited more than
// there can be. In a stop, and where the type has made the promise, it is left alone.

#include "core/collector/concurrent_traverse.hpp"

namespace ouro::collector {
namespace {

constexpr size_t kEnough = size_t{1} << 26;

// Goes on until it is told to end, or has visited kEnough.
int endless(PyObject* self, visitproc visit, void* arg) {
    for (size_t i = 0; i < kEnough; ++i) {
        if (const int result = visit(self, arg)) {
            return result;
        }
    }
    return 0;
}

PyTypeObject type_with(unsigned long flags) {
    return {
        .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "test.Endless",
        .tp_basicsize = sizeof(PyObject),
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | flags,
        .tp_traverse = endless,
    };
}

class EndlessTraversal : public testing::Test {
protected:
    void SetUp() override { Py_Initialize(); }
    void TearDown() override { Py_Finalize(); }

    // How often `type`'s handler visits; and how many references the heap had room for.
    struct Visits {
        size_t count;
        size_t room;
    };
    static Visits visits(PyTypeObject& type, World world) {
        EXPECT_EQ(PyType_Ready(&type), 0);
        PyObject* op = _PyObject_GC_New(&type);
        size_t count = 0;
        call_traverse(
            op, world,
            [](PyObject*, void* arg) {
                ++*static_cast<size_t*>(arg);
                return 0;
            },
            &count);
        const size_t room = heap::bytes_in_use() / sizeof(PyObject*);
        Py_DECREF(op);
        return {count, room};
    }
};

TEST_F(EndlessTraversal, IsEndedBesideMutators) {
    static PyTypeObject type = type_with(0);
    const Visits beside = visits(type, World::kRunning);
    EXPECT_EQ(beside.count, beside.room);
    EXPECT_LT(beside.count, kEnough);
    EXPECT_EQ(visits(type, World::kStopped).count, kEnough);
}

TEST_F(EndlessTraversal, IsTrustedWithAPromise) {
    static PyTypeObject type = type_with(OURO_TPFLAGS_CONCURRENT_TRAVERSE);
    EXPECT_EQ(visits(type, World::kRunning).count, kEnough);
}

}  // namespace
}  // namespace ouro::collector
