/* Special methods: those of types in C by their names, and those of classes by their slots. */
#include "tests/same/same.h"

static PyObject* attribute(PyObject* op, const char* name) {
    return T(PyObject_GetAttrString(op, name));
}

/* op.name(*args), by format; shown as name. */
static void call(PyObject* op, const char* name, PyObject* args) {
    PyObject* method = PyObject_GetAttrString(op, name);
    got(name, method == NULL ? NULL : PyObject_Call(method, args, NULL));
    Py_XDECREF(method);
}

static const char* const names[] = {
    "__repr__",    "__hash__",   "__str__",      "__lt__",        "__le__",      "__eq__",
    "__ne__",      "__gt__",     "__ge__",       "__add__",       "__radd__",    "__sub__",
    "__rsub__",    "__mul__",    "__rmul__",     "__mod__",       "__rmod__",    "__divmod__",
    "__rdivmod__", "__pow__",    "__rpow__",     "__neg__",       "__pos__",     "__abs__",
    "__bool__",    "__invert__", "__lshift__",   "__rlshift__",   "__rshift__",  "__rrshift__",
    "__and__",     "__rand__",   "__xor__",      "__rxor__",      "__or__",      "__ror__",
    "__int__",     "__float__",  "__floordiv__", "__rfloordiv__", "__truediv__", "__rtruediv__",
    "__index__",   "__matmul__", "__iadd__",     "__imul__",      "__len__",     "__contains__",
    "__next__",    "__get__",    "__del__",      "__await__"};

static void call_all(PyObject* op, PyObject* args) {
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; ++i) {
        call(op, names[i], args);
    }
}

CASE(special_methods_of_an_int) {
    call_all(I(7), V("()"));
    call_all(I(7), V("(i)", 2));
    call_all(I(7), V("(s)", "x"));
    call_all(I(7), V("(iii)", 1, 2, 3));
}

CASE(special_methods_of_a_float) {
    call_all(F(7.5), V("()"));
    call_all(F(7.5), V("(d)", 2.0));
    call_all(F(7.5), V("(s)", "x"));
}

CASE(special_methods_of_a_tuple) {
    call_all(V("(ii)", 1, 2), V("()"));
    call_all(V("(ii)", 1, 2), V("(i)", 2));
    call_all(V("(ii)", 1, 2), V("((ii))", 1, 3));
    call(V("(ii)", 1, 2), "__getitem__", V("(i)", -1));
    call(V("(ii)", 1, 2), "__getitem__", V("(i)", 7));
    call(V("(ii)", 1, 2), "__getitem__", V("(s)", "x"));
}

CASE(special_methods_of_a_str) {
    call(S("ab"), "__len__", V("()"));
    call(S("ab"), "__add__", V("(s)", "c"));
    call(S("ab"), "__add__", V("(i)", 1));
    call(S("ab"), "__mul__", V("(i)", 2));
    call(S("ab"), "__mul__", V("(s)", "x"));
    call(S("ab"), "__contains__", V("(s)", "b"));
    call(S("ab"), "__contains__", V("(i)", 1));
    call(S("ab"), "__getitem__", V("(i)", -1));
    call(S("ab"), "__lt__", V("(s)", "b"));
    call(S("ab"), "__str__", V("(i)", 1));
}

CASE(special_methods_of_containers_that_change) {
    PyObject* list = V("[ii]", 1, 2);
    PyObject* dict = V("{si}", "a", 1);
    call(list, "__setitem__", V("(ii)", 0, 5));
    call(list, "__setitem__", V("(i)", 0));
    call(list, "__delitem__", V("(i)", -1));
    call(list, "__delitem__", V("()"));
    call(list, "__iadd__", V("([i])", 9));
    call(list, "__imul__", V("(i)", 2));
    call(list, "__hash__", V("()"));
    see("list", list);
    call(dict, "__setitem__", V("(si)", "b", 5));
    call(dict, "__delitem__", V("(s)", "a"));
    call(dict, "__delitem__", V("(s)", "a"));
    call(dict, "__len__", V("()"));
    call(dict, "__contains__", V("(s)", "b"));
    call(dict, "__getitem__", V("([])"));
    see("dict", dict);
    call(T(PyObject_GetIter(list)), "__next__", V("()"));
    call(T(PyObject_GetIter(V("()"))), "__next__", V("()"));
}

CASE(special_methods_are_found_in_types) {
    PyObject* type = (PyObject*)&PyLong_Type;
    PyObject* method = attribute(type, "__add__");
    see("slot wrapper", method);
    see("its type", (PyObject*)Py_TYPE(method));
    see("its name", attribute(method, "__name__"));
    see("its qualified name", attribute(method, "__qualname__"));
    see("its class", attribute(method, "__objclass__"));
    see("its doc", attribute(method, "__doc__"));
    see("its signature", attribute(method, "__text_signature__"));
    see("bound", attribute(I(5), "__add__"));
    see("bound to", attribute(attribute(I(5), "__add__"), "__self__"));
    call(type, "__add__", V("()"));
    call(type, "__add__", V("(ss)", "a", "b"));
    call(type, "__add__", V("(ii)", 1, 2));
    call(method, "__get__", V("(s)", "a"));
    call(method, "__get__", V("()"));
    call(method, "__get__", V("(OO)", Py_None, Py_None));
    call(method, "__get__", V("(OO)", Py_None, type));
    got("keywords", PyObject_Call(method, V("(ii)", 1, 2), V("{si}", "a", 1)));
    got("of a list", PyObject_GetAttrString((PyObject*)&PyList_Type, "__hash__"));
    call(OBJECT_TYPE, "__setattr__", V("(Osi)", type, "a", 1));
    call(OBJECT_TYPE, "__delattr__", V("(Os)", type, "a"));
    call(OBJECT_TYPE, "__setattr__", V("(s)", "a"));
    call(OBJECT_TYPE, "__getattribute__", V("(is)", 5, "__class__"));
}

CASE(new_is_a_method_of_types) {
    PyObject* type = (PyObject*)&PyLong_Type;
    call(OBJECT_TYPE, "__new__", V("()"));
    call(OBJECT_TYPE, "__new__", V("(i)", 5));
    call(OBJECT_TYPE, "__new__", V("(O)", type));
    call(type, "__new__", V("(O)", OBJECT_TYPE));
    call(type, "__new__", V("(Os)", type, "17"));
    call(type, "__new__", V("(Os)", T(derive("Number", type, NULL)), "17"));
    call(type, "__new__", V("(Os)", (PyObject*)&PyBool_Type, "17"));
    call(OBJECT_TYPE, "__new__", V("(Oi)", OBJECT_TYPE, 1));
}

static PyObject* tell(PyObject* self, PyObject* args) {
    return PyUnicode_FromFormat("told %R", args);
}
static PyObject* three(PyObject* self, PyObject* args) {
    return PyLong_FromLong(3);
}
static PyObject* refuse(PyObject* self, PyObject* args) {
    Py_RETURN_NOTIMPLEMENTED;
}
static PyObject* nothing(PyObject* self, PyObject* args) {
    Py_RETURN_NONE;
}
static PyObject* huge(PyObject* self, PyObject* args) {
    return PyLong_FromString("100000000000000000000000", NULL, 10);
}
static PyObject* missing(PyObject* self, PyObject* args) {
    PyErr_SetString(PyExc_AttributeError, "missing");
    return NULL;
}
DEFINE(tell_method, "tell", tell, METH_VARARGS);
DEFINE(three_method, "three", three, METH_VARARGS);
DEFINE(refuse_method, "refuse", refuse, METH_VARARGS);
DEFINE(nothing_method, "nothing", nothing, METH_VARARGS);
DEFINE(huge_method, "huge", huge, METH_VARARGS);
DEFINE(missing_method, "missing", missing, METH_VARARGS);

/* An object of a class derived from `base` where each of the names is that method. */
static PyObject* object_with(PyObject* base, const char* const* all, PyMethodDef* definition) {
    PyObject* dict = V("{}");
    PyObject* method = T(method_of(definition));
    for (; *all != NULL; ++all) {
        PyDict_SetItemString(dict, *all, method);
    }
    return T(PyObject_CallNoArgs(T(derive("C", base, dict))));
}
#define OBJECT_WITH(definition, ...) \
    object_with(OBJECT_TYPE, (const char* const[]){__VA_ARGS__, NULL}, &(definition))

static void use(PyObject* op) {
    if (Py_TYPE(op)->tp_hash != PyBaseObject_Type.tp_hash) { /* which is an address */
        done("hash", PyObject_Hash(op));
    }
    done("true", PyObject_IsTrue(op));
    done("size", PyObject_Size(op));
    got("repr", PyObject_Repr(op));
    got("str", PyObject_Str(op));
    got("int", PyNumber_Long(op));
    got("float", PyNumber_Float(op));
    got("index", PyNumber_Index(op));
    got("negative", PyNumber_Negative(op));
    got("add", PyNumber_Add(op, Py_None));
    got("reflected", PyNumber_Add(Py_None, op));
    got("in place", PyNumber_InPlaceAdd(op, Py_None));
    got("multiply", PyNumber_Multiply(op, Py_None));
    got("power", PyNumber_Power(op, Py_None, Py_None));
    got("power with modulus", PyNumber_Power(op, Py_None, Py_True));
    got("reflected power", PyNumber_Power(Py_None, op, Py_None));
    got("power in place", PyNumber_InPlacePower(op, Py_None, Py_None));
    got("less", PyObject_RichCompare(op, Py_None, Py_LT));
    got("equal", PyObject_RichCompare(op, Py_None, Py_EQ));
    got("not equal", PyObject_RichCompare(op, Py_None, Py_NE));
    got("item", PyObject_GetItem(op, Py_None));
    got("item by index", PySequence_GetItem(op, 1));
    done("set item", PyObject_SetItem(op, Py_None, Py_True));
    done("delete item", PyObject_DelItem(op, Py_None));
    done("contains", PySequence_Contains(op, Py_None));
    got("iter", PyObject_GetIter(op));
    got("call", PyObject_CallNoArgs(op));
    got("attribute", PyObject_GetAttrString(op, "anything"));
    done("set attribute", PyObject_SetAttrString(op, "anything", Py_None));
    done("delete attribute", PyObject_DelAttrString(op, "anything"));
}
#define MOST                                                                                       \
    "__bool__", "__len__", "__repr__", "__str__", "__int__", "__float__", "__index__", "__neg__",  \
        "__add__", "__radd__", "__iadd__", "__mul__", "__pow__", "__rpow__", "__ipow__", "__lt__", \
        "__eq__", "__getitem__", "__setitem__", "__delitem__", "__contains__", "__iter__",         \
        "__call__", "__getattr__", "__setattr__", "__delattr__"

CASE(a_class_that_tells) {
    use(OBJECT_WITH(tell_method, MOST));
}
CASE(a_class_that_tells_and_has_a_hash) {
    use(OBJECT_WITH(tell_method, "__hash__", "__eq__"));
}
CASE(a_class_that_says_three) {
    use(OBJECT_WITH(three_method, "__hash__", MOST));
}
CASE(a_class_that_refuses) {
    use(OBJECT_WITH(refuse_method, MOST));
}
CASE(a_class_that_says_nothing) {
    use(OBJECT_WITH(nothing_method, "__hash__", MOST));
}
CASE(a_class_that_says_something_huge) {
    use(OBJECT_WITH(huge_method, "__hash__", MOST));
}
CASE(a_class_that_has_no_attributes) {
    use(OBJECT_WITH(missing_method, "__getattribute__"));
    use(OBJECT_WITH(missing_method, "__hash__", MOST));
}
CASE(a_class_that_has_nothing) {
    use(T(PyObject_CallNoArgs(T(derive("C", OBJECT_TYPE, NULL)))));
}
CASE(a_class_derived_from_int_that_tells) {
    static const char* const all[] = {"__add__", "__repr__", "__eq__", NULL};
    PyObject* op = object_with((PyObject*)&PyLong_Type, all, &tell_method);
    use(op);
    got("int + C", PyNumber_Add(I(1), op));
    got("C + int", PyNumber_Add(op, I(1)));
    got("int == C", PyObject_RichCompare(I(1), op, Py_EQ));
}
CASE(a_class_derived_from_list_that_tells) {
    static const char* const all[] = {"__getitem__", "__len__", "__contains__", NULL};
    use(object_with((PyObject*)&PyList_Type, all, &tell_method));
}
CASE(a_class_says_that_it_lacks_something) {
    PyObject* dict = V("{sOsOsOsO}", "__hash__", Py_None, "__iter__", Py_None, "__contains__",
                       Py_None, "__radd__", Py_None);
    use(T(PyObject_CallNoArgs(T(derive("C", OBJECT_TYPE, dict)))));
}

CASE(special_methods_come_and_go) {
    PyObject* type = T(derive("C", OBJECT_TYPE, NULL));
    PyObject* op = T(PyObject_CallNoArgs(T(derive("D", type, NULL))));
    PyObject* method = T(method_of(&tell_method));
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; ++i) {
        done(names[i], PyObject_SetAttrString(type, names[i], method));
    }
    use(op);
    for (i = 0; i < sizeof names / sizeof *names; ++i) {
        done(names[i], PyObject_DelAttrString(type, names[i]));
    }
    done("hash is back", PyObject_Hash(op) != 0);
    done("true", PyObject_IsTrue(op));
    done("size", PyObject_Size(op));
    got("add", PyNumber_Add(op, Py_None));
    got("call", PyObject_CallNoArgs(op));
    got("iter", PyObject_GetIter(op));
}

/* --- Metaclasses, descriptors, attributes, ends. --- */

static PyObject* fail(PyObject* self, PyObject* args) {
    PyErr_SetString(PyExc_ValueError, "failed");
    return NULL;
}
DEFINE(fail_method, "fail", fail, METH_VARARGS);

CASE(a_class_is_a_descriptor) {
    PyObject* type = T(derive("C", OBJECT_TYPE, NULL));
    PyObject* op = T(PyObject_CallNoArgs(type));
    PyObject_SetAttrString(type, "get", OBJECT_WITH(tell_method, "__get__"));
    PyObject_SetAttrString(type, "set", OBJECT_WITH(fail_method, "__get__", "__set__"));
    PyObject_SetAttrString(type, "delete", OBJECT_WITH(nothing_method, "__delete__"));
    got("get of the type", PyObject_GetAttrString(type, "get"));
    done("set of one without", PyObject_SetAttrString(op, "get", Py_True));
    got("get", PyObject_GetAttrString(op, "get"));
    got("get that fails", PyObject_GetAttrString(op, "set"));
    done("set that fails", PyObject_SetAttrString(op, "set", Py_True));
    done("delete", PyObject_DelAttrString(op, "set"));
    done("set of one that deletes", PyObject_SetAttrString(op, "delete", Py_True));
    done("delete", PyObject_DelAttrString(op, "delete"));
    done("is data", PyDescr_IsData(OBJECT_WITH(nothing_method, "__delete__")));
    done("is not data", PyDescr_IsData(OBJECT_WITH(nothing_method, "__get__")));
}

CASE(a_class_initialises) {
    got("init", PyObject_CallFunction((PyObject*)Py_TYPE(OBJECT_WITH(nothing_method, "__init__")),
                                      "is", 1, "two"));
    PyObject* dict = V("{sN}", "__init__", method_of(&three_method));
    got("init that returns", PyObject_CallNoArgs(T(derive("C", OBJECT_TYPE, dict))));
    dict = V("{sN}", "__init__", method_of(&fail_method));
    got("init that fails", PyObject_CallNoArgs(T(derive("C", OBJECT_TYPE, dict))));
    dict = V("{sN}", "__new__", function_of(&three_method));
    got("new of another kind", PyObject_CallFunction(T(derive("C", OBJECT_TYPE, dict)), "i", 1));
    dict = V("{sN}", "__new__", function_of(&fail_method));
    got("new that fails", PyObject_CallNoArgs(T(derive("C", OBJECT_TYPE, dict))));
    got("neither", PyObject_CallFunction(T(derive("C", OBJECT_TYPE, NULL)), "i", 1));
    got("new of a class",
        PyObject_CallMethod(OBJECT_TYPE, "__new__", "(Oi)", T(derive("C", OBJECT_TYPE, NULL)), 1));
}

CASE(a_class_ends) {
    PyObject* dict = V("{sN}", "__del__", method_of(&fail_method));
    PyObject* op = PyObject_CallNoArgs(T(derive("C", OBJECT_TYPE, dict)));
    capture_begin();
    Py_DECREF(op);
    capture_end();
}

CASE(a_metaclass_has_special_methods) {
    PyObject* dict = V("{sNsNsN}", "__call__", method_of(&tell_method), "__repr__",
                       method_of(&tell_method), "__len__", method_of(&three_method));
    PyObject* metaclass = T(PyObject_CallFunction(TYPE_TYPE, "s(O)O", "Meta", TYPE_TYPE, dict));
    PyObject* type = T(PyObject_CallFunction(TYPE_TYPE, "s(O){}", "Plain", OBJECT_TYPE));
    got("derives", PyObject_CallFunction(TYPE_TYPE, "s(O)O", "E", metaclass, V("{}")));
    got("made by",
        PyObject_CallMethod(metaclass, "__new__", "Os(O){}", metaclass, "F", OBJECT_TYPE));
    type = T(PyObject_CallMethod(metaclass, "__new__", "Os(O){}", metaclass, "F", OBJECT_TYPE));
    got("called", PyObject_CallFunction(type, "i", 1));
    done("size", PyObject_Size(type));
    see("type", (PyObject*)Py_TYPE(type));
}

CASE(subclasses_are_known) {
    PyObject* type = T(derive("C", OBJECT_TYPE, NULL));
    PyObject* first = derive("D", type, NULL);
    PyObject* second = T(derive("E", type, NULL));
    got("two", PyObject_CallMethod(type, "__subclasses__", NULL));
    Py_DECREF(first);
    (void)PyGC_Collect();
    got("one", PyObject_CallMethod(type, "__subclasses__", NULL));
    got("of that", PyObject_CallMethod(second, "__subclasses__", NULL));
    got("of an int", PyObject_CallMethod(TYPE_TYPE, "__subclasses__", "O", &PyBool_Type));
}

static int no_init(PyObject* self, PyObject* args, PyObject* kwargs) {
    return 0;
}
static PyObject* greet(PyObject* self) {
    return PyUnicode_FromString("good morning");
}
static Py_ssize_t length(PyObject* self) {
    return 4;
}
static PyObject* nth(PyObject* self, Py_ssize_t i) {
    return PyLong_FromSsize_t(i);
}
static PySequenceMethods as_sequence = {.sq_length = length, .sq_item = nth};
static PyTypeObject Static_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Static",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_repr = greet,
    .tp_as_sequence = &as_sequence,
    .tp_init = no_init,
    .tp_new = PyType_GenericNew,
};

CASE(a_class_derives_from_a_static_type) {
    done("ready", PyType_Ready(&Static_Type));
    PyObject* base = T(PyObject_CallNoArgs((PyObject*)&Static_Type));
    PyObject* op = T(PyObject_CallFunction(T(derive("C", (PyObject*)&Static_Type, NULL)), "i", 1));
    see("base", base);
    call(base, "__len__", V("()"));
    call(base, "__getitem__", V("(i)", -1));
    call(base, "__init__", V("(i)", 1));
    call((PyObject*)&Static_Type, "__new__", V("(O)", OBJECT_TYPE));
    call(OBJECT_TYPE, "__new__", V("(O)", Py_TYPE(op)));
    see("derived", op);
    call(op, "__len__", V("()"));
    done("size", PySequence_Size(op));
    got("item", PySequence_GetItem(op, -1));
    done("its own function", Py_TYPE(op)->tp_as_sequence->sq_item == nth);
    done("its own repr", Py_TYPE(op)->tp_repr == greet);
    got("super", PyObject_CallMethod((PyObject*)&Static_Type, "__repr__", "O", op));
}
