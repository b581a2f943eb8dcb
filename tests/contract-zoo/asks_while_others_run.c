/* threads.detached */
#ifdef WRONG
#define WHILE_OTHERS_RUN made = PyList_New(0);
#define AFTERWARDS
#else
#define WHILE_OTHERS_RUN
#define AFTERWARDS made = PyList_New(0);
#endif
#define BEFORE                                              \
    static PyObject* result(PyObject* op, PyObject* none) { \
        PyObject* made;                                     \
        (void)op, (void)none;                               \
        Py_BEGIN_ALLOW_THREADS                              \
        WHILE_OTHERS_RUN                                    \
        Py_END_ALLOW_THREADS                                \
        AFTERWARDS                                          \
        return made;                                        \
    }
#define METHODS {"result", result, METH_NOARGS, NULL},
#include "tests/contract-zoo/holder.h"
