/* What CPython has only since 3.12: the expected lines are in newer.txt. */
#include "tests/same/same.h"

#if PY_VERSION_HEX >= 0x030D0000

NEWER_CASE(newer_exceptions_are_one_object) {
    PyObject* exception;
    PyErr_SetString(PyExc_ValueError, "taken");
    exception = PyErr_GetRaisedException();
    see("exception", exception);
    done("nothing is set", PyErr_Occurred() == NULL);
    PyErr_SetRaisedException(exception);
    raised("set again");
    done("none", PyErr_GetRaisedException() == NULL);
    PyErr_SetRaisedException(NULL);
    raised("set to none");
}

NEWER_CASE(newer_attributes_may_be_missing) {
    PyObject* value = Py_None;
    done("missing", PyObject_GetOptionalAttrString(I(1), "nothing", &value));
    done("NULL", value == NULL);
    done("there", PyObject_GetOptionalAttrString(I(5), "real", &value));
    got("value", value);
    done("has", PyObject_HasAttrStringWithError(I(1), "real"));
    done("has not", PyObject_HasAttrStringWithError(I(1), "nothing"));
    done("a name that is none", PyObject_HasAttrWithError(I(1), I(1)));
}

NEWER_CASE(newer_lists) {
    PyObject* l = V("[ii]", 1, 2);
    PyObject* item = PyList_GetItemRef(l, 1);
    got("item", item);
    got("too far", PyList_GetItemRef(l, 2));
    done("extend", PyList_Extend(l, V("(i)", 3)));
    see("list", l);
    done("clear", PyList_Clear(l));
    see("list", l);
}

NEWER_CASE(newer_dicts) {
    PyObject* d = V("{s:i}", "a", 1);
    PyObject* value = NULL;
    done("there", PyDict_GetItemStringRef(d, "a", &value));
    got("value", value);
    done("missing", PyDict_GetItemStringRef(d, "z", &value));
    done("NULL", value == NULL);
    done("unhashable", PyDict_GetItemRef(d, V("[]"), &value));
    done("contains", PyDict_ContainsString(d, "a"));
    done("set default", PyDict_SetDefaultRef(d, S("b"), I(2), &value));
    got("value", value);
    done("set default again", PyDict_SetDefaultRef(d, S("b"), I(3), &value));
    got("value", value);
    done("pop", PyDict_PopString(d, "a", &value));
    got("value", value);
    done("pop missing", PyDict_PopString(d, "a", &value));
    see("dict", d);
}

NEWER_CASE(newer_ordered_dicts) {
    PyObject* d = T(PyODict_New());
    see("empty", d);
    done("set", PyODict_SetItem(d, S("a"), I(1)));
    see("one", d);
    done("set itself", PyODict_SetItem(d, S("b"), d));
    see("itself", d);
    PyDict_Clear(d);
}

NEWER_CASE(newer_modules) {
    PyObject* m = T(PyModule_New("m"));
    PyObject* added;
    done("add", PyModule_Add(m, "x", PyLong_FromLong(5)));
    got("x", PyObject_GetAttrString(m, "x"));
    PyErr_SetString(PyExc_KeyError, "from before");
    done("add NULL", PyModule_Add(m, "y", NULL));
    added = PyImport_AddModuleRef("newly_made");
    see("added", added);
    Py_XDECREF(added);
    done("remove", PyDict_DelItemString(PyImport_GetModuleDict(), "newly_made"));
}

typedef struct {
    int number;
    PyObject* held;
} Extra;

static int extra_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(op));
    return 0;
}
static PyType_Slot extra_slots[] = {{Py_tp_traverse, (void*)extra_traverse}, {0, NULL}};
static PyType_Spec extra_spec = {"same.Extra", -(int)sizeof(Extra), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                                 extra_slots};

NEWER_CASE(newer_data_beside_what_the_base_has) {
    PyObject* type = T(PyType_FromSpecWithBases(&extra_spec, (PyObject*)&PyDict_Type));
    PyObject* op = T(PyObject_CallFunction(type, "{s:i}", "a", 1));
    Extra* extra = PyObject_GetTypeData(op, (PyTypeObject*)type);
    done("zero", extra->number);
    done("large enough", PyType_GetTypeDataSize((PyTypeObject*)type) >= (Py_ssize_t)sizeof(Extra));
    extra->number = 42;
    done("set", PyDict_SetItemString(op, "b", I(2)));
    done("number", extra->number);
    see("op", op);
    done("beyond the base", (char*)extra - (char*)op >= (Py_ssize_t)sizeof(PyDictObject));
}

NEWER_CASE(newer_types_of_metaclasses) {
    PyObject* meta = T(derive("Meta", TYPE_TYPE, NULL));
    PyType_Slot slots[] = {{0, NULL}};
    PyType_Spec spec = {"same.OfMeta", 0, 0, Py_TPFLAGS_DEFAULT, slots};
    PyObject* type = T(PyType_FromMetaclass((PyTypeObject*)meta, NULL, &spec, NULL));
    see("type", type);
    see("its type", (PyObject*)Py_TYPE(type));
}

typedef struct {
    PyObject_HEAD
    int number;
} Managed;
static int managed_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(op));
    return PyObject_VisitManagedDict(op, visit, arg);
}
static int managed_clear(PyObject* op) {
    PyObject_ClearManagedDict(op);
    return 0;
}
static void managed_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    PyObject_ClearWeakRefs(op);
    PyObject_ClearManagedDict(op);
    type->tp_free(op);
    Py_DECREF(type);
}
static PyType_Slot managed_slots[] = {{Py_tp_traverse, (void*)managed_traverse},
                                      {Py_tp_clear, (void*)managed_clear},
                                      {Py_tp_dealloc, (void*)managed_dealloc},
                                      {0, NULL}};
static PyType_Spec managed_spec = {"same.Managed", sizeof(Managed), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                       Py_TPFLAGS_MANAGED_DICT | Py_TPFLAGS_MANAGED_WEAKREF,
                                   managed_slots};

NEWER_CASE(newer_managed_dicts_and_weak_references) {
    PyObject* type = T(PyType_FromSpec(&managed_spec));
    PyObject* op = PyObject_CallNoArgs(type);
    PyObject* ref = T(PyWeakref_NewRef(op, NULL));
    done("set", PyObject_SetAttrString(op, "me", op));
    done("set", PyObject_SetAttrString(op, "x", I(1)));
    got("x", PyObject_GetAttrString(op, "x"));
    done("number", ((Managed*)op)->number);
    Py_DECREF(op);
    done("alive", PyWeakref_GetObject(ref) != Py_None);
    done("anything collected", PyGC_Collect() > 0);
    done("alive", PyWeakref_GetObject(ref) != Py_None);
}

static PyTypeObject Loose_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Loose",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = extra_traverse,
};

NEWER_CASE(newer_objects_with_extra_data) {
    PyObject* op;
    const char* data;
    size_t i;
    int other = 0;
    done("ready", PyType_Ready(&Loose_Type));
    op = PyUnstable_Object_GC_NewWithExtraData(&Loose_Type, 100);
    data = (const char*)op + Loose_Type.tp_basicsize;
    for (i = 0; i < 100; ++i) {
        other += data[i] != 0;
    }
    done("bytes that are not zero", other);
    done("references", Py_REFCNT(op));
    done("tracked", PyObject_GC_IsTracked(op));
    PyObject_GC_Del(op);
}

static int find_tales(PyObject* op, void* found) {
    *(int*)found += Py_TYPE(op) == &Tale_Type;
    return 1;
}
static int stop_early(PyObject* op, void* seen) {
    (void)op;
    return ++*(int*)seen < 3;
}

NEWER_CASE(newer_visits_of_all_objects) {
    int found = 0;
    int seen = 0;
    T((PyObject*)tale("a", NULL));
    T((PyObject*)tale("b", NULL));
    PyUnstable_GC_VisitObjects(find_tales, &found);
    done("found", found);
    PyUnstable_GC_VisitObjects(stop_early, &seen);
    done("seen", seen);
    done("enabled afterwards", PyGC_IsEnabled());
}

NEWER_CASE(newer_iterators_and_mappings) {
    PyObject* iterator = T(PyObject_GetIter(V("[i]", 1)));
    PyObject* item = NULL;
    PyObject* d = V("{s:i}", "a", 1);
    done("next", PyIter_NextItem(iterator, &item));
    got("item", item);
    done("end", PyIter_NextItem(iterator, &item));
    done("NULL", item == NULL);
    done("optional", PyMapping_GetOptionalItemString(d, "a", &item));
    got("item", item);
    done("optional missing", PyMapping_GetOptionalItemString(d, "z", &item));
    done("has", PyMapping_HasKeyStringWithError(d, "a"));
    done("has of an int", PyMapping_HasKeyStringWithError(I(1), "a"));
}

NEWER_CASE(newer_integers_and_texts) {
    done("int", PyLong_AsInt(I(5)));
    done("too large", PyLong_AsInt(I(4294967296LL)));
    done("equal to UTF-8", PyUnicode_EqualToUTF8(S("\xc3\xa9"), "\xc3\xa9"));
    done("not equal", PyUnicode_EqualToUTF8(S("a"), "ab"));
    got("width and precision", PyUnicode_FromFormat("[%-5d] [%.3d]", 42, 7));
    got("T and N", PyUnicode_FromFormat("%T %N", I(5), (PyObject*)&PyLong_Type));
    got("T of ours", PyUnicode_FromFormat("%T|%#T", PyExc_ValueError, PyExc_ValueError));
}

#endif
