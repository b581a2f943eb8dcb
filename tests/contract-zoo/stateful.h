/* A module with a state, right as it stands: a heap type without fields, and a list. A file of the zoo defines what is to
 * be different and includes this: FIELDS, STATE_TRAVERSE, STATE_CLEAR, STATE_FREE, AT_EXEC (bodies), METHODS. */
#include <Python.h>

#ifndef FIELDS
#define FIELDS
#endif

typedef struct {
    PyObject* type;
    PyObject* list;
    FIELDS
} State;

#ifndef STATE_TRAVERSE
#define STATE_TRAVERSE     \
    Py_VISIT(state->type); \
    Py_VISIT(state->list);
#endif
#ifndef STATE_CLEAR
#define STATE_CLEAR        \
    Py_CLEAR(state->type); \
    Py_CLEAR(state->list);
#endif
#ifndef STATE_FREE
#define STATE_FREE zoo_clear((PyObject*)op);
#endif
#ifndef AT_EXEC
#define AT_EXEC
#endif
#ifndef BEFORE
#define BEFORE
#endif
#ifndef METHODS
#define METHODS
#endif
BEFORE

static PyMethodDef zoo_methods[] = {METHODS{NULL, NULL, 0, NULL}};

static PyType_Slot empty_slots[] = {{0, NULL}};
static PyType_Spec empty_spec = {"zoo.Empty", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT, empty_slots};

static int zoo_traverse(PyObject* op, visitproc visit, void* arg) {
    State* state = (State*)PyModule_GetState(op);
    STATE_TRAVERSE
    return 0;
}

static int zoo_clear(PyObject* op) {
    State* state = (State*)PyModule_GetState(op);
    STATE_CLEAR
    return 0;
}

static void zoo_free(void* op) {
    State* state = (State*)PyModule_GetState((PyObject*)op);
    (void)state;
    STATE_FREE
}

static int zoo_exec(PyObject* op) {
    State* state = (State*)PyModule_GetState(op);
    state->type = PyType_FromModuleAndSpec(op, &empty_spec, NULL);
    state->list = PyList_New(0);
    if (state->type == NULL || state->list == NULL ||
        PyModule_AddObjectRef(op, "Empty", state->type) < 0) {
        return -1;
    }
    AT_EXEC
    return 0;
}

static PyModuleDef_Slot zoo_slots[] = {{Py_mod_exec, (void*)zoo_exec}, {0, NULL}};

static struct PyModuleDef zoo_module = {PyModuleDef_HEAD_INIT,   .m_name = "zoo",
                                        .m_size = sizeof(State), .m_methods = zoo_methods,
                                        .m_slots = zoo_slots,    .m_traverse = zoo_traverse,
                                        .m_clear = zoo_clear,    .m_free = zoo_free};

PyMODINIT_FUNC PyInit_zoo(void) {
    return PyModuleDef_Init(&zoo_module);
}
