/* types.no-traverse */
#define HEAP
#ifdef WRONG
#define SLOTS {Py_tp_clear, (void*)holder_clear},
#endif
#include "tests/contract-zoo/holder.h"
