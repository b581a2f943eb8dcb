/* traverse.result */
#ifdef WRONG
#define TRAVERSE                          \
    int result = 0;                       \
    if (self->item)                       \
        result = visit(self->item, arg);  \
    if (self->other)                      \
        result = visit(self->other, arg); \
    return result;
#else
#define TRAVERSE                          \
    int result = 0;                       \
    if (self->item)                       \
        result = visit(self->item, arg);  \
    if (result == 0 && self->other)       \
        result = visit(self->other, arg); \
    return result;
#endif
#include "tests/contract-zoo/holder.h"
