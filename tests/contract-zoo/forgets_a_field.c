/* traverse.forgets */
#ifdef WRONG
#define TRAVERSE          \
    Py_VISIT(self->item); \
    return 0;
#endif
#include "tests/contract-zoo/holder.h"
