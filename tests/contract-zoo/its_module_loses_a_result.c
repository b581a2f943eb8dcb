/* traverse.result */
#ifdef WRONG
#define STATE_TRAVERSE                 \
    if (state->type) {                 \
        (void)visit(state->type, arg); \
    }                                  \
    Py_VISIT(state->list);
#else
#define STATE_TRAVERSE                                            \
    const int result = state->type ? visit(state->type, arg) : 0; \
    if (result != 0) {                                            \
        return result;                                            \
    }                                                             \
    return state->list ? visit(state->list, arg) : 0;
#endif
#include "tests/contract-zoo/stateful.h"
