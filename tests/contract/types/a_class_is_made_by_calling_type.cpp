// Classes: type(name, bases, dict). Their instances have dictionaries, weak references and slots; they are collected
// with them. Source: "Built-in Functions", type; "Data model", "Customizing class creation" and __slots__; "Type
// Objects", Py_TPFLAGS_MANAGED_DICT, Py_TPFLAGS_MANAGED_WEAKREF.

#include "tests/contract/types.hpp"
#include "tests/support/failing.hpp"

namespace ouro::test {
namespace {

using Classes = Things;

// type(name, bases, dict); steals `bases` and `dict`, which may be nullptr for none.
PyObject* make_class(const char* name, PyObject* bases = nullptr, PyObject* dict = nullptr) {
    PyObject* result = PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "sNN", name,
                                             bases == nullptr ? PyTuple_New(0) : bases,
                                             dict == nullptr ? PyDict_New() : dict);
    EXPECT_TRUE(result != nullptr || PyErr_Occurred() != nullptr);
    return result;
}

std::string shown(PyObject* op) {
    PyObject* repr = op == nullptr ? nullptr : PyObject_Repr(op);
    std::string result = repr == nullptr ? "<none>" : PyUnicode_AsUTF8(repr);
    Py_XDECREF(repr);
    return result;
}

void refused(PyObject* result, PyObject* error, const char* message) {
    SCOPED_TRACE(message);
    EXPECT_EQ(result, nullptr);
    expect_raised(error, message);
}

TEST_P(Classes, HaveNamesAndBases) {
    PyObject* type = make_class(
        "Point", nullptr, Py_BuildValue("{ssss}", "__module__", "contract", "__doc__", "A point."));
    ASSERT_NE(type, nullptr);
    EXPECT_EQ(shown(type), "<class 'contract.Point'>");
    EXPECT_EQ(attribute(type, "__name__"), "'Point'");
    EXPECT_EQ(attribute(type, "__doc__"), "'A point.'");
    EXPECT_EQ(attribute(type, "__bases__"), "(<class 'object'>,)");
    EXPECT_EQ(attribute(type, "__mro__"), "(<class 'contract.Point'>, <class 'object'>)");
    PyObject* derived = make_class("Derived", PyTuple_Pack(1, type));
    EXPECT_EQ(attribute(derived, "__base__"), "<class 'contract.Point'>");
    PyObject* op = PyObject_CallNoArgs(derived);
    EXPECT_TRUE(PyObject_IsInstance(op, type));
    drop({op, derived, type});
    EXPECT_GT(PyGC_Collect(), 0);
}

TEST_P(Classes, InstancesHaveDictionaries) {
    PyObject* type = make_class("C");
    PyObject* op = PyObject_CallNoArgs(type);
    ASSERT_NE(op, nullptr);
    EXPECT_TRUE(PyType_HasFeature(as_type(type), Py_TPFLAGS_MANAGED_DICT));
    EXPECT_TRUE(PyType_HasFeature(as_type(type), Py_TPFLAGS_MANAGED_WEAKREF));
    EXPECT_EQ(PyObject_SetAttrString(op, "x", Py_True), 0);
    EXPECT_EQ(attribute(op, "x"), "True");
    EXPECT_EQ(attribute(op, "__dict__"), "{'x': True}");
    EXPECT_EQ(PyObject_SetAttrString(op, "me", op), 0);
    PyObject* weak = PyWeakref_NewRef(op, nullptr);
    ASSERT_NE(weak, nullptr);
    Py_DECREF(op);
    EXPECT_FALSE(is_dead(weak));
    EXPECT_EQ(PyGC_Collect(), 2);  // the object and its dictionary
    EXPECT_TRUE(is_dead(weak));
    drop({weak, type});
    PyGC_Collect();
}

TEST_P(Classes, ManyInstancesAreCollectedWithTheirClass) {
    PyObject* type = make_class("C");
    PyObject* first = PyObject_CallNoArgs(type);
    PyObject* previous = Py_NewRef(first);
    for (int i = 0; i < 200; ++i) {
        PyObject* op = PyObject_CallNoArgs(type);
        ASSERT_EQ(PyObject_SetAttrString(op, "previous", previous), 0);
        Py_SETREF(previous, op);
    }
    ASSERT_EQ(PyObject_SetAttrString(first, "previous", previous), 0);
    PyObject* weak = PyWeakref_NewRef(type, nullptr);
    drop({previous, first, type});
    EXPECT_GE(PyGC_Collect(), 402);
    EXPECT_TRUE(is_dead(weak));
    Py_DECREF(weak);
}

TEST_P(Classes, SlotsAreFields) {
    PyObject* type = make_class("S", nullptr, Py_BuildValue("{s(ss)}", "__slots__", "a", "b"));
    ASSERT_NE(type, nullptr);
    EXPECT_EQ(as_type(type)->tp_basicsize, Py_ssize_t{sizeof(PyObject) + 2 * sizeof(PyObject*)});
    PyObject* op = PyObject_CallNoArgs(type);
    EXPECT_EQ(PyObject_SetAttrString(op, "a", op), 0);
    EXPECT_EQ(PyObject_GetAttrString(op, "b"), nullptr);
    expect_raised(PyExc_AttributeError);
    EXPECT_EQ(PyObject_SetAttrString(op, "c", Py_None), -1);
    expect_raised(PyExc_AttributeError, "'S' object has no attribute 'c'");
    EXPECT_EQ(PyObject_GetAttrString(op, "__dict__"), nullptr);
    expect_raised(PyExc_AttributeError, "'S' object has no attribute '__dict__'");
    PyObject* derived = make_class("D", PyTuple_Pack(1, type));
    PyObject* more = PyObject_CallNoArgs(derived);
    EXPECT_EQ(PyObject_SetAttrString(more, "a", more), 0);
    EXPECT_EQ(PyObject_SetAttrString(more, "c", Py_None), 0);
    drop({op, more});
    EXPECT_EQ(PyGC_Collect(), 3);
    drop({derived, type});
    PyGC_Collect();
}

TEST_P(Classes, DeriveFromBuiltInTypes) {
    for (PyTypeObject* base :
         {&PyLong_Type, &PyList_Type, &PyDict_Type, &PyTuple_Type, &PyUnicode_Type,
          as_type(PyExc_ValueError), &PySet_Type, &PyFloat_Type}) {
        SCOPED_TRACE(base->tp_name);
        PyObject* type = make_class("Derived", PyTuple_Pack(1, base));
        ASSERT_NE(type, nullptr) << take_error().message;
        PyObject* op = PyObject_CallNoArgs(type);
        ASSERT_NE(op, nullptr) << take_error().message;
        EXPECT_EQ(PyObject_SetAttrString(op, "me", op), 0);
        PyObject* weak = PyWeakref_NewRef(type, nullptr);
        drop({op, type});
        EXPECT_GE(PyGC_Collect(), 2);
        EXPECT_TRUE(is_dead(weak));
        Py_DECREF(weak);
    }
}

PyObject* note_call(PyObject*, PyObject* args) {
    record.note(Call::kCallback, static_cast<int>(PyTuple_Size(args)));
    Py_RETURN_NONE;
}
PyMethodDef note = {"note", note_call, METH_VARARGS, nullptr};

TEST_P(Classes, TellTheirAttributesAndBases) {
    PyObject* function = PyCFunction_New(&note, nullptr);
    PyObject* attribute_type =
        make_class("Attribute", nullptr, Py_BuildValue("{sO}", "__set_name__", function));
    PyObject* op = PyObject_CallNoArgs(attribute_type);
    PyObject* type = make_class("C", nullptr, Py_BuildValue("{sO}", "x", op));
    EXPECT_EQ(record.count(Call::kCallback, 3), 1);  // a C function is not bound
    PyObject* bound = PyClassMethod_New(function);
    PyObject* base = make_class("Base", nullptr, Py_BuildValue("{sO}", "__init_subclass__", bound));
    EXPECT_EQ(record.count(Call::kCallback, 1), 0);
    PyObject* derived = make_class("Derived", PyTuple_Pack(1, base));
    EXPECT_EQ(record.count(Call::kCallback, 1), 1);
    drop({function, attribute_type, op, type, bound, base, derived});
    PyGC_Collect();
}

TEST_P(Classes, CanBeChanged) {
    PyObject* type = make_class("C");
    PyObject* op = PyObject_CallNoArgs(type);
    EXPECT_EQ(PyObject_SetAttrString(type, "x", Py_True), 0);
    EXPECT_EQ(attribute(op, "x"), "True");
    EXPECT_EQ(PyObject_DelAttrString(type, "x"), 0);
    EXPECT_EQ(PyObject_DelAttrString(type, "x"), -1);
    expect_raised(PyExc_AttributeError, "type object 'C' has no attribute 'x'");
    PyObject* name = PyUnicode_FromString("New");
    EXPECT_EQ(PyObject_SetAttrString(type, "__name__", name), 0);
    EXPECT_STREQ(as_type(type)->tp_name, "New");
    EXPECT_EQ(PyObject_SetAttrString(type, "__name__", Py_None), -1);
    expect_raised(PyExc_TypeError, "can only assign string to New.__name__, not 'NoneType'");
    EXPECT_EQ(PyObject_DelAttrString(type, "__name__"), -1);
    expect_raised(PyExc_TypeError, "cannot delete '__name__' attribute of immutable type 'New'");
    EXPECT_EQ(PyObject_SetAttrString(reinterpret_cast<PyObject*>(&PyLong_Type), "x", name), -1);
    expect_raised(PyExc_TypeError, "cannot set 'x' attribute of immutable type 'int'");
    drop({name, op, type});
    PyGC_Collect();
}

TEST_P(Classes, ThatCannotBeAreRefused) {
    const auto slots = [](PyObject* value) { return Py_BuildValue("{sN}", "__slots__", value); };
    PyObject* const metatype = reinterpret_cast<PyObject*>(&PyType_Type);
    const auto bases = [](PyTypeObject* base) { return PyTuple_Pack(1, base); };
    refused(make_class("X", nullptr, slots(Py_BuildValue("(ss)", "__weakref__", "__weakref__"))),
            PyExc_TypeError,
            "__weakref__ slot disallowed: either we already got one, or __itemsize__ != 0");
    refused(make_class("X", nullptr, slots(Py_BuildValue("(ss)", "__dict__", "__dict__"))),
            PyExc_TypeError, "__dict__ slot disallowed: we already got one");
    refused(make_class("X", bases(&PyTuple_Type), slots(Py_BuildValue("(s)", "a"))),
            PyExc_TypeError, "nonempty __slots__ not supported for subtype of 'tuple'");
    refused(make_class("X", nullptr, slots(PyLong_FromLong(5))), PyExc_TypeError,
            "'int' object is not iterable");
    refused(make_class("X", nullptr, slots(Py_BuildValue("(i)", 5))), PyExc_TypeError,
            "__slots__ items must be strings, not 'int'");
    refused(make_class("X", nullptr, slots(Py_BuildValue("(s)", "a b"))), PyExc_TypeError,
            "__slots__ must be identifiers");
    refused(make_class("X", nullptr, Py_BuildValue("{s(s)sO}", "__slots__", "a", "a", Py_None)),
            PyExc_ValueError, "'a' in __slots__ conflicts with class variable");
    refused(make_class("X", nullptr, Py_BuildValue("{si}", "__qualname__", 1)), PyExc_TypeError,
            "type __qualname__ must be a str, not int");
    refused(make_class("X", bases(&PyBool_Type)), PyExc_TypeError,
            "type 'bool' is not an acceptable base type");
    refused(make_class("X", PyTuple_Pack(2, &PyLong_Type, &PyUnicode_Type)), PyExc_TypeError,
            "multiple bases have instance lay-out conflict");
    refused(PyObject_CallFunction(metatype, "s#(){}", "X\0", Py_ssize_t{2}), PyExc_ValueError,
            "type name must not contain null characters");
    refused(PyObject_CallFunction(metatype, "i(){}", 5), PyExc_TypeError,
            "type.__new__() argument 1 must be str, not int");
    refused(
        PyObject_CallFunction(metatype, "s(i){}", "X", 5), PyExc_TypeError,
        "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of "
        "the metaclasses of all its bases");
    refused(PyObject_CallFunction(metatype, "s()", "X"), PyExc_TypeError,
            "type() takes 1 or 3 arguments");
    PyGC_Collect();
}

TEST_P(Classes, WithoutMemoryLoseNothing) {
    const auto make_and_use = [] {
        PyObject* bases = PyTuple_New(0);
        PyObject* dict =
            bases == nullptr ? nullptr : Py_BuildValue("{s(s)}", "__slots__", "__dict__");
        if (dict == nullptr) {
            Py_XDECREF(bases);
            return -1;
        }
        PyObject* type = make_class("C", bases, dict);
        PyObject* op = type == nullptr ? nullptr : PyObject_CallNoArgs(type);
        const int error = op == nullptr ? -1 : PyObject_SetAttrString(op, "x", Py_None);
        Py_XDECREF(op);
        Py_XDECREF(type);
        return error;
    };
    make_and_use();
    PyErr_Clear();
    PyGC_Collect();
    const int failures = fail_each_allocation([&](Failing& failing) {
        if (failing(make_and_use) < 0) {
            expect_raised(PyExc_MemoryError);
        }
        PyGC_Collect();
    });
    EXPECT_GT(failures, 10);
}

EVERY_RUNTIME(Classes);

}  // namespace
}  // namespace ouro::test
