/* types.no-traverse */
#ifdef WRONG
#define HANDLERS .tp_clear = holder_clear,
#endif
#include "tests/contract-zoo/holder.h"
