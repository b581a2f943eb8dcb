// Whether an object is a number, and which int or float it becomes, its type's nb_int, nb_float and nb_index
// say; what they give must be an int or a float. Types may be derived from int and float. Source: "Number
// Protocol"; "Integer Objects"; "Floating-Point Objects".

#include "tests/contract/numbers.hpp"

namespace ouro::test {
namespace {

// What the slots of the types below give: new references to it. NULL: they raise.
PyObject* given = nullptr;
PyObject* give(PyObject*) {
    if (given == nullptr) {
        PyErr_SetString(PyExc_RuntimeError, "nothing to give");
    }
    return Py_XNewRef(given);
}

PyNumberMethods index_methods = {.nb_index = give};
PyNumberMethods int_methods = {.nb_int = give};
PyNumberMethods float_methods = {.nb_float = give};
PyNumberMethods sum_methods = {.nb_add = [](PyObject* x, PyObject*) { return Py_NewRef(x); }};

PyTypeObject type_with(const char* name, PyNumberMethods* methods, Py_ssize_t size,
                       PyTypeObject* base = nullptr) {
    return {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = name,
            .tp_basicsize = size,
            .tp_as_number = methods,
            .tp_flags = Py_TPFLAGS_DEFAULT,
            .tp_base = base};
}
PyTypeObject IndexType = type_with("contract.Index", &index_methods, sizeof(PyObject));
PyTypeObject IntType = type_with("contract.Int", &int_methods, sizeof(PyObject));
PyTypeObject FloatType = type_with("contract.Float", &float_methods, sizeof(PyObject));
PyTypeObject SumType = type_with("contract.Sum", &sum_methods, sizeof(PyObject));

// Types of C that are ints and floats with something more.
struct NamedInt {
    PyLongObject value;
    long name;
};
struct NamedFloat {
    PyFloatObject value;
    long name;
};
PyTypeObject NamedIntType =
    type_with("contract.NamedInt", PyLong_Type.tp_as_number, sizeof(NamedInt), &PyLong_Type);
PyTypeObject NamedFloatType =
    type_with("contract.NamedFloat", PyFloat_Type.tp_as_number, sizeof(NamedFloat), &PyFloat_Type);

class Numbers : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        NamedIntType.tp_as_number = PyLong_Type.tp_as_number;
        NamedFloatType.tp_as_number = PyFloat_Type.tp_as_number;
        for (PyTypeObject* type :
             {&IndexType, &IntType, &FloatType, &SumType, &NamedIntType, &NamedFloatType}) {
            ASSERT_EQ(PyType_Ready(type), 0);
        }
    }
    void TearDown() override {
        Py_CLEAR(given);
        Things::TearDown();
    }
};

PyObject* instance(PyTypeObject* type) {
    return PyType_GenericAlloc(type, 0);
}

// One of a type that is derived from int or float, made as a call would make it.
PyObject* named(PyTypeObject* type, const char* text, long name) {
    PyObject* args = PyTuple_New(1);
    PyTuple_SET_ITEM(args, 0, PyUnicode_FromString(text));
    PyObject* op = type->tp_new(type, args, nullptr);
    Py_DECREF(args);
    if (type == &NamedIntType) {
        reinterpret_cast<NamedInt*>(op)->name = name;
    } else {
        reinterpret_cast<NamedFloat*>(op)->name = name;
    }
    return op;
}

TEST_P(Numbers, AreWhatHasOneOfThreeSlots) {
    const auto check = [](PyObject* op) {
        const auto result = std::pair(PyNumber_Check(op), PyIndex_Check(op));
        Py_DECREF(op);
        return result;
    };
    EXPECT_EQ(check(PyLong_FromLong(1)), std::pair(1, 1));
    EXPECT_EQ(check(Py_NewRef(Py_True)), std::pair(1, 1));
    EXPECT_EQ(check(PyFloat_FromDouble(1.5)), std::pair(1, 0));
    EXPECT_EQ(check(instance(&IndexType)), std::pair(1, 1));
    EXPECT_EQ(check(instance(&IntType)), std::pair(1, 0));
    EXPECT_EQ(check(instance(&FloatType)), std::pair(1, 0));
    EXPECT_EQ(check(instance(&SumType)), std::pair(0, 0));
    EXPECT_EQ(check(PyUnicode_FromString("1")), std::pair(0, 0));
    EXPECT_EQ(PyNumber_Check(nullptr), 0);
}

TEST_P(Numbers, BecomeWhatTheirSlotsGive) {
    given = PyLong_FromLong(1000);
    EXPECT_EQ(apply(PyNumber_Long, instance(&IndexType)), "1000");
    EXPECT_EQ(apply(PyNumber_Long, instance(&IntType)), "1000");
    EXPECT_EQ(apply(PyNumber_Index, instance(&IndexType)), "1000");
    EXPECT_EQ(apply(PyNumber_Float, instance(&IndexType)), "1000.0");
    PyObject* op = instance(&IndexType);
    EXPECT_EQ(PyFloat_AsDouble(op), 1000.0);
    Py_DECREF(op);
    Py_SETREF(given, PyFloat_FromDouble(2.5));
    EXPECT_EQ(apply(PyNumber_Float, instance(&FloatType)), "2.5");
    op = instance(&FloatType);
    EXPECT_EQ(PyFloat_AsDouble(op), 2.5);
    PyObject* real = PyNumber_Float(op);
    EXPECT_EQ(real, given) << "a float that is given is not copied";
    drop({op, real});
}

TEST_P(Numbers, MustBecomeAnIntOrAFloat) {
    given = PyUnicode_FromString("x");
    EXPECT_EQ(apply(PyNumber_Long, instance(&IntType)),
              "TypeError: __int__ returned non-int (type str)");
    EXPECT_EQ(apply(PyNumber_Long, instance(&IndexType)),
              "TypeError: __index__ returned non-int (type str)");
    EXPECT_EQ(apply(PyNumber_Float, instance(&IndexType)),
              "TypeError: __index__ returned non-int (type str)");
    EXPECT_EQ(apply(PyNumber_Float, instance(&FloatType)),
              "TypeError: contract.Float.__float__ returned non-float (type str)");
    PyObject* op = instance(&FloatType);
    EXPECT_EQ(PyFloat_AsDouble(op), -1.0);
    expect_raised(PyExc_TypeError, "contract.Float.__float__ returned non-float (type str)");
    Py_DECREF(op);
}

TEST_P(Numbers, PassOnWhatTheirSlotsRaise) {
    for (PyTypeObject* type : {&IndexType, &IntType}) {
        EXPECT_EQ(apply(PyNumber_Long, instance(type)), "RuntimeError: nothing to give");
    }
    for (PyTypeObject* type : {&IndexType, &FloatType}) {
        EXPECT_EQ(apply(PyNumber_Float, instance(type)), "RuntimeError: nothing to give");
    }
}

TEST_P(Numbers, AreRefusedWhereTheyHaveNoSlot) {
    EXPECT_EQ(apply(PyNumber_Index, instance(&IntType)),
              "TypeError: 'contract.Int' object cannot be interpreted as an integer");
    EXPECT_EQ(apply(PyNumber_Long, instance(&FloatType)),
              "TypeError: int() argument must be a string, a bytes-like object or a real number, "
              "not 'contract.Float'");
    EXPECT_EQ(apply(PyNumber_Float, instance(&SumType)),
              "TypeError: float() argument must be a string or a real number, not 'contract.Sum'");
    PyObject* op = instance(&IntType);
    EXPECT_EQ(PyFloat_AsDouble(op), -1.0);
    expect_raised(PyExc_TypeError, "must be real number, not contract.Int");
    Py_DECREF(op);
    EXPECT_EQ(apply(PyNumber_Negative, instance(&SumType)),
              "TypeError: bad operand type for unary -: 'contract.Sum'");
    EXPECT_EQ(apply(PyNumber_Positive, instance(&SumType)),
              "TypeError: bad operand type for unary +: 'contract.Sum'");
    EXPECT_EQ(apply(PyNumber_Invert, instance(&SumType)),
              "TypeError: bad operand type for unary ~: 'contract.Sum'");
    EXPECT_EQ(apply(PyNumber_Absolute, instance(&SumType)),
              "TypeError: bad operand type for abs(): 'contract.Sum'");
}

TEST_P(Numbers, ThatAreNoObjectsAreASystemError) {
    for (const auto operation :
         {PyNumber_Negative, PyNumber_Positive, PyNumber_Invert, PyNumber_Absolute, PyNumber_Long,
          PyNumber_Float, PyNumber_Index}) {
        EXPECT_EQ(operation(nullptr), nullptr);
        expect_raised(PyExc_SystemError, "null argument to internal routine");
        PyErr_SetString(PyExc_KeyError, "why it is NULL");
        EXPECT_EQ(operation(nullptr), nullptr);
        expect_raised(PyExc_KeyError);
    }
}

TEST_P(Numbers, MayBeDerivedFromInt) {
    for (const char* digits : {"7", "-9223372036854775808", "100000000000000000000000000000000"}) {
        SCOPED_TRACE(digits);
        PyObject* op = named(&NamedIntType, digits, 42);
        ASSERT_NE(op, nullptr);
        EXPECT_EQ(Py_TYPE(op), &NamedIntType);
        EXPECT_EQ(reinterpret_cast<NamedInt*>(op)->name, 42);
        EXPECT_TRUE(PyLong_Check(op));
        EXPECT_FALSE(PyLong_CheckExact(op));
        PyObject* plain = integer(digits);
        EXPECT_EQ(PyObject_RichCompareBool(op, plain, Py_EQ), 1);
        EXPECT_EQ(PyObject_Hash(op), PyObject_Hash(plain));
        for (PyObject* made : {PyNumber_Long(op), PyNumber_Index(op), PyNumber_Positive(op)}) {
            EXPECT_TRUE(PyLong_CheckExact(made));
            EXPECT_EQ(PyObject_RichCompareBool(made, plain, Py_EQ), 1);
            Py_DECREF(made);
        }
        PyObject* sum = PyNumber_Subtract(op, plain);
        EXPECT_EQ(sum, PyLong_FromLong(0));
        EXPECT_EQ(take_text(op), digits);
        Py_DECREF(plain);
    }
    // One that nobody gave a value.
    PyObject* zero = instance(&NamedIntType);
    EXPECT_EQ(PyLong_AsLong(zero), 0);
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    Py_DECREF(zero);
}

TEST_P(Numbers, MayBeDerivedFromFloat) {
    PyObject* op = named(&NamedFloatType, "2.5", 42);
    ASSERT_NE(op, nullptr);
    EXPECT_EQ(Py_TYPE(op), &NamedFloatType);
    EXPECT_EQ(reinterpret_cast<NamedFloat*>(op)->name, 42);
    EXPECT_EQ(PyFloat_AsDouble(op), 2.5);
    for (PyObject* made : {PyNumber_Float(op), PyNumber_Positive(op)}) {
        EXPECT_TRUE(PyFloat_CheckExact(made));
        EXPECT_EQ(PyFloat_AS_DOUBLE(made), 2.5);
        Py_DECREF(made);
    }
    // As what a slot gives they are floats too, and where a float and no more is asked for they are copied.
    given = op;
    EXPECT_EQ(apply(PyNumber_Float, instance(&FloatType)), "2.5");
    PyObject* source = instance(&FloatType);
    EXPECT_EQ(PyFloat_AsDouble(source), 2.5);
    Py_DECREF(source);
}

EVERY_WAY_OF_COUNTING(Numbers);

}  // namespace
}  // namespace ouro::test
