/* Modules: objects, definitions, and importing. Source: "Module Objects" and "Importing Modules" in the C API
 * documentation. */
#ifndef OURO_MODULE_H
#define OURO_MODULE_H

#include "ouroboros/call.h"

OURO_BEGIN_C

/* The function of a shared object that makes its module, PyInit_NAME, is declared with this. */
#ifdef __cplusplus
#define PyMODINIT_FUNC extern "C" OURO_API PyObject*
#else
#define PyMODINIT_FUNC OURO_API PyObject*
#endif

/* What PyModule_Create and Py_InitModule of CPython hand over; others are warned of. */
#define PYTHON_API_VERSION 1013
#define PYTHON_API_STRING "1013"
#define PYTHON_ABI_VERSION 3
#define PYTHON_ABI_STRING "3"

typedef struct PyModuleDef PyModuleDef;
typedef struct PyModuleDef_Slot PyModuleDef_Slot;

typedef struct PyModuleDef_Base {
    PyObject_HEAD
    PyObject* (*m_init)(void);
    Py_ssize_t m_index; /* given once, by PyModuleDef_Init */
    PyObject* m_copy;
} PyModuleDef_Base;

#define PyModuleDef_HEAD_INIT \
    { PyObject_HEAD_INIT(NULL) NULL, 0, NULL }

struct PyModuleDef_Slot {
    int slot;
    void* value;
};

/* PyObject* create(PyObject* spec, PyModuleDef* def), and int exec(PyObject* module). */
#define Py_mod_create 1
#define Py_mod_exec 2
#define Py_mod_multiple_interpreters 3
#define Py_mod_gil 4
/* The address that PyModule_GetToken gives instead of the definition's. */
#define Py_mod_token 13

#define Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED (OURO_CAST(void*, 0))
#define Py_MOD_MULTIPLE_INTERPRETERS_SUPPORTED (OURO_CAST(void*, 1))
#define Py_MOD_PER_INTERPRETER_GIL_SUPPORTED (OURO_CAST(void*, 2))
#define Py_MOD_GIL_USED (OURO_CAST(void*, 0))
#define Py_MOD_GIL_NOT_USED (OURO_CAST(void*, 1))

/* m_traverse, m_clear and m_free are not called for a module whose state was asked for (m_size > 0) and is
 * not allocated. */
struct PyModuleDef {
    PyModuleDef_Base m_base;
    const char* m_name;
    const char* m_doc;
    Py_ssize_t m_size; /* bytes of state; -1: the module keeps it in static variables */
    PyMethodDef* m_methods;
    PyModuleDef_Slot* m_slots; /* for multi-phase initialisation; ends with {0, NULL} */
    traverseproc m_traverse;
    inquiry m_clear;
    freefunc m_free;
};

PyAPI_DATA(PyTypeObject) PyModule_Type;
PyAPI_DATA(PyTypeObject) PyModuleDef_Type;
#define PyModule_Check(op) PyObject_TypeCheck((op), &PyModule_Type)
#define PyModule_CheckExact(op) Py_IS_TYPE((op), &PyModule_Type)

/* A module with nothing but its name and what every module has, None so far. New reference. */
PyAPI_FUNC(PyObject*) PyModule_NewObject(PyObject* name);
PyAPI_FUNC(PyObject*) PyModule_New(const char* name);

/* Of a module. Each is NULL for what is not one: with SystemError the dictionary and the names, with
 * TypeError definition and state. */
/* Borrowed. */
PyAPI_FUNC(PyObject*) PyModule_GetDict(PyObject* module);
/* New reference; SystemError "nameless module" if __name__ is no str. */
PyAPI_FUNC(PyObject*) PyModule_GetNameObject(PyObject* module);
/* Lives as long as the module has that name. */
PyAPI_FUNC(const char*) PyModule_GetName(PyObject* module);
/* New reference; SystemError "module filename missing" if __file__ is no str. */
PyAPI_FUNC(PyObject*) PyModule_GetFilenameObject(PyObject* module);
PyAPI_FUNC(const char*) PyModule_GetFilename(PyObject* module);
/* NULL also for a module that was not made from a definition. */
PyAPI_FUNC(PyModuleDef*) PyModule_GetDef(PyObject* module);
/* NULL also for a module without state. */
PyAPI_FUNC(void*) PyModule_GetState(PyObject* module);
/* The address that tells modules of one definition from others: 0 and the definition's, or what a
 * Py_mod_token slot names, or NULL of a module without a definition; -1 and NULL with TypeError. */
PyAPI_FUNC(int) PyModule_GetToken(PyObject* module, void** result);
/* For tp_traverse and m_traverse: without an exception. */
PyAPI_FUNC(void*) PyModule_GetState_DuringGC(PyObject* module);
PyAPI_FUNC(int) PyModule_GetToken_DuringGC(PyObject* module, void** result);

/* Single-phase: a module made at once, with the definition's functions, documentation and zeroed state. New
 * reference, or NULL: SystemError for a definition with slots, a RuntimeWarning raised for another version of the
 * API, MemoryError. */
PyAPI_FUNC(PyObject*) PyModule_Create2(PyModuleDef* def, int api_version);
#define PyModule_Create(def) PyModule_Create2((def), PYTHON_API_VERSION)

/* Multi-phase: what PyInit_NAME returns. Borrowed; does not fail. */
PyAPI_FUNC(PyObject*) PyModuleDef_Init(PyModuleDef* def);
/* The first phase: a module as the definition says, for a spec, whose attribute `name` is its name; not
 * executed. New reference; NULL with SystemError for a definition that cannot be, or what Py_mod_create
 * raised. */
PyAPI_FUNC(PyObject*) PyModule_FromDefAndSpec2(PyModuleDef* def, PyObject* spec, int api_version);
#define PyModule_FromDefAndSpec(def, spec) \
    PyModule_FromDefAndSpec2((def), (spec), PYTHON_API_VERSION)
/* The second phase: allocates the state, if there is none, and calls every Py_mod_exec. 0, or -1 with an
 * exception. */
PyAPI_FUNC(int) PyModule_ExecDef(PyObject* module, PyModuleDef* def);
/* For single-phase modules: the same as a Py_mod_gil slot. 0, or -1 with SystemError. Unstable in CPython. */
PyAPI_FUNC(int) PyUnstable_Module_SetGIL(PyObject* module, void* gil);

/* Adding to a module; 0, or -1 with an exception: TypeError for what is no module, SystemError for NULL
 * without an exception. */
/* Steals nothing. */
PyAPI_FUNC(int) PyModule_AddObjectRef(PyObject* module, const char* name, PyObject* value);
/* Steals the value, also when it fails. */
PyAPI_FUNC(int) PyModule_Add(PyObject* module, const char* name, PyObject* value);
/* Steals the value if it succeeds, and only then. */
PyAPI_FUNC(int) PyModule_AddObject(PyObject* module, const char* name, PyObject* value);
PyAPI_FUNC(int) PyModule_AddIntConstant(PyObject* module, const char* name, long value);
PyAPI_FUNC(int) PyModule_AddStringConstant(PyObject* module, const char* name, const char* value);
#define PyModule_AddIntMacro(module, macro) PyModule_AddIntConstant((module), #macro, (macro))
#define PyModule_AddStringMacro(module, macro) PyModule_AddStringConstant((module), #macro, (macro))
/* Readies the type and adds it under its name without its module. */
PyAPI_FUNC(int) PyModule_AddType(PyObject* module, PyTypeObject* type);
/* Functions bound to the module; the array ends with a NULL name and must outlive them. */
PyAPI_FUNC(int) PyModule_AddFunctions(PyObject* module, PyMethodDef* functions);
PyAPI_FUNC(int) PyModule_SetDocString(PyObject* module, const char* doc);

/* Modules by their definition, of single-phase modules alone: borrowed, or NULL without an exception. */
PyAPI_FUNC(PyObject*) PyState_FindModule(PyModuleDef* def);
/* 0, or -1 with SystemError for a definition with slots. It is a fatal error to add a module twice, and to
 * remove one that was not added. */
PyAPI_FUNC(int) PyState_AddModule(PyObject* module, PyModuleDef* def);
PyAPI_FUNC(int) PyState_RemoveModule(PyModuleDef* def);

OURO_END_C

#endif
