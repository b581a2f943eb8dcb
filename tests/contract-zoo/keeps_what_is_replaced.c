/* counts.kept */
#ifdef WRONG
#define REPLACE self->item = Py_NewRef(value);
#else
/* What was set last is kept, for whoever asks: one reference, however often. */
#define REPLACE Py_XSETREF(self->item, Py_NewRef(value));
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
