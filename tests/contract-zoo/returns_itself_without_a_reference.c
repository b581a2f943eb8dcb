/* counts.given-away */
#ifdef WRONG
#define RETURN return op;
#else
#define RETURN return Py_NewRef(op);
#endif
#define BEFORE                                              \
    static PyObject* itself(PyObject* op, PyObject* none) { \
        (void)none;                                         \
        RETURN                                              \
    }
#define METHODS {"itself", itself, METH_NOARGS, NULL},
#include "tests/contract-zoo/holder.h"
