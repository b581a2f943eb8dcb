/* calls.no-memory */
#ifdef WRONG
#define CHECK(condition)
#else
#define CHECK(condition) \
    if (!(condition))    \
        return PyErr_NoMemory();
#endif
#define BEFORE                                             \
    static PyObject* spell(PyObject* op, PyObject* none) { \
        volatile char* text = PyMem_Malloc(2);             \
        (void)op, (void)none;                              \
        CHECK(text != NULL)                                \
        text[0] = 'a';                                     \
        text[1] = 0;                                       \
        PyMem_Free((void*)text);                           \
        return Py_NewRef(Py_None);                         \
    }
#define METHODS {"spell", spell, METH_NOARGS, NULL},
#include "tests/contract-zoo/holder.h"
