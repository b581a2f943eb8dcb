// Objects above the largest slot have blocks of their own. Rings of objects of every size around that
// limit, and far above it, live while one of them is held, and die together.

#include <random>

#include "core/heap/layout.hpp"
#include "experiments/workloads/instance.hpp"
#include "tests/oracle/runtime_test.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

using workloads::instances_deallocated;
using workloads::new_instance;
using workloads::slots_of;

constexpr size_t kSizes[] = {24,
                             512,
                             heap::kLargestSlot - 16,
                             heap::kLargestSlot,
                             heap::kLargestSlot + 16,
                             heap::kBlockSize - 16,
                             heap::kBlockSize,
                             heap::kBlockSize + 16,
                             3 * heap::kBlockSize};

class LargeObjects : public RuntimeTest {
protected:
    static PyTypeObject* type_of_bytes(size_t bytes) {
        return workloads::instance_type((bytes - sizeof(PyObject)) / sizeof(PyObject*));
    }
    static size_t last_slot(PyObject* op) {
        const auto bytes = static_cast<size_t>(Py_TYPE(op)->tp_basicsize);
        return (bytes - sizeof(PyObject)) / sizeof(PyObject*) - 1;
    }
};

TEST_P(LargeObjects, AreCollectedLikeSmallOnes) {
    std::mt19937_64 random(seed());
    std::vector<PyObject*> ring;
    for (size_t round = 0; round < 8; ++round) {
        for (const size_t bytes : kSizes) {
            ring.push_back(new_instance(type_of_bytes(bytes)));
            ASSERT_EQ(PyObject_GC_IsTracked(ring.back()), 1);
        }
    }
    std::shuffle(ring.begin(), ring.end(), random);
    for (size_t i = 0; i < ring.size(); ++i) {
        // The last slot: a traversal has to come as far as that.
        slots_of(ring[i])[last_slot(ring[i])] = Py_NewRef(ring[(i + 1) % ring.size()]);
    }
    const size_t before = instances_deallocated();
    for (size_t held = 0; held < ring.size(); held += 7) {
        for (size_t i = 0; i < ring.size(); ++i) {
            if (i != held) {
                Py_DECREF(ring[i]);
            }
        }
        ASSERT_EQ(PyGC_Collect(), 0)
            << "held by one of " << Py_TYPE(ring[held])->tp_basicsize << " bytes";
        for (size_t i = 0; i < ring.size(); ++i) {
            if (i != held) {
                Py_INCREF(ring[i]);
            }
        }
    }
    EXPECT_EQ(instances_deallocated(), before);
    for (PyObject* op : ring) {
        Py_DECREF(op);
    }
    EXPECT_EQ(PyGC_Collect(), static_cast<Py_ssize_t>(ring.size()));
    EXPECT_EQ(instances_deallocated(), before + ring.size());
}

// One large object is full of references to small ones that lie all over the heap, and each refers back.
TEST_P(LargeObjects, HoldSmallOnes) {
    PyTypeObject* large_type = type_of_bytes(2 * heap::kBlockSize);
    PyObject* large = new_instance(large_type);
    const size_t slots = last_slot(large) + 1;
    for (size_t i = 0; i < slots; ++i) {
        PyObject* small = new_instance(workloads::instance_type(i % 5 + 1));
        slots_of(small)[0] = Py_NewRef(large);
        slots_of(large)[i] = small;
    }
    const size_t before = instances_deallocated();
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(instances_deallocated(), before);
    Py_DECREF(large);
    EXPECT_EQ(PyGC_Collect(), static_cast<Py_ssize_t>(slots + 1));
    EXPECT_EQ(instances_deallocated(), before + slots + 1);
}
OURO_TEST_EACH_POLICY(LargeObjects);

}  // namespace
}  // namespace ouro::test
