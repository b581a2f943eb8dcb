/* clear.keeps */
#ifdef WRONG
#define CLEAR          \
    self->item = NULL; \
    Py_CLEAR(self->other);
#endif
#include "tests/contract-zoo/holder.h"
