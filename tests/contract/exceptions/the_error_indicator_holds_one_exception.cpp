// A thread has at most one exception set, an instance; setting another replaces it.
// PyErr_GetRaisedException and PyErr_Fetch take it away, PyErr_SetRaisedException and PyErr_Restore put it
// back and steal. Source: "Exception Handling", PyErr_SetString, SetObject, SetNone, Format, NoMemory,
// BadArgument, BadInternalCall, Occurred, Clear, Fetch, Restore, NormalizeException, GetRaisedException,
// SetRaisedException.

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
    expect_raised(PyExc_TypeError, longest);
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
    EXPECT_EQ(PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject*>(type)), 1);
    EXPECT_EQ(message_of(value), "");
    EXPECT_EQ(traceback, nullptr);
    Py_DECREF(type);
    Py_DECREF(value);
}

TEST_P(Indicator, NoMemoryAndBadInternalCall) {
    EXPECT_EQ(PyErr_NoMemory(), nullptr);
    expect_raised(PyExc_MemoryError);
    PyErr_BadInternalCall();
    expect_raised(PyExc_SystemError,
                  testing::MatchesRegex(
                      ".*the_error_indicator_holds_one_exception.cpp:[0-9]+: bad argument to "
                      "internal function"));
    (PyErr_BadInternalCall)();
    expect_raised(PyExc_SystemError, "bad argument to internal function");
    EXPECT_EQ(PyErr_BadArgument(), 0);
    expect_raised(PyExc_TypeError, "bad argument type for built-in operation");
}

TEST_P(Indicator, IsTakenAndPutBack) {
    PyObject* thing_value = new_thing(1);
    PyErr_SetObject(PyExc_KeyError, thing_value);
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    EXPECT_EQ(type, PyExc_KeyError);
    EXPECT_EQ(Py_TYPE(value), reinterpret_cast<PyTypeObject*>(PyExc_KeyError));
    EXPECT_EQ(Py_REFCNT(value), 1);
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

// The argument's finalizer runs when the new exception is in place already.
TEST_P(Indicator, IsWholeWhileTheOldOneDies) {
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

TEST_P(Indicator, TakesAndGivesTheInstance) {
    PyErr_SetString(PyExc_KeyError, "k");
    PyObject* exception = PyErr_GetRaisedException();
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    EXPECT_EQ(PyErr_GetRaisedException(), nullptr);
    EXPECT_EQ(Py_REFCNT(exception), 1);
    PyErr_SetRaisedException(Py_NewRef(exception));
    EXPECT_EQ(Py_REFCNT(exception), 2);
    EXPECT_EQ(PyErr_Occurred(), PyExc_KeyError);
    PyErr_SetRaisedException(nullptr);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    EXPECT_EQ(Py_REFCNT(exception), 1) << "stolen";
    Py_DECREF(exception);
}

// The arguments of what PyErr_SetObject has set, as repr would show the instance.
std::string arguments_of(PyObject* type, PyObject* value) {
    PyErr_SetObject(type, value);
    PyObject* exception = PyErr_GetRaisedException();
    EXPECT_EQ(PyExceptionInstance_Class(exception), type);
    PyObject* repr = Py_TYPE(exception)->tp_repr(exception);
    std::string text = PyUnicode_AsUTF8(repr);
    Py_DECREF(repr);
    Py_DECREF(exception);
    return text;
}

TEST_P(Indicator, MakesTheInstanceOfWhatItIsGiven) {
    EXPECT_EQ(arguments_of(PyExc_ValueError, nullptr), "ValueError()");
    EXPECT_EQ(arguments_of(PyExc_ValueError, Py_None), "ValueError()");
    PyObject* text = PyUnicode_FromString("v");
    EXPECT_EQ(arguments_of(PyExc_ValueError, text), "ValueError('v')");
    PyObject* pair = PyTuple_New(2);
    PyTuple_SetItem(pair, 0, Py_NewRef(text));
    PyTuple_SetItem(pair, 1, PyLong_FromLong(2));
    EXPECT_EQ(arguments_of(PyExc_ValueError, pair), "ValueError('v', 2)");
    EXPECT_EQ(Py_REFCNT(pair), 1);
    drop({text, pair});
}

TEST_P(Indicator, TakesAnInstanceOfTheClassItself) {
    PyErr_SetString(PyExc_KeyError, "k");
    PyObject* exception = PyErr_GetRaisedException();
    PyErr_SetObject(PyExc_LookupError, exception);
    EXPECT_EQ(PyErr_Occurred(), PyExc_KeyError) << "of a derived class";
    EXPECT_EQ(Py_REFCNT(exception), 2);
    PyErr_SetObject(PyExc_ValueError, exception);
    PyObject* other = PyErr_GetRaisedException();
    EXPECT_EQ(PyExceptionInstance_Class(other), PyExc_ValueError) << "an argument like any other";
    PyObject* args = PyException_GetArgs(other);
    EXPECT_EQ(PyTuple_GetItem(args, 0), exception);
    drop({args, other});
    EXPECT_EQ(Py_REFCNT(exception), 1);
    Py_DECREF(exception);
}

TEST_P(Indicator, IsForClassesOfExceptions) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(&PyList_Type), Py_None);
    expect_raised(PyExc_SystemError,
                  "_PyErr_SetObject: exception <class 'list'> is not a BaseException subclass");
    PyErr_SetString(Py_None, "text");
    expect_raised(PyExc_SystemError,
                  "_PyErr_SetObject: exception None is not a BaseException subclass");
}

TEST_P(Indicator, RestoresWhatIsNoInstanceYet) {
    PyErr_Restore(Py_NewRef(PyExc_KeyError), PyUnicode_FromString("k"), nullptr);
    expect_raised(PyExc_KeyError, "k");
    PyErr_Restore(Py_NewRef(PyExc_KeyError), nullptr, Py_NewRef(Py_None));
    expect_raised(PyExc_KeyError, "");
    PyErr_Restore(Py_NewRef(PyExc_KeyError), nullptr, PyLong_FromLong(1));
    expect_raised(PyExc_TypeError, "traceback must be a Traceback or None");
}

TEST_P(Indicator, KeepsTheTracebackInTheInstance) {
    PyObject* traceback = PyObject_New(PyObject, &PyTraceBack_Type);
    PyErr_Restore(Py_NewRef(PyExc_KeyError), nullptr, Py_NewRef(traceback));
    PyObject *type, *value, *fetched;
    PyErr_Fetch(&type, &value, &fetched);
    EXPECT_EQ(fetched, traceback);
    PyErr_Restore(type, value, nullptr);
    Py_DECREF(fetched);
    EXPECT_EQ(Py_REFCNT(traceback), 1) << "without one it has none";
    PyErr_Clear();
    Py_DECREF(traceback);
}

TEST_P(Indicator, NormalizesWhatCameApart) {
    PyObject* type = Py_NewRef(PyExc_LookupError);
    PyObject* value = PyUnicode_FromString("text");
    PyObject* traceback = nullptr;
    PyErr_NormalizeException(&type, &value, &traceback);
    EXPECT_EQ(type, PyExc_LookupError);
    EXPECT_EQ(PyExceptionInstance_Class(value), PyExc_LookupError);
    EXPECT_EQ(message_of(value), "text");
    PyObject* before = value;
    PyErr_NormalizeException(&type, &value, &traceback);
    EXPECT_EQ(value, before) << "once";
    // The class becomes that of the instance.
    PyErr_SetString(PyExc_KeyError, "k");
    Py_SETREF(value, PyErr_GetRaisedException());
    PyErr_NormalizeException(&type, &value, &traceback);
    EXPECT_EQ(type, PyExc_KeyError);
    // Where no instance can be made, what that raised takes its place.
    Py_SETREF(type, Py_NewRef(PyExc_UnicodeDecodeError));
    Py_CLEAR(value);
    PyErr_NormalizeException(&type, &value, &traceback);
    EXPECT_EQ(type, PyExc_TypeError);
    EXPECT_EQ(message_of(value), "function takes exactly 5 arguments (0 given)");
    EXPECT_EQ(traceback, nullptr);
    drop({type, value});
    type = value = nullptr;
    PyErr_NormalizeException(&type, &value, &traceback);
    EXPECT_EQ(type, nullptr);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
}

EVERY_RUNTIME(Indicator);

}  // namespace
}  // namespace ouro::test
