/* traverse.forgets */
/* An instance needs four arguments, and has what it forgets from a fifth, that can be given by its keyword alone. */
#define FIELDS PyObject* owner;
#define NEW                                                                                  \
    static char* names[] = {"width", "height", "depth", "name", "owner", NULL};              \
    int width, height, depth;                                                                \
    const char* name;                                                                        \
    PyObject* owner = NULL;                                                                  \
    Holder* made;                                                                            \
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "iiis|$O:Holder", names, &width, &height, \
                                     &depth, &name, &owner) ||                               \
        !(made = (Holder*)type->tp_alloc(type, 0))) {                                        \
        return NULL;                                                                         \
    }                                                                                        \
    made->owner = Py_XNewRef(owner);                                                         \
    return (PyObject*)made;
#define CLEAR              \
    Py_CLEAR(self->item);  \
    Py_CLEAR(self->other); \
    Py_CLEAR(self->owner);
#define DEALLOC                \
    PyObject_GC_UnTrack(self); \
    Py_CLEAR(self->item);      \
    Py_CLEAR(self->other);     \
    Py_CLEAR(self->owner);     \
    type->tp_free(self);
#ifndef WRONG
#define TRAVERSE           \
    Py_VISIT(self->item);  \
    Py_VISIT(self->other); \
    Py_VISIT(self->owner); \
    return 0;
#endif
#include "tests/contract-zoo/holder.h"
