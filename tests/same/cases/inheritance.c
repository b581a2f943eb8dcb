/* What a type takes over from its base, slot by slot, and what only together with others. */
#include "tests/same/same.h"

/* Functions that are never called: their addresses are compared. */
#define NEVER(name, result, ...)      \
    static result name(__VA_ARGS__) { \
        abort();                      \
    }
NEVER(f_repr, PyObject*, PyObject* a)
NEVER(f_str, PyObject*, PyObject* a)
NEVER(f_call, PyObject*, PyObject* a, PyObject* b, PyObject* c)
NEVER(f_getattro, PyObject*, PyObject* a, PyObject* b)
NEVER(f_setattro, int, PyObject* a, PyObject* b, PyObject* c)
NEVER(f_hash, Py_hash_t, PyObject* a)
NEVER(f_richcompare, PyObject*, PyObject* a, PyObject* b, int c)
NEVER(f_iter, PyObject*, PyObject* a)
NEVER(f_iternext, PyObject*, PyObject* a)
NEVER(f_descr_get, PyObject*, PyObject* a, PyObject* b, PyObject* c)
NEVER(f_descr_set, int, PyObject* a, PyObject* b, PyObject* c)
NEVER(f_init, int, PyObject* a, PyObject* b, PyObject* c)
NEVER(f_new, PyObject*, PyTypeObject* a, PyObject* b, PyObject* c)
NEVER(f_alloc, PyObject*, PyTypeObject* a, Py_ssize_t b)
NEVER(f_dealloc, void, PyObject* a)
NEVER(f_free, void, void* a)
NEVER(f_finalize, void, PyObject* a)
NEVER(f_del, void, PyObject* a)
NEVER(f_traverse, int, PyObject* a, visitproc b, void* c)
NEVER(f_clear, int, PyObject* a)
NEVER(f_is_gc, int, PyObject* a)
NEVER(f_length, Py_ssize_t, PyObject* a)
NEVER(f_binary, PyObject*, PyObject* a, PyObject* b)
NEVER(f_other_hash, Py_hash_t, PyObject* a)

static PyNumberMethods base_numbers = {
    .nb_add = f_binary, .nb_subtract = f_binary, .nb_bool = f_clear};
static PySequenceMethods base_sequences = {.sq_length = f_length, .sq_concat = f_binary};
static PyMappingMethods base_mappings = {.mp_length = f_length, .mp_subscript = f_binary};
static PyAsyncMethods base_async = {.am_await = f_repr, .am_aiter = f_iter};

/* A base with everything, and a type derived from it with nothing but what a case gives it. */
static PyTypeObject* base(void) {
    static PyTypeObject type = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Base",
        .tp_basicsize = sizeof(PyObject) + 3 * sizeof(void*),
        .tp_itemsize = 4,
        .tp_dealloc = f_dealloc,
        .tp_as_async = &base_async,
        .tp_repr = f_repr,
        .tp_as_number = &base_numbers,
        .tp_as_sequence = &base_sequences,
        .tp_as_mapping = &base_mappings,
        .tp_hash = f_hash,
        .tp_call = f_call,
        .tp_str = f_str,
        .tp_getattro = f_getattro,
        .tp_setattro = f_setattro,
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
        .tp_doc = "The base.",
        .tp_richcompare = f_richcompare,
        .tp_weaklistoffset = sizeof(PyObject),
        .tp_iter = f_iter,
        .tp_iternext = f_iternext,
        .tp_descr_get = f_descr_get,
        .tp_descr_set = f_descr_set,
        .tp_dictoffset = sizeof(PyObject) + sizeof(void*),
        .tp_init = f_init,
        .tp_alloc = f_alloc,
        .tp_new = f_new,
        .tp_free = f_free,
        .tp_is_gc = f_is_gc,
        .tp_del = f_del,
        .tp_finalize = f_finalize,
    };
    if (PyType_Ready(&type) < 0) {
        raised("the base");
    }
    return &type;
}

#define DERIVED(...)                                                                        \
    static PyTypeObject derived = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Derived", \
                                   __VA_ARGS__};                                            \
    derived.tp_base = base();                                                               \
    done("ready", PyType_Ready(&derived))

#define INHERITED(slot) \
    say(#slot ": %s", derived.slot == base()->slot ? "inherited" : "not inherited")

CASE(plain_slots_are_inherited) {
    DERIVED(.tp_flags = Py_TPFLAGS_DEFAULT);
    INHERITED(tp_basicsize);
    INHERITED(tp_itemsize);
    INHERITED(tp_dealloc);
    INHERITED(tp_repr);
    INHERITED(tp_str);
    INHERITED(tp_call);
    INHERITED(tp_iter);
    INHERITED(tp_iternext);
    INHERITED(tp_descr_get);
    INHERITED(tp_descr_set);
    INHERITED(tp_init);
    INHERITED(tp_new);
    INHERITED(tp_alloc);
    INHERITED(tp_free);
    INHERITED(tp_is_gc);
    INHERITED(tp_finalize);
    INHERITED(tp_dictoffset);
    INHERITED(tp_weaklistoffset);
}

CASE(what_is_not_inherited) {
    DERIVED(.tp_flags = Py_TPFLAGS_DEFAULT);
    INHERITED(tp_doc);
    INHERITED(tp_methods);
    INHERITED(tp_members);
    INHERITED(tp_dict);
    INHERITED(tp_name);
    done("basetype", PyType_HasFeature(&derived, Py_TPFLAGS_BASETYPE));
    got("doc", PyObject_GetAttrString((PyObject*)&derived, "__doc__"));
}

CASE(attribute_slots_are_inherited_together) {
    DERIVED(.tp_flags = Py_TPFLAGS_DEFAULT);
    INHERITED(tp_getattr);
    INHERITED(tp_getattro);
    INHERITED(tp_setattr);
    INHERITED(tp_setattro);
}

CASE(comparison_and_hash_are_inherited_together) {
    DERIVED(.tp_flags = Py_TPFLAGS_DEFAULT);
    INHERITED(tp_richcompare);
    INHERITED(tp_hash);
}

CASE(a_hash_of_ones_own_keeps_the_comparison_away) {
    DERIVED(.tp_flags = Py_TPFLAGS_DEFAULT, .tp_hash = f_other_hash);
    INHERITED(tp_richcompare);
    done("compared as object does", derived.tp_richcompare == PyBaseObject_Type.tp_richcompare);
    done("hash is its own", derived.tp_hash == f_other_hash);
}

CASE(a_comparison_of_ones_own_takes_the_hash_away) {
    DERIVED(.tp_flags = Py_TPFLAGS_DEFAULT, .tp_richcompare = f_richcompare);
    done("hash", derived.tp_hash == PyObject_HashNotImplemented);
    got("__hash__", PyObject_GetAttrString((PyObject*)&derived, "__hash__"));
}

CASE(suites_are_inherited_slot_by_slot) {
    static PyNumberMethods own_numbers = {.nb_add = f_binary};
    static PySequenceMethods own_sequences = {.sq_item = NULL};
    DERIVED(.tp_flags = Py_TPFLAGS_DEFAULT, .tp_as_number = &own_numbers,
            .tp_as_sequence = &own_sequences);
    INHERITED(tp_as_number->nb_add);
    INHERITED(tp_as_number->nb_subtract);
    INHERITED(tp_as_number->nb_bool);
    INHERITED(tp_as_number->nb_multiply);
    INHERITED(tp_as_sequence->sq_length);
    INHERITED(tp_as_sequence->sq_concat);
    INHERITED(tp_as_mapping);
    INHERITED(tp_as_mapping->mp_length);
    INHERITED(tp_as_mapping->mp_subscript);
    INHERITED(tp_as_async);
}

CASE(tp_del_is_inherited) {
    DERIVED(.tp_flags = Py_TPFLAGS_DEFAULT);
    INHERITED(tp_del);
}

/* The collector's slots and its flag. */
static PyTypeObject* container(void) {
    static PyTypeObject type = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Container",
        .tp_basicsize = sizeof(PyObject),
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
        .tp_traverse = f_traverse,
        .tp_clear = f_clear,
        .tp_new = PyType_GenericNew,
    };
    if (PyType_Ready(&type) < 0) {
        raised("the container");
    }
    return &type;
}
#define OF_CONTAINER(...)                                                                   \
    static PyTypeObject derived = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Derived", \
                                   __VA_ARGS__};                                            \
    derived.tp_base = container();                                                          \
    done("ready", PyType_Ready(&derived));                                                  \
    done("flag", PyType_HasFeature(&derived, Py_TPFLAGS_HAVE_GC));                          \
    done("traverse inherited", derived.tp_traverse == f_traverse);                          \
    done("clear inherited", derived.tp_clear == f_clear);                                   \
    done("freed as a container", derived.tp_free == PyObject_GC_Del)

CASE(flag_traverse_and_clear_are_inherited_together) {
    OF_CONTAINER(.tp_flags = Py_TPFLAGS_DEFAULT);
}

static int own_traverse(PyObject* op, visitproc visit, void* arg) {
    (void)op;
    (void)visit;
    (void)arg;
    return 0;
}
static int own_clear(PyObject* op) {
    (void)op;
    return 0;
}

CASE(a_traverse_of_ones_own_without_the_flag) {
    OF_CONTAINER(.tp_flags = Py_TPFLAGS_DEFAULT, .tp_traverse = own_traverse);
}

CASE(a_clear_of_ones_own_without_the_flag) {
    OF_CONTAINER(.tp_flags = Py_TPFLAGS_DEFAULT, .tp_clear = own_clear);
}

CASE(a_flag_of_ones_own) {
    OF_CONTAINER(.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, .tp_traverse = own_traverse);
}

CASE(a_flag_without_a_traverse) {
    static PyTypeObject type = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Bad",
        .tp_basicsize = sizeof(PyObject),
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    };
    done("ready", PyType_Ready(&type));
}

CASE(what_object_gives_to_everything) {
    static PyTypeObject type = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Least",
        .tp_basicsize = sizeof(PyObject),
        .tp_flags = Py_TPFLAGS_DEFAULT,
    };
    done("ready", PyType_Ready(&type));
    done("ready again", PyType_Ready(&type));
    done("type", Py_TYPE(&type) == &PyType_Type);
    done("base", type.tp_base == &PyBaseObject_Type);
    done("getattro", type.tp_getattro == PyObject_GenericGetAttr);
    done("setattro", type.tp_setattro == PyObject_GenericSetAttr);
    done("alloc", type.tp_alloc == PyType_GenericAlloc);
    done("free", type.tp_free == PyObject_Free);
    done("no new", type.tp_new == NULL);
    done("repr", type.tp_repr == PyBaseObject_Type.tp_repr);
    done("hash", type.tp_hash == PyBaseObject_Type.tp_hash);
    got("call", PyObject_CallNoArgs((PyObject*)&type));
    see("mro", type.tp_mro);
    see("bases", type.tp_bases);
}

CASE(new_is_inherited_from_what_is_not_object) {
    static PyTypeObject type = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.MyFloat",
        .tp_flags = Py_TPFLAGS_DEFAULT,
    };
    PyObject* op;
    type.tp_base = &PyFloat_Type;
    done("ready", PyType_Ready(&type));
    op = T(PyObject_CallFunction((PyObject*)&type, "d", 2.5));
    see("op", op);
    see("its type", (PyObject*)Py_TYPE(op));
    got("op + 1", PyNumber_Add(op, I(1)));
    done("is a float", PyFloat_Check(op));
    done("hash", PyObject_Hash(op) == PyObject_Hash(F(2.5)));
}

CASE(feature_flags_of_built_in_bases_are_inherited) {
    done("int",
         PyLong_Check(T(PyObject_CallNoArgs(T(derive("A", (PyObject*)&PyLong_Type, NULL))))));
    done("list",
         PyList_Check(T(PyObject_CallNoArgs(T(derive("A", (PyObject*)&PyList_Type, NULL))))));
    done("tuple",
         PyTuple_Check(T(PyObject_CallNoArgs(T(derive("A", (PyObject*)&PyTuple_Type, NULL))))));
    done("bytes",
         PyBytes_Check(T(PyObject_CallNoArgs(T(derive("A", (PyObject*)&PyBytes_Type, NULL))))));
    done("str",
         PyUnicode_Check(T(PyObject_CallNoArgs(T(derive("A", (PyObject*)&PyUnicode_Type, NULL))))));
    done("dict",
         PyDict_Check(T(PyObject_CallNoArgs(T(derive("A", (PyObject*)&PyDict_Type, NULL))))));
    done("exception",
         PyExceptionInstance_Check(T(PyObject_CallNoArgs(T(derive("A", PyExc_ValueError, NULL))))));
    done("type", PyType_Check(T(derive("A", TYPE_TYPE, NULL))));
    done("a list is no tuple",
         PyTuple_Check(T(PyObject_CallNoArgs(T(derive("A", (PyObject*)&PyList_Type, NULL))))));
}

CASE(a_base_that_is_no_base) {
    static PyTypeObject type = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.MyBool",
        .tp_flags = Py_TPFLAGS_DEFAULT,
    };
    type.tp_base = &PyBool_Type;
    done("ready", PyType_Ready(&type) == 0);
}

CASE(special_methods_of_c_slots) {
    PyObject* type = (PyObject*)base();
    static const char* const names[] = {
        "__repr__",    "__add__",     "__radd__", "__sub__",  "__bool__",         "__len__",
        "__getitem__", "__hash__",    "__call__", "__str__",  "__getattribute__", "__setattr__",
        "__delattr__", "__eq__",      "__lt__",   "__iter__", "__next__",         "__get__",
        "__set__",     "__delete__",  "__init__", "__del__",  "__mul__",          "__await__",
        "__aiter__",   "__contains__"};
    size_t i;
    PyObject* dict = base()->tp_dict;
    for (i = 0; i < sizeof names / sizeof *names; ++i) {
        PyObject* found = PyDict_GetItemString(dict, names[i]);
        if (found == NULL) {
            say("%s: none", names[i]);
        } else {
            see(names[i], found);
        }
    }
    (void)type;
}
