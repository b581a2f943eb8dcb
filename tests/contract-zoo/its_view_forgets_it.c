/* traverse.forgets */
/* An instance of another type, which a method makes, owns the one that made it. */
#ifdef WRONG
#define VISIT_OWNER
#else
#define VISIT_OWNER Py_VISIT(((View*)op)->owner);
#endif
#define BEFORE                                                                                \
    typedef struct {                                                                          \
        PyObject_HEAD                                                                         \
        PyObject* owner;                                                                      \
    } View;                                                                                   \
    static int view_traverse(PyObject* op, visitproc visit, void* arg) {                      \
        (void)op, (void)visit, (void)arg;                                                     \
        VISIT_OWNER return 0;                                                                 \
    }                                                                                         \
    static int view_clear(PyObject* op) {                                                     \
        Py_CLEAR(((View*)op)->owner);                                                         \
        return 0;                                                                             \
    }                                                                                         \
    static void view_dealloc(PyObject* op) {                                                  \
        PyObject_GC_UnTrack(op);                                                              \
        Py_CLEAR(((View*)op)->owner);                                                         \
        PyObject_GC_Del(op);                                                                  \
    }                                                                                         \
    static PyTypeObject view_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.View",     \
                                     .tp_basicsize = sizeof(View),                            \
                                     .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,     \
                                     .tp_traverse = view_traverse,                            \
                                     .tp_clear = view_clear,                                  \
                                     .tp_dealloc = view_dealloc};                             \
    static PyObject* view(PyObject* op, PyObject* none) {                                     \
        (void)none;                                                                           \
        View* made = PyType_Ready(&view_type) < 0 ? NULL : PyObject_GC_New(View, &view_type); \
        if (made) {                                                                           \
            made->owner = Py_NewRef(op);                                                      \
            PyObject_GC_Track(made);                                                          \
        }                                                                                     \
        return (PyObject*)made;                                                               \
    }
#define METHODS {"view", view, METH_NOARGS, NULL},
#include "tests/contract-zoo/holder.h"
