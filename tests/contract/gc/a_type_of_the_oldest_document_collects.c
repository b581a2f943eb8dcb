/* C11 only: an extension of that time is no C++.
 *
 * A container type as the oldest document describes it, which never heard of PyType_Ready: flag,
 * traversal and clear, PyGC_HEAD_SIZE in tp_basicsize, PyObject_New and PyObject_GC_Init, and
 * PyObject_GC_Fini at the top of its deallocation. Cycles of its objects are collected. Source:
 * "The Python GC API". */
#include <stdio.h>

#include "ouroboros.h"
#include "ouroboros/legacy_gc.h"

static int live, cleared;

typedef struct {
    PyObject_HEAD
    PyObject* first;
    PyObject* second;
} Pair;

static int pair_traverse(Pair* self, visitproc visit, void* arg) {
    int error;
    if (self->first != NULL && (error = visit(self->first, arg)) != 0) {
        return error;
    }
    if (self->second != NULL && (error = visit(self->second, arg)) != 0) {
        return error;
    }
    return 0;
}

static int pair_clear(Pair* self) {
    PyObject* first = self->first;
    PyObject* second = self->second;
    self->first = NULL;
    self->second = NULL;
    ++cleared;
    Py_XDECREF(first);
    Py_XDECREF(second);
    return 0;
}

static void pair_dealloc(Pair* self) {
    PyObject_GC_Fini(self);
    Py_XDECREF(self->first);
    Py_XDECREF(self->second);
    --live;
    PyObject_Del(self);
}

static PyTypeObject Pair_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "legacy.Pair",
    .tp_basicsize = sizeof(Pair) + PyGC_HEAD_SIZE,
    .tp_dealloc = (destructor)pair_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_GC,
    .tp_traverse = (traverseproc)pair_traverse,
    .tp_clear = (inquiry)pair_clear,
};

/* Steals nothing. */
static PyObject* pair_new(PyObject* first, PyObject* second) {
    Pair* self = PyObject_New(Pair, &Pair_Type);
    if (self == NULL) {
        return NULL;
    }
    Py_XINCREF(first);
    Py_XINCREF(second);
    self->first = first;
    self->second = second;
    ++live;
    PyObject_GC_Init(self);
    return (PyObject*)self;
}

typedef struct {
    PyObject_VAR_HEAD
    PyObject* items[1];
} Row;

static int row_traverse(Row* self, visitproc visit, void* arg) {
    for (Py_ssize_t i = 0; i < Py_SIZE(self); ++i) {
        Py_VISIT(self->items[i]);
    }
    return 0;
}

static int row_clear(Row* self) {
    for (Py_ssize_t i = 0; i < Py_SIZE(self); ++i) {
        Py_CLEAR(self->items[i]);
    }
    return 0;
}

static void row_dealloc(Row* self) {
    PyObject_GC_Fini(self);
    row_clear(self);
    --live;
    PyObject_Del(self);
}

static PyTypeObject Row_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "legacy.Row",
    .tp_basicsize = offsetof(Row, items) + PyGC_HEAD_SIZE,
    .tp_itemsize = sizeof(PyObject*),
    .tp_dealloc = (destructor)row_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_GC,
    .tp_traverse = (traverseproc)row_traverse,
    .tp_clear = (inquiry)row_clear,
};

static int failures;
#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            ++failures;                                                             \
        }                                                                           \
    } while (0)

static void a_pair_lives_and_dies(void) {
    PyObject* a = pair_new(NULL, NULL);
    CHECK(a != NULL && live == 1);
    CHECK(PyObject_IS_GC(a) && PyObject_GC_IsTracked(a));
    CHECK(Py_TYPE(a) == &Pair_Type && Py_REFCNT(a) == 1);
    CHECK(PyGC_Collect() == 0 && live == 1);
    Py_DECREF(a);
    CHECK(live == 0);
}

static void a_cycle_of_pairs_is_collected(void) {
    PyObject* a = pair_new(NULL, NULL);
    PyObject* b = pair_new(a, NULL);
    PyObject* list = PyList_New(0);
    PyObject* tail = pair_new(NULL, NULL);
    Py_INCREF(b);
    ((Pair*)a)->first = b;
    Py_INCREF(list);
    ((Pair*)a)->second = list;
    Py_INCREF(tail);
    ((Pair*)b)->second = tail;
    PyList_Append(list, a);
    Py_DECREF(b);
    Py_DECREF(list);
    Py_DECREF(tail);
    CHECK(PyGC_Collect() == 0); /* a is ours */
    cleared = 0;
    Py_DECREF(a);
    CHECK(live == 3);
    CHECK(PyGC_Collect() == 4);
    CHECK(live == 0 && cleared >= 1);
}

static void tracking_can_end_and_begin_again(void) {
    PyObject* a = pair_new(NULL, NULL);
    Py_INCREF(a);
    ((Pair*)a)->first = a;
    PyObject_GC_Fini(a);
    Py_DECREF(a);
    CHECK(PyGC_Collect() == 0 && live == 1);
    PyObject_GC_Init(a);
    CHECK(PyGC_Collect() == 1 && live == 0);
}

static void rows_have_items(void) {
    for (int size = 0; size < 200; size += 7) {
        Row* row = PyObject_VarNew(Row, &Row_Type, size);
        CHECK(row != NULL && Py_SIZE(row) == size);
        ++live;
        for (int i = 0; i < size; ++i) {
            row->items[i] = NULL;
        }
        for (int i = 0; i < size; i += 3) {
            Py_INCREF(row);
            row->items[i] = (PyObject*)row;
        }
        PyObject_GC_Init(row);
        Py_DECREF(row);
        CHECK(PyGC_Collect() == (size > 0));
        CHECK(live == 0);
    }
}

/* Garbage of this type goes by itself too. */
static void collection_is_automatic(void) {
    int most = 0;
    for (int i = 0; i < 20000; ++i) {
        PyObject* a = pair_new(NULL, NULL);
        Py_INCREF(a);
        ((Pair*)a)->first = a;
        Py_DECREF(a);
        most = live > most ? live : most;
    }
    CHECK(most < 3000);
    PyGC_Collect();
    CHECK(live == 0);
}

static int collections;

static void count_collection(const OuroEvent* event, void* arg) {
    (void)arg;
    collections += event->phase == OURO_PHASE_CYCLE;
}

/* What dies by its count asks for no collection: deallocations count against allocations. */
static void objects_without_cycles_ask_for_no_collection(void) {
    PyGC_Collect();
    collections = 0;
    Ouro_AddListener(count_collection, NULL);
    for (int i = 0; i < 20000; ++i) {
        Py_DECREF(pair_new(NULL, NULL));
    }
    Ouro_RemoveListener(count_collection, NULL);
    CHECK(collections == 0);
}

int main(void) {
    Py_Initialize();
    objects_without_cycles_ask_for_no_collection();
    a_pair_lives_and_dies();
    a_cycle_of_pairs_is_collected();
    tracking_can_end_and_begin_again();
    rows_have_items();
    collection_is_automatic();
    CHECK(PyErr_Occurred() == NULL);
    Py_Finalize();
    return failures != 0;
}
