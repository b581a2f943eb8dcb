/* The tutorial's second module, initialised in phases. */
#define MODULE custom2_multi
#define SAME_MULTI_PHASE
#include "tests/same/modules/custom2.c"
