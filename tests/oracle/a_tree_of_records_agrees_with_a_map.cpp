// The tree of the btree workload against std::map: the same keys with the same values after any sequence of
// operations, nodes as full as they must be, and not a reference more or less.

#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <vector>

#include "experiments/workloads/btree.hpp"
#include "experiments/workloads/instance.hpp"
#include "tests/oracle/runtime_test.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

using workloads::kBTreeDegree;
using workloads::slots_of;

class ATreeOfRecords : public RuntimeTest {
protected:
    static void SetUpTestSuite() {
        const std::string parameters =
            "seed=" + std::to_string(seed()) + " max_success=" + std::to_string(scaled(50, 10));
        ::setenv("RC_PARAMS", parameters.c_str(), 0);
    }
};

// The depth of all leaves below a node; throws where it is no B-tree.
size_t depth_of(PyObject* node, bool root) {
    const Py_ssize_t items = PyList_GET_SIZE(slots_of(node)[0]);
    RC_ASSERT(items <= 2 * kBTreeDegree - 1);
    RC_ASSERT(root || items >= kBTreeDegree - 1);
    PyObject* nodes = slots_of(node)[1];
    if (nodes == nullptr) {
        return 0;
    }
    RC_ASSERT(PyList_GET_SIZE(nodes) == items + 1);
    const size_t depth = depth_of(PyList_GET_ITEM(nodes, 0), false);
    for (Py_ssize_t i = 1; i <= items; ++i) {
        RC_ASSERT(depth_of(PyList_GET_ITEM(nodes, i), false) == depth);
    }
    return depth + 1;
}

std::map<long, PyObject*> items_of(PyObject* tree) {
    std::vector<std::pair<long, PyObject*>> found;
    workloads::btree_walk(
        tree,
        [](PyObject* item, void* arg) {
            static_cast<std::vector<std::pair<long, PyObject*>>*>(arg)->emplace_back(
                PyLong_AsLong(PyTuple_GET_ITEM(item, 0)), PyTuple_GET_ITEM(item, 1));
        },
        &found);
    RC_ASSERT(std::ranges::is_sorted(found));
    return {found.begin(), found.end()};
}

TEST_P(ATreeOfRecords, AgreesWithAMap) {
    EXPECT_TRUE(rc::check("a tree is a map", [this] {
        const size_t tracked_before = tracked();
        PyObject* tree = workloads::new_btree();
        std::map<long, PyObject*> expected;
        const std::vector<PyObject*> values = {Py_None, Py_True, Py_False};
        const auto keys = static_cast<long>(*rc::gen::inRange(1, 3000));
        workloads::Random random(*rc::gen::arbitrary<uint64_t>());
        for (int i = 0; i < 4000; ++i) {
            const auto key = static_cast<long>(random.below(static_cast<uint32_t>(keys)));
            // It grows in the first half and shrinks in the second.
            if (random.below(4) < (i < 2000 ? 3u : 1u)) {
                PyObject* value = values[random.below(3)];
                workloads::btree_set(tree, key, value);
                expected[key] = value;
            } else if (expected.erase(key) == 1) {
                workloads::btree_erase(tree, key);
            } else {
                RC_ASSERT_THROWS_AS(workloads::btree_erase(tree, key), std::out_of_range);
            }
        }
        RC_ASSERT(items_of(tree) == expected);
        depth_of(slots_of(tree)[0], true);
        for (long key = 0; key < keys; ++key) {
            const auto found = expected.find(key);
            RC_ASSERT(workloads::btree_get(tree, key) ==
                      (found == expected.end() ? nullptr : found->second));
        }
        Py_DECREF(tree);
        RC_ASSERT(tracked() == tracked_before);  // counting alone frees it
    }));
}

TEST_P(ATreeOfRecords, HoldsThemAll) {
    workloads::Random random(seed());
    for (const uint32_t count : {1u, 31u, 32u, 5000u}) {
        const size_t tracked_before = tracked();
        PyObject* records = workloads::new_records(count, 99, random);
        PyObject* tree = workloads::new_record_tree(records, random);
        EXPECT_EQ(items_of(tree).size(), count);
        EXPECT_EQ(workloads::btree_get(tree, static_cast<long>(count) - 1),
                  PyList_GET_ITEM(records, count - 1));
        PyGC_Collect();  // it may leave out items that it need not look at
        EXPECT_LE(tracked() - tracked_before, workloads::btree_containers(tree) + count + 1);
        Py_DECREF(tree);
        Py_DECREF(records);
        EXPECT_EQ(tracked(), tracked_before);
    }
}
OURO_TEST_EACH_POLICY(ATreeOfRecords);

}  // namespace
}  // namespace ouro::test
