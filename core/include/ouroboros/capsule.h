/* Capsules: a C pointer as an object. Never tracked: what it points at is not the collector's. */
#ifndef OURO_CAPSULE_H
#define OURO_CAPSULE_H

#include "ouroboros/typeobject.h"

OURO_BEGIN_C

typedef void (*PyCapsule_Destructor)(PyObject*);

PyAPI_DATA(PyTypeObject) PyCapsule_Type;
#define PyCapsule_CheckExact(op) Py_IS_TYPE((op), &PyCapsule_Type)

/* `name` is not copied and must outlive the capsule; NULL is a name too. The destructor, which may
 * be NULL, is called with the capsule when it dies. ValueError if the pointer is NULL. */
PyAPI_FUNC(PyObject*)
    PyCapsule_New(void* pointer, const char* name, PyCapsule_Destructor destructor);
/* The pointer; NULL with ValueError if op is not a capsule of that name. */
PyAPI_FUNC(void*) PyCapsule_GetPointer(PyObject* op, const char* name);
PyAPI_FUNC(const char*) PyCapsule_GetName(PyObject* op);
PyAPI_FUNC(void*) PyCapsule_GetContext(PyObject* op);
/* NULL, too, where there is none. */
PyAPI_FUNC(PyCapsule_Destructor) PyCapsule_GetDestructor(PyObject* op);
/* 0, or -1 with ValueError. */
PyAPI_FUNC(int) PyCapsule_SetContext(PyObject* op, void* context);
PyAPI_FUNC(int) PyCapsule_SetName(PyObject* op, const char* name);
PyAPI_FUNC(int) PyCapsule_SetDestructor(PyObject* op, PyCapsule_Destructor destructor);
/* NULL is a ValueError. */
PyAPI_FUNC(int) PyCapsule_SetPointer(PyObject* op, void* pointer);
/* 1 if op is a capsule of that name with a pointer, else 0; never fails. */
PyAPI_FUNC(int) PyCapsule_IsValid(PyObject* op, const char* name);

/* The pointer of the capsule that is attribute C of module B of package A, for "A.B.C", which must be its
 * name. The module is imported. `no_block` is not used. NULL with an exception: AttributeError if that is no
 * such capsule. */
PyAPI_FUNC(void*) PyCapsule_Import(const char* name, int no_block);

OURO_END_C

#endif
