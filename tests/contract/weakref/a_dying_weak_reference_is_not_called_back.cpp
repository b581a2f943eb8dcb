// Weak references, PyWeakref_NewRef: a callback is called with a weak reference that is alive. One
// whose own deallocation has begun, but waits because it is nested deep, still hangs in its object's
// list when a collection finds the object to be garbage; it must not be revived.
#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

void collect_at_death(PyObject* op) {
    PyGC_Collect();
    PyObject_Free(op);
}

// No container, so its deallocation is never put off.
PyTypeObject CollectingAtomType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.CollectingAtom",
    .tp_basicsize = sizeof(PyObject),
    .tp_dealloc = collect_at_death,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

class DyingWeakReference : public Things {};

TEST_P(DyingWeakReference, IsNotRevivedByACollection) {
    ASSERT_EQ(PyType_Ready(&CollectingAtomType), 0);
    PyObject* garbage = new_thing(1);
    refer(garbage, 0, garbage);
    PyObject* callback = new_callback(7);
    // A list drops its last item first: the weak reference, whose deallocation is put off if the list
    // is at the greatest depth that is not; then the atom, which collects.
    for (int depth = 40; depth <= 60; ++depth) {
        PyObject* nested = PyList_New(2);
        PyList_SetItem(nested, 0, PyObject_New(PyObject, &CollectingAtomType));
        PyList_SetItem(nested, 1, PyWeakref_NewRef(garbage, callback));
        for (int i = 0; i < depth; ++i) {
            PyObject* outer = PyList_New(1);
            PyList_SetItem(outer, 0, nested);
            nested = outer;
        }
        PyObject* fresh = new_thing(depth);
        refer(fresh, 0, fresh);
        Py_SETREF(garbage, fresh);  // what was garbage's is only its own now
        Py_DECREF(nested);
    }
    EXPECT_EQ(record.count(Call::kCallback), 0);
    Py_DECREF(garbage);
    Py_DECREF(callback);
    PyGC_Collect();
    EXPECT_EQ(record.live, 0);
}

EVERY_RUNTIME(DyingWeakReference);

}  // namespace
}  // namespace ouro::test
