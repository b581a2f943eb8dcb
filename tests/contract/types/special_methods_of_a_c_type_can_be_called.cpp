// Each slot that a type in C fills has its name in the type's dictionary: a descriptor whose calls call the slot's
// function. Source: "Data model", "Special method names"; "Type Object Structures", the table of slots and special methods;
// messages as CPython 3.11 gives them.

#include "tests/contract/types.hpp"
#include "tests/support/failing.hpp"

namespace ouro::test {
namespace {

using SpecialMethods = Things;

// A number that is a sequence of as many items, callable, comparable and an iterator that has come to its end.
struct Pile {
    PyObject ob_base;
    Py_ssize_t height;
};
Py_ssize_t& height(PyObject* op) {
    return reinterpret_cast<Pile*>(op)->height;
}
PyObject* new_pile(PyTypeObject* type, PyObject* args, PyObject*) {
    Py_ssize_t wanted = 0;
    if (PyArg_ParseTuple(args, "|n", &wanted) == 0) {
        return nullptr;
    }
    PyObject* op = type->tp_alloc(type, 0);
    if (op != nullptr) {
        height(op) = wanted;
    }
    return op;
}
PyObject* add(PyObject* a, PyObject* b) {
    if (!Py_IS_TYPE(a, Py_TYPE(b))) {
        return PyUnicode_FromFormat("%s+%s", Py_TYPE(a)->tp_name, Py_TYPE(b)->tp_name);
    }
    return PyLong_FromSsize_t(height(a) + height(b));
}
PyNumberMethods pile_as_number = {
    .nb_add = add,
    .nb_power = [](PyObject* a, PyObject*,
                   PyObject* modulus) { return Py_BuildValue("nO", height(a), modulus); },
    .nb_bool = [](PyObject* op) { return static_cast<int>(height(op) > 0); },
    .nb_int = [](PyObject* op) { return PyLong_FromSsize_t(height(op)); },
    .nb_inplace_add = [](PyObject* a, PyObject*) { return Py_NewRef(a); },
};
PySequenceMethods pile_as_sequence = {
    .sq_length = [](PyObject* op) { return height(op); },
    .sq_repeat = [](PyObject*, Py_ssize_t n) { return PyLong_FromSsize_t(n * 100); },
    .sq_item = [](PyObject*, Py_ssize_t i) { return PyLong_FromSsize_t(i); },
    .sq_ass_item =
        [](PyObject* op, Py_ssize_t i, PyObject* value) {
            height(op) = value == nullptr ? i : i * 10;
            return 0;
        },
    .sq_contains = [](PyObject*, PyObject* op) { return static_cast<int>(PyLong_Check(op)); },
};
PyTypeObject PileType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Pile",
    .tp_basicsize = sizeof(Pile),
    .tp_repr = [](PyObject*) { return PyUnicode_FromString("a pile"); },
    .tp_as_number = &pile_as_number,
    .tp_as_sequence = &pile_as_sequence,
    .tp_call =
        [](PyObject*, PyObject* args, PyObject* kwargs) {
            return Py_BuildValue("nO", PyTuple_Size(args), kwargs == nullptr ? Py_None : kwargs);
        },
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_richcompare = [](PyObject* a, PyObject*,
                         int operation) { return PyLong_FromSsize_t(height(a) * 10 + operation); },
    .tp_iter = [](PyObject* op) { return Py_NewRef(op); },
    .tp_iternext = [](PyObject*) -> PyObject* { return nullptr; },
    .tp_new = new_pile,
};

// op.name(arguments...), as Py_BuildValue makes them a tuple.
template <class... Arguments>
std::string called(PyObject* op, const char* name, const char* format = "()",
                   Arguments... arguments) {
    PyObject* method = PyObject_GetAttrString(op, name);
    if (method == nullptr) {
        return said(nullptr);
    }
    PyObject* args = Py_BuildValue(format, arguments...);
    PyObject* result = PyObject_CallObject(method, args);
    Py_DECREF(args);
    Py_DECREF(method);
    return said(result);
}

class OfAType : public SpecialMethods {
protected:
    void SetUp() override {
        SpecialMethods::SetUp();
        ASSERT_EQ(PyType_Ready(&PileType), 0);
        pile_ = PyObject_CallFunction(as_object(&PileType), "i", 3);
        ASSERT_NE(pile_, nullptr);
    }
    void TearDown() override {
        Py_CLEAR(pile_);
        SpecialMethods::TearDown();
    }
    std::string call(const char* name) { return called(pile_, name); }
    PyObject* pile_ = nullptr;
};

TEST_P(OfAType, CallItsFunctions) {
    EXPECT_EQ(call("__repr__"), "'a pile'");
    EXPECT_EQ(call("__str__"), "'a pile'");
    EXPECT_EQ(call("__len__"), "3");
    EXPECT_EQ(call("__bool__"), "True");
    EXPECT_EQ(call("__int__"), "3");
    EXPECT_EQ(called(pile_, "__add__", "(O)", pile_), "6");
    EXPECT_EQ(called(pile_, "__add__", "(i)", 1), "'contract.Pile+int'");
    EXPECT_EQ(called(pile_, "__radd__", "(i)", 1), "'int+contract.Pile'");
    EXPECT_EQ(called(pile_, "__iadd__", "(i)", 1), "a pile");
    EXPECT_EQ(called(pile_, "__pow__", "(i)", 1), "(3, None)");
    EXPECT_EQ(called(pile_, "__pow__", "(ii)", 1, 5), "(3, 5)");
    EXPECT_EQ(called(pile_, "__mul__", "(i)", 2), "200");
    EXPECT_EQ(called(pile_, "__rmul__", "(i)", 2), "200");
    EXPECT_EQ(called(pile_, "__contains__", "(i)", 2), "True");
    EXPECT_EQ(called(pile_, "__contains__", "(s)", "2"), "False");
    EXPECT_EQ(called(pile_, "__getitem__", "(i)", 1), "1");
    EXPECT_EQ(called(pile_, "__getitem__", "(i)", -1), "2");
    EXPECT_EQ(called(pile_, "__lt__", "(i)", 1), "30");
    EXPECT_EQ(called(pile_, "__ge__", "(i)", 1), "35");
    EXPECT_EQ(called(pile_, "__call__", "(ii)", 1, 2), "(2, None)");
    EXPECT_EQ(call("__iter__"), "a pile");
    EXPECT_EQ(call("__next__"), "StopIteration: ");
    EXPECT_EQ(called(pile_, "__setitem__", "(ii)", -1, 7), "None");
    EXPECT_EQ(call("__len__"), "20");
    EXPECT_EQ(called(pile_, "__delitem__", "(i)", 4), "None");
    EXPECT_EQ(call("__len__"), "4");
    EXPECT_EQ(called(as_object(&PileType), "__len__", "(O)", pile_), "4");
}

TEST_P(OfAType, AreDescriptors) {
    PyObject* descriptor = PyObject_GetAttrString(as_object(&PileType), "__len__");
    EXPECT_TRUE(Py_IS_TYPE(descriptor, &PyWrapperDescr_Type));
    EXPECT_EQ(said(Py_NewRef(descriptor)), "<slot wrapper '__len__' of 'contract.Pile' objects>");
    EXPECT_EQ(said(PyObject_GetAttrString(descriptor, "__qualname__")), "'Pile.__len__'");
    EXPECT_EQ(said(PyObject_GetAttrString(descriptor, "__doc__")), "'Return len(self).'");
    EXPECT_EQ(said(PyObject_GetAttrString(descriptor, "__text_signature__")), "'($self, /)'");
    PyObject* bound = PyObject_GetAttrString(pile_, "__len__");
    EXPECT_TRUE(Py_IS_TYPE(bound, &_PyMethodWrapper_Type));
    EXPECT_THAT(said(Py_NewRef(bound)),
                testing::StartsWith("<method-wrapper '__len__' of contract.Pile object at 0x"));
    EXPECT_EQ(said(PyObject_GetAttrString(bound, "__name__")), "'__len__'");
    EXPECT_EQ(said(PyObject_GetAttrString(bound, "__self__")), "a pile");
    PyObject* same = PyWrapper_New(descriptor, pile_);
    EXPECT_EQ(PyObject_RichCompareBool(bound, same, Py_EQ), 1);
    EXPECT_EQ(PyObject_Hash(bound), PyObject_Hash(same));
    PyObject* other = PyObject_GetAttrString(pile_, "__bool__");
    EXPECT_EQ(PyObject_RichCompareBool(bound, other, Py_NE), 1);
    drop({descriptor, bound, same, other});
    // What is inherited is not the type's own; who compares but does not hash is not hashable.
    EXPECT_EQ(PyDict_ContainsString(PileType.tp_dict, "__setattr__"), 0);
    EXPECT_EQ(PyDict_GetItemString(PileType.tp_dict, "__hash__"), Py_None);
    EXPECT_EQ(PyDict_ContainsString(PileType.tp_dict, "__getattr__"), 0);
}

TEST_P(OfAType, CheckTheirArguments) {
    PyObject* type = as_object(&PileType);
    EXPECT_EQ(called(pile_, "__len__", "(i)", 1), "TypeError: expected 0 arguments, got 1");
    EXPECT_EQ(call("__add__"), "TypeError: expected 1 argument, got 0");
    EXPECT_EQ(call("__pow__"), "TypeError:  expected at least 1 argument, got 0");
    EXPECT_EQ(called(pile_, "__setitem__", "(i)", 1), "TypeError:  expected 2 arguments, got 1");
    EXPECT_EQ(called(type, "__len__"),
              "TypeError: descriptor '__len__' of 'contract.Pile' object needs an argument");
    EXPECT_EQ(
        called(type, "__len__", "(i)", 5),
        "TypeError: descriptor '__len__' requires a 'contract.Pile' object but received a 'int'");
    PyObject* descriptor = PyObject_GetAttrString(type, "__len__");
    EXPECT_EQ(
        called(descriptor, "__get__", "(i)", 5),
        "TypeError: descriptor '__len__' for 'contract.Pile' objects doesn't apply to a 'int' "
        "object");
    EXPECT_EQ(called(descriptor, "__get__", "(OO)", Py_None, Py_None),
              "TypeError: __get__(None, None) is invalid");
    PyObject* kwargs = Py_BuildValue("{si}", "a", 1);
    PyObject* args = PyTuple_Pack(1, pile_);
    EXPECT_EQ(said(PyObject_Call(descriptor, args, kwargs)),
              "TypeError: wrapper __len__() takes no keyword arguments");
    drop({descriptor, kwargs, args});
    EXPECT_EQ(called(as_object(&PyBaseObject_Type), "__setattr__", "(Osi)", type, "a", 1),
              "TypeError: can't apply this __setattr__ to type object");
    EXPECT_EQ(called(as_object(&PyBaseObject_Type), "__delattr__", "(Os)", type, "a"),
              "TypeError: can't apply this __delattr__ to type object");
}

TEST_P(OfAType, NewMakesOnlyWhatTheTypeMayMake) {
    PyObject* type = as_object(&PileType);
    PyObject* object_type = as_object(&PyBaseObject_Type);
    EXPECT_EQ(called(type, "__new__", "(Oi)", type, 7), "a pile");
    EXPECT_EQ(called(type, "__new__"), "TypeError: contract.Pile.__new__(): not enough arguments");
    EXPECT_EQ(called(type, "__new__", "(i)", 5),
              "TypeError: contract.Pile.__new__(X): X is not a type object (int)");
    EXPECT_EQ(called(type, "__new__", "(O)", object_type),
              "TypeError: contract.Pile.__new__(object): object is not a subtype of contract.Pile");
    EXPECT_EQ(called(object_type, "__new__", "(O)", type),
              "TypeError: object.__new__(contract.Pile) is not safe, use contract.Pile.__new__()");
    EXPECT_EQ(PyDict_ContainsString(ThingType.tp_dict, "__new__"), 0);
}

TEST_P(OfAType, AreMadeWithoutLosingAnything) {
    PyType_Ready(&PileType);
    fail_each_allocation([this](Failing& failing) {
        PyObject* result = failing([this] {
            PyObject* method = PyObject_GetAttrString(pile_, "__len__");
            PyObject* length = method == nullptr ? nullptr : PyObject_CallNoArgs(method);
            Py_XDECREF(method);
            return length;
        });
        EXPECT_TRUE(result != nullptr || PyErr_ExceptionMatches(PyExc_MemoryError));
        Py_XDECREF(result);
        PyErr_Clear();
    });
}

TEST_P(OfAType, OfBuiltInTypesAreTheirOwn) {
    const auto has = [](PyTypeObject* type, const char* name) {
        return PyDict_ContainsString(type->tp_dict, name);
    };
    EXPECT_EQ(has(&PyLong_Type, "__add__"), 1);
    EXPECT_EQ(has(&PyLong_Type, "__rpow__"), 1);
    EXPECT_EQ(has(&PyLong_Type, "__setattr__"), 0);
    EXPECT_EQ(has(&PyBool_Type, "__add__"), 0);
    EXPECT_EQ(has(&PyBool_Type, "__and__"), 1);
    EXPECT_EQ(has(&PyBool_Type, "__new__"), 1);
    EXPECT_EQ(has(&PyBaseObject_Type, "__init__"), 1);
    EXPECT_EQ(has(&PyBaseObject_Type, "__new__"), 1);
    EXPECT_EQ(has(&PyType_Type, "__call__"), 1);
    PyObject* five = PyLong_FromLong(5);
    EXPECT_EQ(called(five, "__rsub__", "(i)", 3), "-2");
    EXPECT_EQ(called(five, "__add__", "(s)", "x"), "NotImplemented");
    EXPECT_EQ(called(as_object(&PyLong_Type), "__new__", "(Os)", &PyLong_Type, "17"), "17");
    Py_DECREF(five);
    EXPECT_EQ(called(Py_None, "__bool__"), "False");
}

TEST_P(OfAType, ThatIsGenericMakesAnAliasOfItsArguments) {
    const struct {
        PyTypeObject* type;
        const char* alias;
    } cases[] = {
        {&PyList_Type, "list[int]"},
        {&PyTuple_Type, "tuple[int]"},
        {&PyDict_Type, "dict[int]"},
        {&PySet_Type, "set[int]"},
        {&PyFrozenSet_Type, "frozenset[int]"},
        {&PyEnum_Type, "enumerate[int]"},
        {&PyDictProxy_Type, "mappingproxy[int]"},
        {&_PyWeakref_RefType, "weakref.ReferenceType[int]"},
    };
    for (const auto& c : cases) {
        PyObject* alias = PyObject_GetItem(as_object(c.type), as_object(&PyLong_Type));
        ASSERT_NE(alias, nullptr) << c.alias;
        PyObject* text = PyObject_Repr(alias);
        EXPECT_STREQ(PyUnicode_AsUTF8(text), c.alias);
        drop({alias, text});
    }
    EXPECT_EQ(PyObject_GetItem(as_object(&PyLong_Type), as_object(&PyLong_Type)), nullptr);
    expect_raised(PyExc_TypeError, "type 'int' is not subscriptable");
}

EVERY_WAY_OF_COUNTING(OfAType);

}  // namespace
}  // namespace ouro::test
