// A binary operator calls the left operand's slot, then the right one's if it is another; the right one's
// first if its type is derived from the left one's. In-place operators fall back on these, + and * on
// sequences, and what nobody implements is a TypeError that names the operator and both types.
// Source: "Number Protocol"; "Type Objects", number structure; "Data model", emulating numeric types.

#include "tests/contract/numbers.hpp"

namespace ouro::test {
namespace {

// Types whose slots note that they were called, and answer or decline.
std::vector<std::string> asked;
bool base_answers, derived_answers, other_answers;

PyObject* answer(const char* who, bool answers) {
    asked.push_back(who);
    return answers ? PyUnicode_FromString(who) : Py_NewRef(Py_NotImplemented);
}
PyObject* base_binary(PyObject*, PyObject*) {
    return answer("base", base_answers);
}
PyObject* derived_binary(PyObject*, PyObject*) {
    return answer("derived", derived_answers);
}
PyObject* other_binary(PyObject*, PyObject*) {
    return answer("other", other_answers);
}
PyObject* in_place_binary(PyObject*, PyObject*) {
    return answer("in place", base_answers);
}
PyObject* base_power(PyObject*, PyObject*, PyObject*) {
    return answer("base", base_answers);
}
PyObject* derived_power(PyObject*, PyObject*, PyObject*) {
    return answer("derived", derived_answers);
}
PyObject* other_power(PyObject*, PyObject*, PyObject*) {
    return answer("other", other_answers);
}
PyObject* in_place_power(PyObject*, PyObject*, PyObject*) {
    return answer("in place", base_answers);
}

PyNumberMethods methods_with(binaryfunc binary, ternaryfunc power) {
    return {.nb_add = binary,
            .nb_subtract = binary,
            .nb_multiply = binary,
            .nb_remainder = binary,
            .nb_divmod = binary,
            .nb_power = power,
            .nb_lshift = binary,
            .nb_rshift = binary,
            .nb_and = binary,
            .nb_xor = binary,
            .nb_or = binary,
            .nb_floor_divide = binary,
            .nb_true_divide = binary,
            .nb_matrix_multiply = binary};
}
PyNumberMethods with_in_place(PyNumberMethods methods) {
    methods.nb_inplace_add = methods.nb_inplace_subtract = methods.nb_inplace_multiply =
        methods.nb_inplace_remainder = methods.nb_inplace_lshift = methods.nb_inplace_rshift =
            methods.nb_inplace_and = methods.nb_inplace_xor = methods.nb_inplace_or =
                methods.nb_inplace_floor_divide = methods.nb_inplace_true_divide =
                    methods.nb_inplace_matrix_multiply = in_place_binary;
    methods.nb_inplace_power = in_place_power;
    return methods;
}

PyNumberMethods base_methods = methods_with(base_binary, base_power);
PyNumberMethods derived_methods = methods_with(derived_binary, derived_power);
PyNumberMethods other_methods = methods_with(other_binary, other_power);
PyNumberMethods changing_methods = with_in_place(base_methods);

PyTypeObject type_with(const char* name, PyNumberMethods* methods) {
    return {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = name,
            .tp_basicsize = sizeof(PyObject),
            .tp_as_number = methods,
            .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE};
}
PyTypeObject BaseType = type_with("contract.Base", &base_methods);
PyTypeObject DerivedType = type_with("contract.Derived", &derived_methods);
PyTypeObject SameType =
    type_with("contract.Same", &base_methods);  // derived, with its base's slots
PyTypeObject OtherType = type_with("contract.Other", &other_methods);
PyTypeObject ChangingType = type_with("contract.Changing", &changing_methods);
PyTypeObject PlainType = type_with("contract.Plain", nullptr);

// Repeats and joins by saying so.
PyObject* join(PyObject*, PyObject*) {
    return PyUnicode_FromString("joined");
}
PyObject* join_in_place(PyObject*, PyObject*) {
    return PyUnicode_FromString("joined in place");
}
PyObject* repeat(PyObject*, Py_ssize_t count) {
    return PyUnicode_FromString(("repeated " + std::to_string(count)).c_str());
}
PyObject* repeat_in_place(PyObject*, Py_ssize_t count) {
    return PyUnicode_FromString(("repeated in place " + std::to_string(count)).c_str());
}
PySequenceMethods fixed_methods = {.sq_concat = join, .sq_repeat = repeat};
PySequenceMethods growing_methods = {.sq_concat = join,
                                     .sq_repeat = repeat,
                                     .sq_inplace_concat = join_in_place,
                                     .sq_inplace_repeat = repeat_in_place};
PyTypeObject sequence_type(const char* name, PySequenceMethods* methods) {
    return {.ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = name,
            .tp_basicsize = sizeof(PyObject),
            .tp_as_sequence = methods,
            .tp_flags = Py_TPFLAGS_DEFAULT};
}
PyTypeObject FixedType = sequence_type("contract.Fixed", &fixed_methods);
PyTypeObject GrowingType = sequence_type("contract.Growing", &growing_methods);

using Binary = PyObject* (*)(PyObject*, PyObject*);
struct Operator {
    const char* name;
    Binary operation;
    Binary in_place;
};
const Operator kOperators[] = {
    {"+", PyNumber_Add, PyNumber_InPlaceAdd},
    {"-", PyNumber_Subtract, PyNumber_InPlaceSubtract},
    {"*", PyNumber_Multiply, PyNumber_InPlaceMultiply},
    {"@", PyNumber_MatrixMultiply, PyNumber_InPlaceMatrixMultiply},
    {"//", PyNumber_FloorDivide, PyNumber_InPlaceFloorDivide},
    {"/", PyNumber_TrueDivide, PyNumber_InPlaceTrueDivide},
    {"%", PyNumber_Remainder, PyNumber_InPlaceRemainder},
    {"divmod()", PyNumber_Divmod, nullptr},
    {"<<", PyNumber_Lshift, PyNumber_InPlaceLshift},
    {">>", PyNumber_Rshift, PyNumber_InPlaceRshift},
    {"&", PyNumber_And, PyNumber_InPlaceAnd},
    {"^", PyNumber_Xor, PyNumber_InPlaceXor},
    {"|", PyNumber_Or, PyNumber_InPlaceOr},
    {"** or pow()", [](PyObject* x, PyObject* y) { return PyNumber_Power(x, y, Py_None); },
     [](PyObject* x, PyObject* y) { return PyNumber_InPlacePower(x, y, Py_None); }},
};

class Operators : public Things {
protected:
    void SetUp() override {
        Things::SetUp();
        DerivedType.tp_base = SameType.tp_base = &BaseType;
        for (PyTypeObject* type : {&BaseType, &DerivedType, &SameType, &OtherType, &ChangingType,
                                   &PlainType, &FixedType, &GrowingType}) {
            ASSERT_EQ(PyType_Ready(type), 0);
        }
        base_answers = derived_answers = other_answers = false;
        asked.clear();
    }

    // Who was asked, in order, when the operation was called on new objects of two types; the result's text
    // goes to result_.
    std::vector<std::string> asked_by(Binary operation, PyTypeObject* x, PyTypeObject* y) {
        asked.clear();
        PyObject* a = PyType_GenericAlloc(x, 0);
        PyObject* b = PyType_GenericAlloc(y, 0);
        result_ = take_text(operation(a, b));
        drop({a, b});
        return asked;
    }

    std::string result_;
};

using testing::ElementsAre;
using testing::IsEmpty;

TEST_P(Operators, AskTheLeftOperandThenTheRight) {
    for (const Operator& op : kOperators) {
        SCOPED_TRACE(op.name);
        EXPECT_THAT(asked_by(op.operation, &BaseType, &OtherType), ElementsAre("base", "other"));
        EXPECT_THAT(asked_by(op.operation, &OtherType, &BaseType), ElementsAre("other", "base"));
        EXPECT_THAT(asked_by(op.operation, &PlainType, &OtherType), ElementsAre("other"));
        EXPECT_THAT(asked_by(op.operation, &OtherType, &PlainType), ElementsAre("other"));
        base_answers = true;
        EXPECT_THAT(asked_by(op.operation, &BaseType, &OtherType), ElementsAre("base"));
        EXPECT_EQ(result_, "base");
        base_answers = false;
    }
}

TEST_P(Operators, AskADerivedTypeFirst) {
    for (const Operator& op : kOperators) {
        SCOPED_TRACE(op.name);
        EXPECT_THAT(asked_by(op.operation, &BaseType, &DerivedType),
                    ElementsAre("derived", "base"));
        EXPECT_THAT(asked_by(op.operation, &DerivedType, &BaseType),
                    ElementsAre("derived", "base"));
        derived_answers = true;
        EXPECT_THAT(asked_by(op.operation, &BaseType, &DerivedType), ElementsAre("derived"));
        EXPECT_EQ(result_, "derived");
        derived_answers = false;
    }
}

TEST_P(Operators, AskASlotOnce) {
    for (const Operator& op : kOperators) {
        SCOPED_TRACE(op.name);
        EXPECT_THAT(asked_by(op.operation, &BaseType, &BaseType), ElementsAre("base"));
        EXPECT_THAT(asked_by(op.operation, &BaseType, &SameType), ElementsAre("base"));
        EXPECT_THAT(asked_by(op.operation, &SameType, &BaseType), ElementsAre("base"));
    }
}

TEST_P(Operators, InPlaceFallBack) {
    for (const Operator& op : kOperators) {
        if (op.in_place == nullptr) {
            continue;
        }
        SCOPED_TRACE(op.name);
        EXPECT_THAT(asked_by(op.in_place, &ChangingType, &OtherType),
                    ElementsAre("in place", "base", "other"));
        EXPECT_THAT(asked_by(op.in_place, &OtherType, &ChangingType), ElementsAre("other", "base"))
            << "the right operand is not changed";
        base_answers = true;
        EXPECT_THAT(asked_by(op.in_place, &ChangingType, &OtherType), ElementsAre("in place"));
        EXPECT_EQ(result_, "in place");
        base_answers = false;
    }
}

TEST_P(Operators, ThatNobodyHasAreATypeError) {
    for (const Operator& op : kOperators) {
        SCOPED_TRACE(op.name);
        const std::string kinds = ": 'contract.Plain' and 'contract.Other'";
        EXPECT_THAT(asked_by(op.operation, &PlainType, &OtherType), ElementsAre("other"));
        EXPECT_EQ(result_,
                  "TypeError: unsupported operand type(s) for " + std::string(op.name) + kinds);
        if (op.in_place != nullptr) {
            const bool is_power = op.name[0] == '*' && op.name[1] == '*';
            asked_by(op.in_place, &PlainType, &OtherType);
            EXPECT_EQ(result_, "TypeError: unsupported operand type(s) for " +
                                   std::string(is_power ? "**" : op.name) + "=" + kinds);
        }
        EXPECT_THAT(asked_by(op.operation, &PlainType, &PlainType), IsEmpty());
    }
    PyObject* text = PyUnicode_FromString("x");
    EXPECT_EQ(test::apply(PyNumber_Subtract, PyLong_FromLong(1), Py_NewRef(text)),
              "TypeError: unsupported operand type(s) for -: 'int' and 'str'");
    Py_DECREF(text);
}

TEST_P(Operators, WithAModulusAskItsTypeLast) {
    PyObject* base = PyType_GenericAlloc(&BaseType, 0);
    PyObject* derived = PyType_GenericAlloc(&DerivedType, 0);
    PyObject* other = PyType_GenericAlloc(&OtherType, 0);
    PyObject* plain = PyType_GenericAlloc(&PlainType, 0);
    EXPECT_EQ(take_text(PyNumber_Power(base, derived, other)),
              "TypeError: unsupported operand type(s) for ** or pow(): 'contract.Base', "
              "'contract.Derived', 'contract.Other'");
    EXPECT_THAT(asked, ElementsAre("derived", "base", "other"));
    asked.clear();
    EXPECT_EQ(take_text(PyNumber_InPlacePower(plain, plain, base)),
              "TypeError: unsupported operand type(s) for **=: 'contract.Plain', "
              "'contract.Plain', 'contract.Base'");
    EXPECT_THAT(asked, ElementsAre("base"));
    asked.clear();
    EXPECT_EQ(PyNumber_Power(base, plain, base), nullptr);
    expect_raised(PyExc_TypeError);
    EXPECT_THAT(asked, ElementsAre("base"));
    other_answers = true;
    EXPECT_EQ(take_text(PyNumber_Power(plain, plain, other)), "other");
    drop({base, derived, other, plain});
}

TEST_P(Operators, JoinAndRepeatSequences) {
    const auto result_of = [](Binary operation, PyObject* x, PyObject* y) {
        return take_text(operation(x, y));
    };
    PyObject* fixed = PyType_GenericAlloc(&FixedType, 0);
    PyObject* growing = PyType_GenericAlloc(&GrowingType, 0);
    PyObject* three = PyLong_FromLong(3);
    PyObject* real = PyFloat_FromDouble(1.5);
    PyObject* large = integer("9223372036854775808");
    EXPECT_EQ(result_of(PyNumber_Add, fixed, three), "joined");
    EXPECT_EQ(result_of(PyNumber_InPlaceAdd, fixed, three), "joined");
    EXPECT_EQ(result_of(PyNumber_InPlaceAdd, growing, three), "joined in place");
    EXPECT_EQ(result_of(PyNumber_Add, three, fixed),
              "TypeError: unsupported operand type(s) for +: 'int' and 'contract.Fixed'");
    EXPECT_EQ(result_of(PyNumber_Multiply, fixed, three), "repeated 3");
    EXPECT_EQ(result_of(PyNumber_Multiply, three, fixed), "repeated 3");
    EXPECT_EQ(result_of(PyNumber_Multiply, Py_True, growing), "repeated 1");
    EXPECT_EQ(result_of(PyNumber_InPlaceMultiply, fixed, three), "repeated 3");
    EXPECT_EQ(result_of(PyNumber_InPlaceMultiply, growing, three), "repeated in place 3");
    EXPECT_EQ(result_of(PyNumber_InPlaceMultiply, three, growing), "repeated 3")
        << "the right operand is not changed";
    EXPECT_EQ(result_of(PyNumber_Multiply, fixed, real),
              "TypeError: can't multiply sequence by non-int of type 'float'");
    EXPECT_EQ(result_of(PyNumber_Multiply, fixed, growing),
              "TypeError: can't multiply sequence by non-int of type 'contract.Growing'");
    EXPECT_EQ(result_of(PyNumber_Multiply, fixed, large),
              "OverflowError: cannot fit 'int' into an index-sized integer");
    drop({fixed, growing, real, large});
}

TEST_P(Operators, OfBoolsAreThoseOfIntsButForTheirBits) {
    EXPECT_EQ(take_text(PyNumber_And(Py_True, Py_False)), "False");
    EXPECT_EQ(take_text(PyNumber_And(Py_True, Py_True)), "True");
    EXPECT_EQ(take_text(PyNumber_Or(Py_True, Py_False)), "True");
    EXPECT_EQ(take_text(PyNumber_Xor(Py_True, Py_True)), "False");
    EXPECT_EQ(take_text(PyNumber_Xor(Py_True, Py_False)), "True");
    EXPECT_EQ(take_text(PyNumber_And(Py_True, PyLong_FromLong(3))), "1");
    EXPECT_EQ(take_text(PyNumber_Or(PyLong_FromLong(2), Py_True)), "3");
    EXPECT_EQ(take_text(PyNumber_Xor(Py_True, PyLong_FromLong(1))), "0");
    EXPECT_EQ(take_text(PyNumber_Add(Py_True, Py_True)), "2");
    EXPECT_EQ(take_text(PyNumber_Positive(Py_True)), "1");
    EXPECT_EQ(take_text(PyNumber_Invert(Py_True)), "-2");
    EXPECT_EQ(take_text(PyNumber_Index(Py_True)), "1");
    EXPECT_EQ(take_text(PyNumber_Long(Py_False)), "0");
    EXPECT_EQ(take_text(PyNumber_Float(Py_True)), "1.0");
    EXPECT_EQ(take_text(PyNumber_And(Py_True, Py_None)),
              "TypeError: unsupported operand type(s) for &: 'bool' and 'NoneType'");
}

EVERY_WAY_OF_COUNTING(Operators);

}  // namespace
}  // namespace ouro::test
