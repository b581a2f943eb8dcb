/* traverse.concurrent traverse.writes-module */
#ifdef WRONG
#define BEFORE static PyObject* const* volatile cursor;
#define CURSOR cursor
#else
#define CURSOR local
#endif
#define TRAVERSE                                                   \
    PyObject* const* local;                                        \
    (void)local;                                                   \
    for (CURSOR = &self->item; CURSOR <= &self->other; ++CURSOR) { \
        if (CURSOR <= &self->other) {                              \
            Py_VISIT(*CURSOR);                                     \
        }                                                          \
    }                                                              \
    return 0;
#define NEW NEW_WITH_LIST
#include "tests/contract-zoo/holder.h"
