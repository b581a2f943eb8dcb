/* Instances have the class that their copies are of, at first their own. The free list keeps the dead's own reference to the type,
   which the next one that is made takes over. */
#include <Python.h>
#include <stddef.h>
typedef struct {
    PyObject_HEAD
    PyObject* copies;
    PyObject* item;
} Thing;
#define MOST 8
static Thing* dead[MOST];
static int deads;
static PyTypeObject* thing_type;
static int thing_traverse(PyObject* op, visitproc visit, void* arg) {
    Thing* self = (Thing*)op;
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(self->copies);
    Py_VISIT(self->item);
    return 0;
}
static int thing_clear(PyObject* op) {
    Thing* self = (Thing*)op;
    Py_CLEAR(self->copies);
    Py_CLEAR(self->item);
    return 0;
}
static void thing_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    thing_clear(op);
    if (deads < MOST && type == thing_type) {
        dead[deads++] = (Thing*)op;
        return;
    }
    type->tp_free(op);
    Py_DECREF(type);
}
static PyObject* thing_new(PyTypeObject* type, PyObject* a, PyObject* k) {
    (void)a;
    (void)k;
    Thing* self;
    if (type == thing_type && deads > 0) {
        self = dead[--deads];
        PyObject_Init((PyObject*)self, type); /* a reference to the type more */
        Py_DECREF(type);
        self->copies = Py_NewRef(type);
        PyObject_GC_Track(self);
        return (PyObject*)self;
    }
    self = (Thing*)type->tp_alloc(type, 0);
    if (self)
        self->copies = Py_NewRef(type);
    return (PyObject*)self;
}
static PyMemberDef members[] = {{"item", _Py_T_OBJECT, offsetof(Thing, item), 0, NULL}, {0}};
static PyType_Slot slots[] = {{Py_tp_dealloc, thing_dealloc}, {Py_tp_traverse, thing_traverse},
                              {Py_tp_clear, thing_clear},     {Py_tp_members, members},
                              {Py_tp_new, thing_new},         {0, NULL}};
static PyType_Spec spec = {"zoo.Thing", sizeof(Thing), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                           slots};
static int init(PyObject* m) {
    thing_type = (PyTypeObject*)PyType_FromSpec(&spec);
    return thing_type == NULL ? -1 : PyModule_AddObjectRef(m, "Thing", (PyObject*)thing_type);
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
