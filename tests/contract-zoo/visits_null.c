/* traverse.null */
#ifdef WRONG
#define TRAVERSE                        \
    int first = visit(self->item, arg); \
    return first ? first : visit(self->other, arg);
#else
#define TRAVERSE                                         \
    int first = self->item ? visit(self->item, arg) : 0; \
    return first || !self->other ? first : visit(self->other, arg);
#endif
#include "tests/contract-zoo/holder.h"
