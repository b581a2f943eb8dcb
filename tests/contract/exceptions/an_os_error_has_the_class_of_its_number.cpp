// OSError of two to five arguments takes them apart: number, text, files; and is of the subclass that the
// number has. PyErr_SetFromErrno makes one of errno. Source: "Built-in Exceptions", OSError; "Exception
// Handling", PyErr_SetFromErrno, PyErr_SetFromErrnoWithFilename.

#include <cerrno>

#include "tests/contract/exceptions.hpp"

namespace ouro::test {
namespace {

class OsErrors : public Things {
protected:
    static PyOSErrorObject* fields(PyObject* exception) {
        return reinterpret_cast<PyOSErrorObject*>(exception);
    }
    // What is set, as repr, str, and class; taken.
    static std::string raised() {
        PyObject* exception = PyErr_GetRaisedException();
        const std::string all = std::string(Py_TYPE(exception)->tp_name) + "|" + str(exception);
        Py_DECREF(exception);
        return all;
    }
};

TEST_P(OsErrors, ByNumber) {
    const std::pair<int, PyObject*> classes[] = {
        {EAGAIN, PyExc_BlockingIOError},
        {EALREADY, PyExc_BlockingIOError},
        {EINPROGRESS, PyExc_BlockingIOError},
        {EWOULDBLOCK, PyExc_BlockingIOError},
        {EPIPE, PyExc_BrokenPipeError},
        {ESHUTDOWN, PyExc_BrokenPipeError},
        {ECHILD, PyExc_ChildProcessError},
        {ECONNABORTED, PyExc_ConnectionAbortedError},
        {ECONNREFUSED, PyExc_ConnectionRefusedError},
        {ECONNRESET, PyExc_ConnectionResetError},
        {EEXIST, PyExc_FileExistsError},
        {ENOENT, PyExc_FileNotFoundError},
        {EINTR, PyExc_InterruptedError},
        {EISDIR, PyExc_IsADirectoryError},
        {ENOTDIR, PyExc_NotADirectoryError},
        {EACCES, PyExc_PermissionError},
        {EPERM, PyExc_PermissionError},
        {ESRCH, PyExc_ProcessLookupError},
        {ETIMEDOUT, PyExc_TimeoutError},
        {EINVAL, PyExc_OSError},
    };
    for (const auto& [number, type] : classes) {
        PyObject* exception = make(PyExc_OSError, {PyLong_FromLong(number), text("t")});
        EXPECT_EQ(PyExceptionInstance_Class(exception), type) << number;
        EXPECT_EQ(PyLong_AsLong(fields(exception)->myerrno), number);
        EXPECT_EQ(str(exception), "[Errno " + std::to_string(number) + "] t");
        Py_DECREF(exception);
    }
    PyObject* derived = make(PyExc_ConnectionError, {PyLong_FromLong(ENOENT), text("t")});
    EXPECT_EQ(PyExceptionInstance_Class(derived), PyExc_ConnectionError)
        << "only OSError itself chooses";
    Py_DECREF(derived);
}

TEST_P(OsErrors, InWords) {
    const auto number = [] { return PyLong_FromLong(2); };
    EXPECT_EQ(str_once(make(PyExc_OSError, {number(), text("no"), text("f")})),
              "[Errno 2] no: 'f'");
    EXPECT_EQ(str_once(make(PyExc_OSError, {number(), text("no"), text("f"), Py_None, text("g")})),
              "[Errno 2] no: 'f' -> 'g'");
    EXPECT_EQ(str_once(make(PyExc_OSError, {number(), text("no"), Py_None})), "[Errno 2] no");
    EXPECT_EQ(str_once(make(PyExc_OSError)), "");
    EXPECT_EQ(str_once(make(PyExc_OSError, {text("alone")})), "alone");
    EXPECT_EQ(repr_once(make(PyExc_OSError, {number(), text("no"), text("f")})),
              "FileNotFoundError(2, 'no')")
        << "the file is a field";
    EXPECT_EQ(repr_once(make(PyExc_OSError, {number(), text("no"), Py_None})),
              "FileNotFoundError(2, 'no', None)");
    EXPECT_EQ(repr_once(make(PyExc_OSError, {text("x"), text("no")})), "OSError('x', 'no')");
    EXPECT_EQ(make(PyExc_OSError, {number(), text("no")}, {{"a", Py_None}}), nullptr);
    expect_raised(PyExc_TypeError, "OSError() takes no keyword arguments");
}

TEST_P(OsErrors, OfManyArgumentsAreLikeAnyOther) {
    PyObject* six = make(PyExc_OSError, {Py_True, Py_True, Py_True, Py_True, Py_True, Py_True});
    EXPECT_EQ(fields(six)->myerrno, nullptr);
    EXPECT_EQ(PyExceptionInstance_Class(six), PyExc_OSError);
    EXPECT_EQ(str(six), "(True, True, True, True, True, True)");
    Py_DECREF(six);
}

TEST_P(OsErrors, BlockingCountsWhatWasWritten) {
    PyObject* blocked =
        make(PyExc_BlockingIOError, {PyLong_FromLong(EAGAIN), text("t"), PyLong_FromLong(7)});
    EXPECT_EQ(fields(blocked)->written, 7);
    EXPECT_EQ(fields(blocked)->filename, nullptr);
    EXPECT_EQ(repr(blocked), "BlockingIOError(11, 't', 7)");
    PyObject* other = make(PyExc_OSError, {PyLong_FromLong(ENOENT), text("t")});
    EXPECT_EQ(fields(other)->written, -1);
    drop({blocked, other});
}

// A tp_init of its own may pass on other arguments than it was given.
TEST_P(OsErrors, OfAnAuthorAreFilledByInit) {
    static PyTypeObject type = {
        .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.OwnOsError",
        .tp_flags = Py_TPFLAGS_DEFAULT,
        .tp_base = reinterpret_cast<PyTypeObject*>(PyExc_OSError),
        .tp_init = [](PyObject* op, PyObject*, PyObject*) {
            PyObject* args = tuple({PyLong_FromLong(ENOENT), text("own")});
            const int result =
                reinterpret_cast<PyTypeObject*>(PyExc_OSError)->tp_init(op, args, nullptr);
            Py_DECREF(args);
            return result;
        }};
    ASSERT_EQ(PyType_Ready(&type), 0);
    PyObject* exception = make(object(&type), {text("ignored")}, {{"too", Py_None}});
    ASSERT_NE(exception, nullptr);
    EXPECT_EQ(str(exception), "[Errno 2] own");
    EXPECT_EQ(repr(exception), "OwnOsError(2, 'own')");
    Py_DECREF(exception);
}

TEST_P(OsErrors, FromErrno) {
    errno = ENOENT;
    EXPECT_EQ(PyErr_SetFromErrno(PyExc_OSError), nullptr);
    EXPECT_EQ(raised(), "FileNotFoundError|[Errno 2] No such file or directory");
    errno = EACCES;
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, "a.txt");
    EXPECT_EQ(raised(), "PermissionError|[Errno 13] Permission denied: 'a.txt'");
    errno = ENOENT;
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, "b\xFF.\xC3\xA4");
    EXPECT_EQ(raised(),
              "FileNotFoundError|[Errno 2] No such file or directory: 'b\\udcff.\xC3\xA4'")
        << "a name of a file is any bytes";
    errno = EINTR;
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, nullptr);
    EXPECT_EQ(raised(), "InterruptedError|[Errno 4] Interrupted system call");
    errno = 0;
    PyErr_SetFromErrno(PyExc_OSError);
    EXPECT_EQ(raised(), "OSError|[Errno 0] Error");
    PyObject* a = text("a");
    PyObject* b = text("b");
    errno = EEXIST;
    PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, a);
    EXPECT_EQ(raised(), "FileExistsError|[Errno 17] File exists: 'a'");
    errno = EEXIST;
    PyErr_SetFromErrnoWithFilenameObjects(PyExc_OSError, a, b);
    EXPECT_EQ(raised(), "FileExistsError|[Errno 17] File exists: 'a' -> 'b'");
    errno = EEXIST;
    PyErr_SetFromErrnoWithFilenameObjects(PyExc_ValueError, nullptr, nullptr);
    EXPECT_EQ(raised(), "ValueError|(17, 'File exists')") << "any class takes two arguments";
    EXPECT_EQ(Py_REFCNT(a), 1);
    drop({a, b});
}

TEST_P(OsErrors, AreTraversedAndCleared) {
    PyObject* value = new_thing(1);
    PyObject* exception =
        make(PyExc_OSError, {PyLong_FromLong(1), text("t"), Py_NewRef(value), Py_None, Py_None});
    EXPECT_EQ(fields(exception)->filename, value);
    refer(value, 0, exception);
    drop({exception, value});
    EXPECT_EQ(record.live, 1);
    PyGC_Collect();
    EXPECT_EQ(record.live, 0);
}

EVERY_WAY_OF_COUNTING(OsErrors);

}  // namespace
}  // namespace ouro::test
