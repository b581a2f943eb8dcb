/* traverse.no-object */
#ifdef WRONG
#define TRAVERSE                         \
    Py_VISIT((PyObject*)&visits_so_far); \
    Py_VISIT(self->item);                \
    Py_VISIT(self->other);               \
    return 0;
#else
#define TRAVERSE           \
    Py_VISIT(Py_None);     \
    Py_VISIT(self->item);  \
    Py_VISIT(self->other); \
    return 0;
#endif
#include "tests/contract-zoo/holder.h"
