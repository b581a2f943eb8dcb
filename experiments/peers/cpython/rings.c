/* The rings of `ouro bench rings` in CPython, as an extension makes them: instances with two slots, which count their
 * deallocations. `rings.py` compiles it for its interpreter. */
#include <Python.h>
#include <stdalign.h>
#include <stdatomic.h>

enum { kLeast = 2, kMost = 6 };

typedef struct Node {
    PyObject ob_base;
    PyObject *next, *previous;
} Node;

/* A thread's, written by it alone, on a cache line of its own. They stay when it ends. */
typedef struct Tally {
    alignas(64) atomic_size_t made;
    atomic_size_t freed;
    struct Tally* next;
} Tally;

static _Atomic(Tally*) tallies;
static _Thread_local Tally* own;

/* NULL where memory is out. */
static Tally* tally(void) {
    if (own == NULL) {
        own = aligned_alloc(64, sizeof(Tally));
        if (own != NULL) {
            atomic_init(&own->made, 0);
            atomic_init(&own->freed, 0);
            own->next = atomic_load(&tallies);
            while (!atomic_compare_exchange_weak(&tallies, &own->next, own)) {
            }
        }
    }
    return own;
}

static void add(atomic_size_t* count, size_t n) {
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

static int node_traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(((Node*)self)->next);
    Py_VISIT(((Node*)self)->previous);
    return 0;
}

static int node_clear(PyObject* self) {
    Py_CLEAR(((Node*)self)->next);
    Py_CLEAR(((Node*)self)->previous);
    return 0;
}

static void node_dealloc(PyObject* self) {
    PyObject_GC_UnTrack(self);
    node_clear(self);
    if (tally() == NULL) {
        Py_FatalError("rings: no memory for a count");
    }
    add(&own->freed, 1);
    PyObject_GC_Del(self);
}

static PyTypeObject node_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rings.Node",
    .tp_basicsize = sizeof(Node),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = node_traverse,
    .tp_clear = node_clear,
    .tp_dealloc = node_dealloc,
};

static Node* new_node(void) {
    Node* op = PyObject_GC_New(Node, &node_type);
    if (op != NULL) {
        op->next = op->previous = NULL;
        PyObject_GC_Track((PyObject*)op);
    }
    return op;
}

/* Each refers to the next and to the one before. */
static Node* new_ring(int size) {
    Node* first = new_node();
    Node* last = first;
    for (int i = 1; first != NULL && i < size; ++i) {
        Node* op = new_node();
        if (op == NULL) {
            Py_DECREF(first);
            return NULL;
        }
        last->next = (PyObject*)op;
        op->previous = Py_NewRef((PyObject*)last);
        last = op;
    }
    if (first != NULL) {
        last->next = Py_NewRef((PyObject*)first);
        first->previous = Py_NewRef((PyObject*)last);
    }
    return first;
}

/* make(count): so many rings are made and dropped, the first of the least size. */
static PyObject* make(PyObject* module, PyObject* count) {
    (void)module;
    const long rings = PyLong_AsLong(count);
    if (rings == -1 && PyErr_Occurred()) {
        return NULL;
    }
    if (tally() == NULL) {
        return PyErr_NoMemory();
    }
    int size = kLeast;
    for (long i = 0; i < rings; ++i) {
        Node* ring = new_ring(size);
        if (ring == NULL) {
            return NULL;
        }
        add(&own->made, (size_t)size);
        Py_DECREF(ring);
        size = size < kMost ? size + 1 : kLeast;
    }
    Py_RETURN_NONE;
}

static size_t sum(int freed) {
    size_t found = 0;
    for (Tally* each = atomic_load(&tallies); each != NULL; each = each->next) {
        found += atomic_load_explicit(freed ? &each->freed : &each->made, memory_order_relaxed);
    }
    return found;
}

/* made(): instances that were let go of so far. */
static PyObject* made(PyObject* module, PyObject* unused) {
    (void)module;
    (void)unused;
    return PyLong_FromSize_t(sum(0));
}

/* dead(): how many of them are not freed. What is made is read first, as in experiments/runner/bench/rings.cpp. */
static PyObject* dead(PyObject* module, PyObject* unused) {
    (void)module;
    (void)unused;
    const size_t all = sum(0);
    const size_t freed = sum(1);
    return PyLong_FromSize_t(all > freed ? all - freed : 0);
}

static PyMethodDef methods[] = {
    {"make", make, METH_O, NULL},
    {"made", made, METH_NOARGS, NULL},
    {"dead", dead, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static int prepare(PyObject* module) {
    (void)module;
    return PyType_Ready(&node_type);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, prepare},
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "rings_in_c",
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit_rings_in_c(void) {
    return PyModuleDef_Init(&definition);
}
