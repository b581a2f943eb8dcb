// A thread has at most one exception set; setting another replaces it. PyErr_Fetch takes it away,
// PyErr_Restore puts it back and steals. Source: "Exception Handling", PyErr_SetString, SetObject,
// SetNone, Format, NoMemory, BadInternalCall, Occurred, Clear, Fetch, Restore.

#include <thread>

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Indicator = Things;

TEST_P(Indicator, IsEmptyAtFirst) {
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    PyErr_Clear();
    EXPECT_EQ(PyErr_Occurred(), nullptr);
}

TEST_P(Indicator, GivesTheClassBorrowed) {
    PyErr_SetString(PyExc_KeyError, "text");
    EXPECT_EQ(PyErr_Occurred(), PyExc_KeyError);
    EXPECT_EQ(PyErr_Occurred(), PyExc_KeyError) << "asking takes nothing";
    expect_raised(PyExc_KeyError, "text");
}

TEST_P(Indicator, IsReplaced) {
    PyErr_SetString(PyExc_KeyError, "first");
    PyErr_SetString(PyExc_ValueError, "second");
    expect_raised(PyExc_ValueError, "second");
    EXPECT_EQ(PyErr_Occurred(), nullptr);
}

TEST_P(Indicator, CopiesTheMessage) {
    char message[] = "before";
    PyErr_SetString(PyExc_KeyError, message);
    message[0] = 'X';
    expect_raised(PyExc_KeyError, "before");
}

TEST_P(Indicator, FormatsAndReturnsNull) {
    EXPECT_EQ(PyErr_Format(PyExc_TypeError, "%s takes %d, not %zd", "f", 1, Py_ssize_t{2}),
              nullptr);
    expect_raised(PyExc_TypeError, "f takes 1, not 2");
    const std::string longest(5000, 'x');
    PyErr_Format(PyExc_TypeError, "%s", longest.c_str());
    expect_raised(PyExc_TypeError, testing::StartsWith("xxxxxxxx"));
}

TEST_P(Indicator, KeepsAnyObjectAlive) {
    PyObject* value = new_thing(1);
    PyErr_SetObject(PyExc_RuntimeError, value);
    EXPECT_EQ(Py_REFCNT(value), 2);
    Py_DECREF(value);
    EXPECT_EQ(record.live, 1);
    PyErr_Clear();
    EXPECT_EQ(record.live, 0);
}

TEST_P(Indicator, NeedsNoValue) {
    PyErr_SetNone(PyExc_StopIteration);
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    EXPECT_EQ(type, PyExc_StopIteration);
    EXPECT_EQ(value, nullptr);
    EXPECT_EQ(traceback, nullptr);
    Py_DECREF(type);
}

TEST_P(Indicator, NoMemoryAndBadInternalCall) {
    EXPECT_EQ(PyErr_NoMemory(), nullptr);
    expect_raised(PyExc_MemoryError);
    PyErr_BadInternalCall();
    expect_raised(PyExc_SystemError);
}

TEST_P(Indicator, IsTakenAndPutBack) {
    PyObject* thing_value = new_thing(1);
    PyErr_SetObject(PyExc_KeyError, thing_value);
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    EXPECT_EQ(type, PyExc_KeyError);
    EXPECT_EQ(value, thing_value);
    PyErr_SetString(PyExc_ValueError, "in between");
    PyErr_Restore(type, value, traceback);
    EXPECT_EQ(PyErr_Occurred(), PyExc_KeyError) << "what came in between is gone";
    EXPECT_EQ(Py_REFCNT(thing_value), 2) << "stolen, not copied";
    PyErr_Restore(nullptr, nullptr, nullptr);
    EXPECT_EQ(PyErr_Occurred(), nullptr) << "three NULLs clear";
    EXPECT_EQ(Py_REFCNT(thing_value), 1);
    Py_DECREF(thing_value);
}

TEST_P(Indicator, FetchingNothingGivesNulls) {
    PyObject* type = Py_None;
    PyObject* value = Py_None;
    PyObject* traceback = Py_None;
    PyErr_Fetch(&type, &value, &traceback);
    EXPECT_EQ(type, nullptr);
    EXPECT_EQ(value, nullptr);
    EXPECT_EQ(traceback, nullptr);
    PyErr_Restore(type, value, traceback);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
}

// The value's finalizer runs when the new exception is in place already.
TEST_P(Indicator, IsWholeWhileTheOldValueDies) {
    record.on_finalize = [](Thing*) { EXPECT_EQ(PyErr_Occurred(), nullptr); };
    record.on_dealloc = [](Thing*) { EXPECT_EQ(PyErr_Occurred(), PyExc_ValueError); };
    PyObject* value = new_thing(1, &FinalThingType);
    PyErr_SetObject(PyExc_KeyError, value);
    Py_DECREF(value);
    PyErr_SetString(PyExc_ValueError, "new");
    EXPECT_EQ(record.count(Call::kFinalize), 1);
    expect_raised(PyExc_ValueError, "new");
}

TEST_P(Indicator, IsTheThreadsOwn) {
    PyErr_SetString(PyExc_KeyError, "mine");
    std::thread([] { EXPECT_EQ(PyErr_Occurred(), nullptr); }).join();
    expect_raised(PyExc_KeyError, "mine");
}

EVERY_COUNT_POLICY(Indicator);

}  // namespace
}  // namespace ouro::test
