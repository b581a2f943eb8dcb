// PyErr_NoMemory allocates nothing: some instances are kept for it, and given back when they die. Where all
// of them are in use there is one that everybody shares. What else cannot be set for want of memory is a
// MemoryError. Source: "Exception Handling", PyErr_NoMemory.

#include <cerrno>
#include <set>

#include "tests/contract/exceptions.hpp"
#include "tests/support/failing.hpp"

namespace ouro::test {
namespace {

using NoMemory = Things;

constexpr size_t kKept = 16;

PyObject* without_memory() {
    Failing failing(0, UINT64_MAX);
    failing([] { return PyErr_NoMemory(); });
    EXPECT_EQ(failing.failed(), 0u) << "it tried to allocate";
    return PyErr_GetRaisedException();
}

TEST_P(NoMemory, EachIsOneOfItsOwn) {
    std::set<PyObject*> exceptions;
    for (size_t i = 0; i < kKept; ++i) {
        PyObject* exception = without_memory();
        EXPECT_EQ(PyExceptionInstance_Class(exception), PyExc_MemoryError);
        EXPECT_EQ(Py_REFCNT(exception), 1);
        EXPECT_FALSE(PyObject_GC_IsTracked(exception));
        EXPECT_EQ(repr(exception), "MemoryError()");
        EXPECT_TRUE(exceptions.insert(exception).second);
    }
    for (PyObject* exception : exceptions) {
        Py_DECREF(exception);
    }
    PyObject* again = without_memory();
    EXPECT_TRUE(exceptions.contains(again)) << "given back";
    Py_DECREF(again);
}

TEST_P(NoMemory, OneThatIsGivenBackIsEmpty) {
    for (size_t i = 0; i <= kKept; ++i) {
        PyObject* exception = without_memory();
        EXPECT_EQ(PyException_GetContext(exception), nullptr);
        EXPECT_EQ(PyException_GetCause(exception), nullptr);
        EXPECT_EQ(repr(exception), "MemoryError()");
        EXPECT_EQ(reinterpret_cast<PyBaseExceptionObject*>(exception)->dict, nullptr);
        EXPECT_EQ(reinterpret_cast<PyBaseExceptionObject*>(exception)->suppress_context, 0);
        PyException_SetContext(exception, new_thing(1));
        PyException_SetCause(exception, new_thing(2));
        PyObject* args = tuple({new_thing(3)});
        PyException_SetArgs(exception, args);
        PyObject* note = text("note");
        drop({call_method(exception, "add_note", note)});
        drop({note, args});
        EXPECT_EQ(record.live, 3);
        Py_DECREF(exception);
        EXPECT_EQ(record.live, 0);
    }
}

TEST_P(NoMemory, TheSharedOneKeepsNothing) {
    std::vector<PyObject*> exceptions;
    for (size_t i = 0; i < kKept; ++i) {
        exceptions.push_back(without_memory());
    }
    PyObject* shared = without_memory();
    EXPECT_EQ(without_memory(), shared);
    EXPECT_EQ(PyUnstable_IsImmortal(shared), 1);
    EXPECT_EQ(PyExceptionInstance_Class(shared), PyExc_MemoryError);
    PyException_SetContext(shared, new_thing(1));
    PyException_SetCause(shared, new_thing(2));
    PyObject* args = tuple({new_thing(3)});
    PyException_SetArgs(shared, args);
    PyObject* note = text("note");
    drop({call_method(shared, "add_note", note)});
    drop({note, args});
    EXPECT_EQ(record.live, 0);
    EXPECT_EQ(repr(shared), "MemoryError()");
    EXPECT_EQ(PyException_GetContext(shared), nullptr);
    EXPECT_EQ(PyException_GetCause(shared), nullptr);
    drop(exceptions);
}

TEST_P(NoMemory, OneThatAProgramMakesIsLikeAnyOther) {
    PyObject* exception = make(PyExc_MemoryError, {text("m")});
    EXPECT_TRUE(PyObject_GC_IsTracked(exception));
    EXPECT_EQ(repr(exception), "MemoryError('m')");
    Py_DECREF(exception);
}

// Each way to set an exception, failing at each of its allocations: either it or a MemoryError.
TEST_P(NoMemory, WhatCannotBeSetIsAMemoryError) {
    PyObject* message = text("message");
    PyObject* several = tuple({text("a"), text("b")});
    const std::pair<PyObject*, std::function<void()>> setters[] = {
        {PyExc_ValueError, [] { PyErr_SetNone(PyExc_ValueError); }},
        {PyExc_ValueError, [&] { PyErr_SetObject(PyExc_ValueError, message); }},
        {PyExc_ValueError, [&] { PyErr_SetObject(PyExc_ValueError, several); }},
        {PyExc_ValueError, [] { PyErr_SetString(PyExc_ValueError, "m"); }},
        {PyExc_ValueError, [] { PyErr_Format(PyExc_ValueError, "%2000d", 7); }},
        {PyExc_ImportError, [&] { PyErr_SetImportError(message, message, message); }},
        {PyExc_FileNotFoundError,
         [&] {
             errno = ENOENT;
             PyErr_SetFromErrnoWithFilename(PyExc_OSError, "file");
         }},
        {PyExc_KeyError,
         [&] { PyErr_Restore(Py_NewRef(PyExc_KeyError), Py_NewRef(message), nullptr); }},
        {PyExc_SystemError, [&] { PyErr_SetNone(message); }},
    };
    for (const auto& [expected, set] : setters) {
        const int failures = fail_each_allocation([&](Failing& failing) {
            PyErr_SetNone(PyExc_KeyboardInterrupt);
            failing([&] {
                set();
                return 0;
            });
            EXPECT_EQ(PyErr_Occurred(), failing.failed() > 0 ? PyExc_MemoryError : expected);
            PyErr_Clear();
        });
        EXPECT_GT(failures, 0);
        EXPECT_EQ(Py_REFCNT(message), 1);
    }
    drop({message, several});
}

TEST_P(NoMemory, WhatIsTakenAwayAndPutBackNeedsNone) {
    PyErr_SetString(PyExc_KeyError, "kept");
    Failing failing(0, UINT64_MAX);
    failing([] {
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        PyErr_Restore(type, value, traceback);
        PyErr_SetRaisedException(PyErr_GetRaisedException());
        return 0;
    });
    EXPECT_EQ(failing.failed(), 0u);
    expect_raised(PyExc_KeyError, "kept");
}

TEST_P(NoMemory, WhatCannotBeSaidIsPrintedAllTheSame) {
    fail_each_allocation([](Failing& failing) {
        PyObject* exception = make(PyExc_ValueError, {PyLong_FromLong(1), PyLong_FromLong(2)});
        PyException_SetContext(exception, make(PyExc_KeyError, {text("k")}));
        testing::internal::CaptureStderr();
        failing([&] {
            PyErr_SetRaisedException(exception);
            PyErr_Print();
            return 0;
        });
        const std::string printed = testing::internal::GetCapturedStderr();
        EXPECT_THAT(printed, testing::HasSubstr("KeyError: "));
        EXPECT_THAT(printed, testing::HasSubstr("ValueError: "));
        EXPECT_EQ(PyErr_Occurred(), nullptr);
    });
}

EVERY_RUNTIME(NoMemory);

}  // namespace
}  // namespace ouro::test
