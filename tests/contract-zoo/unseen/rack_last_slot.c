/* traverse.forgets */
/* Breaks: the traverse handler must call visit for every object the instance directly contains; the last cell of the C array is left out ("Traversal", traverseproc). */
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

#define NSLOTS 4

typedef struct {
    PyObject_HEAD
    PyObject* slots[NSLOTS];
} RackObject;

static int Rack_traverse(RackObject* self, visitproc visit, void* arg) {
    int i;

#ifdef WRONG
    for (i = 0; i < NSLOTS - 1; i++) {
#else
    for (i = 0; i < NSLOTS; i++) {
#endif
        Py_VISIT(self->slots[i]);
    }
    return 0;
}

static int Rack_clear(RackObject* self) {
    int i;

    for (i = 0; i < NSLOTS; i++) {
        Py_CLEAR(self->slots[i]);
    }
    return 0;
}

static void Rack_dealloc(RackObject* self) {
    PyObject_GC_UnTrack(self);
    Rack_clear(self);
    Py_TYPE(self)->tp_free((PyObject*)self);
}

static PyMemberDef Rack_members[] = {
    {"top", T_OBJECT, offsetof(RackObject, slots[0]), 0, "uppermost tray"},
    {"upper", T_OBJECT, offsetof(RackObject, slots[1]), 0, NULL},
    {"lower", T_OBJECT, offsetof(RackObject, slots[2]), 0, NULL},
    {"bottom", T_OBJECT, offsetof(RackObject, slots[3]), 0, "lowest tray"},
    {NULL}};

static PyTypeObject RackType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Rack",
    .tp_doc = "A rack with four trays.",
    .tp_basicsize = sizeof(RackObject),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_dealloc = (destructor)Rack_dealloc,
    .tp_traverse = (traverseproc)Rack_traverse,
    .tp_clear = (inquiry)Rack_clear,
    .tp_members = Rack_members,
};

static struct PyModuleDef zoomodule = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m;

    if (PyType_Ready(&RackType) < 0)
        return NULL;
    m = PyModule_Create(&zoomodule);
    if (m == NULL)
        return NULL;
    if (PyModule_AddObjectRef(m, "Rack", (PyObject*)&RackType) < 0) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
