// What was found in a class is remembered; a change of the class, or of one that it derives from, is seen by the next
// who looks, whoever looked before. Source: "Type Objects", PyType_Modified.
// label: concurrency

#include "tests/contract/threads.hpp"
#include "tests/support/scale.hpp"

namespace ouro::test {
namespace {

class ChangesOfClasses : public Threads {
protected:
    void SetUp() override {
        Threads::SetUp();
        base_ = make_class("Base", reinterpret_cast<PyObject*>(&PyBaseObject_Type));
        derived_ = make_class("Derived", base_);
        op_ = PyObject_CallNoArgs(derived_);
        ASSERT_NE(op_, nullptr);
    }
    void TearDown() override {
        for (PyObject** field : {&op_, &derived_, &base_}) {
            Py_CLEAR(*field);
        }
        PyGC_Collect();
        Threads::TearDown();
    }

    static PyObject* make_class(const char* name, PyObject* base) {
        return PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(O){}", name,
                                     base);
    }
    // What the instance has under the name, borrowed, or nullptr.
    PyObject* found() const {
        PyObject* value = PyObject_GetAttrString(op_, "x");
        Py_XDECREF(value);
        PyErr_Clear();
        return value;
    }

    PyObject* base_ = nullptr;
    PyObject* derived_ = nullptr;
    PyObject* op_ = nullptr;
};

TEST_P(ChangesOfClasses, AreSeenByInstancesOfSubclasses) {
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(found(), nullptr);  // that it is not there is remembered, too
        ASSERT_EQ(PyObject_SetAttrString(base_, "x", Py_True), 0);
        EXPECT_EQ(found(), Py_True);
        ASSERT_EQ(PyObject_SetAttrString(base_, "x", Py_False), 0);
        EXPECT_EQ(found(), Py_False);
        ASSERT_EQ(PyObject_SetAttrString(derived_, "x", Py_None), 0);
        EXPECT_EQ(found(), Py_None);
        ASSERT_EQ(PyObject_DelAttrString(derived_, "x"), 0);
        EXPECT_EQ(found(), Py_False);
        ASSERT_EQ(PyObject_DelAttrString(base_, "x"), 0);
    }
    EXPECT_EQ(found(), nullptr);
}

TEST_P(ChangesOfClasses, AreSeenAfterPyTypeModified) {
    auto* base = reinterpret_cast<PyTypeObject*>(base_);
    EXPECT_EQ(found(), nullptr);
    PyObject* dict = PyType_GetDict(base);
    ASSERT_EQ(PyDict_SetItemString(dict, "x", Py_True), 0);
    PyType_Modified(base);
    EXPECT_EQ(found(), Py_True);
    ASSERT_EQ(PyDict_DelItemString(dict, "x"), 0);
    PyType_Modified(base);
    EXPECT_EQ(found(), nullptr);
    Py_DECREF(dict);
}

TEST_P(ChangesOfClasses, AreSeenWhileTheOldValueDies) {
    Fate fate;
    PyObject* old = new_thing(&fate, &FinalThingType);
    ASSERT_EQ(PyObject_SetAttrString(base_, "x", old), 0);
    EXPECT_EQ(found(), old);
    PyObject* seen = nullptr;
    record.on_finalize = [&](Thing*) { seen = found(); };
    Py_DECREF(old);
    ASSERT_EQ(PyObject_SetAttrString(base_, "x", Py_True), 0);
    record.on_finalize = nullptr;
    EXPECT_EQ(seen, Py_True);
    EXPECT_EQ(found(), Py_True);
    EXPECT_EQ(fate.died, 1);
}

TEST_P(ChangesOfClasses, AreSeenByOtherThreads) {
    const int rounds = scaled(2000);
    Fate fate;
    std::atomic<bool> done{false};
    PyObject* op = op_;
    PyObject* base = base_;
    ASSERT_EQ(PyObject_SetAttrString(base, "x", Py_None), 0);
    {
        Crew crew;
        for (int reader = 0; reader < 2; ++reader) {
            crew.add([=, &done] {
                while (!done.load()) {
                    PyObject* value = PyObject_GetAttrString(op, "x");
                    ASSERT_TRUE(value != nullptr && (value == Py_None || is_whole(value)));
                    Py_DECREF(value);
                    PyErr_CheckSignals();  // a safepoint, where others get their turn
                }
            });
        }
        crew.add([=, &done, &fate] {
            for (int i = 0; i < rounds; ++i) {
                PyObject* value = new_thing(&fate);
                ASSERT_EQ(PyObject_SetAttrString(base, "x", value), 0);
                PyObject* read = PyObject_GetAttrString(op, "x");
                ASSERT_EQ(read, value) << "its own change is seen by who made it";
                Py_XDECREF(read);
                Py_DECREF(value);
            }
            done = true;
        });
    }
    ASSERT_EQ(PyObject_SetAttrString(base, "x", Py_None), 0);
    PyGC_Collect();
    EXPECT_EQ(fate.died, rounds);
}

EVERY_RUNTIME(ChangesOfClasses);

}  // namespace
}  // namespace ouro::test
