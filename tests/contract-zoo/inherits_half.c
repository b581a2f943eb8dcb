/* types.half-inherited */
#define BEFORE                                                                     \
    static int base_traverse(PyObject* op, visitproc visit, void* arg) {           \
        Py_VISIT(((Holder*)op)->item);                                             \
        Py_VISIT(((Holder*)op)->other);                                            \
        return 0;                                                                  \
    }                                                                              \
    static int base_clear(PyObject* op) {                                          \
        Py_CLEAR(((Holder*)op)->item);                                             \
        Py_CLEAR(((Holder*)op)->other);                                            \
        return 0;                                                                  \
    }                                                                              \
    static PyTypeObject base_type = {                                              \
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "zoo.Base",                       \
        .tp_basicsize = sizeof(Holder),                                            \
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, \
        .tp_traverse = base_traverse,                                              \
        .tp_clear = base_clear,                                                    \
    };
#define BASE &base_type
#define FLAGS (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE)
#ifdef WRONG
#define HANDLERS .tp_traverse = holder_traverse,
#else
#define HANDLERS
#endif
#include "tests/contract-zoo/holder.h"
