// The references found to an object and its own count meet in one byte with a carry (count_pass.hpp).
// Whatever their numbers, around every limit of that byte and of the count words, in whatever order
// they are met: an object that only garbage refers to dies, and one reference from outside is enough
// for it to live.

#include "experiments/workloads/instance.hpp"
#include "tests/oracle/runtime_test.hpp"

namespace ouro::test {
namespace {

using workloads::instances_deallocated;
using workloads::new_instance;
using workloads::slots_of;

constexpr Py_ssize_t kNumbers[] = {1,   2,      126,    127,    128,    129,    130,
                                   255, 256,    257,    300,    384,    511,    512,
                                   513, 32'768, 65'534, 65'535, 65'536, 65'537, 70'000};

class ManyReferences : public RuntimeTest {
protected:
    size_t deallocated() const { return instances_deallocated() - before_; }
    static PyObject* object() { return new_instance(workloads::instance_type(1)); }
    // A list of `references` references to op.
    static PyObject* list_of(PyObject* op, Py_ssize_t references) {
        PyObject* list = PyList_New(references);
        for (Py_ssize_t i = 0; i < references; ++i) {
            PyList_SET_ITEM(list, i, Py_NewRef(op));
        }
        return list;
    }
    const size_t before_ = instances_deallocated();
};

// The list that refers so often to the object is its cycle. Both orders in memory: subtracting the
// count first and adding the references, or the other way round.
TEST_P(ManyReferences, FromInsideDoNotKeepItAlive) {
    size_t expected = 0;
    for (const Py_ssize_t inside : kNumbers) {
        for (const bool list_is_first : {false, true}) {
            PyObject* early = list_is_first ? PyList_New(0) : nullptr;
            PyObject* op = object();
            PyObject* list = list_is_first ? early : PyList_New(0);
            for (Py_ssize_t i = 0; i < inside; ++i) {
                ASSERT_EQ(PyList_Append(list, op), 0);
            }
            slots_of(op)[0] = list;
            ASSERT_EQ(PyGC_Collect(), 0) << inside << " inside, one outside";
            Py_DECREF(op);
            ASSERT_EQ(PyGC_Collect(), 2) << inside;
            ASSERT_EQ(deallocated(), ++expected) << inside;
        }
    }
}

TEST_P(ManyReferences, FromOutsideKeepItAlive) {
    size_t expected = 0;
    for (const Py_ssize_t inside : kNumbers) {
        for (const Py_ssize_t outside : kNumbers) {
            PyObject* op = object();
            PyObject* list = list_of(op, inside);
            slots_of(op)[0] = list;
            for (Py_ssize_t i = 1; i < outside; ++i) {
                Py_INCREF(op);
            }
            ASSERT_EQ(Py_REFCNT(op), inside + outside);
            ASSERT_EQ(PyGC_Collect(), 0) << inside << " inside, " << outside << " outside";
            ASSERT_EQ(deallocated(), expected);
            for (Py_ssize_t i = 0; i < outside; ++i) {
                Py_DECREF(op);
            }
            ASSERT_EQ(PyGC_Collect(), 2) << inside << " inside, " << outside << " dropped";
            ASSERT_EQ(deallocated(), ++expected);
        }
    }
}

// No reference inside: what is outside alone must not come out as zero.
TEST_P(ManyReferences, FromOutsideAlone) {
    for (const Py_ssize_t outside : kNumbers) {
        PyObject* op = object();
        PyObject* target = object();
        slots_of(op)[0] = target;
        slots_of(target)[0] = Py_NewRef(target);
        for (Py_ssize_t i = 1; i < outside; ++i) {
            Py_INCREF(op);
        }
        ASSERT_EQ(PyGC_Collect(), 0) << outside;
        for (Py_ssize_t i = 0; i < outside; ++i) {
            Py_DECREF(op);
        }
        ASSERT_EQ(PyGC_Collect(), 1) << outside << ": the target was a cycle by itself";
    }
}

// From as many objects instead of one list.
TEST_P(ManyReferences, FromManyObjects) {
    for (const size_t inside : {size_t{300}, size_t{70'000}}) {
        PyObject* hub = PyList_New(0);
        for (size_t i = 0; i < inside; ++i) {
            PyObject* spoke = object();
            slots_of(spoke)[0] = Py_NewRef(hub);
            ASSERT_EQ(PyList_Append(hub, spoke), 0);
            Py_DECREF(spoke);
        }
        EXPECT_EQ(PyGC_Collect(), 0);
        const size_t already = deallocated();
        Py_DECREF(hub);
        EXPECT_EQ(PyGC_Collect(), static_cast<Py_ssize_t>(inside + 1));
        EXPECT_EQ(deallocated(), already + inside);
    }
}

// A live list refers to it instead of the program.
TEST_P(ManyReferences, FromALiveListKeepItAlive) {
    for (const Py_ssize_t inside : kNumbers) {
        PyObject* op = object();
        slots_of(op)[0] = Py_NewRef(op);
        PyObject* live = list_of(op, inside);
        Py_DECREF(op);
        const size_t already = deallocated();
        ASSERT_EQ(PyGC_Collect(), 0) << inside;
        ASSERT_EQ(deallocated(), already);
        Py_DECREF(live);
        ASSERT_EQ(PyGC_Collect(), 1) << inside;
        ASSERT_EQ(deallocated(), already + 1);
    }
}
OURO_TEST_EACH_POLICY(ManyReferences);

}  // namespace
}  // namespace ouro::test
