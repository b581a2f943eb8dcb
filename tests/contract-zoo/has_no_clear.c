/* types.no-clear */
#ifdef WRONG
#define HANDLERS .tp_traverse = holder_traverse,
#endif
#include "tests/contract-zoo/holder.h"
