/* A type written the way the documentation tells an author, by public headers alone: the
 * tutorial's type with two str members and a number, made a container; a constructor that tracks
 * when its fields are valid, a traversal of Py_VISIT, a clear of Py_CLEAR, a deallocator that
 * untracks first. Source: "Defining Extension Types: Tutorial", supporting cyclic garbage
 * collection; "Supporting Cyclic Garbage Collection". Passes by returning 0. */
#include "ouroboros.h"

#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                        \
        }                                                                   \
    } while (0)

typedef struct {
    PyObject_HEAD
    PyObject* first;
    PyObject* last;
    int number;
} CustomObject;

static int deallocated;

static int Custom_traverse(PyObject* op, visitproc visit, void* arg) {
    CustomObject* self = (CustomObject*)op;
    Py_VISIT(self->first);
    Py_VISIT(self->last);
    return 0;
}

static int Custom_clear(PyObject* op) {
    CustomObject* self = (CustomObject*)op;
    Py_CLEAR(self->first);
    Py_CLEAR(self->last);
    return 0;
}

static void Custom_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    (void)Custom_clear(op);
    ++deallocated;
    Py_TYPE(op)->tp_free(op);
}

static PyObject* Custom_new(PyTypeObject* type, PyObject* args, PyObject* kwds) {
    CustomObject* self = (CustomObject*)type->tp_alloc(type, 0);
    (void)args;
    (void)kwds;
    if (self != NULL) {
        self->first = PyUnicode_FromString("");
        if (self->first == NULL) {
            Py_DECREF(self);
            return NULL;
        }
        self->last = PyUnicode_FromString("");
        if (self->last == NULL) {
            Py_DECREF(self);
            return NULL;
        }
        self->number = 0;
    }
    return (PyObject*)self;
}

static PyTypeObject CustomType = {
    .ob_base = PyVarObject_HEAD_INIT(NULL, 0).tp_name = "custom4.Custom",
    .tp_basicsize = sizeof(CustomObject),
    .tp_itemsize = 0,
    .tp_dealloc = Custom_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc = PyDoc_STR("Custom objects"),
    .tp_traverse = Custom_traverse,
    .tp_clear = Custom_clear,
    .tp_new = Custom_new,
};

/* The constructor by the two rules: PyObject_GC_New, then PyObject_GC_Track. */
static PyObject* constructed_by_the_two_rules(void) {
    CustomObject* self = PyObject_GC_New(CustomObject, &CustomType);
    CHECK(self != NULL);
    CHECK(!PyObject_GC_IsTracked((PyObject*)self));
    self->first = NULL;
    self->last = NULL;
    self->number = 7;
    PyObject_GC_Track(self);
    CHECK(PyObject_GC_IsTracked((PyObject*)self));
    return (PyObject*)self;
}

static void check_under(const char* settings) {
    const char* error = "";
    CustomObject* a;
    CustomObject* b;
    PyObject* list;
    if (Ouro_Configure(settings, &error) != 0) {
        fprintf(stderr, "%s: %s\n", settings, error);
        exit(1);
    }
    Py_Initialize();
    CHECK(PyType_Ready(&CustomType) == 0);
    CHECK(Py_TYPE(&CustomType) == &PyType_Type);
    CHECK(CustomType.tp_free == PyObject_GC_Del);
    deallocated = 0;

    /* n.first = n, as in the tutorial */
    a = (CustomObject*)CustomType.tp_new(&CustomType, NULL, NULL);
    CHECK(a != NULL && a->number == 0);
    CHECK(PyObject_IS_GC((PyObject*)a) && PyObject_GC_IsTracked((PyObject*)a));
    Py_SETREF(a->first, Py_NewRef(a));
    CHECK(PyGC_Collect() == 0);
    CHECK(Py_REFCNT(a) == 2);
    Py_DECREF(a);
    CHECK(deallocated == 0);
    CHECK(PyGC_Collect() == 1);
    CHECK(deallocated == 1);

    /* l = []; n = Custom(l); l.append(n), and another of them */
    a = (CustomObject*)constructed_by_the_two_rules();
    b = (CustomObject*)CustomType.tp_new(&CustomType, NULL, NULL);
    list = PyList_New(0);
    Py_XSETREF(a->first, Py_NewRef(list));
    Py_XSETREF(a->last, Py_NewRef(b));
    CHECK(PyList_Append(list, (PyObject*)a) == 0);
    Py_DECREF(list);
    Py_DECREF(b);
    CHECK(PyGC_Collect() == 0);
    CHECK(a->number == 7 && PyList_GET_ITEM(a->first, 0) == (PyObject*)a);
    Py_DECREF(a);
    CHECK(PyGC_Collect() == 3);
    CHECK(deallocated == 3);

    /* without a cycle no collector is needed */
    Py_DECREF(constructed_by_the_two_rules());
    CHECK(deallocated == 4);
    CHECK(PyErr_Occurred() == NULL);
    Py_Finalize();
}

int main(void) {
    /* under every policy that this build has */
    const char* policy = Ouro_SettingValues("refcount");
    while (*policy != '\0') {
        const int length = (int)strcspn(policy, "|");
        char settings[64];
        snprintf(settings, sizeof settings, "refcount=%.*s,verify=on", length, policy);
        check_under(settings);
        policy += length + (policy[length] == '|');
    }
    return 0;
}
