/* Mappings of any type. */
#ifndef OURO_MAPPING_H
#define OURO_MAPPING_H

#include "ouroboros/sequence.h"

OURO_BEGIN_C

/* Whether op has mp_subscript. Never fails. */
PyAPI_FUNC(int) PyMapping_Check(PyObject* op);
/* -1 with an exception. */
PyAPI_FUNC(Py_ssize_t) PyMapping_Size(PyObject* op);
PyAPI_FUNC(Py_ssize_t) PyMapping_Length(PyObject* op);
/* Lists of what keys(), values() and items() give. New references; NULL with an exception. */
PyAPI_FUNC(PyObject*) PyMapping_Keys(PyObject* op);
PyAPI_FUNC(PyObject*) PyMapping_Values(PyObject* op);
PyAPI_FUNC(PyObject*) PyMapping_Items(PyObject* op);
/* op[key]: a new reference, or NULL with an exception. */
PyAPI_FUNC(PyObject*) PyMapping_GetItemString(PyObject* op, const char* key);
/* 1 and a new reference; 0 and NULL where op[key] is a KeyError; -1 and NULL with any other exception. */
PyAPI_FUNC(int) PyMapping_GetOptionalItem(PyObject* op, PyObject* key, PyObject** result);
PyAPI_FUNC(int) PyMapping_GetOptionalItemString(PyObject* op, const char* key, PyObject** result);
/* 0, or -1 with an exception. The value is not stolen. */
PyAPI_FUNC(int) PyMapping_SetItemString(PyObject* op, const char* key, PyObject* value);
#define PyMapping_DelItem(op, key) PyObject_DelItem((op), (key))
#define PyMapping_DelItemString(op, key) PyObject_DelItemString((op), (key))
/* 1 or 0; whatever goes wrong is 0 and goes to the unraisable hook. */
PyAPI_FUNC(int) PyMapping_HasKey(PyObject* op, PyObject* key);
PyAPI_FUNC(int) PyMapping_HasKeyString(PyObject* op, const char* key);
/* The same, but -1 with the exception. */
PyAPI_FUNC(int) PyMapping_HasKeyWithError(PyObject* op, PyObject* key);
PyAPI_FUNC(int) PyMapping_HasKeyStringWithError(PyObject* op, const char* key);

OURO_END_C

#endif
