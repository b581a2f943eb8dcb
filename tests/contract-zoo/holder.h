/* A container type with two fields, right as it stands, and a module with it. A file of the zoo defines what is to be
 * different and includes this: FLAGS, TRAVERSE, CLEAR, DEALLOC, NEW (bodies), FREE and ALLOC (slots), HEAP (the type is
 * made from a spec), BASE (of a static type), FIELDS, and the like. */
#include <Python.h>
#include <stddef.h>

#ifndef FIELDS
#define FIELDS
#endif

typedef struct {
    PyObject_HEAD
    PyObject* item;
    PyObject* other;
    FIELDS
} Holder;

static PyTypeObject* holder_type;
static long visits_so_far;

#ifndef BEFORE
#define BEFORE
#endif
BEFORE

#ifdef HEAP
#define VISIT_TYPE Py_VISIT(Py_TYPE(self));
#define DROP_TYPE Py_DECREF(type);
#else
#define VISIT_TYPE
#define DROP_TYPE
#endif

#ifndef FLAGS
#define FLAGS (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC)
#endif
#ifndef TRAVERSE
#define TRAVERSE           \
    VISIT_TYPE             \
    Py_VISIT(self->item);  \
    Py_VISIT(self->other); \
    return 0;
#endif
#ifndef DEALLOC
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);     \
    type->tp_free(self);       \
    DROP_TYPE
#endif
#ifndef CLEAR
#define CLEAR             \
    Py_CLEAR(self->item); \
    Py_CLEAR(self->other);
#endif
/* For NEW: an instance whose first field is not empty. */
#define NEW_WITH_LIST                                \
    Holder* made = (Holder*)type->tp_alloc(type, 0); \
    if (made && !(made->item = PyList_New(0)))       \
        Py_CLEAR(made);                              \
    return (PyObject*)made;
#ifndef NEW
#define NEW return type->tp_alloc(type, 0);
#endif

static int holder_traverse(PyObject* op, visitproc visit, void* arg) {
    Holder* self = (Holder*)op;
    (void)self, (void)visit, (void)arg, (void)visits_so_far;
    TRAVERSE
}

static int holder_clear(PyObject* op) {
    Holder* self = (Holder*)op;
    CLEAR
    return 0;
}

static void holder_dealloc(PyObject* op) {
    Holder* self = (Holder*)op;
    PyTypeObject* type = Py_TYPE(op);
    (void)type;
    DEALLOC
}

static PyObject* holder_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    (void)args, (void)kwargs;
    NEW
}

#ifndef MEMBERS
#define MEMBERS                                                \
    {"item", Py_T_OBJECT_EX, offsetof(Holder, item), 0, NULL}, \
        {"other", Py_T_OBJECT_EX, offsetof(Holder, other), 0, NULL},
#endif
static PyMemberDef holder_members[] = {MEMBERS{NULL, 0, 0, 0, NULL}};

#ifndef PROPERTIES
#define PROPERTIES
#endif
static PyGetSetDef holder_properties[] = {PROPERTIES{NULL, NULL, NULL, NULL, NULL}};
#ifndef METHODS
#define METHODS
#endif
static PyMethodDef holder_methods[] = {METHODS{NULL, NULL, 0, NULL}};

#ifndef HANDLERS
#define HANDLERS .tp_traverse = holder_traverse, .tp_clear = holder_clear,
#endif
#ifndef SLOTS
#define SLOTS {Py_tp_traverse, (void*)holder_traverse}, {Py_tp_clear, (void*)holder_clear},
#endif
#ifndef MORE
#define MORE
#endif
#ifndef SIZE
#define SIZE sizeof(Holder)
#endif

#ifdef HEAP
static PyType_Slot holder_slots[] = {SLOTS{Py_tp_dealloc, (void*)holder_dealloc},
                                     {Py_tp_new, (void*)holder_new},
                                     {Py_tp_members, holder_members},
                                     {Py_tp_getset, holder_properties},
                                     {Py_tp_methods, holder_methods},
                                     {0, NULL}};
static PyType_Spec holder_spec = {"zoo.Holder", SIZE, 0, FLAGS, holder_slots};
#else
static PyTypeObject static_holder = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Holder",
                                     .tp_basicsize = SIZE,
                                     .tp_flags = FLAGS,
                                     HANDLERS.tp_dealloc = holder_dealloc,
                                     .tp_new = holder_new,
                                     .tp_members = holder_members,
                                     .tp_getset = holder_properties,
                                     .tp_methods = holder_methods,
                                     MORE};
#endif

static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT, .m_name = "zoo", .m_size = -1};

PyMODINIT_FUNC PyInit_zoo(void) {
    PyObject* module = PyModule_Create(&zoo_module);
    (void)holder_traverse, (void)holder_clear;
#ifdef HEAP
    holder_type = (PyTypeObject*)PyType_FromSpec(&holder_spec);
    if (module == NULL || holder_type == NULL) {
        return NULL;
    }
#else
    holder_type = &static_holder;
#ifdef BASE
    static_holder.tp_base = BASE;
#endif
    if (module == NULL || PyType_Ready(holder_type) < 0) {
        return NULL;
    }
#endif
    return PyModule_AddObjectRef(module, "Holder", (PyObject*)holder_type) < 0 ? NULL : module;
}
