/* traverse.forgets */
/* Breaks: each object that the instance contains must be visited, also those kept in the base type's part of it; the traverse handler of a list subtype does not call list's ("Traversal"; "Subclassing other types"). */
#include <Python.h>
#include <stddef.h>
#include <structmember.h>

typedef struct {
    PyListObject list;
    PyObject* tag;
} TaggedListObject;

static int TaggedList_traverse(TaggedListObject* self, visitproc visit, void* arg) {
    Py_VISIT(self->tag);
#ifdef WRONG
    return 0;
#else
    return PyList_Type.tp_traverse((PyObject*)self, visit, arg);
#endif
}

static int TaggedList_clear(TaggedListObject* self) {
    Py_CLEAR(self->tag);
    return PyList_Type.tp_clear((PyObject*)self);
}

static void TaggedList_dealloc(TaggedListObject* self) {
    PyObject_GC_UnTrack(self);
    Py_CLEAR(self->tag);
    PyList_Type.tp_dealloc((PyObject*)self);
}

static PyMemberDef TaggedList_members[] = {
    {"tag", T_OBJECT, offsetof(TaggedListObject, tag), 0, "what the list is about"}, {NULL}};

static PyTypeObject TaggedListType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.TaggedList",
    .tp_doc = "A list with a tag.",
    .tp_basicsize = sizeof(TaggedListObject),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_dealloc = (destructor)TaggedList_dealloc,
    .tp_traverse = (traverseproc)TaggedList_traverse,
    .tp_clear = (inquiry)TaggedList_clear,
    .tp_members = TaggedList_members,
};

static PyModuleDef zoomodule = {
    PyModuleDef_HEAD_INIT,
    .m_name = "zoo",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* m;

    TaggedListType.tp_base = &PyList_Type;
    if (PyType_Ready(&TaggedListType) < 0)
        return NULL;

    m = PyModule_Create(&zoomodule);
    if (m == NULL)
        return NULL;

    Py_INCREF(&TaggedListType);
    if (PyModule_AddObject(m, "TaggedList", (PyObject*)&TaggedListType) < 0) {
        Py_DECREF(&TaggedListType);
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
