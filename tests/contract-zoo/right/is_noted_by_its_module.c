/* What is noted of an instance is in a dict of the module's state, by the instance's address; its end takes it out.
   The dict owns it, not the instance. */
#include <Python.h>
#include <stddef.h>
typedef struct {
    PyObject* notes;
} State;
typedef struct {
    PyObject_HEAD
    PyObject* item;
    PyObject* module;
} Thing;
static int thing_traverse(PyObject* op, visitproc visit, void* arg) {
    Thing* self = (Thing*)op;
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(self->item);
    Py_VISIT(self->module);
    return 0;
}
static int thing_clear(PyObject* op) {
    Py_CLEAR(((Thing*)op)->item);
    return 0;
}
static PyObject* notes_of(Thing* self) {
    return ((State*)PyModule_GetState(self->module))->notes;
}
static int forget(Thing* self) {
    PyObject* notes = self->module ? notes_of(self) : NULL;
    if (notes == NULL)
        return 0;
    PyObject* key = PyLong_FromVoidPtr(self);
    if (key == NULL)
        return -1;
    int has = PyDict_Contains(notes, key);
    int r = has > 0 ? PyDict_DelItem(notes, key) : has;
    Py_DECREF(key);
    return r;
}
static void thing_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    PyObject* raised = PyErr_GetRaisedException();
    if (forget((Thing*)op) < 0)
        PyErr_WriteUnraisable(NULL);
    PyErr_SetRaisedException(raised);
    thing_clear(op);
    Py_CLEAR(((Thing*)op)->module);
    type->tp_free(op);
    Py_DECREF(type);
}
static PyObject* thing_new(PyTypeObject* type, PyObject* a, PyObject* k) {
    (void)a;
    (void)k;
    PyObject* module = PyType_GetModule(type);
    if (module == NULL)
        return NULL;
    Thing* self = (Thing*)type->tp_alloc(type, 0);
    if (self)
        self->module = Py_NewRef(module);
    return (PyObject*)self;
}
static PyObject* thing_note(PyObject* op, PyObject* value) {
    PyObject* notes = notes_of((Thing*)op);
    if (notes == NULL)
        Py_RETURN_NONE;
    PyObject* key = PyLong_FromVoidPtr(op);
    if (key == NULL)
        return NULL;
    int r = PyDict_SetItem(notes, key, value);
    Py_DECREF(key);
    if (r < 0)
        return NULL;
    Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"note", thing_note, METH_O, NULL}, {0}};
static PyMemberDef members[] = {{"item", _Py_T_OBJECT, offsetof(Thing, item), 0, NULL}, {0}};
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
    state->notes = PyDict_New();
    PyObject* t = PyType_FromModuleAndSpec(m, &spec, NULL);
    if (!t || !state->notes) {
        Py_XDECREF(t);
        return -1;
    }
    int r = PyModule_AddObjectRef(m, "Thing", t);
    Py_DECREF(t);
    return r;
}
static int zoo_traverse(PyObject* m, visitproc visit, void* arg) {
    State* s = PyModule_GetState(m);
    Py_VISIT(s->notes);
    return 0;
}
static int zoo_clear(PyObject* m) {
    State* s = PyModule_GetState(m);
    Py_CLEAR(s->notes);
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
