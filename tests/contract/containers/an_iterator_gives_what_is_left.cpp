// Iterators: what they give, when they end, what they keep alive, and what lists under them may do meanwhile.
// Source: "Iterator Protocol", "Iterator Objects".

#include "tests/contract/methods.hpp"
#include "tests/support/failing.hpp"

namespace ouro::test {
namespace {

using Iterators = Things;

std::string next(PyObject* iterator) {
    PyObject* item = PyIter_Next(iterator);
    return item == nullptr && PyErr_Occurred() != nullptr ? take_raised() : repr_of(item);
}

std::string hint(PyObject* iterator) {
    return called_with(iterator, "__length_hint__", "", "");
}

// The iterator over what is written so.
PyObject* over(const char* text) {
    PyObject* iterable = literal(text);
    PyObject* iterator = PyObject_GetIter(iterable);
    Py_DECREF(iterable);
    return iterator;
}

TEST_P(Iterators, EachTypeHasItsOwn) {
    const struct {
        const char* iterable;
        const char* type;
        int size;
    } cases[] = {{"[1, 2]", "list_iterator", 2},
                 {"(1, 2)", "tuple_iterator", 2},
                 {"'ab'", "str_ascii_iterator", 2},
                 {"'a\u20ac\U0001f600'", "str_iterator", 3},
                 {"b'abc'", "bytes_iterator", 3},
                 {"range(4)", "range_iterator", 4},
                 {"range(123456789012345678901, 123456789012345678903)", "longrange_iterator", 2}};
    for (const auto& each : cases) {
        SCOPED_TRACE(each.iterable);
        PyObject* iterator = over(each.iterable);
        EXPECT_STREQ(Py_TYPE(iterator)->tp_name, each.type);
        EXPECT_EQ(PyIter_Check(iterator), 1);
        PyObject* same = PyObject_GetIter(iterator);
        EXPECT_EQ(same, iterator) << "an iterator is its own";
        Py_DECREF(same);
        for (int left = each.size; left > 0; --left) {
            EXPECT_EQ(hint(iterator), std::to_string(left));
            EXPECT_EQ(PyObject_LengthHint(iterator, 77), left);
            EXPECT_NE(next(iterator), "(none)");
        }
        EXPECT_EQ(hint(iterator), "0");
        EXPECT_EQ(next(iterator), "(none)");
        EXPECT_EQ(next(iterator), "(none)");
        EXPECT_EQ(hint(iterator), "0");
        Py_DECREF(iterator);
    }
}

TEST_P(Iterators, AListMayChangeUnderIts) {
    PyObject* list = literal("[1, 2]");
    PyObject* iterator = PyObject_GetIter(list);
    EXPECT_EQ(next(iterator), "1");
    EXPECT_EQ(called_with(list, "append", "3", ""), "None");
    EXPECT_EQ(next(iterator), "2");
    EXPECT_EQ(next(iterator), "3");
    EXPECT_EQ(PyList_Clear(list), 0);
    EXPECT_EQ(hint(iterator), "0");
    EXPECT_EQ(next(iterator), "(none)");
    EXPECT_EQ(Py_REFCNT(list), 1) << "at its end it lets go of the list";
    EXPECT_EQ(called_with(list, "append", "4", ""), "None");
    EXPECT_EQ(next(iterator), "(none)") << "the end is the end";
    drop({iterator, list});
}

TEST_P(Iterators, BackwardsOverAListAndARange) {
    for (const char* text : {"[1, 2, 3]", "range(1, 4)"}) {
        PyObject* iterable = literal(text);
        PyObject* method = PyObject_GetAttrString(iterable, "__reversed__");
        PyObject* iterator = PyObject_CallNoArgs(method);
        EXPECT_EQ(hint(iterator), "3");
        EXPECT_EQ(next(iterator), "3");
        EXPECT_EQ(next(iterator), "2");
        EXPECT_EQ(hint(iterator), "1");
        EXPECT_EQ(next(iterator), "1");
        EXPECT_EQ(next(iterator), "(none)");
        EXPECT_EQ(hint(iterator), "0");
        drop({iterator, method, iterable});
    }
    PyObject* iterable = literal("range(123456789012345678901, 123456789012345678907, 3)");
    EXPECT_EQ(called_with(iterable, "__len__", "", ""), "2");
    PyObject* method = PyObject_GetAttrString(iterable, "__reversed__");
    PyObject* iterator = PyObject_CallNoArgs(method);
    EXPECT_EQ(next(iterator), "123456789012345678904");
    EXPECT_EQ(next(iterator), "123456789012345678901");
    EXPECT_EQ(next(iterator), "(none)");
    drop({iterator, method, iterable});
    // The last one is no long, though the first is.
    iterable = literal("range(9223372036854775807, 9223372036854775809)");
    method = PyObject_GetAttrString(iterable, "__reversed__");
    iterator = PyObject_CallNoArgs(method);
    EXPECT_EQ(next(iterator), "9223372036854775808");
    EXPECT_EQ(next(iterator), "9223372036854775807");
    EXPECT_EQ(next(iterator), "(none)");
    drop({iterator, method, iterable});
}

// A sequence in C: `size` items, each its own number; then IndexError, or what `error` says.
struct Squares {
    PyObject ob_base;
    Py_ssize_t size;
    PyObject** error;
};

Squares* squares(PyObject* op) {
    return reinterpret_cast<Squares*>(op);
}

PyObject* squares_item(PyObject* op, Py_ssize_t i) {
    if (i < squares(op)->size) {
        return PyLong_FromSsize_t(i * i);
    }
    PyErr_SetString(*squares(op)->error, "no more");
    return nullptr;
}

PySequenceMethods squares_as_sequence = {.sq_item = squares_item};

PyTypeObject SquaresType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Squares",
    .tp_basicsize = sizeof(Squares),
    .tp_as_sequence = &squares_as_sequence,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

PyObject* new_squares(Py_ssize_t size, PyObject** error) {
    EXPECT_EQ(PyType_Ready(&SquaresType), 0);
    PyObject* op = SquaresType.tp_alloc(&SquaresType, 0);
    squares(op)->size = size;
    squares(op)->error = error;
    return op;
}

TEST_P(Iterators, ASequenceIsAskedUntilIndexError) {
    PyObject* sequence = new_squares(3, &PyExc_IndexError);
    EXPECT_EQ(repr_of(PySequence_List(sequence)), "[0, 1, 4]");
    PyObject* nine = PyLong_FromLong(4);
    EXPECT_EQ(PySequence_Contains(sequence, nine), 1);
    EXPECT_EQ(PySequence_Index(sequence, nine), 2);
    PyObject* iterator = PyObject_GetIter(sequence);
    EXPECT_TRUE(PySeqIter_Check(iterator));
    EXPECT_EQ(hint(iterator), "NotImplemented");
    EXPECT_EQ(PyObject_LengthHint(iterator, 5), 5);
    EXPECT_EQ(Py_REFCNT(sequence), 2);
    EXPECT_EQ(next(iterator), "0");
    EXPECT_EQ(next(iterator), "1");
    EXPECT_EQ(next(iterator), "4");
    EXPECT_EQ(next(iterator), "(none)");
    EXPECT_EQ(Py_REFCNT(sequence), 1);
    drop({iterator, sequence, nine});

    sequence = new_squares(1, &PyExc_KeyError);
    iterator = PySeqIter_New(sequence);
    EXPECT_EQ(next(iterator), "0");
    EXPECT_EQ(next(iterator), "KeyError: 'no more'");
    EXPECT_EQ(PySequence_List(sequence), nullptr);
    EXPECT_EQ(take_raised(), "KeyError: 'no more'");
    drop({iterator, sequence});
    EXPECT_EQ(PySeqIter_New(Py_None), nullptr);
    EXPECT_THAT(take_raised(), testing::HasSubstr("bad argument to internal function"));
}

// A callable that returns 1, 2, 3 ..., or raises what it is told to at 4.
PyObject* count_up(PyObject* self, PyObject*) {
    auto* state = static_cast<std::pair<long, PyObject*>*>(PyCapsule_GetPointer(self, nullptr));
    if (++state->first == 4 && state->second != nullptr) {
        PyErr_SetString(state->second, "four");
        return nullptr;
    }
    return PyLong_FromLong(state->first);
}

PyMethodDef count_up_method = {"count_up", count_up, METH_NOARGS, nullptr};

TEST_P(Iterators, ACallableIsAskedUntilItsSentinel) {
    for (PyObject* error : {static_cast<PyObject*>(nullptr), PyExc_StopIteration, PyExc_KeyError}) {
        std::pair<long, PyObject*> state{0, error};
        PyObject* capsule = PyCapsule_New(&state, nullptr, nullptr);
        PyObject* callable = PyCFunction_New(&count_up_method, capsule);
        PyObject* sentinel = PyFloat_FromDouble(error == nullptr ? 4.0 : 100.0);
        PyObject* iterator = PyCallIter_New(callable, sentinel);
        EXPECT_TRUE(PyCallIter_Check(iterator));
        EXPECT_TRUE(PyObject_GC_IsTracked(iterator));
        EXPECT_EQ(next(iterator), "1");
        EXPECT_EQ(next(iterator), "2");
        EXPECT_EQ(next(iterator), "3");
        EXPECT_EQ(next(iterator), error == PyExc_KeyError ? "KeyError: 'four'" : "(none)");
        EXPECT_EQ(next(iterator), error == PyExc_KeyError ? "5" : "(none)");
        EXPECT_EQ(Py_REFCNT(callable), error == PyExc_KeyError ? 2 : 1) << "the end lets go of it";
        drop({iterator, sentinel, callable, capsule});
    }
}

TEST_P(Iterators, TheNextItemHasAStatus) {
    PyObject* iterator = over("[7]");
    PyObject* item;
    EXPECT_EQ(PyIter_NextItem(iterator, &item), 1);
    EXPECT_EQ(repr_of(item), "7");
    EXPECT_EQ(PyIter_NextItem(iterator, &item), 0);
    EXPECT_EQ(item, nullptr);
    Py_DECREF(iterator);
    EXPECT_EQ(PyIter_NextItem(Py_None, &item), -1);
    EXPECT_EQ(item, nullptr);
    EXPECT_EQ(take_raised(), "TypeError: expected an iterator, got 'NoneType'");
    iterator = over("(7, )");
    EXPECT_EQ(PyIter_Send(iterator, Py_None, &item), PYGEN_NEXT);
    EXPECT_EQ(repr_of(item), "7");
    EXPECT_EQ(PyIter_Send(iterator, Py_None, &item), PYGEN_RETURN);
    EXPECT_EQ(repr_of(item), "None");
    EXPECT_EQ(PyIter_Send(iterator, Py_True, &item), PYGEN_ERROR);
    EXPECT_EQ(take_raised(), "AttributeError: 'tuple_iterator' object has no attribute 'send'");
    Py_DECREF(iterator);
}

PyTypeObject WrongType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Wrong",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_iter = [](PyObject*) { return Py_NewRef(Py_None); },
};

TEST_P(Iterators, WhatIsNoIteratorIsRefused) {
    ASSERT_EQ(PyType_Ready(&WrongType), 0);
    PyObject* op = WrongType.tp_alloc(&WrongType, 0);
    EXPECT_EQ(PyObject_GetIter(op), nullptr);
    EXPECT_EQ(take_raised(), "TypeError: iter() returned non-iterator of type 'NoneType'");
    EXPECT_EQ(PySequence_Count(op, Py_None), -1);
    EXPECT_EQ(take_raised(), "TypeError: argument of type 'contract.Wrong' is not iterable");
    EXPECT_EQ(PyObject_GetAIter(op), nullptr);
    EXPECT_EQ(take_raised(), "TypeError: 'contract.Wrong' object is not an async iterable");
    EXPECT_EQ(PyIter_Check(op), 0);
    EXPECT_EQ(PyAIter_Check(op), 0);
    Py_DECREF(op);
}

// A list that holds an iterator over itself.
TEST_P(Iterators, ACycleThroughAnIteratorIsCollected) {
    PyGC_Collect();
    PyObject* list = PyList_New(0);
    PyObject* iterator = PyObject_GetIter(list);
    EXPECT_EQ(PyList_Append(list, iterator), 0);
    PyObject* item = new_thing(1);
    EXPECT_EQ(PyList_Append(list, item), 0);
    drop({list, iterator, item});
    EXPECT_EQ(record.live, 1);
    PyGC_Collect();
    EXPECT_EQ(record.live, 0);
}

TEST_P(Iterators, WithoutMemoryNothingIsLost) {
    using Maker = PyObject* (*)(PyObject*);
    const struct {
        const char* name;
        const char* operand;
        Maker make;
    } cases[] = {
        {"list from an iterable", "'a\u20acb'", PySequence_List},
        {"list from a list", "[1, 2, 3, 4, 5, 6, 7, 8, 9]", PySequence_List},
        {"tuple from an iterable", "range(1000, 1020)", PySequence_Tuple},
        {"sum of lists", "[1, 2]", [](PyObject* op) { return PySequence_Concat(op, op); }},
        {"sum of tuples", "(1, 2)", [](PyObject* op) { return PySequence_Concat(op, op); }},
        {"repeated list", "[1, 2]", [](PyObject* op) { return PySequence_Repeat(op, 9); }},
        {"repeated tuple", "(1, 2)", [](PyObject* op) { return PySequence_Repeat(op, 9); }},
        {"slice of a list", "[1, 2, 3, 4]",
         [](PyObject* op) { return PySequence_GetSlice(op, 1000, 2000); }},
        {"iterator", "[1]", PyObject_GetIter},
        {"sequence iterator", "[1]", PySeqIter_New},
        {"call iterator", "[1]", [](PyObject* op) { return PyCallIter_New(op, op); }},
        {"range", "(1000, 2000, 7)",
         [](PyObject* args) { return PyObject_CallObject(object(&PyRange_Type), args); }},
        {"large range", "(123456789012345678901, 223456789012345678901, 7)",
         [](PyObject* args) { return PyObject_CallObject(object(&PyRange_Type), args); }},
        {"slice", "(1000, 2000, 7)",
         [](PyObject* args) { return PyObject_CallObject(object(&PySlice_Type), args); }},
    };
    for (const auto& each : cases) {
        SCOPED_TRACE(each.name);
        PyObject* operand = literal(each.operand);
        Py_XDECREF(each.make(operand));  // names and types are made once
        const int failures = fail_each_allocation([&](Failing& failing) {
            PyObject* made = failing([&] { return each.make(operand); });
            if (made == nullptr) {
                EXPECT_EQ(take_raised(), "MemoryError: ");
            }
            Py_XDECREF(made);
        });
        EXPECT_GE(failures, 2);
        Py_DECREF(operand);
    }
}

EVERY_WAY_OF_COUNTING(Iterators);

}  // namespace
}  // namespace ouro::test
