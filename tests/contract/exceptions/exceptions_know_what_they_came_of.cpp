// An exception has a context, the exception that was handled when it was set, a cause and a traceback.
// A chain of contexts gets no ring by setting exceptions. Source: "Exception Objects"; "Exception
// Handling", PyErr_SetObject, PyErr_GetHandledException, PyErr_SetHandledException, PyErr_GetExcInfo,
// PyErr_SetExcInfo.

#include <thread>

#include "tests/contract/exceptions.hpp"

namespace ouro::test {
namespace {

class Origins : public Things {
protected:
    // A new exception, while `handled` is.
    static PyObject* raised_while(PyObject* handled, const char* message) {
        PyErr_SetHandledException(handled);
        PyErr_SetString(PyExc_ValueError, message);
        PyObject* exception = PyErr_GetRaisedException();
        PyErr_SetHandledException(nullptr);
        return exception;
    }
    // Borrowed.
    static PyObject* context(PyObject* exception) {
        PyObject* found = PyException_GetContext(exception);
        Py_XDECREF(found);
        return found;
    }
};

TEST_P(Origins, AreNoneAtFirst) {
    PyObject* exception = make(PyExc_ValueError);
    EXPECT_EQ(PyException_GetContext(exception), nullptr);
    EXPECT_EQ(PyException_GetCause(exception), nullptr);
    EXPECT_EQ(PyException_GetTraceback(exception), nullptr);
    EXPECT_EQ(PyErr_GetHandledException(), nullptr);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    Py_DECREF(exception);
}

TEST_P(Origins, AreSetAndGiven) {
    PyObject* exception = make(PyExc_ValueError);
    PyObject* other = make(PyExc_KeyError);
    PyException_SetContext(exception, Py_NewRef(other));
    EXPECT_EQ(Py_REFCNT(other), 2) << "stolen";
    EXPECT_EQ(reinterpret_cast<PyBaseExceptionObject*>(exception)->suppress_context, 0);
    PyException_SetCause(exception, Py_NewRef(other));
    EXPECT_EQ(Py_REFCNT(other), 3);
    EXPECT_EQ(reinterpret_cast<PyBaseExceptionObject*>(exception)->suppress_context, 1);
    PyObject* cause = PyException_GetCause(exception);
    EXPECT_EQ(cause, other);
    EXPECT_EQ(Py_REFCNT(other), 4) << "a new reference";
    Py_DECREF(cause);
    PyException_SetContext(exception, nullptr);
    PyException_SetCause(exception, nullptr);
    EXPECT_EQ(PyException_GetContext(exception), nullptr);
    EXPECT_EQ(Py_REFCNT(other), 1);
    drop({exception, other});
}

TEST_P(Origins, ATracebackIsOneOrNone) {
    PyObject* exception = make(PyExc_ValueError);
    PyObject* traceback = PyObject_New(PyObject, &PyTraceBack_Type);
    EXPECT_TRUE(PyTraceBack_Check(traceback));
    EXPECT_FALSE(PyTraceBack_Check(exception));
    EXPECT_EQ(PyException_SetTraceback(exception, traceback), 0);
    EXPECT_EQ(Py_REFCNT(traceback), 2) << "not stolen";
    PyObject* given = PyException_GetTraceback(exception);
    EXPECT_EQ(given, traceback);
    Py_DECREF(given);
    EXPECT_EQ(PyException_SetTraceback(exception, exception), -1);
    expect_raised(PyExc_TypeError, "__traceback__ must be a traceback or None");
    EXPECT_EQ(PyException_SetTraceback(exception, nullptr), -1);
    expect_raised(PyExc_TypeError, "__traceback__ may not be deleted");
    EXPECT_EQ(Py_REFCNT(traceback), 2);
    EXPECT_EQ(PyException_SetTraceback(exception, Py_None), 0);
    EXPECT_EQ(Py_REFCNT(traceback), 1);
    PyObject* same = call_method(exception, "with_traceback", traceback);
    EXPECT_EQ(same, exception);
    EXPECT_EQ(call_method(exception, "with_traceback", Py_True), nullptr);
    expect_raised(PyExc_TypeError, "__traceback__ must be a traceback or None");
    drop({same, exception});
    EXPECT_EQ(Py_REFCNT(traceback), 1);
    Py_DECREF(traceback);
}

TEST_P(Origins, WhatIsHandledIsTheContextOfWhatIsSet) {
    PyObject* handled = make(PyExc_KeyError);
    PyObject* exception = raised_while(handled, "later");
    EXPECT_EQ(context(exception), handled);
    PyErr_SetHandledException(handled);
    PyErr_NoMemory();
    PyObject* no_memory = PyErr_GetRaisedException();
    EXPECT_EQ(context(no_memory), handled);
    PyErr_SetHandledException(nullptr);
    drop({no_memory, exception});
    EXPECT_EQ(Py_REFCNT(handled), 1);
    Py_DECREF(handled);
}

TEST_P(Origins, WhatIsOnlyPutBackKeepsItsOwn) {
    PyObject* handled = make(PyExc_KeyError);
    PyErr_SetHandledException(handled);
    PyErr_SetRaisedException(make(PyExc_ValueError));
    PyObject* exception = PyErr_GetRaisedException();
    EXPECT_EQ(context(exception), nullptr);
    PyErr_SetObject(PyExc_KeyError, handled);
    PyObject* again = PyErr_GetRaisedException();
    EXPECT_EQ(again, handled);
    EXPECT_EQ(context(again), nullptr) << "not its own";
    PyErr_SetHandledException(nullptr);
    drop({exception, again, handled});
}

// first <- second <- third; raising the first again while the third is handled.
TEST_P(Origins, AChainIsCutWhereItWouldBecomeARing) {
    PyObject* first = make(PyExc_ValueError, {text("first")});
    PyObject* second = raised_while(first, "second");
    PyObject* third = raised_while(second, "third");
    PyErr_SetHandledException(third);
    PyErr_SetObject(PyExc_ValueError, first);
    PyErr_SetHandledException(nullptr);
    PyObject* raised = PyErr_GetRaisedException();
    EXPECT_EQ(raised, first);
    EXPECT_EQ(context(first), third);
    EXPECT_EQ(context(third), second);
    EXPECT_EQ(context(second), nullptr);
    drop({raised, first, second, third});
    EXPECT_EQ(PyGC_Collect(), 0);
}

TEST_P(Origins, ARingThatIsThereIsFollowedOnce) {
    for (const size_t size : {1, 2, 3, 7}) {
        std::vector<PyObject*> exceptions;
        for (size_t i = 0; i < size; ++i) {
            PyErr_SetNone(PyExc_ValueError);
            exceptions.push_back(PyErr_GetRaisedException());
        }
        for (size_t i = 0; i < size; ++i) {
            PyException_SetContext(exceptions[i], Py_NewRef(exceptions[(i + 1) % size]));
        }
        PyObject* outside = make(PyExc_KeyError);
        PyException_SetContext(outside, Py_NewRef(exceptions[0]));
        PyObject* exception = raised_while(outside, "later");
        EXPECT_EQ(context(exception), outside);
        drop({exception, outside});
        drop(exceptions);
        EXPECT_EQ(PyGC_Collect(), static_cast<Py_ssize_t>(size));
    }
}

TEST_P(Origins, AndAreGarbageTogether) {
    PyObject* value = new_thing(1);
    PyObject* a = make(PyExc_OSError, {PyLong_FromLong(2), text("t"), Py_NewRef(value)});
    PyObject* b = make(PyExc_StopIteration, {Py_NewRef(a)});
    PyException_SetContext(a, Py_NewRef(b));
    Py_DECREF(value);
    drop({a, b});
    EXPECT_EQ(record.live, 1);
    EXPECT_GE(PyGC_Collect(), 2);
    EXPECT_EQ(record.live, 0);
}

TEST_P(Origins, TheOlderFormOfWhatIsHandled) {
    PyObject *type, *value, *traceback;
    PyErr_GetExcInfo(&type, &value, &traceback);
    EXPECT_EQ(type, Py_None);
    EXPECT_EQ(value, nullptr);
    EXPECT_EQ(traceback, Py_None);
    PyObject* handled = make(PyExc_KeyError);
    PyErr_SetExcInfo(Py_NewRef(PyExc_KeyError), Py_NewRef(handled), nullptr);
    EXPECT_EQ(Py_REFCNT(handled), 2) << "stolen";
    PyErr_GetExcInfo(&type, &value, &traceback);
    EXPECT_EQ(type, PyExc_KeyError);
    EXPECT_EQ(value, handled);
    EXPECT_EQ(traceback, Py_None);
    Py_DECREF(value);
    PyErr_SetHandledException(Py_None);
    EXPECT_EQ(PyErr_GetHandledException(), nullptr);
    EXPECT_EQ(Py_REFCNT(handled), 1);
    Py_DECREF(handled);
}

TEST_P(Origins, WhatIsHandledIsTheThreadStatesOwn) {
    PyObject* handled = new_thing(1);
    PyObject* exception = make(PyExc_KeyError, {handled});
    PyThreadState* mine = PyThreadState_Get();
    PyThreadState* other = PyThreadState_New(PyInterpreterState_Get());
    PyThreadState_Swap(other);
    PyErr_SetHandledException(exception);
    PyErr_SetString(PyExc_ValueError, "other's");
    PyThreadState_Swap(mine);
    EXPECT_EQ(PyErr_GetHandledException(), nullptr);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    Py_DECREF(exception);
    EXPECT_EQ(record.live, 1);
    PyThreadState_Clear(other);
    EXPECT_EQ(record.live, 0) << "dropped with the state";
    PyThreadState_Delete(other);
}

EVERY_WAY_OF_COUNTING(Origins);

}  // namespace
}  // namespace ouro::test
