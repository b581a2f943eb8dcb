// While the collector visits objects not one byte of any is changed, neither count nor field; what is
// alive is afterwards, byte for byte, what it was. An engine that searches around suspects writes once: a bit beside
// the count of what survives its first collection. Source: "Supporting Cyclic Garbage Collection",
// tp_traverse (objects are visited, never changed); PyUnstable_GC_VisitObjects.

#include <array>
#include <atomic>
#include <cstring>

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

// Copies of objects as they were.
class Snapshot {
public:
    explicit Snapshot(const std::vector<PyObject*>& nodes) : nodes_(nodes) {
        for (PyObject* op : nodes) {
            bytes_.emplace_back();
            std::memcpy(bytes_.back().data(), static_cast<const void*>(op), sizeof(Thing));
        }
    }
    int changed() const {
        int count = 0;
        for (size_t i = 0; i < nodes_.size(); ++i) {
            count += std::memcmp(bytes_[i].data(), static_cast<const void*>(nodes_[i]),
                                 sizeof(Thing)) != 0
                         ? 1
                         : 0;
        }
        return count;
    }

private:
    std::vector<PyObject*> nodes_;
    std::vector<std::array<char, sizeof(Thing)>> bytes_;
};

class Living : public Things {
protected:
    // They survive their first collection.
    static void survive() { EXPECT_EQ(PyGC_Collect(), 0); }
    // A full collection during which every visit finds all of `nodes` as they were.
    static void collect_watching(const std::vector<PyObject*>& nodes, Py_ssize_t garbage) {
        const Snapshot snapshot(nodes);
        std::atomic<int> visits{0};
        std::atomic<int> changed{0};
        record.on_traverse = [&](Thing*) {
            ++visits;
            changed += snapshot.changed();
        };
        EXPECT_EQ(PyGC_Collect(), garbage);
        record.on_traverse = nullptr;
        EXPECT_GE(visits, static_cast<int>(2 * nodes.size())) << "nobody looked";
        EXPECT_EQ(changed, 0);
        EXPECT_EQ(snapshot.changed(), 0);
    }
};

TEST_P(Living, AreAsTheyWere) {
    const std::vector<PyObject*> nodes = ring(5, &ObservedType);
    refer(nodes[2], 1, nodes[4]);
    refer(nodes[3], 2, nodes[3]);
    survive();
    collect_watching(nodes, 0);
    drop(nodes);
    EXPECT_EQ(PyGC_Collect(), 5);
}

TEST_P(Living, AreAsTheyWereThoughOthersDie) {
    const std::vector<PyObject*> nodes = ring(5, &ObservedType);
    survive();
    drop_ring(4, &ThingType, 100);
    collect_watching(nodes, 4);
    drop(nodes);
    EXPECT_EQ(PyGC_Collect(), 5);
}

TEST_P(Living, AreAsTheyWereWithCountsOfEverySize) {
    const std::vector<PyObject*> nodes = ring(3, &ObservedType);
    for (int i = 0; i < 70000; ++i) {
        Py_INCREF(nodes[1]);
    }
    survive();
    collect_watching(nodes, 0);
    Py_SET_REFCNT(nodes[1], 2);
    drop(nodes);
    EXPECT_EQ(PyGC_Collect(), 3);
}

EVERY_RUNTIME(Living);

}  // namespace
}  // namespace ouro::test
