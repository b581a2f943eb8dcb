/* traverse.unowned */
/* Rule broken: tp_traverse may visit only what the instance owns; here it also visits the borrowed pointer to the parent (GC support, section on traversal). */
#include <Python.h>
#include <structmember.h>

typedef struct node {
    PyObject_HEAD
    struct node* left;
    struct node* right;
    struct node* parent; /* borrowed: the parent owns us */
    PyObject* value;
} Node;

static PyTypeObject Node_Type;

static void Node_disown(Node* self, Node* child) {
    if (child != NULL && child->parent == self) {
        child->parent = NULL;
    }
}

static int Node_traverse(PyObject* op, visitproc visit, void* arg) {
    Node* self = (Node*)op;
    Py_VISIT(self->left);
    Py_VISIT(self->right);
#ifdef WRONG
    Py_VISIT(self->parent);
#endif
    Py_VISIT(self->value);
    return 0;
}

static int Node_clear(PyObject* op) {
    Node* self = (Node*)op;
    Node* left = self->left;
    Node* right = self->right;
    self->left = NULL;
    self->right = NULL;
    Node_disown(self, left);
    Node_disown(self, right);
    Py_XDECREF(left);
    Py_XDECREF(right);
    Py_CLEAR(self->value);
    return 0;
}

static void Node_dealloc(PyObject* op) {
    Node* self = (Node*)op;
    PyObject_GC_UnTrack(op);
    Node_disown(self, self->left);
    Node_disown(self, self->right);
    Py_TRASHCAN_BEGIN(op, Node_dealloc) Node_clear(op);
    Py_TYPE(op)->tp_free(op);
    Py_TRASHCAN_END
}

static PyObject* Node_get(Node* which) {
    return Py_NewRef(which != NULL ? (PyObject*)which : Py_None);
}

static int Node_set(Node* self, Node** slot, PyObject* value) {
    Node* child = NULL;
    if (value != NULL && value != Py_None) {
        if (!Py_IS_TYPE(value, &Node_Type)) {
            PyErr_SetString(PyExc_TypeError, "a child must be a Node or None");
            return -1;
        }
        child = (Node*)value;
        if (child->parent != NULL) {
            PyErr_SetString(PyExc_ValueError, "the node has a parent already");
            return -1;
        }
        for (Node* up = self; up != NULL; up = up->parent) {
            if (up == child) {
                PyErr_SetString(PyExc_ValueError, "a node cannot be below itself");
                return -1;
            }
        }
        Py_INCREF(child);
        child->parent = self;
    }
    Node* old = *slot;
    *slot = child;
    Node_disown(self, old);
    Py_XDECREF(old);
    return 0;
}

static PyObject* Node_get_left(PyObject* op, void* closure) {
    return Node_get(((Node*)op)->left);
}

static int Node_set_left(PyObject* op, PyObject* value, void* closure) {
    return Node_set((Node*)op, &((Node*)op)->left, value);
}

static PyObject* Node_get_right(PyObject* op, void* closure) {
    return Node_get(((Node*)op)->right);
}

static int Node_set_right(PyObject* op, PyObject* value, void* closure) {
    return Node_set((Node*)op, &((Node*)op)->right, value);
}

static PyObject* Node_get_parent(PyObject* op, void* closure) {
    return Node_get(((Node*)op)->parent);
}

static PyGetSetDef Node_getset[] = {{"left", Node_get_left, Node_set_left, NULL, NULL},
                                    {"right", Node_get_right, Node_set_right, NULL, NULL},
                                    {"parent", Node_get_parent, NULL, NULL, NULL},
                                    {NULL}};

static PyMemberDef Node_members[] = {{"value", T_OBJECT, offsetof(Node, value), 0, NULL}, {NULL}};

static PyTypeObject Node_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Node",
    .tp_basicsize = sizeof(Node),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_dealloc = Node_dealloc,
    .tp_traverse = Node_traverse,
    .tp_clear = Node_clear,
    .tp_members = Node_members,
    .tp_getset = Node_getset,
};

static struct PyModuleDef zoo_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    if (PyType_Ready(&Node_Type) < 0) {
        return NULL;
    }
    PyObject* m = PyModule_Create(&zoo_module);
    if (m == NULL) {
        return NULL;
    }
    if (PyModule_AddObjectRef(m, "Node", (PyObject*)&Node_Type) < 0) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
