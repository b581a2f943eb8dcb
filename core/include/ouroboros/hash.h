/* Hashing. Source: "PyHash API" in the C API documentation. */
#ifndef OURO_HASH_H
#define OURO_HASH_H

#include "ouroboros/object.h"

OURO_BEGIN_C

/* Numbers that are equal hash alike: the number modulo this prime. */
#define PyHASH_BITS 61
#define PyHASH_MODULUS ((OURO_CAST(size_t, 1) << PyHASH_BITS) - 1)
#define PyHASH_INF 314159
#define PyHASH_IMAG 1000003UL
#define PyHASH_MULTIPLIER 1000003UL
#define _PyHASH_BITS PyHASH_BITS
#define _PyHASH_MODULUS PyHASH_MODULUS
#define _PyHASH_INF PyHASH_INF
#define _PyHASH_IMAG PyHASH_IMAG
#define _PyHASH_MULTIPLIER PyHASH_MULTIPLIER
#define _PyHASH_NAN 0

/* Never -1, and never fail. Equal within one process alone. The caller need not be attached. */
PyAPI_FUNC(Py_hash_t) Py_HashPointer(const void* pointer);
PyAPI_FUNC(Py_hash_t) Py_HashBuffer(const void* memory, Py_ssize_t size);
#define _Py_HashPointer Py_HashPointer
#define _Py_HashBytes Py_HashBuffer
/* hash() of a float; of a NaN it is op's identity. */
PyAPI_FUNC(Py_hash_t) _Py_HashDouble(PyObject* op, double value);
/* The tp_hash of objects that are equal to themselves alone. */
PyAPI_FUNC(Py_hash_t) PyObject_GenericHash(PyObject* op);

OURO_END_C

#endif
