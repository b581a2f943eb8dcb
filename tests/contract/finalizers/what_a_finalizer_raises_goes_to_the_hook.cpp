// A finalizer has nobody to raise to: what it raises goes to the unraisable hook with the object,
// and neither the collection, nor the other finalizers, nor the exception that the caller has set
// are disturbed. The same holds for tp_clear. Source: "Type Objects", tp_finalize and tp_clear;
// "Exception Handling", PyErr_WriteUnraisable.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

class Raising : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        record.on_finalize = [this](Thing* self) {
            EXPECT_EQ(PyErr_Occurred(), nullptr) << "a finalizer starts without an exception";
            raised_by_.push_back(object(self));
            PyErr_Format(PyExc_ValueError, "finalizer %d", self->id);
        };
    }
    std::vector<PyObject*> raised_by_;
};

TEST_P(Raising, InACollection) {
    drop_ring(3, &FinalThingType);
    EXPECT_EQ(PyGC_Collect(), 3);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    ASSERT_EQ(record.unraisable.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(record.unraisable[i].where, raised_by_[i]);
    }
    EXPECT_THAT(take_unraisable(),
                testing::UnorderedElementsAre("ValueError: finalizer 0", "ValueError: finalizer 1",
                                              "ValueError: finalizer 2"));
    EXPECT_EQ(record.live, 0);
}

TEST_P(Raising, TheCallersExceptionSurvivesACollection) {
    drop_ring(2, &FinalThingType);
    PyErr_SetString(PyExc_KeyError, "mine");
    EXPECT_EQ(PyGC_Collect(), 2);
    expect_raised(PyExc_KeyError, "mine");
    EXPECT_EQ(take_unraisable().size(), 2u);
}

TEST_P(Raising, WhenAnObjectDiesByItsCount) {
    PyObject* op = new_thing(7, &FinalThingType);
    PyErr_SetString(PyExc_KeyError, "mine");
    Py_DECREF(op);
    expect_raised(PyExc_KeyError, "mine");
    ASSERT_EQ(record.unraisable.size(), 1u);
    EXPECT_EQ(record.unraisable[0].where, op);
    EXPECT_THAT(take_unraisable(), testing::ElementsAre("ValueError: finalizer 7"));
    EXPECT_EQ(record.live, 0);
}

TEST_P(Raising, WhenCalledByHand) {
    PyObject* op = new_thing(7, &FinalThingType);
    PyErr_SetString(PyExc_KeyError, "mine");
    PyObject_CallFinalizer(op);
    expect_raised(PyExc_KeyError, "mine");
    EXPECT_THAT(take_unraisable(), testing::ElementsAre("ValueError: finalizer 7"));
    Py_DECREF(op);
}

TEST_P(Raising, InAClear) {
    record.on_finalize = nullptr;
    record.on_clear = [](Thing* self) {
        EXPECT_EQ(PyErr_Occurred(), nullptr);
        PyErr_Format(PyExc_ValueError, "clear %d", self->id);
        return true;
    };
    drop_ring(3);
    PyErr_SetString(PyExc_KeyError, "mine");
    EXPECT_EQ(PyGC_Collect(), 3);
    expect_raised(PyExc_KeyError, "mine");
    EXPECT_THAT(take_unraisable(), testing::IsSupersetOf({"ValueError: clear 0"}));
    EXPECT_EQ(record.live, 0);
}

TEST_P(Raising, TheHookGetsItsArgument) {
    int calls = 0;
    Ouro_SetUnraisableHook(
        [](PyObject* type, PyObject* value, PyObject* op, void* arg) {
            EXPECT_EQ(type, PyExc_ValueError);
            EXPECT_EQ(message_of(value), "finalizer 3");
            EXPECT_EQ(PyErr_Occurred(), nullptr);
            EXPECT_EQ(thing(op)->id, 3);
            ++*static_cast<int*>(arg);
            PyErr_SetString(PyExc_RuntimeError, "the hook's own");  // is dropped
        },
        &calls);
    Py_DECREF(new_thing(3, &FinalThingType));
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
}

TEST_P(Raising, WithoutAHookItIsPrinted) {
    Ouro_SetUnraisableHook(nullptr, nullptr);
    testing::internal::CaptureStderr();
    Py_DECREF(new_thing(3, &FinalThingType));
    const std::string printed = testing::internal::GetCapturedStderr();
    EXPECT_THAT(printed, testing::HasSubstr("contract.FinalThing"));
    EXPECT_THAT(printed, testing::HasSubstr("ValueError: finalizer 3"));
}

EVERY_RUNTIME(Raising);

}  // namespace
}  // namespace ouro::test
