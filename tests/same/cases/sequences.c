/* list, tuple, slice, range, iterators, and the sequence protocol. */
#include "tests/same/same.h"

CASE(a_list_is_read_and_changed) {
    PyObject* l = V("[iii]", 1, 2, 3);
    done("size", PyList_Size(l));
    see("item", PyList_GetItem(l, 2));
    see("too far", PyList_GetItem(l, 3));
    see("negative", PyList_GetItem(l, -1));
    done("set", PyList_SetItem(l, 0, PyLong_FromLong(9)));
    done("set too far", PyList_SetItem(l, 3, PyLong_FromLong(9)));
    done("insert", PyList_Insert(l, 1, S("x")));
    done("insert far", PyList_Insert(l, 100, S("end")));
    done("insert negative", PyList_Insert(l, -100, S("begin")));
    done("append", PyList_Append(l, Py_None));
    see("list", l);
    got("slice", PyList_GetSlice(l, 1, 3));
    got("slice too far", PyList_GetSlice(l, 5, 100));
    got("slice backwards", PyList_GetSlice(l, 3, 1));
    done("set slice", PyList_SetSlice(l, 1, 3, V("(iii)", 7, 8, 9)));
    see("list", l);
    done("delete slice", PyList_SetSlice(l, 0, 2, NULL));
    done("reverse", PyList_Reverse(l));
    see("list", l);
    got("tuple", PyList_AsTuple(l));
}

CASE(a_list_checks_what_it_is) {
    PyObject* t = V("(i)", 1);
    done("size of a tuple", PyList_Size(t));
    see("item of a tuple", PyList_GetItem(t, 0));
    done("append to a tuple", PyList_Append(t, Py_None));
    done("append NULL", PyList_Append(V("[]"), NULL));
    done("sort a tuple", PyList_Sort(t));
    done("insert into a tuple", PyList_Insert(t, 0, Py_None));
    got("negative size", PyList_New(-1));
    got("as tuple", PyList_AsTuple(t));
}

CASE(a_list_sorts) {
    PyObject* l = V("[iiiiii]", 5, 3, 9, -1, 3, 0);
    done("sort", PyList_Sort(l));
    see("sorted", l);
    l = V("[sss]", "b", "a", "c");
    done("sort", PyList_Sort(l));
    see("sorted", l);
    done("mixed", PyList_Sort(V("[is]", 1, "x")));
    got("reverse", PyObject_Call(T(PyObject_GetAttrString(l, "sort")), V("()"),
                                 V("{s:O}", "reverse", Py_True)));
    see("sorted", l);
    l = V("[iii]", -3, 2, 1);
    got("by key", PyObject_Call(T(PyObject_GetAttrString(l, "sort")), V("()"),
                                V("{s:N}", "key",
                                  PyObject_GetAttrString((PyObject*)&PyLong_Type, "__abs__"))));
    see("sorted", l);
    got("by position", PyObject_CallMethod(l, "sort", "O", Py_True));
}

CASE(a_list_has_methods) {
    PyObject* l = V("[iii]", 1, 2, 1);
    got("count", PyObject_CallMethod(l, "count", "i", 1));
    got("index", PyObject_CallMethod(l, "index", "i", 2));
    got("index from", PyObject_CallMethod(l, "index", "ii", 1, 1));
    got("index missing", PyObject_CallMethod(l, "index", "i", 7));
    got("remove", PyObject_CallMethod(l, "remove", "i", 1));
    got("remove missing", PyObject_CallMethod(l, "remove", "i", 7));
    got("extend", PyObject_CallMethod(l, "extend", "s", "ab"));
    got("extend by an int", PyObject_CallMethod(l, "extend", "i", 1));
    got("insert", PyObject_CallMethod(l, "insert", "is", 0, "first"));
    got("copy", PyObject_CallMethod(l, "copy", NULL));
    got("pop", PyObject_CallMethod(l, "pop", NULL));
    got("pop too far", PyObject_CallMethod(l, "pop", "i", 10));
    got("reverse", PyObject_CallMethod(l, "reverse", NULL));
    see("list", l);
    got("clear", PyObject_CallMethod(l, "clear", NULL));
    got("pop of nothing", PyObject_CallMethod(l, "pop", NULL));
    got("no arguments", PyObject_CallMethod(l, "append", NULL));
}

CASE(a_list_shows_itself) {
    PyObject* l = V("[[]s{}()z]", "x", NULL);
    see("list", l);
    done("append itself", PyList_Append(l, l));
    see("list", l);
    done("cut", PyList_SetSlice(l, 0, 6, NULL));
}

CASE(lists_compare) {
    PyObject* a = V("[iii]", 1, 2, 3);
    got("equal", PyObject_RichCompare(a, V("[iii]", 1, 2, 3), Py_EQ));
    got("less", PyObject_RichCompare(a, V("[iii]", 1, 2, 4), Py_LT));
    got("shorter", PyObject_RichCompare(V("[ii]", 1, 2), a, Py_LT));
    got("with a tuple", PyObject_RichCompare(a, V("(iii)", 1, 2, 3), Py_EQ));
    got("order with a tuple", PyObject_RichCompare(a, V("(iii)", 1, 2, 3), Py_LT));
    got("no order inside", PyObject_RichCompare(a, V("[s]", "x"), Py_LT));
    done("hash", PyObject_Hash(a));
}

CASE(items_by_subscript) {
    PyObject* l = V("[iiiii]", 0, 1, 2, 3, 4);
    PyObject* every_second = T(PySlice_New(NULL, NULL, I(2)));
    got("l[-1]", PyObject_GetItem(l, I(-1)));
    got("l[5]", PyObject_GetItem(l, I(5)));
    got("l['x']", PyObject_GetItem(l, S("x")));
    got("l[::2]", PyObject_GetItem(l, every_second));
    got("l[::-1]", PyObject_GetItem(l, T(PySlice_New(NULL, NULL, I(-1)))));
    got("l[3:1:-1]", PyObject_GetItem(l, T(PySlice_New(I(3), I(1), I(-1)))));
    got("l[::0]", PyObject_GetItem(l, T(PySlice_New(NULL, NULL, I(0)))));
    done("l[0] = 'a'", PyObject_SetItem(l, I(0), S("a")));
    done("l[9] = 'a'", PyObject_SetItem(l, I(9), S("a")));
    done("l[::2] = 3", PyObject_SetItem(l, every_second, V("(iii)", 7, 8, 9)));
    done("l[::2] = 2", PyObject_SetItem(l, every_second, V("(ii)", 7, 8)));
    done("l[1:3] = []", PyObject_SetItem(l, T(PySlice_New(I(1), I(3), NULL)), V("[]")));
    see("l", l);
    done("del l[0]", PyObject_DelItem(l, I(0)));
    done("del l[9]", PyObject_DelItem(l, I(9)));
    done("del l[::2]", PyObject_DelItem(l, every_second));
    see("l", l);
    done("l[0:1] = 5", PyObject_SetItem(l, T(PySlice_New(I(0), I(1), NULL)), I(5)));
}

CASE(a_tuple_is_read) {
    PyObject* t = V("(iii)", 1, 2, 3);
    done("size", PyTuple_Size(t));
    see("item", PyTuple_GetItem(t, 1));
    see("too far", PyTuple_GetItem(t, 3));
    got("slice", PyTuple_GetSlice(t, 1, 9));
    done("size of a list", PyTuple_Size(V("[]")));
    see("item of a list", PyTuple_GetItem(V("[i]", 1), 0));
    done("set item of a shared one", PyTuple_SetItem(T(Py_NewRef(t)), 0, PyLong_FromLong(9)));
    done("assign", PyObject_SetItem(t, I(0), I(9)));
    got("negative size", PyTuple_New(-1));
    got("subscript", PyObject_GetItem(t, I(-1)));
    got("slice of steps", PyObject_GetItem(t, T(PySlice_New(NULL, NULL, I(2)))));
    got("count", PyObject_CallMethod(t, "count", "i", 2));
    got("index missing", PyObject_CallMethod(t, "index", "i", 9));
    see("one", V("(i)", 1));
}

CASE(tuples_compare_and_hash) {
    got("equal", PyObject_RichCompare(V("(is)", 1, "x"), V("(is)", 1, "x"), Py_EQ));
    got("less", PyObject_RichCompare(V("(ii)", 1, 2), V("(i)", 1), Py_LT));
    done("hash of ()", PyObject_Hash(V("()")));
    done("hash of (1, 2)", PyObject_Hash(V("(ii)", 1, 2)));
    done("hash of ((), 1.5)", PyObject_Hash(V("(()d)", 1.5)));
    done("hash with a list", PyObject_Hash(V("(i[])", 1)));
}

CASE(containers_made_by_their_types) {
    got("list()", PyObject_CallNoArgs((PyObject*)&PyList_Type));
    got("list(range)",
        PyObject_CallOneArg((PyObject*)&PyList_Type,
                            T(PyObject_CallFunction((PyObject*)&PyRange_Type, "iii", 10, 0, -3))));
    got("tuple()", PyObject_CallNoArgs((PyObject*)&PyTuple_Type));
    got("tuple('ab')", PyObject_CallFunction((PyObject*)&PyTuple_Type, "s", "ab"));
    got("tuple(1)", PyObject_CallFunction((PyObject*)&PyTuple_Type, "i", 1));
    got("tuple(1, 2)", PyObject_CallFunction((PyObject*)&PyTuple_Type, "ii", 1, 2));
    got("a derived tuple",
        PyObject_CallFunction(T(derive("Row", (PyObject*)&PyTuple_Type, NULL)), "((ii))", 1, 2));
    see("its type", (PyObject*)Py_TYPE(T(PyObject_CallFunction(
                        T(derive("Row", (PyObject*)&PyTuple_Type, NULL)), "((ii))", 1, 2))));
}

CASE(slices_say_what_they_select) {
    PyObject* slice = T(PySlice_New(I(1), I(10), I(3)));
    Py_ssize_t start, stop, step, length;
    see("slice", slice);
    got("start", PyObject_GetAttrString(slice, "start"));
    got("indices", PyObject_CallMethod(slice, "indices", "i", 6));
    done("unpack", PySlice_Unpack(slice, &start, &stop, &step));
    length = PySlice_AdjustIndices(6, &start, &stop, step);
    say("%zd %zd %zd %zd", start, stop, step, length);
    done("GetIndicesEx",
         PySlice_GetIndicesEx(T(PySlice_New(NULL, I(-1), NULL)), 6, &start, &stop, &step, &length));
    say("%zd %zd %zd %zd", start, stop, step, length);
    done("backwards",
         PySlice_GetIndicesEx(T(PySlice_New(NULL, NULL, I(-2))), 6, &start, &stop, &step, &length));
    say("%zd %zd %zd %zd", start, stop, step, length);
    done("a str", PySlice_Unpack(T(PySlice_New(S("x"), NULL, NULL)), &start, &stop, &step));
    done("step 0", PySlice_Unpack(T(PySlice_New(NULL, NULL, I(0))), &start, &stop, &step));
    done("equal", PyObject_RichCompareBool(slice, T(PySlice_New(I(1), I(10), I(3))), Py_EQ));
    done("set", PyObject_SetAttrString(slice, "start", I(1)));
}

CASE(ranges) {
    PyObject* range = T(PyObject_CallFunction((PyObject*)&PyRange_Type, "iii", 1, 10, 3));
    see("range", range);
    see("short", T(PyObject_CallFunction((PyObject*)&PyRange_Type, "i", 3)));
    done("length", PyObject_Size(range));
    got("list", PySequence_List(range));
    got("item", PySequence_GetItem(range, -1));
    got("too far", PySequence_GetItem(range, 3));
    done("contains 4", PySequence_Contains(range, I(4)));
    done("contains 5", PySequence_Contains(range, I(5)));
    got("slice", PyObject_GetItem(range, T(PySlice_New(NULL, NULL, I(-1)))));
    done("equal",
         PyObject_RichCompareBool(
             range, T(PyObject_CallFunction((PyObject*)&PyRange_Type, "iii", 1, 8, 3)), Py_EQ));
    got("no step", PyObject_CallFunction((PyObject*)&PyRange_Type, "iii", 1, 2, 0));
    got("a float", PyObject_CallFunction((PyObject*)&PyRange_Type, "d", 1.0));
    got("nothing", PyObject_CallNoArgs((PyObject*)&PyRange_Type));
    got("index", PyObject_CallMethod(range, "index", "i", 7));
    got("index missing", PyObject_CallMethod(range, "index", "i", 8));
}

static void drain(const char* label, PyObject* iterable) {
    PyObject* iterator = PyObject_GetIter(iterable);
    PyObject* item;
    if (iterator == NULL) {
        raised(label);
        return;
    }
    say("%s: %s", label, Py_TYPE(iterator)->tp_name);
    while ((item = PyIter_Next(iterator)) != NULL) {
        got("item", item);
    }
    raised("at the end it");
    Py_DECREF(iterator);
}

CASE(iterators_of_everything) {
    drain("list", V("[ii]", 1, 2));
    drain("tuple", V("(ii)", 1, 2));
    drain("dict", V("{s:i}", "a", 1));
    drain("set", T(PySet_New(V("(i)", 7))));
    drain("str", S("a\xc3\xa9"));
    drain("bytes", T(PyBytes_FromString("AB")));
    drain("range", T(PyObject_CallFunction((PyObject*)&PyRange_Type, "i", 2)));
    drain("int", I(1));
    drain("sequence", T(PySeqIter_New(V("(ii)", 1, 2))));
}

static PyObject* count_up(PyObject* self, PyObject* unused) {
    const long value = PyLong_AsLong(PyList_GetItem(self, 0));
    (void)unused;
    if (PyList_SetItem(self, 0, PyLong_FromLong(value + 1)) < 0) {
        return NULL;
    }
    if (value == 30) {
        PyErr_SetString(PyExc_ValueError, "thirty is too much");
        return NULL;
    }
    return PyLong_FromLong(value);
}
DEFINE(count_up_definition, "count_up", count_up, METH_NOARGS);

CASE(an_iterator_of_calls) {
    drain("to a sentinel",
          T(PyCallIter_New(T(PyCFunction_NewEx(&count_up_definition, V("[i]", 1), NULL)), I(4))));
    drain("to an error",
          T(PyCallIter_New(T(PyCFunction_NewEx(&count_up_definition, V("[i]", 29), NULL)), I(99))));
}

CASE(containers_that_change_while_iterated) {
    PyObject* l = V("[ii]", 1, 2);
    PyObject* li = T(PyObject_GetIter(l));
    PyObject* d = V("{s:i}", "a", 1);
    PyObject* di = T(PyObject_GetIter(d));
    PyObject* s = T(PySet_New(V("(i)", 1)));
    PyObject* si = T(PyObject_GetIter(s));
    got("first", PyIter_Next(li));
    done("append", PyList_Append(l, I(3)));
    got("second", PyIter_Next(li));
    got("third", PyIter_Next(li));
    got("end", PyIter_Next(li));
    done("append", PyList_Append(l, I(4)));
    got("still the end", PyIter_Next(li));
    done("dict", PyDict_SetItemString(d, "b", Py_None));
    got("next of the dict", PyIter_Next(di));
    done("set", PySet_Add(s, I(2)));
    got("next of the set", PyIter_Next(si));
}

CASE(the_sequence_protocol) {
    PyObject* l = V("[iii]", 1, 2, 3);
    done("length", PySequence_Length(l));
    done("length of an int", PySequence_Length(I(1)));
    got("concat", PySequence_Concat(l, V("[i]", 4)));
    got("concat of a tuple", PySequence_Concat(l, V("(i)", 4)));
    got("concat of ints", PySequence_Concat(I(1), I(2)));
    got("repeat", PySequence_Repeat(l, 2));
    got("repeat of an int", PySequence_Repeat(I(1), 2));
    got("in place", PySequence_InPlaceConcat(l, V("(i)", 4)));
    see("changed", l);
    got("repeat in place", PySequence_InPlaceRepeat(l, 2));
    done("size", PySequence_Size(l));
    got("item", PySequence_GetItem(l, -1));
    got("item of an int", PySequence_GetItem(I(1), 0));
    got("item of a dict", PySequence_GetItem(V("{}"), 0));
    done("set", PySequence_SetItem(l, 0, S("x")));
    done("delete", PySequence_DelItem(l, -1));
    done("set of a tuple", PySequence_SetItem(V("(i)", 1), 0, I(2)));
    done("delete of a str", PySequence_DelItem(S("x"), 0));
    got("slice", PySequence_GetSlice(l, 0, -5));
    done("set slice", PySequence_SetSlice(l, 0, 2, V("()")));
    done("delete slice", PySequence_DelSlice(l, 0, 2));
    see("list", l);
    done("contains", PySequence_Contains(l, I(3)));
    done("contains of an int", PySequence_Contains(I(1), I(1)));
    done("count", PySequence_Count(V("(iii)", 1, 2, 1), I(1)));
    done("index", PySequence_Index(V("(iii)", 1, 2, 1), I(2)));
    done("index missing", PySequence_Index(V("(i)", 1), I(2)));
    got("list of a str", PySequence_List(S("ab")));
    got("tuple of a list", PySequence_Tuple(l));
    got("tuple of an int", PySequence_Tuple(I(1)));
    done("check list", PySequence_Check(l));
    done("check dict", PySequence_Check(V("{}")));
    done("check str", PySequence_Check(S("")));
    done("check int", PySequence_Check(I(1)));
}

CASE(a_fast_sequence) {
    PyObject* l = V("[ii]", 1, 2);
    PyObject* fast = T(PySequence_Fast(l, "must be a sequence"));
    PyObject* of_range =
        T(PySequence_Fast(T(PyObject_CallFunction((PyObject*)&PyRange_Type, "i", 3)), "?"));
    done("the list itself", fast == l);
    done("size", PySequence_Fast_GET_SIZE(of_range));
    see("item", PySequence_Fast_GET_ITEM(of_range, 2));
    got("not one", PySequence_Fast(I(1), "must be a sequence"));
}
