// PyErr_WriteUnraisable hands the exception that is set to the hook and clears it, and
// PyErr_FormatUnraisable with a text instead of an object; the first hook prints. PyErr_Print prints and
// clears. Source: "Exception Handling", PyErr_WriteUnraisable, PyErr_FormatUnraisable, PyErr_Print;
// "sys", unraisablehook.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Reporting = Things;

TEST_P(Reporting, ToTheHook) {
    PyObject* op = new_thing(1);
    PyErr_SetString(PyExc_ValueError, "lost");
    PyErr_WriteUnraisable(op);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    ASSERT_EQ(record.unraisable.size(), 1u);
    EXPECT_EQ(record.unraisable[0].where, op);
    EXPECT_THAT(take_unraisable(), testing::ElementsAre("ValueError: lost"));
    Py_DECREF(op);
}

TEST_P(Reporting, WithoutAnObject) {
    PyErr_SetNone(PyExc_ValueError);
    PyErr_WriteUnraisable(nullptr);
    ASSERT_EQ(record.unraisable.size(), 1u);
    EXPECT_EQ(record.unraisable[0].where, nullptr);
    EXPECT_THAT(take_unraisable(), testing::ElementsAre("ValueError: "));
}

TEST_P(Reporting, NothingWhenNothingIsSet) {
    PyErr_WriteUnraisable(nullptr);
    EXPECT_THAT(record.unraisable, testing::IsEmpty());
}

TEST_P(Reporting, TheValueIsLetGo) {
    PyObject* value = new_thing(1);
    PyErr_SetObject(PyExc_ValueError, value);
    Py_DECREF(value);
    PyErr_WriteUnraisable(nullptr);
    EXPECT_EQ(record.live, 0);
    record.unraisable.clear();
}

TEST_P(Reporting, TheFirstHookPrints) {
    Ouro_SetUnraisableHook(nullptr, nullptr);
    PyObject* op = new_thing(1);
    testing::internal::CaptureStderr();
    PyErr_SetString(PyExc_ValueError, "lost");
    PyErr_WriteUnraisable(op);
    PyErr_SetString(PyExc_KeyError, "nowhere");
    PyErr_WriteUnraisable(nullptr);
    char where[64];
    std::snprintf(where, sizeof where, "<contract.Thing object at %p>", static_cast<void*>(op));
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              std::string("Exception ignored in: ") + where +
                  "\nValueError: lost\nKeyError: 'nowhere'\n");
    Py_DECREF(op);
}

TEST_P(Reporting, TheFirstHookPrintsATextInstead) {
    Ouro_SetUnraisableHook(nullptr, nullptr);
    testing::internal::CaptureStderr();
    PyErr_SetString(PyExc_ValueError, "lost");
    PyErr_FormatUnraisable("Exception ignored in step %d of %s", 2, "it");
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    PyErr_SetNone(PyExc_ValueError);
    PyErr_FormatUnraisable(nullptr);
    PyErr_FormatUnraisable("nothing is set");
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "Exception ignored in step 2 of it:\nValueError: lost\nValueError: \n");
}

TEST_P(Reporting, ATextIsNotTheHooks) {
    PyErr_SetString(PyExc_ValueError, "lost");
    PyErr_FormatUnraisable("Exception ignored in it");
    ASSERT_EQ(record.unraisable.size(), 1u);
    EXPECT_EQ(record.unraisable[0].where, nullptr);
    EXPECT_THAT(take_unraisable(), testing::ElementsAre("ValueError: lost"));
}

TEST_P(Reporting, PrintPrintsAndClears) {
    testing::internal::CaptureStderr();
    PyErr_SetString(PyExc_ValueError, "said");
    PyErr_Print();
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "ValueError: said\n");
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    EXPECT_THAT(record.unraisable, testing::IsEmpty()) << "that is not the hook's";
}

EVERY_RUNTIME(Reporting);

}  // namespace
}  // namespace ouro::test
