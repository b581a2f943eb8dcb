// A capsule gives its pointer to who knows its name, and calls its destructor once when it dies;
// it is not tracked. Source: "Capsules", PyCapsule_New, GetPointer, GetName, GetContext,
// SetContext, IsValid.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Capsules = Things;

int carried = 42;
int destroyed = 0;

void destroy(PyObject* capsule) {
    ++destroyed;
    EXPECT_EQ(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)), &carried) << "still whole";
    EXPECT_EQ(PyCapsule_GetContext(capsule), &destroyed);
}

TEST_P(Capsules, GiveTheirPointerToWhoKnowsTheName) {
    PyObject* capsule = PyCapsule_New(&carried, "contract.value", nullptr);
    ASSERT_NE(capsule, nullptr);
    EXPECT_TRUE(PyCapsule_CheckExact(capsule));
    EXPECT_EQ(PyCapsule_GetPointer(capsule, "contract.value"), &carried);
    const std::string copy = "contract.value";
    EXPECT_EQ(PyCapsule_GetPointer(capsule, copy.c_str()), &carried)
        << "names are compared as text";
    for (const char* wrong : {"contract.valu", "contract.value2", "", (const char*)nullptr}) {
        EXPECT_EQ(PyCapsule_IsValid(capsule, wrong), 0);
        EXPECT_EQ(PyErr_Occurred(), nullptr) << "asking never fails";
        EXPECT_EQ(PyCapsule_GetPointer(capsule, wrong), nullptr);
        expect_raised(PyExc_ValueError);
    }
    EXPECT_EQ(PyCapsule_IsValid(capsule, "contract.value"), 1);
    EXPECT_STREQ(PyCapsule_GetName(capsule), "contract.value");
    Py_DECREF(capsule);
}

TEST_P(Capsules, MayHaveNoName) {
    PyObject* capsule = PyCapsule_New(&carried, nullptr, nullptr);
    EXPECT_EQ(PyCapsule_GetPointer(capsule, nullptr), &carried);
    EXPECT_EQ(PyCapsule_GetName(capsule), nullptr);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    EXPECT_EQ(PyCapsule_GetPointer(capsule, ""), nullptr) << "an empty name is a name";
    expect_raised(PyExc_ValueError);
    Py_DECREF(capsule);
}

TEST_P(Capsules, CallTheirDestructorOnce) {
    destroyed = 0;
    PyObject* capsule = PyCapsule_New(&carried, "contract.value", destroy);
    EXPECT_EQ(PyCapsule_GetContext(capsule), nullptr);
    EXPECT_EQ(PyCapsule_SetContext(capsule, &destroyed), 0);
    EXPECT_EQ(PyCapsule_GetContext(capsule), &destroyed);
    EXPECT_EQ(destroyed, 0);
    Py_DECREF(capsule);
    EXPECT_EQ(destroyed, 1);
}

TEST_P(Capsules, AreNotTracked) {
    PyObject* capsule = PyCapsule_New(&carried, nullptr, nullptr);
    EXPECT_EQ(PyObject_IS_GC(capsule), 0);
    EXPECT_EQ(PyObject_GC_IsTracked(capsule), 0);
    Py_DECREF(capsule);
}

TEST_P(Capsules, DieWithTheGarbageThatHoldsThem) {
    destroyed = 0;
    PyObject* capsule = PyCapsule_New(&carried, "contract.value", destroy);
    PyCapsule_SetContext(capsule, &destroyed);
    PyObject* op = new_thing();
    refer(op, 0, op);
    refer(op, 1, capsule);
    drop({capsule, op});
    EXPECT_EQ(PyGC_Collect(), 1) << "the capsule is not counted";
    EXPECT_EQ(destroyed, 1);
}

TEST_P(Capsules, NeedAPointer) {
    EXPECT_EQ(PyCapsule_New(nullptr, "name", nullptr), nullptr);
    expect_raised(PyExc_ValueError);
}

TEST_P(Capsules, AreNotOtherObjects) {
    PyObject* op = new_thing();
    EXPECT_EQ(PyCapsule_IsValid(op, nullptr), 0);
    EXPECT_EQ(PyCapsule_IsValid(nullptr, nullptr), 0);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    EXPECT_EQ(PyCapsule_GetPointer(op, nullptr), nullptr);
    expect_raised(PyExc_ValueError);
    EXPECT_EQ(PyCapsule_GetName(op), nullptr);
    expect_raised(PyExc_ValueError);
    EXPECT_EQ(PyCapsule_GetContext(op), nullptr);
    expect_raised(PyExc_ValueError);
    EXPECT_EQ(PyCapsule_SetContext(op, nullptr), -1);
    expect_raised(PyExc_ValueError);
    Py_DECREF(op);
}

EVERY_RUNTIME(Capsules);

}  // namespace
}  // namespace ouro::test
