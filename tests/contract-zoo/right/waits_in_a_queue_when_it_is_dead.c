/* A free list, first in, first out, so that an address is used again as late as possible: of the 256 that died last. */
#include <Python.h>
#include <stddef.h>
typedef struct {
    PyObject_HEAD
    PyObject* item;
} Thing;
#define MOST 256
static Thing* dead[MOST];
static size_t first, count;
static int thing_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(((Thing*)op)->item);
    return 0;
}
static int thing_clear(PyObject* op) {
    Py_CLEAR(((Thing*)op)->item);
    return 0;
}
static void thing_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    thing_clear(op);
    if (count == MOST) {
        Thing* oldest = dead[first];
        first = (first + 1) % MOST;
        --count;
        PyObject_GC_Del(oldest);
    }
    dead[(first + count++) % MOST] = (Thing*)op;
}
static PyObject* thing_new(PyTypeObject* type, PyObject* a, PyObject* k) {
    (void)a;
    (void)k;
    Thing* self;
    if (count == MOST) {
        self = dead[first];
        first = (first + 1) % MOST;
        --count;
        PyObject_Init((PyObject*)self, type);
        self->item = NULL;
        PyObject_GC_Track(self);
        return (PyObject*)self;
    }
    return type->tp_alloc(type, 0);
}
static PyMemberDef members[] = {{"item", _Py_T_OBJECT, offsetof(Thing, item), 0, NULL}, {0}};
static PyTypeObject thing_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Thing",
                                  .tp_basicsize = sizeof(Thing),
                                  .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                  .tp_traverse = thing_traverse,
                                  .tp_clear = thing_clear,
                                  .tp_dealloc = thing_dealloc,
                                  .tp_new = thing_new,
                                  .tp_members = members};
static int init(PyObject* m) {
    return PyModule_AddType(m, &thing_type);
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
