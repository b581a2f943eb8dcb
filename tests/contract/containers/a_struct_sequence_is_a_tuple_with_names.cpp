// A struct sequence is a tuple whose items have names; fields beyond those are attributes alone, and are traversed like
// the rest. Source: "Struct Sequence Objects".

#include "tests/contract/text.hpp"

namespace ouro::test {
namespace {

using StructSequences = Things;

PyStructSequence_Field fields[] = {{"a", "the first"},
                                   {PyStructSequence_UnnamedField, nullptr},
                                   {"c", nullptr},
                                   {"hidden", nullptr},
                                   {nullptr, nullptr}};
PyStructSequence_Desc desc = {"contract.three", "Three.", fields, 3};

PyObject* filled(PyTypeObject* type) {
    PyObject* op = PyStructSequence_New(type);
    for (int i = 0; i < 4; ++i) {
        PyStructSequence_SET_ITEM(op, i, PyLong_FromLong(i));
    }
    return op;
}

TEST_P(StructSequences, HaveItemsAndNames) {
    {
        Kept kept;
        PyTypeObject* type = PyStructSequence_NewType(&desc);
        PyObject* op = kept(filled(type));
        Py_DECREF(type);
        EXPECT_TRUE(PyTuple_Check(op));
        EXPECT_EQ(PyTuple_GET_SIZE(op), 3);
        EXPECT_EQ(shown(PyObject_GetAttrString(op, "c")), "2");
        EXPECT_EQ(shown(PyObject_GetAttrString(op, "hidden")), "3");
        EXPECT_EQ(PyLong_AsLong(PyStructSequence_GetItem(op, 3)), 3);
        EXPECT_EQ(PyObject_SetAttrString(op, "a", Py_None), -1);
        EXPECT_EQ(take_error().type, "AttributeError");
        EXPECT_EQ(shown(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(op)),
                                               "n_unnamed_fields")),
                  "1");
        PyObject* tuple = kept(PySequence_Tuple(op));
        EXPECT_EQ(PyObject_RichCompareBool(op, tuple, Py_EQ), 1);
        EXPECT_EQ(PyObject_Hash(op), PyObject_Hash(tuple));
    }
    EXPECT_GT(PyGC_Collect(), 0) << "the type is in cycles with its dictionary";
}

TEST_P(StructSequences, OfAStaticTypeAreMadeOnceTheTypeIsReady) {
    static PyTypeObject type;
    static PyStructSequence_Field two[] = {{"x", nullptr}, {"y", nullptr}, {nullptr, nullptr}};
    static PyStructSequence_Desc pair = {"contract.pair", nullptr, two, 2};
    ASSERT_EQ(PyStructSequence_InitType2(&type, &pair), 0);
    PyStructSequence_InitType(&type, &pair);  // a second time: nothing
    Kept kept;
    PyObject* op = kept(PyStructSequence_New(&type));
    PyStructSequence_SetItem(op, 0, PyLong_FromLong(7));
    PyStructSequence_SetItem(op, 1, PyUnicode_FromString("z"));
    EXPECT_EQ(shown(PyObject_Repr(op)), "\"contract.pair(x=7, y='z')\"");
}

TEST_P(StructSequences, AreCollectedWithWhatNoItemHolds) {
    PyTypeObject* type = PyStructSequence_NewType(&desc);
    PyObject* op = filled(type);
    PyObject* list = PyList_New(0);
    Py_DECREF(PyStructSequence_GetItem(op, 3));
    PyStructSequence_SetItem(op, 3, list);
    PyList_Append(list, op);
    PyGC_Collect();
    EXPECT_EQ(PyList_Size(PyStructSequence_GetItem(op, 3)), 1) << "it is alive";
    Py_DECREF(op);
    EXPECT_EQ(PyGC_Collect(), 2);
    Py_DECREF(type);
    EXPECT_GT(PyGC_Collect(), 0) << "the type is in cycles with its dictionary";
}

EVERY_WAY_OF_COUNTING(StructSequences);

}  // namespace
}  // namespace ouro::test
