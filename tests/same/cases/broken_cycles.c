/* Finalizers of a collection that break cycles: what nothing refers to any more dies of its count, is not
 * cleared, and was not collected. In what order finalizers come is nobody's promise: where several tell of
 * themselves they have the same name and do the same. */
#include "tests/same/same.h"

/* Tells of its death and has no finalizer. It holds as many references as it needs. */
typedef struct {
    PyObject_HEAD
    PyObject* held[2];
    const char* name;
} Plain;

static int Plain_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(((Plain*)op)->held[0]);
    Py_VISIT(((Plain*)op)->held[1]);
    return 0;
}
static int Plain_clear(PyObject* op) {
    say("clear %s", ((Plain*)op)->name);
    Py_CLEAR(((Plain*)op)->held[0]);
    Py_CLEAR(((Plain*)op)->held[1]);
    return 0;
}
static void Plain_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    say("deallocate %s", ((Plain*)op)->name);
    Py_CLEAR(((Plain*)op)->held[0]);
    Py_CLEAR(((Plain*)op)->held[1]);
    PyObject_GC_Del(op);
}
static PyTypeObject Plain_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "same.Plain",
    .tp_basicsize = sizeof(Plain),
    .tp_dealloc = Plain_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = Plain_traverse,
    .tp_clear = Plain_clear,
};

/* New reference; takes those that it is given. */
static PyObject* plain(const char* name, PyObject* first, PyObject* second) {
    Plain* self;
    if (PyType_Ready(&Plain_Type) < 0) {
        abort();
    }
    self = PyObject_GC_New(Plain, &Plain_Type);
    self->held[0] = first;
    self->held[1] = second;
    self->name = name;
    PyObject_GC_Track(self);
    return (PyObject*)self;
}

static void cut(PyObject* self) {
    Py_CLEAR(((Tale*)self)->held);
}

/* A new reference: an object that holds itself, and cuts that. */
static Tale* cuts_itself(const char* name) {
    Tale* self = tale(name, NULL);
    tale_hold(self, (PyObject*)self);
    self->on_finalize = cut;
    return self;
}

static Tale* holds_itself(const char* name) {
    Tale* self = tale(name, NULL);
    tale_hold(self, (PyObject*)self);
    return self;
}

CASE(what_cuts_its_own_cycle_dies_at_once) {
    Py_DECREF(cuts_itself("a"));
    done("collected", PyGC_Collect());
    done("again", PyGC_Collect());
}

CASE(each_of_several_dies_before_the_next_is_finalized) {
    Py_DECREF(cuts_itself("one of three"));
    Py_DECREF(cuts_itself("one of three"));
    Py_DECREF(cuts_itself("one of three"));
    done("collected", PyGC_Collect());
}

CASE(others_are_collected_all_the_same) {
    Tale* other = holds_itself("other");
    other->quiet = 1;
    Py_DECREF(other);
    Py_DECREF(cuts_itself("a"));
    Py_DECREF(PyList_New(0));
    other = holds_itself("other");
    other->quiet = 1;
    Py_DECREF(other);
    done("collected", PyGC_Collect());
}

CASE(what_it_held_dies_with_it) {
    PyObject* leaf = plain("leaf", NULL, NULL);
    PyObject* middle = plain("middle", leaf, plain("other leaf", NULL, NULL));
    Tale* a = tale("a", NULL);
    PyObject* pair = plain("pair", middle, plain("last", NULL, NULL));
    /* a holds a cell that holds a and the pair; a cuts the cell's way back. */
    Tale* cell = tale("cell", pair);
    tale_hold(a, plain("list", Py_NewRef(a), (PyObject*)cell));
    Py_DECREF(((Tale*)a)->held);
    Py_DECREF(pair);
    cell->quiet = 1;
    a->on_finalize = cut;
    Py_DECREF(a);
    done("collected", PyGC_Collect());
}

CASE(a_cycle_of_two_is_cut_in_one_place) {
    Tale* a = tale("a", NULL);
    PyObject* b = plain("b", Py_NewRef(a), NULL);
    tale_hold(a, b);
    Py_DECREF(b);
    a->on_finalize = cut;
    Py_DECREF(a);
    done("collected", PyGC_Collect());
}

CASE(a_cycle_of_two_is_cut_by_both) {
    Tale* a = tale("either", NULL);
    Tale* b = tale("either", (PyObject*)a);
    tale_hold(a, (PyObject*)b);
    a->on_finalize = b->on_finalize = cut;
    Py_DECREF(a);
    Py_DECREF(b);
    done("collected", PyGC_Collect());
}

static void cut_and_say(PyObject* self) {
    Py_CLEAR(((Tale*)self)->held);
    say("cut");
}

CASE_LEFT_OUT(what_a_finalizer_drops_dies_inside_it,
              "Ouroboros holds what it condemned while a finalizer runs: b dies when that of a has "
              "come back") {
    Tale* a = tale("a", NULL);
    PyObject* b = plain("b", Py_NewRef(a), NULL);
    tale_hold(a, b);
    Py_DECREF(b);
    a->on_finalize = cut_and_say;
    Py_DECREF(a);
    done("collected", PyGC_Collect());
}

CASE(of_three_the_one_that_is_left_is_collected) {
    Tale* a = tale("a", NULL);
    Tale* left = holds_itself("left");
    PyObject* b = plain("b", Py_NewRef(a), (PyObject*)left);
    tale_hold(a, b);
    Py_DECREF(b);
    left->quiet = 1;
    a->on_finalize = cut;
    Py_DECREF(a);
    done("collected", PyGC_Collect());
}

CASE(a_ring_that_is_cut_once_dies_whole) {
    enum { kRing = 300 };
    Tale* first = tale("first", NULL);
    Tale* last = first;
    int i;
    for (i = 1; i < kRing; ++i) {
        Tale* next = tale("next", (PyObject*)last);
        next->quiet = 1;
        Py_DECREF(last);
        last = next;
    }
    tale_hold(first, (PyObject*)last);
    Py_DECREF(last);
    first->on_finalize = cut;
    i = tales_finalized;
    tales_finalized_at_clear = -1;
    done("collected", PyGC_Collect());
    done("finalized", tales_finalized - i);
    done("nothing was cleared", tales_finalized_at_clear == -1);
}

CASE(a_ring_that_others_hold_as_well_is_collected) {
    Tale* a = tale("a", NULL);
    Tale* other = holds_itself("other");
    PyObject* l = PyList_New(0);
    PyObject* more = PyList_New(0);
    a->on_finalize = cut;
    other->quiet = 1;
    tale_hold(a, l);
    PyList_Append(l, (PyObject*)a);
    PyList_Append(l, (PyObject*)other);
    PyList_Append(more, l);
    PyList_Append(more, more);
    Py_DECREF(more);
    Py_DECREF(l);
    Py_DECREF(a);
    Py_DECREF(other);
    done("collected", PyGC_Collect());
}

/* What `cut_the_other` cuts, and it is told of. */
static Tale* victim;

static void cut_the_other(PyObject* self) {
    Tale* other = victim == (Tale*)self ? NULL : victim;
    (void)self;
    if (other != NULL) {
        victim = NULL;
        Py_CLEAR(other->held);
    }
}

static PyObject* list_of_others;

static void empty_the_list(PyObject* self) {
    (void)self;
    Py_INCREF(list_of_others);
    PyList_SetSlice(list_of_others, 0, PyList_Size(list_of_others), NULL);
    Py_DECREF(list_of_others);
}

CASE(a_finalizer_cuts_what_has_none) {
    Tale* a = holds_itself("a");
    list_of_others = PyList_New(0);
    PyList_Append(list_of_others, list_of_others);
    PyList_Append(list_of_others, T(plain("held", NULL, NULL)));
    a->on_finalize = empty_the_list;
    Py_DECREF(list_of_others);
    Py_DECREF(a);
    same_release();
    done("collected", PyGC_Collect());
}

CASE(a_finalizer_cuts_another_that_is_finalized_once) {
    const int before = tales_finalized;
    Tale* a = holds_itself("a");
    victim = holds_itself("victim");
    victim->quiet = a->quiet = 1;
    a->on_finalize = cut_the_other;
    Py_DECREF(victim);
    Py_DECREF(a);
    done("collected", PyGC_Collect());
    done("finalized", tales_finalized - before);
    done("a was told", victim == NULL);
}

static void cut_pair(PyObject* self) {
    Tale* other = (Tale*)((Tale*)self)->held;
    if (other != NULL) {
        Py_CLEAR(other->held);
    }
}

CASE(each_cuts_the_reference_of_the_other) {
    Tale* a = tale("either", NULL);
    Tale* b = tale("either", (PyObject*)a);
    tale_hold(a, (PyObject*)b);
    a->quiet = b->quiet = 1;
    a->on_finalize = b->on_finalize = cut_pair;
    Py_DECREF(a);
    Py_DECREF(b);
    done("collected", PyGC_Collect());
}

CASE_LEFT_OUT(the_order_of_finalizers_says_who_cuts_whom,
              "the order of two finalizers in one collection is an accident of CPython's list") {
    Tale* a = holds_itself("a");
    victim = holds_itself("victim");
    a->on_finalize = cut_the_other;
    Py_DECREF(victim);
    Py_DECREF(a);
    done("collected", PyGC_Collect());
}

static PyObject* saved;

static void save_and_cut(PyObject* self) {
    saved = Py_NewRef(self);
    cut(self);
}

CASE(what_is_saved_and_cut_lives) {
    Tale* a = holds_itself("a");
    a->on_finalize = save_and_cut;
    Py_DECREF(a);
    done("collected", PyGC_Collect());
    done("references", Py_REFCNT(saved));
    done("tracked", PyObject_GC_IsTracked(saved));
    Py_CLEAR(saved);
    done("again", PyGC_Collect());
}

static void save_what_it_held_and_cut(PyObject* self) {
    saved = Py_NewRef(((Plain*)((Tale*)self)->held)->held[1]);
    cut(self);
}

CASE(what_is_saved_of_a_cut_cycle_lives) {
    Tale* a = tale("a", NULL);
    Tale* other = holds_itself("other");
    PyObject* b = plain("b", Py_NewRef(a), (PyObject*)other);
    other->quiet = 1;
    tale_hold(a, b);
    Py_DECREF(b);
    a->on_finalize = save_what_it_held_and_cut;
    Py_DECREF(a);
    done("collected", PyGC_Collect());
    done("it is whole", ((Tale*)saved)->held == saved);
    Py_CLEAR(saved);
    done("again", PyGC_Collect());
}

static void untrack_and_cut(PyObject* self) {
    PyObject_GC_UnTrack(self);
    cut(self);
    PyObject_GC_Track(self);
}

CASE(what_was_untracked_meanwhile_dies_too) {
    Tale* a = holds_itself("a");
    a->on_finalize = untrack_and_cut;
    Py_DECREF(a);
    done("collected", PyGC_Collect());
}

static PyObject* on_death(PyObject* self, PyObject* ref) {
    say("callback of %s, which refers to %s", PyUnicode_AsUTF8(self),
        PyWeakref_GetObject(ref) == Py_None ? "nothing" : "something");
    Py_RETURN_NONE;
}
DEFINE(on_death_definition, "on_death", on_death, METH_O);

CASE(callbacks_of_what_is_cut_come_before_its_finalizer) {
    Tale* a = cuts_itself("a");
    T(PyWeakref_NewRef((PyObject*)a, T(PyCFunction_NewEx(&on_death_definition, S("ref"), NULL))));
    Py_DECREF(a);
    done("collected", PyGC_Collect());
}

static PyObject* made_late;

static void refer_and_cut(PyObject* self) {
    made_late = PyWeakref_NewRef(self, T(PyCFunction_NewEx(&on_death_definition, S("late"), NULL)));
    cut(self);
}

CASE(a_weak_reference_made_by_its_finalizer_is_called_back) {
    Tale* a = holds_itself("a");
    a->on_finalize = refer_and_cut;
    Py_DECREF(a);
    done("collected", PyGC_Collect());
    see("made late", PyWeakref_GetObject(made_late));
    Py_CLEAR(made_late);
}

static void save_late(PyObject* self) {
    if (saved == NULL) {
        saved = Py_NewRef(self);
    }
}

CASE(what_a_dying_object_saves_lives) {
    Tale* a = tale("a", NULL);
    Tale* held = tale("held", NULL);
    held->quiet = 1;
    held->on_finalize = save_late;
    tale_hold(a, plain("b", Py_NewRef(a), (PyObject*)held));
    Py_DECREF(a->held);
    a->on_finalize = cut;
    Py_DECREF(a);
    done("collected", PyGC_Collect());
    done("saved", saved == (PyObject*)held);
    done("references", Py_REFCNT(saved));
    Py_CLEAR(saved);
    done("again", PyGC_Collect());
}

static PyObject* gc(void) {
    return T(PyImport_ImportModule("gc"));
}

CASE(what_dies_of_its_count_is_not_saved) {
    PyObject* garbage = T(PyObject_GetAttrString(gc(), "garbage"));
    Tale* other = holds_itself("other");
    other->quiet = 1;
    Py_DECREF(other);
    Py_DECREF(cuts_itself("a"));
    got("set_debug", PyObject_CallMethod(gc(), "set_debug", "O",
                                         T(PyObject_GetAttrString(gc(), "DEBUG_SAVEALL"))));
    done("collected", PyGC_Collect());
    done("garbage", PyList_Size(garbage));
    got("set_debug", PyObject_CallMethod(gc(), "set_debug", "i", 0));
    done("it is the other", PyList_GetItem(garbage, 0) == (PyObject*)other);
    done("emptied", PyList_SetSlice(garbage, 0, PyList_Size(garbage), NULL));
    done("collected", PyGC_Collect());
}

CASE(what_dies_of_its_count_was_collectable) {
    Py_DECREF(cuts_itself("a"));
    got("set_debug", PyObject_CallMethod(gc(), "set_debug", "O",
                                         T(PyObject_GetAttrString(gc(), "DEBUG_COLLECTABLE"))));
    capture_begin();
    done("collected", PyGC_Collect());
    capture_end();
    got("set_debug", PyObject_CallMethod(gc(), "set_debug", "i", 0));
}

static PyObject* tell(PyObject* self, PyObject* args) {
    PyObject* phase;
    PyObject* info;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &phase, &info)) {
        return NULL;
    }
    see_text("phase", phase);
    see("collected", PyDict_GetItemString(info, "collected"));
    see("uncollectable", PyDict_GetItemString(info, "uncollectable"));
    Py_RETURN_NONE;
}
DEFINE(tell_definition, "tell", tell, METH_VARARGS);

CASE(what_dies_of_its_count_is_in_no_statistics) {
    PyObject* callbacks = T(PyObject_GetAttrString(gc(), "callbacks"));
    PyObject* before = PyList_GetItem(T(PyObject_CallMethod(gc(), "get_stats", NULL)), 2);
    PyObject* after;
    Tale* other = holds_itself("other");
    other->quiet = 1;
    Py_DECREF(other);
    Py_DECREF(cuts_itself("a"));
    done("append", PyList_Append(callbacks, T(function_of(&tell_definition))));
    got("collect", PyObject_CallMethod(gc(), "collect", NULL));
    done("remove", PyList_SetSlice(callbacks, 0, 1, NULL));
    after = PyList_GetItem(T(PyObject_CallMethod(gc(), "get_stats", NULL)), 2);
    got("collected", PyNumber_Subtract(PyDict_GetItemString(after, "collected"),
                                       PyDict_GetItemString(before, "collected")));
}
