/* The tutorial's sessions with custom and custom2, in both ways of initialising a module. */
#include "tests/same/same.h"

static PyObject* type_in(const char* module, const char* name) {
    PyObject* m = T(PyImport_ImportModule(module));
    return T(PyObject_GetAttrString(m, name));
}

static void basics(const char* module) {
    PyObject* m = T(PyImport_ImportModule(module));
    PyObject* type = type_in(module, "Custom");
    PyObject* mycustom = T(PyObject_CallNoArgs(type));
    got("module's name", PyModule_GetNameObject(m));
    got("module's documentation", PyObject_GetAttrString(m, "__doc__"));
    see("type", type);
    see("mycustom", mycustom);
    see_text("mycustom as text", mycustom);
    got("\"\" + mycustom", PyNumber_Add(S(""), mycustom));
    got("\"\" + mycustom as sequences", PySequence_Concat(S(""), mycustom));
    got("doc", PyObject_GetAttrString(type, "__doc__"));
    got("name", PyObject_GetAttrString(type, "__name__"));
    got("qualname", PyObject_GetAttrString(type, "__qualname__"));
    got("module of the type", PyObject_GetAttrString(type, "__module__"));
    got("base", PyObject_GetAttrString(type, "__base__"));
    got("mro", PyObject_GetAttrString(type, "__mro__"));
    done("tracked by the collector", PyObject_GC_IsTracked(mycustom));
    done("is a container", PyObject_IS_GC(mycustom));
}

CASE(the_first_module) {
    basics("custom");
}

CASE(the_first_module_in_phases) {
    basics("custom_multi");
}

CASE(the_first_type_cannot_be_subclassed) {
    got("class D(custom.Custom)", derive("D", type_in("custom", "Custom"), NULL));
    done("flag",
         PyType_HasFeature((PyTypeObject*)type_in("custom", "Custom"), Py_TPFLAGS_BASETYPE));
}

CASE(the_first_type_takes_no_arguments) {
    PyObject* type = type_in("custom", "Custom");
    got("Custom(1)", PyObject_CallFunction(type, "i", 1));
    got("Custom(a=1)", PyObject_Call(type, V("()"), V("{s:i}", "a", 1)));
}

CASE(the_first_types_objects_have_no_attributes) {
    PyObject* mycustom = T(PyObject_CallNoArgs(type_in("custom", "Custom")));
    done("mycustom.x = 1", PyObject_SetAttrString(mycustom, "x", I(1)));
    got("mycustom.x", PyObject_GetAttrString(mycustom, "x"));
    got("mycustom.__dict__", PyObject_GetAttrString(mycustom, "__dict__"));
    done("del mycustom.x", PyObject_DelAttrString(mycustom, "x"));
    got("mycustom.__class__", PyObject_GetAttrString(mycustom, "__class__"));
}

CASE(the_first_types_objects_cannot_be_weakly_referenced) {
    got("ref", PyWeakref_NewRef(T(PyObject_CallNoArgs(type_in("custom", "Custom"))), NULL));
}

CASE(the_first_type_cannot_be_changed) {
    PyObject* type = type_in("custom", "Custom");
    done("Custom.x = 1", PyObject_SetAttrString(type, "x", I(1)));
    done("del Custom.x", PyObject_DelAttrString(type, "x"));
    done("Custom.__name__ = 'x'", PyObject_SetAttrString(type, "__name__", S("x")));
}

CASE(a_module_is_imported_once) {
    PyObject* first = T(PyImport_ImportModule("custom"));
    PyObject* again = T(PyImport_ImportModule("custom"));
    PyObject* modules = PyImport_GetModuleDict();
    done("the same", first == again);
    done("in sys.modules", PyDict_GetItemString(modules, "custom") == first);
    done("by PyImport_GetModule", T(PyImport_GetModule(S("custom"))) == first);
    done("by PyImport_AddModule", PyImport_AddModule("custom") == first);
}

static void data_and_methods(const char* module) {
    PyObject* type = type_in(module, "Custom");
    PyObject* empty = T(PyObject_CallNoArgs(type));
    PyObject* named = T(PyObject_CallFunction(type, "ssi", "Ada", "Lovelace", 36));
    see("empty", empty);
    got("first", PyObject_GetAttrString(empty, "first"));
    got("last", PyObject_GetAttrString(empty, "last"));
    got("number", PyObject_GetAttrString(empty, "number"));
    got("empty.name()", PyObject_CallMethod(empty, "name", NULL));
    got("named.name()", PyObject_CallMethod(named, "name", NULL));
    got("named.number", PyObject_GetAttrString(named, "number"));
    got("by names", PyObject_CallMethod(
                        T(PyObject_Call(type, V("()"), V("{s:s,s:i}", "last", "L", "number", 7))),
                        "name", NULL));
    got("doc of name", PyObject_GetAttrString(T(PyObject_GetAttrString(type, "name")), "__doc__"));
    see("Custom.name", T(PyObject_GetAttrString(type, "name")));
    see("named.name", T(PyObject_GetAttrString(named, "name")));
}

CASE(the_second_module) {
    data_and_methods("custom2");
}

CASE(the_second_module_in_phases) {
    data_and_methods("custom2_multi");
}

CASE(the_second_types_members_are_descriptors) {
    PyObject* type = type_in("custom2", "Custom");
    see("Custom.first", T(PyObject_GetAttrString(type, "first")));
    got("doc", PyObject_GetAttrString(T(PyObject_GetAttrString(type, "first")), "__doc__"));
    got("name", PyObject_GetAttrString(T(PyObject_GetAttrString(type, "number")), "__name__"));
    got("class", PyObject_GetAttrString(T(PyObject_GetAttrString(type, "number")), "__objclass__"));
}

CASE(the_second_types_names_can_be_anything_or_deleted) {
    PyObject* op = T(PyObject_CallNoArgs(type_in("custom2", "Custom")));
    done("first = 1", PyObject_SetAttrString(op, "first", I(1)));
    got("name()", PyObject_CallMethod(op, "name", NULL));
    done("del first", PyObject_DelAttrString(op, "first"));
    got("first", PyObject_GetAttrString(op, "first"));
    got("name()", PyObject_CallMethod(op, "name", NULL));
    done("del first again", PyObject_DelAttrString(op, "first"));
    done("first = None", PyObject_SetAttrString(op, "first", Py_None));
    done("del last", PyObject_DelAttrString(op, "last"));
    got("name()", PyObject_CallMethod(op, "name", NULL));
}

CASE(the_second_types_number_is_a_c_int) {
    PyObject* op = T(PyObject_CallNoArgs(type_in("custom2", "Custom")));
    done("number = 2**31 - 1", PyObject_SetAttrString(op, "number", I(2147483647)));
    got("number", PyObject_GetAttrString(op, "number"));
    done("number = 'x'", PyObject_SetAttrString(op, "number", S("x")));
    done("number = 1.5", PyObject_SetAttrString(op, "number", F(1.5)));
    done("del number", PyObject_DelAttrString(op, "number"));
    done("number = 2**70",
         PyObject_SetAttrString(op, "number",
                                T(PyLong_FromString("1180591620717411303424", NULL, 10))));
    got("number", PyObject_GetAttrString(op, "number"));
}

CASE(the_second_types_arguments_are_checked) {
    PyObject* type = type_in("custom2", "Custom");
    got("too many", PyObject_CallFunction(type, "ssii", "a", "b", 1, 2));
    got("a wrong number", PyObject_CallFunction(type, "sss", "a", "b", "c"));
    got("twice", PyObject_Call(type, V("(s)", "a"), V("{s:s}", "first", "b")));
    got("too large", PyObject_CallFunction(type, "ssL", "a", "b", 4294967296LL));
}

CASE(the_second_types_constructor_can_run_again) {
    PyObject* op = T(PyObject_CallFunction(type_in("custom2", "Custom"), "ss", "a", "b"));
    got("init again", PyObject_CallMethod(op, "__init__", "s", "c"));
    got("name()", PyObject_CallMethod(op, "name", NULL));
    got("a failing one", PyObject_CallMethod(op, "__init__", "sss", "x", "y", "z"));
    got("name() as before", PyObject_CallMethod(op, "name", NULL));
}

CASE(the_second_type_made_without_init) {
    PyObject* type = type_in("custom2", "Custom");
    PyObject* op = T(PyObject_CallMethod(type, "__new__", "O", type));
    got("name()", PyObject_CallMethod(op, "name", NULL));
    got("number", PyObject_GetAttrString(op, "number"));
    got("__new__(int)", PyObject_CallMethod(type, "__new__", "O", (PyObject*)&PyLong_Type));
    got("__new__()", PyObject_CallMethod(type, "__new__", NULL));
    got("__new__(1)", PyObject_CallMethod(type, "__new__", "i", 1));
}

CASE(the_second_types_references_are_its_own) {
    PyObject* list = T(PyList_New(0));
    PyObject* op;
    ALIVE_BEFORE(list);
    op = PyObject_CallFunction(type_in("custom2", "Custom"), "OO", list, list);
    see_count(list);
    done("first = None", PyObject_SetAttrString(op, "first", Py_None));
    see_count(list);
    Py_DECREF(op);
    see_count(list);
}

CASE(a_subclass_of_the_second_type) {
    PyObject* derived = T(derive("Derived", type_in("custom2", "Custom"), NULL));
    PyObject* op = T(PyObject_CallFunction(derived, "ss", "a", "b"));
    see("op", op);
    got("name()", PyObject_CallMethod(op, "name", NULL));
    done("attribute", PyObject_SetAttrString(op, "extra", I(5)));
    got("__dict__", PyObject_GetAttrString(op, "__dict__"));
    done("isinstance", PyObject_IsInstance(op, type_in("custom2", "Custom")));
    got("ref", PyObject_Type(T(PyWeakref_NewRef(op, NULL))));
}

CASE_LEFT_OUT(what_does_not_fit_an_int_member_is_cut_off,
              "CPython warns through the warnings module, once for each place in Python code") {
    PyObject* op = T(PyObject_CallNoArgs(type_in("custom2", "Custom")));
    done("number = 2**32 + 5", PyObject_SetAttrString(op, "number", I(4294967301LL)));
    got("number", PyObject_GetAttrString(op, "number"));
}
