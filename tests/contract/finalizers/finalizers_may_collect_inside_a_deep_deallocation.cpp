// Deallocations that were put off are invisible to a collection that begins meanwhile: finalizers
// deep in a nest may collect, as often as they like. Source: "Type Objects", tp_dealloc and the
// trashcan; CPython's test_trashcan, where __del__ calls gc.collect() in nested containers.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Nested = Things;

// Things inside lists, tuples and dicts in turn, `depth` of them; only the outermost is the
// caller's.
PyObject* nest(int depth, PyTypeObject* type) {
    PyObject* inner = Py_NewRef(Py_None);
    for (int i = 0; i < depth; ++i) {
        PyObject* op = new_thing(i, type);
        thing(op)->slots[0] = inner;
        switch (i % 3) {
            case 0:
                inner = PyList_New(1);
                PyList_SetItem(inner, 0, op);
                break;
            case 1:
                inner = PyTuple_New(1);
                PyTuple_SetItem(inner, 0, op);
                break;
            default:
                inner = PyDict_New();
                PyDict_SetItem(inner, Py_True, op);
                Py_DECREF(op);
        }
    }
    return inner;
}

TEST_P(Nested, EveryFinalizerCollects) {
    record.on_finalize = [](Thing*) { PyGC_Collect(); };
    Py_DECREF(nest(300, &FinalThingType));
    EXPECT_EQ(record.count(Call::kFinalize), 300);
    EXPECT_EQ(record.count(Call::kDealloc), 300);
    EXPECT_EQ(record.live, 0);
    EXPECT_GE(record.cycles.size(), 300u);
}

TEST_P(Nested, EveryDeallocationCollects) {
    record.on_dealloc = [](Thing*) { PyGC_Collect(); };
    Py_DECREF(nest(300, &ThingType));
    EXPECT_EQ(record.count(Call::kDealloc), 300);
}

TEST_P(Nested, AndMakesGarbage) {
    Py_ssize_t found = 0;
    record.on_finalize = [&](Thing* self) {
        drop_ring(2, &ThingType, 1000);
        if (self->id % 10 == 0) {
            found += PyGC_Collect();
        }
    };
    Py_DECREF(nest(300, &FinalThingType));
    found += PyGC_Collect();
    EXPECT_EQ(found, 600);
    EXPECT_EQ(record.live, 0);
}

// One that was put off is still revived by its finalizer, tracked as before.
TEST_P(Nested, AndRevivesWhatWasPutOff) {
    std::vector<PyObject*> saved;
    record.on_finalize = [&](Thing* self) {
        PyGC_Collect();
        if (self->id == 100) {
            saved.push_back(Py_NewRef(object(self)));
        }
    };
    Py_DECREF(nest(300, &FinalThingType));
    ASSERT_EQ(saved.size(), 1u);
    EXPECT_TRUE(PyObject_GC_IsTracked(saved[0]));
    EXPECT_EQ(record.live, 101) << "it and all below it";
    drop(saved);
    EXPECT_EQ(record.live, 0);
    EXPECT_EQ(record.count(Call::kFinalize), 300);
}

// The nest is garbage of a collection: its finalizers ran before, and ask in vain.
TEST_P(Nested, InsideACollection) {
    Py_ssize_t found = 0;
    record.on_finalize = [&](Thing*) { found += PyGC_Collect(); };
    PyObject* list = PyList_New(0);
    PyObject* inner = nest(300, &FinalThingType);
    PyList_Append(list, list);
    PyList_Append(list, inner);
    drop({inner, list});
    EXPECT_EQ(PyGC_Collect(), 601);
    EXPECT_EQ(found, 0);
    EXPECT_EQ(record.live, 0);
}

// Weak references to what was put off are dead, or die, but never give the dying object.
TEST_P(Nested, WeakReferencesDoNotReachWhatWasPutOff) {
    PyObject* outer = nest(200, &ThingType);
    std::vector<PyObject*> references;
    for (PyObject* op = outer; op != Py_None;) {
        PyObject* found = PyList_Check(op)    ? PyList_GetItem(op, 0)
                          : PyTuple_Check(op) ? PyTuple_GetItem(op, 0)
                                              : PyDict_GetItem(op, Py_True);
        references.push_back(PyWeakref_NewRef(found, nullptr));
        op = thing(found)->slots[0];
    }
    record.on_dealloc = [&](Thing*) {
        for (PyObject* reference : references) {
            PyObject* found = nullptr;
            if (PyWeakref_GetRef(reference, &found) == 1) {
                EXPECT_GT(Py_REFCNT(found), 1);
                Py_DECREF(found);
            }
        }
    };
    Py_DECREF(outer);
    EXPECT_EQ(record.count(Call::kDealloc), 200);
    drop(references);
}

EVERY_RUNTIME(Nested);

}  // namespace
}  // namespace ouro::test
