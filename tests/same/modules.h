/* The modules of modules/: each form of the tutorial's five. */
#ifndef OURO_TESTS_SAME_MODULES_H
#define OURO_TESTS_SAME_MODULES_H

#define SAME_MODULES(X) \
    X(custom)           \
    X(custom_multi)     \
    X(custom2)          \
    X(custom2_multi)    \
    X(custom3)          \
    X(custom3_multi)    \
    X(custom4)          \
    X(custom4_multi)    \
    X(sublist)          \
    X(sublist_multi)

#define X(name) PyMODINIT_FUNC PyInit_##name(void);
SAME_MODULES(X)
#undef X

/* Makes each importable by its name. Before Py_Initialize. */
static inline void same_append_modules(void) {
#define X(name) (void)PyImport_AppendInittab(#name, PyInit_##name);
    SAME_MODULES(X)
#undef X
}

#endif
