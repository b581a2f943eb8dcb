/* The arguments of C functions: from objects to C values by a format, and back. */
#ifndef OURO_ARGS_H
#define OURO_ARGS_H

#include <stdarg.h>

#include "ouroboros/builtins.h"

OURO_BEGIN_C

/* A format is a row of units, each for one argument; after the format follow the addresses that each
 * asks for.
 *
 *   O O! O&         an object; one of a type, which comes first; what a converter makes of it
 *   U S Y           a str; a bytes object; a bytearray
 *   s s# z z#       the UTF-8 of a str, # with its size (Py_ssize_t); z takes None too, as NULL
 *   es es# et et#   the same encoded (the name comes first; NULL: utf-8) into PyMem_ memory, or, with #,
 *                   into a buffer of the size given; et takes bytes and a bytearray too, as they are
 *   b h i l L n     unsigned char, short, int, long, long long, Py_ssize_t: OverflowError out of range
 *   B H I k K       unsigned char, short, int, long, long long: without a check
 *   f d D           float, double, Py_complex
 *   y y#            the bytes of what exports them (buffer.h) and need not be told of the end of it, which s#
 *                   and z# take too; a zero among them only with #
 *   y* s* z*        Py_buffer, to be released: of what exports bytes without a gap; of a str, too; or of None
 *   w*              Py_buffer, to be released: of what exports bytes that may be written
 *   c               char: the byte of a bytes object or a bytearray of one
 *   C p             int: the code point of a str of one; whether the object is true
 *   (...)           a list or tuple, an item for each unit
 *   | $             what follows may be missing; may be given by name alone (needs names)
 *   :name ;text     end the format: the function's name in messages; a message for all of them
 *
 * Objects and texts are borrowed from the arguments. If a later argument fails, what an earlier one made is
 * undone: memory is freed, a Py_buffer released. Each function returns 1, or 0 with an exception:
 * TypeError, what a conversion raised, or SystemError for a format that cannot be. */
PyAPI_FUNC(int) PyArg_ParseTuple(PyObject* args, const char* format, ...);
PyAPI_FUNC(int) PyArg_VaParse(PyObject* args, const char* format, va_list targets);
/* One argument, by a format of one unit. */
PyAPI_FUNC(int) PyArg_Parse(PyObject* arg, const char* format, ...);

/* `names` has one for each unit and ends with NULL; the first ones may be "": by position alone. A
 * program may define PY_CXX_CONST otherwise. */
#ifndef PY_CXX_CONST
#ifdef __cplusplus
#define PY_CXX_CONST const
#else
#define PY_CXX_CONST
#endif
#endif
/* `kwargs` is a dict or NULL. */
PyAPI_FUNC(int) PyArg_ParseTupleAndKeywords(PyObject* args, PyObject* kwargs, const char* format,
                                            PY_CXX_CONST char* const* names, ...);
PyAPI_FUNC(int) PyArg_VaParseTupleAndKeywords(PyObject* args, PyObject* kwargs, const char* format,
                                              PY_CXX_CONST char* const* names, va_list targets);
/* Whether all keys of a dict are strs: 1, or 0 with TypeError. */
PyAPI_FUNC(int) PyArg_ValidateKeywordArguments(PyObject* kwargs);
/* Stores the items of a tuple, borrowed, at the addresses that follow: at least `min`, at most `max`. */
PyAPI_FUNC(int)
    PyArg_UnpackTuple(PyObject* args, const char* name, Py_ssize_t min, Py_ssize_t max, ...);

/* What a converter (O&) returns, int convert(PyObject* arg, void* address): 0 with an exception; 1; or
 * this, and then it is called with NULL and the address if a later argument fails. */
#define Py_CLEANUP_SUPPORTED 0x20000

/* A new reference made of C values: None of no unit, an object of one, a tuple of several; or NULL with
 * an exception.
 *
 *   s z U, s# z# U#  const char*, # with a size (Py_ssize_t): a str; NULL: None
 *   u, u#            const wchar_t*: likewise
 *   y, y#            const char*: a bytes object
 *   b h i B H I l k L K n   an int of that C type
 *   f d, D           float, double: a float; Py_complex*: a complex
 *   c C              int: a bytes object of one byte; a str of one code point
 *   O S, N           PyObject*: itself, with a new reference; with the caller's, also when it fails.
 *                    NULL hands on the exception that is set.
 *   O&               PyObject* (*convert)(void*) and a void*: what it returns
 *   (...) [...] {...}   a tuple, a list, a dict of keys and values in turn
 */
PyAPI_FUNC(PyObject*) Py_BuildValue(const char* format, ...);
PyAPI_FUNC(PyObject*) Py_VaBuildValue(const char* format, va_list values);

OURO_END_C

#endif
