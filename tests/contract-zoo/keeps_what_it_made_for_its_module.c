/* counts.kept */
/* Each module that is made leaves a text behind, that nobody finds any more. */
#ifdef WRONG
#define KEPT Py_INCREF(text);
#else
/* The first is for all. */
#define KEPT                       \
    static PyObject* for_all;      \
    if (for_all == NULL) {         \
        for_all = Py_NewRef(text); \
    }
#endif
#define AT_EXEC                                                       \
    PyObject* text = PyUnicode_FromFormat("a text at %p", (void*)op); \
    KEPT if (PyModule_Add(op, "text", text) < 0) {                    \
        return -1;                                                    \
    }
#include "tests/contract-zoo/stateful.h"
