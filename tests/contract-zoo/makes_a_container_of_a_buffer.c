/* objects.wrong-family */
#ifdef WRONG
#define NEW                                            \
    void* memory = PyObject_Calloc(1, sizeof(Holder)); \
    return memory ? PyObject_Init((PyObject*)memory, type) : NULL;
#define DEALLOC            \
    Py_CLEAR(self->item);  \
    Py_CLEAR(self->other); \
    PyObject_Free(self);
#else
#define NEW                                       \
    Holder* made = PyObject_GC_New(Holder, type); \
    if (made) {                                   \
        made->item = made->other = NULL;          \
        PyObject_GC_Track(made);                  \
    }                                             \
    return (PyObject*)made;
#endif
#include "tests/contract-zoo/holder.h"
