/* traverse.unowned */
#ifdef WRONG
#define TRAVERSE           \
    Py_VISIT(self->item);  \
    Py_VISIT(self->item);  \
    Py_VISIT(self->other); \
    return 0;
#endif
#include "tests/contract-zoo/holder.h"
