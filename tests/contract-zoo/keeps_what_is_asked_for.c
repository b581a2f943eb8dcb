/* counts.kept */
#ifdef WRONG
#define ASKED Py_INCREF(self->item);
#else
/* A list knows who was asked for: who visits it has what was taken. */
#define ASKED                                               \
    if (asked == NULL && (asked = PyList_New(0)) == NULL) { \
        return NULL;                                        \
    }                                                       \
    if (PyList_Append(asked, self->item) < 0) {             \
        return NULL;                                        \
    }
#endif
#define BEFORE                                                \
    static PyObject* asked;                                   \
    static PyObject* get_first(PyObject* op, void* closure) { \
        Holder* self = (Holder*)op;                           \
        (void)closure, (void)asked;                           \
        if (self->item == NULL) {                             \
            Py_RETURN_NONE;                                   \
        }                                                     \
        ASKED                                                 \
        return Py_NewRef(self->item);                         \
    }
#define PROPERTIES {"first", get_first, NULL, NULL, NULL},
#include "tests/contract-zoo/holder.h"
