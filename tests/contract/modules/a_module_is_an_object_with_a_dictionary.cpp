// A module is an object with a dictionary, in which it has its name, documentation, package, loader and
// spec; what is added to it is in there. Source: "Module Objects" in the C API documentation.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Modules = Things;

// The text of what gives a str; drops it.
std::string text_of(PyObject* op) {
    if (op == nullptr) {
        ADD_FAILURE() << take_error().message;
        return "";
    }
    PyObject* str = PyObject_Str(op);
    std::string text = PyUnicode_AsUTF8(str);
    Py_DECREF(str);
    Py_DECREF(op);
    return text;
}

std::string repr_of(PyObject* op) {
    return text_of(PyObject_Repr(op));
}

std::string attribute(PyObject* op, const char* name) {
    return text_of(PyObject_GetAttrString(op, name));
}

TEST_P(Modules, BeginWithTheirNameAndNone) {
    PyObject* op = PyModule_New("a.module");
    ASSERT_NE(op, nullptr);
    EXPECT_TRUE(PyModule_Check(op));
    EXPECT_TRUE(PyModule_CheckExact(op));
    EXPECT_EQ(PyObject_GC_IsTracked(op), 1);
    PyObject* keys = PyDict_Keys(PyModule_GetDict(op));
    EXPECT_EQ(repr_of(keys), "['__name__', '__doc__', '__package__', '__loader__', '__spec__']");
    Py_DECREF(keys);
    EXPECT_STREQ(PyModule_GetName(op), "a.module");
    EXPECT_EQ(text_of(PyModule_GetNameObject(op)), "a.module");
    for (const char* none : {"__doc__", "__package__", "__loader__", "__spec__"}) {
        EXPECT_EQ(attribute(op, none), "None") << none;
    }
    PyObject* dict = PyObject_GetAttrString(op, "__dict__");
    EXPECT_EQ(dict, PyModule_GetDict(op));
    Py_XDECREF(dict);
    EXPECT_EQ(PyModule_GetDef(op), nullptr);
    EXPECT_EQ(PyModule_GetState(op), nullptr);
    EXPECT_EQ(PyErr_Occurred(), nullptr) << "a module need have neither";
    Py_DECREF(op);
}

TEST_P(Modules, AreShownByNameAndPlace) {
    PyObject* op = PyModule_New("m");
    EXPECT_EQ(repr_of(op), "<module 'm'>");
    ASSERT_EQ(PyModule_AddStringConstant(op, "__file__", "/a/m.so"), 0);
    EXPECT_EQ(repr_of(op), "<module 'm' from '/a/m.so'>");
    EXPECT_STREQ(PyModule_GetFilename(op), "/a/m.so");
    EXPECT_EQ(text_of(PyModule_GetFilenameObject(op)), "/a/m.so");
    ASSERT_EQ(PyObject_DelAttrString(op, "__name__"), 0);
    EXPECT_EQ(repr_of(op), "<module '?' from '/a/m.so'>");
    Py_DECREF(op);
}

TEST_P(Modules, SayWhatTheyHaveNot) {
    PyObject* op = PyModule_New("m");
    EXPECT_EQ(PyObject_GetAttrString(op, "x"), nullptr);
    expect_raised(PyExc_AttributeError, "module 'm' has no attribute 'x'");
    EXPECT_EQ(PyModule_GetFilenameObject(op), nullptr);
    expect_raised(PyExc_SystemError, "module filename missing");
    ASSERT_EQ(PyObject_SetAttrString(op, "__name__", Py_None), 0);
    EXPECT_EQ(PyObject_GetAttrString(op, "x"), nullptr);
    expect_raised(PyExc_AttributeError, "module has no attribute 'x'");
    EXPECT_EQ(PyModule_GetNameObject(op), nullptr);
    expect_raised(PyExc_SystemError, "nameless module");
    EXPECT_EQ(PyModule_GetName(op), nullptr);
    expect_raised(PyExc_SystemError, "nameless module");
    EXPECT_EQ(PyObject_DelAttrString(op, "x"), -1);
    PyErr_Clear();
    Py_DECREF(op);
}

TEST_P(Modules, AreAskedForWhatTheyHaveNot) {
    static PyMethodDef getattr = {
        "__getattr__",
        [](PyObject*, PyObject* name) { return PyUnicode_FromFormat("made for %U", name); }, METH_O,
        nullptr};
    PyObject* op = PyModule_New("m");
    ASSERT_EQ(PyModule_Add(op, "__getattr__", PyCFunction_New(&getattr, nullptr)), 0);
    EXPECT_EQ(attribute(op, "x"), "made for x");
    EXPECT_EQ(attribute(op, "__name__"), "m") << "not for what is there";
    Py_DECREF(op);
}

TEST_P(Modules, TakeConstants) {
    PyObject* op = PyModule_New("m");
#define ANSWER 42
#define WORD "word"
    EXPECT_EQ(PyModule_AddIntConstant(op, "seven", 7), 0);
    EXPECT_EQ(PyModule_AddIntMacro(op, ANSWER), 0);
    EXPECT_EQ(PyModule_AddStringConstant(op, "text", "of it"), 0);
    EXPECT_EQ(PyModule_AddStringMacro(op, WORD), 0);
    EXPECT_EQ(PyModule_SetDocString(op, "What it is for."), 0);
    EXPECT_EQ(attribute(op, "seven"), "7");
    EXPECT_EQ(attribute(op, "ANSWER"), "42");
    EXPECT_EQ(attribute(op, "text"), "of it");
    EXPECT_EQ(attribute(op, "WORD"), "word");
    EXPECT_EQ(attribute(op, "__doc__"), "What it is for.");
    Py_DECREF(op);
}

// Adding by one of three functions takes no reference, the caller's, or the caller's if it succeeds.
TEST_P(Modules, TakeReferencesAsEachFunctionSays) {
    PyObject* op = PyModule_New("m");
    PyObject* value = new_thing();
    EXPECT_EQ(PyModule_AddObjectRef(op, "first", value), 0);
    EXPECT_EQ(Py_REFCNT(value), 2);
    EXPECT_EQ(PyModule_Add(op, "second", Py_NewRef(value)), 0);
    EXPECT_EQ(Py_REFCNT(value), 3);
    Py_INCREF(value);
    EXPECT_EQ(PyModule_AddObject(op, "third", value), 0);
    EXPECT_EQ(Py_REFCNT(value), 4);
    PyObject* list = PyList_New(0);
    EXPECT_EQ(PyModule_AddObjectRef(list, "x", value), -1);
    expect_raised(PyExc_TypeError, "PyModule_AddObjectRef() first argument must be a module");
    EXPECT_EQ(PyModule_Add(list, "x", Py_NewRef(value)), -1);
    PyErr_Clear();
    EXPECT_EQ(PyModule_AddObject(list, "x", value), -1);
    PyErr_Clear();
    EXPECT_EQ(Py_REFCNT(value), 4);
    Py_DECREF(list);
    EXPECT_EQ(PyModule_AddObjectRef(op, "x", nullptr), -1);
    expect_raised(PyExc_SystemError,
                  "PyModule_AddObjectRef() must be called with an exception raised if value is "
                  "NULL");
    PyErr_SetString(PyExc_ValueError, "mine");
    EXPECT_EQ(PyModule_Add(op, "x", nullptr), -1);
    expect_raised(PyExc_ValueError, "mine");
    Py_DECREF(op);
    EXPECT_EQ(Py_REFCNT(value), 1);
    Py_DECREF(value);
}

TEST_P(Modules, TakeTypesByTheirShortName) {
    static PyTypeObject type = {
        .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "m.Kind",
        .tp_basicsize = sizeof(PyObject),
        .tp_flags = Py_TPFLAGS_DEFAULT,
    };
    PyObject* op = PyModule_New("m");
    EXPECT_EQ(PyModule_AddType(op, &type), 0);
    EXPECT_TRUE(PyType_HasFeature(&type, Py_TPFLAGS_READY));
    EXPECT_EQ(attribute(op, "Kind"), "<class 'm.Kind'>");
    static PyTypeObject bad = {
        .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "m.Bad",
        .tp_basicsize = sizeof(PyObject),
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    };
    EXPECT_EQ(PyModule_AddType(op, &bad), -1);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PyObject_HasAttrString(op, "Bad"), 0);
    Py_DECREF(op);
}

TEST_P(Modules, TakeFunctions) {
    static PyMethodDef functions[] = {
        {"self", [](PyObject* self, PyObject*) { return Py_NewRef(self); }, METH_NOARGS, "doc"},
        {}};
    PyObject* op = PyModule_New("m");
    EXPECT_EQ(PyModule_AddFunctions(op, functions), 0);
    PyObject* function = PyObject_GetAttrString(op, "self");
    PyObject* result = PyObject_CallNoArgs(function);
    EXPECT_EQ(result, op) << "a function of a module is called with it";
    Py_XDECREF(result);
    Py_DECREF(function);
    static PyMethodDef of_classes[] = {
        {"bad", [](PyObject* self, PyObject*) { return self; }, METH_NOARGS | METH_STATIC, nullptr},
        {}};
    EXPECT_EQ(PyModule_AddFunctions(op, of_classes), -1);
    expect_raised(PyExc_ValueError, "module functions cannot set METH_CLASS or METH_STATIC");
    Py_DECREF(op);
    EXPECT_EQ(PyGC_Collect(), 3) << "module, dictionary and function are a cycle";
}

TEST_P(Modules, AreMadeByTheirType) {
    auto* type = reinterpret_cast<PyObject*>(&PyModule_Type);
    PyObject* op = PyObject_CallFunction(type, "ss", "m", "doc");
    ASSERT_NE(op, nullptr) << take_error().message;
    EXPECT_STREQ(PyModule_GetName(op), "m");
    EXPECT_EQ(attribute(op, "__doc__"), "doc");
    Py_DECREF(op);
    EXPECT_EQ(PyObject_CallNoArgs(type), nullptr);
    expect_raised(PyExc_TypeError);
    EXPECT_EQ(PyObject_CallFunction(type, "i", 1), nullptr);
    expect_raised(PyExc_TypeError);
}

TEST_P(Modules, AreNotOtherObjects) {
    PyObject* op = new_thing();
    EXPECT_FALSE(PyModule_Check(op));
    EXPECT_EQ(PyModule_GetDict(op), nullptr);
    expect_raised(PyExc_SystemError);
    EXPECT_EQ(PyModule_GetName(op), nullptr);
    expect_raised(PyExc_TypeError, "bad argument type for built-in operation");
    EXPECT_EQ(PyModule_GetFilenameObject(op), nullptr);
    expect_raised(PyExc_TypeError, "bad argument type for built-in operation");
    EXPECT_EQ(PyModule_GetDef(op), nullptr);
    expect_raised(PyExc_TypeError, "bad argument type for built-in operation");
    EXPECT_EQ(PyModule_GetState(op), nullptr);
    expect_raised(PyExc_TypeError, "bad argument type for built-in operation");
    void* token = op;
    EXPECT_EQ(PyModule_GetToken(op, &token), -1);
    expect_raised(PyExc_TypeError);
    EXPECT_EQ(token, nullptr);
    EXPECT_EQ(PyModule_GetState_DuringGC(op), nullptr);
    EXPECT_EQ(PyModule_GetToken_DuringGC(op, &token), -1);
    EXPECT_EQ(PyErr_Occurred(), nullptr) << "in a traversal nothing is raised";
    Py_DECREF(op);
}

TEST_P(Modules, CanBeWeaklyReferenced) {
    PyObject* op = PyModule_New("m");
    PyObject* reference = watched(op, 1);
    Py_DECREF(op);
    EXPECT_EQ(record.count(Call::kCallback), 1);
    EXPECT_TRUE(is_dead(reference));
    Py_DECREF(reference);
}

EVERY_RUNTIME(Modules);

}  // namespace
}  // namespace ouro::test
