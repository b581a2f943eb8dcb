/* Functions of every calling convention, and the ways to call them. */
#include "tests/same/same.h"

static PyObject* takes_tuple(PyObject* self, PyObject* args) {
    (void)self;
    return Py_BuildValue("(sO)", "varargs", args);
}
static PyObject* takes_names(PyObject* self, PyObject* args, PyObject* kwargs) {
    (void)self;
    return Py_BuildValue("(sOO)", "keywords", args, kwargs == NULL ? Py_None : kwargs);
}
static PyObject* takes_nothing(PyObject* self, PyObject* unused) {
    (void)self;
    return Py_BuildValue("(si)", "noargs", unused == NULL);
}
static PyObject* takes_one(PyObject* self, PyObject* arg) {
    (void)self;
    return Py_BuildValue("(sO)", "o", arg);
}
static PyObject* takes_array(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    (void)self;
    return Py_BuildValue("(snO)", "fastcall", count, count > 0 ? args[count - 1] : Py_None);
}
static PyObject* takes_array_and_names(PyObject* self, PyObject* const* args, Py_ssize_t count,
                                       PyObject* names) {
    const Py_ssize_t named = names == NULL ? 0 : PyTuple_Size(names);
    (void)self;
    return Py_BuildValue("(snOO)", "fastcall", count, names == NULL ? Py_None : names,
                         count + named > 0 ? args[count + named - 1] : Py_None);
}
DEFINE(with_tuple, "with_tuple", takes_tuple, METH_VARARGS);
DEFINE(with_names, "with_names", takes_names, METH_VARARGS | METH_KEYWORDS);
DEFINE(with_nothing, "with_nothing", takes_nothing, METH_NOARGS);
DEFINE(with_one, "with_one", takes_one, METH_O);
DEFINE(with_array, "with_array", takes_array, METH_FASTCALL);
DEFINE(with_array_and_names, "with_array_and_names", takes_array_and_names,
       METH_FASTCALL | METH_KEYWORDS);

static void call_in_every_way(PyMethodDef* definition) {
    PyObject* f = T(function_of(definition));
    PyObject* vector[3] = {NULL, I(1), I(2)};
    got("()", PyObject_CallNoArgs(f));
    got("(7)", PyObject_CallOneArg(f, I(7)));
    got("(1, 2)", PyObject_CallFunction(f, "ii", 1, 2));
    got("objects", PyObject_CallFunctionObjArgs(f, Py_None, Py_True, NULL));
    got("a tuple", PyObject_CallObject(f, V("(s)", "x")));
    got("no tuple", PyObject_CallObject(f, NULL));
    got("names", PyObject_Call(f, V("(i)", 1), V("{s:i}", "key", 2)));
    got("names alone", PyObject_Call(f, V("()"), V("{s:i}", "key", 2)));
    got("an empty dict", PyObject_Call(f, V("()"), V("{}")));
    got("a vector", PyObject_Vectorcall(f, vector + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL));
    got("a vector with a name", PyObject_Vectorcall(f, vector + 1, 1, V("(s)", "key")));
    got("a vector and a dict", PyObject_VectorcallDict(f, vector + 1, 1, V("{s:i}", "key", 5)));
}

CASE(a_function_of_a_tuple) {
    call_in_every_way(&with_tuple);
}
CASE(a_function_of_a_tuple_and_names) {
    call_in_every_way(&with_names);
}
CASE(a_function_of_nothing) {
    call_in_every_way(&with_nothing);
}
CASE(a_function_of_one_object) {
    call_in_every_way(&with_one);
}
CASE(a_function_of_an_array) {
    call_in_every_way(&with_array);
}
CASE(a_function_of_an_array_and_names) {
    call_in_every_way(&with_array_and_names);
}

CASE(a_function_shows_itself) {
    PyObject* f = T(PyCFunction_NewEx(&with_one, I(5), S("some.module")));
    see("function", f);
    see("without self", T(function_of(&with_one)));
    got("name", PyObject_GetAttrString(f, "__name__"));
    got("qualname", PyObject_GetAttrString(f, "__qualname__"));
    got("module", PyObject_GetAttrString(f, "__module__"));
    got("self", PyObject_GetAttrString(f, "__self__"));
    got("doc", PyObject_GetAttrString(f, "__doc__"));
    done("callable", PyCallable_Check(f));
    done("flags", PyCFunction_GetFlags(f));
    see("GetSelf", PyCFunction_GetSelf(f));
    done("compares",
         PyObject_RichCompareBool(
             f,
             T(PyCFunction_NewEx(&with_one, PyTuple_GetItem(V("(O)", PyCFunction_GetSelf(f)), 0),
                                 NULL)),
             Py_EQ));
}

CASE(what_cannot_be_called) {
    got("an int", PyObject_CallNoArgs(I(1)));
    got("None", PyObject_CallFunction(Py_None, "i", 1));
    got("an instance", PyObject_CallNoArgs((PyObject*)T((PyObject*)tale("t", NULL))));
    done("callable", PyCallable_Check(I(1)));
    done("type callable", PyCallable_Check(OBJECT_TYPE));
    done("NULL callable", PyCallable_Check(NULL));
}

CASE(methods_are_called_by_name) {
    PyObject* list = V("[iii]", 3, 1, 2);
    got("append", PyObject_CallMethod(list, "append", "i", 9));
    got("pop", PyObject_CallMethod(list, "pop", NULL));
    got("pop(0)", PyObject_CallMethod(list, "pop", "i", 0));
    got("index by objects", PyObject_CallMethodObjArgs(list, S("index"), I(2), NULL));
    got("no arguments", PyObject_CallMethodNoArgs(list, S("reverse")));
    got("one argument", PyObject_CallMethodOneArg(list, S("count"), I(2)));
    see("list", list);
    got("no such method", PyObject_CallMethod(list, "fly", NULL));
    got("a tuple is the arguments", PyObject_CallMethod(list, "append", "(i)", 4));
    got("too many", PyObject_CallMethod(list, "append", "ii", 4, 5));
    see("list", list);
}

CASE(formats_of_calls) {
    PyObject* f = T(function_of(&with_tuple));
    got("NULL", PyObject_CallFunction(f, NULL));
    got("empty", PyObject_CallFunction(f, ""));
    got("one", PyObject_CallFunction(f, "i", 1));
    got("one tuple is all arguments", PyObject_CallFunction(f, "(ii)", 1, 2));
    got("a tuple in a tuple", PyObject_CallFunction(f, "((ii))", 1, 2));
    got("an object that is a tuple", PyObject_CallFunction(f, "O", V("(ii)", 1, 2)));
    got("a list", PyObject_CallFunction(f, "[i]", 1));
}

static PyObject* returns_null(PyObject* self, PyObject* unused) {
    (void)self;
    (void)unused;
    return NULL;
}
static PyObject* returns_and_raises(PyObject* self, PyObject* unused) {
    (void)self;
    (void)unused;
    PyErr_SetString(PyExc_ValueError, "raised all the same");
    return PyLong_FromLong(1);
}
DEFINE(null_definition, "returns_null", returns_null, METH_NOARGS);
DEFINE(raises_definition, "returns_and_raises", returns_and_raises, METH_NOARGS);

CASE(a_call_has_a_result_or_an_exception) {
    got("NULL", PyObject_CallNoArgs(T(function_of(&null_definition))));
    got("both", PyObject_CallNoArgs(T(function_of(&raises_definition))));
}

static PyObject* calls_its_tuple(PyObject* self, PyObject* args) {
    (void)self;
    return PyObject_CallObject(PyTuple_GetItem(args, 0), args);
}
static PyObject* calls_its_argument(PyObject* self, PyObject* arg) {
    (void)self;
    return PyObject_CallOneArg(arg, arg);
}
static PyObject* calls_its_array(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    (void)self;
    return PyObject_Vectorcall(args[0], args, (size_t)count, NULL);
}
DEFINE(nests_tuple, "nests_tuple", calls_its_tuple, METH_VARARGS);
DEFINE(nests_one, "nests_one", calls_its_argument, METH_O);
DEFINE(nests_array, "nests_array", calls_its_array, METH_FASTCALL);

CASE(calls_that_nest_without_an_end) {
    PyMethodDef* definitions[] = {&nests_tuple, &nests_one, &nests_array};
    for (int i = 0; i < 3; ++i) {
        PyObject* f = T(function_of(definitions[i]));
        got(definitions[i]->ml_name, PyObject_CallOneArg(f, f));
    }
}

static PyObject* in_class(PyObject* type, PyObject* unused) {
    (void)unused;
    return Py_NewRef(type);
}
static PyObject* in_static(PyObject* self, PyObject* arg) {
    return Py_BuildValue("(iO)", self == NULL, arg);
}
static PyObject* in_defining(PyObject* self, PyTypeObject* defining, PyObject* const* args,
                             Py_ssize_t count, PyObject* names) {
    (void)args;
    (void)names;
    return Py_BuildValue("(sOn)", defining->tp_name, Py_TYPE(self), count);
}
static PyMethodDef Methods_methods[] = {
    {"plain", takes_one, METH_O, "plain(x)\n--\n\nTakes one."},
    {"of_class", in_class, METH_NOARGS | METH_CLASS, NULL},
    {"of_nobody", in_static, METH_O | METH_STATIC, NULL},
    {"of_definer", (PyCFunction)(void (*)(void))in_defining,
     METH_METHOD | METH_FASTCALL | METH_KEYWORDS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot Methods_slots[] = {{Py_tp_methods, Methods_methods}, {0, NULL}};
static PyType_Spec Methods_spec = {"same.Methods", sizeof(PyObject), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, Methods_slots};

CASE(methods_of_a_class_and_of_nobody) {
    PyObject* type = T(PyType_FromSpec(&Methods_spec));
    PyObject* op = T(PyObject_CallNoArgs(type));
    PyObject* derived = T(derive("Derived", type, NULL));
    got("on an object", PyObject_CallMethod(op, "plain", "i", 1));
    got("on the class", PyObject_CallMethod(type, "plain", "Oi", op, 1));
    got("on the class, nothing", PyObject_CallMethod(type, "plain", NULL));
    got("on the class, another", PyObject_CallMethod(type, "plain", "ii", 1, 2));
    got("of_class", PyObject_CallMethod(type, "of_class", NULL));
    got("of_class on an object", PyObject_CallMethod(op, "of_class", NULL));
    got("of_class derived", PyObject_CallMethod(derived, "of_class", NULL));
    got("of_nobody", PyObject_CallMethod(type, "of_nobody", "i", 5));
    got("of_nobody on an object", PyObject_CallMethod(op, "of_nobody", "i", 5));
    got("of_definer", PyObject_CallMethod(op, "of_definer", "ii", 1, 2));
    got("of_definer derived",
        PyObject_CallMethod(T(PyObject_CallNoArgs(derived)), "of_definer", NULL));
}

CASE(methods_show_themselves) {
    PyObject* type = T(PyType_FromSpec(&Methods_spec));
    PyObject* op = T(PyObject_CallNoArgs(type));
    PyObject* plain = T(PyObject_GetAttrString(type, "plain"));
    see("plain", plain);
    see("bound", T(PyObject_GetAttrString(op, "plain")));
    see("of_class", T(PyObject_GetAttrString(type, "of_class")));
    see("of_nobody", T(PyObject_GetAttrString(type, "of_nobody")));
    got("doc", PyObject_GetAttrString(plain, "__doc__"));
    got("signature", PyObject_GetAttrString(plain, "__text_signature__"));
    got("name", PyObject_GetAttrString(plain, "__name__"));
    got("qualname", PyObject_GetAttrString(plain, "__qualname__"));
    got("qualname of bound",
        PyObject_GetAttrString(T(PyObject_GetAttrString(op, "plain")), "__qualname__"));
}

CASE(flags_that_cannot_be) {
    static PyMethodDef bad = {"bad", takes_one, METH_O | METH_NOARGS, NULL};
    got("function", PyCFunction_NewEx(&bad, NULL, NULL));
}

CASE(arguments_keep_their_counts) {
    PyObject* list = V("[]");
    ALIVE_BEFORE(list);
    Py_XDECREF(PyObject_CallOneArg(T(function_of(&with_one)), list));
    Py_XDECREF(PyObject_CallFunctionObjArgs(T(function_of(&with_tuple)), list, list, NULL));
    Py_XDECREF(PyObject_CallOneArg(T(function_of(&with_nothing)), list));
    PyErr_Clear();
    see_count(list);
}

CASE(a_bound_method) {
    PyObject* f = T(function_of(&with_tuple));
    PyObject* bound = T(PyMethod_New(f, I(42)));
    got("call", PyObject_CallFunction(bound, "i", 1));
    see("function", PyMethod_Function(bound));
    see("self", PyMethod_Self(bound));
    see("bound", bound);
    got("no such attribute", PyObject_GetAttrString(bound, "nothing"));
    done("check", PyMethod_Check(bound));
    got("__self__", PyObject_GetAttrString(bound, "__self__"));
    got("the function's name", PyObject_GetAttrString(bound, "__name__"));
    done("equal", PyObject_RichCompareBool(bound, T(PyMethod_New(f, PyMethod_Self(bound))), Py_EQ));
    got("no self", PyMethod_New(f, NULL));
}

CASE(static_and_class_methods) {
    PyObject* f = T(function_of(&with_tuple));
    PyObject* type = T(derive(
        "C", OBJECT_TYPE, V("{s:N,s:N}", "s", PyStaticMethod_New(f), "c", PyClassMethod_New(f))));
    PyObject* op = T(PyObject_CallNoArgs(type));
    got("static", PyObject_CallMethod(op, "s", "i", 1));
    got("class", PyObject_CallMethod(op, "c", "i", 1));
    got("class of the class", PyObject_CallMethod(type, "c", "i", 1));
}
