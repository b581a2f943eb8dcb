/* clear.leaves */
#define HEAP
#ifdef WRONG
#define CLEAR (void)self;
#endif
#include "tests/contract-zoo/holder.h"
