// A container that is not traversed hides what it holds: the collector cannot know that it is
// garbage. A weak reference to it that is garbage itself is dead before any clear, so its callback
// cannot run in the middle of the dismantling. Source: CPython's bpo-38006 and its
// test_trash_weakref_clear.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

struct Opaque {
    PyObject ob_base;
    PyObject* value;
};

PyTypeObject OpaqueType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Opaque",
    .tp_basicsize = sizeof(Opaque),
    .tp_dealloc =
        [](PyObject* op) {
            Py_CLEAR(reinterpret_cast<Opaque*>(op)->value);
            Py_TYPE(op)->tp_free(op);
        },
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

class Hidden : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        ASSERT_EQ(PyType_Ready(&OpaqueType), 0);
    }
    // Steals.
    static PyObject* hide(PyObject* op) {
        auto* self = PyObject_New(Opaque, &OpaqueType);
        self->value = op;
        return object(self);
    }
};

// a refers to itself, to z through the opaque container, and to the weak reference to z; a second
// cycle keeps the weak reference until after z's death, whichever is cleared first.
TEST_P(Hidden, TheCallbackDoesNotRun) {
    for (const bool second_first : {false, true}) {
        record.calls.clear();
        PyObject* list = second_first ? PyList_New(0) : nullptr;
        PyObject* z = new_thing(26);
        PyObject* a = new_thing(1);
        PyObject* opaque = hide(z);
        PyObject* reference = watched(z, 7);
        refer(a, 0, a);
        refer(a, 1, opaque);
        refer(a, 2, reference);
        if (list == nullptr) {
            list = PyList_New(0);
        }
        PyList_Append(list, reference);
        PyList_Append(list, list);
        record.on_clear = [&](Thing*) {
            EXPECT_EQ(PyWeakref_GetObject(reference), Py_None);
            return true;
        };
        drop({opaque, reference, a, list});
        EXPECT_EQ(PyGC_Collect(), 4) << "a, the list, the weak reference, its callback";
        EXPECT_EQ(record.count(Call::kCallback), 0);
        EXPECT_EQ(record.count(Call::kDealloc, 26), 1);
        EXPECT_EQ(record.live, 0);
        record.on_clear = nullptr;
    }
}

TEST_P(Hidden, ALivingWeakReferenceCallsBack) {
    PyObject* z = new_thing(26);
    PyObject* a = new_thing(1);
    PyObject* opaque = hide(z);
    PyObject* reference = watched(z, 7);
    refer(a, 0, a);
    refer(a, 1, opaque);
    drop({opaque, a});
    EXPECT_EQ(PyGC_Collect(), 1);
    EXPECT_TRUE(is_dead(reference));
    EXPECT_EQ(record.count(Call::kCallback), 1);
    Py_DECREF(reference);
}

// What is hidden is not garbage for the collector: a cycle through it is never found.
TEST_P(Hidden, ACycleThroughItIsNotFound) {
    PyObject* z = new_thing(26);
    PyObject* opaque = hide(Py_NewRef(z));
    refer(z, 0, opaque);
    Py_DECREF(opaque);
    Py_DECREF(z);
    EXPECT_EQ(PyGC_Collect(), 0);
    EXPECT_EQ(record.live, 1);
    Py_INCREF(z);  // broken by hand
    drop_slots(z);
    Py_DECREF(z);
    EXPECT_EQ(record.live, 0);
}

EVERY_RUNTIME(Hidden);

}  // namespace
}  // namespace ouro::test
