/* Not compiled with Python.h of this runtime, as a module for another would not be: nothing of it may run. */
#include <stdio.h>

__attribute__((constructor)) static void loaded(void) {
    fputs("a module without the mark was loaded\n", stderr);
}

__attribute__((visibility("default"))) void* PyInit_no_mark(void) {
    fputs("a module without the mark was initialised\n", stderr);
    return NULL;
}
