/* The tutorial's fifth module, initialised in phases. */
#define MODULE sublist_multi
#define SAME_MULTI_PHASE
#include "tests/same/modules/sublist.c"
