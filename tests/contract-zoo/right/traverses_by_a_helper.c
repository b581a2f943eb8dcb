/* A module of several files has functions that are not static, with its prefix: tp_traverse calls one. */
#include <Python.h>
#include <stddef.h>
typedef struct {
    PyObject* items[2];
} PyZooBlock;
typedef struct {
    PyObject_HEAD
    PyZooBlock block;
} Thing;
int PyZooBlock_Traverse(PyZooBlock* block, visitproc visit, void* arg) {
    Py_VISIT(block->items[0]);
    Py_VISIT(block->items[1]);
    return 0;
}
static int thing_traverse(PyObject* op, visitproc visit, void* arg) {
    return PyZooBlock_Traverse(&((Thing*)op)->block, visit, arg);
}
static int thing_clear(PyObject* op) {
    Thing* s = (Thing*)op;
    Py_CLEAR(s->block.items[0]);
    Py_CLEAR(s->block.items[1]);
    return 0;
}
static void thing_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    thing_clear(op);
    Py_TYPE(op)->tp_free(op);
}
static PyObject* thing_new(PyTypeObject* type, PyObject* a, PyObject* k) {
    (void)a;
    (void)k;
    return type->tp_alloc(type, 0);
}
static PyMemberDef members[] = {{"first", _Py_T_OBJECT, offsetof(Thing, block.items[0]), 0, NULL},
                                {"second", _Py_T_OBJECT, offsetof(Thing, block.items[1]), 0, NULL},
                                {0}};
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
