// None and NotImplemented hash by identity, as every object does whose type says nothing else, and
// so can be keys of a dict. Source: "Common Object Structures" and "Type Objects", tp_hash.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Singletons = Things;

TEST_P(Singletons, AreKeys) {
    PyObject* dict = PyDict_New();
    EXPECT_EQ(PyDict_SetItem(dict, Py_None, Py_True), 0);
    EXPECT_EQ(PyDict_SetItem(dict, Py_NotImplemented, Py_False), 0);
    EXPECT_EQ(PyDict_GetItem(dict, Py_None), Py_True);
    EXPECT_EQ(PyDict_GetItem(dict, Py_NotImplemented), Py_False);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    PyErr_Clear();
    Py_DECREF(dict);
}

EVERY_RUNTIME(Singletons);

}  // namespace
}  // namespace ouro::test
