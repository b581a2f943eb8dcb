// References to atoms, static types, shared immortal objects and untracked containers are neither
// followed nor counted: garbage that holds them dies, gives up its references and nothing more.

#include "experiments/workloads/instance.hpp"
#include "tests/oracle/runtime_test.hpp"

namespace ouro::test {
namespace {

using workloads::instances_deallocated;
using workloads::new_instance;
using workloads::slots_of;

constexpr size_t kRings = 2000;

class ReferencesToWhatIsNotTracked : public RuntimeTest {
protected:
    // kRings rings of two objects; the second slot of every object is a reference to `held`.
    void make_rings(PyObject* held) {
        PyTypeObject* type = workloads::instance_type(2);
        root_ = PyList_New(0);
        for (size_t i = 0; i < kRings; ++i) {
            PyObject* a = new_instance(type);
            PyObject* b = new_instance(type);
            slots_of(a)[0] = Py_NewRef(b);
            slots_of(b)[0] = Py_NewRef(a);
            slots_of(a)[1] = Py_NewRef(held);
            slots_of(b)[1] = Py_NewRef(held);
            ASSERT_EQ(PyList_Append(root_, a), 0);
            Py_DECREF(a);
            Py_DECREF(b);
        }
    }
    void expect_rings_to_live_and_die(PyObject* held) {
        const Py_ssize_t count = Py_REFCNT(held);
        make_rings(held);
        const size_t before = instances_deallocated();
        EXPECT_EQ(PyGC_Collect(), 0);
        EXPECT_EQ(instances_deallocated(), before);
        Py_DECREF(root_);
        EXPECT_EQ(PyGC_Collect(), static_cast<Py_ssize_t>(2 * kRings));
        EXPECT_EQ(instances_deallocated(), before + 2 * kRings);
        EXPECT_EQ(Py_REFCNT(held), count);
    }
    PyObject* root_ = nullptr;
};

TEST_P(ReferencesToWhatIsNotTracked, Atoms) {
    PyObject* number = PyLong_FromLong(1'000'000'007);
    expect_rings_to_live_and_die(number);
    EXPECT_EQ(PyLong_AsLong(number), 1'000'000'007);
    Py_DECREF(number);
    PyObject* text = PyUnicode_FromString("a text of some length, no shared one");
    expect_rings_to_live_and_die(text);
    EXPECT_STREQ(PyUnicode_AsUTF8(text), "a text of some length, no shared one");
    Py_DECREF(text);
}

TEST_P(ReferencesToWhatIsNotTracked, StaticTypesAndSingletons) {
    for (PyObject* held :
         {reinterpret_cast<PyObject*>(&PyList_Type), reinterpret_cast<PyObject*>(&PyType_Type),
          reinterpret_cast<PyObject*>(workloads::instance_type(2)), Py_None, Py_True,
          PyLong_FromLong(7)}) {
        expect_rings_to_live_and_die(held);
    }
}

// What an untracked container refers to lives: nobody can see that the container is garbage.
TEST_P(ReferencesToWhatIsNotTracked, UntrackedContainers) {
    PyObject* hidden = PyList_New(0);
    PyObject* seen = new_instance(workloads::instance_type(1));
    slots_of(seen)[0] = Py_NewRef(seen);
    ASSERT_EQ(PyList_Append(hidden, seen), 0);
    Py_DECREF(seen);
    PyObject_GC_UnTrack(hidden);
    expect_rings_to_live_and_die(hidden);
    EXPECT_EQ(Py_REFCNT(seen), 2);
    PyObject_GC_Track(hidden);
    Py_DECREF(hidden);
    EXPECT_EQ(PyGC_Collect(), 1);
}

// The garbage's references are the only ones: the atoms die with it.
TEST_P(ReferencesToWhatIsNotTracked, AtomsThatOnlyGarbageHolds) {
    static size_t freed;
    freed = 0;
    static PyTypeObject atom_type = [] {
        PyTypeObject type{};
        type.ob_base = {{OURO_BIASED_IMMORTAL, 0, nullptr}, 0};
        type.tp_name = "oracle.Atom";
        type.tp_basicsize = sizeof(PyObject);
        type.tp_flags = Py_TPFLAGS_DEFAULT;
        type.tp_dealloc = [](PyObject* op) {
            ++freed;
            PyObject_Free(op);
        };
        return type;
    }();
    ASSERT_EQ(PyType_Ready(&atom_type), 0);
    PyObject* dict = PyDict_New();
    PyObject* tuple = PyTuple_New(2);
    for (Py_ssize_t i = 0; i < 2; ++i) {
        PyTuple_SET_ITEM(tuple, i, PyObject_New(PyObject, &atom_type));
    }
    PyObject* atom = PyObject_New(PyObject, &atom_type);
    ASSERT_EQ(PyDict_SetItem(dict, atom, dict), 0);
    ASSERT_EQ(PyDict_SetItemString(dict, "tuple", tuple), 0);
    Py_DECREF(atom);
    Py_DECREF(tuple);
    Py_DECREF(dict);
    EXPECT_EQ(freed, 0u);
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_EQ(freed, 3u);
}
OURO_TEST_EACH_POLICY(ReferencesToWhatIsNotTracked);

}  // namespace
}  // namespace ouro::test
