/* The rules of "Supporting Cyclic Garbage Collection": constructors, deallocators, traversal, clearing,
 * and what controls and asks the collector. */
#include "tests/same/same.h"

typedef struct {
    PyObject_HEAD
    PyObject* first;
    PyObject* second;
} Pair;

static int deallocated;

static int Pair_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(((Pair*)op)->first);
    Py_VISIT(((Pair*)op)->second);
    return 0;
}

static int Pair_clear(PyObject* op) {
    Py_CLEAR(((Pair*)op)->first);
    Py_CLEAR(((Pair*)op)->second);
    return 0;
}

static void Pair_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    (void)Pair_clear(op);
    ++deallocated;
    PyObject_GC_Del(op);
}

static PyTypeObject Pair_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Pair",
    .tp_basicsize = sizeof(Pair),
    .tp_dealloc = Pair_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_traverse = Pair_traverse,
    .tp_clear = Pair_clear,
};

typedef struct {
    PyObject_VAR_HEAD
    PyObject* items[1];
} Row;

static int Row_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_ssize_t i;
    for (i = 0; i < Py_SIZE(op); ++i) {
        Py_VISIT(((Row*)op)->items[i]);
    }
    return 0;
}

static int Row_clear(PyObject* op) {
    Py_ssize_t i;
    for (i = 0; i < Py_SIZE(op); ++i) {
        Py_CLEAR(((Row*)op)->items[i]);
    }
    return 0;
}

static void Row_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    (void)Row_clear(op);
    ++deallocated;
    PyObject_GC_Del(op);
}

static PyTypeObject Row_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Row",
    .tp_basicsize = offsetof(Row, items),
    .tp_itemsize = sizeof(PyObject*),
    .tp_dealloc = Row_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = Row_traverse,
    .tp_clear = Row_clear,
};

static Pair* pair(PyObject* first, PyObject* second) {
    Pair* self;
    (void)PyType_Ready(&Pair_Type);
    self = PyObject_GC_New(Pair, &Pair_Type);
    self->first = Py_XNewRef(first);
    self->second = Py_XNewRef(second);
    PyObject_GC_Track(self);
    deallocated = 0;
    return self;
}

static Row* row(Py_ssize_t size) {
    Row* self;
    Py_ssize_t i;
    (void)PyType_Ready(&Row_Type);
    self = PyObject_GC_NewVar(Row, &Row_Type, size);
    for (i = 0; i < size; ++i) {
        self->items[i] = NULL;
    }
    deallocated = 0;
    return self;
}

CASE(a_container_is_tracked_when_it_says_so) {
    Pair* self;
    (void)PyType_Ready(&Pair_Type);
    self = PyObject_GC_New(Pair, &Pair_Type);
    self->first = self->second = NULL;
    done("is a container", PyObject_IS_GC((PyObject*)self));
    done("tracked", PyObject_GC_IsTracked((PyObject*)self));
    PyObject_GC_Track(self);
    done("tracked", PyObject_GC_IsTracked((PyObject*)self));
    PyObject_GC_UnTrack(self);
    done("tracked", PyObject_GC_IsTracked((PyObject*)self));
    PyObject_GC_UnTrack(self);
    done("untracked twice", PyObject_GC_IsTracked((PyObject*)self));
    PyObject_GC_Track(self);
    done("tracked again", PyObject_GC_IsTracked((PyObject*)self));
    done("references", Py_REFCNT(self));
    Py_DECREF(self);
}

CASE(generic_allocation_tracks) {
    PyObject* self;
    (void)PyType_Ready(&Pair_Type);
    self = T(Pair_Type.tp_alloc(&Pair_Type, 0));
    done("allocator", Pair_Type.tp_alloc == PyType_GenericAlloc);
    done("freeing", Pair_Type.tp_free == PyObject_GC_Del);
    done("tracked", PyObject_GC_IsTracked(self));
    done("fields are NULL", ((Pair*)self)->first == NULL && ((Pair*)self)->second == NULL);
}

CASE(a_type_without_the_flag_is_freed_plainly) {
    static PyTypeObject plain = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.plain",
        .tp_basicsize = sizeof(PyObject),
        .tp_flags = Py_TPFLAGS_DEFAULT,
        .tp_new = PyType_GenericNew,
    };
    PyObject* op;
    done("ready", PyType_Ready(&plain));
    done("freeing", plain.tp_free == PyObject_Free);
    op = T(PyObject_CallNoArgs((PyObject*)&plain));
    done("is a container", PyObject_IS_GC(op));
    done("tracked", PyObject_GC_IsTracked(op));
    done("finalized", PyObject_GC_IsFinalized(op));
}

CASE(what_is_a_container) {
    done("int", PyObject_IS_GC(I(1)));
    done("float", PyObject_IS_GC(F(1)));
    done("str", PyObject_IS_GC(S("x")));
    done("bytes", PyObject_IS_GC(T(PyBytes_FromString("x"))));
    done("None", PyObject_IS_GC(Py_None));
    done("list", PyObject_IS_GC(V("[]")));
    done("tuple", PyObject_IS_GC(V("(i)", 1)));
    done("dict", PyObject_IS_GC(V("{}")));
    done("set", PyObject_IS_GC(T(PySet_New(NULL))));
    done("slice", PyObject_IS_GC(T(PySlice_New(NULL, NULL, NULL))));
    done("range", PyObject_IS_GC(T(PyObject_CallFunction((PyObject*)&PyRange_Type, "i", 3))));
    done("exception", PyObject_IS_GC(T(PyObject_CallNoArgs(PyExc_ValueError))));
    done("static type", PyObject_IS_GC((PyObject*)&PyLong_Type));
    done("class", PyObject_IS_GC(T(derive("C", OBJECT_TYPE, NULL))));
    done("module", PyObject_IS_GC(T(PyModule_New("m"))));
}

CASE(what_is_tracked_from_the_beginning) {
    done("list", PyObject_GC_IsTracked(V("[]")));
    done("set", PyObject_GC_IsTracked(T(PySet_New(NULL))));
    done("tuple with a list", PyObject_GC_IsTracked(V("([])")));
    done("dict with a list", PyObject_GC_IsTracked(V("{s:[]}", "a")));
    done("exception", PyObject_GC_IsTracked(T(PyObject_CallNoArgs(PyExc_ValueError))));
    done("class", PyObject_GC_IsTracked(T(derive("C", OBJECT_TYPE, NULL))));
    done("instance",
         PyObject_GC_IsTracked(T(PyObject_CallNoArgs(T(derive("C", OBJECT_TYPE, NULL))))));
    done("module", PyObject_GC_IsTracked(T(PyModule_New("m"))));
    done("int", PyObject_GC_IsTracked(I(1)));
    done("static type", PyObject_GC_IsTracked((PyObject*)&PyLong_Type));
}

CASE_LEFT_OUT(what_is_tracked_later, "CPython tracks dicts and tuples lazily; versions differ") {
    done("empty dict", PyObject_GC_IsTracked(V("{}")));
    done("dict of ints", PyObject_GC_IsTracked(V("{s:i}", "a", 1)));
    done("empty tuple", PyObject_GC_IsTracked(V("()")));
    done("frozenset", PyObject_GC_IsTracked(T(PyFrozenSet_New(NULL))));
}

CASE(a_pair_in_a_cycle) {
    Pair* a = pair(NULL, NULL);
    Pair* b = pair((PyObject*)a, NULL);
    a->second = (PyObject*)b;
    done("held", PyGC_Collect());
    Py_DECREF(a);
    done("collected", PyGC_Collect());
    done("deallocated", deallocated);
}

CASE(a_container_that_holds_itself_twice) {
    Pair* a = pair(NULL, NULL);
    a->first = Py_NewRef((PyObject*)a);
    a->second = Py_NewRef((PyObject*)a);
    done("references", Py_REFCNT(a));
    Py_DECREF(a);
    done("collected", PyGC_Collect());
    done("deallocated", deallocated);
}

CASE(what_is_not_tracked_is_not_collected) {
    Pair* a = pair(NULL, NULL);
    a->first = Py_NewRef((PyObject*)a);
    PyObject_GC_UnTrack(a);
    Py_DECREF(a);
    done("collected", PyGC_Collect());
    done("deallocated", deallocated);
    PyObject_GC_Track(a);
    done("collected once tracked again", PyGC_Collect());
    done("deallocated", deallocated);
}

CASE(what_hangs_off_a_cycle_counts) {
    Pair* tail = pair(NULL, NULL);
    Pair* a = pair(NULL, (PyObject*)tail);
    Py_DECREF(tail);
    a->first = Py_NewRef((PyObject*)a);
    Py_DECREF(a);
    done("collected", PyGC_Collect());
    done("deallocated", deallocated);
}

CASE(what_is_held_from_outside_survives) {
    Pair* held = pair(NULL, NULL);
    Pair* a = pair(NULL, (PyObject*)held);
    a->first = Py_NewRef((PyObject*)a);
    Py_DECREF(a);
    done("collected", PyGC_Collect());
    done("references", Py_REFCNT(held));
    done("tracked", PyObject_GC_IsTracked((PyObject*)held));
    Py_DECREF(held);
}

CASE(a_long_ring) {
    enum { LENGTH = 300 };
    Pair* first = pair(NULL, NULL);
    Pair* last = first;
    int i;
    for (i = 1; i < LENGTH; ++i) {
        Pair* next = pair((PyObject*)last, NULL);
        Py_DECREF(last);
        last = next;
    }
    first->first = Py_NewRef((PyObject*)last);
    done("collected", PyGC_Collect());
    Py_DECREF(last);
    done("collected", PyGC_Collect());
    done("deallocated", deallocated);
}

CASE(an_object_of_variable_size) {
    Row* self = row(3);
    done("size", Py_SIZE(self));
    done("tracked", PyObject_GC_IsTracked((PyObject*)self));
    PyObject_GC_Track(self);
    self->items[1] = Py_NewRef((PyObject*)self);
    Py_DECREF(self);
    done("collected", PyGC_Collect());
    done("deallocated", deallocated);
}

CASE(an_object_is_resized_before_it_is_tracked) {
    Row* self = row(2);
    Py_ssize_t i;
    self->items[0] = PyLong_FromLong(1000000);
    self = PyObject_GC_Resize(Row, self, 200);
    for (i = 2; i < 200; ++i) {
        self->items[i] = NULL;
    }
    done("size", Py_SIZE(self));
    see("first item", self->items[0]);
    PyObject_GC_Track(self);
    self->items[199] = Py_NewRef((PyObject*)self);
    Py_DECREF(self);
    done("collected", PyGC_Collect());
    self = row(50);
    self = PyObject_GC_Resize(Row, self, 1);
    done("smaller", Py_SIZE(self));
    Py_DECREF(self);
    done("deallocated", deallocated);
}

CASE(a_size_that_cannot_be) {
    (void)PyType_Ready(&Row_Type);
    done("NULL", _PyObject_GC_NewVar(&Row_Type, PY_SSIZE_T_MAX / 16) == NULL);
}

static int count_visits(PyObject* op, void* arg) {
    (void)op;
    ++*(int*)arg;
    return 0;
}

static int stop_at_once(PyObject* op, void* arg) {
    (void)op;
    ++*(int*)arg;
    return 42;
}

CASE(traversal_visits_what_is_there_and_stops_when_told) {
    PyObject* list = T(PyList_New(0));
    Pair* both = (Pair*)T((PyObject*)pair(list, list));
    Pair* one = (Pair*)T((PyObject*)pair(NULL, list));
    int visits = 0;
    done("result", Pair_traverse((PyObject*)both, count_visits, &visits));
    done("visits of both", visits);
    visits = 0;
    done("result", Pair_traverse((PyObject*)one, count_visits, &visits));
    done("visits of one", visits);
    visits = 0;
    done("result", Pair_traverse((PyObject*)both, stop_at_once, &visits));
    done("visits until the stop", visits);
}

CASE(built_in_containers_are_traversed) {
    PyObject* list = V("[[][][]]");
    PyObject* tuple = V("([][])");
    PyObject* dict = V("{s:[],s:[]}", "a", "b");
    PyObject* set = T(PySet_New(V("(NN)", tale("a", NULL), tale("b", NULL))));
    int visits = 0;
    done("list", Py_TYPE(list)->tp_traverse(list, count_visits, &visits));
    done("visits", visits);
    visits = 0;
    done("tuple", Py_TYPE(tuple)->tp_traverse(tuple, stop_at_once, &visits));
    done("visits", visits);
    visits = 0;
    done("set", Py_TYPE(set)->tp_traverse(set, count_visits, &visits));
    done("visits", visits);
    visits = 0;
    done("dict stops", Py_TYPE(dict)->tp_traverse(dict, stop_at_once, &visits));
    done("visits", visits);
}

CASE(clearing_leaves_an_object_valid) {
    PyObject* list = V("[iii]", 1, 2, 3);
    PyObject* dict = V("{s:i}", "a", 1);
    PyObject* set = T(PySet_New(V("(ss)", "a", "b")));
    done("list", Py_TYPE(list)->tp_clear(list));
    see("list", list);
    done("append", PyList_Append(list, list));
    see("list", list);
    done("list", Py_TYPE(list)->tp_clear(list));
    done("dict", Py_TYPE(dict)->tp_clear(dict));
    see("dict", dict);
    done("dict", PyDict_SetItemString(dict, "b", Py_None));
    see("dict", dict);
    done("set", Py_TYPE(set)->tp_clear(set));
    see("set", set);
    done("tuple has a clear", PyTuple_Type.tp_clear != NULL);
}

CASE(the_collector_is_switched_off_and_on) {
    PyObject* l;
    done("enabled", PyGC_IsEnabled());
    done("disable", PyGC_Disable());
    done("enabled", PyGC_IsEnabled());
    done("disable again", PyGC_Disable());
    l = PyList_New(0);
    done("append", PyList_Append(l, l));
    Py_DECREF(l);
    done("collect while disabled", PyGC_Collect());
    done("enable", PyGC_Enable());
    done("enable again", PyGC_Enable());
    done("collect", PyGC_Collect());
}

static Py_ssize_t inner_result;
static void collect_inside(PyObject* self) {
    (void)self;
    inner_result = PyGC_Collect();
}

CASE(a_collection_inside_a_collection_does_nothing) {
    Tale* t = tale("t", NULL);
    PyObject* l = PyList_New(0);
    tale_hold(t, (PyObject*)t);
    t->on_finalize = collect_inside;
    Py_DECREF(t);
    done("append", PyList_Append(l, l));
    Py_DECREF(l);
    inner_result = -5;
    done("collected", PyGC_Collect());
    done("inside", inner_result);
}

CASE(a_collection_keeps_the_exception_that_is_set) {
    Tale* t = tale("t", NULL);
    Py_ssize_t collected;
    tale_hold(t, (PyObject*)t);
    Py_DECREF(t);
    PyErr_SetString(PyExc_KeyError, "mine");
    collected = PyGC_Collect();
    raised("after the collection");
    done("collected", collected);
}
