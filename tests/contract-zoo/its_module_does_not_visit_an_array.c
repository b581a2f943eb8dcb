/* counts.kept */
#define FIELDS       \
    PyObject** kept; \
    Py_ssize_t count;
#ifdef WRONG
#define VISIT_KEPT
#else
#define VISIT_KEPT                                  \
    for (Py_ssize_t i = 0; i < state->count; ++i) { \
        Py_VISIT(state->kept[i]);                   \
    }
#endif
#define STATE_TRAVERSE     \
    Py_VISIT(state->type); \
    Py_VISIT(state->list); \
    VISIT_KEPT
#define STATE_CLEAR                             \
    Py_CLEAR(state->type);                      \
    Py_CLEAR(state->list);                      \
    while (state->count > 0) {                  \
        Py_DECREF(state->kept[--state->count]); \
    }                                           \
    PyMem_Free(state->kept);                    \
    state->kept = NULL;
#define BEFORE                                                              \
    static PyObject* zoo_keep(PyObject* op, PyObject* item) {               \
        State* state = (State*)PyModule_GetState(op);                       \
        const size_t size = sizeof(PyObject*) * (size_t)(state->count + 1); \
        PyObject** kept = (PyObject**)PyMem_Realloc(state->kept, size);     \
        if (kept == NULL) {                                                 \
            return PyErr_NoMemory();                                        \
        }                                                                   \
        state->kept = kept;                                                 \
        state->kept[state->count++] = Py_NewRef(item);                      \
        Py_RETURN_NONE;                                                     \
    }
#define METHODS {"keep", zoo_keep, METH_O, NULL},
#include "tests/contract-zoo/stateful.h"
