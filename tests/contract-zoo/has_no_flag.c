/* types.handlers-without-flag */
#ifdef WRONG
#define FLAGS (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE)
#define DEALLOC            \
    Py_CLEAR(self->item);  \
    Py_CLEAR(self->other); \
    type->tp_free(self);
#endif
#include "tests/contract-zoo/holder.h"
