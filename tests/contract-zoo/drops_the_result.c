/* traverse.result */
#define NEW NEW_WITH_LIST
#ifdef WRONG
#define TRAVERSE                              \
    if (self->item && visit(self->item, arg)) \
        return -1;                            \
    Py_VISIT(self->other);                    \
    return 0;
#endif
#include "tests/contract-zoo/holder.h"
