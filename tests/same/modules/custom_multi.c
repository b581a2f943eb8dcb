/* The tutorial's first module, initialised in phases. */
#define MODULE custom_multi
#define SAME_MULTI_PHASE
#include "tests/same/modules/custom.c"
