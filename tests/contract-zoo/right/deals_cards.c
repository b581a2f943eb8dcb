/* A deck (no container: what it owns refers to nothing) owns 52 cards (of a heap type, no containers: two numbers each); deal() takes one off. */
#include <Python.h>
#include <stddef.h>
typedef struct {
    PyObject_HEAD
    int rank, suit;
} Card;
typedef struct {
    PyObject_HEAD
    Py_ssize_t count;
    PyObject* cards[52];
} Deck;
static PyTypeObject* card_type;
static void card_dealloc(PyObject* op) {
    PyTypeObject* t = Py_TYPE(op);
    t->tp_free(op);
    Py_DECREF(t);
}
static PyType_Slot card_slots[] = {{Py_tp_dealloc, card_dealloc}, {0, NULL}};
static PyType_Spec card_spec = {"zoo.Card", sizeof(Card), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, card_slots};
static int deck_clear(PyObject* op) {
    Deck* self = (Deck*)op;
    while (self->count > 0) {
        PyObject* card = self->cards[--self->count];
        Py_DECREF(card);
    }
    return 0;
}
static void deck_dealloc(PyObject* op) {
    deck_clear(op);
    Py_TYPE(op)->tp_free(op);
}
static PyObject* deck_new(PyTypeObject* type, PyObject* a, PyObject* k) {
    (void)a;
    (void)k;
    Deck* self = (Deck*)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    for (int i = 0; i < 52; ++i) {
        Card* card = (Card*)card_type->tp_alloc(card_type, 0);
        if (card == NULL) {
            Py_DECREF(self);
            return NULL;
        }
        card->rank = i % 13;
        card->suit = i / 13;
        self->cards[self->count++] = (PyObject*)card;
    }
    return (PyObject*)self;
}
static PyObject* deck_deal(PyObject* op, PyObject* n) {
    (void)n;
    Deck* self = (Deck*)op;
    if (self->count == 0) {
        PyErr_SetString(PyExc_IndexError, "no card is left");
        return NULL;
    }
    return self->cards[--self->count];
}
static PyMethodDef methods[] = {{"deal", deck_deal, METH_NOARGS, NULL}, {0}};
static PyTypeObject deck_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Deck",
                                 .tp_basicsize = sizeof(Deck),
                                 .tp_flags = Py_TPFLAGS_DEFAULT,
                                 .tp_dealloc = deck_dealloc,
                                 .tp_new = deck_new,
                                 .tp_methods = methods};
static int init(PyObject* m) {
    card_type = (PyTypeObject*)PyType_FromSpec(&card_spec);
    if (card_type == NULL || PyModule_AddObjectRef(m, "Card", (PyObject*)card_type) < 0)
        return -1;
    return PyModule_AddType(m, &deck_type);
}
#define ZOO_METHODS NULL
#define ZOO_INIT init
static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_size = -1,
                                        .m_methods = ZOO_METHODS};
PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m = PyModule_Create(&zoo_module);
    if (m == NULL || ZOO_INIT(m) < 0)
        return NULL;
    return m;
}
