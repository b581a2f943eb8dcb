/* clear.keeps counts.kept */
#define STATE_CLEAR Py_CLEAR(state->type);
#ifdef WRONG
#define STATE_FREE zoo_clear((PyObject*)op);
#else
/* What no cycle goes through is dropped at the end. */
#define STATE_FREE            \
    zoo_clear((PyObject*)op); \
    Py_CLEAR(state->list);
#endif
#include "tests/contract-zoo/stateful.h"
