/* Keeps a weak reference to itself, which it hands out, and owns. */
#include <Python.h>
#include <stddef.h>
typedef struct {
    PyObject_HEAD
    PyObject* self_ref;
    PyObject* item;
    PyObject* weaklist;
} Node;
static int node_traverse(PyObject* op, visitproc visit, void* arg) {
    Node* self = (Node*)op;
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(self->self_ref);
    Py_VISIT(self->item);
    return 0;
}
static int node_clear(PyObject* op) {
    Node* self = (Node*)op;
    Py_CLEAR(self->self_ref);
    Py_CLEAR(self->item);
    return 0;
}
static void node_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    PyObject_ClearWeakRefs(op);
    node_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
}
static PyObject* node_new(PyTypeObject* type, PyObject* a, PyObject* k) {
    (void)a;
    (void)k;
    Node* self = (Node*)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->self_ref = PyWeakref_NewRef((PyObject*)self, NULL);
    if (self->self_ref == NULL) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject*)self;
}
static PyObject* node_ref(PyObject* op, PyObject* n) {
    (void)n;
    Node* self = (Node*)op;
    return Py_NewRef(self->self_ref ? self->self_ref : Py_None);
}
static PyMethodDef methods[] = {{"ref", node_ref, METH_NOARGS, NULL}, {0}};
static PyMemberDef members[] = {
    {"item", _Py_T_OBJECT, offsetof(Node, item), 0, NULL},
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(Node, weaklist), Py_READONLY, NULL},
    {0}};
static PyType_Slot slots[] = {{Py_tp_dealloc, node_dealloc},
                              {Py_tp_traverse, node_traverse},
                              {Py_tp_clear, node_clear},
                              {Py_tp_members, members},
                              {Py_tp_methods, methods},
                              {Py_tp_new, node_new},
                              {0, NULL}};
static PyType_Spec spec = {"zoo.Node", sizeof(Node), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                           slots};
static int zoo_exec(PyObject* m) {
    PyObject* t = PyType_FromModuleAndSpec(m, &spec, NULL);
    if (!t)
        return -1;
    int r = PyModule_AddObjectRef(m, "Node", t);
    Py_DECREF(t);
    return r;
}
static PyModuleDef_Slot ms[] = {{Py_mod_exec, zoo_exec}, {0, NULL}};
static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_slots = ms};
PyMODINIT_FUNC PyInit_zoo(void) {
    return PyModuleDef_Init(&zoo_module);
}
