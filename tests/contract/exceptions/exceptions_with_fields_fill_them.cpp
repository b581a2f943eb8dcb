// Some classes keep their arguments in fields: StopIteration a value, SystemExit a code, ImportError a
// message, name and path, AttributeError and NameError what was looked for. Source: "Built-in
// Exceptions"; "Exception Handling", PyErr_SetImportError.

#include "tests/contract/exceptions.hpp"

namespace ouro::test {
namespace {

using FieldsOf = Things;

PyObject* value_of(PyObject* exception) {
    return reinterpret_cast<PyStopIterationObject*>(exception)->value;
}
PyObject* code_of(PyObject* exception) {
    return reinterpret_cast<PySystemExitObject*>(exception)->code;
}
PyImportErrorObject* import_error(PyObject* exception) {
    return reinterpret_cast<PyImportErrorObject*>(exception);
}

TEST_P(FieldsOf, StopIteration) {
    PyObject* none = make(PyExc_StopIteration);
    EXPECT_EQ(value_of(none), Py_None);
    PyObject* value = new_thing(1);
    PyObject* one = make(PyExc_StopIteration, {Py_NewRef(value)});
    EXPECT_EQ(value_of(one), value);
    PyObject* two = make(PyExc_StopIteration, {Py_NewRef(value), Py_None});
    EXPECT_EQ(value_of(two), value);
    drop({none, one, two, value});
}

TEST_P(FieldsOf, SystemExit) {
    PyObject* none = make(PyExc_SystemExit);
    EXPECT_EQ(code_of(none), nullptr);
    PyObject* one = make(PyExc_SystemExit, {PyLong_FromLong(3)});
    EXPECT_EQ(PyLong_AsLong(code_of(one)), 3);
    PyObject* two = make(PyExc_SystemExit, {PyLong_FromLong(3), PyLong_FromLong(4)});
    PyObject* args = PyException_GetArgs(two);
    EXPECT_EQ(code_of(two), args);
    drop({none, one, args, two});
}

TEST_P(FieldsOf, ImportError) {
    PyObject* name = text("n");
    PyObject* path = text("p");
    PyObject* exception = make(PyExc_ModuleNotFoundError, {text("message")},
                               {{"name", Py_NewRef(name)}, {"path", Py_NewRef(path)}});
    EXPECT_EQ(import_error(exception)->name, name);
    EXPECT_EQ(import_error(exception)->path, path);
    EXPECT_EQ(import_error(exception)->name_from, nullptr);
    EXPECT_EQ(said(Py_NewRef(import_error(exception)->msg)), "message");
    EXPECT_EQ(str(exception), "message");
    EXPECT_EQ(repr(exception), "ModuleNotFoundError('message')");
    PyObject* two = make(PyExc_ImportError, {text("a"), text("b")});
    EXPECT_EQ(import_error(two)->msg, nullptr);
    EXPECT_EQ(str(two), "('a', 'b')");
    EXPECT_EQ(str_once(make(PyExc_ImportError, {PyLong_FromLong(3)})), "3");
    EXPECT_EQ(make(PyExc_ImportError, {text("a")}, {{"nope", Py_None}}), nullptr);
    expect_raised(PyExc_TypeError, "ImportError() got an unexpected keyword argument 'nope'");
    drop({exception, two});
    EXPECT_EQ(Py_REFCNT(name), 1);
    drop({name, path});
}

TEST_P(FieldsOf, ImportErrorThatIsSet) {
    PyObject* message = text("no such thing");
    PyObject* name = text("thing");
    EXPECT_EQ(PyErr_SetImportError(message, name, nullptr), nullptr);
    PyObject* exception = PyErr_GetRaisedException();
    EXPECT_EQ(PyExceptionInstance_Class(exception), PyExc_ImportError);
    EXPECT_EQ(import_error(exception)->name, name);
    EXPECT_EQ(import_error(exception)->path, Py_None);
    EXPECT_EQ(import_error(exception)->msg, message);
    Py_DECREF(exception);
    PyErr_SetImportErrorSubclass(PyExc_ModuleNotFoundError, message, nullptr, nullptr);
    expect_raised(PyExc_ModuleNotFoundError, "no such thing");
    PyErr_SetImportErrorSubclass(PyExc_KeyError, message, nullptr, nullptr);
    expect_raised(PyExc_TypeError, "expected a subclass of ImportError");
    PyErr_SetImportError(nullptr, name, nullptr);
    expect_raised(PyExc_TypeError, "expected a message argument");
    EXPECT_EQ(Py_REFCNT(name), 1);
    drop({message, name});
}

TEST_P(FieldsOf, AttributeErrorAndNameError) {
    PyObject* value = new_thing(1);
    PyObject* name = text("n");
    PyObject* exception = make(PyExc_AttributeError, {text("message")},
                               {{"name", Py_NewRef(name)}, {"obj", Py_NewRef(value)}});
    EXPECT_EQ(reinterpret_cast<PyAttributeErrorObject*>(exception)->name, name);
    EXPECT_EQ(reinterpret_cast<PyAttributeErrorObject*>(exception)->obj, value);
    EXPECT_EQ(str(exception), "message");
    PyObject* unbound = make(PyExc_UnboundLocalError, {}, {{"name", Py_NewRef(name)}});
    EXPECT_EQ(reinterpret_cast<PyNameErrorObject*>(unbound)->name, name);
    EXPECT_EQ(make(PyExc_NameError, {}, {{"obj", Py_None}}), nullptr);
    expect_raised(PyExc_TypeError, "NameError() got an unexpected keyword argument 'obj'");
    EXPECT_EQ(make(PyExc_AttributeError, {}, {{"path", Py_None}}), nullptr);
    expect_raised(PyExc_TypeError, "AttributeError() got an unexpected keyword argument 'path'");
    drop({exception, unbound});
    EXPECT_EQ(Py_REFCNT(name), 1);
    drop({name, value});
}

TEST_P(FieldsOf, AllAreTraversedAndCleared) {
    for (PyObject* type : {PyExc_StopIteration, PyExc_SystemExit, PyExc_ImportError}) {
        PyObject* value = new_thing(1);
        PyObject* exception = make(type, {Py_NewRef(value)});
        refer(value, 0, exception);
        drop({exception, value});
        EXPECT_EQ(record.live, 1);
        PyGC_Collect();
        EXPECT_EQ(record.live, 0);
    }
    for (PyObject* type : {PyExc_AttributeError, PyExc_NameError}) {
        PyObject* value = new_thing(1);
        PyObject* exception = make(type, {}, {{"name", Py_NewRef(value)}});
        refer(value, 0, exception);
        drop({exception, value});
        EXPECT_EQ(record.live, 1);
        PyGC_Collect();
        EXPECT_EQ(record.live, 0);
    }
}

EVERY_WAY_OF_COUNTING(FieldsOf);

}  // namespace
}  // namespace ouro::test
