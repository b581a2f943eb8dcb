/* Ints as bytes and as digits, and floats as bytes. Source: "Integer Objects" and "Floating-Point Objects", "Pack and
 * Unpack functions", in the C API documentation. */
#ifndef OURO_LONG_BYTES_H
#define OURO_LONG_BYTES_H

#include "ouroboros/number.h"

OURO_BEGIN_C

#define PyLong_AS_LONG(op) PyLong_AsLong(op)

/* Two's complement in `size` bytes. The order is that of bits 0 and 1 of the flags, -1: the defaults, which are the
 * machine's order and a sign. */
#define Py_ASNATIVEBYTES_DEFAULTS -1
#define Py_ASNATIVEBYTES_BIG_ENDIAN 0
#define Py_ASNATIVEBYTES_LITTLE_ENDIAN 1
#define Py_ASNATIVEBYTES_NATIVE_ENDIAN 3
#define Py_ASNATIVEBYTES_UNSIGNED_BUFFER 4
#define Py_ASNATIVEBYTES_REJECT_NEGATIVE 8
#define Py_ASNATIVEBYTES_ALLOW_INDEX 16
/* Copies the lowest bytes; returns how many bytes the value needs, which may be more than `size` (with a buffer that is
 * unsigned the sign needs none); -1 with TypeError, or ValueError for a negative value that is rejected. */
PyAPI_FUNC(Py_ssize_t) PyLong_AsNativeBytes(PyObject* op, void* buffer, Py_ssize_t size, int flags);
/* New references, or NULL with MemoryError. */
PyAPI_FUNC(PyObject*) PyLong_FromNativeBytes(const void* buffer, size_t size, int flags);
PyAPI_FUNC(PyObject*) PyLong_FromUnsignedNativeBytes(const void* buffer, size_t size, int flags);
/* The older form. _AsByteArray: 0, or -1 with OverflowError; op is an int. */
PyAPI_FUNC(PyObject*) _PyLong_FromByteArray(const unsigned char* bytes, size_t size,
                                            int little_endian, int is_signed);
PyAPI_FUNC(int) _PyLong_AsByteArray(PyLongObject* op, unsigned char* bytes, size_t size,
                                    int little_endian, int is_signed);
#define _PyLong_AsByteArray(op, bytes, size, little, is_signed) \
    _PyLong_AsByteArray(OURO_CAST(PyLongObject*, (op)), (bytes), (size), (little), (is_signed))

/* *sign is -1, 0 or 1: 0; or -1 with TypeError. */
PyAPI_FUNC(int) PyLong_GetSign(PyObject* op, int* sign);
/* 1 or 0; -1 with TypeError. */
PyAPI_FUNC(int) PyLong_IsPositive(PyObject* op);
PyAPI_FUNC(int) PyLong_IsNegative(PyObject* op);
PyAPI_FUNC(int) PyLong_IsZero(PyObject* op);
/* Of an int. How many bits the magnitude has. */
PyAPI_FUNC(int) _PyLong_Sign(PyObject* op);
PyAPI_FUNC(size_t) _PyLong_NumBits(PyObject* op);

/* An int as an array of digits. Here a digit has 30 bits of 32, the least first. */
typedef struct PyLongLayout {
    uint8_t bits_per_digit;
    uint8_t digit_size;
    int8_t digits_order;
    int8_t digit_endianness;
} PyLongLayout;
PyAPI_FUNC(const PyLongLayout*) PyLong_GetNativeLayout(void);
#define PyLong_SHIFT 30
#define PyLong_BASE (1U << PyLong_SHIFT)
#define PyLong_MASK (PyLong_BASE - 1)
/* The same as a tuple with names, and how long a text of an int may be; new reference, or NULL with MemoryError. */
PyAPI_FUNC(PyObject*) PyLong_GetInfo(void);
/* Whether the value is in the object itself, and then what it is. op is an int. */
#define PyUnstable_Long_IsCompact(op) ((op)->ob_big == NULL)
#define PyUnstable_Long_CompactValue(op) OURO_CAST(Py_ssize_t, (op)->ob_value)
typedef struct PyLongExport {
    int64_t value; /* where digits is NULL */
    uint8_t negative;
    Py_ssize_t ndigits;
    const void* digits;
    Py_uintptr_t _reserved;
} PyLongExport;
/* 0, and what was filled in is given back by _FreeExport; -1 with TypeError or MemoryError. */
PyAPI_FUNC(int) PyLong_Export(PyObject* op, PyLongExport* exported);
PyAPI_FUNC(void) PyLong_FreeExport(PyLongExport* exported);
/* An int whose digits are *digits, to be written. NULL with ValueError if there are none of them, MemoryError. _Finish
 * frees the writer: a new reference, or NULL with MemoryError; so does _Discard, NULL: nothing. */
typedef struct PyLongWriter PyLongWriter;
PyAPI_FUNC(PyLongWriter*) PyLongWriter_Create(int negative, Py_ssize_t ndigits, void** digits);
PyAPI_FUNC(PyObject*) PyLongWriter_Finish(PyLongWriter* writer);
PyAPI_FUNC(void) PyLongWriter_Discard(PyLongWriter* writer);

/* IEEE 754 in 2, 4 or 8 bytes, the least first if `little` is 1. 0; or -1 with OverflowError for a double that is too
 * large. _Unpack cannot fail. */
PyAPI_FUNC(int) PyFloat_Pack2(double value, char* bytes, int little);
PyAPI_FUNC(int) PyFloat_Pack4(double value, char* bytes, int little);
PyAPI_FUNC(int) PyFloat_Pack8(double value, char* bytes, int little);
PyAPI_FUNC(double) PyFloat_Unpack2(const char* bytes, int little);
PyAPI_FUNC(double) PyFloat_Unpack4(const char* bytes, int little);
PyAPI_FUNC(double) PyFloat_Unpack8(const char* bytes, int little);
#define _PyFloat_Pack2(value, bytes, little) \
    PyFloat_Pack2((value), OURO_CAST(char*, (bytes)), (little))
#define _PyFloat_Pack4(value, bytes, little) \
    PyFloat_Pack4((value), OURO_CAST(char*, (bytes)), (little))
#define _PyFloat_Pack8(value, bytes, little) \
    PyFloat_Pack8((value), OURO_CAST(char*, (bytes)), (little))
#define _PyFloat_Unpack2(bytes, little) PyFloat_Unpack2(OURO_CAST(const char*, (bytes)), (little))
#define _PyFloat_Unpack4(bytes, little) PyFloat_Unpack4(OURO_CAST(const char*, (bytes)), (little))
#define _PyFloat_Unpack8(bytes, little) PyFloat_Unpack8(OURO_CAST(const char*, (bytes)), (little))

OURO_END_C

#endif
