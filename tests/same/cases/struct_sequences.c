/* Tuples whose items have names; cells; properties. */
#include "tests/same/same.h"

static PyStructSequence_Field point_fields[] = {
    {"x", "the first"}, {"y", NULL}, {"z", NULL}, {"hidden", "no item"}, {NULL, NULL}};
static PyStructSequence_Desc point = {"same.point", "A point.", point_fields, 3};

static PyStructSequence_Field pair_fields[] = {{"first", NULL}, {"second", NULL}, {NULL, NULL}};
static PyStructSequence_Desc pair = {"same.pair", NULL, pair_fields, 2};

CASE(struct_sequences_are_tuples_with_names) {
    PyTypeObject* type = PyStructSequence_NewType(&point);
    T((PyObject*)type);
    PyObject* op = T(PyStructSequence_New(type));
    for (int i = 0; i < 4; ++i) {
        PyStructSequence_SetItem(op, i, PyLong_FromLong(i * 10));
    }
    see("it", op);
    done("size", PyObject_Size(op));
    done("a tuple", PyTuple_Check(op));
    got("x", PyObject_GetAttrString(op, "x"));
    got("hidden", PyObject_GetAttrString(op, "hidden"));
    got("other", PyObject_GetAttrString(op, "other"));
    done("set", PyObject_SetAttrString(op, "x", Py_None));
    see("item", PyStructSequence_GetItem(op, 3));
    got("slice", PySequence_GetSlice(op, 0, 2));
    got("equal", PyObject_RichCompare(op, V("(iii)", 0, 10, 20), Py_EQ));
    say("hash: %d", PyObject_Hash(op) == PyObject_Hash(V("(iii)", 0, 10, 20)));
    static const char* const names[] = {"n_sequence_fields", "n_fields", "n_unnamed_fields",
                                        "__match_args__",    "__name__", "__module__",
                                        "__doc__",           "__bases__"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); ++i) {
        got(names[i], PyObject_GetAttrString((PyObject*)type, names[i]));
    }
    got("reduced", PyObject_CallMethod(op, "__reduce__", NULL));
}

CASE(struct_sequences_are_called) {
    PyObject* type = T((PyObject*)PyStructSequence_NewType(&point));
    got("three", PyObject_CallFunction(type, "((iii))", 1, 2, 3));
    got("four",
        PyObject_GetAttrString(T(PyObject_CallFunction(type, "((iiii))", 1, 2, 3, 4)), "hidden"));
    got("two", PyObject_CallFunction(type, "((ii))", 1, 2));
    got("five", PyObject_CallFunction(type, "((iiiii))", 1, 2, 3, 4, 5));
    got("a dict",
        PyObject_GetAttrString(T(PyObject_CallFunction(type, "(iii){s:i}", 1, 2, 3, "hidden", 7)),
                               "hidden"));
    got("no dict", PyObject_CallFunction(type, "(iii)i", 1, 2, 3, 7));
    got("no sequence", PyObject_CallFunction(type, "i", 7));
    got("nothing", PyObject_CallNoArgs(type));
    got("missing",
        PyObject_GetAttrString(T(PyObject_CallFunction(type, "((iii))", 1, 2, 3)), "hidden"));
    PyObject* all = T((PyObject*)PyStructSequence_NewType(&pair));
    got("two", PyObject_CallFunction(all, "((ii))", 1, 2));
    got("three", PyObject_CallFunction(all, "((iii))", 1, 2, 3));
}

CASE(struct_sequences_of_static_types) {
    static PyTypeObject type;
    if (type.tp_name == NULL) {
        done("type", PyStructSequence_InitType2(&type, &pair));
    } else {
        done("type", 0);
    }
    PyObject* op = T(PyStructSequence_New(&type));
    PyStructSequence_SetItem(op, 0, PyUnicode_FromString("a"));
    PyStructSequence_SetItem(op, 1, PyList_New(0));
    see("it", op);
    got("second", PyObject_GetAttrString(op, "second"));
}

CASE_LEFT_OUT(struct_sequences_in_cycles_are_collected,
              "CPython 3.11 does not track what PyStructSequence_New returns") {
    PyObject* type = T((PyObject*)PyStructSequence_NewType(&point));
    PyGC_Collect();
    PyObject* op = PyStructSequence_New((PyTypeObject*)type);
    PyObject* list = PyList_New(0);
    for (int i = 0; i < 3; ++i) {
        PyStructSequence_SetItem(op, i, Py_NewRef(Py_None));
    }
    PyStructSequence_SetItem(op, 3, (PyObject*)tale("held", list));
    PyList_Append(list, op);
    Py_DECREF(list);
    Py_DECREF(op);
    say("dropped");
    done("collected", PyGC_Collect() > 0);
}

CASE(cells_hold_one_object) {
    PyObject* op = T(PyCell_New(I(5)));
    got("content", PyCell_Get(op));
    got("attribute", PyObject_GetAttrString(op, "cell_contents"));
    done("set", PyCell_Set(op, S("x")));
    see("directly", PyCell_GET(op));
    done("attribute", PyObject_SetAttrString(op, "cell_contents", I(6)));
    got("content", PyCell_Get(op));
    see("it", op);
    done("emptied", PyCell_Set(op, NULL));
    got("content", PyCell_Get(op));
    got("attribute", PyObject_GetAttrString(op, "cell_contents"));
    see("it", op);
    got("less", PyObject_RichCompare(op, T(PyCell_New(I(1))), Py_LT));
    got("equal", PyObject_RichCompare(T(PyCell_New(I(1))), T(PyCell_New(I(1))), Py_EQ));
    done("hash", PyObject_Hash(op));
    got("no cell", PyCell_Get(S("x")));
    done("no cell", PyCell_Set(S("x"), NULL));
}

static PyObject* say_get(PyObject* Py_UNUSED(self), PyObject* op) {
    say("get");
    return PyUnicode_FromFormat("of a %s", Py_TYPE(op)->tp_name);
}
static PyObject* say_set(PyObject* Py_UNUSED(self), PyObject* args) {
    see("set", PyTuple_GET_ITEM(args, 1));
    Py_RETURN_NONE;
}
static PyObject* say_delete(PyObject* Py_UNUSED(self), PyObject* Py_UNUSED(op)) {
    say("delete");
    Py_RETURN_NONE;
}

CASE(properties_call_functions) {
    DEFINE(get, "get", say_get, METH_O);
    DEFINE(set, "set", say_set, METH_VARARGS);
    DEFINE(del, "del", say_delete, METH_O);
    PyObject* property = (PyObject*)&PyProperty_Type;
    PyObject* dict = T(PyDict_New());
    PyDict_SetItemString(
        dict, "whole",
        T(PyObject_CallFunction(property, "OOOs", T(function_of(&get)), T(function_of(&set)),
                                T(function_of(&del)), "Doc.")));
    PyDict_SetItemString(dict, "empty", T(PyObject_CallNoArgs(property)));
    PyObject* type = T(derive("Owner", OBJECT_TYPE, dict));
    PyObject* op = T(PyObject_CallNoArgs(type));
    got("get", PyObject_GetAttrString(op, "whole"));
    done("set", PyObject_SetAttrString(op, "whole", I(1)));
    done("delete", PyObject_DelAttrString(op, "whole"));
    got("get", PyObject_GetAttrString(op, "empty"));
    done("set", PyObject_SetAttrString(op, "empty", I(1)));
    done("delete", PyObject_DelAttrString(op, "empty"));
    PyObject* whole = T(PyObject_GetAttrString(type, "whole"));
    say("of the class: %d", Py_IS_TYPE(whole, &PyProperty_Type));
    got("doc", PyObject_GetAttrString(whole, "__doc__"));
    PyObject* other = T(PyObject_CallMethod(whole, "setter", "O", Py_None));
    got("setter", PyObject_GetAttrString(other, "fset"));
    say("the same getter: %d",
        T(PyObject_GetAttrString(other, "fget")) == T(PyObject_GetAttrString(whole, "fget")));
    got("too many", PyObject_CallFunction(property, "iiiii", 1, 2, 3, 4, 5));
}
