/* Attributes of objects, and what else every object can be asked. */
#ifndef OURO_ATTRIBUTE_H
#define OURO_ATTRIBUTE_H

#include "ouroboros/typeobject.h"

OURO_BEGIN_C

/* New reference, or NULL with an exception: AttributeError if there is no such attribute. */
PyAPI_FUNC(PyObject*) PyObject_GetAttr(PyObject* op, PyObject* name);
PyAPI_FUNC(PyObject*) PyObject_GetAttrString(PyObject* op, const char* name);
/* 1 and a new reference; 0 and NULL if there is no such attribute; -1 and NULL with an exception. */
PyAPI_FUNC(int) PyObject_GetOptionalAttr(PyObject* op, PyObject* name, PyObject** result);
PyAPI_FUNC(int) PyObject_GetOptionalAttrString(PyObject* op, const char* name, PyObject** result);
/* 1 or 0; whatever goes wrong is 0 and goes to the unraisable hook. */
PyAPI_FUNC(int) PyObject_HasAttr(PyObject* op, PyObject* name);
PyAPI_FUNC(int) PyObject_HasAttrString(PyObject* op, const char* name);
/* The same, but -1 with the exception. */
PyAPI_FUNC(int) PyObject_HasAttrWithError(PyObject* op, PyObject* name);
PyAPI_FUNC(int) PyObject_HasAttrStringWithError(PyObject* op, const char* name);
/* 0, or -1 with an exception. NULL as the value deletes the attribute. */
PyAPI_FUNC(int) PyObject_SetAttr(PyObject* op, PyObject* name, PyObject* value);
PyAPI_FUNC(int) PyObject_SetAttrString(PyObject* op, const char* name, PyObject* value);
PyAPI_FUNC(int) PyObject_DelAttr(PyObject* op, PyObject* name);
PyAPI_FUNC(int) PyObject_DelAttrString(PyObject* op, const char* name);

/* The tp_getattro and tp_setattro of types without special wishes: descriptors of the type that have a
 * setter first, then the object's own dictionary, then the rest of the type's. */
PyAPI_FUNC(PyObject*) PyObject_GenericGetAttr(PyObject* op, PyObject* name);
PyAPI_FUNC(int) PyObject_GenericSetAttr(PyObject* op, PyObject* name, PyObject* value);
/* For PyGetSetDef: the object's dictionary, made if there is none yet. The closure is not used. */
PyAPI_FUNC(PyObject*) PyObject_GenericGetDict(PyObject* op, void* closure);
/* TypeError if the value is no dict, or NULL. */
PyAPI_FUNC(int) PyObject_GenericSetDict(PyObject* op, PyObject* value, void* closure);
/* Where the object's dictionary is; NULL if its type has none at a place of its own. */
PyAPI_FUNC(PyObject**) _PyObject_GetDictPtr(PyObject* op);

/* str, as repr() and str() give it. New references; TypeError if a type's own gives something
 * else. NULL is shown as <NULL>. */
PyAPI_FUNC(PyObject*) PyObject_Repr(PyObject* op);
PyAPI_FUNC(PyObject*) PyObject_Str(PyObject* op);
/* repr() with what is not ASCII escaped. */
PyAPI_FUNC(PyObject*) PyObject_ASCII(PyObject* op);

/* What the type's __format__ makes of a specification, a str; NULL and an empty one: as str() gives it. New
 * reference. */
PyAPI_FUNC(PyObject*) PyObject_Format(PyObject* op, PyObject* spec);

/* New reference, what the comparison gave; TypeError if the two have no order. */
PyAPI_FUNC(PyObject*) PyObject_RichCompare(PyObject* x, PyObject* y, int operation);
/* 1, 0, or -1 with an exception. */
PyAPI_FUNC(int) PyObject_IsTrue(PyObject* op);
PyAPI_FUNC(int) PyObject_Not(PyObject* op);
/* New reference to the object's class. */
PyAPI_FUNC(PyObject*) PyObject_Type(PyObject* op);

/* Whether `derived` is `type` or derived from it, or from one of a tuple of types: 1, 0, or -1 with
 * TypeError. */
PyAPI_FUNC(int) PyObject_IsInstance(PyObject* op, PyObject* type);
PyAPI_FUNC(int) PyObject_IsSubclass(PyObject* derived, PyObject* type);

/* A list of the names of op's attributes, sorted; NULL for op is a SystemError, for there is no frame whose names could
 * be meant. Bytes of what bytes(op) takes, __bytes__ first. New references; NULL with an exception. */
PyAPI_FUNC(PyObject*) PyObject_Dir(PyObject* op);
PyAPI_FUNC(PyObject*) PyObject_Bytes(PyObject* op);
/* An int, or what op's method fileno() says; -1 with TypeError or ValueError. */
PyAPI_FUNC(int) PyObject_AsFileDescriptor(PyObject* op);

OURO_END_C

#endif
