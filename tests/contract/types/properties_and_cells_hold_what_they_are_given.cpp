// A property calls the functions that it was made of, and a cell holds one object; both are collected in cycles.
// Source: "Built-in Functions", property; "Cell Objects"; "Instance Method Objects"; PyMethod_GET_FUNCTION, PyMethod_GET_SELF.

#include "tests/contract/text.hpp"

namespace ouro::test {
namespace {

using Holders = Things;

TEST_P(Holders, CellsHoldOneObject) {
    Kept kept;
    PyObject* text = kept.str("x");
    PyObject* op = kept(PyCell_New(nullptr));
    EXPECT_TRUE(PyCell_Check(op));
    EXPECT_EQ(PyCell_Get(op), nullptr);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    EXPECT_EQ(PyCell_Set(op, text), 0);
    EXPECT_EQ(kept(PyCell_Get(op)), text);
    EXPECT_EQ(PyCell_GET(op), text);
    EXPECT_EQ(PyCell_Set(text, op), -1);
    EXPECT_EQ(take_error().type, "SystemError");
    EXPECT_EQ(PyCell_Get(text), nullptr);
    EXPECT_EQ(take_error().type, "SystemError");
}

TEST_P(Holders, CellsInCyclesAreCollected) {
    PyObject* op = PyCell_New(nullptr);
    PyObject* list = PyList_New(0);
    PyList_Append(list, op);
    PyCell_SET(op, list);
    PyGC_Collect();
    Py_DECREF(op);
    EXPECT_EQ(PyGC_Collect(), 2);
}

TEST_P(Holders, PropertiesCallTheirFunctions) {
    {
        Kept kept;
        PyObject* type = reinterpret_cast<PyObject*>(&PyType_Type);
        PyObject* property = kept(PyObject_CallOneArg(
            reinterpret_cast<PyObject*>(&PyProperty_Type),
            reinterpret_cast<PyObject*>(&PyType_Type)));  // type(op) is the class
        PyObject* owner = kept(PyObject_CallFunction(
            type, "s(O){s:O}", "Owner", reinterpret_cast<PyObject*>(&PyBaseObject_Type), "kind",
            property));
        PyObject* op = kept(PyObject_CallNoArgs(owner));
        EXPECT_EQ(kept(PyObject_GetAttrString(op, "kind")), owner);
        EXPECT_EQ(PyObject_SetAttrString(op, "kind", op), -1);
        EXPECT_EQ(taken_error(), "AttributeError: property 'kind' of 'Owner' object has no setter");
        EXPECT_EQ(kept(PyObject_GetAttrString(owner, "kind")), property);
    }
    EXPECT_GT(PyGC_Collect(), 0) << "a class is in cycles with its dictionary";
}

TEST_P(Holders, MethodsHaveTheirParts) {
    Kept kept;
    PyObject* self = kept.str("self");
    PyObject* function = reinterpret_cast<PyObject*>(&PyUnicode_Type);
    PyObject* op = kept(PyMethod_New(function, self));
    EXPECT_EQ(PyMethod_GET_FUNCTION(op), function);
    EXPECT_EQ(PyMethod_GET_SELF(op), self);
    EXPECT_TRUE(PyType_CheckExact(function));
    EXPECT_TRUE(PyType_IS_GC(&PyList_Type));
    EXPECT_FALSE(PyType_IS_GC(&PyUnicode_Type));
}

TEST_P(Holders, InstanceMethodsBindWhateverCanBeCalled) {
    Kept kept;
    PyObject* function = reinterpret_cast<PyObject*>(&PyType_Type);  // no descriptor
    PyObject* op = kept(PyInstanceMethod_New(function));
    EXPECT_TRUE(PyInstanceMethod_Check(op));
    EXPECT_EQ(PyInstanceMethod_Function(op), function);
    EXPECT_EQ(PyInstanceMethod_GET_FUNCTION(op), function);
    PyObject* self = kept.str("self");
    PyObject* bound = kept(Py_TYPE(op)->tp_descr_get(op, self, nullptr));
    EXPECT_EQ(PyMethod_GET_SELF(bound), self);
    EXPECT_EQ(kept(PyObject_CallNoArgs(bound)), reinterpret_cast<PyObject*>(&PyUnicode_Type));
    EXPECT_EQ(kept(Py_TYPE(op)->tp_descr_get(op, nullptr, nullptr)), function);
    EXPECT_EQ(PyInstanceMethod_Function(self), nullptr);
    EXPECT_EQ(take_error().type, "SystemError");
}

EVERY_WAY_OF_COUNTING(Holders);

}  // namespace
}  // namespace ouro::test
