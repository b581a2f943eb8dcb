/* C11 only: an extension of that time is no C++.
 *
 * A container allocated by hand, as the oldest document has it for free lists and for objects that
 * grow: PyObject_MALLOC, PyObject_REALLOC, PyObject_DEL and PyObject_FREE deal with PyGC_Head
 * pointers, PyObject_FROM_GC and PyObject_AS_GC convert, PyObject_INIT makes it an object. Source:
 * "The Python GC API", low-level memory management. */
#include <stdio.h>

#include "ouroboros/legacy_gc.h"

static int live;

typedef struct {
    PyObject_HEAD
    int room;
    PyObject* items[1];
} Bag;

#define BAG_SIZE(n) (offsetof(Bag, items) + (size_t)(n) * sizeof(PyObject*) + PyGC_HEAD_SIZE)

static int bag_traverse(Bag* self, visitproc visit, void* arg) {
    for (int i = 0; i < self->room; ++i) {
        Py_VISIT(self->items[i]);
    }
    return 0;
}

static int bag_clear(Bag* self) {
    for (int i = 0; i < self->room; ++i) {
        Py_CLEAR(self->items[i]);
    }
    return 0;
}

/* A free list of one, as was the custom. */
static Bag* spare;

static void bag_dealloc(Bag* self) {
    PyObject_GC_Fini(self);
    bag_clear(self);
    --live;
    if (spare == NULL && self->room == 1) {
        spare = self;
    } else {
        PyObject_DEL(PyObject_AS_GC(self));
    }
}

static PyTypeObject Bag_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "legacy.Bag",
    .tp_basicsize = BAG_SIZE(1),
    .tp_dealloc = (destructor)bag_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_GC,
    .tp_traverse = (traverseproc)bag_traverse,
    .tp_clear = (inquiry)bag_clear,
};

/* Grown while it is being built, before it is an object. */
static PyObject* bag_new(int room) {
    Bag* self;
    if (spare != NULL && room == 1) {
        self = spare;
        spare = NULL;
    } else {
        PyGC_Head* head = (PyGC_Head*)PyObject_MALLOC(BAG_SIZE(1));
        if (head == NULL) {
            return PyErr_NoMemory();
        }
        self = (Bag*)PyObject_FROM_GC(head);
        self->room = 1;
        while (self->room < room) {
            self->room = self->room * 2 < room ? self->room * 2 : room;
            PyGC_Head* larger =
                (PyGC_Head*)PyObject_REALLOC(PyObject_AS_GC(self), BAG_SIZE(self->room));
            if (larger == NULL) {
                PyObject_FREE(PyObject_AS_GC(self));
                return PyErr_NoMemory();
            }
            self = (Bag*)PyObject_FROM_GC(larger);
        }
    }
    if (PyObject_INIT(self, &Bag_Type) == NULL) {
        return NULL;
    }
    for (int i = 0; i < self->room; ++i) {
        self->items[i] = NULL;
    }
    ++live;
    PyObject_GC_Init(self);
    return (PyObject*)self;
}

static int failures;
#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            ++failures;                                                             \
        }                                                                           \
    } while (0)

static void cycles_are_collected(void) {
    for (int room = 1; room < 5000; room = room * 3 + 1) {
        PyObject* bag = bag_new(room);
        CHECK(bag != NULL && Py_REFCNT(bag) == 1 && Py_TYPE(bag) == &Bag_Type);
        CHECK(PyObject_GC_IsTracked(bag));
        PyObject* list = PyList_New(0);
        PyList_Append(list, bag);
        ((Bag*)bag)->items[room - 1] = list;
        CHECK(PyGC_Collect() == 0 && live == 1);
        Py_DECREF(bag);
        CHECK(PyGC_Collect() == 2 && live == 0);
    }
}

static void memory_is_used_again(void) {
    for (int i = 0; i < 3; ++i) {
        PyObject* bag = bag_new(1);
        Py_INCREF(bag);
        ((Bag*)bag)->items[0] = bag;
        Py_DECREF(bag);
        CHECK(PyGC_Collect() == 1);
        CHECK(spare == (Bag*)bag);
    }
    PyObject_DEL(PyObject_AS_GC(spare));
    spare = NULL;
}

static void contents_survive_a_reallocation(void) {
    char* memory = (char*)PyObject_MALLOC(32);
    memset(memory, 7, 32);
    memory = (char*)PyObject_REALLOC(memory, 4000);
    CHECK(memory != NULL);
    for (int i = 0; i < 32; ++i) {
        CHECK(memory[i] == 7);
    }
    PyObject_FREE(memory);
    PyObject_FREE(PyObject_REALLOC(NULL, 64));
    PyObject_FREE(NULL);
}

static void conversions_are_inverse(void) {
    PyObject* bag = bag_new(3);
    CHECK(PyObject_FROM_GC(PyObject_AS_GC(bag)) == bag);
    Py_DECREF(bag);
}

/* Garbage goes by itself, as that of any container does. */
static void collection_is_automatic(void) {
    int most = 0;
    for (int i = 0; i < 20000; ++i) {
        PyObject* bag = bag_new(2);
        Py_INCREF(bag);
        ((Bag*)bag)->items[0] = bag;
        Py_DECREF(bag);
        most = live > most ? live : most;
    }
    CHECK(most < 3000);
    PyGC_Collect();
    CHECK(live == 0);
}

int main(void) {
    Py_Initialize();
    collection_is_automatic();
    cycles_are_collected();
    if (spare != NULL) {
        PyObject_DEL(PyObject_AS_GC(spare));
        spare = NULL;
    }
    memory_is_used_again();
    contents_survive_a_reallocation();
    conversions_are_inverse();
    CHECK(PyErr_Occurred() == NULL);
    Py_Finalize();
    return failures != 0;
}
