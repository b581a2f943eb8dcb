/* types.member-outside */
#ifdef WRONG
#define SIZE offsetof(Holder, other)
#endif
#include "tests/contract-zoo/holder.h"
