/* traverse.unowned */
/* Breaks: only members that the instance owns by a strong reference may be visited; the back pointer to the parent is a borrowed one ("Traversal", paragraph on owned members). */
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

typedef struct Branch {
    PyObject_HEAD
    struct Branch* child;  /* owned */
    struct Branch* parent; /* borrowed; the parent resets it when it lets go of us */
    PyObject* payload;
} Branch;

static PyTypeObject Branch_Type;

static void branch_detach(Branch* self) {
    Branch* child = self->child;

    if (child != NULL) {
        self->child = NULL;
        child->parent = NULL;
        Py_DECREF(child);
    }
}

static int branch_traverse(Branch* self, visitproc visit, void* arg) {
    Py_VISIT(self->child);
#ifdef WRONG
    Py_VISIT(self->parent);
#endif
    Py_VISIT(self->payload);
    return 0;
}

static int branch_clear(Branch* self) {
    branch_detach(self);
    Py_CLEAR(self->payload);
    return 0;
}

static void branch_dealloc(Branch* self) {
    PyObject_GC_UnTrack(self);
    branch_clear(self);
    Py_TYPE(self)->tp_free((PyObject*)self);
}

static PyObject* branch_get_child(Branch* self, void* closure) {
    return Py_NewRef(self->child ? (PyObject*)self->child : Py_None);
}

static int branch_set_child(Branch* self, PyObject* value, void* closure) {
    Branch* child;

    if (value == NULL || value == Py_None) {
        branch_detach(self);
        return 0;
    }
    if (!PyObject_TypeCheck(value, &Branch_Type)) {
        PyErr_SetString(PyExc_TypeError, "child must be a Branch");
        return -1;
    }
    child = (Branch*)value;
    if (child == self->child) {
        return 0;
    }
    if (child->parent != NULL) {
        PyErr_SetString(PyExc_ValueError, "child has a parent already");
        return -1;
    }
    Py_INCREF(child);
    child->parent = self;
    /* Put the new one in place before the old one can run any code. */
    {
        Branch* old = self->child;
        self->child = child;
        if (old != NULL) {
            old->parent = NULL;
            Py_DECREF(old);
        }
    }
    return 0;
}

static PyObject* branch_get_parent(Branch* self, void* closure) {
    return Py_NewRef(self->parent ? (PyObject*)self->parent : Py_None);
}

static PyGetSetDef branch_getset[] = {
    {"child", (getter)branch_get_child, (setter)branch_set_child, NULL, NULL},
    {"parent", (getter)branch_get_parent, NULL, NULL, NULL},
    {NULL}};

static PyMemberDef branch_members[] = {{"payload", T_OBJECT, offsetof(Branch, payload), 0, NULL},
                                       {NULL}};

static PyTypeObject Branch_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Branch",
    .tp_basicsize = sizeof(Branch),
    .tp_dealloc = (destructor)branch_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = (traverseproc)branch_traverse,
    .tp_clear = (inquiry)branch_clear,
    .tp_members = branch_members,
    .tp_getset = branch_getset,
    .tp_new = PyType_GenericNew,
};

static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, "zoo", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* module;

    if (PyType_Ready(&Branch_Type) < 0) {
        return NULL;
    }
    module = PyModule_Create(&zoo_module);
    if (module != NULL && PyModule_AddObjectRef(module, "Branch", (PyObject*)&Branch_Type) < 0) {
        Py_CLEAR(module);
    }
    return module;
}
