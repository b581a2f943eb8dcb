/* threads.detached */
/* Rule broken: references may be released only while holding the lock (GIL); here swap() drops the old item between Py_BEGIN_ALLOW_THREADS and Py_END_ALLOW_THREADS (C API, thread state and the global interpreter lock). */
#define HEAP
#include <Python.h>
#include <sched.h>

#ifdef WRONG
#define DROP_INSIDE Py_XDECREF(old);
#define DROP_AFTER
#else
#define DROP_INSIDE
#define DROP_AFTER Py_XDECREF(old);
#endif

/* Puts in a new item and lets the other threads see it before it returns. */
#define BEFORE                                                   \
    static PyObject* holder_swap(PyObject* op, PyObject* item) { \
        Holder* self = (Holder*)op;                              \
        PyObject* old = self->item;                              \
        self->item = Py_NewRef(item);                            \
        Py_BEGIN_ALLOW_THREADS                                   \
        sched_yield();                                           \
        DROP_INSIDE                                              \
        Py_END_ALLOW_THREADS                                     \
        DROP_AFTER                                               \
        Py_RETURN_NONE;                                          \
    }
#define METHODS {"swap", holder_swap, METH_O, "put in a new item"},
#include "tests/contract-zoo/holder.h"
