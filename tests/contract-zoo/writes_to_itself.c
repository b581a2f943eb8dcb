/* traverse.writes */
#ifdef WRONG
#define TRAVERSE                                      \
    *(PyObject* volatile*)&self->other = self->other; \
    Py_VISIT(self->item);                             \
    Py_VISIT(self->other);                            \
    return 0;
#endif
#include "tests/contract-zoo/holder.h"
