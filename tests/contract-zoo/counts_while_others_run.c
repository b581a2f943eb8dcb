/* threads.detached */
#ifdef WRONG
#define WHILE_OTHERS_RUN Py_INCREF(item);
#define AFTERWARDS
#else
#define WHILE_OTHERS_RUN
#define AFTERWARDS Py_INCREF(item);
#endif
#define BEFORE                                           \
    static PyObject* add(PyObject* op, PyObject* item) { \
        (void)op;                                        \
        Py_BEGIN_ALLOW_THREADS                           \
        WHILE_OTHERS_RUN                                 \
        Py_END_ALLOW_THREADS                             \
        AFTERWARDS                                       \
        return item;                                     \
    }
#define METHODS {"add", add, METH_O, NULL},
#include "tests/contract-zoo/holder.h"
