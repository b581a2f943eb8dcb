/* Finalizers: once for an object, before anything is cleared, with resurrection; and tp_del. */
#include "tests/same/same.h"

static PyObject* saved;

static void save(PyObject* self) {
    saved = Py_NewRef(self);
    say("resurrect %s", ((Tale*)self)->name);
}

CASE(an_object_is_finalized_when_its_count_ends) {
    Py_DECREF(tale("a", NULL));
}

CASE(a_cycle_is_finalized_then_cleared) {
    Tale* a = tale("a", NULL);
    tale_hold(a, (PyObject*)a);
    done("nothing", PyGC_Collect());
    Py_DECREF(a);
    done("collected", PyGC_Collect());
    done("again", PyGC_Collect());
}

CASE(all_of_a_cycle_are_finalized_before_one_is_cleared) {
    Tale* a = tale("a", NULL);
    Tale* b = tale("b", (PyObject*)a);
    const int before = tales_finalized;
    a->quiet = b->quiet = 1;
    tale_hold(a, (PyObject*)b);
    Py_DECREF(a);
    Py_DECREF(b);
    tales_finalized_at_clear = -1;
    done("collected", PyGC_Collect());
    done("finalized at the first clear", tales_finalized_at_clear - before);
    done("finalized", tales_finalized - before);
}

CASE(a_chain_dies_from_its_head) {
    Tale* c = tale("c", NULL);
    Tale* b = tale("b", (PyObject*)c);
    Tale* a = tale("a", (PyObject*)b);
    Py_DECREF(c);
    Py_DECREF(b);
    Py_DECREF(a);
}

CASE(resurrection_by_count_happens_once) {
    Tale* a = tale("a", NULL);
    a->on_finalize = save;
    Py_DECREF(a);
    done("references", Py_REFCNT(saved));
    done("finalized", PyObject_GC_IsFinalized(saved));
    done("tracked", PyObject_GC_IsTracked(saved));
    Py_CLEAR(saved);
    say("gone");
}

CASE(resurrection_from_a_cycle_keeps_it_whole) {
    Tale* a = tale("a", NULL);
    Tale* b = tale("b", (PyObject*)a);
    tale_hold(a, (PyObject*)b);
    b->quiet = 1;
    a->on_finalize = save;
    Py_DECREF(a);
    Py_DECREF(b);
    done("collected", PyGC_Collect());
    done("it is whole", ((Tale*)((Tale*)saved)->held)->held == saved);
    done("references", Py_REFCNT(saved));
    done("again", PyGC_Collect());
    ((Tale*)saved)->quiet = 1;
    Py_CLEAR(saved);
    done("after it is dropped", PyGC_Collect());
}

CASE(a_resurrected_object_keeps_what_it_reaches) {
    Tale* held = tale("held", NULL);
    Tale* a = tale("a", (PyObject*)held);
    PyObject* l = PyList_New(0);
    Tale* ring = tale("ring", l);
    held->quiet = ring->quiet = 1;
    Py_DECREF(held);
    PyList_Append(l, (PyObject*)ring);
    PyList_Append(l, (PyObject*)a);
    a->on_finalize = save;
    Py_DECREF(l);
    Py_DECREF(ring);
    Py_DECREF(a);
    done("anything collected", PyGC_Collect() > 0);
    done("held is alive", Py_REFCNT(((Tale*)saved)->held));
    Py_CLEAR(saved);
}

CASE(call_finalizer_runs_it_once) {
    Tale* a = tale("a", NULL);
    done("finalized", PyObject_GC_IsFinalized((PyObject*)a));
    PyObject_CallFinalizer((PyObject*)a);
    done("finalized", PyObject_GC_IsFinalized((PyObject*)a));
    PyObject_CallFinalizer((PyObject*)a);
    Py_DECREF(a);
}

CASE(what_was_finalized_by_hand_is_not_by_the_collector) {
    Tale* a = tale("a", NULL);
    tale_hold(a, (PyObject*)a);
    PyObject_CallFinalizer((PyObject*)a);
    Py_DECREF(a);
    done("collected", PyGC_Collect());
}

static void raise_inside(PyObject* self) {
    PyErr_Format(PyExc_ValueError, "from %s", ((Tale*)self)->name);
    PyErr_WriteUnraisable(Py_None);
}

CASE(a_finalizer_reports_what_it_raises) {
    Tale* a = tale("a", NULL);
    a->on_finalize = raise_inside;
    capture_begin();
    Py_DECREF(a);
    capture_end();
}

CASE(a_finalizer_sees_no_exception_and_leaves_the_one_that_was_set) {
    Tale* a = tale("a", NULL);
    PyErr_SetString(PyExc_IndexError, "set before");
    Py_DECREF(a);
    raised("afterwards");
}

static void make_another(PyObject* self) {
    Tale* other = tale("born in a finalizer", NULL);
    (void)self;
    tale_hold(other, (PyObject*)other);
    Py_DECREF(other);
}

CASE(garbage_made_by_a_finalizer_waits_for_the_next_collection) {
    Tale* a = tale("a", NULL);
    tale_hold(a, (PyObject*)a);
    a->on_finalize = make_another;
    Py_DECREF(a);
    done("first", PyGC_Collect());
    done("second", PyGC_Collect());
}

static PyObject* __attribute__((noinline)) del_says(PyObject* self, PyObject* unused) {
    (void)unused;
    (void)self;
    say("__del__");
    Py_RETURN_NONE;
}
static PyObject* del_raises(PyObject* self, PyObject* unused) {
    (void)unused;
    (void)self;
    PyErr_SetString(PyExc_RuntimeError, "in __del__");
    return NULL;
}
static PyObject* del_saves(PyObject* self, PyObject* unused) {
    (void)unused;
    say("__del__ saves");
    saved = Py_NewRef(self);
    Py_RETURN_NONE;
}
DEFINE(says_definition, "__del__", del_says, METH_NOARGS);
DEFINE(raises_definition, "__del__", del_raises, METH_NOARGS);
DEFINE(saves_definition, "__del__", del_saves, METH_NOARGS);

static PyObject* class_with(PyMethodDef* definition) {
    return T(derive("Mortal", OBJECT_TYPE, V("{s:N}", "__del__", method_of(definition))));
}

CASE(del_of_a_class_runs_when_the_count_ends) {
    PyObject* op = PyObject_CallNoArgs(class_with(&says_definition));
    say("made");
    Py_DECREF(op);
    say("gone");
}

CASE(del_of_a_class_runs_in_a_collection) {
    PyObject* op = PyObject_CallNoArgs(class_with(&says_definition));
    done("attribute", PyObject_SetAttrString(op, "me", op));
    Py_DECREF(op);
    done("anything collected", PyGC_Collect() > 0);
}

CASE(del_of_a_class_may_raise) {
    PyObject* op = PyObject_CallNoArgs(class_with(&raises_definition));
    capture_begin();
    Py_DECREF(op);
    capture_end();
    raised("afterwards");
}

CASE(del_of_a_class_may_resurrect_once) {
    PyObject* op = PyObject_CallNoArgs(class_with(&saves_definition));
    Py_DECREF(op);
    done("references", Py_REFCNT(saved));
    done("finalized", PyObject_GC_IsFinalized(saved));
    Py_CLEAR(saved);
    say("gone");
}

CASE(del_added_to_a_class_later_runs) {
    PyObject* type = T(derive("Mortal", OBJECT_TYPE, NULL));
    PyObject* op = PyObject_CallNoArgs(type);
    done("set", PyObject_SetAttrString(type, "__del__", T(method_of(&says_definition))));
    Py_DECREF(op);
    op = PyObject_CallNoArgs(type);
    done("delete", PyObject_DelAttrString(type, "__del__"));
    Py_DECREF(op);
    say("gone");
}

CASE(del_is_inherited) {
    PyObject* derived = T(derive("Deeper", class_with(&says_definition), NULL));
    Py_DECREF(PyObject_CallNoArgs(derived));
}

typedef struct {
    PyObject_HEAD
    PyObject* held;
} Legacy;

static int legacy_del_calls;

static int Legacy_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(((Legacy*)op)->held);
    return 0;
}
static int Legacy_clear(PyObject* op) {
    Py_CLEAR(((Legacy*)op)->held);
    return 0;
}
static void Legacy_del(PyObject* op) {
    (void)op;
    ++legacy_del_calls;
}
static void Legacy_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Py_TYPE(op)->tp_del(op);
    Py_CLEAR(((Legacy*)op)->held);
    PyObject_GC_Del(op);
}
static PyTypeObject Legacy_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Legacy",
    .tp_basicsize = sizeof(Legacy),
    .tp_dealloc = Legacy_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = Legacy_traverse,
    .tp_clear = Legacy_clear,
    .tp_del = Legacy_del,
};

CASE(a_cycle_with_tp_del_is_uncollectable) {
    PyObject* gc = T(PyImport_ImportModule("gc"));
    PyObject* garbage = T(PyObject_GetAttrString(gc, "garbage"));
    PyObject* l = PyList_New(0);
    Legacy* op;
    done("ready", PyType_Ready(&Legacy_Type));
    op = PyObject_GC_New(Legacy, &Legacy_Type);
    op->held = l;
    PyList_Append(l, (PyObject*)op);
    PyObject_GC_Track(op);
    Py_DECREF(op);
    done("found", PyGC_Collect());
    done("tp_del called", legacy_del_calls);
    done("in garbage", PyList_Size(garbage));
    done("it is the object", PyList_GetItem(garbage, 0) == (PyObject*)op);
    done("found again", PyGC_Collect());
    Py_CLEAR(op->held);
    done("emptied", PyList_SetSlice(garbage, 0, PyList_Size(garbage), NULL));
    done("tp_del called", legacy_del_calls);
}
