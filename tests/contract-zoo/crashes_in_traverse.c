/* traverse.crashes */
#ifdef WRONG
#define TRAVERSE                           \
    Py_VISIT(((Holder*)self->item)->item); \
    return 0;
#endif
#include "tests/contract-zoo/holder.h"
