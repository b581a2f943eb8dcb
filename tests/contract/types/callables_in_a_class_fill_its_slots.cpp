// A class that has special methods of its own has them in its slots; what it inherits from a type in C stays that
// type's function, so does what is changed back. Source: "Data model", "Special method names"; "Type Object Structures";
// messages as CPython 3.11 gives them.

#include "tests/contract/types.hpp"
#include "tests/support/failing.hpp"

namespace ouro::test {
namespace {

template <class Integer>
std::string said_number(Integer number) {
    return PyErr_Occurred() != nullptr ? said(nullptr) : std::to_string(number);
}

// Methods as a class of the language would have them: bound to the object they are found through.
template <const char* text>
PyObject* tell(PyObject*, PyObject* args) {
    return PyTuple_GET_SIZE(args) == 0 ? PyUnicode_FromString(text)
                                       : PyUnicode_FromFormat("%s%R", text, args);
}
PyObject* give_minus_one(PyObject*, PyObject*) {
    return PyLong_FromLong(-1);
}
PyObject* give_none(PyObject*, PyObject*) {
    Py_RETURN_NONE;
}
PyObject* give_true(PyObject*, PyObject*) {
    return Py_NewRef(Py_True);
}
PyObject* give_not_implemented(PyObject*, PyObject*) {
    Py_RETURN_NOTIMPLEMENTED;
}
PyObject* fail(PyObject*, PyObject*) {
    PyErr_SetString(PyExc_ValueError, "failed");
    return nullptr;
}
PyObject* no_attribute(PyObject*, PyObject*) {
    PyErr_SetString(PyExc_AttributeError, "none");
    return nullptr;
}
// Three items.
PyObject* item(PyObject*, PyObject* args) {
    const long i = PyLong_AsLong(PyTuple_GET_ITEM(args, 0));
    if (i < 3) {
        return PyLong_FromLong(i * 10);
    }
    PyErr_SetNone(PyExc_IndexError);
    return nullptr;
}
constexpr char kHere[] = "here";
constexpr char kLeft[] = "left";
constexpr char kRight[] = "right";

PyMethodDef definitions[] = {{"here", tell<kHere>, METH_VARARGS, nullptr},
                             {"left", tell<kLeft>, METH_VARARGS, nullptr},
                             {"right", tell<kRight>, METH_VARARGS, nullptr},
                             {"minus_one", give_minus_one, METH_VARARGS, nullptr},
                             {"none", give_none, METH_VARARGS, nullptr},
                             {"true", give_true, METH_VARARGS, nullptr},
                             {"not_implemented", give_not_implemented, METH_VARARGS, nullptr},
                             {"fail", fail, METH_VARARGS, nullptr},
                             {"no_attribute", no_attribute, METH_VARARGS, nullptr},
                             {"item", item, METH_VARARGS, nullptr}};

// New reference.
PyObject* method(const std::string& name) {
    for (PyMethodDef& definition : definitions) {
        if (name == definition.ml_name) {
            return PyDescr_NewMethod(&PyBaseObject_Type, &definition);
        }
    }
    return Py_NewRef(Py_None);
}

using Methods = std::vector<std::pair<const char*, const char*>>;

class Callables : public Things {
protected:
    void TearDown() override {
        drop(made_);
        made_.clear();
        PyGC_Collect();
        Things::TearDown();
    }
    // A class with methods, by their names in the class and here; borrowed.
    PyObject* new_class(const Methods& methods, PyObject* base = as_object(&PyBaseObject_Type)) {
        PyObject* dict = PyDict_New();
        for (const auto& [name, which] : methods) {
            PyObject* function = method(which);
            EXPECT_EQ(PyDict_SetItemString(dict, name, function), 0);
            Py_DECREF(function);
        }
        PyObject* type = PyObject_CallFunction(as_object(&PyType_Type), "s(O)N", "C", base, dict);
        EXPECT_NE(type, nullptr) << take_error().message;
        made_.push_back(type);
        return type;
    }
    // An object of one; borrowed.
    PyObject* object_of(PyObject* type) {
        PyObject* op = PyObject_CallNoArgs(type);
        EXPECT_NE(op, nullptr) << take_error().message;
        made_.push_back(op);
        return op;
    }
    PyObject* object_with(const Methods& methods) { return object_of(new_class(methods)); }

private:
    std::vector<PyObject*> made_;
};

TEST_P(Callables, ShowAndHash) {
    PyObject* op = object_with({{"__repr__", "here"}, {"__hash__", "minus_one"}});
    EXPECT_EQ(said(PyObject_Repr(op)), "'here'");
    EXPECT_EQ(said(PyObject_Str(op)), "'here'");
    EXPECT_EQ(PyObject_Hash(op), -2);
    op = object_with({{"__repr__", "none"}, {"__str__", "fail"}, {"__hash__", "none"}});
    EXPECT_EQ(said(PyObject_Repr(op)), "TypeError: __repr__ returned non-string (type NoneType)");
    EXPECT_EQ(said(PyObject_Str(op)), "ValueError: failed");
    EXPECT_EQ(said_number(PyObject_Hash(op)),
              "TypeError: __hash__ method should return an integer");
}

TEST_P(Callables, CompareAndThenAreNotHashable) {
    PyObject* op = object_with({{"__eq__", "left"}, {"__lt__", "not_implemented"}});
    EXPECT_EQ(said(PyObject_RichCompare(op, Py_None, Py_EQ)), "'left(None,)'");
    EXPECT_EQ(said(PyObject_RichCompare(Py_None, op, Py_EQ)), "'left(None,)'");
    EXPECT_EQ(said(PyObject_RichCompare(op, op, Py_LT)),
              "TypeError: '<' not supported between instances of 'C' and 'C'");
    EXPECT_EQ(said_number(PyObject_Hash(op)), "TypeError: unhashable type: 'C'");
    EXPECT_EQ(as_type(PyObject_Type(op))->tp_hash, PyObject_HashNotImplemented);
    Py_DECREF(Py_TYPE(op));
}

TEST_P(Callables, AreOperatorsOfBothSides) {
    PyObject* left = object_with({{"__add__", "left"}, {"__radd__", "right"}, {"__neg__", "here"}});
    EXPECT_EQ(said(PyNumber_Add(left, Py_None)), "'left(None,)'");
    EXPECT_EQ(said(PyNumber_Add(Py_None, left)), "'right(None,)'");
    EXPECT_EQ(said(PyNumber_InPlaceAdd(left, Py_None)), "'left(None,)'");
    EXPECT_EQ(said(PyNumber_Negative(left)), "'here'");
    PyObject* silent = object_with({{"__add__", "not_implemented"}, {"__pow__", "left"}});
    EXPECT_EQ(said(PyNumber_Add(silent, left)).substr(0, 6), "'right");
    EXPECT_EQ(said(PyNumber_Add(silent, Py_None)),
              "TypeError: unsupported operand type(s) for +: 'C' and 'NoneType'");
    EXPECT_EQ(said(PyNumber_Power(silent, Py_True, Py_None)), "'left(True,)'");
    EXPECT_EQ(said(PyNumber_Power(silent, Py_True, Py_False)), "'left(True, False)'");
    EXPECT_EQ(said(PyNumber_Power(Py_True, Py_True, silent)),
              "TypeError: unsupported operand type(s) for ** or pow(): 'bool', 'bool', 'C'");
    // The right operand first if its class derives from the left one's and has a method of its own.
    PyObject* base = as_object(Py_TYPE(left));
    PyObject* same = object_of(new_class({}, base));
    EXPECT_EQ(said(PyNumber_Add(left, same)).substr(0, 5), "'left");
    PyObject* other = object_of(new_class({{"__radd__", "here"}}, base));
    EXPECT_EQ(said(PyNumber_Add(left, other)).substr(0, 5), "'here");
}

TEST_P(Callables, AreContainers) {
    PyObject* op =
        object_with({{"__len__", "true"}, {"__getitem__", "item"}, {"__setitem__", "fail"}});
    EXPECT_EQ(PyObject_Size(op), 1);
    EXPECT_EQ(PySequence_Size(op), 1);
    EXPECT_EQ(PyMapping_Size(op), 1);
    EXPECT_EQ(PyObject_IsTrue(op), 1);
    EXPECT_EQ(said(PyObject_GetItem(op, Py_True)), "10");
    EXPECT_EQ(said(PySequence_GetItem(op, 2)), "20");
    EXPECT_EQ(said_number(PyObject_SetItem(op, Py_True, Py_None)), "ValueError: failed");
    EXPECT_EQ(said_number(PyObject_DelItem(op, Py_True)), "AttributeError: __delitem__");
    // Items make it iterable, and that a container.
    EXPECT_EQ(said(PySequence_List(op)), "[0, 10, 20]");
    PyObject* ten = PyLong_FromLong(10);
    EXPECT_EQ(PySequence_Contains(op, ten), 1);
    EXPECT_EQ(PySequence_Contains(op, Py_None), 0);
    Py_DECREF(ten);
    op = object_with({{"__len__", "minus_one"}, {"__contains__", "None"}, {"__iter__", "None"}});
    EXPECT_EQ(said_number(PyObject_Size(op)), "ValueError: __len__() should return >= 0");
    EXPECT_EQ(said_number(PyObject_IsTrue(op)), "ValueError: __len__() should return >= 0");
    EXPECT_EQ(said_number(PySequence_Contains(op, op)), "TypeError: 'C' object is not a container");
    EXPECT_EQ(said(PyObject_GetIter(op)), "TypeError: 'C' object is not iterable");
    op = object_with({{"__bool__", "minus_one"}, {"__contains__", "none"}});
    EXPECT_EQ(said_number(PyObject_IsTrue(op)),
              "TypeError: __bool__ should return bool, returned int");
    EXPECT_EQ(PySequence_Contains(op, op), 0);
}

TEST_P(Callables, AreCalledAndInitialise) {
    PyObject* op = object_with({{"__call__", "here"}, {"__init__", "none"}});
    EXPECT_EQ(said(PyObject_CallOneArg(op, Py_True)), "'here(True,)'");
    EXPECT_EQ(said(PyObject_CallFunction(as_object(Py_TYPE(op)), "ii", 1, 2)).substr(0, 3), "<C ");
    EXPECT_EQ(said(PyObject_CallNoArgs(new_class({{"__init__", "true"}}))),
              "TypeError: __init__() should return None, not 'bool'");
    EXPECT_EQ(said(PyObject_CallNoArgs(new_class({{"__init__", "fail"}}))), "ValueError: failed");
    EXPECT_EQ(said(PyObject_CallFunction(new_class({}), "i", 1)),
              "TypeError: C() takes no arguments");
}

TEST_P(Callables, AreAskedForAttributes) {
    PyObject* op = object_with({{"__getattr__", "here"}});
    EXPECT_EQ(said(PyObject_GetAttrString(op, "missing")), "\"here('missing',)\"");
    EXPECT_EQ(PyObject_SetAttrString(op, "there", Py_True), 0);
    EXPECT_EQ(said(PyObject_GetAttrString(op, "there")), "True");
    op = object_with({{"__getattribute__", "no_attribute"}, {"__setattr__", "fail"}});
    EXPECT_EQ(said(PyObject_GetAttrString(op, "any")), "AttributeError: none");
    EXPECT_EQ(said_number(PyObject_SetAttrString(op, "any", op)), "ValueError: failed");
    EXPECT_EQ(said_number(PyObject_DelAttrString(op, "any")),
              "AttributeError: 'C' object has no attribute 'any'");
    op = object_with({{"__getattribute__", "no_attribute"}, {"__getattr__", "here"}});
    EXPECT_EQ(said(PyObject_GetAttrString(op, "any")), "\"here('any',)\"");
}

TEST_P(Callables, AreDescriptors) {
    PyObject* type = new_class({});
    PyObject* op = object_of(type);
    PyObject* descriptor = object_with({{"__get__", "left"}, {"__set__", "fail"}});
    EXPECT_EQ(PyObject_SetAttrString(type, "x", descriptor), 0);
    EXPECT_EQ(said(PyObject_GetAttrString(type, "x")), "\"left(None, <class 'C'>)\"");
    EXPECT_EQ(said_number(PyObject_SetAttrString(op, "x", op)), "ValueError: failed");
    EXPECT_EQ(said_number(PyObject_DelAttrString(op, "x")), "AttributeError: __delete__");
}

TEST_P(Callables, EndAnObject) {
    PyObject* type = new_class({{"__del__", "fail"}});
    PyObject* op = PyObject_CallNoArgs(type);
    Py_DECREF(op);
    EXPECT_THAT(take_unraisable(), testing::ElementsAre("ValueError: failed"));
    PyObject* quiet = new_class({{"__del__", "none"}}, type);
    op = PyObject_CallNoArgs(quiet);
    EXPECT_EQ(PyObject_SetAttrString(op, "me", op), 0);
    Py_DECREF(op);
    EXPECT_GT(PyGC_Collect(), 0);
}

TEST_P(Callables, LeaveWhatIsInheritedFromCAsItIs) {
    PyTypeObject* number = as_type(new_class({}, as_object(&PyLong_Type)));
    EXPECT_EQ(number->tp_as_number->nb_add, PyLong_Type.tp_as_number->nb_add);
    EXPECT_EQ(number->tp_repr, PyLong_Type.tp_repr);
    EXPECT_EQ(number->tp_hash, PyLong_Type.tp_hash);
    EXPECT_EQ(number->tp_new, PyLong_Type.tp_new);
    EXPECT_EQ(number->tp_getattro, PyObject_GenericGetAttr);
    EXPECT_EQ(number->tp_richcompare, PyLong_Type.tp_richcompare);
    EXPECT_EQ(number->tp_as_sequence->sq_concat, nullptr);
    EXPECT_EQ(number->tp_as_mapping->mp_length, nullptr);
    PyTypeObject* list = as_type(new_class({}, as_object(&PyList_Type)));
    EXPECT_EQ(list->tp_as_sequence->sq_concat, PyList_Type.tp_as_sequence->sq_concat);
    EXPECT_EQ(list->tp_as_number->nb_add, nullptr);
    EXPECT_EQ(list->tp_as_mapping->mp_subscript, PyList_Type.tp_as_mapping->mp_subscript);
}

TEST_P(Callables, MayBeSetAndDeletedLater) {
    PyObject* type = new_class({});
    PyObject* derived = new_class({}, type);
    PyObject* own = new_class({{"__len__", "minus_one"}}, type);
    PyObject* op = object_of(derived);
    EXPECT_EQ(said_number(PyObject_Size(op)), "TypeError: object of type 'C' has no len()");
    PyObject* length = method("true");
    EXPECT_EQ(PyObject_SetAttrString(type, "__len__", length), 0);
    EXPECT_EQ(PyObject_SetAttrString(type, "__repr__", length), 0);
    Py_DECREF(length);
    EXPECT_EQ(PyObject_Size(op), 1);
    EXPECT_EQ(said_number(PyObject_Size(object_of(own))),
              "ValueError: __len__() should return >= 0");
    EXPECT_EQ(said(PyObject_Repr(op)), "TypeError: __repr__ returned non-string (type bool)");
    EXPECT_EQ(PyObject_DelAttrString(type, "__len__"), 0);
    EXPECT_EQ(PyObject_DelAttrString(type, "__repr__"), 0);
    EXPECT_EQ(as_type(derived)->tp_as_mapping->mp_length, nullptr);
    EXPECT_EQ(as_type(derived)->tp_repr, PyBaseObject_Type.tp_repr);
    EXPECT_EQ(said_number(PyObject_Size(op)), "TypeError: object of type 'C' has no len()");
    PyObject* hash = Py_None;
    EXPECT_EQ(PyObject_SetAttrString(type, "__hash__", hash), 0);
    EXPECT_EQ(said_number(PyObject_Hash(op)), "TypeError: unhashable type: 'C'");
}

TEST_P(Callables, AreKnownToTheBases) {
    const auto subclasses = [](PyObject* type) {
        PyObject* list = PyObject_CallMethod(type, "__subclasses__", nullptr);
        const Py_ssize_t count = list == nullptr ? -1 : PyList_Size(list);
        Py_XDECREF(list);
        return count;
    };
    PyObject* type = new_class({});
    EXPECT_EQ(subclasses(type), 0);
    new_class({}, type);
    new_class({}, type);
    EXPECT_EQ(subclasses(type), 2);
    PyObject* third = PyObject_CallFunction(as_object(&PyType_Type), "s(O){}", "D", type);
    EXPECT_EQ(subclasses(type), 3);
    Py_DECREF(third);
    PyGC_Collect();
    EXPECT_EQ(subclasses(type), 2);
}

TEST_P(Callables, LoseNothingWithoutMemory) {
    PyObject* type = new_class({{"__add__", "left"}, {"__getattr__", "here"}, {"__len__", "true"}});
    PyObject* op = object_of(type);
    new_class({}, type);
    const auto use = [&](PyObject* (*call)(PyObject*)) {
        Py_XDECREF(call(op));  // names are made once
        PyErr_Clear();
        fail_each_allocation([&](Failing& failing) {
            PyObject* result = failing([&] { return call(op); });
            EXPECT_TRUE(result != nullptr || PyErr_ExceptionMatches(PyExc_MemoryError));
            Py_XDECREF(result);
            PyErr_Clear();
        });
    };
    use([](PyObject* x) { return PyNumber_Add(x, Py_None); });
    use([](PyObject* x) { return PyObject_GetAttrString(x, "missing"); });
    use([](PyObject* x) {
        const Py_ssize_t size = PyObject_Size(x);
        return size < 0 ? nullptr : PyLong_FromSsize_t(size);
    });
    use([](PyObject* x) {
        return PyObject_CallMethod(as_object(Py_TYPE(x)), "__subclasses__", nullptr);
    });
}

EVERY_RUNTIME(Callables);

}  // namespace
}  // namespace ouro::test
