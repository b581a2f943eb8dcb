// Watchers are told of changes of the types that they watch, and of their bases; a frozen type does not change. Source:
// "Type Objects", PyType_AddWatcher, PyType_Freeze.

#include "tests/contract/text.hpp"

namespace ouro::test {
namespace {

using Watching = Things;

std::vector<PyObject*> told;  // borrowed

PyObject* new_class(Kept& kept, PyObject* base) {
    return kept(
        PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(O){}", "Class", base));
}

TEST_P(Watching, TellsOfChanges) {
    {
        Kept kept;
        PyObject* base = new_class(kept, reinterpret_cast<PyObject*>(&PyBaseObject_Type));
        PyObject* derived = new_class(kept, base);
        PyObject* other = new_class(kept, base);
        const int id = PyType_AddWatcher([](PyObject* type) {
            told.push_back(type);
            return 0;
        });
        ASSERT_GE(id, 0);
        ASSERT_EQ(PyType_Watch(id, derived), 0);
        told.clear();
        ASSERT_EQ(PyObject_SetAttrString(derived, "a", Py_None), 0);
        EXPECT_THAT(told, testing::Contains(derived));
        told.clear();
        ASSERT_EQ(PyObject_SetAttrString(base, "a", Py_None), 0);
        EXPECT_THAT(told, testing::Contains(derived));
        told.clear();
        ASSERT_EQ(PyObject_SetAttrString(other, "a", Py_None), 0);
        EXPECT_TRUE(told.empty());
        ASSERT_EQ(PyType_Unwatch(id, derived), 0);
        ASSERT_EQ(PyObject_SetAttrString(derived, "b", Py_None), 0);
        EXPECT_TRUE(told.empty());
        EXPECT_EQ(PyType_Watch(id, Py_None), -1);
        EXPECT_EQ(take_error().type, "ValueError");
        EXPECT_EQ(PyType_ClearWatcher(id), 0);
        EXPECT_EQ(PyType_Watch(id, derived), -1);
        EXPECT_EQ(take_error().type, "ValueError");
        EXPECT_EQ(PyUnstable_Type_AssignVersionTag(reinterpret_cast<PyTypeObject*>(derived)), 1);
    }
    EXPECT_GT(PyGC_Collect(), 0) << "a class is in cycles with its dictionary";
}

TEST_P(Watching, IsNotNeededForWhatIsFrozen) {
    {
        Kept kept;
        PyObject* base = new_class(kept, reinterpret_cast<PyObject*>(&PyBaseObject_Type));
        PyObject* derived = new_class(kept, base);
        EXPECT_EQ(PyType_Freeze(reinterpret_cast<PyTypeObject*>(derived)), -1);
        EXPECT_EQ(take_error().type, "TypeError") << "its base can be changed";
        ASSERT_EQ(PyType_Freeze(reinterpret_cast<PyTypeObject*>(base)), 0);
        ASSERT_EQ(PyType_Freeze(reinterpret_cast<PyTypeObject*>(derived)), 0);
        EXPECT_EQ(PyObject_SetAttrString(derived, "a", Py_None), -1);
        EXPECT_EQ(take_error().type, "TypeError");
    }
    EXPECT_GT(PyGC_Collect(), 0) << "a class is in cycles with its dictionary";
}

EVERY_WAY_OF_COUNTING(Watching);

}  // namespace
}  // namespace ouro::test
