// tp_traverse calls visit for each object that self owns, as often as it owns it and for nothing
// else, and returns at once what visit returns if that is not 0. Source: "Supporting Cyclic
// Garbage Collection", traverseproc, visitproc, Py_VISIT; CPython's test_get_referents.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Traversal = Things;

struct Visits {
    std::vector<PyObject*> objects;
    size_t stop_at = SIZE_MAX;
};

// -7, or another value that is not 0, at the stop_at-th object.
int visit(PyObject* op, void* arg) {
    auto* visits = static_cast<Visits*>(arg);
    visits->objects.push_back(op);
    return visits->objects.size() == visits->stop_at ? -7 : 0;
}

std::vector<PyObject*> referents(PyObject* op) {
    Visits visits;
    EXPECT_EQ(Py_TYPE(op)->tp_traverse(op, visit, &visits), 0);
    return visits.objects;
}

// What an early end must show: exactly n calls, and visit's own value.
void expect_early_ends(PyObject* op) {
    const size_t all = referents(op).size();
    for (size_t n = 1; n <= all; ++n) {
        Visits visits{{}, n};
        EXPECT_EQ(Py_TYPE(op)->tp_traverse(op, visit, &visits), -7) << Py_TYPE(op)->tp_name;
        EXPECT_EQ(visits.objects.size(), n) << Py_TYPE(op)->tp_name;
    }
}

TEST_P(Traversal, OfAListAndATuple) {
    PyObject* a = new_thing(1);
    PyObject* b = new_thing(2);
    PyObject* list = PyList_New(0);
    PyObject* tuple = PyTuple_New(3);
    PyObject* items[] = {a, b, a};
    for (Py_ssize_t i = 0; i < 3; ++i) {
        PyList_Append(list, items[i]);
        PyTuple_SetItem(tuple, i, Py_NewRef(items[i]));
    }
    EXPECT_THAT(referents(list), testing::UnorderedElementsAre(a, b, a))
        << "twice what it owns twice";
    EXPECT_THAT(referents(tuple), testing::UnorderedElementsAre(a, b, a));
    expect_early_ends(list);
    expect_early_ends(tuple);
    drop({list, tuple, a, b});
}

TEST_P(Traversal, OfADict) {
    PyObject* key = new_thing(1);
    PyObject* value = new_thing(2);
    PyObject* dict = PyDict_New();
    ASSERT_EQ(PyDict_SetItem(dict, key, value), 0);
    ASSERT_EQ(PyDict_SetItem(dict, Py_True, key), 0);
    EXPECT_THAT(referents(dict), testing::IsSupersetOf({key, value, key})) << "keys and values";
    expect_early_ends(dict);
    ASSERT_EQ(PyDict_DelItem(dict, key), 0);
    EXPECT_THAT(referents(dict), testing::Not(testing::Contains(value)));
    drop({dict, key, value});
}

TEST_P(Traversal, OfAnAuthorsType) {
    PyObject* a = new_thing(1);
    PyObject* b = new_thing(2);
    PyObject* op = new_thing(3);
    refer(op, 0, a);
    refer(op, 2, b);
    EXPECT_THAT(referents(op), testing::ElementsAre(a, b)) << "Py_VISIT leaves NULL out";
    expect_early_ends(op);
    drop({op, a, b});
}

TEST_P(Traversal, OfAnEmptyContainer) {
    const std::vector<PyObject*> empty = {PyList_New(0), PyList_New(3), PyTuple_New(2),
                                          PyDict_New(), new_thing()};
    for (PyObject* op : empty) {
        EXPECT_THAT(referents(op), testing::IsEmpty()) << Py_TYPE(op)->tp_name;
    }
    drop(empty);
}

TEST_P(Traversal, OfAWeakReferenceIsItsCallbackAlone) {
    PyObject* op = new_thing(1);
    PyObject* call = new_callback(1);
    PyObject* reference = PyWeakref_NewRef(op, call);
    PyObject* plain = PyWeakref_NewRef(op, nullptr);
    EXPECT_THAT(referents(reference), testing::ElementsAre(call));
    EXPECT_THAT(referents(plain), testing::IsEmpty());
    expect_early_ends(reference);
    drop({reference, plain, call, op});
}

TEST_P(Traversal, OfACFunctionIsItsSelfAndModule) {
    static PyMethodDef method = {"f", [](PyObject*, PyObject*) { return Py_None; }, METH_NOARGS,
                                 nullptr};
    PyObject* self = new_thing(1);
    PyObject* module = PyUnicode_FromString("module");
    PyObject* function = PyCFunction_NewEx(&method, self, module);
    EXPECT_THAT(referents(function), testing::UnorderedElementsAre(self, module));
    expect_early_ends(function);
    drop({function, self, module});
}

TEST_P(Traversal, ChangesNothing) {
    PyObject* op = new_thing(1);
    PyObject* inner = new_thing(2);
    refer(op, 0, inner);
    for (int i = 0; i < 3; ++i) {
        referents(op);
    }
    EXPECT_EQ(Py_REFCNT(op), 1);
    EXPECT_EQ(Py_REFCNT(inner), 2);
    drop({op, inner});
}

EVERY_RUNTIME(Traversal);

}  // namespace
}  // namespace ouro::test
