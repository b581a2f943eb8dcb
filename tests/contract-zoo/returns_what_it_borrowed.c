/* counts.given-away */
#ifdef WRONG
#define RETURN return self->item;
#else
#define RETURN return Py_NewRef(self->item);
#endif
#define BEFORE                                                \
    static PyObject* get_first(PyObject* op, void* closure) { \
        Holder* self = (Holder*)op;                           \
        (void)closure;                                        \
        if (self->item == NULL) {                             \
            Py_RETURN_NONE;                                   \
        }                                                     \
        RETURN                                                \
    }
#define PROPERTIES {"first", get_first, NULL, NULL, NULL},
#include "tests/contract-zoo/holder.h"
