/* on_death(f): a weak reference to the instance, which a list of the module's state owns; it owns f, and calls it. */
#include <Python.h>
#include <stddef.h>
typedef struct {
    PyObject* refs;
} State;
typedef struct {
    PyObject_HEAD
    PyObject* item;
    PyObject* weaklist;
} Thing;
static struct PyModuleDef zoo_module;
static int thing_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(((Thing*)op)->item);
    return 0;
}
static int thing_clear(PyObject* op) {
    Py_CLEAR(((Thing*)op)->item);
    return 0;
}
static void thing_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    PyObject_ClearWeakRefs(op);
    thing_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
}
static PyObject* thing_new(PyTypeObject* type, PyObject* a, PyObject* k) {
    (void)a;
    (void)k;
    return type->tp_alloc(type, 0);
}
static PyObject* thing_on_death(PyObject* op, PyObject* callback) {
    PyObject* module = PyType_GetModuleByDef(Py_TYPE(op), &zoo_module);
    if (module == NULL)
        return NULL;
    State* state = PyModule_GetState(module);
    if (state->refs == NULL)
        Py_RETURN_NONE;
    PyObject* ref = PyWeakref_NewRef(op, callback);
    if (ref == NULL)
        return NULL;
    int r = PyList_Append(state->refs, ref);
    Py_DECREF(ref);
    if (r < 0)
        return NULL;
    Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"on_death", thing_on_death, METH_O, NULL}, {0}};
static PyMemberDef members[] = {
    {"item", _Py_T_OBJECT, offsetof(Thing, item), 0, NULL},
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(Thing, weaklist), Py_READONLY, NULL},
    {0}};
static PyType_Slot slots[] = {{Py_tp_dealloc, thing_dealloc},
                              {Py_tp_traverse, thing_traverse},
                              {Py_tp_clear, thing_clear},
                              {Py_tp_members, members},
                              {Py_tp_methods, methods},
                              {Py_tp_new, thing_new},
                              {0, NULL}};
static PyType_Spec spec = {"zoo.Thing", sizeof(Thing), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                           slots};
static int zoo_exec(PyObject* m) {
    State* state = PyModule_GetState(m);
    state->refs = PyList_New(0);
    PyObject* t = PyType_FromModuleAndSpec(m, &spec, NULL);
    if (!t || !state->refs) {
        Py_XDECREF(t);
        return -1;
    }
    int r = PyModule_AddObjectRef(m, "Thing", t);
    Py_DECREF(t);
    return r;
}
static int zoo_traverse(PyObject* m, visitproc visit, void* arg) {
    State* s = PyModule_GetState(m);
    Py_VISIT(s->refs);
    return 0;
}
static int zoo_clear(PyObject* m) {
    State* s = PyModule_GetState(m);
    Py_CLEAR(s->refs);
    return 0;
}
static void zoo_free(void* m) {
    zoo_clear(m);
}
static PyModuleDef_Slot ms[] = {{Py_mod_exec, zoo_exec}, {0, NULL}};
static struct PyModuleDef zoo_module = {
    PyModuleDef_HEAD_INIT,      .m_name = "zoo",      .m_size = sizeof(State), .m_slots = ms,
    .m_traverse = zoo_traverse, .m_clear = zoo_clear, .m_free = zoo_free};
PyMODINIT_FUNC PyInit_zoo(void) {
    return PyModuleDef_Init(&zoo_module);
}
