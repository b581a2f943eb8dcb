// An immortal object is never collected, nor is what it reaches, whatever refers to it; a static
// object outside the heap is such a one. Source: "Supporting Cyclic Garbage Collection" with PEP
// 683.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

// Makes a container in the heap immortal, and mortal again.
class Immortal {
public:
    explicit Immortal(PyObject* op) : op_(op), before_(*op) {
        op->ob_biased = OURO_BIASED_IMMORTAL;
        op->ob_shared = 0;
    }
    void end() const {
        op_->ob_biased = before_.ob_biased;
        op_->ob_shared = before_.ob_shared;
    }

private:
    PyObject* op_;
    PyObject before_;
};

using Immortality = Things;

TEST_P(Immortality, KeepsAMemberOfACycleAndAllOfIt) {
    const std::vector<PyObject*> nodes = ring(4, &FinalThingType);
    for (size_t i : {1, 2, 3}) {
        Py_DECREF(nodes[i]);
    }
    {
        const Immortal immortal(nodes[0]);
        EXPECT_EQ(PyGC_Collect(), 0);
        Py_DECREF(nodes[0]);
        Py_DECREF(nodes[0]);
        Py_DECREF(nodes[0]);
        EXPECT_EQ(PyGC_Collect(), 0);
        EXPECT_EQ(record.live, 4);
        EXPECT_THAT(record.calls, testing::IsEmpty());
        immortal.end();
    }
    EXPECT_EQ(Py_REFCNT(nodes[0]), 2) << "an immortal count does not change";
    Py_DECREF(nodes[0]);
    EXPECT_EQ(PyGC_Collect(), 4);
}

// Whatever refers to the immortal, and nothing else does: garbage.
TEST_P(Immortality, DoesNotKeepWhatRefersToIt) {
    PyObject* op = new_thing(5);
    const Immortal immortal(op);
    const std::vector<PyObject*> nodes = ring(3);
    refer(nodes[0], 1, op);
    refer(nodes[1], 1, op);
    drop(nodes);
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(record.live, 1);
    immortal.end();
    Py_DECREF(op);
}

// Made immortal while the collection that condemned it runs its finalizers.
TEST_P(Immortality, BegunInAFinalizerSavesTheObject) {
    std::vector<Immortal> immortal;
    PyObject* saved = nullptr;
    record.on_finalize = [&](Thing* op) {
        if (op->id == 1) {
            saved = object(op);
            immortal.emplace_back(saved);
        }
    };
    drop_ring(3, &FinalThingType);
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(record.live, 3);
    ASSERT_NE(saved, nullptr);
    immortal.front().end();
    Py_DECREF(saved);  // the collector's reference, which an immortal count did not give back
    EXPECT_EQ(PyGC_Collect(), 3);
}

TEST_P(Immortality, OfAStaticContainerKeepsWhatItHolds) {
    static Thing outside = {PyObject_HEAD_INIT(&ThingType){}, 0};
    const std::vector<PyObject*> nodes = ring(3);
    refer(object(&outside), 0, nodes[0]);
    refer(nodes[2], 1, object(&outside));
    drop(nodes);
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(record.live, 3);
    drop_slots(object(&outside));
    EXPECT_EQ(PyGC_Collect(), 3);
}

EVERY_RUNTIME(Immortality);

}  // namespace
}  // namespace ouro::test
