/* fields.dropped-first */
#ifdef WRONG
#define REPLACE             \
    Py_XDECREF(self->item); \
    self->item = Py_NewRef(value);
#else
#define REPLACE                    \
    PyObject* before = self->item; \
    self->item = Py_NewRef(value); \
    Py_XDECREF(before);
#endif
#define BEFORE                                                           \
    static int set_first(PyObject* op, PyObject* value, void* closure) { \
        Holder* self = (Holder*)op;                                      \
        (void)closure;                                                   \
        if (value == NULL) {                                             \
            Py_CLEAR(self->item);                                        \
            return 0;                                                    \
        }                                                                \
        REPLACE                                                          \
        return 0;                                                        \
    }
#define PROPERTIES {"first", NULL, set_first, NULL, NULL},
#define MEMBERS
#include "tests/contract-zoo/holder.h"
