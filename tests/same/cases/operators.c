/* Operators of types made in C: which operand is asked, in place, and the words where none is found. */
#include "tests/same/same.h"

static PyObject* told(const char* who, const char* what, PyObject* x, PyObject* y) {
    return PyUnicode_FromFormat("%s.%s(%s, %s)", who, what, Py_TYPE(x)->tp_name,
                                Py_TYPE(y)->tp_name);
}
static PyObject* base_add(PyObject* x, PyObject* y) {
    return told("base", "add", x, y);
}
static PyObject* base_iadd(PyObject* x, PyObject* y) {
    return told("base", "iadd", x, y);
}
static PyObject* derived_add(PyObject* x, PyObject* y) {
    return told("derived", "add", x, y);
}
static PyObject* refuses(PyObject* x, PyObject* y) {
    say("asked with (%s, %s)", Py_TYPE(x)->tp_name, Py_TYPE(y)->tp_name);
    Py_RETURN_NOTIMPLEMENTED;
}
static PyObject* tells_power(PyObject* x, PyObject* y, PyObject* z) {
    return PyUnicode_FromFormat("power(%s, %s, %s)", Py_TYPE(x)->tp_name, Py_TYPE(y)->tp_name,
                                Py_TYPE(z)->tp_name);
}
static PyObject* tells_one(PyObject* x) {
    return PyUnicode_FromFormat("one(%s)", Py_TYPE(x)->tp_name);
}
static PyObject* repeats(PyObject* x, Py_ssize_t times) {
    return PyUnicode_FromFormat("repeat(%s, %zd)", Py_TYPE(x)->tp_name, times);
}
static PyObject* concatenates(PyObject* x, PyObject* y) {
    return told("sequence", "concat", x, y);
}

static PyObject* make(const char* name, PyObject* base, PyType_Slot* slots) {
    PyType_Spec spec = {name, 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    return T(PyType_FromSpecWithBases(&spec, base));
}
static PyObject* with(PyType_Slot* slots) {
    return T(PyObject_CallNoArgs(make("same.Op", OBJECT_TYPE, slots)));
}

CASE(the_left_operand_is_asked_first) {
    PyType_Slot slots[] = {{Py_nb_add, (void*)base_add}, {0, NULL}};
    PyObject* op = with(slots);
    got("op + 1", PyNumber_Add(op, I(1)));
    got("1 + op", PyNumber_Add(I(1), op));
    got("op + 'x'", PyNumber_Add(op, S("x")));
    got("'x' + op", PyNumber_Add(S("x"), op));
    got("op + op", PyNumber_Add(op, op));
}

CASE(a_derived_right_operand_is_asked_before) {
    PyType_Slot base_slots[] = {{Py_nb_add, (void*)base_add}, {0, NULL}};
    PyType_Slot derived_slots[] = {{Py_nb_add, (void*)derived_add}, {0, NULL}};
    PyObject* base = make("same.Base", OBJECT_TYPE, base_slots);
    PyObject* derived = make("same.Derived", base, derived_slots);
    PyObject* b = T(PyObject_CallNoArgs(base));
    PyObject* d = T(PyObject_CallNoArgs(derived));
    got("b + d", PyNumber_Add(b, d));
    got("d + b", PyNumber_Add(d, b));
    got("b + b", PyNumber_Add(b, b));
}

CASE(both_operands_refuse) {
    PyType_Slot slots[] = {{Py_nb_add, (void*)refuses}, {0, NULL}};
    PyType_Slot other_slots[] = {
        {Py_nb_add, (void*)refuses}, {Py_nb_subtract, (void*)base_add}, {0, NULL}};
    PyObject* a = with(slots);
    PyObject* b = T(PyObject_CallNoArgs(make("same.Other", OBJECT_TYPE, other_slots)));
    got("a + b", PyNumber_Add(a, b));
    got("a + a", PyNumber_Add(a, a));
    got("a + 1", PyNumber_Add(a, I(1)));
    got("a += b", PyNumber_InPlaceAdd(a, b));
}

CASE(in_place_operators) {
    PyType_Slot slots[] = {{Py_nb_inplace_add, (void*)base_iadd},
                           {Py_nb_add, (void*)base_add},
                           {Py_nb_subtract, (void*)base_add},
                           {0, NULL}};
    PyObject* op = with(slots);
    got("op += 1", PyNumber_InPlaceAdd(op, I(1)));
    got("op -= 1", PyNumber_InPlaceSubtract(op, I(1)));
    got("op *= 1", PyNumber_InPlaceMultiply(op, I(1)));
    got("1 += op", PyNumber_InPlaceAdd(I(1), op));
}

typedef PyObject* (*Binary)(PyObject*, PyObject*);

CASE(words_for_each_operator) {
    PyObject* op = T(PyObject_CallNoArgs(OBJECT_TYPE));
    static const struct {
        const char* name;
        Binary function;
    } all[] = {
        {"+", PyNumber_Add},
        {"-", PyNumber_Subtract},
        {"*", PyNumber_Multiply},
        {"@", PyNumber_MatrixMultiply},
        {"/", PyNumber_TrueDivide},
        {"//", PyNumber_FloorDivide},
        {"%", PyNumber_Remainder},
        {"divmod", PyNumber_Divmod},
        {"<<", PyNumber_Lshift},
        {">>", PyNumber_Rshift},
        {"&", PyNumber_And},
        {"^", PyNumber_Xor},
        {"|", PyNumber_Or},
        {"+=", PyNumber_InPlaceAdd},
        {"-=", PyNumber_InPlaceSubtract},
        {"*=", PyNumber_InPlaceMultiply},
        {"@=", PyNumber_InPlaceMatrixMultiply},
        {"/=", PyNumber_InPlaceTrueDivide},
        {"//=", PyNumber_InPlaceFloorDivide},
        {"%=", PyNumber_InPlaceRemainder},
        {"<<=", PyNumber_InPlaceLshift},
        {">>=", PyNumber_InPlaceRshift},
        {"&=", PyNumber_InPlaceAnd},
        {"^=", PyNumber_InPlaceXor},
        {"|=", PyNumber_InPlaceOr},
    };
    size_t i;
    for (i = 0; i < sizeof all / sizeof *all; ++i) {
        got(all[i].name, all[i].function(op, I(1)));
    }
    got("**", PyNumber_Power(op, I(1), Py_None));
    got("** with modulus", PyNumber_Power(op, I(1), I(2)));
    got("**=", PyNumber_InPlacePower(op, I(1), Py_None));
    got("neg", PyNumber_Negative(op));
    got("pos", PyNumber_Positive(op));
    got("invert", PyNumber_Invert(op));
    got("abs", PyNumber_Absolute(op));
}

CASE(powers_of_a_type_in_c) {
    PyType_Slot slots[] = {{Py_nb_power, (void*)tells_power}, {0, NULL}};
    PyObject* op = with(slots);
    got("op ** 2", PyNumber_Power(op, I(2), Py_None));
    got("2 ** op", PyNumber_Power(I(2), op, Py_None));
    got("pow(2, 3, op)", PyNumber_Power(I(2), I(3), op));
    got("op **= 2", PyNumber_InPlacePower(op, I(2), Py_None));
}

CASE(unary_operators_of_a_type_in_c) {
    PyType_Slot slots[] = {{Py_nb_negative, (void*)tells_one},
                           {Py_nb_invert, (void*)tells_one},
                           {Py_nb_int, (void*)tells_one},
                           {Py_nb_index, (void*)tells_one},
                           {0, NULL}};
    PyObject* op = with(slots);
    got("-op", PyNumber_Negative(op));
    got("~op", PyNumber_Invert(op));
    got("+op", PyNumber_Positive(op));
    got("int(op)", PyNumber_Long(op));
    got("index", PyNumber_Index(op));
}

CASE(a_sequence_is_added_and_repeated) {
    PyType_Slot slots[] = {
        {Py_sq_concat, (void*)concatenates}, {Py_sq_repeat, (void*)repeats}, {0, NULL}};
    PyObject* op = with(slots);
    got("op + 1", PyNumber_Add(op, I(1)));
    got("op * 3", PyNumber_Multiply(op, I(3)));
    got("3 * op", PyNumber_Multiply(I(3), op));
    got("op * 'x'", PyNumber_Multiply(op, S("x")));
    got("op * 2.0", PyNumber_Multiply(op, F(2)));
    got("concat", PySequence_Concat(op, S("x")));
    got("repeat", PySequence_Repeat(op, -2));
    got("op += 1", PyNumber_InPlaceAdd(op, I(1)));
    got("op *= 2", PyNumber_InPlaceMultiply(op, I(2)));
}

CASE(sequences_of_our_own_and_numbers) {
    got("[1] + (2,)", PyNumber_Add(V("[i]", 1), V("(i)", 2)));
    got("(1,) + [2]", PyNumber_Add(V("(i)", 1), V("[i]", 2)));
    got("'a' + 1", PyNumber_Add(S("a"), I(1)));
    got("1 + 'a'", PyNumber_Add(I(1), S("a")));
    got("b'a' + 'b'", PyNumber_Add(T(PyBytes_FromString("a")), S("b")));
    got("'a' * 3", PyNumber_Multiply(S("a"), I(3)));
    got("3 * [1]", PyNumber_Multiply(I(3), V("[i]", 1)));
    got("[1] * 2.0", PyNumber_Multiply(V("[i]", 1), F(2)));
    got("'a' * 'b'", PyNumber_Multiply(S("a"), S("b")));
    got("[1] * -1", PyNumber_Multiply(V("[i]", 1), I(-1)));
    got("[1] - [1]", PyNumber_Subtract(V("[i]", 1), V("[i]", 1)));
    got("None + 1", PyNumber_Add(Py_None, I(1)));
    got("too much", PyNumber_Multiply(V("(i)", 1), I(PY_SSIZE_T_MAX)));
}

static PyObject* compares(PyObject* x, PyObject* y, int operation) {
    say("compare(%s, %s, %d)", Py_TYPE(x)->tp_name, Py_TYPE(y)->tp_name, operation);
    if (operation == Py_EQ || operation == Py_LT) {
        return Py_NewRef(Py_True);
    }
    Py_RETURN_NOTIMPLEMENTED;
}

CASE(comparisons_ask_both_sides) {
    PyType_Slot slots[] = {{Py_tp_richcompare, (void*)compares}, {0, NULL}};
    PyObject* op = with(slots);
    got("op == 1", PyObject_RichCompare(op, I(1), Py_EQ));
    got("1 == op", PyObject_RichCompare(I(1), op, Py_EQ));
    got("op != 1", PyObject_RichCompare(op, I(1), Py_NE));
    got("op < 1", PyObject_RichCompare(op, I(1), Py_LT));
    got("1 > op", PyObject_RichCompare(I(1), op, Py_GT));
    got("op > 1", PyObject_RichCompare(op, I(1), Py_GT));
    got("op >= op", PyObject_RichCompare(op, op, Py_GE));
    done("bool of identity", PyObject_RichCompareBool(op, op, Py_NE));
    done("hash", PyObject_Hash(op));
}

CASE(objects_without_an_order) {
    PyObject* a = T(PyObject_CallNoArgs(OBJECT_TYPE));
    got("<", PyObject_RichCompare(a, I(1), Py_LT));
    got("<=", PyObject_RichCompare(a, S("x"), Py_LE));
    got(">", PyObject_RichCompare(Py_None, a, Py_GT));
    got(">=", PyObject_RichCompare(V("[]"), V("()"), Py_GE));
    got("==", PyObject_RichCompare(a, a, Py_EQ));
    got("!=", PyObject_RichCompare(a, I(1), Py_NE));
    done("less", PyObject_RichCompareBool(a, I(1), Py_LT));
}
