/* traverse.writes-module */
#ifdef WRONG
#define TRAVERSE                       \
    ++*(volatile long*)&visits_so_far; \
    Py_VISIT(self->item);              \
    Py_VISIT(self->other);             \
    return 0;
#endif
#include "tests/contract-zoo/holder.h"
