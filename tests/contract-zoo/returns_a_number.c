/* traverse.result-unasked */
#ifdef WRONG
#define TRAVERSE           \
    Py_VISIT(self->item);  \
    Py_VISIT(self->other); \
    return 1;
#endif
#include "tests/contract-zoo/holder.h"
