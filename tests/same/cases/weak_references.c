/* Weak references and their callbacks: by count, in a collection, shared, proxies. */
#include "tests/same/same.h"

static PyObject* on_death(PyObject* self, PyObject* ref) {
    say("callback of %s, which refers to %s", PyUnicode_AsUTF8(self),
        PyWeakref_GetObject(ref) == Py_None ? "nothing" : "something");
    Py_RETURN_NONE;
}
DEFINE(on_death_definition, "on_death", on_death, METH_O);

static PyObject* callback(const char* name) {
    return T(PyCFunction_NewEx(&on_death_definition, S(name), NULL));
}

static PyObject* failing(PyObject* self, PyObject* ref) {
    (void)self;
    (void)ref;
    PyErr_SetString(PyExc_ValueError, "from a callback");
    return NULL;
}
DEFINE(failing_definition, "failing", failing, METH_O);

static Tale* quiet(const char* name) {
    Tale* self = tale(name, NULL);
    self->quiet = 1;
    return self;
}

CASE(a_weak_reference_does_not_keep_its_object) {
    Tale* a = tale("a", NULL);
    PyObject* ref = T(PyWeakref_NewRef((PyObject*)a, NULL));
    done("references", Py_REFCNT(a));
    done("it refers", PyWeakref_GetObject(ref) == (PyObject*)a);
    done("called", PyObject_CallNoArgs(ref) == (PyObject*)a);
    Py_DECREF(a);
    Py_DECREF(a);
    see("dead", PyWeakref_GetObject(ref));
    got("called", PyObject_CallNoArgs(ref));
}

CASE(a_bound_method_is_weakly_referenced) {
    PyObject* method = PyMethod_New((PyObject*)&PyList_Type, S("self"));
    PyObject* ref = T(PyWeakref_NewRef(method, callback("ref")));
    done("it refers", PyWeakref_GetObject(ref) == method);
    Py_DECREF(method);
    see("dead", PyWeakref_GetObject(ref));
}

CASE(a_weak_reference_shows_itself) {
    Tale* a = quiet("a");
    PyObject* ref = T(PyWeakref_NewRef((PyObject*)a, NULL));
    see("ref", ref);
    see("type", (PyObject*)Py_TYPE(ref));
    done("is a ref", PyWeakref_CheckRef(ref));
    done("is a proxy", PyWeakref_CheckProxy(ref));
    Py_DECREF(a);
    see("dead ref", ref);
}

CASE(a_weak_reference_without_callback_is_shared) {
    Tale* a = quiet("a");
    PyObject* first = T(PyWeakref_NewRef((PyObject*)a, NULL));
    PyObject* second = T(PyWeakref_NewRef((PyObject*)a, NULL));
    PyObject* third = T(PyWeakref_NewRef((PyObject*)a, Py_None));
    PyObject* own = T(PyWeakref_NewRef((PyObject*)a, callback("own")));
    done("the same", first == second);
    done("the same with None", first == third);
    done("with a callback", first == own);
    Py_DECREF(a);
}

CASE(callbacks_run_when_the_object_dies_latest_first) {
    Tale* a = tale("a", NULL);
    T(PyWeakref_NewRef((PyObject*)a, callback("one")));
    T(PyWeakref_NewRef((PyObject*)a, callback("two")));
    T(PyWeakref_NewRef((PyObject*)a, callback("three")));
    Py_DECREF(a);
    say("gone");
}

CASE(a_dead_weak_reference_is_not_called_back) {
    Tale* a = quiet("a");
    PyObject* ref = PyWeakref_NewRef((PyObject*)a, callback("one"));
    Py_DECREF(ref);
    Py_DECREF(a);
    say("nothing was called");
}

CASE(a_callback_may_raise) {
    Tale* a = quiet("a");
    T(PyWeakref_NewRef((PyObject*)a, T(function_of(&failing_definition))));
    T(PyWeakref_NewRef((PyObject*)a, callback("another")));
    capture_begin();
    Py_DECREF(a);
    capture_end();
    raised("afterwards");
}

CASE(callbacks_run_in_a_collection_before_finalizers) {
    Tale* a = tale("a", NULL);
    PyObject* ref = T(PyWeakref_NewRef((PyObject*)a, callback("outside")));
    tale_hold(a, (PyObject*)a);
    Py_DECREF(a);
    done("collected", PyGC_Collect());
    see("ref", PyWeakref_GetObject(ref));
}

CASE(a_weak_reference_in_the_garbage_is_not_called_back) {
    PyObject* list = PyList_New(0);
    Tale* a = tale("a", list);
    PyObject* ref = PyWeakref_NewRef((PyObject*)a, callback("inside"));
    a->quiet = 1;
    PyList_Append(list, (PyObject*)a);
    PyList_Append(list, ref);
    Py_DECREF(ref);
    Py_DECREF(list);
    Py_DECREF(a);
    done("anything collected", PyGC_Collect() > 0);
}

static PyObject* seen_ref;
static void look(PyObject* self) {
    (void)self;
    say("the finalizer finds %s",
        PyWeakref_GetObject(seen_ref) == Py_None ? "nothing" : "the object");
}

CASE(a_finalizer_in_a_collection_finds_weak_references_dead) {
    Tale* a = tale("a", NULL);
    seen_ref = T(PyWeakref_NewRef((PyObject*)a, callback("it")));
    a->on_finalize = look;
    tale_hold(a, (PyObject*)a);
    Py_DECREF(a);
    done("collected", PyGC_Collect());
}

CASE(a_finalizer_by_count_finds_weak_references_alive) {
    Tale* a = tale("a", NULL);
    seen_ref = T(PyWeakref_NewRef((PyObject*)a, NULL));
    a->on_finalize = look;
    Py_DECREF(a);
}

CASE(weak_references_compare_as_their_objects) {
    PyObject* set_type = T(derive("Set", (PyObject*)&PySet_Type, NULL));
    PyObject* a = PyObject_CallFunction(set_type, "((ii))", 1, 2);
    PyObject* b = T(PyObject_CallFunction(set_type, "((ii))", 2, 1));
    PyObject* c = T(PyObject_CallFunction(set_type, "((i))", 5));
    PyObject* ra = T(PyWeakref_NewRef(a, callback("a")));
    PyObject* ra2 = T(PyWeakref_NewRef(a, callback("a")));
    PyObject* rb = T(PyWeakref_NewRef(b, NULL));
    PyObject* rc = T(PyWeakref_NewRef(c, NULL));
    got("equal objects", PyObject_RichCompare(ra, rb, Py_EQ));
    got("other objects", PyObject_RichCompare(ra, rc, Py_EQ));
    got("not equal", PyObject_RichCompare(ra, rc, Py_NE));
    got("no order", PyObject_RichCompare(ra, rb, Py_LT));
    done("hash", PyObject_Hash(ra));
    Py_DECREF(a);
    got("a dead one with a live one", PyObject_RichCompare(ra, rb, Py_EQ));
    got("with itself", PyObject_RichCompare(ra, ra, Py_EQ));
    got("two dead ones", PyObject_RichCompare(ra, ra2, Py_EQ));
}

CASE(a_weak_reference_hashes_as_its_object_while_it_lives) {
    PyObject* type = T(derive("Number", (PyObject*)&PyFloat_Type, NULL));
    PyObject* a = PyObject_CallFunction(type, "d", 2.5);
    PyObject* b = PyObject_CallFunction(type, "d", 3.5);
    PyObject* ra = T(PyWeakref_NewRef(a, NULL));
    PyObject* rb = T(PyWeakref_NewRef(b, NULL));
    done("the object's", PyObject_Hash(ra) == PyObject_Hash(a));
    Py_DECREF(a);
    done("it is remembered", PyObject_Hash(ra) != -1);
    Py_DECREF(b);
    done("never asked", PyObject_Hash(rb));
}

CASE(what_cannot_be_weakly_referenced) {
    got("int", PyWeakref_NewRef(I(1), NULL));
    got("str", PyWeakref_NewRef(S("x"), NULL));
    got("list", PyWeakref_NewRef(V("[]"), NULL));
    got("tuple", PyWeakref_NewRef(V("()"), NULL));
    got("dict", PyWeakref_NewRef(V("{}"), NULL));
    got("None", PyWeakref_NewRef(Py_None, NULL));
    got("proxy", PyWeakref_NewProxy(I(1), NULL));
}

CASE(what_can_be_weakly_referenced) {
    PyObject* type = T(derive("C", OBJECT_TYPE, NULL));
    see("instance", (PyObject*)Py_TYPE(T(PyWeakref_NewRef(T(PyObject_CallNoArgs(type)), NULL))));
    see("class", (PyObject*)Py_TYPE(T(PyWeakref_NewRef(type, NULL))));
    see("built-in class", (PyObject*)Py_TYPE(T(PyWeakref_NewRef((PyObject*)&PyLong_Type, NULL))));
    see("set", (PyObject*)Py_TYPE(T(PyWeakref_NewRef(T(PySet_New(NULL)), NULL))));
    see("function", (PyObject*)Py_TYPE(T(PyWeakref_NewRef(callback("f"), NULL))));
    see("module", (PyObject*)Py_TYPE(T(PyWeakref_NewRef(T(PyModule_New("m")), NULL))));
}

CASE(a_proxy_stands_for_its_object) {
    PyObject* type = T(derive("List", (PyObject*)&PyList_Type, NULL));
    PyObject* list = PyObject_CallFunction(type, "((iii))", 3, 1, 2);
    PyObject* proxy = T(PyWeakref_NewProxy(list, callback("proxy")));
    done("length", PyObject_Size(proxy));
    got("item", PySequence_GetItem(proxy, 0));
    got("sum", PyNumber_Add(proxy, V("[i]", 9)));
    see_text("text", proxy);
    done("truth", PyObject_IsTrue(proxy));
    done("attribute", PyObject_SetAttrString(proxy, "x", I(1)));
    got("on the object", PyObject_GetAttrString(list, "x"));
    done("contains", PySequence_Contains(proxy, I(3)));
    done("hash", PyObject_Hash(proxy));
    done("is a proxy", PyWeakref_CheckProxy(proxy));
    Py_DECREF(list);
    done("length", PyObject_Size(proxy));
    got("attribute", PyObject_GetAttrString(proxy, "x"));
    got("text", PyObject_Str(proxy));
}

CASE(a_proxy_of_a_callable_is_callable) {
    PyObject* type = T(derive("C", OBJECT_TYPE, NULL));
    PyObject* proxy = T(PyWeakref_NewProxy(type, NULL));
    see("type", (PyObject*)Py_TYPE(proxy));
    done("callable", PyCallable_Check(proxy));
    see("called", (PyObject*)Py_TYPE(T(PyObject_CallNoArgs(proxy))));
    see("not callable",
        (PyObject*)Py_TYPE(T(PyWeakref_NewProxy(T(PyObject_CallNoArgs(type)), NULL))));
}

CASE(the_object_of_something_else) {
    see("a list", PyWeakref_GetObject(V("[]")));
}

CASE(the_weakref_module_counts_references) {
    PyObject* weakref = T(PyImport_ImportModule("weakref"));
    Tale* a = quiet("a");
    T(PyWeakref_NewRef((PyObject*)a, NULL));
    T(PyWeakref_NewRef((PyObject*)a, callback("x")));
    T(PyWeakref_NewProxy((PyObject*)a, NULL));
    got("count", PyObject_CallMethod(weakref, "getweakrefcount", "O", a));
    done("list", PyObject_Size(T(PyObject_CallMethod(weakref, "getweakrefs", "O", a))));
    got("of an int", PyObject_CallMethod(weakref, "getweakrefcount", "i", 1));
    Py_DECREF(a);
}

CASE(a_reference_made_by_calling_its_type) {
    PyObject* weakref = T(PyImport_ImportModule("weakref"));
    PyObject* ref_type = T(PyObject_GetAttrString(weakref, "ref"));
    Tale* a = quiet("a");
    PyObject* ref = T(PyObject_CallFunctionObjArgs(ref_type, (PyObject*)a, callback("c"), NULL));
    see("callback's type", (PyObject*)Py_TYPE(T(PyObject_GetAttrString(ref, "__callback__"))));
    got("no arguments", PyObject_CallNoArgs(ref_type));
    got("an int", PyObject_CallFunction(ref_type, "i", 1));
    Py_DECREF(a);
    got("callback afterwards", PyObject_GetAttrString(ref, "__callback__"));
}

#if PY_VERSION_HEX >= 0x030D0000
NEWER_CASE(a_strong_reference_from_a_weak_one) {
    Tale* a = quiet("a");
    PyObject* ref = T(PyWeakref_NewRef((PyObject*)a, NULL));
    PyObject* object = Py_None;
    done("alive", PyWeakref_GetRef(ref, &object));
    done("the object", object == (PyObject*)a);
    Py_XDECREF(object);
    Py_DECREF(a);
    done("dead", PyWeakref_GetRef(ref, &object));
    done("NULL", object == NULL);
    done("not a reference", PyWeakref_GetRef(Py_None, &object));
}
#endif
