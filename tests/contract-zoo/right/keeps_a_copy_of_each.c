/* Each new Shape leaves a copy of itself as it was made, which a list of the module has: made() gives them out. */
#include <Python.h>
#include <stddef.h>
typedef struct {
    PyObject_HEAD
    PyObject* item;
} Shape;
static PyTypeObject* shape_type;
static PyObject* originals;
static int shape_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(((Shape*)op)->item);
    return 0;
}
static int shape_clear(PyObject* op) {
    Py_CLEAR(((Shape*)op)->item);
    return 0;
}
static void shape_dealloc(PyObject* op) {
    PyTypeObject* t = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    shape_clear(op);
    t->tp_free(op);
    Py_DECREF(t);
}
static PyObject* shape_new(PyTypeObject* type, PyObject* a, PyObject* k) {
    (void)a;
    (void)k;
    PyObject* copy = type->tp_alloc(type, 0);
    if (copy == NULL)
        return NULL;
    int r = PyList_Append(originals, copy);
    Py_DECREF(copy);
    return r < 0 ? NULL : type->tp_alloc(type, 0);
}
static PyMemberDef members[] = {{"item", _Py_T_OBJECT, offsetof(Shape, item), 0, NULL}, {0}};
static PyType_Slot slots[] = {{Py_tp_dealloc, shape_dealloc}, {Py_tp_traverse, shape_traverse},
                              {Py_tp_clear, shape_clear},     {Py_tp_members, members},
                              {Py_tp_new, shape_new},         {0, NULL}};
static PyType_Spec spec = {"zoo.Shape", sizeof(Shape), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                           slots};
static PyObject* made(PyObject* m, PyObject* n) {
    (void)m;
    (void)n;
    return PyList_GetSlice(originals, 0, PyList_GET_SIZE(originals));
}
static PyMethodDef functions[] = {{"made", made, METH_NOARGS, NULL}, {0}};
static int init(PyObject* m) {
    originals = PyList_New(0);
    shape_type = (PyTypeObject*)PyType_FromSpec(&spec);
    if (shape_type == NULL || originals == NULL)
        return -1;
    return PyModule_AddObjectRef(m, "Shape", (PyObject*)shape_type);
}
#define ZOO_METHODS functions
#define ZOO_INIT init
static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_size = -1,
                                        .m_methods = ZOO_METHODS};
PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m = PyModule_Create(&zoo_module);
    if (m == NULL || ZOO_INIT(m) < 0)
        return NULL;
    return m;
}
