/* clear.leaves */
#ifdef WRONG
#define CLEAR Py_CLEAR(self->item);
#endif
#include "tests/contract-zoo/holder.h"
