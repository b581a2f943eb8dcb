/* types.no-flag */
#ifdef WRONG
#define HANDLERS
#define FLAGS Py_TPFLAGS_DEFAULT
#define DEALLOC            \
    Py_CLEAR(self->item);  \
    Py_CLEAR(self->other); \
    type->tp_free(self);
#endif
#include "tests/contract-zoo/holder.h"
