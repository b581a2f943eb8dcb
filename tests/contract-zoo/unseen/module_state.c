/* traverse.forgets */
/* Rule broken: a module that owns objects in its state must visit all of them in m_traverse; here the default item is forgotten, so a cycle through it is never found (module objects, m_traverse; traverseproc). */
#include <Python.h>
#include <structmember.h>

typedef struct {
    PyTypeObject* slot_type;
    PyObject* default_item; /* what a new Slot starts with, or NULL */
    PyObject* factories;    /* dict of name -> callable */
} zoo_state;

typedef struct {
    PyObject_HEAD
    PyObject* item;
} Slot;

/* ---- Slot ---- */

static PyObject* slot_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    zoo_state* state = PyType_GetModuleState(type);
    if (state == NULL) {
        return NULL;
    }
    Slot* self = (Slot*)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->item = Py_XNewRef(state->default_item);
    }
    return (PyObject*)self;
}

static int slot_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(((Slot*)op)->item);
    return 0;
}

static int slot_clear(PyObject* op) {
    Py_CLEAR(((Slot*)op)->item);
    return 0;
}

static void slot_dealloc(PyObject* op) {
    PyTypeObject* type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    slot_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
}

static PyMemberDef slot_members[] = {{"item", T_OBJECT, offsetof(Slot, item), 0, NULL}, {NULL}};

static PyType_Slot slot_slots[] = {{Py_tp_new, slot_new},           {Py_tp_dealloc, slot_dealloc},
                                   {Py_tp_traverse, slot_traverse}, {Py_tp_clear, slot_clear},
                                   {Py_tp_members, slot_members},   {0, NULL}};

static PyType_Spec slot_spec = {
    .name = "zoo.Slot",
    .basicsize = sizeof(Slot),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = slot_slots,
};

/* ---- the module ---- */

static PyObject* zoo_set_default(PyObject* module, PyObject* item) {
    zoo_state* state = PyModule_GetState(module);
    Py_XSETREF(state->default_item, Py_NewRef(item));
    Py_RETURN_NONE;
}

static PyObject* zoo_get_default(PyObject* module, PyObject* Py_UNUSED(ignored)) {
    zoo_state* state = PyModule_GetState(module);
    if (state->default_item == NULL) {
        Py_RETURN_NONE;
    }
    return Py_NewRef(state->default_item);
}

static PyObject* zoo_add_factory(PyObject* module, PyObject* args) {
    zoo_state* state = PyModule_GetState(module);
    PyObject *name, *factory;
    if (!PyArg_ParseTuple(args, "UO:add_factory", &name, &factory)) {
        return NULL;
    }
    if (state->factories == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "the module has been cleared");
        return NULL;
    }
    if (PyDict_SetItem(state->factories, name, factory) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef zoo_methods[] = {{"set_default", zoo_set_default, METH_O, NULL},
                                    {"get_default", zoo_get_default, METH_NOARGS, NULL},
                                    {"add_factory", zoo_add_factory, METH_VARARGS, NULL},
                                    {NULL, NULL, 0, NULL}};

static int zoo_traverse(PyObject* module, visitproc visit, void* arg) {
    zoo_state* state = PyModule_GetState(module);
    Py_VISIT(state->slot_type);
#ifndef WRONG
    Py_VISIT(state->default_item);
#endif
    Py_VISIT(state->factories);
    return 0;
}

static int zoo_clear(PyObject* module) {
    zoo_state* state = PyModule_GetState(module);
    Py_CLEAR(state->slot_type);
    Py_CLEAR(state->default_item);
    Py_CLEAR(state->factories);
    return 0;
}

static void zoo_free(void* module) {
    zoo_clear((PyObject*)module);
}

static int zoo_exec(PyObject* module) {
    zoo_state* state = PyModule_GetState(module);
    state->factories = PyDict_New();
    if (state->factories == NULL) {
        return -1;
    }
    state->slot_type = (PyTypeObject*)PyType_FromModuleAndSpec(module, &slot_spec, NULL);
    if (state->slot_type == NULL) {
        return -1;
    }
    return PyModule_AddType(module, state->slot_type);
}

static PyModuleDef_Slot zoo_slots[] = {{Py_mod_exec, zoo_exec}, {0, NULL}};

static struct PyModuleDef zoo_module = {
    PyModuleDef_HEAD_INIT,    .m_name = "zoo",      .m_size = sizeof(zoo_state),
    .m_methods = zoo_methods, .m_slots = zoo_slots, .m_traverse = zoo_traverse,
    .m_clear = zoo_clear,     .m_free = zoo_free,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    return PyModuleDef_Init(&zoo_module);
}
