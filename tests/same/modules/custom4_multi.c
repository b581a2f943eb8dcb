/* The tutorial's fourth module, initialised in phases. */
#define MODULE custom4_multi
#define SAME_MULTI_PHASE
#include "tests/same/modules/custom4.c"
