/* counts.kept */
/* Rule broken: a type with Py_TPFLAGS_MANAGED_DICT must clear that dict when an instance is deallocated; here the attributes of every freed instance leak (GC support and Py_TPFLAGS_MANAGED_DICT: PyObject_ClearManagedDict). */
#include <Python.h>
#include <structmember.h>

#if PY_VERSION_HEX < 0x030D0000
#define PyObject_VisitManagedDict _PyObject_VisitManagedDict
#define PyObject_ClearManagedDict _PyObject_ClearManagedDict
#endif

typedef struct {
    PyObject_HEAD
    PyObject* item;
} Bundle;

static int bundle_traverse(PyObject* op, visitproc visit, void* arg) {
    Bundle* self = (Bundle*)op;
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(self->item);
    return PyObject_VisitManagedDict(op, visit, arg);
}

static int bundle_clear(PyObject* op) {
    Bundle* self = (Bundle*)op;
    Py_CLEAR(self->item);
    PyObject_ClearManagedDict(op);
    return 0;
}

static void bundle_dealloc(PyObject* op) {
    Bundle* self = (Bundle*)op;
    PyTypeObject* type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    Py_CLEAR(self->item);
#ifndef WRONG
    PyObject_ClearManagedDict(op);
#endif
    type->tp_free(op);
    Py_DECREF(type);
}

static PyMemberDef bundle_members[] = {{"item", T_OBJECT, offsetof(Bundle, item), 0, NULL}, {NULL}};

static PyGetSetDef bundle_getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL}, {NULL}};

static PyType_Slot bundle_slots[] = {{Py_tp_new, PyType_GenericNew},
                                     {Py_tp_dealloc, bundle_dealloc},
                                     {Py_tp_traverse, bundle_traverse},
                                     {Py_tp_clear, bundle_clear},
                                     {Py_tp_members, bundle_members},
                                     {Py_tp_getset, bundle_getset},
                                     {0, NULL}};

static PyType_Spec bundle_spec = {
    .name = "zoo.Bundle",
    .basicsize = sizeof(Bundle),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_MANAGED_DICT,
    .slots = bundle_slots,
};

static struct PyModuleDef zoo_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* module = PyModule_Create(&zoo_module);
    if (module == NULL) {
        return NULL;
    }
    PyObject* type = PyType_FromSpec(&bundle_spec);
    if (type == NULL || PyModule_AddObjectRef(module, "Bundle", type) < 0) {
        Py_XDECREF(type);
        Py_DECREF(module);
        return NULL;
    }
    Py_DECREF(type);
    return module;
}
