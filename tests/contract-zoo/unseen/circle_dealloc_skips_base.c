/* counts.kept */
/* Breaks: the deallocator of a subtype has to let the base type's deallocator drop the fields of the base; it frees the memory by itself and the base's fields are never given up ("Subclassing other types"; rules for the deallocator). */
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject* name;
    PyObject* style;
} Shape;

typedef struct {
    Shape shape;
    PyObject* center;
    double radius;
} Circle;

static int shape_traverse(PyObject* op, visitproc visit, void* arg) {
    Shape* self = (Shape*)op;
    Py_VISIT(self->name);
    Py_VISIT(self->style);
    return 0;
}

static int shape_clear(PyObject* op) {
    Shape* self = (Shape*)op;
    Py_CLEAR(self->name);
    Py_CLEAR(self->style);
    return 0;
}

static void shape_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    shape_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static PyMemberDef shape_members[] = {{"name", T_OBJECT, offsetof(Shape, name), 0, NULL},
                                      {"style", T_OBJECT, offsetof(Shape, style), 0, NULL},
                                      {NULL}};

static PyTypeObject Shape_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Shape",
    .tp_basicsize = sizeof(Shape),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_dealloc = shape_dealloc,
    .tp_traverse = shape_traverse,
    .tp_clear = shape_clear,
    .tp_members = shape_members,
    .tp_new = PyType_GenericNew,
};

static int circle_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(((Circle*)op)->center);
    return shape_traverse(op, visit, arg);
}

static int circle_clear(PyObject* op) {
    Py_CLEAR(((Circle*)op)->center);
    return shape_clear(op);
}

static void circle_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    Py_CLEAR(((Circle*)op)->center);
#ifdef WRONG
    Py_TYPE(op)->tp_free(op);
#else
    Shape_Type.tp_dealloc(op);
#endif
}

static PyMemberDef circle_members[] = {{"center", T_OBJECT, offsetof(Circle, center), 0, NULL},
                                       {"radius", T_DOUBLE, offsetof(Circle, radius), 0, NULL},
                                       {NULL}};

static PyTypeObject Circle_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Circle",
    .tp_basicsize = sizeof(Circle),
    .tp_base = &Shape_Type,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_dealloc = circle_dealloc,
    .tp_traverse = circle_traverse,
    .tp_clear = circle_clear,
    .tp_members = circle_members,
    .tp_new = PyType_GenericNew,
};

static struct PyModuleDef zoo_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* module;

    if (PyType_Ready(&Shape_Type) < 0 || PyType_Ready(&Circle_Type) < 0) {
        return NULL;
    }
    module = PyModule_Create(&zoo_module);
    if (module == NULL) {
        return NULL;
    }
    if (PyModule_AddObjectRef(module, "Shape", (PyObject*)&Shape_Type) < 0 ||
        PyModule_AddObjectRef(module, "Circle", (PyObject*)&Circle_Type) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
