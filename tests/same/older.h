/* Names that CPython has only since 3.12 and that are the same thing under an older name in 3.11. A
 * function that 3.11 lacks altogether is not imitated here: its cases are NEWER_CASE. */
#ifndef OURO_TESTS_SAME_OLDER_H
#define OURO_TESTS_SAME_OLDER_H

#include <Python.h>
#include <structmember.h>

#if PY_VERSION_HEX < 0x030C0000
#define Py_T_SHORT T_SHORT
#define Py_T_INT T_INT
#define Py_T_LONG T_LONG
#define Py_T_FLOAT T_FLOAT
#define Py_T_DOUBLE T_DOUBLE
#define Py_T_STRING T_STRING
#define _Py_T_OBJECT T_OBJECT
#define Py_T_CHAR T_CHAR
#define Py_T_BYTE T_BYTE
#define Py_T_UBYTE T_UBYTE
#define Py_T_USHORT T_USHORT
#define Py_T_UINT T_UINT
#define Py_T_ULONG T_ULONG
#define Py_T_STRING_INPLACE T_STRING_INPLACE
#define Py_T_BOOL T_BOOL
#define Py_T_OBJECT_EX T_OBJECT_EX
#define Py_T_LONGLONG T_LONGLONG
#define Py_T_ULONGLONG T_ULONGLONG
#define Py_T_PYSSIZET T_PYSSIZET
#define _Py_T_NONE T_NONE
#define Py_READONLY READONLY
#endif

#endif
