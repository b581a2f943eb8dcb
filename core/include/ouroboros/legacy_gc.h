/* The collector's API as its oldest document describes it, for types written before there was a
 * PyType_Ready. Source: "The Python GC API", of the time of Python 2.0.
 *
 * The document allows PyGC_HEAD_SIZE to be 0, and here it is: what the collector knows of an object
 * lies beside the heap, and a PyGC_Head and its object are at one address. A type is readied when its
 * first object is made.
 *
 * The document's low-level macros have the names of other functions of Python.h, or mean something
 * else here; they are redefined for whoever includes this file, and for nobody else.
 */
#ifndef OURO_LEGACY_GC_H
#define OURO_LEGACY_GC_H

#include "Python.h"

OURO_BEGIN_C

#define Py_TPFLAGS_GC Py_TPFLAGS_HAVE_GC
#define PyGC_HEAD_SIZE 0

typedef struct _PyGC_Head PyGC_Head;

#define PyObject_AS_GC(op) ((PyGC_Head*)(op))
#define PyObject_FROM_GC(head) ((PyObject*)(head))

/* New reference, not tracked; a container if the type has Py_TPFLAGS_GC. NULL with an exception. */
PyAPI_FUNC(PyObject*) Ouro_LegacyNew(PyTypeObject* type);
PyAPI_FUNC(PyVarObject*) Ouro_LegacyVarNew(PyTypeObject* type, Py_ssize_t nitems);
/* Memory that PyObject_INIT makes a container; NULL when there is none, without an exception. */
PyAPI_FUNC(void*) Ouro_LegacyMalloc(size_t size);
PyAPI_FUNC(void*) Ouro_LegacyRealloc(void* memory, size_t size);
PyAPI_FUNC(void) Ouro_LegacyFree(void* memory);
PyAPI_FUNC(PyObject*) Ouro_LegacyInit(PyObject* op, PyTypeObject* type);

/* Adds op to the objects that the collector sees, or takes it away. */
#define PyObject_GC_Init(op) PyObject_GC_Track(op)
#define PyObject_GC_Fini(op) PyObject_GC_UnTrack(op)

#undef PyObject_New
#undef PyObject_Del
#define PyObject_New(type, typeobj) ((type*)Ouro_LegacyNew(typeobj))
#define PyObject_VarNew(type, typeobj, n) ((type*)Ouro_LegacyVarNew((typeobj), (n)))
#define PyObject_Del(op) Ouro_LegacyFree(op)

#undef PyObject_MALLOC
#undef PyObject_REALLOC
#undef PyObject_DEL
#undef PyObject_FREE
#define PyObject_MALLOC(n) Ouro_LegacyMalloc((size_t)(n))
#define PyObject_REALLOC(head, n) Ouro_LegacyRealloc((head), (size_t)(n))
#define PyObject_DEL(head) Ouro_LegacyFree(head)
#define PyObject_FREE(head) Ouro_LegacyFree(head)

#undef PyObject_INIT
#define PyObject_INIT(op, typeobj) Ouro_LegacyInit(_PyObject_CAST(op), (typeobj))

OURO_END_C

#endif
