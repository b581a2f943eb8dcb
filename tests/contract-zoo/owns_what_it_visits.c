/* traverse.counts */
#define NEW NEW_WITH_LIST
#ifdef WRONG
#define TRAVERSE            \
    Py_XINCREF(self->item); \
    Py_VISIT(self->item);   \
    Py_VISIT(self->other);  \
    return 0;
#endif
#include "tests/contract-zoo/holder.h"
