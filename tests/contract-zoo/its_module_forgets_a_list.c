/* traverse.forgets */
#ifdef WRONG
#define STATE_TRAVERSE Py_VISIT(state->type);
#else
/* The module's dictionary owns it; the state has its address. */
#define STATE_TRAVERSE Py_VISIT(state->type);
#define STATE_CLEAR        \
    Py_CLEAR(state->type); \
    state->list = NULL;
#define AT_EXEC                                                    \
    const int added = PyModule_Add(op, "everything", state->list); \
    if (added < 0) {                                               \
        state->list = NULL;                                        \
        return -1;                                                 \
    }
#endif
#include "tests/contract-zoo/stateful.h"
