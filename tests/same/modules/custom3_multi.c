/* The tutorial's third module, initialised in phases. */
#define MODULE custom3_multi
#define SAME_MULTI_PHASE
#include "tests/same/modules/custom3.c"
