/* Notes of instances are in a dict of the module's, by address; an instance is tracked when it is given an item. Until then
   it refers to nothing. */
#include <Python.h>
#include <stddef.h>
typedef struct {
    PyObject_HEAD
    PyObject* item;
} Thing;
static PyObject* notes;
static PyTypeObject thing_type;
static int thing_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(((Thing*)op)->item);
    return 0;
}
static int thing_clear(PyObject* op) {
    Py_CLEAR(((Thing*)op)->item);
    return 0;
}
static int forget(PyObject* op) {
    PyObject* key = PyLong_FromVoidPtr(op);
    if (key == NULL)
        return -1;
    int has = PyDict_Contains(notes, key);
    int r = has > 0 ? PyDict_DelItem(notes, key) : has;
    Py_DECREF(key);
    return r;
}
static void thing_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    PyObject* raised = PyErr_GetRaisedException();
    if (forget(op) < 0)
        PyErr_WriteUnraisable(NULL);
    PyErr_SetRaisedException(raised);
    thing_clear(op);
    PyObject_GC_Del(op);
}
static PyObject* thing_new(PyTypeObject* type, PyObject* a, PyObject* k) {
    (void)a;
    (void)k;
    (void)type;
    Thing* s = PyObject_GC_New(Thing, &thing_type);
    if (s)
        s->item = NULL;
    return (PyObject*)s;
}
static PyObject* thing_note(PyObject* op, PyObject* value) {
    PyObject* key = PyLong_FromVoidPtr(op);
    if (key == NULL)
        return NULL;
    int r = PyDict_SetItem(notes, key, value);
    Py_DECREF(key);
    if (r < 0)
        return NULL;
    Py_RETURN_NONE;
}
static PyObject* get_item(PyObject* op, void* c) {
    (void)c;
    PyObject* v = ((Thing*)op)->item;
    return Py_NewRef(v ? v : Py_None);
}
static int set_item(PyObject* op, PyObject* v, void* c) {
    (void)c;
    Py_XSETREF(((Thing*)op)->item, Py_XNewRef(v));
    if (((Thing*)op)->item && !PyObject_GC_IsTracked(op))
        PyObject_GC_Track(op);
    return 0;
}
static PyGetSetDef properties[] = {{"item", get_item, set_item, NULL, NULL}, {0}};
static PyMethodDef methods[] = {{"note", thing_note, METH_O, NULL}, {0}};
static PyTypeObject thing_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Thing",
                                  .tp_basicsize = sizeof(Thing),
                                  .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                  .tp_traverse = thing_traverse,
                                  .tp_clear = thing_clear,
                                  .tp_dealloc = thing_dealloc,
                                  .tp_new = thing_new,
                                  .tp_getset = properties,
                                  .tp_methods = methods};
static int init(PyObject* m) {
    notes = PyDict_New();
    return notes == NULL ? -1 : PyModule_AddType(m, &thing_type);
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
