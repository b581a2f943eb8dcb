/* Memory: three families as CPython has them, and objects that are not containers. */
#ifndef OURO_MEMORY_H
#define OURO_MEMORY_H

#include "ouroboros/typeobject.h"

OURO_BEGIN_C

/* From the heap of objects; zero bytes give a valid pointer. NULL when out of memory, without an
 * exception. Free with the same family. */
PyAPI_FUNC(void*) PyMem_Malloc(size_t size);
PyAPI_FUNC(void*) PyMem_Calloc(size_t count, size_t size);
PyAPI_FUNC(void*) PyMem_Realloc(void* p, size_t size);
PyAPI_FUNC(void) PyMem_Free(void* p);
PyAPI_FUNC(void*) PyObject_Malloc(size_t size);
PyAPI_FUNC(void*) PyObject_Calloc(size_t count, size_t size);
PyAPI_FUNC(void*) PyObject_Realloc(void* p, size_t size);
PyAPI_FUNC(void) PyObject_Free(void* p);

/* n values of a C type; NULL if they do not fit or memory is out. In PyMem_Resize p is assigned the
 * result; the old pointer must be kept to free it where that is NULL. */
#define PyMem_New(type, n) \
    ((type*)((size_t)(n) > PY_SSIZE_T_MAX / sizeof(type) ? NULL : PyMem_Malloc((n) * sizeof(type))))
#define PyMem_Resize(p, type, n)                               \
    ((p) = (type*)((size_t)(n) > PY_SSIZE_T_MAX / sizeof(type) \
                       ? NULL                                  \
                       : PyMem_Realloc((p), (n) * sizeof(type))))
#define PyMem_Del PyMem_Free
/* Older names of the same. */
#define PyMem_MALLOC(size) PyMem_Malloc(size)
#define PyMem_CALLOC(count, size) PyMem_Calloc((count), (size))
#define PyMem_REALLOC(p, size) PyMem_Realloc((p), (size))
#define PyMem_FREE(p) PyMem_Free(p)
#define PyMem_DEL(p) PyMem_Free(p)
#define PyMem_NEW(type, n) PyMem_New(type, n)
#define PyMem_RESIZE(p, type, n) PyMem_Resize(p, type, n)

/* The system's allocator; may be called by any thread, attached or not. */
PyAPI_FUNC(void*) PyMem_RawMalloc(size_t size);
PyAPI_FUNC(void*) PyMem_RawCalloc(size_t count, size_t size);
PyAPI_FUNC(void*) PyMem_RawRealloc(void* p, size_t size);
PyAPI_FUNC(void) PyMem_RawFree(void* p);

/* Sets type and size of memory that the caller provides, with one reference. Memory outside the
 * heap is never tracked. Returns op. */
PyAPI_FUNC(PyObject*) PyObject_Init(PyObject* op, PyTypeObject* type);
PyAPI_FUNC(PyVarObject*) PyObject_InitVar(PyVarObject* op, PyTypeObject* type, Py_ssize_t size);

/* New reference, fields after the header not initialised; NULL with MemoryError. */
PyAPI_FUNC(PyObject*) _PyObject_New(PyTypeObject* type);
PyAPI_FUNC(PyVarObject*) _PyObject_NewVar(PyTypeObject* type, Py_ssize_t nitems);
#define PyObject_New(type, typeobj) ((type*)_PyObject_New(typeobj))
#define PyObject_NewVar(type, typeobj, n) ((type*)_PyObject_NewVar((typeobj), (n)))
#define PyObject_Del PyObject_Free
/* Older names of the same. */
#define PyObject_MALLOC PyObject_Malloc
#define PyObject_CALLOC PyObject_Calloc
#define PyObject_REALLOC PyObject_Realloc
#define PyObject_FREE PyObject_Free
#define PyObject_DEL PyObject_Free
#define PyObject_INIT(op, type) PyObject_Init(_PyObject_CAST(op), (type))
#define PyObject_INIT_VAR(op, type, size) PyObject_InitVar(_PyVarObject_CAST(op), (type), (size))
#define PyObject_NEW(type, typeobj) PyObject_New(type, typeobj)
#define PyObject_NEW_VAR(type, typeobj, n) PyObject_NewVar(type, typeobj, n)

/* Whether memory that is no object's was reported: there is no tracemalloc, and -2 says so. The caller need not be
 * attached. */
PyAPI_FUNC(int) PyTraceMalloc_Track(unsigned int domain, uintptr_t memory, size_t size);
PyAPI_FUNC(int) PyTraceMalloc_Untrack(unsigned int domain, uintptr_t memory);

OURO_END_C

#endif
