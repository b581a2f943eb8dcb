/* counts.kept */
/* A text that a method makes, of which nothing is left but one reference too many. */
#ifdef WRONG
#define KEEP Py_INCREF(made);
#else
/* A list has all that were made: who visits it has what was taken. */
#define KEEP                                            \
    if (all == NULL && (all = PyList_New(0)) == NULL) { \
        Py_DECREF(made);                                \
        return NULL;                                    \
    }                                                   \
    if (PyList_Append(all, made) < 0) {                 \
        Py_DECREF(made);                                \
        return NULL;                                    \
    }
#endif
#define BEFORE                                                     \
    static PyObject* all;                                          \
    static PyObject* tell(PyObject* op, PyObject* none) {          \
        static int calls;                                          \
        PyObject* made = PyUnicode_FromFormat("call %d", ++calls); \
        (void)op, (void)none, (void)all;                           \
        if (made == NULL) {                                        \
            return NULL;                                           \
        }                                                          \
        KEEP return made;                                          \
    }
#define METHODS {"tell", tell, METH_NOARGS, NULL},
#include "tests/contract-zoo/holder.h"
