/* The tutorial's sessions with custom3, custom4 and sublist, in both ways of initialising a module. */
#include "tests/same/same.h"

static PyObject* type_in(const char* module, const char* name) {
    PyObject* m = T(PyImport_ImportModule(module));
    return T(PyObject_GetAttrString(m, name));
}

static void finer_control(const char* module) {
    PyObject* type = type_in(module, "Custom");
    PyObject* op = T(PyObject_CallFunction(type, "ssi", "Grace", "Hopper", 9));
    got("name()", PyObject_CallMethod(op, "name", NULL));
    done("del first", PyObject_DelAttrString(op, "first"));
    done("del last", PyObject_DelAttrString(op, "last"));
    done("first = 1", PyObject_SetAttrString(op, "first", I(1)));
    done("last = None", PyObject_SetAttrString(op, "last", Py_None));
    got("name() as before", PyObject_CallMethod(op, "name", NULL));
    done("first = 'Rear'", PyObject_SetAttrString(op, "first", S("Rear")));
    done("last = 'Admiral'", PyObject_SetAttrString(op, "last", S("Admiral")));
    got("name()", PyObject_CallMethod(op, "name", NULL));
    got("number", PyObject_GetAttrString(op, "number"));
    done("del number", PyObject_DelAttrString(op, "number"));
    see("Custom.first", T(PyObject_GetAttrString(type, "first")));
    see("Custom.number", T(PyObject_GetAttrString(type, "number")));
    got("Custom(1)", PyObject_CallFunction(type, "i", 1));
    got("Custom('a', 2)", PyObject_CallFunction(type, "si", "a", 2));
    got("Custom(last=3)", PyObject_Call(type, V("()"), V("{s:i}", "last", 3)));
    got("Custom('a', 'b', 'c')", PyObject_CallFunction(type, "sss", "a", "b", "c"));
}

CASE(the_third_module) {
    finer_control("custom3");
}

CASE(the_third_module_in_phases) {
    finer_control("custom3_multi");
}

CASE(the_fourth_modules_attributes) {
    finer_control("custom4");
}

CASE(the_fourth_modules_attributes_in_phases) {
    finer_control("custom4_multi");
}

CASE(a_list_that_holds_itself_is_collected) {
    PyObject* l = PyList_New(0);
    done("l.append(l)", PyList_Append(l, l));
    see("l", l);
    Py_DECREF(l);
    done("collected", PyGC_Collect());
    done("again", PyGC_Collect());
}

CASE(a_derived_object_in_a_cycle) {
    /* class Derived(custom3.Custom): pass; n = Derived(); n.some_attribute = n: the derived class has the
     * collector's support by itself. */
    PyObject* derived = T(derive("Derived", type_in("custom3", "Custom"), NULL));
    PyObject* n = PyObject_CallNoArgs(derived);
    PyObject* watch = T(PyWeakref_NewRef(n, NULL));
    done("is a container", PyObject_IS_GC(n));
    done("n.some_attribute = n", PyObject_SetAttrString(n, "some_attribute", n));
    Py_DECREF(n);
    done("alive", PyWeakref_GetObject(watch) != Py_None);
    done("anything collected", PyGC_Collect() > 0);
    done("alive", PyWeakref_GetObject(watch) != Py_None);
}

CASE_LEFT_OUT(
    how_many_a_derived_object_in_a_cycle_counts_as,
    "CPython 3.11 keeps an object's attributes without a dict until somebody asks for it") {
    PyObject* derived = T(derive("Derived", type_in("custom3", "Custom"), NULL));
    PyObject* n = PyObject_CallNoArgs(derived);
    done("n.some_attribute = n", PyObject_SetAttrString(n, "some_attribute", n));
    Py_DECREF(n);
    done("collected", PyGC_Collect());
}

CASE(a_derived_object_whose_cycle_its_base_hides) {
    /* custom2's first may be anything, and custom2 has no tp_traverse: such a cycle is never found. */
    PyObject* type = type_in("custom2", "Custom");
    PyObject* n = PyObject_CallNoArgs(type);
    done("is a container", PyObject_IS_GC(n));
    done("n.first = n", PyObject_SetAttrString(n, "first", n));
    Py_DECREF(n);
    done("collected", PyGC_Collect());
    done("it lives", Py_REFCNT(n));
    done("so the cycle is cut", PyObject_SetAttrString(n, "first", Py_None));
}

/* A subclass of str can be stored in first, and has a dict: custom4 can be in a cycle. */
static void cycle_through_a_str(const char* module) {
    PyObject* type = type_in(module, "Custom");
    PyObject* text_type = T(derive("Text", (PyObject*)&PyUnicode_Type, NULL));
    PyObject* n = PyObject_CallNoArgs(type);
    PyObject* text = PyObject_CallFunction(text_type, "s", "x");
    PyObject* watch = T(PyWeakref_NewRef(text, NULL));
    done("is a container", PyObject_IS_GC(n));
    done("is tracked", PyObject_GC_IsTracked(n));
    done("n.first = text", PyObject_SetAttrString(n, "first", text));
    done("text.owner = n", PyObject_SetAttrString(text, "owner", n));
    got("name()", PyObject_CallMethod(n, "name", NULL));
    Py_DECREF(text);
    done("nothing collected", PyGC_Collect());
    Py_DECREF(n);
    done("anything collected", PyGC_Collect() > 0);
    done("alive", PyWeakref_GetObject(watch) != Py_None);
}

CASE(the_fourth_type_in_a_cycle) {
    cycle_through_a_str("custom4");
}

CASE(the_fourth_type_in_a_cycle_in_phases) {
    cycle_through_a_str("custom4_multi");
}

CASE(a_subclass_of_the_fourth_type_in_a_cycle) {
    PyObject* derived = T(derive("Derived", type_in("custom4", "Custom"), NULL));
    PyObject* n = PyObject_CallFunction(derived, "ss", "a", "b");
    PyObject* watch = T(PyWeakref_NewRef(n, NULL));
    done("n.me = n", PyObject_SetAttrString(n, "me", n));
    Py_DECREF(n);
    done("anything collected", PyGC_Collect() > 0);
    done("alive", PyWeakref_GetObject(watch) != Py_None);
}

CASE(the_fourth_type_dies_by_counting_alone) {
    PyObject* list = T(PyList_New(0));
    PyObject* text_type = T(derive("Text", (PyObject*)&PyUnicode_Type, NULL));
    PyObject* text = T(PyObject_CallFunction(text_type, "s", "x"));
    PyObject* n;
    ALIVE_BEFORE(text);
    n = PyObject_CallFunction(type_in("custom4", "Custom"), "OO", text, text);
    see_count(text);
    done("in a list", PyList_Append(list, n));
    Py_DECREF(n);
    done("list emptied", PyList_SetSlice(list, 0, 1, NULL));
    see_count(text);
    done("nothing collected", PyGC_Collect());
}

static void session_with_a_sublist(const char* module) {
    PyObject* type = type_in(module, "SubList");
    PyObject* s =
        T(PyObject_CallOneArg(type, T(PyObject_CallFunction((PyObject*)&PyRange_Type, "i", 3))));
    see("s", s);
    got("s.extend(s)", PyObject_CallMethod(s, "extend", "O", s));
    done("len(s)", PyObject_Size(s));
    got("s.increment()", PyObject_CallMethod(s, "increment", NULL));
    got("s.increment()", PyObject_CallMethod(s, "increment", NULL));
    see("s", s);
    done("is a list", PyList_Check(s));
    done("is just a list", PyList_CheckExact(s));
    done("append", PyList_Append(s, s));
    see("s", s);
    done("items", PyList_GET_SIZE(s));
    got("base", PyObject_GetAttrString(type, "__base__"));
    got("s[1]", PySequence_GetItem(s, 1));
    got("s == list(s)", PyObject_RichCompare(s, T(PySequence_List(s)), Py_EQ));
}

CASE(the_fifth_module) {
    session_with_a_sublist("sublist");
}

CASE(the_fifth_module_in_phases) {
    session_with_a_sublist("sublist_multi");
}

CASE(a_sublist_hands_its_arguments_on) {
    PyObject* type = type_in("sublist", "SubList");
    got("SubList(1, 2)", PyObject_CallFunction(type, "ii", 1, 2));
    got("SubList(5)", PyObject_CallFunction(type, "i", 5));
    got("SubList(a=1)", PyObject_Call(type, V("()"), V("{s:i}", "a", 1)));
    got("SubList()", PyObject_CallNoArgs(type));
    got("SubList('abc')", PyObject_CallFunction(type, "s", "abc"));
}

CASE(a_sublist_in_a_cycle_is_collected) {
    PyObject* s = PyObject_CallNoArgs(type_in("sublist", "SubList"));
    done("tracked", PyObject_GC_IsTracked(s));
    done("append", PyList_Append(s, s));
    Py_DECREF(s);
    done("collected", PyGC_Collect());
}

CASE(a_sublist_is_shown_as_a_list) {
    PyObject* s = T(PyObject_CallFunction(type_in("sublist", "SubList"), "((iis))", 1, 2, "x"));
    see("s", s);
    see_text("s", s);
    done("hash", PyObject_Hash(s));
    got("s + [3]", PyNumber_Add(s, V("[i]", 3)));
    got("type of s + [3]", PyObject_Type(T(PyNumber_Add(s, V("[i]", 3)))));
    got("s * 2", PySequence_Repeat(s, 2));
    got("init again", PyObject_CallMethod(s, "__init__", "((i))", 9));
    see("s", s);
}

CASE(a_subclass_of_sublist) {
    PyObject* derived = T(derive("Deeper", type_in("sublist", "SubList"), NULL));
    PyObject* s = T(PyObject_CallFunction(derived, "((ii))", 1, 2));
    see("s", s);
    got("increment", PyObject_CallMethod(s, "increment", NULL));
    done("s.x = 1", PyObject_SetAttrString(s, "x", I(1)));
    got("s.x", PyObject_GetAttrString(s, "x"));
    got("increment of a list",
        PyObject_CallOneArg(T(PyObject_GetAttrString(derived, "increment")), V("[]")));
}
